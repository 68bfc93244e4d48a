"""Words, and what the word and name lists know of them."""

from __future__ import annotations

import functools
import gzip
import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_LISTS = Path(__file__).parent / "lists"
_APOSTROPHES = "'’ʼ`"  # noqa: RUF001 - people type them all
_LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\u0300-\u036f"
_WORD = re.compile(
    rf"[{_LATIN}]+(?:[{_APOSTROPHES}](?=[{_LATIN}]{{3,}})[{_LATIN}]+"
    rf"|(?<=\b[A-Za-z])[{_APOSTROPHES}][{_LATIN}]+)*"
)
# What holds words that are no prose: addresses, paths, handles, file names, identifiers.
# No pattern begins with an open-ended run, so that a text without spaces costs no square.
_CHUNK = re.compile(r"\S+")
_SIGN = re.compile(r"[:/\\@#<>{}=_$|~^().-]")
_WHOLE = re.compile(
    r"^\.{0,2}/|://|^www\.|::|\\|->|=>|\(\)|[<{}=_$|~^]|\w>|/[^/]+/|\w/\w{1,64}\.\w|\w\(\w*,\w"
)
_PART = re.compile(
    r"@\w[\w.-]*|#(?=[a-z]|\w*[\d_])\w[\w-]*|\b\w\w+(?:\.\w\w+){2,}\b"
    r"|\b[\w-]{1,64}\.(?:com|org|net|io|co|edu|gov|py|jsx?|tsx?|md|txt|pdf|docx?|xlsx?|csv|json"
    r"|html?|php|java|cpp|exe|jar|dll|png|jpe?g|gif|zip|xml|ya?ml|css|sh|sql|log|ini|conf|cfg)\b"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word in Latin script: where it stands, and its plain form for the lists.

    `code` says that it stands in an address, a path, a handle or an identifier.
    """

    start: int
    end: int
    text: str
    plain: str
    code: bool


class Piece(NamedTuple):
    """A word piece: its span, and the probabilities of a given name, a family name, a place and
    anything else the model knows (ids, numbers, addresses).
    """

    start: int
    end: int
    given: float
    family: float
    place: float
    other: float


def words(text: str) -> list[Word]:
    """Return the Latin-script words of `text` in order.

    What an apostrophe cuts off (s, t, ll) is left out.
    """
    code = _code(text)
    found: list[Word] = []
    at = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        if end - start < 3 and start and text[start - 1] in _APOSTROPHES:
            continue
        while at < len(code) and code[at][1] <= start:
            at += 1
        inside = at < len(code) and code[at][0] <= start
        mixed = bool(
            (start and (text[start - 1].isdigit() or text[start - 1] == "_"))
            or (end < len(text) and (text[end].isdigit() or text[end] == "_"))
        )
        found.append(Word(start, end, match.group(), usual(match.group()), inside or mixed))
    return found


def letters(text: str) -> Iterator[str]:
    """Yield the Latin-script words of `text` as they stand, whatever they stand in."""
    return (match.group() for match in _WORD.finditer(text))


def _code(text: str) -> list[tuple[int, int]]:
    """Return the spans in which words are no prose."""
    if not _SIGN.search(text):
        return []
    spans: list[tuple[int, int]] = []
    for chunk in _CHUNK.finditer(text):
        if not _SIGN.search(chunk.group()):
            continue
        if _WHOLE.search(chunk.group()):
            spans.append(chunk.span())
        else:
            spans += [part.span() for part in _PART.finditer(text, *chunk.span())]
    return spans


@functools.lru_cache(maxsize=65536)
def plain(word: str) -> str:
    """Return `word` in lower case without accents and apostrophes, as the lists hold it."""
    if word.isascii():
        return word.lower().replace("'", "").replace("`", "")
    low = word.lower().replace("đ", "d").replace("ø", "o").replace("ß", "ss").replace("ł", "l")
    spread = unicodedata.normalize("NFKD", low)
    return "".join(c for c in spread if c.isalpha() and not unicodedata.combining(c))


_DRAWN = re.compile(r"(.)\1{2,}")


@functools.lru_cache(maxsize=65536)
def usual(word: str) -> str:
    """Return the plain form of `word`; of one that no list has as it is, the form that was meant,
    where a list has that: drawn out (soo, pleaseee, Carlaaa), without its g (callin) or its
    apostrophe (shannons bike).
    """
    own = plain(word)
    if len(own) < 4 or any(own in wordlist(name) for name in _EVERY):
        return own
    rare = any(own in wordlist(name) for name in _RARE)
    # Rare names end so, too, with a capital.
    if own.endswith("in") and f"{own}g" in wordlist("common") and (word.islower() or not rare):
        return f"{own}g"
    if rare:
        return own
    if own[-1] == own[-2] and own[:-1] in wordlist("stop"):
        return own[:-1]
    if _DRAWN.search(own):
        for form in (_DRAWN.sub(by, own) for by in (r"\1", r"\1\1")):
            if form in wordlist("stop") or (
                len(form) > 2 and any(form in wordlist(name) for name in _USUAL)
            ):
                return form
    if own.endswith("s") and own[:-1] in wordlist("given"):
        return own[:-1]
    return own


_USUAL = ("stop", "common", "given", "family", "khmer")
_EVERY = (*_USUAL, "rare", "proper", "places", "never", "public")
_RARE = ("given_rare", "family_rare")


@functools.cache
def wordlist(name: str) -> frozenset[str]:
    """Return a shipped list.

    `common` and `rare` English words; `given`, `given_rare`, `family` and `family_rare` names,
    the commonest again in `given_top` and `family_top`;
    `proper` for other words with a capital; `places`; `khmer` names in both scripts; `stop` for
    words that are no names,
    `never` for words that are none however written; `public` figures.
    """
    file = _LISTS / f"{name}.txt"
    if file.is_file():
        lines: Iterator[str] = iter(file.read_text(encoding="utf-8").split("\n"))
        return frozenset(
            word for line in lines if not line.startswith("#") for word in line.split()
        )
    packed = gzip.decompress(file.with_suffix(".txt.gz").read_bytes())
    return frozenset(packed.decode("ascii").split("\n"))


@functools.cache
def cuewords() -> dict[str, frozenset[str]]:
    """Return the words that stand beside names, by kind of cue."""
    text = (_LISTS / "cues.txt").read_text(encoding="utf-8").replace("\n    ", " ")
    cues: dict[str, frozenset[str]] = {}
    for line in text.split("\n"):
        kind, colon, held = line.partition(": ")
        if colon and not line.startswith("#"):
            cues[kind] = frozenset(held.split(", ") if ", " in held else held.split())
    return cues


@functools.cache
def digest() -> str:
    """Return `sha256:` over the shipped lists; another list is another policy."""
    state = hashlib.sha256()
    for file in sorted(_LISTS.iterdir()):
        state.update(file.name.encode() + b"\0" + file.read_bytes())
    return "sha256:" + state.hexdigest()

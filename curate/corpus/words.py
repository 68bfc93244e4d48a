"""Text into the words it is searched by: plain words, whole identifiers, character n-grams."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import Stemmer

# Scripts written without spaces between words, and how many characters carry about a syllable.
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SYLLABIC = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"
SPACELESS = re.compile(f"[{_CJK}{_SYLLABIC}]")
"""A character of a script that writes words without spaces between them."""
_TOKEN = re.compile(
    f"(?P<cjk>[{_CJK}]+)|(?P<syllabic>[{_SYLLABIC}]+)"
    f"|(?P<word>[^\\W{_CJK}{_SYLLABIC}]+(?:[-./:@'’+]+[^\\W{_CJK}{_SYLLABIC}]+)*)"
)
_PART = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])

_COMMON = (
    "a about after all also am an and any are as at be been before being but by can could did do "
    "does doing don for from get gets getting got had has have having hello hey hi how i if in "
    "into is isn it its just ll me my no not now of off ok on or our out please s should so some "
    "such t than thank thanks that the their them then there these they this those to too up us "
    "ve very was we were what when where which while who why will with would you your"
)
STOP = frozenset(_COMMON.split())
"""English words too common to search by."""

_stemmer = Stemmer.Stemmer("english")
_stemming = threading.Lock()  # a Stemmer keeps its buffers between calls


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Return the English stem of a lower-case word."""
    with _stemming:
        return str(_stemmer.stemWord(word))


def words(text: str) -> Iterator[str]:
    """Yield the words of `text` in lower case, in order, without the commonest English ones.

    A compound such as `UV_HTTP_TIMEOUT`, `--no-cache` or `3.13t` is one word and its parts are
    words too. Scripts without spaces give overlapping n-grams.
    """
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text.translate(_INVISIBLE))
    for match in _TOKEN.finditer(plain):
        piece = match.group()
        if match["cjk"]:
            yield from _grams(piece, 2)
        elif match["syllabic"]:
            yield from _grams(piece, 3)
        else:
            yield from _word(piece)


def _word(piece: str) -> Iterator[str]:
    if piece.isalpha() and piece[1:].islower():  # most words are nothing special
        lower = piece.lower()
        if lower not in STOP:
            yield lower
        return
    parts = _PART.findall(piece)
    if len(parts) > 1:
        yield piece.lower()
    for part in parts:
        humps = _CAMEL.split(part)
        for hump in humps if len(humps) == 1 else [part, *humps]:
            lower = hump.lower()
            if lower not in STOP:
                yield lower


def _grams(run: str, size: int) -> Iterator[str]:
    if len(run) <= size:
        yield run
    for start in range(len(run) - size + 1):
        yield run[start : start + size]

"""Prose into sentences, as spans: Latin, Chinese, Japanese, Khmer, Burmese and Indic full stops."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLOSERS = "\"'”’»›)\\]}*_`）」』】"  # noqa: RUF001
_END = re.compile(
    f"(?P<spaced>[.!?…]+[{_CLOSERS}]*)(?=\\s|$)|[。！？｡។៕။॥।۔؟]+[{_CLOSERS}]*|\n[ \t]*\r?\n"  # noqa: RUF001
)
_CODE = re.compile(r"(?<!`)(`+)(?!`).{1,400}?(?<!`)\1(?!`)", re.DOTALL)
_NEXT = re.compile(r"\S")
_LONGEST_WORD = 40
_LAST_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*$")

_SHORT = (
    "al approx apr aug bzgl bzw ca cf col corp dec dept dr ed eds eg esp est etc excl feb fig figs "
    "ggf gov hon ie incl jan jr jul jun lt ltd mar max min mr mrs ms mt nb no nos nov nr oct op "
    "para pp prof ref refs resp rev sec sen sep sept sr st tel usw vgl viz vol vs"
)
_ABBREVIATIONS = frozenset(_SHORT.split())


def split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences of `text[start:end]` as spans of `text` without the space around them.

    Full stops inside code spans, abbreviations, initials, numbers and addresses end nothing.
    """
    code = [match.span() for match in _CODE.finditer(text, start, end)]
    code.append((end, end))
    ahead = 0
    begin = start
    for match in _END.finditer(text, start, end):
        while code[ahead][1] < match.end():
            ahead += 1
        if code[ahead][0] < match.start() and match.end() < code[ahead][1]:
            continue
        if match["spaced"] and not _ends(text, begin, match.start("spaced"), match.end(), end):
            continue
        yield from trim(text, begin, match.end())
        begin = match.end()
    yield from trim(text, begin, end)


def _ends(text: str, begin: int, stop: int, after: int, end: int) -> bool:
    found = _NEXT.search(text, after, end)
    following = found.group() if found else ""
    if text.startswith(("...", "…"), stop):
        return not following.islower()
    if text[stop] != ".":
        return True
    if following == "(":  # a remark belongs to what it remarks on
        return False
    begin = max(begin, stop - _LONGEST_WORD)
    word = _LAST_WORD.search(text, begin, stop)
    if word is None:
        return text[begin:stop].strip(" \t\r\n#*_-").rstrip("0123456789") != ""
    return not (
        "." in word.group()
        or (len(word.group()) == 1 and word.group().isupper() and word.group() != "I")
        or (
            word.group().lower() in _ABBREVIATIONS and (following.islower() or word.group() != "no")
        )
    )


def trim(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the span without white space at its ends, or nothing when only that is there."""
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = start + len(piece.rstrip())
    if left < right:
        yield left, right

"""Plain text: underlined titles and lines in capitals as headings, paragraphs, items and lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from curate.corpus.outline import Block, Heading, Parsed

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|$)")
_UNDERLINES = "=-~^*#"
_LONGEST_TITLE = 80
_NARROWEST = 60  # columns that prose is wrapped to
_ITEM = re.compile(r"\s*(?:[-*•+–]|\d{1,3}[.)]|[a-z][.)])\s+(?=\S)")


class _Line(NamedTuple):
    text: str
    at: int


def extractor() -> str:
    """Return the reader's name and version."""
    return "plain 1"


def parse(text: str) -> Parsed:
    """Return the headings and blocks of a plain text.

    A heading is a line with a line of `=`, `-` or the like of about its length below it, or a
    short line in capitals between blank lines. A line break that a full line would not have
    needed ends a block, so that lists of facts without marks fall apart into their lines.
    """
    lines = [_Line(m.group().rstrip(), m.start()) for m in _LINE.finditer(text)]
    headings: list[Heading] = []
    blocks: list[Block] = []
    paragraph: list[_Line] = []
    number = 0
    while number < len(lines):
        heading = _heading(lines, number, headings)
        if heading or not lines[number].text:
            blocks.extend(_blocks(paragraph))
            paragraph = []
        else:
            paragraph.append(lines[number])
        if heading:
            headings.append(heading)
            number += 1 + _underlined(lines, number)
        else:
            number += 1
    blocks.extend(_blocks(paragraph))
    return Parsed(tuple(headings), tuple(blocks))


def _underlined(lines: Sequence[_Line], number: int) -> bool:
    if number + 1 >= len(lines):
        return False
    title, below = lines[number].text.strip(), lines[number + 1].text.strip()
    return (
        bool(title)
        and len(below) >= 3
        and below[0] in _UNDERLINES
        and set(below) == {below[0]}
        and set(title) != {title[0]}
        and len(title) / 2 <= len(below) <= 2 * len(title) + 2
    )


def _heading(lines: Sequence[_Line], number: int, above: Sequence[Heading]) -> Heading | None:
    line = lines[number]
    title = line.text.strip()
    if not title or len(title) > _LONGEST_TITLE:
        return None
    start = line.at + line.text.index(title)
    span = (start, start + len(title))
    if _underlined(lines, number):
        level = 1 if lines[number + 1].text.strip()[0] == "=" else 2
        return Heading(title, level, line.at, span)
    alone = (number == 0 or not lines[number - 1].text) and (
        number + 1 < len(lines) and not lines[number + 1].text
    )
    if alone and title.isupper() and sum(char.isalpha() for char in title) >= 3:
        deeper = any(heading.level == 1 for heading in above)
        return Heading(title, 2 if deeper else 1, line.at, span)
    return None


def _blocks(paragraph: Sequence[_Line]) -> Iterator[Block]:
    if not paragraph:
        return
    width = max(len(line.text) for line in paragraph)
    begin: int | None = None
    for number, line in enumerate(paragraph):
        item = _ITEM.match(line.text)
        if begin is None:
            begin = line.at + (item.end() if item else 0)
        following = paragraph[number + 1].text if number + 1 < len(paragraph) else ""
        if not following or width > 2 * _LONGEST_TITLE or _broken(line.text, following, width):
            yield Block(begin, line.at + len(line.text), "prose")
            begin = None


def _broken(line: str, following: str, width: int) -> bool:
    """Say whether the break between two lines was made on purpose."""
    needed = len(line) + 1 + len(following.split()[0])
    return (
        needed <= width
        or _ITEM.match(following) is not None
        or (needed <= _NARROWEST and not following.lstrip()[0].islower())
    )

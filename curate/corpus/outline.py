"""What a parser finds in a document, and the sections and sentences made of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from curate.corpus.sentences import split, trim
from curate.model.documents import Section


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its source text, level from 1, where its line starts and its text stands."""

    text: str
    level: int
    start: int
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text outside headings: prose to be split, or one line, row or item as it is."""

    start: int
    end: int
    kind: Literal["prose", "whole"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document's headings and blocks, each in order of their start."""

    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The sections of a document in order, which leave nothing out but blank text before the
    first heading, and for each its sentences as spans of the document.
    """

    sections: tuple[Section, ...]
    sentences: tuple[tuple[tuple[int, int], ...], ...]

    def at(self, position: int) -> int:
        """Return the index of the section that holds a code point of the document.

        A position before the first section belongs to the first.
        """
        return max(0, bisect_right(self.sections, position, key=lambda s: s.start) - 1)


def outline(source: str, text: str, parsed: Parsed) -> Outline:
    """Return the outline of a document from what its parser found."""
    sections = _sections(source, text, parsed.headings)
    blocks = iter(parsed.blocks)
    block = next(blocks, None)
    sentences = []
    by_start = {heading.start: heading.span for heading in parsed.headings}
    for section in sections:
        spans: list[tuple[int, int]] = []
        while block is not None and block.start < section.end:
            if block.kind == "prose":
                spans.extend(split(text, block.start, block.end))
            else:
                spans.extend(trim(text, block.start, block.end))
            block = next(blocks, None)
        if not spans:
            title = by_start.get(section.start, (section.start, section.start))
            spans = list(trim(text, *title)) or list(trim(text, section.start, section.end))
        sentences.append(tuple(spans))
    return Outline(sections, tuple(sentences))


def _sections(source: str, text: str, headings: Sequence[Heading]) -> tuple[Section, ...]:
    first = headings[0].start if headings else len(text)
    made = []
    if text[:first].strip():
        made.append(Section(source, "", (), 0, 0, first, text[:first]))
    trail: list[Heading] = []
    for number, heading in enumerate(headings):
        end = headings[number + 1].start if number + 1 < len(headings) else len(text)
        trail = [above for above in trail if above.level < heading.level]
        made.append(
            Section(
                source,
                heading.text,
                tuple(above.text for above in trail),
                heading.level,
                heading.start,
                end,
                text[heading.start : end],
            )
        )
        trail.append(heading)
    return tuple(made)

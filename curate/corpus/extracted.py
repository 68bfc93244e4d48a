"""The text that a reader takes out of a marked-up file, and where its headings and blocks stand."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from curate.corpus.outline import Block, Heading, Parsed

_SPACE = re.compile(r"[ \t\r\n\f]+")
_LINE = re.compile(r"\r\n?|\n")


class Broken(Exception):
    """A file cannot be read as what its name says; the first argument says why."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What evidence is quoted from, and its headings and blocks as spans of it."""

    text: str = field(repr=False)
    parsed: Parsed


class Writer:
    """Puts a document's text together, block by block, and remembers where each stands.

    Blocks are a blank line apart, rows and lines of code a line end.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._at = 0
        self._lined = False
        self._headings: list[Heading] = []
        self._blocks: list[Block] = []

    def heading(self, level: int, text: str) -> None:
        """Add a heading; one without text opens no section."""
        title = folded(text)
        if title:
            start, end = self._add(title, lined=False)
            self._headings.append(Heading(title, level, start, (start, end)))

    def prose(self, text: str) -> None:
        """Add a paragraph, its white space folded; it falls into sentences later."""
        if plain := folded(text):
            self._blocks.append(Block(*self._add(plain, lined=False), "prose"))

    def row(self, text: str) -> None:
        """Add a line of its own, such as a table's row."""
        if text.strip():
            self._blocks.append(Block(*self._add(text, lined=True), "whole"))

    def code(self, text: str) -> None:
        """Add lines as they are."""
        self._lined = False
        for line in _LINE.split(text):
            self.row(line.rstrip())
        self._lined = False

    def done(self) -> Extracted:
        """Return the whole. What UTF-8 cannot hold is a question mark in it."""
        text = "".join([*self._parts, "\n"] if self._parts else [])
        whole = text.encode("utf-8", "replace").decode("utf-8")
        return Extracted(whole, Parsed(tuple(self._headings), tuple(self._blocks)))

    def _add(self, text: str, *, lined: bool) -> tuple[int, int]:
        gap = "" if not self._parts else "\n" if lined and self._lined else "\n\n"
        self._parts += (gap, text)
        start = self._at + len(gap)
        self._at = start + len(text)
        self._lined = lined
        return start, self._at


def folded(text: str) -> str:
    """Return `text` with its white space folded and none around it; a no-break space stays."""
    return _SPACE.sub(" ", text).strip(" ")

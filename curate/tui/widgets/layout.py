"""Folding a document into screen lines that know their code points; pure."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

from rich.cells import cell_len, split_graphemes

from curate.text import display
from curate.tui.spans import Span

_TOKEN = re.compile(r"[^\S\n]+|\u200b|[^\s\u200b]+")


@dataclass(frozen=True, slots=True)
class Layout:
    """The screen lines of `text[window]`, each a span of code points, line ends left out."""

    text: str
    window: Span
    width: int
    lines: tuple[Span, ...]

    def line_of(self, offset: int) -> int:
        """Return the index of the line that shows `offset`."""
        starts = [start for start, _end in self.lines]
        return max(0, bisect_right(starts, offset) - 1)

    def column_of(self, offset: int) -> int:
        """Return the cell at which `offset` is shown in its line."""
        start, end = self.lines[self.line_of(offset)]
        return cell_len(display(self.text[start : min(offset, end)]))

    def offset_at(self, line: int, column: int) -> int:
        """Return the code point nearest to a cell, kept inside the text."""
        if not self.lines:
            return self.window[0]
        start, end = self.lines[max(0, min(len(self.lines) - 1, line))]
        offset, cells = start, 0
        for cluster in clusters(self.text[start:end]):
            cells += cell_len(display(cluster))
            if cells > column:
                return offset
            offset += len(cluster)
        return offset


def clusters(text: str) -> list[str]:
    """Return `text` in pieces that a reader takes for one character."""
    pieces: list[str] = []
    for start, end, _width in split_graphemes(text)[0]:
        piece = text[start:end]
        # What is shown as something else stands for itself, whatever it leans on.
        pieces += [piece] if display(piece) == piece else piece
    return pieces


def next_cluster(text: str, offset: int, by: int, window: Span) -> int:
    """Return the offset one reader's character on (`by` 1) or back (-1), inside the window."""
    low, high = window
    offset += by
    while low < offset < high and _joins(text[offset], text[offset - 1]):
        offset += by
    return max(low, min(high, offset))


def _joins(char: str, before: str) -> bool:
    return unicodedata.category(char)[0] == "M" or "\u200d" in (char, before)


def fold(text: str, window: Span, width: int) -> Layout:
    """Fold `text[window]` into lines at most `width` cells wide, at spaces where it can."""
    width = max(1, width)
    lines: list[Span] = []
    start, last = window
    while start <= last:
        found = text.find("\n", start, last)
        end = last if found < 0 else found
        if end - start <= width and text.isascii():
            lines.append((start, end))
        else:
            lines += _fold_line(text, start, end, width)
        if found < 0:
            break
        start = found + 1
    return Layout(text, window, width, tuple(lines))


def _fold_line(text: str, start: int, end: int, width: int) -> list[Span]:
    lines: list[Span] = []
    begun, cells = start, 0
    for token in _TOKEN.finditer(text, start, end):
        size = _room(token.group())
        if token.group().isspace() or cells + size <= width:
            cells += size
            continue
        if size <= width:
            lines.append((begun, token.start()))
            begun, cells = token.start(), size
            continue
        offset = token.start()
        for cluster in clusters(token.group()):
            size = _room(cluster)
            if cells + size > width and offset > begun:
                lines.append((begun, offset))
                begun, cells = offset, 0
            cells += size
            offset += len(cluster)
    lines.append((begun, end))
    return lines


def _room(text: str) -> int:
    """The cells a text may take: terminals disagree whether a spacing mark (Khmer, Thai, Indic
    vowel signs) has a cell of its own, and a line that is too long spoils the next one.
    """
    shown = display(text)
    if shown.isascii():
        return len(shown)
    marks = sum(unicodedata.category(char) == "Mc" for char in shown)
    return cell_len(shown) + marks

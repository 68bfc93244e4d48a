"""stdout is data, stderr is narration: the one place that prints."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curate.text import display, one_line

if TYPE_CHECKING:
    from curate.corpus.corpus import Corpus
    from curate.model.documents import Passage


def data(value: object) -> None:
    """Print nouns, lists and dicts as JSON on stdout. ASCII only: no terminal obeys it."""
    click.echo(json.dumps(plain(value), indent=2, ensure_ascii=True, allow_nan=False))


def plain(value: object) -> Any:
    """Return `value` as JSON types: nouns become objects, times ISO 8601, paths strings."""
    match value:
        case datetime():
            return value.isoformat()
        case Path():
            return str(value)
        case bytes():
            return value.hex()
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case str() | int() | float() | None:
            return value
        case Iterable():
            return [plain(item) for item in value]
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    raise TypeError(f"{type(value).__name__} is no data")


def line(text: str = "") -> None:
    """Print a line of text on stdout, with nothing in it that a terminal would obey."""
    click.echo(display(text))


def table(rows: Sequence[Sequence[object]], head: Sequence[str]) -> None:
    """Print aligned columns on stdout. On a terminal cells are wrapped between words where its
    width has no room for them; elsewhere a row is a line.
    """
    cells = [[*head], *([one_line(str(cell)) for cell in row] for row in rows)]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    if sys.stdout.isatty():
        room = shutil.get_terminal_size().columns - len(_GAP) * (len(head) - 1)
        least = [max(_width(w) for cell in column for w in cell.split(" "))
                 for column in zip(*cells, strict=True)]  # fmt: skip
        widths = _fitted(widths, [*least[:-1], min(least[-1], _LEAST)], room)
    for row in cells:
        wrapped = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*wrapped, fillvalue=""):
            padded = [p + " " * (width - _width(p)) for p, width in zip(parts, widths, strict=True)]
            click.echo(_GAP.join(padded).rstrip())


_GAP = "  "
_LEAST = 20
"""So wide the last column is at least, where it needs that: its words may be broken."""


def _fitted(wanted: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Return widths of columns that make up `room`, or the least where that is more: what is left
    goes to all that want more, in equal shares.
    """
    widths = list(least)
    while short := [i for i, width in enumerate(widths) if width < wanted[i]]:
        share = (room - sum(widths)) // len(short)
        if share < 1:
            break
        for i in short:
            widths[i] = min(wanted[i], widths[i] + share)
    return widths


def _wrapped(text: str, width: int) -> list[str]:
    """Return `text` in lines of at most `width`, broken between words where they fit in one."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if _width(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for char in word:
            if lines[-1] and _width(lines[-1] + char) > width:
                lines.append("")
            lines[-1] += char
    return lines


def _width(text: str) -> int:
    import unicodedata

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def passage(corpus: Corpus, found: Passage) -> dict[str, Any]:
    """Return a search result as data: where it stands, its score, its best sentence."""
    start, end = found.best
    section = found.section
    return {
        "source": section.source,
        "heading": section.heading,
        "trail": section.trail,
        "score": found.score,
        "why": found.why,
        "sentence": corpus.document(section.source).text[start:end],
        "span": found.best,
    }


def say(text: str, *, quiet: bool = False) -> None:
    """Print a line of narration on stderr, unless `quiet`."""
    if not quiet:
        click.echo(display(text), err=True)


def error(message: str, hint: str = "") -> None:
    """Print what went wrong and the way out on stderr."""
    click.echo(f"curate: {display(message)}", err=True)
    if hint:
        click.echo(f"  {display(hint)}", err=True)


class Progress:
    """A progress bar on stderr for work counted in bytes; silent without a terminal."""

    def __init__(self, label: str, *, quiet: bool) -> None:
        self._label = label
        self._on = not quiet and sys.stderr.isatty()
        self._drawn = ""

    def __call__(self, done: int, total: int | None) -> None:
        """Show `done` of `total` bytes; `total` is None where nobody can know."""
        if not self._on:
            return
        if total:
            share = min(1.0, done / total)
            bar = "█" * int(share * 24)
            shown = f"{self._label} {bar:░<24} {share:4.0%}"
        else:
            shown = f"{self._label} {done / 1_000_000:.1f} MB"
        if shown != self._drawn:
            self._drawn = shown
            click.echo(f"\r{shown}", err=True, nl=False)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._drawn:
            click.echo("\r" + " " * len(self._drawn) + "\r", err=True, nl=False)


class Steps:
    """A progress bar on stderr for work in named steps; silent without a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._stage = ""
        self._bar = Progress("", quiet=quiet)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show `done` of `total` of a step."""
        if stage != self._stage:
            self._bar.__exit__()
            self._stage, self._bar = stage, Progress(stage, quiet=self._quiet)
        self._bar(done, total)

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, *exc: object) -> None:
        self._bar.__exit__()

"""The one table of formats: how each is recognised from its rows, and what reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from curate.config import SourceSettings
from curate.ingest.events import Piece, Place
from curate.ingest.generic import Generic
from curate.ingest.ratings import Scale
from curate.model import CurateError, Exit, Json


GENERIC = ("auto", "generic", "jsonl", "csv")
"""Rows with a field map; lines, tables and documents are told apart by themselves."""


class RowReader(Protocol):
    """What makes pieces of a format's rows."""

    def __call__(self, row: Json, place: Place, /) -> Iterator[Piece]:
        """Yield the pieces of one row. Raises `Unusable`, `UnknownNumber` or `UnknownWord`."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A log's recognised format: its name, its reader, its own scale, and its map as it stands."""

    format: str
    read: RowReader
    scale: Scale | None
    map: Callable[[], Mapping[str, str]]


def recognise(source: SourceSettings, head: Sequence[Json]) -> Reading:
    """Return how a log is to be read, judged by its first rows, or as `source.format` says.

    Raises `CurateError` for a format nobody knows.
    """
    if source.format not in GENERIC:
        raise CurateError(
            f"there is no log format `{source.format}`", f"Known: {', '.join(GENERIC)}.", Exit.USAGE
        )
    generic = Generic(source.map, head)
    return Reading("generic", generic.read, None, generic.fields.report)

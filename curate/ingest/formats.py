"""The one table of formats: how each is recognised from its rows, and what reads them.

One more format is a module with `claims` and `read` and a line here, or, where a field map is
enough, a few lines in presets.toml.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

from msgspec.structs import replace

from curate.config import SourceSettings
from curate.ingest import langfuse, langsmith, mlflow, openwebui, otel, ragflow
from curate.ingest.events import ROOT, Part, Piece, Place, Unusable
from curate.ingest.fields import QUESTIONS, Unread, folded
from curate.ingest.generic import Generic
from curate.ingest.paths import ABSENT, Getter, getter
from curate.ingest.quick import Reader
from curate.ingest.ratings import TRACER, Scale
from curate.ingest.tables import Messages
from curate.ingest.values import raw, text_of
from curate.model.errors import CurateError, Exit, did_you_mean
from curate.model.plain import Json


class RowReader(Protocol):
    """What makes pieces of a format's rows."""

    def __call__(self, row: Json, place: Place, /) -> Iterator[Piece]:
        """Yield the pieces of one row. Raises `Unusable`, `UnknownNumber` or `UnknownWord`."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format that is code: whether a row is one of its rows, and what reads it."""

    name: str
    claims: Callable[[Json], bool]
    read: RowReader
    scale: Scale | None = TRACER

    def rows(self, row: Json, place: Place) -> Iterator[Piece]:
        """Read a row; raise `Unusable` for one that is nothing to the format."""
        nothing = True
        for piece in self.read(row, place):
            nothing = False
            yield piece
        if nothing and not self.claims(row):
            raise Unusable(f"not a record of the format {self.name}")


@dataclass(frozen=True, slots=True)
class Reading:
    """A log's recognised format: its name, its reader, its own scale, and its map as it stands.

    `quickly`, where there is one, makes what may be asked first for the event of a line; `unread`
    says which paths of rows the map does not read.
    """

    format: str
    read: RowReader
    scale: Scale | None
    map: Callable[[], Mapping[str, str]]
    quickly: Callable[[str], Reader] | None = None
    unread: Callable[[Sequence[Json]], Unread] = lambda _: Unread()


FORMATS = (
    Format("otlp", otel.claims_otlp, otel.read_otlp),
    Format("phoenix", otel.claims_phoenix, otel.read_phoenix),
    Format("langsmith", langsmith.claims, langsmith.read),
    Format("langfuse", langfuse.claims, langfuse.read),
    Format("openwebui", openwebui.claims, openwebui.read, openwebui.SCALE),
    Format("mlflow", mlflow.claims, mlflow.read),
    Format("ragflow", ragflow.claims, ragflow.read),
)
"""The formats that are code; the presets follow, and last any rows at all by a field map."""


PLAIN = ("generic", "jsonl", "csv")
"""Rows by a field map alone. Lines, documents and tables are told apart by their content."""


def names() -> tuple[str, ...]:
    """Return every name that `format` may have, in the order in which they are tried."""
    presets = dict.fromkeys(preset.name for preset in _presets())
    return ("auto", *(one.name for one in FORMATS), *presets, *PLAIN)


def recognise(source: SourceSettings, head: Sequence[Json]) -> Reading:
    """Return how a log is to be read, judged by its first rows, or as `source.format` says.

    A map in `source` speaks for plain rows, so that only presets are tried against it. Raises
    `CurateError` for a format nobody knows.
    """
    wanted = source.format
    if wanted not in names():
        hint = did_you_mean(wanted, names(), f"Known: {', '.join(names())}.")
        raise CurateError(f"there is no log format `{wanted}`", hint, Exit.USAGE)
    if wanted not in PLAIN and not (wanted == "auto" and source.map):
        rows = [(row, {key for key in row if folded(key) in QUESTIONS}) for row in head]
        for one in FORMATS:
            if wanted == one.name or (wanted == "auto" and _most(rows, one.claims)):
                return Reading(one.name, one.rows, one.scale, dict)
        for preset in _presets():
            if wanted == preset.name or (
                wanted == "auto" and _most(rows, preset.claims, preset.questions)
            ):
                return preset.open(source.map)
    generic = Generic(source.map, head)
    return Reading(
        "generic", generic.read, None, generic.fields.report, generic.quickly, generic.unread
    )


def _most(
    rows: Sequence[tuple[Json, set[str]]],
    claims: Callable[[Json], bool],
    questions: frozenset[str] = frozenset(),
) -> bool:
    """Say whether most of `rows` are a format's, each given with the keys that call something a
    question. A row with one that the format knows nothing of is of an application's own log.
    """
    known = sum(claims(row) for row, asking in rows if asking <= questions)
    return bool(rows) and known * 2 >= len(rows)


# ---------------------------------------------------------------------------- presets


@dataclass(frozen=True, slots=True)
class Preset:
    """A format that is data: the paths that must lead somewhere, and the field map."""

    name: str
    keys: tuple[Getter, ...]
    map: Mapping[str, str]
    scale: Scale | None
    trace: str = ""
    said: str = ""
    search: str = ""
    kind: str = ""
    kinds: frozenset[str] = frozenset()
    message: Mapping[str, object] | None = None

    @property
    def questions(self) -> frozenset[str]:
        """The keys at the top of a row under which the preset finds a question."""
        return frozenset(path.split(".")[0] for path in self.map.get("question", "").split("|"))

    def claims(self, row: Json) -> bool:
        """Say whether `row` has a value at every one of the preset's paths."""
        return all(get(row) not in (ABSENT, None, "") for get in self.keys)

    def _is_step(self, row: Json, generic: Generic) -> bool:
        """Say whether a row is a step of a run, one that neither asks nor searches."""
        if not self.claims(row):
            return False
        if self.kinds and text_of(getter(self.kind)(row)) not in self.kinds:
            return True
        asked = generic.fields.value(row, "question")
        return asked in (ABSENT, None) and getter(self.search)(row) in (ABSENT, None)

    def open(self, told: Mapping[str, str]) -> Reading:
        """Return a fresh reader; `told` paths go before the preset's own."""
        if self.message is not None:
            shown = {name: path for name, path in self.message.items() if isinstance(path, str)}
            return Reading(self.name, Messages(self.message).read, self.scale, lambda: shown)
        trace = getter(self.trace) if self.trace else None
        if trace and self.said:
            trace = _Runs(trace, getter(self.said), getter(self.search)).trace
        generic = Generic({**self.map, **told}, closed=True, trace=trace)
        read: RowReader = generic.read
        if self.search and trace:
            searched = _Searched(generic, getter(self.search), trace)

            def read(row: Json, place: Place) -> Iterator[Piece]:
                if not self._is_step(row, generic):
                    yield from searched.read(row, place)

        return Reading(self.name, read, self.scale, generic.fields.report)


class _Runs:
    """Tells runs apart by what they are about where they have no trace: a run of the same words
    begins after the row that asked, or with it where such a row comes first in the log.
    """

    def __init__(self, trace: Getter, said: Getter, search: Getter) -> None:
        self._trace = trace
        self._said = said
        self._search = search
        self._asked: Counter[str] = Counter()
        self._asks_first: bool | None = None

    def trace(self, row: Json) -> object:
        """Return what joins a row to its run. Call it once for each row, in their order."""
        own = self._trace(row)
        if own not in (ABSENT, None, ""):
            return own
        said = text_of(self._said(row))
        asks = self._search(row) in (ABSENT, None)
        if self._asks_first is None:
            self._asks_first = asks
        run = self._asked[said] + (asks and self._asks_first)
        self._asked[said] += asks
        return f"{said}\x1f{run}" if said else ABSENT


class _Searched:
    """Rows of retrieval, which give the chunks and the query as it was searched for."""

    def __init__(self, generic: Generic, search: Getter, trace: Getter) -> None:
        self._generic = generic
        self._search = search
        self._trace = trace

    def read(self, row: Json, place: Place) -> Iterator[Piece]:
        searched = self._search(row)
        if searched is ABSENT or searched is None:
            yield from self._generic.read(row, place)
            return
        trace = text_of(self._trace(row))
        if not trace:
            raise Unusable("a retrieval that belongs to no question")
        part = self._generic.part(row, place)
        yield Part(trace, ROOT // 2, replace(part, standalone=raw(searched)), place.size)


@cache
def _presets() -> tuple[Preset, ...]:
    text = files("curate.ingest").joinpath("presets.toml").read_text(encoding="utf-8")
    return tuple(_preset(table) for table in tomllib.loads(text)["preset"])


def _preset(table: dict[str, Any]) -> Preset:
    told = "down" in table or "up" in table
    return Preset(
        name=table["name"],
        keys=tuple(getter(path) for path in table["keys"]),
        map=table.get("map", {}),
        scale=Scale.of(table.get("down", ()), table.get("up", ()), closed=True) if told else None,
        trace=table.get("trace", ""),
        said=table.get("said", ""),
        search=table.get("search", ""),
        kind=table.get("kind", ""),
        kinds=frozenset(table.get("kinds", ())),
        message=table.get("message"),
    )

"""Candidates: which records belong together, what is known of them, which of them comes first.

A candidate is shown by its exemplar: the first of its records that has not expired. Only
exemplars can be found by their bands, and a candidate without records is no more.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, repeat
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, LargeBinary, func, select, text

from curate.model.plain import Json
from curate.model.records import CandidateFacts, Ranking
from curate.store.tables import band, record

_T = TypeVar("_T")

# How many likely candidates are compared with a new question, most shared bands first.
_COMPARED = 50

# Bands are unsigned numbers of any width; SQLite's integers are signed and have 64 bits.
_BAND_MASK = 2**63 - 1


class Matcher(Hashable, Protocol):
    """What near-duplicates are and which candidates come first; pure and deterministic. Equal
    ones give equal answers.
    """

    def bands(self, text: str) -> tuple[int, ...]:
        """Return numbers of which near-duplicates share at least one."""

    def same(self, a: str, b: str) -> bool:
        """Say whether two questions ask the same."""

    def rank(self, facts: CandidateFacts) -> Ranking:
        """Return a candidate's priority and the reasons for it."""


@dataclass(frozen=True, slots=True)
class Gist:
    """What a question is compared by: its standalone wording, or its own and the turn before."""

    text: str = field(repr=False)
    context: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Assignment:
    """The candidate of each record, the records that founded one by its id, and their bands."""

    candidates: dict[int, int]
    founders: dict[int, int]
    bands: list[tuple[int, int]]


def gist(question: str, standalone: str | None, history: Sequence[Json]) -> Gist:
    """Return what a record is compared by."""
    if standalone:
        return Gist(standalone, "")
    asked = [turn["content"] for turn in history if turn["role"] == "user"]
    return Gist(question, asked[-1] if asked else "")


def alike(matcher: Matcher, a: Gist, b: Gist) -> bool:
    """Say whether two records belong to one candidate. A follow-up also needs the same past."""
    if bool(a.context) != bool(b.context) or not matcher.same(a.text, b.text):
        return False
    return not a.context or matcher.same(a.context, b.context)


def pieces(values: Iterable[_T], size: int = 1000) -> Iterator[list[_T]]:
    """Give lists of at most `size` values: SQLite bounds the parameters of a statement."""
    ready: list[_T] = []
    for value in values:
        ready.append(value)
        if len(ready) == size:
            yield ready
            ready = []
    if ready:
        yield ready


def listed(numbers: Iterable[int]) -> Any:
    """Return a query of these numbers, for IN: one parameter to SQLAlchemy, not thousands."""
    given = func.json_each(json.dumps(sorted(numbers))).table_valued("value")
    return select(given.c.value)


def listed_tags(tags: Iterable[bytes]) -> Any:
    """Return a query of these tags or keys, for IN, as `listed` does of numbers."""
    given = func.json_each(json.dumps([tag.hex() for tag in sorted(tags)])).table_valued("value")
    return select(func.from_hex(given.c.value, type_=LargeBinary))


def next_id(connection: Connection, table: str) -> int:
    """Return the first id that no row of `table` ever had. Valid within a write transaction."""
    found = connection.execute(
        text("SELECT seq FROM sqlite_sequence WHERE name = :table"), {"table": table}
    ).scalar()
    return int(found or 0) + 1


def bands_of(matcher: Matcher, gist: Gist) -> list[int]:
    """Return the bands of a record as they are stored."""
    return sorted({value & _BAND_MASK for value in matcher.bands(gist.text)})


def put_bands(connection: Connection, rows: Sequence[tuple[int, int]]) -> None:
    """Store bands: their values, each with its record."""
    if rows:
        connection.exec_driver_sql("INSERT INTO band (value, record) VALUES (?, ?)", list(rows))


def assign(
    connection: Connection, gists: Mapping[int, Gist], *, matcher: Matcher, now: datetime
) -> Assignment:
    """Let each record join the candidate it is a near-duplicate of, or found a new one.

    Nothing is written.
    """
    bands: dict[Gist, list[int]] = {}
    for one in gists.values():
        if one not in bands:
            bands[one] = bands_of(matcher, one)
    shelf = Shelf(connection, bands.values(), now)
    new = next_id(connection, "candidate")
    result = Assignment({}, {}, [])
    settled: dict[Gist, int] = {}
    for identifier, one in gists.items():
        home = settled.get(one)
        if home is None:
            home = shelf.find(one, bands[one], matcher)
        if home is None:
            home, new = new, new + 1
            shelf.add(identifier, home, one, bands[one])
            result.founders[home] = identifier
            result.bands.extend(zip(bands[one], repeat(identifier)))
        settled[one] = home
        result.candidates[identifier] = home
    return result


class Shelf:
    """The exemplars that share a band with a batch, from the database and from the batch."""

    def __init__(
        self, connection: Connection, wanted: Collection[Sequence[int]], now: datetime
    ) -> None:
        self._holders: dict[int, list[int]] = defaultdict(list)
        self._homes: dict[int, int] = {}
        asked = listed({value for bands in wanted for value in bands}).subquery()
        for value, holder, home in connection.execute(
            select(band.c.value, record.c.id, record.c.candidate)
            .select_from(asked)
            .join(band, band.c.value == asked.c.value)
            .join(record, record.c.id == band.c.record)
            .where(record.c.expires_at > now)
        ):
            self._holders[value].append(holder)
            self._homes[holder] = home
        likely = {holder for bands in wanted for holder in self._likely(bands)}
        self._gists = gists(connection, likely)

    def _likely(self, bands: Sequence[int]) -> list[int]:
        near = [self._holders[value] for value in bands if value in self._holders]
        if not near:
            return []
        shared = Counter(chain.from_iterable(near))
        return sorted(shared, key=lambda holder: (-shared[holder], holder))[:_COMPARED]

    def add(self, identifier: int, home: int, one: Gist, bands: Sequence[int]) -> None:
        """Put a new exemplar on the shelf."""
        self._homes[identifier], self._gists[identifier] = home, one
        for value in bands:
            self._holders[value].append(identifier)

    def find(self, one: Gist, bands: Sequence[int], matcher: Matcher) -> int | None:
        """Return the candidate that `one` belongs to."""
        for holder in self._likely(bands):
            if alike(matcher, one, self._gists[holder]):
                return self._homes[holder]
        return None


def gists(connection: Connection, records: Collection[int]) -> dict[int, Gist]:
    """Return what each of the records is compared by."""
    columns = (record.c.id, record.c.question, record.c.standalone, record.c.history)
    return {
        row.id: gist(row.question, row.standalone, row.history)
        for row in connection.execute(select(*columns).where(record.c.id.in_(listed(records))))
    }

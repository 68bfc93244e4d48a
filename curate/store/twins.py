"""Items that ask what a candidate asks. Records expire and items stay, so a question that is asked
again founds a new candidate, long after somebody made it an item.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from sqlalchemy import Connection, Text, func, select, type_coerce

from curate.model.items import Item
from curate.model.plain import Json
from curate.store.clusters import (
    Gist,
    Matcher,
    Shelf,
    alike,
    bands_of,
    gist,
    gists,
    listed,
    pieces,
)
from curate.store.mapping import item_to_json
from curate.store.tables import band, candidate, item, record


@dataclass(frozen=True, slots=True)
class Twins:
    """The wordings of the items of the set: whose each is, what it asks, and which of them have a
    band.
    """

    ids: Sequence[str]
    gists: Sequence[Gist]
    holders: Mapping[int, Sequence[int]]

    @classmethod
    def load(cls, connection: Connection, matcher: Matcher) -> Twins:
        """Return the items that are drafts or ready."""
        plain = type_coerce(item.c.content, Text)
        asked = select(item.c.id, plain).where(item.c.status.in_(("draft", "ready")))
        ids: list[str] = []
        wordings: list[Gist] = []
        holders: dict[int, list[int]] = defaultdict(list)
        for identifier, content in connection.execute(asked.order_by(item.c.id)):
            for one, bands in _stored(matcher, content):
                for value in bands:
                    holders[value].append(len(ids))
                ids.append(identifier)
                wordings.append(one)
        return cls(ids, wordings, holders)

    def among(
        self, connection: Connection, candidates: Collection[int], matcher: Matcher, now: datetime
    ) -> dict[int, str]:
        """Return the item that asks the same, for each of these candidates that is open and has
        one. The exemplar speaks for its candidate.
        """
        if not self.ids:
            return {}
        first = (
            select(record.c.candidate, func.min(record.c.id).label("id"))
            .join(candidate, candidate.c.id == record.c.candidate)
            .where(record.c.candidate.in_(listed(candidates)), record.c.expires_at > now)
            .where(candidate.c.status == "open")
            .group_by(record.c.candidate)
            .subquery()
        )
        bands = select(first, band.c.value).join(band, band.c.record == first.c.id)
        shared: dict[int, Counter[int]] = defaultdict(Counter)
        homes: dict[int, int] = {}
        for home, exemplar, value in connection.execute(bands):
            if value in self.holders:
                shared[exemplar].update(self.holders[value])
                homes[exemplar] = home
        asked = gists(connection, shared)
        return {
            homes[exemplar]: twin
            for exemplar, counts in shared.items()
            if (twin := self._best(asked[exemplar], counts, matcher)) is not None
        }

    def _best(self, one: Gist, shared: Counter[int], matcher: Matcher) -> str | None:
        likely = sorted(shared, key=lambda number: (-shared[number], number))
        same = (self.ids[number] for number in likely if alike(matcher, one, self.gists[number]))
        return next(same, None)


def asking(
    connection: Connection, items: Iterable[Item], *, matcher: Matcher, now: datetime
) -> frozenset[int]:
    """Return the open candidates that ask what one of the items asks."""
    wordings = (one for asked in items for one in _wordings(item_to_json(asked)))
    bands = {one: bands_of(matcher, one) for one in wordings}
    shelf = Shelf(connection, bands.values(), now)
    homes = (shelf.find(one, values, matcher) for one, values in bands.items())
    found = {home for home in homes if home is not None}
    which = select(candidate.c.id).where(candidate.c.status == "open")
    return frozenset(
        identifier
        for some in pieces(found)
        for identifier in connection.scalars(which.where(candidate.c.id.in_(some)))
    )


def _wordings(content: Json) -> list[Gist]:
    """What an item asks: as it is worded now, and as it was asked."""
    history, standalone = content.get("history") or (), content.get("standalone")
    worded = (content["question"], content.get("original") or content["question"])
    return list(dict.fromkeys(gist(one, standalone, history) for one in worded))


@lru_cache(maxsize=10_000)
def _stored(matcher: Matcher, content: str) -> tuple[tuple[Gist, list[int]], ...]:
    """Return what an item asks, with its bands: each batch of an ingest wants all of them again."""
    return tuple((one, bands_of(matcher, one)) for one in _wordings(json.loads(content)))

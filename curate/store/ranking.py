"""Candidates after their records, votes or the set changed: who is left, who comes first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, text, update

from curate.model.records import CandidateFacts
from curate.store import grouping
from curate.store.clusters import Matcher, bands_of, gists, listed, pieces, put_bands
from curate.store.many import Many
from curate.store.tables import band, candidate, record, vote
from curate.store.twins import Twins

_RANKED = ("priority", "reasons", "expires_at")
_RANK = Many(update(candidate).where(candidate.c.id == bindparam("which")), (*_RANKED, "which"))


def refresh(
    connection: Connection, touched: Collection[int], *, matcher: Matcher, now: datetime
) -> int:
    """Bring candidates up to date after their records or votes changed: remove the empty ones,
    give the exemplars their bands, reckon the priorities anew. Returns how many were removed.
    """
    if not touched:
        return 0
    covered, twins = _covered(connection), Twins.load(connection, matcher)
    removed = 0
    for some in pieces(sorted(touched), 500):
        removed += grouping.drop_empty(connection, some)
        _mark_exemplars(connection, some, matcher, now)
        _rank(connection, some, matcher, now, covered, twins)
    return removed


def _mark_exemplars(
    connection: Connection, some: list[int], matcher: Matcher, now: datetime
) -> None:
    first = (
        select(func.min(record.c.id).label("id"))
        .where(record.c.candidate.in_(listed(some)), record.c.expires_at > now)
        .group_by(record.c.candidate)
        .subquery()
    )
    bare = connection.scalars(
        select(first.c.id).where(~select(band.c.value).where(band.c.record == first.c.id).exists())
    ).all()
    rows = [
        (value, identifier)
        for identifier, one in gists(connection, bare).items()
        for value in bands_of(matcher, one)
    ]
    put_bands(connection, rows)


def _rank(
    connection: Connection,
    some: list[int],
    matcher: Matcher,
    now: datetime,
    covered: Collection[tuple[str, str]],
    twins: Twins,
) -> None:
    same = twins.among(connection, some, matcher, now)
    votes = _votes(connection, some, now)
    sections = _sections(connection, some, now)
    changed: list[dict[str, Any]] = []
    for row in connection.execute(
        select(
            candidate.c.id,
            candidate.c.priority,
            candidate.c.reasons,
            candidate.c.expires_at,
            func.count().label("size"),
            func.max(record.c.expires_at).label("latest"),
            func.coalesce(func.sum(record.c.refused), 0).label("refused"),
            func.max(record.c.best_score).label("best_score"),
            func.max(record.c.history != []).label("has_history"),
        )
        .join(candidate, candidate.c.id == record.c.candidate)
        .where(record.c.candidate.in_(listed(some)), record.c.expires_at > now)
        .group_by(record.c.candidate)
    ):
        known = sections[row.id]
        ranking = matcher.rank(
            CandidateFacts(
                size=row.size,
                down=votes[row.id, -1],
                up=votes[row.id, 1],
                refused=row.refused,
                best_score=row.best_score,
                section_covered=any(_holds(covered, one) for one in known) if known else None,
                has_history=bool(row.has_history),
                item=same.get(row.id),
            )
        )
        now_is = (ranking.priority, list(ranking.reasons), row.latest)
        if now_is != (row.priority, row.reasons, row.expires_at):
            changed.append(dict(zip(_RANKED, now_is, strict=True)) | {"which": row.id})
    _RANK.run(connection, changed)


def of_sections(
    connection: Connection, sections: Collection[tuple[str, str]], *, now: datetime
) -> frozenset[int]:
    """Return the open candidates whose first passage is of one of these sections."""
    if not sections:
        return frozenset()
    source = func.json_extract(record.c.chunks, "$[0].source")
    heading = func.json_extract(record.c.chunks, "$[0].heading")
    found = connection.execute(
        select(record.c.candidate, source, heading)
        .join(candidate, candidate.c.id == record.c.candidate)
        .where(candidate.c.status == "open", record.c.expires_at > now, source.is_not(None))
        .distinct()
    )
    return frozenset(row[0] for row in found if _holds(sections, (row[1], row[2])))


def counting_votes(now: datetime) -> Any:
    """Return a query of the votes that count at `now`: the last of each author and user on a
    record. Taken-back votes are in it, with rating None.
    """
    at = func.coalesce(vote.c.at, vote.c.received_at)
    newest = func.row_number().over(
        partition_by=(vote.c.record, vote.c.by, vote.c.user), order_by=(at.desc(), vote.c.id.desc())
    )
    return select(vote, newest.label("place")).where(
        vote.c.record.is_not(None), vote.c.expires_at > now
    )


def _votes(connection: Connection, some: list[int], now: datetime) -> Counter[tuple[int, int]]:
    mine = select(record.c.id).where(
        record.c.candidate.in_(listed(some)), record.c.expires_at > now
    )
    counting = counting_votes(now).where(vote.c.by == "user", vote.c.record.in_(mine)).subquery()
    return Counter(
        {
            (row[0], row[1]): row[2]
            for row in connection.execute(
                select(record.c.candidate, counting.c.rating, func.count())
                .join(record, record.c.id == counting.c.record)
                .where(counting.c.place == 1, counting.c.rating.is_not(None))
                .group_by(record.c.candidate, counting.c.rating)
            )
        }
    )


def _sections(
    connection: Connection, some: list[int], now: datetime
) -> dict[int, set[tuple[str, str | None]]]:
    # The passage that was ranked first is where the answer should have been.
    source = func.json_extract(record.c.chunks, "$[0].source")
    heading = func.json_extract(record.c.chunks, "$[0].heading")
    found: dict[int, set[tuple[str, str | None]]] = defaultdict(set)
    for row in connection.execute(
        select(record.c.candidate, source, heading)
        .where(record.c.candidate.in_(listed(some)), record.c.expires_at > now, source.is_not(None))
        .distinct()
    ):
        found[row[0]].add((row[1], row[2]))
    return found


def _covered(connection: Connection) -> frozenset[tuple[str, str]]:
    return frozenset(
        (row[0], row[1])
        for row in connection.execute(
            text(
                "SELECT DISTINCT json_extract(e.value, '$.source'),"
                " json_extract(e.value, '$.heading')"
                " FROM item, json_each(item.content, '$.evidences') AS e"
                " WHERE item.status IN ('draft', 'ready')"
            )
        )
    )


def _holds(covered: Collection[tuple[str, str]], section: tuple[str, str | None]) -> bool:
    # Logs name documents by other roots than ours: docs/fees.md is our fees.md.
    source, heading = section
    return any(
        (source == ours or source.endswith(f"/{ours}")) and heading in (None, "", title)
        for ours, title in covered
    )

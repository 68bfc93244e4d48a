"""Clusters put together and taken apart by hand, as acts like all others."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, delete, func, insert, select, update

from curate.model.errors import CurateError, Exit
from curate.model.plain import Json
from curate.store import absent
from curate.store.clusters import listed, next_id, pieces
from curate.store.tables import candidate, record


def state(connection: Connection, identifier: int) -> Json | None:
    """Return what a decision may change of a candidate, its records among it, or None."""
    row = connection.execute(
        select(candidate.c.status, candidate.c.item, candidate.c.note).where(
            candidate.c.id == identifier
        )
    ).one_or_none()
    return None if row is None else {**row._mapping, "records": _records(connection, identifier)}


def _records(connection: Connection, identifier: int) -> list[int]:
    held = select(record.c.id).where(record.c.candidate == identifier).order_by(record.c.id)
    return list(connection.scalars(held))


def merge(
    connection: Connection, into: int, others: Sequence[int]
) -> dict[str, tuple[Json, Json | None]]:
    """Give the records of `others` to the candidate `into`, and remove `others`.

    Returns the states before and after by subject. The item of one of them stays; raises
    `CurateError` when two of them have items.
    """
    wanted = [into, *(other for other in dict.fromkeys(others) if other != into)]
    if len(wanted) < 2:
        raise CurateError("nothing to merge", "Name two candidates or more.", Exit.USAGE)
    before = {}
    for one in wanted:
        found = state(connection, one)
        if found is None:
            raise absent.logged(connection, "candidate", one)
        before[one] = found
    tied = [one for one in wanted if before[one]["item"]]
    if len({before[one]["item"] for one in tied}) > 1:
        raise CurateError(
            f"candidates {' and '.join(map(str, tied))} have an item each",
            "Call one of them a duplicate of the other's item instead.",
            Exit.USAGE,
        )
    kept = before[tied[0] if tied else into]
    records = sorted(number for one in wanted for number in before[one]["records"])
    after = {**{key: kept[key] for key in ("status", "item", "note")}, "records": records}
    put(connection, into, after)
    connection.execute(delete(candidate).where(candidate.c.id.in_(wanted[1:])))
    return {f"c{one}": (before[one], after if one == into else None) for one in wanted}


def split(
    connection: Connection, identifier: int, records: Collection[int]
) -> tuple[int, dict[str, tuple[Json | None, Json]]]:
    """Let some records of a candidate be one of their own, in the inbox.

    Returns its id, and the states before and after by subject. Raises `CurateError` when these
    are not its records, or all of them.
    """
    before = state(connection, identifier)
    if before is None:
        raise absent.logged(connection, "candidate", identifier)
    chosen = set(records)
    strangers = chosen.difference(before["records"])
    if strangers:
        raise CurateError(
            f"candidate {identifier} has no record {min(strangers)}",
            f"`curate items show c{identifier}` shows its records.",
            Exit.USAGE,
        )
    rest = [number for number in before["records"] if number not in chosen]
    if not chosen or not rest:
        raise CurateError(
            f"candidate {identifier} cannot be split so: one part would be empty",
            "Name some of its records, not all.",
            Exit.USAGE,
        )
    made = next_id(connection, "candidate")
    apart: Json = {"status": "open", "item": None, "note": "", "records": sorted(chosen)}
    put(connection, made, apart)
    changes = {f"c{identifier}": (before, before | {"records": rest}), f"c{made}": (None, apart)}
    return made, changes


def put(connection: Connection, identifier: int, wanted: Json) -> None:
    """Give a candidate, made anew where it is gone, a state. Of its records those move to it that
    are still there; others that it has stay.
    """
    values = {key: wanted[key] for key in ("status", "item", "note")}
    changed = connection.execute(
        update(candidate).where(candidate.c.id == identifier).values(**values)
    )
    there = [
        number
        for some in pieces(wanted["records"])
        for number in connection.scalars(select(record.c.id).where(record.c.id.in_(some)))
    ]
    if not changed.rowcount and there:
        latest = select(func.max(record.c.expires_at)).where(record.c.id.in_(there[:1000]))
        connection.execute(
            insert(candidate).values(
                id=identifier,
                priority=0.0,
                reasons=[],
                expires_at=connection.execute(latest).scalar_one(),
                **values,
            )
        )
    for some in pieces(there):
        connection.execute(update(record).where(record.c.id.in_(some)).values(candidate=identifier))


def drop_empty(connection: Connection, some: Collection[int]) -> int:
    """Remove those of these candidates that have no record left; return how many."""
    return connection.execute(
        delete(candidate).where(
            candidate.c.id.in_(listed(some)),
            ~select(record.c.id).where(record.c.candidate == candidate.c.id).exists(),
        )
    ).rowcount

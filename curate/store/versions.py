"""Exported versions, with their items as they were."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert

from curate.model import CurateError, Exit, Item, Version
from curate.store.mapping import item_from_json, item_to_json
from curate.store.reading import missing
from curate.store.tables import mirror, name, version, version_item


class Overtaken(CurateError):
    """Somebody else stored a version first; exporting again looks at theirs."""


def add(connection: Connection, new: Version, publish: Callable[[], None]) -> None:
    """Store a version and then call `publish`, which puts its files in place: when that raises,
    nothing is stored.
    """
    last = connection.execute(select(func.max(version.c.number))).scalar_one()
    if new.number != (last or 0) + 1 or new.parent != last:
        raise Overtaken(
            f"version {new.number} cannot follow version {last or 0}",
            "Somebody exported in the meantime: export again.",
            Exit.FOUND,
        )
    connection.execute(
        insert(version).values(
            number=new.number,
            parent=new.parent,
            digest=new.digest,
            at=new.at,
            by=new.by,
            corpus=new.corpus,
            policy=new.policy,
            tool=new.tool,
            root=new.root,
        )
    )
    rows = [
        {"version": new.number, "position": position, "item": one.id, "content": item_to_json(one)}
        for position, one in enumerate(new.items)
    ]
    if rows:
        connection.execute(insert(version_item), rows)
    publish()


def heads(connection: Connection) -> list[Version]:
    """Return all versions, the oldest first, without their items."""
    query = select(version).order_by(version.c.number)
    return [_version(row, ()) for row in connection.execute(query)]


def get(connection: Connection, number: int) -> Version:
    """Return a version with its items in the order they were exported in."""
    row = connection.execute(select(version).where(version.c.number == number)).one_or_none()
    if row is None:
        raise missing(f"version {number}")
    rows = connection.execute(
        select(version_item.c.item, version_item.c.content, version_item.c.erased)
        .where(version_item.c.version == number)
        .order_by(version_item.c.position)
    ).all()
    items = tuple(item_from_json(one.content) for one in rows)
    return _version(row, items, tuple(one.item for one in rows if one.erased))


def call(
    connection: Connection, number: int, called: str, *, by: str, at: datetime, move: bool
) -> None:
    """Give a version a name. Raises `CurateError` when there is no such version, or the name is
    another version's and `move` is not set.
    """
    if connection.scalar(select(version.c.number).where(version.c.number == number)) is None:
        raise missing(f"version {number}")
    held = connection.scalar(select(name.c.version).where(name.c.name == called))
    if held is not None and held != number and not move:
        raise CurateError(
            f"version {held} is called {called} already",
            "Choose another name, or move it with --move.",
            Exit.USAGE,
        )
    row = {"version": number, "at": at, "by": by}
    statement = upsert(name).values(name=called, **row)
    connection.execute(statement.on_conflict_do_update(index_elements=[name.c.name], set_=row))


def names(connection: Connection) -> dict[str, int]:
    """Return the names of versions and their numbers, by name."""
    rows = connection.execute(select(name.c.name, name.c.version).order_by(name.c.name))
    return {row.name: row.version for row in rows}


def mirrored(connection: Connection, path: str, number: int, at: datetime) -> None:
    """Remember that a directory was given the files of a version."""
    row = {"version": number, "at": at}
    statement = upsert(mirror).values(path=path, **row)
    connection.execute(statement.on_conflict_do_update(index_elements=[mirror.c.path], set_=row))


def mirrors(connection: Connection) -> list[str]:
    """Return the directories that were given the files of a version."""
    return list(connection.scalars(select(mirror.c.path).order_by(mirror.c.path)))


def _version(row: Row[Any], items: tuple[Item, ...], erased: tuple[str, ...] = ()) -> Version:
    return Version(**row._mapping, items=items, erased=erased)

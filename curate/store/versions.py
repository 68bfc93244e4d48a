"""Exported versions, with their items as they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from curate.model import CurateError, Exit, Item, Version
from curate.store.mapping import item_from_json, item_to_json
from curate.store.reading import missing
from curate.store.tables import version, version_item


def add(connection: Connection, new: Version, publish: Callable[[], None]) -> None:
    """Store a version and then call `publish`, which puts its files in place: when that raises,
    nothing is stored.
    """
    last = connection.execute(select(func.max(version.c.number))).scalar_one()
    if new.number != (last or 0) + 1 or new.parent != last:
        raise CurateError(
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
    contents = connection.scalars(
        select(version_item.c.content)
        .where(version_item.c.version == number)
        .order_by(version_item.c.position)
    )
    return _version(row, tuple(item_from_json(content) for content in contents))


def _version(row: Row[Any], items: tuple[Item, ...]) -> Version:
    return Version(**row._mapping, items=items)

"""Exported versions, with their items as they were."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert

from curate.model.errors import CurateError, Exit
from curate.model.items import ChunkSet, Version
from curate.store import absent
from curate.store.mapping import item_from_json, item_to_json
from curate.store.tables import chunk_set, mirror, name, version, version_file, version_item


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
            chunk_set=new.chunks.name if new.chunks else "",
            gold={item: list(ids) for item, ids in new.gold.items()},
            extractors=new.extractors,
        )
    )
    files = [
        {"version": new.number, "name": name, "content": data} for name, data in new.more.items()
    ]
    if files:
        connection.execute(insert(version_file), files)
    rows = [
        {"version": new.number, "position": position, "item": one.id, "content": item_to_json(one)}
        for position, one in enumerate(new.items)
    ]
    if rows:
        connection.execute(insert(version_item), rows)
    publish()


def heads(connection: Connection) -> list[Version]:
    """Return all versions, the oldest first, without their items and files."""
    sets = {one.name: one for one in chunk_sets(connection)}
    query = select(version).order_by(version.c.number)
    return [_version(row, sets) for row in connection.execute(query)]


def get(connection: Connection, number: int) -> Version:
    """Return a version with its files, and its items in the order they were exported in."""
    row = connection.execute(select(version).where(version.c.number == number)).one_or_none()
    if row is None:
        raise absent.exported(connection, number)
    rows = connection.execute(
        select(version_item.c.item, version_item.c.content, version_item.c.erased)
        .where(version_item.c.version == number)
        .order_by(version_item.c.position)
    ).all()
    files = connection.execute(
        select(version_file.c.name, version_file.c.content)
        .where(version_file.c.version == number)
        .order_by(version_file.c.name)
    )
    sets = {one.name: one for one in chunk_sets(connection)}
    return replace(
        _version(row, sets),
        items=tuple(item_from_json(one.content) for one in rows),
        erased=tuple(one.item for one in rows if one.erased),
        more={file.name: file.content for file in files},
    )


def add_chunk_set(connection: Connection, new: ChunkSet) -> None:
    """Store a chunk set; the same again is only dated anew. Raises `CurateError` where another
    one has its name: a name stands for the same chunks for ever.
    """
    held = connection.scalar(select(chunk_set.c.digest).where(chunk_set.c.name == new.name))
    if held is not None and held != new.digest:
        raise CurateError(
            f"another chunk set is called {new.name}",
            "Versions were labelled with it: give the new one a name of its own.",
            Exit.USAGE,
        )
    last = connection.execute(select(func.max(chunk_set.c.position))).scalar_one()
    row = {
        "position": (last or 0) + 1,
        "digest": new.digest,
        "chunks": new.chunks,
        "at": new.at,
        "by": new.by,
    }
    statement = upsert(chunk_set).values(name=new.name, **row)
    connection.execute(statement.on_conflict_do_update(index_elements=[chunk_set.c.name], set_=row))


def chunk_sets(connection: Connection) -> list[ChunkSet]:
    """Return all chunk sets, the one added last at the end."""
    columns = (chunk_set.c[one.name] for one in fields(ChunkSet))
    query = select(*columns).order_by(chunk_set.c.position)
    return [ChunkSet(**row._mapping) for row in connection.execute(query)]


def call(
    connection: Connection, number: int, called: str, *, by: str, at: datetime, move: bool
) -> None:
    """Give a version a name. Raises `CurateError` when there is no such version, or the name is
    another version's and `move` is not set.
    """
    if connection.scalar(select(version.c.number).where(version.c.number == number)) is None:
        raise absent.exported(connection, number)
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


def _version(row: Row[Any], sets: Mapping[str, ChunkSet]) -> Version:
    told = dict(row._mapping)
    gold = {item: tuple(ids) for item, ids in told.pop("gold").items()}
    chunks = sets.get(told.pop("chunk_set"))
    return Version(**told, items=(), chunks=chunks, gold=gold)

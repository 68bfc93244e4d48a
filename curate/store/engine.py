"""SQLAlchemy over our SQLite files: writers that queue, readers that cannot write."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, NullPool, QueuePool, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from curate.store import files


class Database:
    """One of our files: a writer whose transactions begin IMMEDIATE, and readers that cannot write.

    Thread-safe. A transaction ends with its block, so that no reader ever stands in the way.
    """

    def __init__(self, path: Path) -> None:
        """Open the file at `path`, which must exist. Raises `CurateError` as `connect` does."""
        self.path = path
        files.examine(path)
        self._writer = _engine(path, "BEGIN IMMEDIATE", query_only=False)
        self._reader = _engine(path, "BEGIN", query_only=True)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Give a connection in a write transaction: committed at the end, or rolled back."""
        with explained(self.path), self._writer.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection that sees one state of the database and cannot change it."""
        with explained(self.path), self._reader.begin() as connection:
            yield connection

    def close(self) -> None:
        """Close every connection."""
        self._writer.dispose()
        self._reader.dispose()


def _engine(path: Path, begin: str, *, query_only: bool) -> Engine:
    engine = create_engine(
        "sqlite://",
        creator=lambda: files.connect(path, query_only=query_only),
        poolclass=QueuePool,
        pool_size=4 if query_only else 1,
        max_overflow=8 if query_only else 0,
        hide_parameters=True,
    )
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine


@contextmanager
def migrating(path: Path) -> Iterator[Connection]:
    """Give a connection for schema changes, in one IMMEDIATE transaction, foreign keys not
    enforced: rebuilding a parent table would silently delete its children.
    """
    engine = create_engine(
        "sqlite://",
        creator=lambda: files.connect(path, foreign_keys=False),
        poolclass=NullPool,
        hide_parameters=True,
    )
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    try:
        with explained(path), engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLAlchemy or SQLite says about the file at `path` into a `CurateError`."""
    try:
        with files.explained(path):
            yield
    except DBAPIError as error:
        if isinstance(error.orig, sqlite3.Error) and (problem := files.explain(path, error.orig)):
            raise problem from None
        raise
    except PoolTimeoutError:
        raise files.locked(path) from None

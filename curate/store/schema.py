"""Bringing a database to the newest schema. Alembic is imported only when it is behind."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from curate.model.errors import CurateError
from curate.store import files

SCHEMA = "0007"
"""The revision this program reads and writes: the newest in `migrations/versions`."""

_SMALL = 32 * 2**20


def migrations() -> Path:
    """Return the directory of the migrations: inside an installed package, or the repository's."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "migrations"
    return inside if inside.is_dir() else package.parent / "migrations"


def create(path: Path) -> None:
    """Make a new, empty database at `path`. Raises `CurateError` as `files.create` does."""
    files.create(path, _migrate)


def ensure(path: Path) -> None:
    """Bring the database at `path` to `SCHEMA`; does nothing when it is there already.

    Raises `CurateError` when it is newer, damaged or none of ours; it is then left untouched.
    """
    files.examine(path)
    with files.explained(path), closing(files.connect(path)) as connection:
        found = _revision(connection, path)
        if found > SCHEMA:
            raise CurateError(
                f"{path} was written by a newer curate (schema {found}, this one knows {SCHEMA})",
                "Update curate; the database is left as it is.",
            )
        # A full check of a large file takes seconds: `curate doctor` has that time.
        if found < SCHEMA or path.stat().st_size <= _SMALL:
            _check(connection, path)
    if found < SCHEMA:
        _migrate(path)


def _revision(connection: sqlite3.Connection, path: Path) -> str:
    try:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
            raise
        row = None
    if row is None:
        raise CurateError(
            f"{path} is damaged: it does not say which schema it has",
            "Restore it from a backup; curate leaves it as it is.",
        )
    return str(row[0])


def _check(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise CurateError(
            f"{path} is damaged", "Restore it from a backup; curate leaves it as it is."
        )


def _migrate(path: Path) -> None:
    from alembic import command
    from alembic.config import Config

    from curate.store import engine

    config = Config()
    config.set_main_option("script_location", str(migrations()).replace("%", "%%"))
    with engine.migrating(path) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
            raise CurateError(
                f"{path} cannot be upgraded: rows point at rows that are not there",
                "Restore it from a backup; curate leaves it as it is.",
            )
        # A rebuilt table leaves a whole copy of its rows in free pages, so the file is written
        # anew; the mark stays for the next purge when that is cut short.
        connection.exec_driver_sql("INSERT OR REPLACE INTO state VALUES ('dirty', 1)")
    with files.explained(path), closing(files.connect(path)) as raw:
        raw.execute("VACUUM")
        busy = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if not busy:
            raw.execute("DELETE FROM state WHERE name = 'dirty'")

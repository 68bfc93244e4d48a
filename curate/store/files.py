"""The one place that opens our SQLite files, with nothing but the standard library.

Every connection is checked to delete securely, to write ahead, to sync fully, to keep temporary
tables in memory and to obey foreign keys; what goes wrong with a file becomes one `CurateError`.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from curate.model.errors import CurateError, Exit
from curate.text import fold_search

APPLICATION_ID = 0x63757261
"""`cura`, in the header of every file of ours."""

BUSY_MS = 5000
"""How long a writer queues for the lock before it gives up."""

CHECKPOINT_MS = 250
"""A checkpoint waits for readers while it holds the write lock, so it must not wait long."""

_MAGIC = b"SQLite format 3\x00"
_PRAGMAS = {
    "secure_delete": 1,
    "synchronous": 2,
    "temp_store": 2,
    "foreign_keys": 1,
}
_WRITING = {"cache_size": -16_000, "wal_autocheckpoint": 4000}
"""16 MB of pages at hand, and as many in the log before they are written to their places: the
bands of new questions are random numbers, so that a batch changes pages all over the file.
"""


def connect(
    path: Path,
    *,
    busy_ms: int | None = None,
    foreign_keys: bool = True,
    query_only: bool = False,
) -> sqlite3.Connection:
    """Return a plain connection in autocommit mode, with every setting made and read back.

    `busy_ms` is how long it waits for a lock, by default `BUSY_MS`. Never creates a file. Raises
    `CurateError` when the file cannot be opened or a setting does not hold.
    """
    busy_ms = BUSY_MS if busy_ms is None else busy_ms
    with explained(path):
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=busy_ms / 1000,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            _set_up(connection, path, busy_ms, foreign_keys, query_only)
        except BaseException:
            connection.close()
            raise
        return connection


def _set_up(
    connection: sqlite3.Connection, path: Path, busy_ms: int, foreign_keys: bool, query_only: bool
) -> None:
    wanted = _PRAGMAS | {"foreign_keys": int(foreign_keys), "busy_timeout": busy_ms}
    if not query_only:
        wanted |= _WRITING
    for name, value in wanted.items():
        connection.execute(f"PRAGMA {name}={value}")
    mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
    if mode != "wal":
        raise CurateError(
            f"{path} cannot be written ahead (journal mode {mode})",
            "Keep the workspace on a local disk.",
        )
    for name, value in wanted.items():
        if connection.execute(f"PRAGMA {name}").fetchone()[0] != value:
            raise CurateError(
                f"this SQLite ({sqlite3.sqlite_version}) does not honour {name}={value}",
                "Use a Python that is linked to a standard SQLite.",
            )
    if query_only:
        connection.execute("PRAGMA query_only=ON")
    connection.create_function("fold_search", 1, _fold_search, deterministic=True)
    connection.create_function("from_hex", 1, bytes.fromhex, deterministic=True)


def _fold_search(text: str | None) -> str | None:
    return None if text is None else fold_search(text)


def rewrite(path: Path) -> None:
    """Write the whole file anew, so that no byte of what was deleted stays in it.

    Raises `Busy` when a reader keeps the old pages alive, a writer is at work or the disk is full.
    """
    with explained(path), closing(connect(path, busy_ms=CHECKPOINT_MS)) as raw:
        if _checkpointed(raw):
            raw.execute("VACUUM")
            if _checkpointed(raw):
                return
    raise Busy(
        f"{path} cannot be rewritten: a reader is open",
        "Close other programs that use the workspace, and run it again.",
    )


def checkpoint(path: Path) -> bool:
    """Empty the write-ahead log. Returns False when a reader is in the way."""
    with explained(path), closing(connect(path, busy_ms=CHECKPOINT_MS)) as raw:
        return _checkpointed(raw)


def remains(path: Path) -> dict[str, int]:
    """Return what a file may still hold of deleted rows, each 0 after `rewrite`: free pages, and
    the bytes of the write-ahead log and of a journal.
    """
    with explained(path), closing(connect(path, busy_ms=CHECKPOINT_MS)) as raw:
        _checkpointed(raw)
        freelist = raw.execute("PRAGMA freelist_count").fetchone()[0]
        sizes = {kind: _size(path.with_name(f"{path.name}-{kind}")) for kind in ("wal", "journal")}
    return {"freelist": freelist, **sizes}


def copy(path: Path, target: Path) -> None:
    """Write the database at `path` anew to `target` (0600), whole and durable or not at all.

    Raises `CurateError` when something stands there already or it cannot be written.
    """
    if os.path.lexists(target):
        raise CurateError(f"{target} exists already", "Name another file.", Exit.USAGE)
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with explained(target), written(target):
            _private_file(draft)
            with closing(connect(path)) as raw:
                raw.execute("VACUUM INTO ?", (str(draft),))
            handle = os.open(draft, os.O_RDONLY)
            os.fsync(handle)
            os.close(handle)
            draft.rename(target)
            _sync(target.parent)
    finally:
        draft.unlink(missing_ok=True)


def _checkpointed(raw: sqlite3.Connection) -> bool:
    # A reader in the way is told by the row that comes back, not by an exception.
    busy = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return bool(busy == 0)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def create(path: Path, build: Callable[[Path], None]) -> None:
    """Make a new database at `path`, mode 0600: `build` fills it under another name first, so
    that a half-made one never stands at `path`.

    Raises `CurateError` when something stands there already or the directory cannot be written.
    """
    if path.exists():
        raise CurateError(f"{path} exists already", "Name another directory.", Exit.USAGE)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with explained(path), written(path):
            _private_file(draft)
            with closing(sqlite3.connect(draft)) as connection:
                connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            build(draft)
            draft.rename(path)
            _sync(path.parent)
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Turn what the system says about writing `path` into a `CurateError`."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _full(path) from None
        raise CurateError(
            f"{path} cannot be written: {error.strerror}", "Check the disk and the modes."
        ) from None


def _private_file(path: Path) -> None:
    # SQLite gives its -wal and -shm the mode of the file itself, whatever the umask.
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW, 0o600))


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def examine(path: Path) -> None:
    """Look at the file before SQLite does, so that nothing of another kind is ever touched.

    Raises `CurateError` when it is missing, empty, cut short, no database, not ours, or cannot
    be written.
    """
    restore = "Restore it from a backup; curate leaves it as it is."
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            header = file.read(100)
    except FileNotFoundError:
        raise CurateError(f"{path} does not exist", "Make one with `curate init`.") from None
    except OSError as error:
        raise CurateError(
            f"{path} cannot be read: {error.strerror}", "Check its mode and owner."
        ) from None
    if not stat.S_ISREG(status.st_mode):
        raise CurateError(f"{path} is not a file", "Name another workspace.")
    if not header:
        raise CurateError(f"{path} is empty: what it held is lost", restore)
    if not _MAGIC.startswith(header[:16]):
        raise CurateError(f"{path} is not a SQLite database", restore)
    if len(header) < 100:
        raise CurateError(f"{path} is damaged: it is cut short", restore)
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise CurateError(f"{path} is a database of another program", "Name another workspace.")
    for place in (path, path.parent):
        if not os.access(place, os.W_OK):
            raise CurateError(
                f"{place} is read-only", "Give yourself the right to write it, or copy it."
            )


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says about the file at `path` into a `CurateError` a user can act on."""
    try:
        yield
    except sqlite3.Error as error:
        if problem := explain(path, error):
            raise problem from None
        raise


class Busy(CurateError):
    """Locked by somebody else, or no room left on the disk: trying again later may help."""


def locked(path: Path) -> Busy:
    """Return the error that says that somebody else holds the lock."""
    return Busy(f"{path} is locked by another process", "Try again when it has finished.")


def _full(path: Path) -> Busy:
    return Busy(
        f"{path} cannot be written: the disk is full", "Free some space; nothing was half-done."
    )


def _no_room(path: Path) -> bool:
    return shutil.disk_usage(path.parent).free < 2**16


def explain(path: Path, error: sqlite3.Error) -> CurateError | None:
    """Return what a user should be told of an error, or None when it is none of theirs."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return locked(path)
    # On a full disk the shared memory of the log cannot grow either, which is called an I/O error.
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _no_room(path)):
        return _full(path)
    messages = {
        sqlite3.SQLITE_READONLY: ("is read-only", "Give yourself the right to write it."),
        sqlite3.SQLITE_PERM: ("may not be opened", "Check its mode and owner."),
        sqlite3.SQLITE_CANTOPEN: (
            "cannot be opened",
            "Check that it and its directory can be written.",
        ),
        sqlite3.SQLITE_IOERR: (
            "cannot be read or written: disk error",
            "Check the disk, its quota and file size limits; nothing was half-done.",
        ),
        sqlite3.SQLITE_CORRUPT: (
            "is damaged",
            "Restore it from a backup; curate leaves it as it is.",
        ),
        sqlite3.SQLITE_NOTADB: (
            "is not a readable SQLite database",
            "Restore it from a backup; curate leaves it as it is.",
        ),
    }
    if code not in messages:
        return None
    message, hint = messages[code]
    return CurateError(f"{path} {message}", hint)

"""Looking a workspace over: what stands in the way of the promises made about it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from curate.model.errors import CurateError
from curate.store import files
from curate.workspace.custody.originals import TAGS

if TYPE_CHECKING:
    from curate.workspace.workspace import Workspace

Health = Literal["ok", "warning", "wrong"]

_REMOTE = ("nfs", "cifs", "smb", "9p", "fuse.sshfs", "afs", "ceph", "glusterfs", "lustre")
_OURS = (
    "curate.db*",
    "raw.db*",
    "corpus.db*",
    "*.lock",
    "keys",
    "exports",
    "allow.txt",
    "deny.txt",
)
_ROOM = 3
"""How many times its size a database needs while it is written anew."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: what was found, and the way out where that is not well."""

    name: str
    health: Health
    found: str
    hint: str = ""


def examine(workspace: Workspace) -> list[Check]:
    """Return what was found, in order. Reads only."""
    checks = [_sqlite()]
    for look in (
        _databases,
        _modes,
        _disk,
        _clock,
        _overdue,
        _keys,
        _backups,
        _model,
    ):
        try:
            checks += look(workspace)
        except CurateError as error:
            checks.append(Check(look.__name__.strip("_"), "wrong", error.message, error.hint))
        except OSError as error:
            found = f"cannot be looked at: {error.strerror}"
            checks.append(Check(look.__name__.strip("_"), "wrong", found, "Check the modes."))
    return checks


def _sqlite() -> Check:
    threads = "" if sqlite3.threadsafety == 3 else ", not safe for threads"
    if sqlite3.sqlite_version_info < (3, 37):
        hint = "Use a Python that is linked to SQLite 3.37 or newer: tables are STRICT."
        return Check("sqlite", "wrong", sqlite3.sqlite_version, hint)
    return Check("sqlite", "ok", f"{sqlite3.sqlite_version}{threads}")


def _databases(workspace: Workspace) -> Iterator[Check]:
    for name in ("curate.db", "raw.db"):
        path = workspace.root / name
        if name == "raw.db" and not path.exists():
            yield Check(name, "ok", "not there yet")
            continue
        files.examine(path)
        # Opening reads every setting back and refuses a SQLite that does not honour one.
        with files.explained(path), closing(files.connect(path)) as connection:
            told = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if told == "ok":
            yield Check(name, "ok", "intact; deletes securely, writes ahead, syncs fully")
        else:
            yield Check(name, "wrong", "damaged", "Restore it from a backup.")
    tables = ("fts3", "fts4", "fts5")
    path = workspace.root / "curate.db"
    with files.explained(path), closing(files.connect(path)) as connection:
        found = connection.execute("SELECT sql FROM sqlite_schema WHERE type='table'").fetchall()
    indexed = any(kind in (row[0] or "").lower() for row in found for kind in tables)
    if indexed:
        yield Check("index", "wrong", "a full-text index over log text", "Restore a backup.")


def _modes(workspace: Workspace) -> Iterator[Check]:
    paths = [path for pattern in _OURS for path in workspace.root.glob(pattern)]
    paths += [inner for path in paths if path.is_dir() for inner in path.rglob("*")]
    paths = [path for path in paths if not path.is_symlink()]
    wide = [path for path in (workspace.root, *paths) if path.stat().st_mode & 0o077]
    inner = [path for path in wide if path != workspace.root]
    if inner:
        found = f"{len(inner)} files or directories can be read by others, {inner[0]} first"
        yield Check("modes", "wrong", found, f"chmod -R go-rwx {workspace.root}")
    elif wide:
        found = f"{workspace.root} can be entered by others; what curate keeps in it cannot be read"
        yield Check("modes", "warning", found, f"chmod go-rwx {workspace.root}")
    else:
        yield Check("modes", "ok", f"{len(paths)} files and directories are yours alone")


def _disk(workspace: Workspace) -> Iterator[Check]:
    kind = filesystem(workspace.root, Path("/proc/mounts"))
    if kind.startswith(_REMOTE):
        hint = "Keep the workspace on a local disk: locks and the write-ahead log need one."
        yield Check("file system", "wrong", f"a network file system ({kind})", hint)
    else:
        yield Check("file system", "ok", kind or "unknown")
    largest = max(path.stat().st_size for path in workspace.root.glob("*.db"))
    free = shutil.disk_usage(workspace.root).free
    found = f"{free / 1e6:.0f} MB free, {_ROOM * largest / 1e6:.0f} MB are needed to purge"
    enough = free > _ROOM * largest
    yield Check("room", "ok" if enough else "wrong", found, "" if enough else "Free some space.")


def filesystem(path: Path, mounts: Path) -> str:
    """Return the kind of file system that holds `path`, by the table of mounts; "" if unknown."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    held = path.resolve()
    best, kind = -1, ""
    for line in lines:
        _, where, found, *_ = line.split(" ")
        place = Path(where.encode().decode("unicode_escape"))
        if held.is_relative_to(place) and len(place.parts) >= best:
            best, kind = len(place.parts), found
    return kind


def _clock(workspace: Workspace) -> Iterator[Check]:
    now, newest = workspace.now(), workspace.store.counts().newest
    if newest is not None and newest > now + timedelta(days=1):
        found = f"it is {now:%Y-%m-%d %H:%M}Z here, and a record is of {newest:%Y-%m-%d}"
        yield Check("clock", "warning", found, "Set the clock: retention goes by it.")
    elif abs(now - datetime.now(UTC)) > timedelta(hours=1):
        found = f"{now:%Y-%m-%d %H:%M}Z, set by --now or CURATE_NOW"
        yield Check("clock", "warning", found, "Unset it for real work.")
    else:
        yield Check("clock", "ok", f"{now:%Y-%m-%d %H:%M}Z")


def _overdue(workspace: Workspace) -> Iterator[Check]:
    counts = workspace.store.counts()
    if counts.overdue or counts.dirty:
        found = f"{counts.overdue} records overdue" if counts.overdue else "a purge is unfinished"
        yield Check(
            "retention", "wrong", found, "Run `curate purge`; `curate schedule` does daily."
        )
    elif counts.last_purge is None:
        yield Check("retention", "warning", "never purged", "`curate schedule` prints timers.")
    elif counts.last_purge.at > workspace.now() + timedelta(hours=1):
        found = f"the last purge says {counts.last_purge.at:%Y-%m-%d %H:%M}Z: it ran ahead of time"
        hint = "It may have removed what was not over yet. Unset CURATE_NOW where purges run."
        yield Check("retention", "warning", found, hint)
    else:
        yield Check("retention", "ok", f"last purge {counts.last_purge.at:%Y-%m-%d %H:%M}Z")


def _keys(workspace: Workspace) -> Iterator[Check]:
    late, kept = workspace.originals.overdue_keys(), workspace.originals.overdue()
    if late or kept:
        found = f"{late} keys and {kept} sealed originals are overdue"
        yield Check("originals", "wrong", found, "Run `curate purge`.")
    elif workspace.originals.unfinished():
        found = "some were deleted, and their bytes are not proven gone"
        yield Check("originals", "wrong", found, "Run `curate purge`.")
    else:
        yield Check("originals", "ok", f"{len(workspace.originals.keys())} sealed, none overdue")


def _backups(workspace: Workspace) -> Iterator[Check]:
    keys = workspace.root / "keys"
    copies = sorted({
        path.parent
        for pattern in ("*.key", f"{TAGS}/*.key")
        for place in workspace.root.iterdir()
        if place.is_dir() and place.name not in ("keys", "exports", "docs")
        for path in place.glob(pattern)
    })  # fmt: skip
    if copies:
        yield Check(
            "keys", "wrong", f"a copy of keys in {copies[0]}", "Delete it: it undoes purges."
        )
    elif not (keys / "CACHEDIR.TAG").exists() and keys.is_dir():
        yield Check("keys", "warning", "not marked as not to be backed up", "Run `curate ingest`.")
    else:
        yield Check("keys", "ok", "marked as not to be backed up")


def _model(workspace: Workspace) -> Iterator[Check]:
    policy = workspace.anonymiser.policy
    stale = len(workspace.store.stale(policy))
    if stale:
        found = f"{stale} records were anonymised under other settings or another model"
        yield Check("anonymiser", "warning", found, "`curate privacy refresh` shows what changes.")
    else:
        yield Check("anonymiser", "ok", policy[:19])

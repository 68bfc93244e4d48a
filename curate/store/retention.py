"""Deleting for real: what has expired goes, bytes and all, and a receipt proves it.

Deleting rows leaves their text in the write-ahead log and, even with secure_delete, in the
unused part of pages. So a purge is a state, not an event: from its first deletion until a
checkpoint, a VACUUM, another checkpoint and a count have shown that nothing is left, the
database is marked dirty, and the next purge goes on where a killed one stopped.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, insert, null, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from curate.model import CurateError, Exit, Receipt, ReceiptStatus
from curate.store import clusters, engine
from curate.store.clusters import Matcher
from curate.store.engine import Busy, Database
from curate.store.tables import item, receipt, record, revision, state, suppressed, vote

CHUNK = 500
"""Rows per transaction: ingest and decisions get their turn in between."""

CHECKPOINT_MS = 250
"""A checkpoint waits for readers while it holds the write lock, so it must not wait long."""

LOCK = "purge.lock"
"""The file, beside the database, that keeps two purges apart."""


@dataclass(frozen=True, slots=True)
class _Limits:
    """What is too old: rows by their own expiry, revisions by when they were written."""

    now: datetime
    keep: timedelta

    @property
    def records(self) -> ColumnElement[bool]:
        return record.c.expires_at <= self.now

    @property
    def votes(self) -> ColumnElement[bool]:
        return vote.c.expires_at <= self.now

    @property
    def suppressed(self) -> ColumnElement[bool]:
        return suppressed.c.expires_at <= self.now

    @property
    def revisions(self) -> ColumnElement[bool]:
        # An item whose making was undone is no item: its wording goes like a record's.
        worded = func.json_extract(func.coalesce(revision.c.after, revision.c.before), "$.question")
        return (
            (revision.c.at <= self.now - self.keep)
            & worded.is_not(None)
            & revision.c.subject.not_in(select(item.c.id))
        )


def purge(
    database: Database,
    *,
    by: str,
    now: datetime,
    keep: timedelta,
    matcher: Matcher,
    destroy: Callable[[], int],
    dry_run: bool,
) -> Receipt:
    """Remove what has expired at `now`, prove it, and keep the receipt that is returned.

    `destroy` is called first; it destroys the keys of expired raw text and returns how many.
    Status `clean`: proven gone. `deferred`: a reader, a writer or a full disk is in the way; a
    later purge finishes. `not verified`: done, but the proof failed. A dry run only counts, and
    says `overdue` when there is something to remove.
    """
    limits = _Limits(now, keep)
    if dry_run:
        with database.read() as connection:
            counts = _overdue(connection, limits)
        status: ReceiptStatus = "overdue" if any(counts.values()) else "clean"
        return Receipt("purge", now, by, status, counts, {}, "a dry run: nothing was removed")
    with _alone(database.path.with_name(LOCK)):
        done = Counter(keys=destroy(), records=0, votes=0, candidates=0, revisions=0)
        status, verified, detail = _erase(database, limits, matcher, done)
        return _keep(database, Receipt("purge", now, by, status, dict(done), verified, detail))


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with engine.written(path):
        handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CurateError(
                "another purge is running", "Try again when it has finished.", Exit.DEFERRED
            ) from None
        yield
    finally:
        os.close(handle)


def _overdue(connection: Connection, limits: _Limits) -> dict[str, int]:
    return {
        name: connection.execute(select(func.count()).where(which)).scalar_one()
        for name, which in (
            ("records", limits.records),
            ("votes", limits.votes),
            ("revisions", limits.revisions),
        )
    }


# ---------------------------------------------------------------------------- the recipe


def _erase(
    database: Database, limits: _Limits, matcher: Matcher, done: Counter[str]
) -> tuple[ReceiptStatus, dict[str, Any], str]:
    reader = "a reader is open: close other programs that use the workspace"
    try:
        while _delete_records(database, limits, matcher, done):
            pass
        while _delete_votes(database, limits, matcher, done):
            pass
        _delete_rest(database, limits, done)
        if not _rewrite(database.path):
            return "deferred", {}, reader
    except Busy as error:
        return "deferred", {}, error.message
    try:
        verified = _proof(database, limits)
    except CurateError as error:
        return "not verified", {}, error.message
    left = {name: number for name, number in verified.items() if number}
    if left:
        return "not verified", verified, f"something is left: {', '.join(left)}"
    return "clean", verified, ""


def _mark(connection: Connection) -> None:
    statement = upsert(state).values(name="dirty", value=1)
    connection.execute(
        statement.on_conflict_do_update(index_elements=[state.c.name], set_={"value": 1})
    )


def _delete_records(
    database: Database, limits: _Limits, matcher: Matcher, done: Counter[str]
) -> bool:
    with database.write() as connection:
        found = connection.execute(
            select(record.c.id, record.c.candidate).where(limits.records).limit(CHUNK)
        ).all()
        if not found:
            return False
        _mark(connection)
        ids = [row.id for row in found]
        votes = connection.execute(delete(vote).where(vote.c.record.in_(ids))).rowcount
        connection.execute(delete(record).where(record.c.id.in_(ids)))
        candidates = clusters.refresh(
            connection, {row.candidate for row in found}, matcher=matcher, now=limits.now
        )
    done.update(records=len(ids), votes=votes, candidates=candidates)
    return True


def _delete_votes(
    database: Database, limits: _Limits, matcher: Matcher, done: Counter[str]
) -> bool:
    with database.write() as connection:
        found = connection.execute(
            select(vote.c.id, record.c.candidate)
            .outerjoin(record, record.c.id == vote.c.record)
            .where(limits.votes)
            .limit(CHUNK)
        ).all()
        if not found:
            return False
        _mark(connection)
        connection.execute(delete(vote).where(vote.c.id.in_([row.id for row in found])))
        touched = {row.candidate for row in found if row.candidate is not None}
        clusters.refresh(connection, touched, matcher=matcher, now=limits.now)
    done.update(votes=len(found))
    return True


def _delete_rest(database: Database, limits: _Limits, done: Counter[str]) -> None:
    with database.write() as connection:
        _mark(connection)
        connection.execute(delete(suppressed).where(limits.suppressed))
        scrubbed = update(revision).where(limits.revisions).values(before=null(), after=null())
        done.update(revisions=connection.execute(scrubbed).rowcount)


def _rewrite(path: Path) -> bool:
    """Write the whole file anew. Returns False when a reader keeps the old pages alive."""
    with engine.explained(path), closing(engine.connect(path, busy_ms=CHECKPOINT_MS)) as raw:
        if not _checkpoint(raw):
            return False
        raw.execute("VACUUM")
        return _checkpoint(raw)


def _checkpoint(raw: sqlite3.Connection) -> bool:
    # A reader in the way is told by the row that comes back, not by an exception.
    busy = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return bool(busy == 0)


def _proof(database: Database, limits: _Limits) -> dict[str, Any]:
    """Count what is left, all of which must be 0; raises when it cannot be counted."""
    path = database.path
    with engine.explained(path), closing(engine.connect(path, busy_ms=CHECKPOINT_MS)) as raw:
        _checkpoint(raw)
        freelist = raw.execute("PRAGMA freelist_count").fetchone()[0]
        sizes = {kind: _size(path.with_name(f"{path.name}-{kind}")) for kind in ("wal", "journal")}
    with database.read() as connection:
        left = sum(_overdue(connection, limits).values())
    return {"left": left, "freelist": freelist, **sizes}


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _keep(database: Database, made: Receipt) -> Receipt:
    try:
        with database.write() as connection:
            connection.execute(
                insert(receipt).values(
                    kind=made.kind,
                    at=made.at,
                    by=made.by,
                    status=made.status,
                    counts=made.counts,
                    verified=made.verified,
                    detail=made.detail,
                )
            )
            if made.status == "clean":
                connection.execute(delete(state).where(state.c.name == "dirty"))
        path = database.path
        with engine.explained(path), closing(engine.connect(path, busy_ms=CHECKPOINT_MS)) as raw:
            _checkpoint(raw)
    except Busy as error:
        status: ReceiptStatus = "deferred" if made.status == "clean" else made.status
        return replace(made, status=status, detail=f"the receipt is not kept: {error.message}")
    return made

"""Deleting for real: what has expired goes, bytes and all, and a receipt proves it.

Deleting rows leaves their text in the write-ahead log and, even with secure_delete, in the
unused part of pages. So a purge is a state, not an event: from its first deletion until a
checkpoint, a VACUUM, another checkpoint and a count have shown that nothing is left, the
database is marked dirty, and the next purge goes on where a killed one stopped.
"""

from __future__ import annotations

import fcntl
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, insert, null, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from curate.model.custody import Receipt, ReceiptStatus
from curate.model.errors import CurateError, Exit
from curate.store import files, ranking
from curate.store.clusters import Matcher
from curate.store.engine import Database
from curate.store.files import Busy
from curate.store.tables import item, receipt, record, revision, state, suppressed, vote

CHUNK = 500
"""Rows per transaction: ingest and decisions get their turn in between."""

LOCK = "purge.lock"
"""The file, beside the database, that keeps two purges apart."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the removal from one place went; see `Receipt` for the meaning of the fields."""

    status: ReceiptStatus
    counts: dict[str, int]
    verified: dict[str, Any]
    detail: str = ""

    def beside(self, other: Outcome) -> Outcome:
        """Return the outcome of both: as good as the worse of them."""
        worse = max(self, other, key=lambda one: _WORSE.index(one.status))
        counts = Counter(self.counts)
        counts.update(other.counts)
        detail = "; ".join(filter(None, (self.detail, other.detail)))
        return Outcome(worse.status, dict(counts), {**self.verified, **other.verified}, detail)


_WORSE: tuple[ReceiptStatus, ...] = ("clean", "overdue", "deferred", "not verified")


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
    elsewhere: Callable[[], Outcome],
    dry_run: bool,
) -> Receipt:
    """Remove what has expired at `now`, prove it, and keep the receipt that is returned.

    `destroy` is called first; it destroys the keys of expired raw text and returns how many.
    `elsewhere` is called next; it removes what has expired in other files.
    Status `clean`: proven gone. `deferred`: a reader, a writer or a full disk is in the way; a
    later purge finishes. `not verified`: done, but the proof failed. A dry run only counts, and
    says `overdue` when there is something to remove.
    """
    limits = _Limits(now, keep)
    if dry_run:
        with database.read() as connection:
            found = Counter(_overdue(connection, limits))
        found.update(elsewhere().counts)
        status: ReceiptStatus = "overdue" if any(found.values()) else "clean"
        return Receipt("purge", now, by, status, dict(found), {}, "a dry run: nothing was removed")
    with alone(database.path):
        done = Counter(keys=destroy(), records=0, votes=0, candidates=0, revisions=0)
        other = elsewhere()
        whole = _erase(database, limits, matcher, done).beside(other)
        return file(database, "purge", now, by, whole)


@contextmanager
def alone(database: Path) -> Iterator[None]:
    """Keep two purges or erasures apart. Raises `CurateError` with `DEFERRED` for the second."""
    path = database.with_name(LOCK)
    with files.written(path):
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


def _erase(database: Database, limits: _Limits, matcher: Matcher, done: Counter[str]) -> Outcome:
    def work() -> None:
        while _delete_records(database, limits, matcher, done):
            pass
        while _delete_votes(database, limits, matcher, done):
            pass
        _delete_rest(database, limits, done)

    def left() -> int:
        with database.read() as connection:
            return sum(_overdue(connection, limits).values())

    return removed(database, work, left, done)


def removed(
    database: Database, work: Callable[[], None], left: Callable[[], int], done: Counter[str]
) -> Outcome:
    """Do the `work` of deleting, then write the file anew and prove that nothing is left.

    `left` counts survivors; `done` is what the work counts. Everything else is as in `purge`.
    """
    try:
        work()
        files.rewrite(database.path)
    except Busy as error:
        return Outcome("deferred", dict(done), {}, error.message)
    try:
        facts = files.remains(database.path)
        verified = {"left": left(), **facts}
    except CurateError as error:
        return Outcome("not verified", dict(done), {}, error.message)
    if any(verified.values()):
        what = ", ".join(name for name, number in verified.items() if number)
        return Outcome("not verified", dict(done), verified, f"something is left: {what}")
    return Outcome("clean", dict(done), verified)


def mark(connection: Connection) -> None:
    """Say, in the transaction that deletes, that bytes are to be proven gone."""
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
        mark(connection)
        ids = [row.id for row in found]
        votes = connection.execute(delete(vote).where(vote.c.record.in_(ids))).rowcount
        connection.execute(delete(record).where(record.c.id.in_(ids)))
        candidates = ranking.refresh(
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
        mark(connection)
        connection.execute(delete(vote).where(vote.c.id.in_([row.id for row in found])))
        touched = {row.candidate for row in found if row.candidate is not None}
        ranking.refresh(connection, touched, matcher=matcher, now=limits.now)
    done.update(votes=len(found))
    return True


def _delete_rest(database: Database, limits: _Limits, done: Counter[str]) -> None:
    with database.write() as connection:
        mark(connection)
        connection.execute(delete(suppressed).where(limits.suppressed))
        scrubbed = update(revision).where(limits.revisions).values(before=null(), after=null())
        done.update(revisions=connection.execute(scrubbed).rowcount)


def file(database: Database, kind: str, at: datetime, by: str, found: Outcome) -> Receipt:
    """Keep the receipt of an outcome on file, and return it."""
    made = Receipt(kind, at, by, found.status, found.counts, found.verified, found.detail)
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
        files.checkpoint(database.path)
    except Busy as error:
        status: ReceiptStatus = "deferred" if made.status == "clean" else made.status
        return replace(made, status=status, detail=f"the receipt is not kept: {error.message}")
    return made

"""What evaluations leave behind: looks at the holdout, people's reviews, items that failed."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select, update

from curate.model.errors import CurateError, Exit
from curate.model.evaluation import Failure, Look, Mark, Review
from curate.store import absent
from curate.store.tables import failure, look, record, review


def add_look(
    connection: Connection,
    *,
    at: datetime,
    by: str,
    why: str,
    run: str,
    version: int | None,
    scores: dict[str, dict[str, float]],
) -> Look:
    """Record a look at holdout scores and return it."""
    identifier = connection.execute(
        insert(look)
        .values(at=at, by=by, why=why, run=run, version=version, scores=scores)
        .returning(look.c.id)
    ).scalar_one()
    return Look(identifier, at, by, why, run, version, scores)


def looks(connection: Connection, limit: int) -> list[Look]:
    """Return the last looks, newest first."""
    query = select(look).order_by(look.c.id.desc()).limit(limit)
    return [Look(**row._mapping) for row in connection.execute(query)]


def reviewable(connection: Connection, now: datetime, since: datetime) -> array[int]:
    """Return the ids of live records received since, that have an answer to look at."""
    query = (
        select(record.c.id)
        .where(record.c.expires_at > now, record.c.received_at >= since)
        .where(func.length(record.c.answer) > 0)
        .order_by(record.c.id)
    )
    return array("q", connection.scalars(query))


def add_review(connection: Connection, new: Review) -> None:
    """Store a mark; another one on the same record in the same batch replaces it."""
    if connection.execute(select(record.c.id).where(record.c.id == new.record)).first() is None:
        raise absent.logged(connection, "record", new.record or 0)
    connection.execute(
        delete(review).where(review.c.batch == new.batch, review.c.record == new.record)
    )
    connection.execute(
        insert(review).values(
            batch=new.batch,
            record=new.record,
            mark=new.mark,
            at=new.at,
            by=new.by,
            comment=new.comment,
        )
    )


def reviews(connection: Connection, batch: str) -> list[Review]:
    """Return the marks of one batch, or of all with an empty name, the oldest first."""
    query = select(review).order_by(review.c.at, review.c.id)
    if batch:
        query = query.where(review.c.batch == batch)
    return [
        Review(row.batch, row.record, _mark(row.mark), row.at, row.by, row.comment)
        for row in connection.execute(query)
    ]


def _mark(stored: str) -> Mark:
    match stored:
        case "good" | "wrong":
            return stored
    return "unsupported"


def add_failures(connection: Connection, run: str, found: Sequence[Failure]) -> None:
    """Store what failed in a run; what people confirmed about it before is kept."""
    known = {
        row.item: (row.confirmed, row.by)
        for row in connection.execute(select(failure).where(failure.c.run == run))
    }
    connection.execute(delete(failure).where(failure.c.run == run))
    rows = []
    for one in found:
        confirmed, by = known.get(one.item, (one.confirmed, one.by))
        rows.append(
            {
                "run": run,
                "item": one.item,
                "label": one.label,
                "why": one.why,
                "at": one.at,
                "confirmed": confirmed,
                "by": by,
            }
        )
    if rows:
        connection.execute(insert(failure), rows)


def failures(connection: Connection, run: str) -> list[Failure]:
    """Return what failed in a run, by item; with an empty name, in the run stored last."""
    if not run:
        last = select(failure.c.run).order_by(failure.c.at.desc()).limit(1)
        run = connection.execute(last).scalar() or ""
    query = select(failure).where(failure.c.run == run).order_by(failure.c.item)
    return [Failure(**row._mapping) for row in connection.execute(query)]


def confirm_failure(connection: Connection, run: str, item: str, label: str, by: str) -> None:
    """Store what a person calls a failure. Raises `CurateError` when there is none such."""
    done = connection.execute(
        update(failure)
        .where(failure.c.run == run, failure.c.item == item)
        .values(confirmed=label, by=by)
    )
    if not done.rowcount:
        raise CurateError(
            f"the run that is kept has no failure of {item}",
            "`curate eval score RUN --keep` keeps those of another run.",
            Exit.USAGE,
        )

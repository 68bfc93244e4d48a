"""What people really asked while it is kept, in figures."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, func, select

from curate.model.records import Asked, AskedQuestion, Traffic, Turn
from curate.store.ranking import counting_votes
from curate.store.tables import record, vote


def traffic(connection: Connection, *, now: datetime, sample: int) -> Traffic:
    """Return the figures of what has not expired, with up to `sample` questions."""
    live = record.c.expires_at > now
    counting = counting_votes(now).where(vote.c.by == "user").subquery()
    down = (
        select(counting.c.record)
        .where(counting.c.place == 1, counting.c.rating == -1)
        .distinct()
        .subquery()
    )
    complained = func.count(down.c.record)
    refused = func.coalesce(func.sum(record.c.refused), 0)
    base = select(func.count(), refused, complained).join_from(
        record, down, down.c.record == record.c.id, isouter=True
    )
    total = connection.execute(base.where(live)).one()
    source = func.json_extract(record.c.chunks, "$[0].source")
    heading = func.coalesce(func.json_extract(record.c.chunks, "$[0].heading"), "")
    passages = connection.execute(
        base.add_columns(source, heading)
        .where(live, source.is_not(None))
        .group_by(source, heading)
        .order_by(func.count().desc(), source, heading)
    )
    langs = connection.execute(
        select(record.c.lang, func.count())
        .where(live)
        .group_by(record.c.lang)
        .order_by(func.count().desc(), record.c.lang)
    )
    step = max(1, total[0] // sample)
    taken = connection.execute(
        select(record.c.question, record.c.history)
        .where(live, record.c.id % step == 0)
        .order_by(record.c.id)
        .limit(sample)
    )
    return Traffic(
        questions=total[0],
        refused=total[1] or 0,
        down=total[2],
        langs={row[0]: row[1] for row in langs},
        passages=tuple(Asked(row[3], row[4], row[0], row[2], row[1] or 0) for row in passages),
        sample=tuple(
            AskedQuestion(row[0], tuple(Turn(**turn) for turn in row[1])) for row in taken
        ),
    )

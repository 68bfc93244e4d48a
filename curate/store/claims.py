"""Who looks at a candidate just now, so that two people do not do the same work. A hint with an
end, not a lock: whoever decides first has decided.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.sqlite import insert as upsert

from curate.model.records import Claim
from curate.store import absent
from curate.store.tables import candidate, claim


def take(
    connection: Connection, identifier: int, *, by: str, now: datetime, until: datetime
) -> Claim:
    """Claim a candidate for `by`, or return the claim that somebody else has on it by `now`."""
    row = connection.execute(
        select(claim.c.by, claim.c.until).where(
            claim.c.candidate == identifier, claim.c.until > now, claim.c.by != by
        )
    ).one_or_none()
    if row is not None:
        return Claim(row.by, row.until)
    if connection.scalar(select(candidate.c.id).where(candidate.c.id == identifier)) is None:
        raise absent.logged(connection, "candidate", identifier)
    values = {"by": by, "until": until}
    statement = upsert(claim).values(candidate=identifier, **values)
    connection.execute(
        statement.on_conflict_do_update(index_elements=[claim.c.candidate], set_=values)
    )
    return Claim(by, until)


def release(connection: Connection, identifier: int | None, *, by: str, now: datetime) -> None:
    """Give up a claim of `by`, or with None all of them; what has ended goes too."""
    mine = claim.c.by == by
    if identifier is not None:
        mine &= claim.c.candidate == identifier
    connection.execute(delete(claim).where(mine | (claim.c.until <= now)))

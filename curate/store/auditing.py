"""Who looked at or changed what is guarded, and findings that a person accepted. Never text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert

from curate.model.custody import Audit
from curate.model.errors import CurateError, Exit
from curate.model.plain import Json
from curate.store import absent
from curate.store.deciding import find
from curate.store.mapping import item_to_json
from curate.store.tables import accepted, audit, revision

_SCANNED = (
    "question",
    "history",
    "reference",
    "evidences",
    "keyword",
    "must_include",
    "must_not_include",
    "tags",
)
"""What the leak scan reads of an item."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A finding of the leak scan that a person looked at and let stand, of one wording.

    `stands` is False once the item's words have changed since: it needs another look.
    """

    item: str
    entity: str
    revision: int
    at: datetime
    by: str
    reason: str
    stands: bool


def write(connection: Connection, entry: Audit) -> None:
    """Keep an entry."""
    connection.execute(
        insert(audit).values(
            at=entry.at,
            by=entry.by,
            action=entry.action,
            subject=entry.subject,
            detail=entry.detail,
        )
    )


def entries(connection: Connection, limit: int) -> list[Audit]:
    """Return the newest entries first."""
    query = select(audit.c.at, audit.c.by, audit.c.action, audit.c.subject, audit.c.detail)
    rows = connection.execute(query.order_by(audit.c.id.desc()).limit(limit))
    return [Audit(*row) for row in rows]


def accept(
    connection: Connection, identifier: str, entity: str, *, by: str, now: datetime, reason: str
) -> None:
    """Let a finding of an item stand as the item is worded now; on record."""
    current = find(connection, identifier)
    if current is None:
        raise absent.case(connection, identifier)
    if not reason.strip():
        raise CurateError("a finding is let stand for a reason", "Give --reason.", Exit.USAGE)
    row: dict[str, Any] = {"revision": current.revision, "at": now, "by": by, "reason": reason}
    statement = upsert(accepted).values(item=identifier, entity=entity, **row)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=[accepted.c.item, accepted.c.entity], set_=row
        )
    )
    write(connection, Audit(now, by, "accept finding", identifier, entity))


def findings(connection: Connection) -> list[Accepted]:
    """Return what was accepted, by item."""
    made: list[Accepted] = []
    for row in connection.execute(select(accepted).order_by(accepted.c.item, accepted.c.entity)):
        current = find(connection, row.item)
        then = connection.scalar(
            select(revision.c.after).where(
                revision.c.subject == row.item, revision.c.number == row.revision
            )
        )
        stands = current is not None and then is not None
        if current is not None and then is not None:
            stands = _scanned(item_to_json(current)) == _scanned(then)
        made.append(Accepted(**row._mapping, stands=stands))
    return made


def _scanned(content: Json) -> Json:
    words = {name: content.get(name) for name in _SCANNED}
    words["evidences"] = [
        {name: one[name] for name in ("source", "heading", "phrase")}
        for one in content.get("evidences") or ()
    ]
    return words

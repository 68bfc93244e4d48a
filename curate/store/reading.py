"""What is there to see. Nothing that has expired, whether or not a purge has been."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Text, func, select, true, type_coerce

from curate.model.custody import Receipt
from curate.model.items import Revision
from curate.model.records import Candidate, Claim, Feedback, Record
from curate.store.clusters import pieces
from curate.store.mapping import receipt_from, record_from, revision_from
from curate.store.ranking import counting_votes
from curate.store.tables import (
    candidate,
    claim,
    item,
    receipt,
    record,
    revision,
    vote,
)
from curate.text import fold_search


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which candidates to list: all of these must hold, and what is empty lets all pass.

    `text` is looked for in their questions and `reason` in their reasons, without regard to case.
    `source` is a log's, `lang` a language tag; `tag` is one of the item made from it. Asked from
    `since` up to, not at, `until`. `free_for` leaves out what somebody else looks at.
    """

    status: str = "open"
    text: str = field(default="", repr=False)
    reason: str = ""
    source: str = ""
    lang: str = ""
    tag: str = ""
    since: datetime | None = None
    until: datetime | None = None
    free_for: str = ""
    limit: int = 0
    """How many at most, 0 for all."""


def candidate_ids(connection: Connection, wanted: Wanted, *, now: datetime) -> array[int]:
    """Return the ids of candidates, the highest priority first."""
    status, text, reason = wanted.status, wanted.text, wanted.reason
    query = select(candidate.c.id).where(candidate.c.expires_at > now)
    if status:
        query = query.where(candidate.c.status == status)
    # As sets: looked up row by row in order of priority, the same takes ten times as long.
    if reason:
        for_this = select(candidate.c.id).where(_has(candidate.c.reasons, reason))
        query = query.where(candidate.c.id.in_(for_this))
    if text:
        asked = select(record.c.candidate).where(record.c.expires_at > now)
        query = query.where(candidate.c.id.in_(asked.where(_has(record.c.question, text))))
    at = func.coalesce(record.c.asked_at, record.c.received_at, type_=record.c.received_at.type)
    told = [
        *([record.c.source == wanted.source] if wanted.source else []),
        *([record.c.lang == wanted.lang] if wanted.lang else []),
        *([at >= wanted.since] if wanted.since else []),
        *([at < wanted.until] if wanted.until else []),
    ]
    if told:
        held = select(record.c.candidate).where(record.c.expires_at > now, *told)
        query = query.where(candidate.c.id.in_(held))
    if wanted.tag:
        tags = func.json_each(item.c.content, "$.tags").table_valued("value")
        tagged = select(item.c.id).join(tags, true()).where(tags.c.value == wanted.tag)
        query = query.where(candidate.c.item.in_(tagged))
    if wanted.free_for:
        theirs = select(claim.c.candidate).where(claim.c.until > now, claim.c.by != wanted.free_for)
        query = query.where(candidate.c.id.not_in(theirs))
    query = query.order_by(candidate.c.priority.desc(), candidate.c.id)
    if wanted.limit:
        query = query.limit(wanted.limit)
    return array("q", connection.scalars(query))


def _has(column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    if text.isascii():  # SQLite's LIKE ignores the case of ASCII letters, and is much faster
        return type_coerce(column, Text).contains(text, autoescape=True)
    return func.instr(func.fold_search(column), fold_search(text)) > 0


def candidates(connection: Connection, ids: Collection[int], *, now: datetime) -> list[Candidate]:
    """Return these candidates in the order asked for; those that are gone are left out."""
    found: dict[int, Candidate] = {}
    shown = (
        select(
            record.c.candidate,
            func.min(record.c.id).label("record"),
            func.count().label("size"),
            func.min(record.c.asked_at).label("first_asked"),
            func.max(record.c.asked_at).label("last_asked"),
        )
        .where(record.c.expires_at > now)
        .group_by(record.c.candidate)
    )
    for some in pieces(ids):
        page = shown.where(record.c.candidate.in_(some)).subquery()
        for row in connection.execute(
            select(
                candidate.c.id,
                candidate.c.priority,
                candidate.c.reasons,
                candidate.c.status,
                candidate.c.item,
                candidate.c.note,
                claim.c.by,
                claim.c.until,
                record.c.question,
                record.c.lang,
                page.c.record,
                page.c.size,
                page.c.first_asked,
                page.c.last_asked,
            )
            .join(page, page.c.candidate == candidate.c.id)
            .join(record, record.c.id == page.c.record)
            .outerjoin(claim, (claim.c.candidate == candidate.c.id) & (claim.c.until > now))
        ):
            values = dict(row._mapping)
            by, until = values.pop("by"), values.pop("until")
            values["claim"] = Claim(by, until) if by else None
            values["reasons"] = tuple(values["reasons"])
            found[row.id] = Candidate(**values)
    return [found[identifier] for identifier in ids if identifier in found]


def records(connection: Connection, which: Select[Any], *, now: datetime) -> list[Record]:
    """Return the records among those of the query `which`, each with the votes that count."""
    rows = connection.execute(which.where(record.c.expires_at > now).order_by(record.c.id)).all()
    votes = _feedback(connection, [row.id for row in rows], now)
    return [record_from(row, votes[row.id]) for row in rows]


def _feedback(
    connection: Connection, ids: Sequence[int], now: datetime
) -> dict[int, list[Feedback]]:
    found: dict[int, list[Feedback]] = defaultdict(list)
    for some in pieces(ids):
        last = counting_votes(now).where(vote.c.record.in_(some)).subquery()
        for row in connection.execute(
            select(last)
            .where(last.c.place == 1, last.c.rating.is_not(None))
            .order_by(func.coalesce(last.c.at, last.c.received_at), last.c.id)
        ):
            found[row.record].append(Feedback(row.rating, row.by, row.at, row.reason, row.comment))
    return found


def revisions(connection: Connection, subject: str | None, limit: int) -> list[Revision]:
    """Return the newest changes first, of one subject or of all."""
    query = select(revision).order_by(revision.c.id.desc()).limit(limit)
    if subject is not None:
        query = query.where(revision.c.subject == subject)
    return [revision_from(row) for row in connection.execute(query)]


def receipts(connection: Connection, kind: str, limit: int) -> list[Receipt]:
    """Return the newest receipts first, of one kind or, with "", of all."""
    query = select(receipt).order_by(receipt.c.id.desc()).limit(limit)
    if kind:
        query = query.where(receipt.c.kind == kind)
    return [receipt_from(row) for row in connection.execute(query)]

"""Every decision, signed and timed, and the way back.

Rows of one decision share an act. Undoing writes a new act that names the one it took back;
an act that was taken back is no longer seen, so undoing again goes further back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NoReturn, get_args

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from curate.model.errors import CurateError, Exit
from curate.model.items import Conflict, Item, Split
from curate.model.plain import Json
from curate.model.records import CandidateStatus
from curate.store import absent, claims, grouping
from curate.store.mapping import item_from_json, item_to_json
from curate.store.tables import candidate, item, revision, version_item

_CANDIDATE = re.compile(r"c[0-9]+")


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo took back: the act it undid, by whom that was, and what changed with it.

    `subjects` are item ids, or `c12` for candidate 12; `gone` are those that no longer exist.
    """

    act: int
    undid: int
    action: str
    by: str
    at: datetime
    subjects: tuple[str, ...]
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Act:
    """The signature that all rows of one decision share."""

    connection: Connection
    number: int
    by: str
    at: datetime
    action: str
    reason: str = ""
    undoes: int | None = None

    def write(self, subject: str, number: int, before: Json | None, after: Json | None) -> None:
        """Put on record what revision `number` made of a subject."""
        self.connection.execute(
            insert(revision).values(
                act=self.number,
                subject=subject,
                number=number,
                at=self.at,
                by=self.by,
                action=self.action,
                reason=self.reason,
                before=before,
                after=after,
                undoes=self.undoes,
            )
        )


def begin(
    connection: Connection,
    by: str,
    at: datetime,
    action: str,
    reason: str = "",
    undoes: int | None = None,
) -> Act:
    """Return a new act, signed and timed; `undoes` is the number of the one it takes back."""
    last = connection.execute(select(func.max(revision.c.act))).scalar_one()
    return Act(connection, (last or 0) + 1, by, at, action, reason, undoes)


# ---------------------------------------------------------------------------- items


def find(connection: Connection, identifier: str) -> Item | None:
    """Return the item as it stands, or None."""
    content = connection.scalar(select(item.c.content).where(item.c.id == identifier))
    return None if content is None else item_from_json(content)


def new_item_id(connection: Connection, stem: str) -> str:
    """Return `stem-N` with the first number above all that were ever used with `stem`."""
    base = stem or "item"
    pattern = re.compile(f"{re.escape(base)}-([0-9]+)")
    taken = [0]
    for column in (item.c.id, revision.c.subject, version_item.c.item):
        low, high = f"{base}-", f"{base}-:"  # the colon follows the digits
        for identifier in connection.scalars(select(column).where(column >= low, column < high)):
            if match := pattern.fullmatch(identifier):
                taken.append(int(match[1]))
    return f"{base}-{max(taken) + 1}"


def save_items(
    connection: Connection,
    changes: Sequence[tuple[Item, int]],
    *,
    by: str,
    now: datetime,
    candidate_id: int | None,
    action: str,
    reason: str,
) -> list[Item]:
    """Save items, each with the revision it was read at (0 for a new one), as one act.

    An item that is saved as it was is left alone. With `candidate_id`, that candidate is tied
    to the item, and done when the item is ready.
    """
    act = begin(connection, by, now, action, reason)
    saved = [_save(act, wanted, expected) for wanted, expected in changes]
    if candidate_id is not None:
        for one in saved:
            _tie(act, candidate_id, one)
    return saved


def _save(act: Act, wanted: Item, expected: int) -> Item:
    if _CANDIDATE.fullmatch(wanted.id):
        raise CurateError(
            f"{wanted.id} is how candidates are called", "Name the item otherwise.", Exit.USAGE
        )
    if wanted.split not in get_args(Split):
        raise CurateError(
            f"{wanted.id}: there is no split of that name",
            f"It is one of {', '.join(get_args(Split))}.",
            Exit.USAGE,
        )
    current = find(act.connection, wanted.id)
    if current is None and expected:
        raise CurateError(
            f"{wanted.id} is no longer there: its making was undone",
            "Save it as a new item.",
            Exit.FOUND,
        )
    if current is not None and current.revision != expected:
        _clash(current)
    if current is not None and current.status == "withdrawn":
        raise _withdrawn(wanted.id)
    signed = replace(wanted, revision=expected, changed_at=act.at, changed_by=act.by)
    if current is not None and signed == replace(current, changed_at=act.at, changed_by=act.by):
        return current
    after = replace(signed, revision=next_number(act.connection, wanted.id))
    _put(act.connection, after)
    act.write(after.id, after.revision, _json(current), item_to_json(after))
    return after


def _json(one: Item | None) -> Json | None:
    return None if one is None else item_to_json(one)


def _clash(theirs: Item) -> NoReturn:
    raise Conflict(
        f"{theirs.id} was changed by {theirs.changed_by or 'somebody else'} in the meantime",
        "Look at both versions and save again.",
        theirs,
    )


def _withdrawn(identifier: str) -> CurateError:
    return CurateError(
        f"{identifier} was withdrawn: its text was erased for good",
        "Make a new item.",
        Exit.PRIVACY,
    )


def next_number(connection: Connection, subject: str) -> int:
    """Return the number of a subject's next revision."""
    newest = select(func.max(revision.c.number)).where(revision.c.subject == subject)
    return (connection.execute(newest).scalar_one() or 0) + 1


def _put(connection: Connection, one: Item) -> None:
    row = {
        "revision": one.revision,
        "status": one.status,
        "split": one.split,
        "content": item_to_json(one),
    }
    statement = upsert(item).values(id=one.id, **row)
    connection.execute(statement.on_conflict_do_update(index_elements=[item.c.id], set_=row))


# ---------------------------------------------------------------------------- candidates


def _state(connection: Connection, identifier: int) -> Json | None:
    row = connection.execute(
        select(candidate.c.status, candidate.c.item, candidate.c.note).where(
            candidate.c.id == identifier
        )
    ).one_or_none()
    return None if row is None else dict(row._mapping)


def _change(act: Act, identifier: int, before: Json, after: Json) -> None:
    act.connection.execute(update(candidate).where(candidate.c.id == identifier).values(**after))
    if after["status"] != "open":
        claims.release(act.connection, identifier, by=act.by, now=act.at)
    subject = f"c{identifier}"
    act.write(subject, next_number(act.connection, subject), before, after)


def _tie(act: Act, identifier: int, one: Item) -> None:
    before = _state(act.connection, identifier)
    if before is None:
        return  # purged while it was open on the screen: the item stays, cut loose
    taken = before["item"] or one.id
    if taken != one.id and (theirs := find(act.connection, taken)):
        raise Conflict(
            f"candidate {identifier} already has the item {taken}",
            "Change that item; or put the candidate back into the inbox, for one more.",
            theirs,
        )
    status = "done" if one.status == "ready" else before["status"]
    after = before | {"status": status, "item": one.id}
    if after != before:
        _change(act, identifier, before, after)


def decide(
    connection: Connection,
    identifier: int,
    status: CandidateStatus,
    *,
    by: str,
    now: datetime,
    reason: str,
    item_id: str | None,
    expected: CandidateStatus | None,
) -> None:
    """Give a candidate a status, with the reason and the item it duplicates or became."""
    before = _state(connection, identifier)
    if before is None:
        raise absent.logged(connection, "candidate", identifier)
    if expected is not None and before["status"] != expected:
        last = connection.scalar(
            select(revision.c.by)
            .where(revision.c.subject == f"c{identifier}")
            .order_by(revision.c.id.desc())
            .limit(1)
        )
        raise CurateError(
            f"candidate {identifier} is {before['status']} already (by {last})",
            "Look at it again before you decide.",
            Exit.FOUND,
        )
    if status == "duplicate" and item_id is None:
        raise CurateError("a duplicate needs the item it duplicates", "Name it.", Exit.USAGE)
    if item_id is not None:
        named = find(connection, item_id)
        if named is None:
            raise absent.case(connection, item_id)
        if status == "duplicate" and named.status in ("withdrawn", "retired"):
            raise CurateError(
                f"{item_id} is {named.status}: nothing can be a duplicate of it",
                "Name an item that is a draft or ready.",
                Exit.USAGE,
            )
    # Back in the inbox, a finished candidate is free for another item; a draft stays its draft.
    freed = status == "open" and before["status"] in ("done", "duplicate")
    kept = item_id or (None if freed else before["item"])
    after = {"status": status, "item": kept, "note": reason}
    if after != before:
        _change(begin(connection, by, now, status, reason), identifier, before, after)


def merge(
    connection: Connection, into: int, others: Sequence[int], *, by: str, now: datetime, reason: str
) -> None:
    """Put clusters together; see `grouping.merge`."""
    act = begin(connection, by, now, "merge", reason)
    for subject, (before, after) in grouping.merge(connection, into, others).items():
        act.write(subject, next_number(connection, subject), before, after)


def split(
    connection: Connection,
    identifier: int,
    records: Collection[int],
    *,
    by: str,
    now: datetime,
    reason: str,
) -> int:
    """Take a cluster apart and return the id of the new one; see `grouping.split`."""
    act = begin(connection, by, now, "split", reason)
    made, changes = grouping.split(connection, identifier, records)
    for subject, (before, after) in changes.items():
        act.write(subject, next_number(connection, subject), before, after)
    return made


# ---------------------------------------------------------------------------- undo


def undo(connection: Connection, *, by: str, now: datetime, subject: str | None) -> Undone:
    """Take back the last act that still stands: of `by`, or, with `subject`, on that subject by
    whomever.
    """
    # What was withdrawn stays so, and does not bar the way to what came before.
    withdrawn = select(item.c.id).where(item.c.status == "withdrawn")
    closed = select(revision.c.act).where(revision.c.subject.in_(withdrawn))
    mine = (
        (revision.c.by == by) & revision.c.act.not_in(closed) & (revision.c.action != "withdraw")
        if subject is None
        else revision.c.subject == subject
    )
    last = connection.execute(
        select(revision.c.act, revision.c.action, revision.c.by)
        .where(mine, *_standing())
        .order_by(revision.c.act.desc())
        .limit(1)
    ).one_or_none()
    if last is None:
        whose = f"of {by}" if subject is None else f"on {subject}"
        raise CurateError(f"no change {whose} is left to undo", "", Exit.FOUND)
    rows = connection.execute(
        select(revision).where(revision.c.act == last.act).order_by(revision.c.id.desc())
    ).all()
    act = begin(connection, by, now, "undo", undoes=last.act)
    gone = [row.subject for row in rows if not _take_back(act, row)]
    grouping.drop_empty(connection, [int(row.subject[1:]) for row in rows if _regrouped(row)])
    subjects = tuple(dict.fromkeys(row.subject for row in rows))
    return Undone(act.number, last.act, last.action, last.by, now, subjects, tuple(gone))


def _standing() -> tuple[ColumnElement[bool], ...]:
    later = revision.alias()
    taken_back = select(later.c.id).where(later.c.undoes == revision.c.act).exists()
    return revision.c.undoes.is_(None), ~taken_back


def _take_back(act: Act, row: Any) -> bool:
    """Restore what a revision found. Returns False when its subject was purged meanwhile."""
    _stand_alone(act, row)
    if _CANDIDATE.fullmatch(row.subject):
        return _take_back_candidate(act, row)
    current = find(act.connection, row.subject)
    if current is not None and current.status == "withdrawn":
        raise _withdrawn(row.subject)
    number = next_number(act.connection, row.subject)
    restored = None
    if row.before is None:
        act.connection.execute(delete(item).where(item.c.id == row.subject))
    else:
        found = item_from_json(row.before)
        restored = replace(found, revision=number, changed_at=act.at, changed_by=act.by)
        _put(act.connection, restored)
    act.write(row.subject, number, _json(current), _json(restored))
    return True


def _regrouped(row: Any) -> bool:
    return any(side is not None and "records" in side for side in (row.before, row.after))


def _take_back_candidate(act: Act, row: Any) -> bool:
    identifier = int(row.subject[1:])
    if _regrouped(row):
        found = grouping.state(act.connection, identifier)
        if row.before is not None:
            grouping.put(act.connection, identifier, row.before)
        restored = row.before and grouping.state(act.connection, identifier)
        act.write(row.subject, next_number(act.connection, row.subject), found, restored)
        return row.before is None or restored is not None
    current = _state(act.connection, identifier)
    if current is None:
        # Kept on record all the same: else this act would stand for ever.
        act.write(row.subject, next_number(act.connection, row.subject), None, None)
        return False
    _change(act, identifier, current, row.before)
    return True


def _stand_alone(act: Act, row: Any) -> None:
    later = act.connection.execute(
        select(revision.c.by)
        .where(revision.c.subject == row.subject, revision.c.act > row.act, *_standing())
        .order_by(revision.c.id.desc())
        .limit(1)
    ).one_or_none()
    if later is None:
        return
    message = f"{row.subject} was changed by {later.by} since"
    hint = f"Undo that first: `curate items undo {row.subject}`."
    current = find(act.connection, row.subject)
    if current is not None:
        raise Conflict(message, hint, current)
    raise CurateError(message, hint, Exit.FOUND)

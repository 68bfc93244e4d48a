"""What is known of something that is not there: whether it ever was, and where it went."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import Connection, func, select, text

from curate.model.errors import CurateError, Exit, did_you_mean
from curate.store.tables import candidate, item, record, revision, version

_LAST = text("SELECT seq FROM sqlite_sequence WHERE name = :name")


def logged(
    connection: Connection, what: Literal["candidate", "record"], number: int
) -> CurateError:
    """Return the error for a candidate or a record of the log that is not shown."""
    last = connection.scalar(_LAST, {"name": what}) or 0
    if not 0 < number <= last:
        hint = f"The last is {last}." if last else "Nothing was ingested yet: `curate ingest`."
        return CurateError(f"there is no {what} {number}, and never was", hint, Exit.USAGE)
    id_ = (candidate if what == "candidate" else record).c.id
    if connection.scalar(select(id_).where(id_ == number)) is not None:
        return CurateError(
            f"{what} {number} has expired", "It is shown no more, and goes with the next purge.",
            Exit.USAGE,
        )  # fmt: skip
    if what == "candidate" and (into := _merged(connection, number)):
        return CurateError(
            f"candidate {number} was merged into {into}",
            f"`curate items show {into}` shows it.",
            Exit.USAGE,
        )
    return CurateError(
        f"{what} {number} is gone",
        "It was removed when it expired, or when its person was forgotten.",
        Exit.USAGE,
    )


def _merged(connection: Connection, number: int) -> str:
    """Return the candidate that a merge put this one into, empty where none did for good."""
    undone = revision.alias()
    act = connection.scalar(
        select(revision.c.act)
        .where(revision.c.subject == f"c{number}", revision.c.action == "merge")
        .where(~select(undone.c.id).where(undone.c.undoes == revision.c.act).exists())
        .order_by(revision.c.id.desc())
        .limit(1)
    )
    rows = connection.execute(
        select(revision.c.subject, revision.c.after).where(revision.c.act == act)
    )
    kept = next((row.subject for row in rows if row.after is not None), "")
    return "" if kept == f"c{number}" else kept


def case(connection: Connection, identifier: str) -> CurateError:
    """Return the error for an item that is not there."""
    made = select(revision.c.id).where(revision.c.subject == identifier).limit(1)
    if connection.scalar(made) is not None:
        return CurateError(
            f"there is no item {identifier} any more: its making was undone",
            f"`curate items log {identifier}` tells when and by whom.",
            Exit.USAGE,
        )
    known = connection.scalars(select(item.c.id))
    hint = did_you_mean(identifier, known, "`curate items list` lists them.")
    return CurateError(f"there is no item {identifier}", hint, Exit.USAGE)


def exported(connection: Connection, number: int) -> CurateError:
    """Return the error for a version that is not there."""
    last = connection.scalar(select(func.max(version.c.number)))
    hint = f"The last is {last}." if last else "Nothing was exported yet: `curate export`."
    return CurateError(f"there is no version {number}", hint, Exit.USAGE)

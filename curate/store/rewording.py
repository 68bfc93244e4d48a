"""New texts for records that are there: what a curator corrected, or the anonymiser made anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime

from sqlalchemy import Connection, select, update

from curate.model.records import Clean, Record, RetrievedChunk, Turn
from curate.store import reading
from curate.store.clusters import pieces
from curate.store.tables import record, vote


@dataclass(frozen=True, slots=True)
class VoteWording:
    """The texts of a vote."""

    id: int
    comment: str | None = field(repr=False)
    reason: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Wording:
    """All texts of a record, and of those of its `votes` that change.

    `words` is applied to the texts of all its votes. An empty `policy` or `lang` stays as it is.
    """

    record: int
    question: Clean
    standalone: Clean | None
    answer: Clean | None
    history: tuple[Turn, ...] = field(repr=False)
    chunks: tuple[RetrievedChunk, ...] = field(repr=False)
    words: Callable[[str], str] = str
    votes: tuple[VoteWording, ...] = ()
    policy: str = ""
    lang: str = ""


@dataclass(frozen=True, slots=True)
class VoteKey:
    """A vote and its event key."""

    id: int
    key: bytes


@dataclass(frozen=True, slots=True)
class Stale:
    """A record that was anonymised otherwise than today, its event key, and its votes'."""

    record: Record
    key: bytes
    votes: tuple[VoteKey, ...]


def stale(connection: Connection, policy: str, now: datetime) -> list[Stale]:
    """Return the records of another policy, in order."""
    query = select(record).where(record.c.policy != policy)
    found = reading.records(connection, query, now=now)
    keys: dict[int, bytes] = {}
    votes: dict[int, list[VoteKey]] = defaultdict(list)
    for some in pieces([one.id for one in found]):
        for row in connection.execute(
            select(record.c.id, record.c.key).where(record.c.id.in_(some))
        ):
            keys[row.id] = row.key
        for told in connection.execute(
            select(vote.c.record, vote.c.id, vote.c.key)
            .where(vote.c.record.in_(some))
            .order_by(vote.c.id)
        ):
            votes[told.record or 0].append(VoteKey(told.id, told.key))
    return [Stale(one, keys[one.id], tuple(votes[one.id])) for one in found]


def reword(connection: Connection, wordings: Sequence[Wording]) -> int:
    """Store new texts; return how many records were still there."""
    done = 0
    for one in wordings:
        cleans = {
            "question": one.question,
            "standalone": one.standalone,
            "answer": one.answer,
        }
        changed = connection.execute(
            update(record)
            .where(record.c.id == one.record)
            .values(
                **{name: clean and clean.text for name, clean in cleans.items()},
                redactions={
                    name: [asdict(redaction) for redaction in clean.redactions]
                    for name, clean in cleans.items()
                    if clean and clean.redactions
                },
                history=[asdict(turn) for turn in one.history],
                chunks=[asdict(chunk) for chunk in one.chunks],
                **({"policy": one.policy} if one.policy else {}),
                **({"lang": one.lang} if one.lang else {}),
            )
        )
        done += changed.rowcount
        for row in connection.execute(select(vote).where(vote.c.record == one.record)).all():
            connection.execute(
                update(vote)
                .where(vote.c.id == row.id)
                .values(
                    comment=row.comment and one.words(row.comment),
                    reason=row.reason and one.words(row.reason),
                )
            )
        for words in one.votes:
            connection.execute(
                update(vote)
                .where(vote.c.id == words.id)
                .values(comment=words.comment, reason=words.reason)
            )
    return done

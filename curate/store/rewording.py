"""New texts for records that are there: what a curator corrected, or the anonymiser made anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

from sqlalchemy import Connection, select, update

from curate.model import Clean, RetrievedChunk, Turn
from curate.store.tables import record, vote


@dataclass(frozen=True, slots=True)
class Wording:
    """All texts of a record. `words` is applied to those of its votes."""

    record: int
    question: Clean
    standalone: Clean | None
    answer: Clean | None
    history: tuple[Turn, ...] = field(repr=False)
    chunks: tuple[RetrievedChunk, ...] = field(repr=False)
    words: Callable[[str], str] = str


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
    return done

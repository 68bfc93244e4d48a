"""Nouns to rows and JSON, and back: the one place that knows both shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Row

from curate.model.custody import Receipt
from curate.model.documents import Evidence
from curate.model.items import Absence, ChunkLabel, Item, Revision
from curate.model.plain import Json
from curate.model.records import (
    Clean,
    CleanFeedback,
    CleanQuestion,
    Feedback,
    Record,
    Redaction,
    RetrievedChunk,
    Turn,
)

# ---------------------------------------------------------------------------- items


def item_to_json(item: Item) -> Json:
    """Return everything an item holds as JSON; `item_from_json` gives it back unchanged."""
    content = asdict(item)
    content["changed_at"] = item.changed_at and item.changed_at.astimezone(UTC).isoformat()
    return _lists(content)  # type: ignore[no-any-return]


def _lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lists(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_lists(inner) for inner in value]
    return value


_ITEM_FIELDS = frozenset(field.name for field in fields(Item))


def item_from_json(content: Json) -> Item:
    """Return the item; a field it was saved without has its default."""
    known = {key: value for key, value in content.items() if key in _ITEM_FIELDS}
    for name in ("must_include", "must_not_include", "tags"):
        known[name] = tuple(known.get(name) or ())
    known["evidences"] = tuple(Evidence(**found) for found in known.get("evidences") or ())
    known["labels"] = tuple(
        ChunkLabel(**label | {"chunks": tuple(label["chunks"])})
        for label in known.get("labels") or ()
    )
    known["history"] = tuple(Turn(**turn) for turn in known.get("history") or ())
    if absence := known.get("absence"):
        known["absence"] = Absence(
            tuple(absence["queries"]),
            tuple((source, heading, score) for source, heading, score in absence["nearest"]),
            absence["corpus"],
        )
    if at := known.get("changed_at"):
        known["changed_at"] = datetime.fromisoformat(at)
    return Item(**known)


# ---------------------------------------------------------------------------- records and votes


def expiry(at: datetime | None, received: datetime, keep: timedelta) -> datetime:
    """Return when a record is gone: `keep` after it was asked, or came if that was earlier."""
    return min(at or received, received) + keep


def record_row(question: CleanQuestion, keep: timedelta) -> dict[str, Any]:
    """Return the columns of a question but its id, key and candidate."""
    scores = [s for chunk in question.chunks if (s := _finite(chunk.score)) is not None]
    cleans = {
        "question": question.question,
        "standalone": question.standalone,
        "answer": question.answer,
    }
    return {
        "content": question.content,
        "user": question.user,
        "source": question.source,
        "asked_at": question.asked_at,
        "received_at": question.received_at,
        "expires_at": expiry(question.asked_at, question.received_at, keep),
        **{name: clean and clean.text for name, clean in cleans.items()},
        "redactions": {
            name: [asdict(redaction) for redaction in clean.redactions]
            for name, clean in cleans.items()
            if clean and clean.redactions
        },
        "history": [asdict(turn) for turn in question.history],
        "chunks": [
            asdict(chunk) | {"score": _finite(chunk.score)}
            for chunk in sorted(question.chunks, key=lambda chunk: chunk.rank)
        ],
        "refused": None if question.refused is None else int(question.refused),
        "best_score": max(scores, default=None),
        "latency_ms": _finite(question.latency_ms),
        "lang": question.lang,
        "policy": question.policy,
        "tokens_in": question.tokens_in,
        "tokens_out": question.tokens_out,
    }


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def vote_row(vote: CleanFeedback, keep: timedelta) -> dict[str, Any]:
    """Return the columns of a vote but its id, key and record."""
    return {
        "content": vote.content,
        "user": vote.user,
        "by": vote.by,
        "at": vote.at,
        "received_at": vote.received_at,
        "expires_at": expiry(vote.at, vote.received_at, keep),
        "rating": vote.rating,
        "reason": vote.reason,
        "comment": vote.comment and vote.comment.text,
    }


def record_from(row: Row[Any], votes: Sequence[Feedback]) -> Record:
    """Return the record of a row of the table, with the votes that count."""
    kept = row.redactions

    def clean(name: str, text: str | None) -> Clean | None:
        if text is None:
            return None
        return Clean(text, tuple(Redaction(**redaction) for redaction in kept.get(name, ())))

    return Record(
        id=row.id,
        source=row.source,
        asked_at=row.asked_at,
        received_at=row.received_at,
        expires_at=row.expires_at,
        question=clean("question", row.question) or Clean(""),
        standalone=clean("standalone", row.standalone),
        history=tuple(Turn(**turn) for turn in row.history),
        answer=clean("answer", row.answer),
        refused=None if row.refused is None else bool(row.refused),
        chunks=tuple(RetrievedChunk(**chunk) for chunk in row.chunks),
        feedback=tuple(votes),
        lang=row.lang,
        policy=row.policy,
        candidate=row.candidate,
        latency_ms=row.latency_ms,
        tokens_in=row.tokens_in,
        tokens_out=row.tokens_out,
    )


# ---------------------------------------------------------------------------- revisions, receipts


def revision_from(row: Row[Any]) -> Revision:
    """Return the revision of a row of the table."""
    return Revision(**row._mapping)


def receipt_from(row: Row[Any]) -> Receipt:
    """Return the receipt of a row of the table."""
    return Receipt(**{key: value for key, value in row._mapping.items() if key != "id"})

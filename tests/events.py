"""Anonymised events as ingest hands them to the store, for tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Literal

from curate.model.documents import Evidence
from curate.model.records import (
    Clean,
    CleanFeedback,
    CleanQuestion,
    Redaction,
    RetrievedChunk,
    Turn,
)

NOW = datetime(2026, 11, 29, 21, 0, tzinfo=UTC)
DAY = timedelta(days=1)


@dataclass
class Clock:
    """A clock that stands still until it is set."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now


def tag(kind: str, name: str) -> bytes:
    """A tag as the tagger makes them: 16 bytes."""
    return sha256(f"{kind} {name}".encode()).digest()[:16]


def question(name: str, text: str, **changes: Any) -> CleanQuestion:
    """The logged question `name`; a change of `text` changes its content tag."""
    made = CleanQuestion(
        source="log",
        line=1,
        keys=(tag("event", name), tag("older event", name)),
        content=tag("content", f"{name} {text} {changes!r}"),
        aliases=(tag("alias", name),),
        user=tag("user", "anna"),
        asked_at=NOW - DAY,
        received_at=NOW,
        question=Clean(text, (Redaction(0, 3, "PERSON", "<PERSON_1>", 0, 0.9, "names"),)),
        standalone=None,
        history=(),
        answer=Clean("Within two weeks."),
        refused=False,
        chunks=(
            RetrievedChunk(2, "7", "fees.md", "Fines", 0.4),
            RetrievedChunk(1, "3", "docs/loans.md", "How long", 0.8),
        ),
        title=None,
        latency_ms=12.5,
        lang="en",
        policy="sha256:00",
    )
    return replace(made, **changes)


def follow_up(name: str, text: str, before: str, **changes: Any) -> CleanQuestion:
    """A question asked after another one."""
    history = (Turn("user", before), Turn("assistant", "Yes."))
    return question(name, text, history=history, **changes)


def vote(
    name: str, target: str, rating: Literal[-1, 0, 1] | None = -1, **changes: Any
) -> CleanFeedback:
    """The vote `name` on the question `target`."""
    made = CleanFeedback(
        source="log",
        line=2,
        keys=(tag("event", name),),
        content=tag("content", f"{name} {rating} {changes!r}"),
        targets=((tag("alias", target), tag("older alias", target)),),
        user=tag("user", "anna"),
        at=NOW - DAY / 2,
        received_at=NOW,
        rating=rating,
        reason="wrong",
        comment=Clean("not what <PERSON_1> asked"),
        by="user",
    )
    return replace(made, **changes)


def evidence(source: str, heading: str, phrase: str = "two weeks") -> Evidence:
    """A phrase that stands in the documents."""
    return Evidence(source, heading, phrase, 10, 10 + len(phrase), "sha256:00", "verbatim")

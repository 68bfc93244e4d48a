"""What was kept of a log, anonymised: records, and the candidates they make."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from curate.model.events import Author


@dataclass(frozen=True, slots=True)
class Redaction:
    """One replaced piece of personal text.

    `start` and `end` are offsets in the original, `at` is where the placeholder begins in the
    anonymised text. `by` names the recogniser, `score` is its confidence from 0 to 1.
    """

    start: int
    end: int
    entity: str
    placeholder: str
    at: int
    score: float
    by: str


@dataclass(frozen=True, slots=True)
class Clean:
    """Anonymised text and what was replaced in it. Never the original."""

    text: str = field(repr=False)
    redactions: tuple[Redaction, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """An anonymised message of a conversation; `role` is `user` or `assistant`."""

    role: str
    content: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class RetrievedChunk:
    """A passage the assistant retrieved, anonymised; `rank` counts from 1."""

    rank: int
    id: str | None = field(default=None, repr=False)
    source: str | None = field(default=None, repr=False)
    heading: str | None = field(default=None, repr=False)
    score: float | None = None


@dataclass(frozen=True, slots=True)
class CleanQuestion:
    """An anonymised question event, ready to be stored.

    `keys` are its keyed event tags under every live epoch, the one to store first; `aliases`
    are keyed tags of the ids feedback may point at; `content` is a keyed tag of the raw event,
    so that an unchanged event is known without being anonymised again.
    """

    source: str
    line: int
    keys: tuple[bytes, ...]
    content: bytes
    aliases: tuple[bytes, ...]
    user: bytes | None
    asked_at: datetime | None
    received_at: datetime
    question: Clean
    standalone: Clean | None
    history: tuple[Turn, ...]
    answer: Clean | None
    refused: bool | None
    chunks: tuple[RetrievedChunk, ...]
    title: Clean | None
    latency_ms: float | None
    lang: str
    policy: str
    tokens_in: int | None = None
    tokens_out: int | None = None


@dataclass(frozen=True, slots=True)
class CleanFeedback:
    """An anonymised vote, ready to be stored; `targets` holds, for each id, its tags."""

    source: str
    line: int
    keys: tuple[bytes, ...]
    content: bytes
    targets: tuple[tuple[bytes, ...], ...]
    user: bytes | None
    at: datetime | None
    received_at: datetime
    rating: int | None
    reason: str | None = field(repr=False)
    comment: Clean | None
    by: Author


@dataclass(frozen=True, slots=True)
class Feedback:
    """A stored vote on a record."""

    rating: int | None
    by: Author
    at: datetime | None
    reason: str | None = field(default=None, repr=False)
    comment: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Record:
    """An anonymised logged question, purged when `expires_at` has come."""

    id: int
    source: str
    asked_at: datetime | None
    received_at: datetime
    expires_at: datetime
    question: Clean
    standalone: Clean | None
    history: tuple[Turn, ...]
    answer: Clean | None
    refused: bool | None
    chunks: tuple[RetrievedChunk, ...]
    feedback: tuple[Feedback, ...]
    lang: str
    policy: str
    candidate: int | None
    latency_ms: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None


CandidateStatus = Literal["open", "done", "rejected", "duplicate"]


@dataclass(frozen=True, slots=True)
class Claim:
    """Who is looking at a candidate, and until when that is to be believed."""

    by: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cluster of near-duplicate records, with a priority and the reasons for it in words.

    `question` is the anonymised question of its exemplar record, `size` counts its records,
    `item` is the item made from it or the item it duplicates, `claim` says who looks at it now.
    """

    id: int
    question: str = field(repr=False)
    record: int
    size: int
    priority: float
    reasons: tuple[str, ...]
    status: CandidateStatus
    lang: str
    first_asked: datetime | None
    last_asked: datetime | None
    item: str | None = None
    note: str = ""
    claim: Claim | None = None


@dataclass(frozen=True, slots=True)
class CandidateFacts:
    """What is known of a candidate's records when its priority is reckoned; `item` is the id of an
    item of the set that asks the same.
    """

    size: int
    down: int
    up: int
    refused: int
    best_score: float | None
    section_covered: bool | None
    has_history: bool
    item: str | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """A priority (higher comes first) and its reasons in words, strongest first."""

    priority: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """How often a passage was the first to be retrieved, and with what success."""

    source: str
    heading: str
    asked: int
    down: int
    refused: int


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that was asked, and what was said before it."""

    text: str = field(repr=False)
    history: tuple[Turn, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Traffic:
    """All questions that are kept: how many, refused, voted down, in which languages.

    `passages` are those that were retrieved first, most asked first, as the log calls them;
    `sample` holds questions taken evenly from all of them.
    """

    questions: int
    refused: int
    down: int
    langs: dict[str, int]
    passages: tuple[Asked, ...]
    sample: tuple[AskedQuestion, ...] = field(repr=False)

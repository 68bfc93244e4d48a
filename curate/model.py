"""The nouns of the house: frozen values that cross every boundary, standard library only.

Personal text never shows in a repr: text that has not been anonymised travels in `RawText`;
anonymised text and ids are fields with `repr=False`. All times are aware UTC datetimes, all
offsets are Unicode code points.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Json = dict[str, Any]
"""A JSON object as the standard library reads it."""


# ---------------------------------------------------------------------------- errors


class Exit(enum.IntEnum):
    """What a process says when it ends."""

    DONE = 0
    FOUND = 1
    """It found something: a failing check, overdue records, an unresolved remap."""
    USAGE = 2
    PRIVACY = 3
    """Refused to protect personal data."""
    ENVIRONMENT = 4
    """Disk, lock, corruption, something unreadable."""
    UNVERIFIED = 5
    """Done, but the proof failed."""
    DEFERRED = 75
    """Try again later."""


class CurateError(Exception):
    """The one error a user meets.

    `message` names the file, line or item; `hint` names the way out; neither ever quotes log
    text. `code` is the exit code of the process.
    """

    def __init__(self, message: str, hint: str = "", code: Exit = Exit.ENVIRONMENT) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code


class Conflict(CurateError):
    """Somebody else changed the item first; `theirs` is the item as it stands now."""

    def __init__(self, message: str, hint: str, theirs: Item) -> None:
        super().__init__(message, hint, Exit.FOUND)
        self.theirs = theirs


# ---------------------------------------------------------------------------- raw, in memory only


class RawText:
    """Text as it was logged, before the anonymiser saw it.

    Deliberately not a `str`: it cannot be formatted, joined, logged or written by accident,
    and its repr tells its length only. `reveal()` is the one way out.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text itself. Call it only to anonymise, to tag or to seal."""
        return self._text

    def __repr__(self) -> str:
        return f"<raw text, {len(self._text)} chars>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RawText) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __bool__(self) -> bool:
        return bool(self._text)

    def __reduce__(self) -> Any:
        raise TypeError("raw text is never pickled")


@dataclass(frozen=True, slots=True)
class RawTurn:
    """One earlier message of a conversation; `role` is `user` or `assistant`."""

    role: str
    content: RawText


@dataclass(frozen=True, slots=True)
class RawChunk:
    """A passage the assistant retrieved, as it was logged; `rank` counts from 1."""

    rank: int
    id: RawText | None = None
    source: RawText | None = None
    heading: RawText | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class QuestionEvent:
    """One logged question, raw, in memory only.

    `line` is where it stood in its input (1-based), for messages. `aliases` are all ids that
    feedback may point at. `at` is None where the log has no usable time.
    """

    source: str
    line: int
    question: RawText
    source_id: RawText | None = None
    aliases: tuple[RawText, ...] = ()
    session: RawText | None = None
    user: RawText | None = None
    at: datetime | None = None
    standalone: RawText | None = None
    history: tuple[RawTurn, ...] = ()
    answer: RawText | None = None
    refused: bool | None = None
    chunks: tuple[RawChunk, ...] = ()
    title: RawText | None = None
    latency_ms: float | None = None
    repaired: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None


Author = Literal["user", "annotator", "judge"]


@dataclass(frozen=True, slots=True)
class FeedbackEvent:
    """One logged vote, raw, in memory only.

    `targets` are tried in order until one names a known question. `rating` is -1, 0 or +1, or
    None when the vote was taken back. A `summary` repeats, with less detail, what another log
    tells in full: it never replaces a vote already known.
    """

    source: str
    line: int
    targets: tuple[RawText, ...]
    rating: Literal[-1, 0, 1] | None
    source_id: RawText | None = None
    user: RawText | None = None
    at: datetime | None = None
    reason: RawText | None = None
    comment: RawText | None = None
    by: Author = "user"
    summary: bool = False


Event = QuestionEvent | FeedbackEvent


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that is no event: where it stands and why, never what it says."""

    source: str
    line: int
    reason: str


# ---------------------------------------------------------------------------- anonymised


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
    session: bytes | None
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
class Checkpoint:
    """How far a log file has been read, and by what it is known again.

    `file` is its device and inode, `head` a keyed tag of the first `head_size` bytes that were
    read, `offset` where line `line` ended (0 where the file is read whole each time it changes);
    `size` in bytes and `changed`, the time of its last change in nanoseconds, are those of when
    it was opened. `settings` is a keyed tag of everything that decides how it is read.
    """

    source: str
    file: str
    head: bytes
    head_size: int
    offset: int
    line: int
    size: int
    changed: int
    settings: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far a stream of an API has been read: the API's own cursor or a time, in `value`."""

    source: str
    stream: str
    value: str
    at: datetime


Reached = Checkpoint | Watermark
"""A place up to which everything has been stored, stored together with it."""


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
    """What is known of a candidate's records when its priority is reckoned."""

    size: int
    down: int
    up: int
    refused: int
    best_score: float | None
    section_covered: bool | None
    has_history: bool


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


# ---------------------------------------------------------------------------- corpus


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a document under one heading.

    `source` is the document's path relative to the corpus root, `heading` the heading's text
    (empty before the first heading), `trail` the headings above it from the outermost,
    `text` is `document[start:end]`, the heading line included.
    """

    source: str
    heading: str
    trail: tuple[str, ...]
    level: int
    start: int
    end: int
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Passage:
    """A ranked search result: a section, its score, and the best sentence in it.

    `best` is a span of code points in the document; `why` names what found it.
    """

    section: Section
    score: float
    best: tuple[int, int]
    why: str = ""


Grade = Literal["verbatim", "normalised", "ambiguous", "moved", "lost"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A phrase of a document that answers an item.

    `start` and `end` are its span in the document whose content has `digest`. `phrase` is the
    document's own text at that span, stripped.
    """

    source: str
    heading: str
    phrase: str = field(repr=False)
    start: int
    end: int
    digest: str
    grade: Grade


# ---------------------------------------------------------------------------- the set

LabelStatus = Literal["kept", "split", "merged", "moved", "ambiguous", "lost", "chosen"]


@dataclass(frozen=True, slots=True)
class ChunkLabel:
    """Relevant chunks of an item in one chunk set, told instead of derived from its evidence:
    carried over from another set, or `chosen` by a person.

    `ambiguous` and `lost` wait for a person; `chunks` are proposals then. `evidence` is a digest
    of the evidence it was told for: with other evidence it is void.
    """

    chunk_set: str
    chunks: tuple[str, ...]
    status: LabelStatus
    reason: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class ChunkSet:
    """A registered chunking of the documents: name, digest of its lines, number of chunks."""

    name: str
    digest: str
    chunks: int
    at: datetime
    by: str


Split = Literal["tuning", "holdout"]
ItemStatus = Literal["draft", "ready", "retired", "withdrawn"]
EvidenceMode = Literal["any", "all"]


@dataclass(frozen=True, slots=True)
class Absence:
    """Proof that the documents hold no answer: what was searched, and what tempts.

    `nearest` are `(source, heading, score)` of the best passages when it was decided.
    """

    queries: tuple[str, ...] = field(repr=False)
    nearest: tuple[tuple[str, str, float], ...]
    corpus: str


@dataclass(frozen=True, slots=True)
class Item:
    """An evaluation case. Its id is a slug, its own for ever.

    `revision` counts from 1 with every change. `original` is the anonymised question as it was
    asked, kept beside a reworded one; `standalone` is how a follow-up was searched, history and
    all. `cluster` names the near-duplicate group that must not
    straddle the splits.
    """

    id: str
    revision: int
    question: str = field(repr=False)
    answerable: bool | None = None
    evidences: tuple[Evidence, ...] = ()
    evidence_mode: EvidenceMode = "any"
    keyword: str = field(default="", repr=False)
    must_include: tuple[str, ...] = field(default=(), repr=False)
    must_not_include: tuple[str, ...] = field(default=(), repr=False)
    reference: str = field(default="", repr=False)
    history: tuple[Turn, ...] = ()
    split: Split = "tuning"
    kind: str = ""
    lang: str = ""
    tags: tuple[str, ...] = ()
    labels: tuple[ChunkLabel, ...] = ()
    absence: Absence | None = None
    cluster: str = ""
    status: ItemStatus = "draft"
    note: str = field(default="", repr=False)
    original: str = field(default="", repr=False)
    standalone: str = field(default="", repr=False)
    changed_at: datetime | None = None
    changed_by: str = ""


@dataclass(frozen=True, slots=True)
class Revision:
    """One change: who, when, what before and after.

    `subject` is an item id, or `c12` for candidate 12. Rows of one decision share an `act`;
    undoing writes a new act that names the one it took back.
    """

    id: int
    act: int
    subject: str
    number: int
    at: datetime
    by: str
    action: str
    reason: str
    before: Json | None = field(repr=False)
    after: Json | None = field(repr=False)
    undoes: int | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """An immutable export. `digest` is over the exported items' content.

    `tool` and `root` (of the corpus, relative to the workspace) are what its manifest says; both
    are empty where a version is older than our keeping them. `chunks` is the chunk set that the
    `gold` ids by item are of, `more` holds further files of it by name. `erased` are the ids of
    items whose text was taken back since: such a version can never be written again.
    """

    number: int
    parent: int | None
    digest: str
    at: datetime
    by: str
    items: tuple[Item, ...]
    corpus: str
    policy: str
    tool: str = ""
    root: str = ""
    erased: tuple[str, ...] = ()
    chunks: ChunkSet | None = None
    gold: dict[str, tuple[str, ...]] = field(default_factory=dict)
    more: dict[str, bytes] = field(default_factory=dict, repr=False)
    extractors: dict[str, str] = field(default_factory=dict)
    """What read the documents that its items quote, by source; empty in older versions."""


@dataclass(frozen=True, slots=True)
class Audit:
    """Something done to personal data or to its guards: who, when, what, on which id.

    `subject` is an id (`r12` a record, `c12` a candidate, an item's own), `detail` counts or
    names; neither is ever text of the log.
    """

    at: datetime
    by: str
    action: str
    subject: str
    detail: str = ""


Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with an item or the set; `code` is stable, `message` quotes no log text."""

    item: str
    code: str
    severity: Severity
    message: str


ReceiptStatus = Literal["clean", "deferred", "not verified", "overdue"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a purge or an erasure removed, and the proof."""

    kind: str
    at: datetime
    by: str
    status: ReceiptStatus
    counts: dict[str, int]
    verified: dict[str, Any]
    detail: str = ""


# ---------------------------------------------------------------------------- evaluation


@dataclass(frozen=True, slots=True)
class Look:
    """One look at holdout scores: who, when, why, at which run (its digest) of which version.

    `scores` holds the chief measures of both splits as they were seen:
    `{"tuning": {"hit@4": 0.89}, "holdout": {...}}`.
    """

    id: int
    at: datetime
    by: str
    why: str
    run: str
    version: int | None
    scores: dict[str, dict[str, float]]


Mark = Literal["good", "wrong", "unsupported"]


@dataclass(frozen=True, slots=True)
class Review:
    """A person's mark on a logged answer. `batch` names the sample it belongs to (`2026-W48`).

    `record` is None once the record has been purged; the mark stays for the weekly figures.
    """

    batch: str
    record: int | None
    mark: Mark
    at: datetime
    by: str
    comment: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Failure:
    """An item that failed in a run (named by its digest), and what to call it.

    `label` is proposed by rule, `confirmed` what a person called it, empty until then.
    """

    item: str
    run: str
    label: str
    why: str
    at: datetime
    confirmed: str = ""
    by: str = ""

"""The set: items, their revisions, versions, chunk sets, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from curate.model.documents import Evidence
from curate.model.errors import CurateError, Exit
from curate.model.plain import Json
from curate.model.records import Turn

KINDS = (
    "paraphrase",
    "exact-title",
    "identifier",
    "follow-up",
    "look-alike",
    "short",
    "long",
    "misspelled",
)
"""The kinds of questions that a set covers; a team may have others of its own."""

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


Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with an item or the set; `code` is stable, `message` quotes no log text."""

    item: str
    code: str
    severity: Severity
    message: str


class Conflict(CurateError):
    """Somebody else changed the item first; `theirs` is the item as it stands now."""

    def __init__(self, message: str, hint: str, theirs: Item) -> None:
        super().__init__(message, hint, Exit.FOUND)
        self.theirs = theirs

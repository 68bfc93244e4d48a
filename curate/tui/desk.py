"""What a sitting works on, and the readings a screen needs in one piece.

Everything here but `Desk` itself runs in worker threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curate.model.documents import Passage
from curate.model.items import Item
from curate.model.records import Candidate, Record
from curate.tui.sitting import Sitting
from curate.tui.spans import Span
from curate.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Desk:
    """One workspace and one sitting at it, shared by all screens."""

    workspace: Workspace
    sitting: Sitting


@dataclass(frozen=True, slots=True)
class Case:
    """What the review screen works on: an item, and where it comes from while that is known."""

    item: Item
    candidate: Candidate | None
    records: tuple[Record, ...]

    @property
    def record(self) -> Record | None:
        """The record the candidate is shown by."""
        if self.candidate is None:
            return None
        wanted = self.candidate.record
        return next((record for record in self.records if record.id == wanted), None)


@dataclass(frozen=True, slots=True)
class Page:
    """A window of a document, ready to be shown."""

    source: str
    heading: str
    text: str
    window: Span
    sentences: tuple[Span, ...]
    best: Span | None


@dataclass(frozen=True, slots=True)
class Clash:
    """Somebody else changed the item first: what was wanted, and what stands."""

    mine: Item
    theirs: Item


@dataclass(frozen=True, slots=True)
class Opened:
    """Everything the review screen shows at first: the case, the passages, a page."""

    case: Case
    passages: tuple[Passage, ...]
    page: Page | None


def open_candidate(workspace: Workspace, identifier: int) -> Opened:
    """Return a candidate with its records, the item begun for it or the one proposed, and the
    passages that may answer it.
    """
    candidate = workspace.store.candidate(identifier)
    records = tuple(workspace.store.records(identifier))
    if candidate.item and candidate.status != "duplicate":
        item = workspace.store.item(candidate.item)
    else:
        item = workspace.draft(candidate)
    return _opened(workspace, Case(item, candidate, records))


def open_item(workspace: Workspace, identifier: str) -> Opened:
    """Return an item on its own, and the passages that may answer it."""
    return _opened(workspace, Case(workspace.store.item(identifier), None, ()))


def _opened(workspace: Workspace, case: Case) -> Opened:
    passages = tuple(suggested(workspace, case))
    return Opened(case, passages, _first_page(workspace, case, passages))


def _first_page(workspace: Workspace, case: Case, passages: Sequence[Passage]) -> Page | None:
    if case.item.evidences:
        now = workspace.corpus.locate(case.item.evidences[0])
        if now.grade != "lost":
            return page_at(workspace, now.source, (now.start, now.end))
    return page_of(workspace, passages[0]) if passages else None


def suggested(workspace: Workspace, case: Case) -> list[Passage]:
    """Return the passages that may answer a case, best first."""
    if case.record is not None:
        return workspace.suggest(case.record)
    return workspace.corpus.suggest(case.item.question, history=case.item.history)


def page_of(workspace: Workspace, passage: Passage) -> Page:
    """Return the section of a passage, its best sentence to be selected."""
    section = passage.section
    sentences = workspace.corpus.sentences(section)
    best = passage.best if passage.best[0] < passage.best[1] else None
    return Page(
        section.source,
        section.heading,
        workspace.corpus.document(section.source).text,
        (section.start, section.end),
        sentences,
        best or (sentences[0] if sentences else None),
    )


def page_at(workspace: Workspace, source: str, span: Span) -> Page:
    """Return the section that holds a span of a document, the span selected."""
    sections = workspace.corpus.sections(source)
    section = next((s for s in reversed(sections) if s.start <= span[0]), sections[0])
    text = workspace.corpus.document(source).text
    window = (section.start, max(section.end, min(span[1], len(text))))
    return Page(source, section.heading, text, window, workspace.corpus.sentences(section), span)


def whole(workspace: Workspace, source: str, selected: Span | None) -> Page:
    """Return a whole document, what was selected still selected."""
    text = workspace.corpus.document(source).text
    sentences = [
        span
        for section in workspace.corpus.sections(source)
        for span in workspace.corpus.sentences(section)
    ]
    return Page(source, "", text, (0, len(text)), tuple(sorted(set(sentences))), selected)

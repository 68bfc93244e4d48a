"""What a sitting works on, and the readings a screen needs in one piece.

Everything here but `Desk` itself runs in worker threads.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from curate.model.documents import Passage
from curate.model.evaluation import Failure
from curate.model.items import Item
from curate.model.records import Candidate, Record, Redaction
from curate.tui.filters import SAMPLE, Filter
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
    """What the review screen works on: an item, where it comes from while that is known, and how it
    failed in the last scored run.
    """

    item: Item
    candidate: Candidate | None
    records: tuple[Record, ...]
    failure: Failure | None = None

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


@dataclass(frozen=True, slots=True)
class Glance:
    """What the inbox's title tells: candidates to look at, items this curator made ready today,
    the day on which records expire next, how many are overdue, and whether items are ready and
    none of them is in the holdout.
    """

    open: int
    today: int
    next_expiry: datetime | None
    overdue: int
    unheld: bool


@dataclass(frozen=True, slots=True)
class Values:
    """What a list can be narrowed to."""

    langs: tuple[str, ...]
    sources: tuple[str, ...]
    tags: tuple[str, ...]


_RECENT = 500
"""Acts that are looked through for those of today."""
_TOP = 2000
"""Candidates whose languages are offered."""


def glance(workspace: Workspace) -> Glance:
    """Return the figures of the title line."""
    counts = workspace.store.counts()
    days = sorted(counts.expiring)
    expiry = datetime.fromisoformat(days[0]).astimezone() if days else None
    today = workspace.now().astimezone().date()
    now: dict[str, str] = {}
    made: set[str] = set()
    for change in workspace.store.revisions(limit=_RECENT):
        before, after = ((state or {}).get("status", "") for state in (change.before, change.after))
        now.setdefault(change.subject, after)
        mine = change.by == workspace.who and change.at.astimezone().date() == today
        if mine and after == now[change.subject] == "ready" != before:
            made.add(change.subject)
    return Glance(
        counts.candidates.get("open", 0), len(made), expiry, counts.overdue, counts.unheld
    )


def listed(workspace: Workspace, narrowed: Filter, text: str, limit: int = 0) -> array[int]:
    """Return the ids of the candidates that a filter and a search let pass, `limit` of them or
    all. Those of a draw by lot come in its order.
    """
    wanted = narrowed.wanted(text, workspace.now(), workspace.who)
    if narrowed.seed:
        return array("q", workspace.sample(SAMPLE, narrowed.seed, **wanted))
    return workspace.store.candidate_ids(**wanted, limit=limit)


def values(workspace: Workspace) -> Values:
    """Return what the candidates to look at and the set can be narrowed to."""
    top = workspace.store.candidates(workspace.store.candidate_ids(limit=_TOP))
    langs = Counter(candidate.lang for candidate in top if candidate.lang)
    tags = Counter(tag for item in workspace.store.items() for tag in item.tags)
    return Values(
        tuple(lang for lang, _number in langs.most_common()),
        tuple(source.name for source in workspace.settings.sources if source.name),
        tuple(tag for tag, _number in tags.most_common()),
    )


Run = Callable[[Workspace], object]
"""Something that is done in a thread."""


def redactions(case: Case) -> tuple[Redaction, ...]:
    """Return what was taken out of what the log tells about a case, once for each placeholder."""
    record = case.record
    if record is None:
        return ()
    texts = [text for text in (record.question, record.standalone, record.answer) if text]
    found = {one.placeholder: one for text in texts for one in text.redactions}
    return tuple(found[name] for name in sorted(found))


def said(case: Case) -> str:
    """Return all texts of a case in which something personal may stand, in paragraphs."""
    item, record = case.item, case.record
    texts = [item.question, item.original, *(turn.content for turn in item.history)]
    texts += [item.reference, item.note]
    for one in case.records:
        texts += [one.question.text, one.answer.text if one.answer else ""]
        texts += [vote.comment or "" for vote in one.feedback]
    if record is not None and record.standalone is not None:
        texts.append(record.standalone.text)
    return "\n\n".join(dict.fromkeys(filter(None, texts)))


def put_back(workspace: Workspace, case: Case, placeholder: str) -> None:
    """Put back what a placeholder stands for in a case's record, and in the item made from it."""
    record = case.record
    if record is None:
        return
    before = record.question.text
    after = workspace.restore(record.id, placeholder).question.text
    times = before.count(placeholder)
    item = case.item
    if not item.revision or not times:
        return
    at = before.index(placeholder)
    value = after[at : at + len(placeholder) + (len(after) - len(before)) // times]

    def worded(text: str) -> str:
        return text.replace(placeholder, value)

    mine = replace(
        item,
        question=worded(item.question),
        original=worded(item.original),
        standalone=worded(item.standalone),
    )
    candidate = case.candidate.id if case.candidate else None
    workspace.save(mine, candidate=candidate, reason="put back", as_is=True)


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
    item = workspace.store.item(identifier)
    failed = {failure.item: failure for failure in workspace.store.failures()}
    return _opened(workspace, Case(item, None, (), failed.get(identifier)))


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

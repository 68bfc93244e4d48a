"""What an item holds before a curator decides anything, and what each decision fills in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from curate import text, triage
from curate.check import checking
from curate.model.errors import CurateError, Exit
from curate.model.items import Absence, Item, ItemStatus
from curate.privacy.neutral import worded

if TYPE_CHECKING:
    from curate.model.documents import Evidence
    from curate.model.records import Candidate
    from curate.workspace.workspace import Workspace


def draft(workspace: Workspace, candidate: Candidate) -> Item:
    """Return the item a candidate would make, not saved: no id yet, everything proposed."""
    record = workspace.store.record(candidate.record)
    question = record.question.text
    cluster = f"c{candidate.id}"
    item = Item(
        id="",
        revision=0,
        question=question,
        original=question,
        history=record.history,
        kind=triage.kind(question, record.history),
        lang=record.lang,
        cluster=cluster,
        standalone=record.standalone.text if record.standalone else "",
    )
    return _placed(workspace, item)


def fresh(workspace: Workspace, question: str, slug: str = "") -> Item:
    """Return an item for a question of the curator's own, not saved."""
    question = text.sanitise(question)
    item = Item(
        id=slug,
        revision=0,
        question=question,
        original=question,
        kind=triage.kind(question, ()),
        lang=text.language(question),
    )
    return _placed(workspace, item)


def attach(
    workspace: Workspace, item: Item, source: str, start: int, end: int, *, more: bool = False
) -> Item:
    """Return `item` answered by the span `start:end` of a document.

    Source, heading and evidence come from the span, the keyword is proposed from it unless
    one is set that still stands in it. With `more`, the span is one more evidence.
    """
    evidence = workspace.corpus.evidence(source, start, end)
    evidences = (*item.evidences, evidence) if more else (evidence,)
    keyword = item.keyword
    if not more and (not keyword or keyword.lower() not in evidence.phrase.lower()):
        keyword = next(iter(workspace.corpus.keywords(evidence, item.question)), "")
    return _placed(
        workspace,
        replace(item, answerable=True, evidences=evidences, keyword=keyword, absence=None),
    )


def moved(workspace: Workspace, item: Item, number: int, evidence: Evidence) -> Item:
    """Return `item` with another evidence in the place of its evidence `number`, from 0.

    A keyword that stood in what was quoted and does no more is proposed anew: the answer changed
    with the document, and the old one would be wrong gold.
    """
    evidences = (*item.evidences[:number], evidence, *item.evidences[number + 1 :])
    made = replace(item, answerable=True, evidences=evidences, absence=None)
    if _holds_keyword(item) and not _holds_keyword(made):
        proposed = workspace.corpus.keywords(evidence, item.question)
        made = replace(made, keyword=next(iter(proposed), ""))
    return made


def _holds_keyword(item: Item) -> bool:
    said = " ".join(evidence.phrase for evidence in item.evidences)
    return item.keyword.lower() in said.lower()


def unanswerable(workspace: Workspace, item: Item, searched: Sequence[str] = ()) -> Item:
    """Return `item` as one the documents cannot answer, with the proof of absence:
    what was searched and the passages that tempt.
    """
    earlier = item.absence.queries if item.absence else ()
    queries = tuple(dict.fromkeys([item.question, *earlier, *searched]))
    nearest = workspace.corpus.suggest(item.question, history=item.history, k=5)
    absence = Absence(
        queries,
        tuple((p.section.source, p.section.heading, round(p.score, 4)) for p in nearest),
        workspace.corpus.digest(),
    )
    return _placed(
        workspace, replace(item, answerable=False, evidences=(), keyword="", absence=absence)
    )


def searched_anew(workspace: Workspace, item: Item) -> Item:
    """Return `item`, the proof that nothing answers it made anew where its wording is another."""
    absence = item.absence
    if item.answerable is not False or absence is None or absence.queries[:1] == (item.question,):
        return item
    return unanswerable(workspace, item)


def neutral(item: Item) -> Item:
    """Return `item` with neutral words for the placeholders in its own texts: the same words
    for the same placeholder, so that the case still reads as one.
    """
    history = [turn.content for turn in item.history]
    texts = (item.question, item.standalone, item.reference, *history)
    question, standalone, reference, *said = (worded(text, item.lang) for text in texts)
    return replace(
        item,
        question=question,
        standalone=standalone,
        reference=reference,
        history=tuple(
            replace(turn, content=content) for turn, content in zip(item.history, said, strict=True)
        ),
    )


def settle(item: Item, status: ItemStatus | None = None) -> Item:
    """Return `item` with its status: the one given, else ready where nothing is missing.

    Raises `CurateError` when ready is asked for and something is missing.
    """
    missing = checking.missing(item)
    if status == "ready" and missing:
        raise CurateError(
            f"{item.id or 'the item'} is not ready: it lacks {', '.join(missing)}",
            "Add it, or keep a draft.",
            Exit.FOUND,
        )
    return replace(item, status=status or ("draft" if missing else "ready"))


def hold(workspace: Workspace, item: Item, reason: str) -> None:
    """Raise `CurateError` where an item that was ever ready leaves the holdout for no reason."""
    if not item.revision or item.split == "holdout" or reason.strip():
        return
    stored = next(iter(workspace.store.items([item.id])), None)
    if stored is None or stored.split != "holdout":
        return
    past = workspace.store.revisions(item.id, limit=1000)
    if any(one.after and one.after.get("status", "draft") != "draft" for one in past):
        raise CurateError(
            f"{item.id} leaves the holdout only for a reason, which stays on record",
            "Give it: --reason.",
            Exit.USAGE,
        )


def stem(workspace: Workspace, item: Item) -> str:
    """Return what a new item's id begins with. It says what the documents say, never what the
    user said, since it stays when a person is forgotten: of what is answered nowhere the heading
    that tempts most, while nothing is decided that of the passage that answers best.
    """
    if item.evidences:
        return text.slug(item.evidences[0].heading) or text.slug(item.keyword) or "item"
    if item.absence and item.absence.nearest:
        heading = text.slug(item.absence.nearest[0][1])
        return f"not-in-{heading}" if heading else "no-answer"
    if item.answerable is not None:
        return "no-answer"
    best = workspace.corpus.suggest(item.question, history=item.history, k=1)
    return (text.slug(best[0].section.heading) if best else "") or "draft"


def _placed(workspace: Workspace, item: Item) -> Item:
    """Return a new item with the split proposed for it: that of its cluster or of an item that
    asks the same, else the one that keeps both splits alike.
    """
    if item.revision:
        return item
    others = workspace.store.items()
    same = workspace.matcher.same
    twin = next((one for one in others if same(one.question, item.question)), None)
    if twin is not None:
        return replace(item, split=twin.split)
    share = workspace.settings.split.holdout
    return replace(item, split=triage.stratified(item, others, share))

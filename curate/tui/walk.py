"""What needs a person because documents or chunks changed, one step after the other.

Everything here but the classes runs in worker threads.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from curate.model.documents import Evidence, Passage, Section
from curate.model.items import Item
from curate.tui import desk
from curate.tui.desk import Case, Opened, Page
from curate.tui.spans import Span
from curate.tui.widgets import signs
from curate.workspace import drafting
from curate.workspace.workspace import Workspace

Kind = Literal["evidence", "absence", "chunks"]
_NEAR = 9
"""Chunks that are shown."""
_LONG, _PIECE = 20, 4
"""A word longer than this is looked for in pieces of so many characters."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to look at: evidence `number` of an item that moved or is lost, an absence that a
    passage disputes now, or chunks that a remap was not sure of.

    `was` is what the item quotes, `now` where that stands by its grade, `chunks` are those
    proposed, `why` says what happened in words.
    """

    kind: Kind
    item: str
    why: str
    number: int = 0
    was: tuple[Evidence, ...] = ()
    now: Evidence | None = None
    chunks: tuple[str, ...] = ()


def steps(workspace: Workspace) -> list[Step]:
    """Return everything that needs a person, by item."""
    drifted = workspace.drifted()
    found = [
        Step(
            "evidence",
            drift.item.id,
            signs.GRADES[drift.now.grade][0],
            drift.number,
            (drift.was,),
            drift.now,
        )
        for drift in drifted.evidence
    ]
    found += [
        Step(
            "absence",
            risen.item.id,
            f"{risen.source} › {risen.heading} answers it better than any did: "
            f"{risen.before:.2f} before, {risen.now:.2f} now",
        )
        for risen in drifted.absence
    ]
    found += [
        Step(
            "chunks",
            waiting.item.id,
            f"{waiting.label.status}: {waiting.label.reason or 'no chunk holds it surely'}",
            was=waiting.item.evidences,
            chunks=waiting.label.chunks,
        )
        for waiting in workspace.waiting()
    ]
    return sorted(found, key=lambda step: step.item)


def opened(workspace: Workspace, step: Step) -> Opened:
    """Return the item of a step as it stands now, with what may take the place of the old."""
    case = Case(workspace.store.item(step.item), None, ())
    if step.kind == "chunks":
        chunks = proposed(workspace, step, case.item)
        return Opened(case, tuple(chunks), chunk_page(chunks[0]) if chunks else None)
    passages = desk.suggested(workspace, case)
    if step.was:
        passages = _merged(workspace.corpus.search(step.was[0].phrase), passages)
        passages.sort(key=lambda passage: not _was_there(passage, step.was[0]))
    if step.now is not None and step.now.grade != "lost":
        span = (step.now.start, step.now.end)
        return Opened(case, tuple(passages), desk.page_at(workspace, step.now.source, span))
    page = desk.page_of(workspace, passages[0]) if passages else None
    return Opened(case, tuple(passages), page)


def _was_there(passage: Passage, was: Evidence) -> bool:
    """Whether a passage is the section that was quoted: most words are changed where they stand."""
    return (passage.section.source, passage.section.heading) == (was.source, was.heading)


def _merged(first: Iterable[Passage], then: Iterable[Passage]) -> list[Passage]:
    places = {(p.section.source, p.section.start): p for p in (*first, *then)}
    return list(places.values())


def proposed(workspace: Workspace, step: Step, item: Item) -> list[Passage]:
    """Return the chunks that may answer an item: those of the remap, then those most like it."""
    words = " ".join(evidence.phrase for evidence in step.was) or item.question
    return near(workspace, words, step.chunks)


def near(workspace: Workspace, words: str, proposed: Sequence[str] = ()) -> list[Passage]:
    """Return chunks of the current chunk set: those proposed, then those that share most words.

    A chunk is told as a passage: its id is the heading, its text the section.
    """
    from curate.workspace.upkeep import chunk_files, chunking

    chunks = chunking.named(workspace)
    wanted = _pieces(words)
    order = {name: len(proposed) - number for number, name in enumerate(proposed)}

    def score(row: dict[str, str]) -> tuple[int, int]:
        text = row["text"].casefold()
        return order.get(row["id"], 0), sum(piece in text for piece in wanted)

    rows = chunk_files.rows(chunking.file(workspace, chunks))
    best = heapq.nlargest(_NEAR, ((score(row), -at, row) for at, row in enumerate(rows)))
    return [
        Passage(
            Section(row["source"], row["id"], (), 0, 0, len(row["text"]), row["text"]),
            float(shared),
            (0, len(row["text"])),
        )
        for (first, shared), _at, row in best
        if first or shared
    ]


def _pieces(words: str) -> set[str]:
    """What is looked for in a chunk: words, and pieces of what a script writes without spaces."""
    found = set()
    for word in words.casefold().split():
        word = word.strip(".,;:!?\"'()[]“”")
        if len(word) > 1:
            step = _PIECE if len(word) > _LONG else len(word)
            found |= {word[at : at + step] for at in range(0, len(word) - step + 1, step)}
    return found


def chunk_page(passage: Passage) -> Page:
    """Return a chunk as a page: its text is the document, and all of it is selected."""
    chunk = passage.section
    whole = (0, len(chunk.text))
    return Page(chunk.source, chunk.heading, chunk.text, whole, (whole,), whole)


def replaced(workspace: Workspace, item: Item, number: int, source: str, span: Span) -> Item:
    """Return `item` with another span of the documents as its evidence `number`."""
    return drafting.moved(workspace, item, number, workspace.corpus.evidence(source, *span))


def lost(item: Item, number: int) -> Item:
    """Return `item` without its evidence `number`, as a draft that somebody has to mend."""
    evidences = (*item.evidences[:number], *item.evidences[number + 1 :])
    answerable = item.answerable if evidences else None
    return replace(item, evidences=evidences, answerable=answerable, status="draft")

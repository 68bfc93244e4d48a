"""Drift: the documents changed, and what the set says of them is true no more, or not sure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from curate.model.documents import Evidence
from curate.model.errors import CurateError, Exit
from curate.model.items import Item
from curate.text import contains
from curate.workspace import drafting

if TYPE_CHECKING:
    from curate.workspace.workspace import Workspace

RISEN = 1.05
"""By what factor the best match of an unanswerable item must grow to be worth a look: scores
shift a little with every document that comes or goes."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Evidence `number` (from 0) of an item is not verbatim any more.

    `now` is where it stands by its grade: the span that is proposed, or the evidence as it was
    when it is lost.
    """

    item: Item
    number: int
    now: Evidence

    @property
    def was(self) -> Evidence:
        """The evidence as the item holds it."""
        return self.item.evidences[self.number]

    @property
    def pure_move(self) -> bool:
        """Whether the very phrase stands elsewhere, in one place that nobody can mistake."""
        return self.now.grade == "moved" and contains(self.now.phrase, self.was.phrase)


@dataclass(frozen=True, slots=True)
class Risen:
    """An unanswerable item that a passage matches better than any did when that was decided."""

    item: Item
    before: float
    now: float
    source: str
    heading: str


@dataclass(frozen=True, slots=True)
class Drifted:
    """What needs a person, by item id."""

    evidence: tuple[Drift, ...]
    absence: tuple[Risen, ...]

    def __bool__(self) -> bool:
        return bool(self.evidence or self.absence)


def drifted(workspace: Workspace) -> Drifted:
    """Locate every evidence, and search again for what was absent, in the documents as last
    synced; return what changed. Retired items are left alone.
    """
    corpus = workspace.corpus
    items = [item for item in workspace.store.items() if item.status in ("ready", "draft")]
    digest = corpus.digest()
    return Drifted(
        tuple(
            Drift(item, number, now)
            for item in items
            for number, evidence in enumerate(item.evidences)
            if (now := corpus.locate(evidence)).grade != "verbatim"
        ),
        tuple(
            risen
            for item in items
            if item.answerable is False
            and item.absence is not None
            and item.absence.corpus != digest
            and (risen := _risen(workspace, item)) is not None
        ),
    )


def _risen(workspace: Workspace, item: Item) -> Risen | None:
    found = workspace.corpus.suggest(item.question, history=item.history, k=1)
    before = (
        max((score for _, _, score in item.absence.nearest), default=0.0) if item.absence else 0
    )
    if not found or found[0].score <= before * RISEN:
        return None
    best = found[0]
    return Risen(item, before, round(best.score, 4), best.section.source, best.section.heading)


def follow(workspace: Workspace) -> tuple[str, ...]:
    """Write the new place of every pure move into its item, and return the items' ids. One act.

    An item of which another evidence needs a person keeps that one as it is.
    """
    moves = [drift for drift in drifted(workspace).evidence if drift.pure_move]
    return _rewrite(workspace, moves, "follow", "the phrase moved")


def relocate(workspace: Workspace, ids: Collection[str]) -> tuple[str, ...]:
    """Take the proposed place for all drifted evidence of these items, as one act of a person.

    Returns the ids that were changed. Raises `CurateError` for an id that did not drift, and for
    evidence that is lost: there is nothing to take.
    """
    found = [drift for drift in drifted(workspace).evidence if drift.item.id in ids]
    strangers = set(ids) - {drift.item.id for drift in found}
    if strangers:
        raise CurateError(
            f"no evidence of {', '.join(sorted(strangers))} drifted",
            "`curate corpus sync` lists what did.",
            Exit.USAGE,
        )
    lost = sorted({drift.item.id for drift in found if drift.now.grade == "lost"})
    if lost:
        raise CurateError(
            f"evidence of {', '.join(lost)} is lost: there is no place to take",
            "Find another passage (`curate corpus search`), or say that nothing answers it now.",
            Exit.FOUND,
        )
    return _rewrite(workspace, found, "relocate", "the documents changed")


def _rewrite(
    workspace: Workspace, found: Collection[Drift], action: str, reason: str
) -> tuple[str, ...]:
    items = {drift.item.id: drift.item for drift in found}
    for drift in found:
        now = replace(drift.now, grade="verbatim")
        item = drafting.moved(workspace, items[drift.item.id], drift.number, now)
        items[item.id] = item
    if items:
        workspace.store.save_items(
            [(item, item.revision) for item in items.values()],
            by=workspace.who,
            now=workspace.now(),
            action=action,
            reason=reason,
        )
    return tuple(sorted(items))

"""Items that come back: what they quote moved, or they failed in the last scored run.

`returned` runs in worker threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from curate.evaluate.answers import Label
from curate.model.evaluation import Failure
from curate.model.items import Item
from curate.workspace.workspace import Workspace

LABELS: tuple[tuple[Label, str], ...] = (
    ("retrieval miss", "the evidence was not retrieved"),
    ("bad chunk", "a chunk holds only a part of it"),
    ("generation", "it was retrieved, and the answer is wrong"),
    ("refusal", "refused without need, or answered without ground"),
    ("stale document", "a document tells what is over"),
    ("contradictory documents", "documents tell different things"),
    ("no reply", "the assistant gave none"),
)
"""What a failure can be called, and what that means."""


@dataclass(frozen=True, slots=True)
class Returned:
    """An item to look at again: `moved` says in a word what became of what it quotes, `failure` how
    it failed.
    """

    item: Item
    moved: str = ""
    failure: Failure | None = None

    @property
    def waits(self) -> bool:
        """Whether it needs a person still: a failure with its label confirmed does not."""
        return bool(self.moved) or (self.failure is not None and not self.failure.confirmed)


def returned(workspace: Workspace) -> tuple[Returned, ...]:
    """Return what came back, items that moved first, then by id; retired items do not."""
    drifted = workspace.drifted()
    moved: dict[str, str] = {drift.item.id: drift.now.grade for drift in drifted.evidence}
    moved |= {risen.item.id: "answered?" for risen in drifted.absence}
    moved |= {waiting.item.id: "chunks" for waiting in workspace.waiting()}
    failed = {failure.item: failure for failure in workspace.store.failures()}
    found = [
        Returned(item, moved.get(item.id, ""), failed.get(item.id))
        for item in workspace.store.items()
        if item.status in ("ready", "draft") and (item.id in moved or item.id in failed)
    ]
    return tuple(sorted(found, key=lambda one: (not one.moved, one.item.id)))


def called(found: Iterable[Returned], failures: Iterable[Failure]) -> tuple[Returned, ...]:
    """Return what came back, with its failures as they are called now."""
    now = {failure.item: failure for failure in failures}
    return tuple(replace(one, failure=now.get(one.item.id)) for one in found)


def counts(found: Sequence[Returned]) -> str:
    """Return how often which failure happened and how many of them a person confirmed, in words,
    empty when nothing failed.
    """
    failures = [one.failure for one in found if one.failure is not None]
    if not failures:
        return ""
    labels = Counter(one.confirmed or one.label for one in failures)
    confirmed = sum(bool(one.confirmed) for one in failures)
    told = ", ".join(f"{number} {label}" for label, number in labels.most_common())
    return f"{confirmed} of {len(failures)} confirmed: {told}"

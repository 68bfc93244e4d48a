"""Follow-ups that the assistant rewrites before it searches: does the rewriting help?"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from curate.evaluate import intervals, paired
from curate.evaluate.intervals import Interval
from curate.evaluate.scoring import Outcome, Scored

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Duel:
    """One follow-up, with and without rewriting: the ranks of its first right chunk.

    `likeness` is the overlap (F1, 0 to 1) of the words of the rewritten question and of the
    item's standalone question, None where either is not known.
    """

    item: str
    with_rank: int | None
    without_rank: int | None
    likeness: float | None

    @property
    def better(self) -> int:
        """Return 1 where rewriting found it higher, -1 where lower, 0 where nothing changed."""
        far = 1 << 30
        a, b = self.with_rank or far, self.without_rank or far
        return (a < b) - (a > b)


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The verdict over all follow-ups: wins, losses, and the win rate among those that moved.

    `rate` is None where nothing moved, `p` that of a sign test, `likeness` the mean.
    """

    duels: tuple[Duel, ...]
    wins: int
    losses: int
    rate: Interval | None
    p: float
    likeness: Interval | None


def evaluate(with_: Scored, without: Scored) -> Rewriting:
    """Return how a run with rewriting does against one without, on items that have a history.

    Both are scored against the same set.
    """
    duels = tuple(
        Duel(a.id, a.rank, b.rank, _likeness(a))
        for a, b in zip(with_.outcomes, without.outcomes, strict=True)
        if a.case.history and a.retrieved is not None
    )
    wins = sum(duel.better > 0 for duel in duels)
    losses = sum(duel.better < 0 for duel in duels)
    moved = wins + losses
    likenesses = [(duel.likeness,) for duel in duels if duel.likeness is not None]
    names = [duel.item for duel in duels if duel.likeness is not None]
    return Rewriting(
        duels,
        wins,
        losses,
        intervals.wilson(wins, moved) if moved else None,
        paired.mcnemar(wins, losses),
        intervals.means(likenesses, names)[0] if likenesses else None,
    )


def _likeness(outcome: Outcome) -> float | None:
    rewritten = outcome.reply.rewritten if outcome.reply else ""
    if not rewritten or not outcome.case.standalone:
        return None
    ours = Counter(_WORD.findall(outcome.case.standalone.casefold()))
    theirs = Counter(_WORD.findall(rewritten.casefold()))
    shared = (ours & theirs).total()
    return 2 * shared / (ours.total() + theirs.total()) if shared else 0.0

"""People reading answers: which ones this week, what they said over the weeks, and whether a
judge agrees with them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from curate.evaluate import intervals
from curate.evaluate.intervals import Interval
from curate.model.evaluation import Mark, Review

Key = TypeVar("Key", int, str)

MARKS: dict[str, Mark] = {"g": "good", "w": "wrong", "u": "unsupported"}
"""The key that gives each mark."""
WEEKLY = 20


@dataclass(frozen=True, slots=True)
class Batch:
    """What people said of one sample: how many of each mark, the share that is good."""

    name: str
    good: int
    wrong: int
    unsupported: int
    share: Interval


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge against people on the same answers: who called an answer good.

    `agreed` is the share of equal verdicts, `base` the share people call good, `kappa` Cohen's
    (1960), None where one side never varies. `disagreements` are ids, those the judge let pass
    first.
    """

    n: int
    agreed: Interval
    base: float
    kappa: float | None
    passed_by_judge: tuple[str, ...]
    failed_by_judge: tuple[str, ...]

    @property
    def disagreements(self) -> tuple[str, ...]:
        """Return the ids on which judge and people differ."""
        return self.passed_by_judge + self.failed_by_judge


def week(moment: datetime) -> str:
    """Return the name of a week's batch: `2026-W48`."""
    year, number, _ = moment.isocalendar()
    return f"{year}-W{number:02}"


def sample(ids: Sequence[Key], batch: str, size: int = WEEKLY) -> list[Key]:
    """Return the ids to review in a batch, in the order to review them.

    The batch's name is the seed: the same ids give the same sample, and one that is cut short
    goes on where it was.
    """
    chance = random.Random(f"curate review {batch}")  # noqa: S311 - a sample, not a secret
    return chance.sample(sorted(ids), min(size, len(ids)))


def batches(reviews: Sequence[Review]) -> list[Batch]:
    """Return the figures of each batch, by name."""
    found = []
    for name in sorted({review.batch for review in reviews}):
        marks = [review.mark for review in reviews if review.batch == name]
        good = marks.count("good")
        share = intervals.wilson(good, len(marks))
        found.append(Batch(name, good, marks.count("wrong"), marks.count("unsupported"), share))
    return found


def agreement(people: Mapping[str, Mark], judge: Mapping[str, bool]) -> Agreement | None:
    """Return how far a judge agrees with people on the answers that both have seen, or None
    where there are none. `judge` says whether it found an answer good.
    """
    both = sorted(people.keys() & judge.keys())
    if not both:
        return None
    n = len(both)
    good = {name: people[name] == "good" for name in both}
    same = sum(good[name] == judge[name] for name in both)
    base = sum(good.values()) / n
    passed = sum(judge[name] for name in both) / n
    chance = base * passed + (1 - base) * (1 - passed)
    kappa = (same / n - chance) / (1 - chance) if chance < 1 else None
    return Agreement(
        n,
        intervals.wilson(same, n),
        base,
        kappa,
        tuple(name for name in both if judge[name] and not good[name]),
        tuple(name for name in both if good[name] and not judge[name]),
    )

"""Runs side by side: what moved, item by item, and whether it could be noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curate.evaluate import metrics, paired
from curate.evaluate.retrieval import Retrieved
from curate.evaluate.scoring import Outcome, Scored, Side

NOISE = 0.05
"""Differences with a p-value above this are said to be possibly noise."""
MEANS = ("mrr", "recall", "ndcg")


@dataclass(frozen=True, slots=True)
class Difference:
    """A measure of two runs over the same items, and the p-value of its paired test.

    `gained` and `lost` count items that got better and worse. `test` names the test.
    """

    measure: str
    split: Side
    before: float
    after: float
    gained: int
    lost: int
    n: int
    p: float
    test: str

    @property
    def sentence(self) -> str:
        """Say in words what changed and whether it could be noise."""
        moved = f"{self.measure} {self.before:.2f} -> {self.after:.2f}"
        if not self.gained and not self.lost:
            return f"{moved}: no item moved."
        items = f"{self.gained} of {self.n} items better, {self.lost} worse"
        if self.p > NOISE:
            return f"{moved}: {items}. This could be noise ({self.test}, p = {self.p:.2f})."
        chance = "p < 0.001" if self.p < 0.001 else f"p = {self.p:.3f}"
        return f"{moved}: {items}. This is hardly noise ({self.test}, {chance})."


@dataclass(frozen=True, slots=True)
class Moved:
    """An item that fares otherwise than before: its ranks, whether it passed, and in words."""

    item: str
    split: str
    before: int | None
    after: int | None
    better: bool
    words: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """One run against the first."""

    base: str
    run: str
    differences: tuple[Difference, ...]
    moved: tuple[Moved, ...]
    same_set: bool

    def headline(self, k: int) -> tuple[Difference, ...]:
        """Return the differences that count first: hit@k, MRR@k and the passes."""
        wanted = (f"hit@{k}", f"mrr@{k}", "pass")
        return tuple(d for d in self.differences if d.measure in wanted)


def compare(base: Scored, other: Scored) -> Comparison:
    """Return how `other` differs from `base`, both scored against the same set.

    An item that one of them has no reply to counts as a miss there.
    """
    differences: list[Difference] = []
    for side in dict.fromkeys(score.split for score in base.scores):
        pairs = [
            (a, b)
            for a, b in zip(base.outcomes, other.outcomes, strict=True)
            if side in ("all", a.case.split)
        ]
        differences += _retrieval(pairs, side, base.ks)
        differences += _passes(pairs, side)
    moved = [
        found
        for a, b in zip(base.outcomes, other.outcomes, strict=True)
        if (found := _moved(a, b)) is not None
    ]
    asked = (base.run.asked, other.run.asked)
    same = None in asked or asked[0] == asked[1]
    return Comparison(base.run.name, other.run.name, tuple(differences), tuple(moved), same)


def _retrieval(
    pairs: Sequence[tuple[Outcome, Outcome]], side: Side, ks: Sequence[int]
) -> list[Difference]:
    looked = [
        (a.retrieved, b.retrieved, a.case.cluster)
        for a, b in pairs
        if a.retrieved is not None and b.retrieved is not None
    ]
    if not looked:
        return []
    found = []
    for k in ks:
        flips = [(metrics.hit(a.right, k), metrics.hit(b.right, k)) for a, b, _ in looked]
        found.append(_flips(f"hit@{k}", side, flips))
        for name in MEANS:
            values = [(_value(name, a, k), _value(name, b, k)) for a, b, _ in looked]
            clusters = [cluster for _, _, cluster in looked]
            p = paired.permutation([b - a for a, b in values], clusters)
            found.append(_difference(f"{name}@{k}", side, values, p, "paired permutation test"))
    return found


def _value(name: str, found: Retrieved, k: int) -> float:
    if name == "mrr":
        return metrics.reciprocal_rank(found.right, k)
    if name == "recall":
        return metrics.recall(found.found, k)
    return metrics.ndcg(found.gains, found.ideal, k)


def _passes(pairs: Sequence[tuple[Outcome, Outcome]], side: Side) -> list[Difference]:
    judged = [
        (float(a.verdict.passed), float(b.verdict.passed))
        for a, b in pairs
        if a.verdict.passed is not None and b.verdict.passed is not None
    ]
    return [_flips("pass", side, judged)] if judged else []


def _flips(measure: str, side: Side, values: Sequence[tuple[float, float]]) -> Difference:
    gained = sum(b > a for a, b in values)
    p = paired.mcnemar(gained, sum(b < a for a, b in values))
    return _difference(measure, side, values, p, "exact McNemar test")


def _difference(
    measure: str, side: Side, values: Sequence[tuple[float, float]], p: float, test: str
) -> Difference:
    n = len(values)
    return Difference(
        measure,
        side,
        sum(a for a, _ in values) / n,
        sum(b for _, b in values) / n,
        sum(b > a for a, b in values),
        sum(b < a for a, b in values),
        n,
        p,
        test,
    )


def _moved(a: Outcome, b: Outcome) -> Moved | None:
    words = []
    better = 0
    if a.rank != b.rank:
        words.append(f"rank {a.rank or '-'} -> {b.rank or '-'}")
        better += 1 if (b.rank or 1 << 30) < (a.rank or 1 << 30) else -1
    if a.verdict.passed != b.verdict.passed:
        words.append("passes now" if b.verdict.passed else f"fails now: {b.verdict.why}")
        better += 2 if b.verdict.passed else -2
    if not words:
        return None
    return Moved(a.id, a.case.split, a.rank, b.rank, better > 0, "; ".join(words))

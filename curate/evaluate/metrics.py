"""Retrieval measures of one item, as pure functions of its gains.

`gains` are the relevance grades of what was retrieved, best rank first, 0 for what is not
relevant; each relevant thing counts once, where it first appears. `ideal` are the grades of all
that is relevant, found or not. Every measure lies between 0 and 1, and is 0 for an empty list.

Definitions: Manning, Raghavan, Schütze, "Introduction to Information Retrieval" (2008), ch. 8;
nDCG with the logarithmic discount and linear gain of Järvelin and Kekäläinen (2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

Grades = Sequence[float]


def first_rank(gains: Grades, k: int | None = None) -> int | None:
    """Return the rank (from 1) of the first relevant result within the first `k`, or None."""
    return next((rank for rank, gain in enumerate(gains[:k], 1) if gain > 0), None)


def hit(gains: Grades, k: int) -> float:
    """Return 1 if anything relevant is among the first `k`, else 0: hit@k, or success@k."""
    return float(first_rank(gains, k) is not None)


def reciprocal_rank(gains: Grades, k: int) -> float:
    """Return 1 / rank of the first relevant result within the first `k`, else 0."""
    rank = first_rank(gains, k)
    return 1 / rank if rank else 0.0


def recall(gains: Grades, ideal: Grades, k: int) -> float:
    """Return the share of all that is relevant found among the first `k`."""
    relevant = _count(ideal)
    return _count(gains[:k]) / relevant if relevant else 0.0


def precision(gains: Grades, k: int) -> float:
    """Return the share of the `k` places that hold something relevant; empty places hold none."""
    return _count(gains[:k]) / k


def dcg(gains: Grades, k: int) -> float:
    """Return the discounted cumulated gain of the first `k`: sum of gain / log2(rank + 1)."""
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))


def ndcg(gains: Grades, ideal: Grades, k: int) -> float:
    """Return `dcg` as a share of the best order's, over everything that is relevant."""
    best = dcg(sorted(ideal, reverse=True), k)
    return dcg(gains, k) / best if best else 0.0


def _count(grades: Grades) -> int:
    return sum(grade > 0 for grade in grades)

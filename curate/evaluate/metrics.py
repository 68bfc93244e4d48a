"""Retrieval measures of one item, as pure functions of what its ranks hold.

`right` says of each retrieved chunk, best rank first, whether it is right; `gains` are grades,
0 for what is not relevant, each relevant thing counted once, where it first appears; `ideal` are
the grades of all that is relevant, found or not. Every measure lies between 0 and 1, and is 0 for
an empty list.

Definitions: Manning, Raghavan, Schütze, "Introduction to Information Retrieval" (2008), ch. 8;
nDCG with the logarithmic discount and linear gain of Järvelin and Kekäläinen (2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

Grades = Sequence[float]


def first_rank(right: Grades, k: int | None = None) -> int | None:
    """Return the rank (from 1) of the first right chunk within the first `k`, or None."""
    return next((rank for rank, gain in enumerate(right[:k], 1) if gain > 0), None)


def hit(right: Grades, k: int) -> float:
    """Return 1 if a right chunk is among the first `k`, else 0: hit@k, or success@k."""
    return float(first_rank(right, k) is not None)


def reciprocal_rank(right: Grades, k: int) -> float:
    """Return 1 / rank of the first right chunk within the first `k`, else 0."""
    rank = first_rank(right, k)
    return 1 / rank if rank else 0.0


def recall(ranks: Sequence[int | None], k: int) -> float:
    """Return the share of the gold found among the first `k`.

    `ranks` are the ranks where each piece of gold first appears, None where it does not.
    """
    found = sum(rank is not None and rank <= k for rank in ranks)
    return found / len(ranks) if ranks else 0.0


def precision(right: Grades, k: int) -> float:
    """Return the share of the `k` places that hold a right chunk; empty places hold none."""
    return sum(gain > 0 for gain in right[:k]) / k


def dcg(gains: Grades, k: int) -> float:
    """Return the discounted cumulated gain of the first `k`: sum of gain / log2(rank + 1)."""
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains[:k], 1) if gain)


def ndcg(gains: Grades, ideal: Grades, k: int) -> float:
    """Return `dcg` as a share of the best order's, over everything that is relevant."""
    best = dcg(sorted(ideal, reverse=True), k)
    return dcg(gains, k) / best if best else 0.0

"""Retrieval measures: the check values to the digit, and ir-measures as the oracle."""

import random

import ir_measures
import pytest
from ir_measures import RR, P, Qrel, R, ScoredDoc, Success, nDCG

from curate.evaluate import metrics

RANKS = [1, None, 1, 3, 3, 2, 4, 1, 1]
"""The ranks of nine questions whose figures are known."""


def right(rank: int | None, depth: int = 8) -> list[float]:
    return [float(place == rank) for place in range(1, depth + 1)]


@pytest.mark.parametrize(
    ("k", "hit", "mrr"), [(1, "0.44", "0.44"), (2, "0.56", "0.50"), (4, "0.89", "0.60")]
)
def test_nine_known_ranks_give_their_known_figures(k: int, hit: str, mrr: str) -> None:
    rows = [right(rank) for rank in RANKS]

    assert f"{sum(metrics.hit(row, k) for row in rows) / 9:.2f}" == hit
    assert f"{sum(metrics.reciprocal_rank(row, k) for row in rows) / 9:.2f}" == mrr


@pytest.mark.parametrize("late", [5, 6, 7, 8])
def test_with_the_missing_answer_found_late_all_are_hits_and_mrr_is_62(late: int) -> None:
    rows = [right(rank or late) for rank in RANKS]

    assert sum(metrics.hit(row, 8) for row in rows) == 9
    assert f"{sum(metrics.reciprocal_rank(row, 8) for row in rows) / 9:.2f}" == "0.62"


def test_graded_measures_of_the_nine_ranks() -> None:
    rows = [right(rank) for rank in RANKS]

    assert round(sum(metrics.ndcg(row, [1.0], 4) for row in rows) / 9, 4) == 0.6735
    assert round(sum(metrics.recall([rank], 4) for rank in RANKS) / 9, 4) == 0.8889
    assert round(sum(metrics.precision(row, 4) for row in rows) / 9, 4) == 0.2222


def test_nothing_retrieved_and_nothing_relevant_are_zero() -> None:
    assert metrics.first_rank([]) is None
    assert metrics.hit([], 4) == metrics.reciprocal_rank([], 4) == metrics.precision([], 4) == 0
    assert metrics.recall([], 4) == metrics.ndcg([1.0], [], 4) == metrics.ndcg([], [1.0], 4) == 0


@pytest.mark.parametrize("seed", range(30))
def test_random_runs_agree_with_ir_measures(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seed, no secret
    documents = [f"d{number}" for number in range(20)]
    k = chance.choice([1, 2, 3, 5, 10])
    grades = {d: chance.randint(1, 3) for d in chance.sample(documents, chance.randint(1, 6))}
    ranked = chance.sample(documents, chance.randint(0, 15))
    gains = [float(grades.get(document, 0)) for document in ranked]
    found = [ranked.index(d) + 1 if d in ranked else None for d in grades]
    run = [ScoredDoc("q", d, len(ranked) - rank) for rank, d in enumerate(ranked)]
    # a query that retrieved nothing is missing from the run, and counts as 0 there
    theirs = ir_measures.calc_aggregate(
        [Success @ k, RR @ k, R @ k, P @ k, nDCG @ k],
        [Qrel("q", document, grade) for document, grade in grades.items()],
        [*run, ScoredDoc("another", "d0", 1.0)],
    )

    assert {
        Success @ k: metrics.hit(gains, k),
        RR @ k: metrics.reciprocal_rank(gains, k),
        R @ k: metrics.recall(found, k),
        P @ k: metrics.precision(gains, k),
        nDCG @ k: metrics.ndcg(gains, list(grades.values()), k),
    } == pytest.approx(theirs, abs=1e-6)

"""Intervals, held to SciPy's."""

import random

import numpy as np
import pytest
from scipy import stats

from curate.evaluate import intervals

MRR = [1, 0, 1, 1 / 3, 1 / 3, 1 / 2, 1 / 4, 1, 1]


@pytest.mark.parametrize(("count", "n"), [(8, 9), (0, 5), (5, 5), (1, 1), (37, 120)])
def test_wilson_is_scipys(count: int, n: int) -> None:
    theirs = stats.binomtest(count, n).proportion_ci(method="wilson")
    ours = intervals.wilson(count, n)

    assert (ours.value, ours.low, ours.high) == pytest.approx(
        (count / n, theirs.low, theirs.high), abs=1e-12
    )


def test_eight_of_nine_is_between_57_and_98() -> None:
    found = intervals.wilson(8, 9)

    assert f"{found.low:.2f} {found.high:.2f}" == "0.57 0.98"


@pytest.mark.parametrize("values", [MRR, [0.1, 0.9, 0.4, 0.4, 0.2, 0.7, 0.8, 0.3, 0.3, 1.0, 0.6]])
def test_the_bootstrap_interval_is_scipys_bca(values: list[float]) -> None:
    theirs = stats.bootstrap(
        (np.array(values),), np.mean, n_resamples=9999, rng=np.random.default_rng(1)
    ).confidence_interval
    (ours,) = intervals.means(
        [(v,) for v in values], [str(i) for i in range(len(values))], resamples=9999
    )

    assert ours.value == pytest.approx(np.mean(values))
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_near_duplicates_make_no_interval_narrower() -> None:
    chance = random.Random(1)  # noqa: S311 - a seed, no secret
    values = [chance.random() for _ in range(30)]
    (alone,) = intervals.means([(v,) for v in values], [str(i) for i in range(30)])
    (tripled,) = intervals.means(
        [(v,) for v in values for _ in range(3)], [str(i) for i in range(30) for _ in range(3)]
    )

    assert (tripled.low, tripled.high) == pytest.approx((alone.low, alone.high), abs=1e-9)


def test_where_nothing_varies_a_share_is_still_uncertain_and_a_known_figure_is_not() -> None:
    clusters = [str(i) for i in range(9)]
    (share,) = intervals.means([(1.0,)] * 9, clusters)
    (known,) = intervals.means([(0.25,)] * 9, clusters, sampled=False)

    assert share == intervals.wilson(9, 9)
    assert (known.low, known.high) == (0.25, 0.25)


def test_the_same_seed_gives_the_same_interval() -> None:
    rows, clusters = [(v,) for v in MRR], [str(i) for i in range(9)]

    assert intervals.means(rows, clusters, seed=3) == intervals.means(rows, clusters, seed=3)
    assert intervals.means(rows, clusters, seed=3) != intervals.means(rows, clusters, seed=4)


def test_percentiles_are_values_that_occurred() -> None:
    found = intervals.percentile([5, 1, 4, 2, 3, 10, 9, 8, 7, 6], 0.5)
    last = intervals.percentile([float(v) for v in range(1, 101)], 0.95)

    assert found.value == 5
    assert found.low < 5 < found.high
    assert (last.value, last.high) == (95, 100)
    assert intervals.percentile([7.0], 0.95) == intervals.Interval(7, 7, 7)


def test_many_different_clusters_get_the_interval_that_drawing_would_give(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(2)  # noqa: S311 - a seed, no secret
    rows = [(chance.random() ** 2, chance.randrange(1000) * 1.0) for _ in range(900)]
    clusters = [str(number // 2) for number in range(900)]
    monkeypatch.setattr(intervals, "MOST_DRAWN", 0)
    reckoned = intervals.means(rows, clusters)
    monkeypatch.setattr(intervals, "MOST_DRAWN", 1 << 40)
    drawn = intervals.means(rows, clusters)

    for one, other in zip(reckoned, drawn, strict=True):
        width = other.high - other.low
        assert one.value == pytest.approx(other.value)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=width / 12)

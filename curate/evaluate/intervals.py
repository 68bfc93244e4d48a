"""Intervals around shares, means and percentiles; 95% unless told otherwise.

Written out rather than taken from a statistics library: `scipy.stats` costs more processor time
to import (1.2 s) than a whole scoring may. The tests hold every function to SciPy's results.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]

LEVEL = 0.95
RESAMPLES = 2000
MOST_DRAWN = 1_000_000
"""Resamples times different clusters that are worth drawing."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value and the interval around it, in the value's own unit."""

    value: float
    low: float
    high: float


def wilson(count: float, n: int, level: float = LEVEL) -> Interval:
    """Return the share `count / n` with Wilson's score interval (Wilson 1927), `n` at least 1."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = count / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if count == 0 else max(0.0, middle - half)
    return Interval(share, low, 1.0 if count == n else min(1.0, middle + half))


def means(
    rows: Sequence[Sequence[float]],
    clusters: Sequence[str],
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
    sampled: bool = True,
) -> list[Interval]:
    """Return the mean of each column with its bias-corrected and accelerated bootstrap interval.

    There is one row per entry of `clusters`. Rows that share a cluster are drawn together, so
    near-duplicates do not count as independent (Efron and Tibshirani, "An Introduction to the
    Bootstrap", 1993, ch. 14 for BCa). Where nothing varies between the clusters a bootstrap has
    nothing to say: values from 0 to 1 then get the wider Wilson interval of their mean, with the
    number of clusters as n, unless they are not `sampled` but known. With very many different
    clusters the ends come from the jackknife's standard error instead; they agree by then. The
    same seed gives the same interval.
    """
    import numpy as np

    drawn_as = _drawn_as(rows, clusters)
    table = np.array(list(drawn_as), dtype=float)
    times = np.array(list(drawn_as.values()))
    size = int(times.sum())
    total = times @ table
    whole = total[:-1] / total[-1]
    rest = np.maximum(total[-1] - table[:, -1:], 1)
    left = (total[:-1] - table[:, :-1]) / rest  # a jackknife over clusters
    if len(times) * resamples > MOST_DRAWN:
        return _normal(whole, left, times, level)
    # drawing `size` clusters is drawing how often each kind of cluster comes
    picks = np.random.default_rng(seed).multinomial(size, times / size, resamples)
    sums = picks @ table
    drawn = np.sort(sums[:, :-1] / sums[:, -1:], axis=0)
    return [
        _flat(float(whole[i]), size, level, sampled=sampled)
        if np.ptp(drawn[:, i]) < 1e-12
        else _bca(float(whole[i]), drawn[:, i], left[:, i], times, level)
        for i in range(len(whole))
    ]


def _drawn_as(
    rows: Sequence[Sequence[float]], clusters: Sequence[str]
) -> Counter[tuple[float, ...]]:
    """Count clusters that are alike: by their sums, with their number of rows at the end."""
    if len(set(clusters)) == len(clusters):
        alike = Counter(map(tuple, rows))
        return Counter({(*row, 1.0): times for row, times in alike.items()})
    sums: dict[str, tuple[float, ...]] = {}
    for row, cluster in zip(rows, clusters, strict=True):
        before = sums.get(cluster)
        if before is None:
            sums[cluster] = (*row, 1.0)
        else:
            sums[cluster] = tuple(a + b for a, b in zip(before, (*row, 1.0), strict=True))
    return Counter(sums.values())


def _normal(whole: Floats, left: Floats, times: Counts, level: float) -> list[Interval]:
    import numpy as np

    n = times.sum()
    away = left - times @ left / n
    errors = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt((n - 1) / n * (times @ away**2))
    return [
        Interval(float(mean), float(mean - error), float(mean + error))
        for mean, error in zip(whole, errors, strict=True)
    ]


def _flat(whole: float, clusters: int, level: float, *, sampled: bool) -> Interval:
    if sampled and 0 <= whole <= 1:
        return wilson(whole * clusters, clusters, level)
    return Interval(whole, whole, whole)


def _bca(whole: float, drawn: Floats, left: Floats, times: Counts, level: float) -> Interval:
    import numpy as np

    normal = NormalDist()
    below = (np.sum(drawn < whole - 1e-12) + np.sum(drawn <= whole + 1e-12)) / (2 * len(drawn))
    bias = normal.inv_cdf(min(max(float(below), 1e-9), 1 - 1e-9))
    away = left @ times / times.sum() - left
    spread = float(away**2 @ times) ** 1.5
    skew = float(away**3 @ times) / (6 * spread) if spread else 0.0
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = bias + normal.inv_cdf(tail)
        ends.append(normal.cdf(bias + z / (1 - skew * z)))
    low, high = np.quantile(drawn, ends)
    return Interval(whole, float(low), float(high))


def percentile(values: Sequence[float], share: float, level: float = LEVEL) -> Interval:
    """Return the value that `share` (0 to 1) of `values` do not exceed, by nearest rank.

    The ends are order statistics whose ranks come from the normal approximation of the binomial
    (Conover, "Practical Nonparametric Statistics", 1999, ch. 3.2). `values` is not empty.
    """
    ordered = sorted(values)
    n = len(ordered)
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(n * share * (1 - share))

    def at(rank: float) -> float:
        return ordered[min(max(math.ceil(rank), 1), n) - 1]

    return Interval(at(n * share), at(n * share - half), at(n * share + half + 1))

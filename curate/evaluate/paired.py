"""Could the difference between two runs over the same items be noise? Exact where that is cheap.

Held to `scipy.stats` in the tests, and written out for the same reason as the intervals.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

EXACT = 16
"""Up to so many groups that differ, every assignment of signs is tried: 65,536 of them."""
DRAWS = 20_000


def mcnemar(gained: int, lost: int) -> float:
    """Return the exact two-sided p-value of McNemar's test: flips one way against the other.

    The chance that a fair coin, tossed once per flip, is at least as uneven (McNemar 1947).
    """
    flips = gained + lost
    tail = sum(math.comb(flips, i) for i in range(min(gained, lost) + 1))
    share: float = 2 * tail / (1 << flips)  # integers of any size
    return min(1.0, share)


def permutation(differences: Sequence[float], clusters: Sequence[str], seed: int = 0) -> float:
    """Return the two-sided p-value of a paired permutation test on the mean difference.

    Under the hypothesis that the runs are alike each group's difference could as well have had
    the other sign (Fisher 1935); near-duplicates change sign together. Exact up to `EXACT` groups
    that differ, else from `DRAWS` random assignments of signs, the one seen counted in.
    """
    grouped: dict[str, float] = defaultdict(float)
    for cluster, difference in zip(clusters, differences, strict=True):
        grouped[cluster] += difference
    moved = [value for value in grouped.values() if abs(value) > 1e-12]
    if not moved:
        return 1.0
    import numpy as np

    values = np.array(moved)
    seen = abs(values.sum()) - 1e-9
    if len(values) <= EXACT:
        sums = np.zeros(1)
        for value in values:
            sums = np.concatenate([sums + value, sums - value])
        return float(np.mean(np.abs(sums) >= seen))
    rng = np.random.default_rng(seed)
    extreme = 0
    for start in range(0, DRAWS, 1000):
        signs = rng.integers(0, 2, (min(1000, DRAWS - start), len(values))) * 2 - 1
        extreme += int(np.sum(np.abs(signs @ values) >= seen))
    return (extreme + 1) / (DRAWS + 1)

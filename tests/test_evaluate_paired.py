"""Paired tests, held to SciPy's."""

import numpy as np
import pytest
from scipy import stats

from curate.evaluate import paired

DIFFERENCES = [0, 0.5, 0, 0.667, 0.667, 0, 0.25, 0, -0.5]


@pytest.mark.parametrize(("gained", "lost"), [(1, 0), (5, 0), (6, 1), (3, 3), (0, 0), (700, 800)])
def test_mcnemar_is_the_exact_test_of_a_fair_coin(gained: int, lost: int) -> None:
    theirs = stats.binomtest(gained, gained + lost).pvalue if gained + lost else 1.0

    assert paired.mcnemar(gained, lost) == pytest.approx(theirs, rel=1e-9)


def test_one_flip_among_nine_says_nothing() -> None:
    assert paired.mcnemar(1, 0) == 1.0


def test_the_permutation_test_is_scipys_exact_one() -> None:
    theirs = stats.permutation_test(
        (np.array(DIFFERENCES),), np.sum, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    clusters = [str(i) for i in range(len(DIFFERENCES))]

    assert paired.permutation(DIFFERENCES, clusters) == pytest.approx(theirs)


def test_many_items_are_tested_by_drawing_and_still_agree() -> None:
    chance = np.random.default_rng(5)
    differences = list(chance.normal(0.1, 0.5, 60))
    drawn = paired.permutation(differences, [str(i) for i in range(60)])
    normal = 2 * stats.norm.sf(abs(sum(differences)) / np.sqrt(np.sum(np.square(differences))))

    assert drawn == pytest.approx(normal, abs=0.02)


def test_near_duplicates_count_as_one_item() -> None:
    assert paired.permutation([0.5, 0.5, 0.5], ["a", "a", "a"]) == 1.0


def test_runs_that_are_alike_are_not_different() -> None:
    assert paired.permutation([0.0, 0.0], ["a", "b"]) == 1.0

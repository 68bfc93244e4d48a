"""Terms found in texts, and how rare words and their kin are."""

from __future__ import annotations

import numpy as np
import pytest

from curate.corpus.postings import Postings

TEXTS = [{0: 1.0, 1: 2.0}, {1: 1.0}, {}, {2: 3.0}]


@pytest.fixture
def postings() -> Postings:
    return Postings(TEXTS, 4)


def test_each_term_knows_how_many_texts_hold_it(postings: Postings) -> None:
    assert [postings.holding(term) for term in range(4)] == [1, 2, 1, 0]


def test_kin_count_by_their_square(postings: Postings) -> None:
    assert postings.spread(np.asarray([0, 1, 0.5, 0], np.float32)) == pytest.approx(2.25)


def test_the_share_found_grows_with_every_word_and_stays_below_one(postings: Postings) -> None:
    kinship = np.asarray([[1, 0, 0, 0], [0, 1, 0, 0]], np.float32)
    found = postings.found(kinship, [1.0, 1.0])
    assert 1 > found[0] > found[1] > 0
    assert (found[2:] == 0).all()


def test_kin_is_worth_less_than_the_word_itself(postings: Postings) -> None:
    own = postings.found(np.asarray([[1, 0, 0, 0]], np.float32), [1.0])
    kin = postings.found(np.asarray([[0.5, 0, 0, 0]], np.float32), [1.0])
    assert kin[0] == pytest.approx(own[0] / 2)


def test_nothing_looked_for_is_nothing_found(postings: Postings) -> None:
    assert not postings.found(np.zeros((0, 4), np.float32), []).any()
    assert Postings([], 0).found(np.zeros((0, 0), np.float32), []).shape == (0,)

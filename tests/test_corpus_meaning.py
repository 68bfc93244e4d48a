"""Texts with related words point the same way."""

from __future__ import annotations

import numpy as np
import pytest

from curate.corpus import meaning
from curate.corpus.meaning import Meaning, directions
from curate.corpus.pieces import pieces

TEXTS = ["remove a bicycle tyre", "take off the tire of a bike", "our opening hours", ""]


def test_related_texts_are_nearer_than_unrelated_ones() -> None:
    encoded = list(pieces().encode(TEXTS))
    bike, tire, hours, nothing = directions(Meaning(encoded).sums(encoded))
    assert bike @ tire > bike @ hours + 0.2
    assert not nothing.any()
    assert np.linalg.norm(bike) == pytest.approx(1)


def test_the_size_of_a_batch_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = list(pieces().encode(TEXTS * 3))
    whole = Meaning(encoded).sums(encoded)
    monkeypatch.setattr(meaning, "_AT_ONCE", 7)
    assert np.allclose(Meaning(encoded).sums(encoded), whole)

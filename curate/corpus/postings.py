"""Which texts hold a term, and how much each holding is worth: BM25's half that is known ahead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Kinship = NDArray[np.float32]

# BM25 (Robertson and Zaragoza, 2009) with its usual constants, a little less length damping.
_K1 = 1.2
_B = 0.5


class Postings:
    """The terms of a list of texts, each text as counts by the number of a term."""

    def __init__(self, texts: Sequence[Mapping[int, float]], terms: int) -> None:
        self._texts = len(texts)
        columns = np.fromiter((term for held in texts for term in held), np.int64)
        counts = np.fromiter((count for held in texts for count in held.values()), np.float64)
        rows = np.repeat(np.arange(len(texts)), [len(held) for held in texts])
        lengths = np.asarray([sum(held.values()) for held in texts], np.float64)
        order = np.argsort(columns, kind="stable")
        self._rows = rows[order]
        self._bounds = np.searchsorted(columns[order], np.arange(terms + 1))
        damping = _K1 * (1 - _B + _B * lengths / max(1.0, lengths.mean() if len(lengths) else 1.0))
        frequency = counts[order]
        self._weights = frequency / (frequency + damping[self._rows])

    def holding(self, term: int) -> int:
        """Return how many texts hold a term."""
        return int(self._bounds[term + 1] - self._bounds[term])

    def spread(self, kin: Kinship) -> float:
        """Return how many texts hold a word, those with kin of it counted by their square."""
        held = np.zeros(self._texts)
        for term in np.flatnonzero(kin):
            rows = self._rows[self._bounds[term] : self._bounds[term + 1]]
            held[rows] = np.maximum(held[rows], kin[term] ** 2)
        return float(held.sum())

    def found(self, kinship: Kinship, worths: Sequence[float]) -> Scores:
        """Return, for each text, the share of `worths` found in it, from 0 to 1.

        `kinship` has a row for each word that is looked for: how well each term stands in for it.
        """
        total = np.zeros(self._texts)
        for kin, worth in zip(kinship, worths, strict=True):
            gain = np.zeros(self._texts)
            for term in np.flatnonzero(kin):
                span = slice(self._bounds[term], self._bounds[term + 1])
                rows = self._rows[span]
                gain[rows] = np.maximum(gain[rows], kin[term] * self._weights[span])
            total += worth * gain
        most = sum(worths)
        return total / most if most else total

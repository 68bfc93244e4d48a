"""Whole sentences into vectors: a question and the passage that answers it point the same way.

The model is all-MiniLM-L6-v2 (sentence-transformers), English, run by ONNX Runtime.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from curate import bert
from curate.weights import ENCODER, VOCABULARY, pinned

WIDTH = 384
"""Numbers in a vector."""
LONGEST = 64
"""Pieces of a text that are read, its ends included; what a section is about stands at its
beginning, and the time taken grows with the length."""

_CLS, _SEP = 101, 102
_CORES = 2
_FEW = 8  # texts that are done before threads would have started
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_LETTER = re.compile(r"[^\W\d_]")

Vectors: TypeAlias = NDArray[np.float32]


class Encoder:
    """The model, loaded and verified. Raises `CurateError` where its files are not the known."""

    def __init__(self) -> None:
        self._tokenizer = bert.tokenizer(pinned(VOCABULARY))
        self._session = bert.session(pinned(ENCODER))

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return a row of length one per text; zeros where most letters are not Latin.

        Texts are run one by one: the model's 8-bit arithmetic looks at a whole batch, so that a
        text's vector would depend on its neighbours.
        """
        made = np.zeros((len(texts), WIDTH), np.float32)
        readable = [n for n, text in enumerate(texts) if _readable(text)]
        encoded = self._tokenizer.encode_batch(
            [texts[n] for n in readable], add_special_tokens=False
        )
        ids = [each.ids for each in encoded]
        if len(ids) < _FEW:
            rows = [self._one(each) for each in ids]
        else:
            with ThreadPoolExecutor(_CORES) as pool:
                rows = list(pool.map(self._one, ids))
        for n, row in zip(readable, rows, strict=True):
            made[n] = row
        return made

    def _one(self, ids: list[int]) -> Vectors:
        framed = np.asarray([[_CLS, *ids[: LONGEST - 2], _SEP]], np.int64)
        feed = {
            "input_ids": framed,
            "attention_mask": np.ones_like(framed),
            "token_type_ids": np.zeros_like(framed),
        }
        (states,) = self._session.run(None, feed)
        mean = states[0].mean(axis=0)
        return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), np.float32)


def _readable(text: str) -> bool:
    return 2 * len(_LATIN.findall(text)) > len(_LETTER.findall(text))


@cache
def encoder() -> Encoder:
    """Return the one encoder of the process."""
    return Encoder()

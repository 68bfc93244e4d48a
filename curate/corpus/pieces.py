"""The word pieces of static word vectors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache

from tokenizers import Tokenizer

from curate.weights import PIECES, pinned

_FIRST_WORD = 259  # before it: control pieces and single bytes, which mean nothing
_RARE = 3000  # number of a piece from which a word is no everyday word any more
_FEW = 64  # texts that are cut before threads would have started
_BEGINS = "\u2581"  # the mark of a piece that begins a word


class Pieces:
    """Cuts text into numbered pieces of words."""

    def __init__(self) -> None:
        self._tokenizer = Tokenizer.from_buffer(pinned(PIECES))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._bare = self._tokenizer.token_to_id(_BEGINS)

    def encode(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Yield the pieces of each text, without single bytes and spaces."""
        cut = self._tokenizer
        for encoded in (
            cut.encode_batch_fast(list(texts), add_special_tokens=False)
            if len(texts) > _FEW
            else (cut.encode(text, add_special_tokens=False) for text in texts)
        ):
            yield [i for i in encoded.ids if i >= _FIRST_WORD and i != self._bare]

    def known(self, word: str) -> bool:
        """Say whether a lower-case word is common enough to be one piece."""
        return self._tokenizer.token_to_id(_BEGINS + word) is not None

    def rarity(self, word: str) -> float:
        """Return how much less than everyday a lower-case word is, from 0.5 to 1.

        Pieces are numbered as they were learnt, the commonest first.
        """
        number = self._tokenizer.token_to_id(_BEGINS + word)
        if number is None or number < _FIRST_WORD:
            return 1.0
        return min(1.0, max(0.5, math.log(number / _FIRST_WORD) / math.log(_RARE / _FIRST_WORD)))


@cache
def pieces() -> Pieces:
    """Return the one set of pieces of the process."""
    return Pieces()

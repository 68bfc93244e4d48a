"""Word pieces of the WordLlama package. Only its files are read; its code never runs."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tokenizers import Tokenizer

from curate.model.errors import CurateError

TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
WEIGHTS = "weights/l2_supercat_256.safetensors"

_DIGESTS = {
    TOKENIZER: "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
    WEIGHTS: "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
}
_FIRST_WORD = 259  # before it: control pieces and single bytes, which mean nothing
_RARE = 3000  # number of a piece from which a word is no everyday word any more
_BEGINS = "\u2581"  # the mark of a piece that begins a word


def data(name: str) -> bytes:
    """Return a file of the package. Raises `CurateError` unless it is the known one."""
    spec = find_spec("wordllama")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    try:
        found = (Path(folders[0]) / name).read_bytes()
    except (IndexError, OSError):
        found = b""
    if hashlib.sha256(found).hexdigest() != _DIGESTS[name]:
        raise CurateError(
            f"the word vectors' file {name} is missing or not the known one",
            "Install curate anew, with its dependencies.",
        )
    return found


class Pieces:
    """Cuts text into numbered pieces of words."""

    def __init__(self) -> None:
        self._tokenizer = Tokenizer.from_buffer(data(TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._bare = self._tokenizer.token_to_id(_BEGINS)

    def encode(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Yield the pieces of each text, without single bytes and spaces."""
        for encoded in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False):
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

"""What models of BERT's kind are read with: the names model's and the search's."""

from __future__ import annotations

from typing import Any

import onnxruntime  # type: ignore[import-untyped]
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer


def tokenizer(vocabulary: bytes) -> Tokenizer:
    """Return what cuts uncased text into the word pieces of a `vocabulary`, one to a line."""
    lines = vocabulary.decode("utf-8").split("\n")
    pieces = {piece: number for number, piece in enumerate(lines) if piece}
    made = Tokenizer(
        WordPiece(pieces, unk_token="[UNK]", max_input_chars_per_word=100)  # noqa: S106
    )
    made.normalizer = BertNormalizer(lowercase=True)
    made.pre_tokenizer = BertPreTokenizer()
    return made


def session(model: bytes) -> Any:
    """Return an ONNX Runtime session of a model, silent and on the processor."""
    options = onnxruntime.SessionOptions()
    # One thread: more of them cost more than they bring at this size.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

"""What ranking needs to know of a document, reckoned when it is synced."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass

from curate.corpus.outline import Outline
from curate.corpus.pieces import pieces
from curate.corpus.words import words

# The target of a link or image says little, and in long pieces.
_TARGET = re.compile(r"\]\([^()\s]*\)")


@dataclass(frozen=True, slots=True)
class Features:
    """A section's words with their counts, and the word pieces of its sentences."""

    words: dict[str, int]
    sentences: tuple[list[int], ...]


def extract(text: str, outline: Outline) -> str:
    """Return the features of a document's sections, packed."""
    sentences = [
        _TARGET.sub("]", text[start:end]) for spans in outline.sentences for start, end in spans
    ]
    encoded = pieces().encode(sentences)
    return json.dumps(
        [
            [Counter(words(section.text)), [next(encoded) for _ in spans]]
            for section, spans in zip(outline.sections, outline.sentences, strict=True)
        ],
        ensure_ascii=False,
        separators=(",", ":"),
    )


def unpack(packed: str) -> list[Features]:
    """Return the features of a document's sections, in order."""
    return [Features(counts, tuple(sentences)) for counts, sentences in json.loads(packed)]

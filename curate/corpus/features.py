"""What ranking needs to know of a document, reckoned when it is synced."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curate.corpus.outline import Outline
from curate.corpus.pieces import pieces
from curate.corpus.words import words
from curate.model.documents import Section

# The target of a link or image says little, and in long pieces.
_TARGET = re.compile(r"\]\([^()\s]*\)")
_READ = 600  # characters of a section from which no more pieces are taken than the encoder reads


@dataclass(frozen=True, slots=True)
class Features:
    """A section's words with their counts, the word pieces of its sentences, and its vector."""

    words: dict[str, int]
    sentences: tuple[list[int], ...]
    vector: NDArray[np.float32]


def extract(text: str, outline: Outline, known: Mapping[str, str] | None = None) -> str:
    """Return the features of a document's sections, packed.

    `known` holds packed vectors by the text they were made of; others are reckoned.
    """
    sentences = [
        _TARGET.sub("]", text[start:end]) for spans in outline.sentences for start, end in spans
    ]
    encoded = pieces().encode(sentences)
    vectors = _vectors(outline, known or {})
    return json.dumps(
        [
            [Counter(words(section.text)), [next(encoded) for _ in spans], vector]
            for section, spans, vector in zip(
                outline.sections, outline.sentences, vectors, strict=True
            )
        ],
        ensure_ascii=False,
        separators=(",", ":"),
    )


def unpack(packed: str) -> list[Features]:
    """Return the features of a document's sections, in order."""
    return [
        Features(
            counts,
            tuple(sentences),
            np.frombuffer(base64.b64decode(vector), "<f2").astype(np.float32),
        )
        for counts, sentences, vector in json.loads(packed)
    ]


def vectors(outline: Outline, packed: str) -> dict[str, str]:
    """Return a document's packed vectors by the text that each was made of."""
    texts = (_read(*pair) for pair in zip(outline.sections, outline.sentences, strict=True))
    return dict(zip(texts, (vector for *_, vector in json.loads(packed)), strict=True))


def _vectors(outline: Outline, known: Mapping[str, str]) -> list[str]:
    texts = [_read(*pair) for pair in zip(outline.sections, outline.sentences, strict=True)]
    made = dict(known)
    new = [text for text in dict.fromkeys(texts) if text not in made]
    if new:
        from curate.corpus.encoder import encoder

        for text, row in zip(new, encoder().encode(new), strict=True):
            made[text] = base64.b64encode(row.astype("<f2").tobytes()).decode("ascii")
    return [made[text] for text in texts]


def _read(section: Section, spans: tuple[tuple[int, int], ...]) -> str:
    """Return a section as it is encoded: the heading above it, its own, and how it begins."""
    title = " > ".join([*section.trail[-1:], section.heading]).replace("`", "")
    parts: list[str] = []
    length = 0
    for start, end in spans:
        parts.append(_TARGET.sub("]", section.text[start - section.start : end - section.start]))
        length += len(parts[-1])
        if length > _READ:
            break
    return f"{title}\n{' '.join(parts)}"

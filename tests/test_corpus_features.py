"""Features survive packing."""

from __future__ import annotations

import numpy as np
import pytest

from curate.corpus import markdown
from curate.corpus.features import extract, unpack, vectors
from curate.corpus.outline import outline

TEXT = "# Hours\n\nOpen daily. See [the page](https://example.org/very/long/address).\n\n# Empty\n"


def test_each_section_has_its_words_and_each_sentence_its_pieces() -> None:
    made = outline("a.md", TEXT, markdown.parse(TEXT))
    hours, empty = unpack(extract(TEXT, made))
    assert hours.words["open"] == 1
    assert [len(known.sentences) for known in (hours, empty)] == [2, 1]
    assert len(hours.sentences[1]) < 8
    assert np.linalg.norm(hours.vector) == pytest.approx(1, abs=0.01)


def test_a_vector_is_reckoned_once_for_the_same_text(monkeypatch: pytest.MonkeyPatch) -> None:
    before = outline("a.md", TEXT, markdown.parse(TEXT))
    known = vectors(before, extract(TEXT, before))
    moved = "Something new.\n\n" + TEXT
    after = outline("b.md", moved, markdown.parse(moved))
    encoded: list[str] = []

    class Encoder:
        def encode(self, texts: list[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
            encoded.extend(texts)
            return np.ones((len(texts), 384), np.float32)

    monkeypatch.setattr("curate.corpus.encoder.encoder", Encoder)
    assert unpack(extract(moved, after, known))[0].vector.all()
    assert encoded == ["\nSomething new."]

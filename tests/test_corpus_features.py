"""Features survive packing."""

from __future__ import annotations

from curate.corpus import markdown
from curate.corpus.features import extract, unpack
from curate.corpus.outline import outline


def test_each_section_has_its_words_and_each_sentence_its_pieces() -> None:
    text = (
        "# Hours\n\nOpen daily. See [the page](https://example.org/very/long/address).\n\n# Empty\n"
    )
    made = outline("a.md", text, markdown.parse(text))
    hours, empty = unpack(extract(text, made))
    assert hours.words["open"] == 1
    assert [len(known.sentences) for known in (hours, empty)] == [2, 1]
    assert len(hours.sentences[1]) < 8

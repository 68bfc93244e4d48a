"""Sections by position."""

from __future__ import annotations

from curate.corpus import markdown
from curate.corpus.outline import outline


def test_every_position_belongs_to_one_section() -> None:
    text = "\n# A\nx\n# B\ny"
    made = outline("a.md", text, markdown.parse(text))
    assert [made.at(position) for position in range(len(text))] == [0] * 7 + [1] * 5

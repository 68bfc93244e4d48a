"""Folded lines know their code points, in any script."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from curate.text import display
from curate.tui.widgets.layout import fold, next_cluster


def lines(text: str, width: int) -> list[str]:
    return [text[start:end] for start, end in fold(text, (0, len(text)), width).lines]


def test_lines_break_at_spaces_and_at_line_ends() -> None:
    assert lines("one two three\n\nfour", 8) == ["one two ", "three", "", "four"]


def test_a_word_longer_than_the_line_is_broken() -> None:
    assert lines("abcdefghij", 4) == ["abcd", "efgh", "ij"]


def test_only_the_window_is_folded() -> None:
    layout = fold("# Head\n\nbody\n# Next", (8, 13), 20)

    assert layout.lines == ((8, 12), (13, 13))


def test_wide_characters_count_double() -> None:
    assert lines("漢字漢字", 4) == ["漢字", "漢字"]


def test_an_offset_and_its_cell_find_each_other() -> None:
    text = "You may borrow 漢字 for\nup to 7 days."
    layout = fold(text, (0, len(text)), 12)

    for offset in range(len(text)):
        line = layout.line_of(offset)
        if text[offset] != "\n":
            assert layout.offset_at(line, layout.column_of(offset)) == offset


def test_a_step_by_a_character_takes_its_marks_along() -> None:
    text = "ម៉ោង👩\u200d👧x"
    window = (0, len(text))

    assert next_cluster(text, 0, 1, window) == text.index("ង")
    assert next_cluster(text, text.index("👩"), 1, window) == text.index("x")
    assert next_cluster(text, text.index("x"), -1, window) == text.index("👩")
    assert next_cluster(text, len(text), 1, window) == len(text)


@given(st.text(max_size=80), st.integers(12, 30))
def test_no_line_is_wider_than_the_screen_and_nothing_is_lost(text: str, width: int) -> None:
    layout = fold(text, (0, len(text)), width)

    shown = "".join(text[start:end] for start, end in layout.lines)
    assert shown == text.replace("\n", "")
    for start, end in layout.lines:
        assert cell_len(display(text[start:end].rstrip())) <= width

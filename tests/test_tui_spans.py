"""Selections move by words and sentences and never leave their limits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curate.tui import spans

TEXT = "You may borrow it for up to 7 days. Ask the desk. បើកម៉ោង 8"
SENTENCES = ((0, 35), (36, 49), (50, 59))


def quoted(span: tuple[int, int] | None) -> str:
    assert span is not None
    return TEXT[slice(*span)]


def test_narrowing_drops_the_last_word_and_widening_takes_it_back() -> None:
    narrow = spans.narrow_end(TEXT, (0, 35))

    assert quoted(narrow) == "You may borrow it for up to 7"
    assert spans.widen_end(TEXT, narrow, len(TEXT)) == (0, 35)


def test_the_start_moves_by_words_too() -> None:
    narrow = spans.narrow_start(TEXT, (0, 35))

    assert quoted(narrow) == "may borrow it for up to 7 days."
    assert spans.widen_start(TEXT, narrow, 0) == (0, 35)


def test_a_single_word_is_not_narrowed_away() -> None:
    assert spans.narrow_end(TEXT, (0, 3)) == (0, 3)
    assert spans.narrow_start(TEXT, (0, 3)) == (0, 3)


def test_khmer_is_walked_by_clusters_because_it_has_no_spaces() -> None:
    start = TEXT.index("បើក")

    steps = [TEXT[slice(*span)] for span in spans.words(TEXT, start, len(TEXT))]

    assert steps == ["បើ", "ក", "ម៉ោ", "ង", "8"]


def test_a_step_goes_to_the_next_sentence_and_stops_at_the_ends() -> None:
    assert spans.step(SENTENCES, (4, 9), 1) == SENTENCES[1]
    assert spans.step(SENTENCES, (50, 59), 1) == SENTENCES[2]
    assert spans.step(SENTENCES, (4, 9), -1) == SENTENCES[0]
    assert spans.step(SENTENCES, None, 1) == SENTENCES[0]
    assert spans.step((), None, 1) is None


def test_widening_by_a_sentence_first_completes_the_one_it_is_in() -> None:
    assert spans.widen_sentence(SENTENCES, (4, 9)) == (0, 35)
    assert spans.widen_sentence(SENTENCES, (0, 35)) == (0, 49)
    assert spans.narrow_sentence(SENTENCES, (0, 49)) == (0, 35)
    assert spans.narrow_sentence(SENTENCES, (0, 35)) == (0, 35)


@given(st.text(max_size=60), st.data())
def test_no_move_leaves_its_limits_or_empties_a_selection(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    span = (start, end)

    for moved in (
        spans.widen_end(text, span, len(text)),
        spans.narrow_end(text, span),
        spans.widen_start(text, span, 0),
        spans.narrow_start(text, span),
    ):
        assert 0 <= moved[0] <= moved[1] <= len(text)
        assert moved == span or moved[0] < moved[1]

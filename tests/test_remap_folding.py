"""The folded form and the looser ones."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curate.remap.folding import fold, letters, letters_only, only_markup_lost, unmarked


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Two  Oars\r\n", "two oars"),
        ("caf\u00e9", "cafe\u0301"),
        ("\ufb01nish", "finish"),
        ("\u201cpier\u201d \u2013 7", '"Pier" - 7'),
        ("no\u00a0break\u3000here", "no break here"),
        ("ទូក\u200bទាំង", "ទូកទាំង"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\uff32\uff4f\uff57", "row"),
        ("STRASSE", "straße"),
    ],
)
def test_texts_a_reader_takes_for_the_same_fold_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"), [("a != b", "a == b"), ("9:00", "900"), ("-5", "5"), ("កា", "ក")]
)
def test_texts_that_differ_fold_apart(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(st.text())
def test_folding_is_stable_and_leaves_no_white_space(text: str) -> None:
    folded = fold(text)
    assert not any(char.isspace() for char in folded.decode())
    assert fold(folded.decode()) == fold(unicodedata.normalize("NFKC", folded.decode()))


@given(st.text(max_size=60))
def test_letters_keep_letters_marks_and_digits(text: str) -> None:
    folded = fold(text)
    sketch = letters(folded)
    assert sketch.text == letters_only(folded)
    assert bytes(folded[place] for place in sketch.places) == sketch.text


def test_letters_keep_the_vowel_signs_of_khmer() -> None:
    assert letters_only(fold("ទូក, ចែវ។")) == fold("ទូកចែវ")


def test_a_sketch_finds_text_without_its_punctuation() -> None:
    folded = fold("the **left** wall, (2)")
    (span,) = letters(folded).find_all(b"leftwall2")
    assert folded[slice(*span)] == b"left**wall,(2"


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("**bold** and *slanted* and `code`", "bold and slanted and code"),
        ("see [the keys](keys.md#a) now", "see the keys now"),
        ("![a boat](boat.png)", "a boat"),
        ("## Winter storage", "Winter storage"),
        ("- one oar", "one oar"),
        ("> said so", "said so"),
        ('<a href="x.md">keys</a> <em>here</em>', "keys here"),
        ("snake\\_case", "snake_case"),
    ],
)
def test_markup_is_dropped(marked: str, plain: str) -> None:
    assert unmarked(fold(marked)) == unmarked(fold(plain))
    assert only_markup_lost(fold(marked), fold(plain))


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("2 * 3", "2 3"),
        ("2**3", "23"),
        ("-5 degrees", "5 degrees"),
        ("a < b", "a > b"),
        ("a | b", "a b"),
        ("list<int>", "list"),
        ("row[0]", "row[1]"),
        ("the keys", "[the keys](lost.md)"),
    ],
)
def test_an_edit_is_no_markup(was: str, now: str) -> None:
    assert not only_markup_lost(fold(was), fold(now))

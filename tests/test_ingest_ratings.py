"""What votes mean, and that a bare number never means anything by itself."""

from __future__ import annotations

import pytest

from curate.ingest.ratings import TRACER, Scale, UnknownNumber, UnknownWord, author_of
from curate.model.errors import CurateError, Exit

UNTOLD = Scale()


DOWN = (
    "down", "Thumbs_Down", "thumbsDown", "thumb-down", "dislike", "👎", "👎🏽", "No", "FALSE",
    ":thumbsdown:", "not helpful", False,
)  # fmt: skip


@pytest.mark.parametrize("value", DOWN)
def test_words_that_mean_down(value: object) -> None:
    assert UNTOLD.rate(value) == -1


@pytest.mark.parametrize("value", ["up", "thumbs_up", "LIKE", "👍", "👍🏿", True, "yes", "helpful"])
def test_words_that_mean_up(value: object) -> None:
    assert UNTOLD.rate(value) == 1


@pytest.mark.parametrize("value", [None, "", "null", "none"])
def test_an_empty_rating_is_a_vote_taken_back(value: object) -> None:
    assert UNTOLD.rate(value) is None


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (1, "1"), (-1, "-1"), ("5", "5"), (4.5, "4.5")]
)
def test_a_bare_number_is_never_guessed(value: object, shown: str) -> None:
    with pytest.raises(UnknownNumber) as caught:
        UNTOLD.rate(value)
    assert caught.value.value == shown


def test_numbers_mean_what_is_told() -> None:
    stars = Scale.of(["<=2"], [">3"])

    assert [stars.rate(value) for value in (1, "2", 3, 4.0, "5")] == [-1, -1, 0, 1, 1]
    assert [Scale.of(["0"], []).rate(value) for value in (0, "0", 0.0, False, 1)] == [
        -1, -1, -1, -1, 0,
    ]  # fmt: skip


def test_words_may_be_told_against_their_usual_meaning() -> None:
    scale = Scale.of(["escalate", "yes"], ["fine"])

    assert [scale.rate(value) for value in ("Escalate", "yes", "fine", "no")] == [-1, -1, 1, -1]


def test_a_true_value_in_a_field_of_dislike_is_down() -> None:
    assert UNTOLD.rate(True, inverted=True) == -1
    assert UNTOLD.rate(False, inverted=True) == 0
    assert UNTOLD.rate("dislike", inverted=True) == -1


@pytest.mark.parametrize("value", ["whatever", "x" * 100, [1], {"a": 1}])
def test_an_unknown_word_is_told_without_it(value: object) -> None:
    with pytest.raises(UnknownWord) as caught:
        UNTOLD.rate(value)
    assert str(caught.value) == ""


def test_tracers_have_a_scale_for_two_values_and_no_more() -> None:
    assert [TRACER.rate(value) for value in (0, 1, -1, 0.0, True)] == [-1, 1, -1, -1, 1]
    with pytest.raises(UnknownNumber):
        TRACER.rate(3)


@pytest.mark.parametrize("rule", ["", "<=", "<= bad"])
def test_a_rule_that_is_none_is_refused(rule: str) -> None:
    with pytest.raises(CurateError) as caught:
        Scale.of([rule], [])
    assert caught.value.code == Exit.USAGE


def test_authors_are_told_apart_and_an_unknown_one_is_no_user() -> None:
    assert {author_of(word) for word in (None, "user", "API", "HUMAN")} == {"user"}
    assert [author_of(word) for word in ("admin", "LLM_JUDGE", "x")] == [
        "annotator",
        "judge",
        "annotator",
    ]

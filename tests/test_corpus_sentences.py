"""Prose into sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curate.corpus.sentences import split


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split(text, 0, len(text))]


@pytest.mark.parametrize(
    "parts",
    [
        ["It opens at nine.", "It closes at five!", "Really?", "yes"],
        ["ថ្ងៃនេះបើក។", "ស្អែកបិទ៕", "ថ្មី"],
        ["今天开门。", "明天关门！", "好"],  # noqa: RUF001
        ["नमस्ते।", "फिर"],
        ['He said "Go."', "They went (all.)", "Then *it.*", "End"],
        ["Use uv.", "uv is fast.", "I like it"],
    ],
)
def test_full_stops_of_many_scripts_end_sentences(parts: list[str]) -> None:
    assert sentences(" ".join(parts)) == parts


def test_scripts_without_spaces_need_none_after_the_full_stop() -> None:
    assert sentences("今天。明天。") == ["今天。", "明天。"]
    assert sentences("បើក។បិទ។") == ["បើក។", "បិទ។"]


@pytest.mark.parametrize(
    "whole",
    [
        "See e.g. the U.S. page, i.e. that one",
        "Dr. Smith paid approx. 3.50 USD to J. K. Rowling",
        "Call No. 5 at https://example.org/a.b?c=d.e now",
        "Run `x. y. z` and ``a. `b`. c`` at once",
        "Wait... and see… perhaps",
        "1. The first point",
        "It costs 7 dollars. (Members pay 5.)",
    ],
)
def test_other_full_stops_end_nothing(whole: str) -> None:
    assert sentences(whole) == [whole]


def test_a_blank_line_ends_a_sentence() -> None:
    assert sentences("one\n \r\ntwo\nthree") == ["one", "two\nthree"]


@given(st.text(alphabet="aA.។!`( \n。…1", max_size=60))
def test_spans_are_trimmed_in_order_and_lose_nothing(text: str) -> None:
    spans = list(split(text, 0, len(text)))
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(text[a:b] == text[a:b].strip() != "" for a, b in spans)
    assert [edge for span in spans for edge in span] == sorted(edge for s in spans for edge in s)

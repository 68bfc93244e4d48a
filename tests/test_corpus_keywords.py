"""Keywords proposed from an evidence."""

from __future__ import annotations

import pytest

from curate.corpus.keywords import propose


def common(word: str) -> float:
    return 0.9 if word in {"thing", "costs"} else 0.0


@pytest.mark.parametrize(
    ("phrase", "best"),
    [
        ("The bench costs 7 dollars.", "7"),
        ("Pass `--no-attestations` to the command.", "--no-attestations"),
        ("Ask the people at Phsar Thmei.", "Phsar"),
        ("A thing costs deposit", "deposit"),
        ("បើកម៉ោង 18:00 រាល់ថ្ងៃ", "18:00"),
        ("set (`UV_INDEX`).", "UV_INDEX"),
    ],
)
def test_numbers_identifiers_names_and_rare_words_come_first(phrase: str, best: str) -> None:
    assert propose(phrase, common)[0] == best


def test_every_proposal_stands_in_the_phrase() -> None:
    phrase = "*Cancelling* a **bench** costs: [nothing](x.md) until 18:00, or $3.50/h."
    for word in propose(phrase, common):
        assert word.lower() in phrase.lower()


def test_nothing_is_proposed_where_there_is_no_word() -> None:
    assert propose("--- | ---", common) == ()

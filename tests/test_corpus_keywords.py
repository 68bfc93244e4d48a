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
        ("Python。", "Python"),
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


@pytest.mark.parametrize(
    ("phrase", "question", "best"),
    [
        ("`RUST_MIN_STACK` costs subprocesses", "is it RUST_MIN_STACK?", "subprocesses"),
        ("GitLab CI costs a thing, a mountpoint", "gitlab ci: why copy there", "mountpoint"),
        ("7 days, or 30 days for members", "is it 7 days?", "30"),
        ("Use `--from` to run it", "where does it come from", "--from"),
        ("A deposit is due", "is a deposit due?", "deposit"),
    ],
)
def test_what_the_question_says_comes_last(phrase: str, question: str, best: str) -> None:
    assert propose(phrase, common, question)[0] == best


@pytest.mark.parametrize(
    ("phrase", "best"),
    [
        ("set it to `manual` to stop Downloads", "manual"),
        ("can be paid in three monthly instalments", "three"),
        ("they will be checked, i.e., compared", "checked"),
        ("uv will _persist_ it", "persist"),
        ("the `__init__` file", "__init__"),
    ],
)
def test_code_and_written_numbers_are_told_from_prose(phrase: str, best: str) -> None:
    assert propose(phrase, common)[0] == best

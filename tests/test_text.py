"""Cleaning at the door, showing safely, folding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curate import text

HOSTILE = [
    "\x1b]0;title\x07",
    "\x1b[31mred",
    "\x9b31m",
    "a\u202eb",
    "\u2066x\u2069",
    "\U000e0041",
    "nul\x00",
    "half\ud83d",
    "\x85",
]


@pytest.mark.parametrize("payload", HOSTILE)
def test_nothing_a_terminal_obeys_survives_the_door(payload: str) -> None:
    cleaned = text.sanitise(payload)

    assert len(cleaned) == len(payload)
    assert "\ufffd" in cleaned
    cleaned.encode()


@pytest.mark.parametrize("payload", HOSTILE)
def test_nothing_a_terminal_obeys_is_displayed(payload: str) -> None:
    shown = text.display(payload)

    assert not set(shown) & set("\x00\x07\x1b\x85\x9b\u202e\u2066\u2069\ud83d\U000e0041")
    assert shown != payload


def test_what_scripts_need_stays() -> None:
    kept = "ខ្ញុំ\u200bចង់ 👩\u200d👧 \u200c tab\t line\nend"

    assert text.sanitise(kept) == kept


@given(st.text())
def test_sanitising_keeps_every_offset(original: str) -> None:
    assert len(text.sanitise(original)) == len(original)


@given(st.text())
def test_displayed_text_is_stable_and_encodes(original: str) -> None:
    shown = text.display(original)

    assert text.display(shown) == shown
    shown.encode()


def test_evidence_is_matched_as_javascript_matches_it() -> None:
    assert text.contains("up\u00a0to\n7 days", "up to 7  days")
    assert text.contains("a\ufeffb", "a b")
    assert not text.contains("a\x1cb", "a b")
    assert not text.contains("a\x85b", "a b")
    assert not text.contains("Up to", "up to")
    assert not text.contains("anything", " \n")


def test_a_slug_is_readable_in_every_script() -> None:
    assert text.slug("How long?  (Loans)") == "how-long-loans"
    assert text.slug("ម៉ោងបើក") == "ម៉ោងបើក"
    assert text.slug("<>?") == ""
    assert len(text.slug("word " * 40)) <= 40


def test_languages_are_told_by_their_scripts() -> None:
    assert text.language("how long can I keep it?") == "en"
    assert text.language("តើបើកម៉ោងប៉ុន្មាន?") == "km"
    assert text.language("តើ laptop បើកម៉ោងប៉ុន្មាន?") == "km-en"
    assert text.language("123 ?!") == "und"
    assert text.language("営業時間は何時ですか") == "ja"


def test_a_place_is_told_in_one_line_and_by_what_is_known_of_it() -> None:
    assert text.whereabouts("a.md", "Late\nfees\x1b[2J") == "a.md › Late fees␛[2J"
    assert text.whereabouts(None, "Fees") == "Fees"
    assert text.whereabouts("", None) == ""

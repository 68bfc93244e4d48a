"""Plain text into headings and blocks."""

from __future__ import annotations

from curate.corpus import plain
from curate.corpus.outline import Outline, outline


def made(text: str) -> Outline:
    return outline("a.txt", text, plain.parse(text))


def sentences(text: str) -> list[str]:
    return [text[start:end] for spans in made(text).sentences for start, end in spans]


def test_underlined_lines_and_lone_capitals_are_headings() -> None:
    text = (
        "Guide\r\n=====\r\n\r\nHello.\r\n\r\nFirst steps\r\n-----------\r\nGo.\r\n\r\n"
        "OPENING HOURS\r\n\r\nAt 9.\r\n"
    )
    sections = made(text).sections
    assert [(s.level, s.heading) for s in sections] == [
        (1, "Guide"),
        (2, "First steps"),
        (2, "OPENING HOURS"),
    ]
    assert "".join(s.text for s in sections) == text


def test_rules_numbers_hashes_and_shouting_in_text_are_no_headings() -> None:
    text = "# not markdown\n\n-----\n-----\n\n42\n\nWARNING\nit is hot\n"
    assert [s.heading for s in made(text).sections] == [""]


def test_wrapped_lines_are_joined_and_deliberate_breaks_are_kept() -> None:
    wrapped = (
        "This sentence was wrapped where the line was\n"
        "full and goes on. So does this one, which is\nlast.\n"
    )
    assert sentences(wrapped) == [
        "This sentence was wrapped where the line was\nfull and goes on.",
        "So does this one, which is\nlast.",
    ]
    facts = "Monday to Friday from nine to five\nSaturday: ten\nSunday: closed\n"
    assert sentences(facts) == facts.splitlines()


def test_items_are_sentences_without_their_marks() -> None:
    assert sentences("- one thing\n- another thing here\n2) third\n") == [
        "one thing",
        "another thing here",
        "third",
    ]

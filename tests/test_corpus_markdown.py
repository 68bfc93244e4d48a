"""Markdown's headings and blocks, at their places in the document."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from curate.corpus import markdown
from curate.corpus.outline import Outline, outline


def made(text: str) -> Outline:
    return outline("a.md", text, markdown.parse(text))


def headings(text: str) -> list[tuple[int, str]]:
    return [(section.level, section.heading) for section in made(text).sections]


def sentences(text: str) -> list[str]:
    return [text[start:end] for spans in made(text).sentences for start, end in spans]


def test_both_kinds_of_headings_are_found_with_their_levels() -> None:
    text = "# One ##\n\nTwo\n===\n\nThree\nlines\n---\n### `four` *x*\n"
    assert headings(text) == [(1, "One"), (1, "Two"), (2, "Three lines"), (3, "`four` *x*")]


def test_what_only_looks_like_a_heading_is_none() -> None:
    text = (
        "---\ntitle: x\n# comment\n---\n\n# Real\n\n```sh\n# not one\n```\n\n    # nor this\n\n"
        "<!--\n# nor that\n-->\n\n> # quoted\n\n- # in a list\n\n~~~\n## no\n"
    )
    assert headings(text) == [(0, ""), (1, "Real")]


def test_a_heading_knows_those_above_it() -> None:
    trails = [s.trail for s in made("# A\n## B\n#### C\n## D\n# E\n").sections]
    assert trails == [(), ("A",), ("A", "B"), ("A",), ()]


def test_sections_join_up_to_the_document_in_code_points() -> None:
    text = "intro \U0001f600 é ខ្មែរ\r\n\r\n# A\r\nx\rOne\r---\r\n\x0bz\x85y\u2028w\r\n"
    sections = made(text).sections
    assert "".join(section.text for section in sections) == text
    assert [s.heading for s in sections] == ["", "A", "x One"]
    assert all(text[s.start : s.end] == s.text for s in sections)


def test_items_rows_and_lines_of_code_are_sentences_without_their_marks() -> None:
    text = (
        "# T\n\n- one\n  two. Three\n  1. deep item\n\n"
        "| a | b |\n|---|---|\n| x y | z |\n\n```py\nf(1)\n\n  g(2)\n```\n> quoted. More\n"
    )
    assert sentences(text) == [
        "one\n  two.", "Three", "deep item", "a | b", "x y | z", "f(1)", "g(2)", "quoted.", "More",
    ]  # fmt: skip


def test_the_body_of_a_box_is_prose_not_code() -> None:
    text = "!!! note\n\n    First one. Second\n    goes on.\n\n```{tip}\nA tip. Another\n```\n"
    assert sentences(text) == [
        "!!!",
        "note",
        "First one.",
        "Second\n    goes on.",
        "A tip.",
        "Another",
    ]


def test_a_heading_alone_is_its_own_sentence() -> None:
    assert sentences("# Alone\n\n#\n\n## Next\ntext") == ["Alone", "#", "text"]


def test_an_empty_or_blank_document_has_no_sections() -> None:
    assert made("").sections == made(" \n\n\t").sections == ()


def test_text_without_headings_is_one_section() -> None:
    (section,) = made("just\ntext").sections
    assert (section.heading, section.level, section.text) == ("", 0, "just\ntext")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["# a", "b", "===", "---", "```", "- x. Y", "> q", "| a | b |", "|-|-|", "\t c", "",
             "<div>", "!!! n", "    i. J", "ខ្មែរ។ ថ្មី", "\x00", "1. z\r", "\ufeff", "[l]: /u"]
        )
    ).map("\n".join)
)  # fmt: skip
def test_any_text_is_covered_in_order(text: str) -> None:
    made_of = made(text)
    position = made_of.sections[0].start if made_of.sections else len(text)
    assert not text[:position].strip()
    for section, spans in zip(made_of.sections, made_of.sentences, strict=True):
        assert section.start == position
        assert spans
        position = section.end
        for start, end in spans:
            assert section.start <= start < end <= section.end
            assert text[start:end] == text[start:end].strip()
    assert position == len(text)

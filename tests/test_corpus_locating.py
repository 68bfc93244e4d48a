"""Where a phrase stands now: one test for each rung of the ladder."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curate.corpus import markdown
from curate.corpus.documents import Document, digest
from curate.corpus.locating import Locator, occurrences
from curate.corpus.outline import outline
from curate.model.documents import Evidence
from curate.text import contains

BEFORE = {
    "fees.md": (
        "# Fees\n\nA stand costs 7 dollars an hour.\n\n"
        "## Cancelling\n\nCancelling costs nothing until 18:00 on the day before.\n"
    ),
    "faq.md": "# FAQ\n\nAsk at the desk.\n",
}


def locator(texts: Mapping[str, str]) -> Locator:
    documents = {s: Document(s, t, digest(t), "test") for s, t in texts.items()}
    return Locator(documents, {s: outline(s, t, markdown.parse(t)) for s, t in texts.items()})


def evidence(phrase: str, heading: str = "Cancelling", source: str = "fees.md") -> Evidence:
    text = BEFORE[source]
    start = text.index(phrase)
    return Evidence(source, heading, phrase, start, start + len(phrase), digest(text), "verbatim")


NOTHING = "Cancelling costs nothing until 18:00 on the day before."


def now(changed: Mapping[str, str | None], phrase: str = NOTHING) -> Evidence:
    texts = {s: t for s, t in {**BEFORE, **changed}.items() if t is not None}
    located = locator(texts).locate(evidence(phrase))
    if located.grade != "lost":
        text = texts[located.source]
        assert text[located.start : located.end] == located.phrase
        assert located.digest == digest(text)
    return located


def test_an_unchanged_document_gives_the_same_evidence() -> None:
    assert now({}) == evidence(NOTHING)


def test_text_before_it_moves_the_span_and_nothing_else() -> None:
    located = now({"fees.md": "# New\n\nText \U0001f600.\n\n" + BEFORE["fees.md"]})
    assert (located.grade, located.heading) == ("verbatim", "Cancelling")


def test_a_line_broken_elsewhere_is_still_verbatim_by_the_harness_rule() -> None:
    located = now(
        {"fees.md": BEFORE["fees.md"].replace("nothing until", "nothing\r\n\u00a0 until")}
    )
    assert located.grade == "verbatim"
    assert "\r\n" in located.phrase


@pytest.mark.parametrize(
    "text",
    [
        "Cancelling costs **nothing** until 18:00 on the day before.",
        "Cancelling costs [nothing](free.md) until 18:00 on the day before.",
        "cancelling costs nothing until 18:00 on the day\u200b before.",
        "Cancelling costs nothing until 18:00 on theday before.",
    ],
)
def test_markup_case_and_invisible_changes_are_normalised(text: str) -> None:
    located = now({"fees.md": BEFORE["fees.md"].replace(NOTHING, text)})
    assert (located.grade, located.heading) == ("normalised", "Cancelling")


def test_quotes_dashes_and_compatibility_forms_are_normalised() -> None:
    before = '# A\n\nIt\'s a 24-hour café "shop".\n'
    now_ = "# A\n\nIt\u2019s a 24\u2011hour cafe\u0301 \u201cshop\u201d.\n"
    phrase = 'It\'s a 24-hour café "shop".'
    was = Evidence("a.md", "A", phrase, 5, 5 + len(phrase), digest(before), "verbatim")
    located = locator({"a.md": now_}).locate(was)
    assert located.grade == "normalised"
    assert located.phrase == now_.splitlines()[2]


def test_another_heading_is_moved() -> None:
    located = now({"fees.md": BEFORE["fees.md"].replace("## Cancelling", "## Calling off")})
    assert (located.grade, located.heading) == ("moved", "Calling off")


def test_another_document_is_moved_when_it_is_the_only_one() -> None:
    moved = "# Rules\n\n" + NOTHING + "\n"
    located = now({"fees.md": "# Fees\n", "rules.md": moved})
    assert (located.grade, located.source, located.heading) == ("moved", "rules.md", "Rules")
    assert now({"fees.md": None, "rules.md": moved}).grade == "moved"
    assert now({"fees.md": None, "rules.md": moved, "more.md": moved}).grade == "ambiguous"


def test_a_short_phrase_elsewhere_is_moved_only_under_its_heading() -> None:
    phrase = "the day before"
    elsewhere = {"fees.md": None, "b.md": "# Other\n\nCome the day before.\n"}
    assert now(elsewhere, phrase).grade == "ambiguous"
    elsewhere["b.md"] = "# Cancelling\n\nUntil the day before.\n"
    assert now(elsewhere, phrase).grade == "moved"


def test_a_tiny_phrase_is_not_looked_for_elsewhere() -> None:
    assert now({"fees.md": None, "b.md": "# Cancelling\n\n18:00\n"}, "18:00").grade == "lost"


def test_two_places_under_the_heading_are_ambiguous_and_show_the_nearest() -> None:
    located = now({"fees.md": "\n" + BEFORE["fees.md"] + "\nAgain: " + NOTHING})
    assert located.grade == "ambiguous"
    assert located.start == evidence(NOTHING).start + 1


def test_one_place_under_the_heading_wins_over_places_elsewhere() -> None:
    located = now({"fees.md": "# Top\n\n" + NOTHING + "\n\n" + BEFORE["fees.md"]})
    assert (located.grade, located.heading) == ("verbatim", "Cancelling")


def test_a_changed_fact_is_ambiguous_never_verbatim() -> None:
    changed = NOTHING.replace("18:00", "12:00")
    located = now({"fees.md": BEFORE["fees.md"].replace(NOTHING, changed)})
    assert (located.grade, located.phrase) == ("ambiguous", changed)


def test_what_stands_nowhere_is_lost_and_stays_as_it_was() -> None:
    located = now({"fees.md": "# Fees\n\nEverything is free now, come as you please.\n"})
    assert located.grade == "lost"
    assert (located.phrase, located.start) == (NOTHING, evidence(NOTHING).start)


@given(
    st.text(alphabet="ab.*\\ \n\u00a0\ufeff\x85", max_size=30),
    st.integers(0, 29),
    st.integers(1, 9),
)
def test_occurrences_are_the_harness_rule(text: str, start: int, length: int) -> None:
    phrase = text[start : start + length]
    assert bool(occurrences(text, phrase)) == contains(text, phrase)
    for low, high in occurrences(text, phrase):
        assert contains(text[low:high], phrase)

"""Answers by rule: keyword and citation, refusals, assertions, and what to call a failure."""

from dataclasses import replace

import pytest

from curate.evaluate import answers, retrieval
from curate.evaluate.answers import Verdict
from curate.evaluate.cases import Case, Gold
from curate.evaluate.runs import Hit, Reply

FEE = Case(
    "fee",
    "?",
    True,
    (Gold("membership.md", "", "it is 10 US dollars per term"),),
    keyword="Dollars",
)
RUST = Case("rust", "?", False)
RIGHT = Hit("m#1", "membership.md", "Today it is 10 US dollars per term.")
WRONG = Hit("s#1", "schedule.md", "Every Saturday.")
REFUSALS = ("I could not find",)


def verdict(case: Case, reply: Reply | None) -> Verdict:
    found = retrieval.look(case, reply, "evidence", {}) if case.answerable else None
    return answers.judge(case, reply, found, REFUSALS, {}, answered=True)


def reply(answer: str | None, *hits: Hit, refused: bool | None = None) -> Reply:
    return Reply("x", hits or (WRONG, RIGHT), answer, refused)


def test_an_answer_passes_with_the_keyword_and_a_citation_of_the_source() -> None:
    found = verdict(FEE, reply("10 DOLLARS a term [2]"))

    assert (found.passed, found.why, found.label, found.diagnosis) == (True, "ok", "", "")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("Ten [2]", "lacks the keyword `Dollars`"),
        ("10 dollars [1]", "cites schedule.md"),
        ("10 dollars", "cites nothing"),
        ("10 dollars [9]", "cites nothing"),
        ("Ten", "lacks the keyword `Dollars`; cites nothing"),
    ],
)
def test_with_the_evidence_retrieved_a_wrong_answer_is_the_generations(
    answer: str, why: str
) -> None:
    found = verdict(FEE, reply(answer))

    assert (found.passed, found.why, found.diagnosis) == (False, why, "generation")
    assert found.label == "generation"


def test_without_the_evidence_it_is_the_retrievals() -> None:
    found = verdict(FEE, reply("Saturday [1]", WRONG))

    assert (found.passed, found.diagnosis, found.label) == (False, "retrieval", "retrieval miss")


def test_a_pass_without_the_evidence_is_a_diagnosis_of_its_own_and_no_failure() -> None:
    found = verdict(FEE, reply("10 dollars [1]", Hit("m#2", "membership.md", "About us.")))

    assert (found.passed, found.label) == (True, "")
    assert found.diagnosis == answers.UNFOUND


def test_a_refusal_despite_the_evidence_is_its_own_case() -> None:
    despite = verdict(FEE, reply("", refused=True))
    without = verdict(FEE, reply("I could not find that.", WRONG))

    assert despite.diagnosis == "refused, though it retrieved the evidence"
    assert (despite.passed, despite.label) == (False, "refusal")
    assert (without.passed, without.diagnosis) == (False, "retrieval")


def test_an_unanswerable_question_passes_only_on_refusal() -> None:
    assert verdict(RUST, reply("no", refused=True)).passed
    assert verdict(RUST, reply("I could\u00a0not  find that in our pages")).passed
    answered = verdict(RUST, reply("Yes, on Mondays [1]"))

    assert (answered.passed, answered.why, answered.label) == (
        False,
        "should have refused",
        "refusal",
    )


def test_what_the_reply_says_of_itself_counts_before_its_words() -> None:
    assert not verdict(RUST, reply("I could not find it, but yes", refused=False)).passed


def test_the_keyword_is_lower_cased_and_not_folded() -> None:
    street = replace(FEE, keyword="Straße")

    assert verdict(street, reply("STRAßE [2]")).passed
    assert not verdict(street, reply("STRASSE [2]")).passed


def test_numbers_count_through_the_sources_where_there_are_any() -> None:
    listed = replace(reply("10 dollars [1]"), sources=("membership.md",))
    none = replace(reply("10 dollars [2]"), sources=())

    assert verdict(FEE, listed).passed
    assert not verdict(FEE, none).passed


@pytest.mark.parametrize("cited", [2, "membership.md", "m#1"])
def test_citations_beside_the_text_count(cited: int | str) -> None:
    assert verdict(FEE, replace(reply("10 dollars"), cited=(cited,))).passed


def test_an_item_that_needs_two_documents_needs_both_cited() -> None:
    both = replace(FEE, golds=(*FEE.golds, Gold("schedule.md", "", "Every Saturday")), mode="all")

    assert verdict(both, reply("10 dollars [1, 2]")).passed
    assert not verdict(both, reply("10 dollars [2]")).passed


def test_assertions_are_case_sensitive_and_told_apart() -> None:
    strict = replace(FEE, must_include=("10 US",), must_not_include=("12",))
    found = verdict(strict, reply("10 us dollars, formerly 12 [2]"))

    assert found.misses == ("missing:10 US", "banned:12")
    assert found.passed
    assert found.label == "generation"


def test_half_an_evidence_at_the_end_of_a_chunk_is_a_bad_chunk() -> None:
    cut = Hit("m#1", "membership.md", "Joining is cheap: it is 10 US\ndollars")

    assert verdict(FEE, reply("cheap [1]", cut)).label == "bad chunk"


def test_a_banned_phrase_that_the_documents_hold_is_the_documents_fault() -> None:
    strict = replace(FEE, must_not_include=("8 US dollars",))
    stale = Hit("f#1", "faq.md", "It is 8 US dollars.")

    assert verdict(strict, reply("8 US dollars [1]", stale)).label == "stale document"
    both = verdict(strict, reply("8 US dollars [1]", stale, RIGHT))
    assert both.label == "contradictory documents"


def test_no_reply_fails_and_says_why() -> None:
    missing, down = verdict(FEE, None), verdict(FEE, Reply("x", error="timeout: 5 s"))

    assert (missing.passed, missing.label) == (False, "no reply")
    assert (down.passed, down.why) == (False, "timeout: 5 s")


def test_a_run_without_answers_is_judged_by_its_retrieval_alone() -> None:
    def judge(*hits: Hit) -> Verdict:
        got = Reply("x", hits)
        found = retrieval.look(FEE, got, "evidence", {})
        return answers.judge(FEE, got, found, (), {}, answered=False)

    assert judge(RIGHT) == Verdict(None, "")
    assert (judge(WRONG).passed, judge(WRONG).label) == (None, "retrieval miss")


def test_an_item_labelled_by_chunk_ids_alone_has_no_rule_for_its_answer() -> None:
    bare = Case("q", "?", True, chunks={"m#1": 1.0})

    assert verdict(bare, reply("anything")).passed is None

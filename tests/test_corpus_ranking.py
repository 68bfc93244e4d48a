"""Ranked passages over a small corpus: words, their kin, typing errors, scripts, and the answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from curate.corpus import markdown
from curate.corpus.features import extract, unpack
from curate.corpus.outline import outline
from curate.corpus.ranking import Ranker
from curate.model.documents import Passage
from curate.model.records import RetrievedChunk

TEXTS = {
    "bench-time.md": (
        "# Bench time\n\nOur benches are in Room 2.\n\n"
        "## Prices\n\nA bench is a stand with tools. One hour at a bench costs 7 dollars. "
        "See [the list](prices.md).\n\n"
        "## Cancelling\n\nCancelling costs nothing until 18:00 on the day before.\n"
    ),
    "courses/wheels.md": (
        "# Wheels\n\nLearn to true a wheel in three evenings.\n\n"
        "## Repairing a puncture\n\nTake off the tyre, find the hole and patch the tube.\n"
    ),
    "km.md": "# ម៉ោងបើក\n\nហាងបើកពីម៉ោង ៨ ព្រឹក។ ហាងបិទនៅថ្ងៃអាទិត្យ។\n\n# ទំនាក់ទំនង\n\nសូមទូរស័ព្ទ។\n",
    "zh.md": "# 营业时间\n\n我们早上八点开门。\n\n# 退款\n\n七天内可以退款。\n",
    "config.md": "# Settings\n\n## `SHOP_HTTP_TIMEOUT`\n\nSeconds to wait. (default: 30)\n",
}


@pytest.fixture(scope="module")
def ranker() -> Ranker:
    return ranked(TEXTS)


def ranked(texts: dict[str, str]) -> Ranker:
    outlines = {s: outline(s, t, markdown.parse(t)) for s, t in texts.items()}
    return Ranker((outlines[s], unpack(extract(t, outlines[s]))) for s, t in texts.items())


def first(ranker: Ranker, query: str, *more: tuple[str, float]) -> Passage:
    return ranker.rank([(query, 1.0), *more], 3)[0]


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("what does a bench cost per hour", "Prices"),
        ("cancelled my bench", "Cancelling"),
        ("how do I fix a flat tire", "Repairing a puncture"),
        ("repairng a punctre", "Repairing a puncture"),
        ("SHOP_HTTP_TIMEOUT", "`SHOP_HTTP_TIMEOUT`"),
        ("តើហាងបើកម៉ោងប៉ុន្មាន", "ម៉ោងបើក"),
        ("几点开门", "营业时间"),
        ("可以退款吗", "退款"),
    ],
)
def test_the_section_that_answers_comes_first(ranker: Ranker, query: str, heading: str) -> None:
    assert first(ranker, query).section.heading == heading


def test_the_sentence_with_the_answer_is_preselected(ranker: Ranker) -> None:
    found = first(ranker, "what is the price of a bench for an hour")
    start, end = found.best
    assert TEXTS[found.section.source][start:end] == "One hour at a bench costs 7 dollars."


def test_what_was_said_before_helps_a_follow_up(ranker: Ranker) -> None:
    found = first(ranker, "and until when?", ("can I cancel my bench?", 0.4))
    assert found.section.heading == "Cancelling"


def test_what_the_assistant_retrieved_weighs_a_little(ranker: Ranker) -> None:
    def score(chunks: Sequence[RetrievedChunk]) -> float:
        passages = ranker.rank([("bench", 1.0)], 10, chunks)
        return next(p.score for p in passages if p.section.heading == "Prices")

    plain = score(())
    assert score([RetrievedChunk(1, source="docs/bench-time.md", heading="Prices")]) > plain
    assert score([RetrievedChunk(1, source="bench-time.md")]) > plain
    assert score([RetrievedChunk(1, source="other.md", heading="Prices")]) == plain


def test_scores_fall_and_the_order_is_the_same_every_time(ranker: Ranker) -> None:
    passages = ranker.rank([("bench prices", 1.0)], 10)
    assert [p.score for p in passages] == sorted((p.score for p in passages), reverse=True)
    assert passages == ranked(TEXTS).rank([("bench prices", 1.0)], 10)
    assert {p.why for p in passages} <= {"words", "meaning"}


@pytest.mark.parametrize("query", ["", "   ", "?!", "\x00\x1b[", "the", "\U0001f600"])
def test_a_query_without_a_word_finds_nothing(ranker: Ranker, query: str) -> None:
    assert ranker.rank([(query, 1.0)], 5) == []


def test_an_empty_corpus_finds_nothing() -> None:
    assert ranked({}).rank([("anything", 1.0)], 5) == []
    assert ranked({}).frequency("anything") == 0


def test_frequency_is_the_share_of_sections_that_hold_a_word(ranker: Ranker) -> None:
    assert ranker.frequency("benches") == ranker.frequency("bench") == pytest.approx(3 / 11)
    assert ranker.frequency("nowhere") == 0


def test_a_bare_title_answers_nothing() -> None:
    bare = ranked(
        {
            "shipping.md": "# Shipping\n\n## Costs\n\nShipping is free above 50 euros.\n",
            "returns.md": "Shipping\n========\n\nBack in 30 days\n---------------\n\nYes.\n",
        }
    )
    found = bare.rank([("is shipping free above 50 euros", 1.0)], 10)

    assert found[0].section.heading == "Costs"
    assert "Shipping" not in [passage.section.heading for passage in found]


def test_a_section_on_a_page_about_the_matter_comes_before_the_same_words_elsewhere() -> None:
    pages = ranked(
        {
            "helmets.md": "# Helmets\n\nIt keeps a head.\n\n## Terms\n\nBring it back clean.\n",
            "tools.md": "# Tools\n\nA spanner turns a nut.\n\n## Terms\n\nBring it back clean.\n",
        }
    )
    found = pages.rank([("do I have to bring back the helmet clean", 1.0)], 4)
    terms = [p.section.source for p in found if p.section.heading == "Terms"]
    assert terms == ["helmets.md", "tools.md"]


@pytest.mark.parametrize("log", ["CHANGELOG.md", "docs/release-notes/2.md", "News.md"])
def test_what_a_change_log_says_comes_after_the_same_elsewhere(log: str) -> None:
    said = "# Timeout\n\nThe timeout is 30 seconds.\n"
    found = ranked({log: said, "z-settings.md": said}).rank([("what is the timeout", 1.0)], 2)
    assert [p.section.source for p in found] == ["z-settings.md", log]


def test_a_paraphrase_without_a_word_in_common_is_found() -> None:
    both = ranked(
        {
            "a.md": "# Prices\n\nOne hour at a bench costs 7 dollars.\n",
            "b.md": "# Verbosity\n\nThe flag can be repeated to print more details.\n",
        }
    )
    found = both.rank([("it tells me nothing, how do I see what is really going on", 1.0)], 2)
    assert found[0].section.source == "b.md"
    assert found[0].why == "meaning"


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("how do I silence the printer", "Pass `--silent` to it."),
        ("does the printer make a noise", "The printer makes a noise at night."),
    ],
)
def test_how_something_is_done_is_told_by_code(question: str, best: str) -> None:
    text = "# Office\n\nThe printer makes a noise at night. Pass `--silent` to it.\n"
    found = ranked({"a.md": text}).rank([(question, 1.0)], 1)[0]
    assert text[slice(*found.best)] == best


def test_an_error_that_the_question_quotes_is_not_its_answer() -> None:
    error = "error: the lamp is out of oil"
    text = f"# Lamps\n\n```\n{error}\n```\n\nWhere a lamp has no oil, fill it up to the red line.\n"
    found = ranked({"a.md": text}).rank([(f"{error} what now", 1.0)], 1)[0]
    assert text[slice(*found.best)] == "Where a lamp has no oil, fill it up to the red line."

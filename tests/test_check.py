"""What is found wrong with items and sets, over real documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from curate.check.checking import Tools, check, lint, missing
from curate.check.echo import echo
from curate.check.personal import Scan
from curate.config import CorpusSettings
from curate.corpus.corpus import Corpus
from curate.model.documents import Evidence
from curate.model.items import Absence, Finding, Item
from curate.model.records import Redaction, Turn
from curate.triage import Matcher

LAPTOPS = """# Laptops

## How long

You may borrow a laptop for up to 7 days. Ask **the desk** to
renew it.

## Late returns

A late laptop costs 2 dollars a day. Write to desk@club.example or ask Sokha Chan.

## Again

It says up to 7 days once more, and twice: once more, up to 7 days.
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "laptops.md").write_text(LAPTOPS, encoding="utf-8")
    corpus = Corpus(tmp_path / "docs", CorpusSettings(), tmp_path / "corpus.db")
    corpus.sync()
    return corpus


def quoted(corpus: Corpus, phrase: str) -> Evidence:
    start = LAPTOPS.index(phrase)
    return corpus.evidence("laptops.md", start, start + len(phrase))


@pytest.fixture
def good(corpus: Corpus) -> Item:
    return Item(
        id="how-long",
        revision=1,
        question="when is my computer due back",
        answerable=True,
        evidences=(quoted(corpus, "borrow a laptop for up to 7 days"),),
        keyword="7 days",
        status="ready",
    )


def nobody(texts: Sequence[str]) -> list[tuple[Redaction, ...]]:
    return [() for _ in texts]


def spotting(*words: str) -> Scan:
    """Return a scan that takes these words for names."""

    def scan(texts: Sequence[str]) -> list[tuple[Redaction, ...]]:
        return [
            tuple(
                Redaction(at, at + len(word), "PERSON", "<PERSON_1>", at, 1.0, "test")
                for word in words
                if (at := text.find(word)) >= 0
            )
            for text in texts
        ]

    return scan


def found(corpus: Corpus, *items: Item, scan: Scan = nobody) -> list[Finding]:
    return check(
        items,
        Tools(
            locate=corpus.locate,
            scan=scan,
            stands=corpus.stands,
            passage=corpus.passage,
            occurrences=corpus.occurrences,
            headings=lambda item: corpus.headings(),
            alike=Matcher().pairs,
            withdrawn={"gone-1"},
        ),
    )


def codes(corpus: Corpus, *items: Item, scan: Scan = nobody) -> list[tuple[str, str]]:
    return [(f.code, f.severity) for f in found(corpus, *items, scan=scan)]


def test_a_good_item_has_no_finding(corpus: Corpus, good: Item) -> None:
    assert found(corpus, good) == []


def test_a_good_unanswerable_item_has_no_finding(corpus: Corpus) -> None:
    absence = Absence(("can i buy one",), (("laptops.md", "How long", 1.0),), corpus.digest())
    item = Item(
        "no-sale", 1, "can i buy a laptop", answerable=False, absence=absence, status="ready"
    )
    assert found(corpus, item) == []
    assert codes(corpus, replace(item, absence=None)) == [("absence-missing", "warning")]


def test_evidence_that_left_the_documents_is_an_error(corpus: Corpus, good: Item) -> None:
    lost = replace(good.evidences[0], phrase="for a whole quarter without any renewal", start=0)
    assert ("evidence-lost", "error") in codes(corpus, replace(good, evidences=(lost,)))


def test_evidence_under_another_heading_is_an_error_that_names_both(
    corpus: Corpus, good: Item
) -> None:
    wrong = replace(good.evidences[0], heading="Late returns")
    findings = found(corpus, replace(good, evidences=(wrong,)))
    assert [(f.code, f.severity) for f in findings] == [("heading-wrong", "error")]
    assert "How long" in findings[0].message
    assert "Late returns" in findings[0].message


def test_evidence_that_moved_is_an_error(tmp_path: Path, corpus: Corpus, good: Item) -> None:
    moved = LAPTOPS.replace("## How long", "## For how long")
    (tmp_path / "docs" / "laptops.md").write_text(moved, encoding="utf-8")
    corpus.sync()
    assert codes(corpus, good) == [("evidence-moved", "error")]


def test_evidence_that_differs_in_white_space_still_matches_and_passes(
    corpus: Corpus, good: Item
) -> None:
    spaced = replace(good.evidences[0], phrase="borrow a  laptop\nfor up to 7 days")
    assert all(s != "error" for _, s in codes(corpus, replace(good, evidences=(spaced,))))


def test_evidence_that_differs_in_quotes_or_markup_is_an_error(corpus: Corpus, good: Item) -> None:
    bare = replace(quoted(corpus, "Ask **the desk** to"), phrase="Ask the desk to")
    findings = codes(corpus, replace(good, evidences=(bare,), keyword="desk"))
    assert findings == [("evidence-normalised", "error")]


def test_evidence_that_stands_twice_under_its_heading_is_a_warning(
    corpus: Corpus, good: Item
) -> None:
    twice = replace(good.evidences[0], phrase="up to 7 days", heading="Again", start=0, digest="")
    assert codes(corpus, replace(good, evidences=(twice,))) == [("evidence-ambiguous", "warning")]


def test_ambiguous_evidence_names_its_places_and_the_longer_words_it_is_a_part_of(
    corpus: Corpus, good: Item
) -> None:
    twice = replace(good.evidences[0], phrase="2 dollars", heading="Fees", start=0, digest="")
    (corpus.root / "laptops.md").write_text(
        LAPTOPS + "\n## Deposit\n\nThe deposit is 22 dollars.\n", "utf-8"
    )
    corpus.sync()
    [finding] = found(corpus, replace(good, evidences=(twice,), keyword="2"))
    assert finding.code == "evidence-ambiguous"
    assert "under Late returns, under Deposit within “22 dollars”" in finding.message


def test_evidence_that_a_harness_also_finds_under_another_heading_is_a_warning(
    corpus: Corpus, good: Item
) -> None:
    short = replace(good, evidences=(quoted(corpus, "up to 7 days"),))
    [finding] = found(corpus, short)
    assert (finding.code, finding.severity) == ("evidence-elsewhere", "warning")
    assert "stands under Again as well" in finding.message


def test_evidence_across_markup_is_a_warning(corpus: Corpus, good: Item) -> None:
    across = quoted(corpus, "Ask **the desk** to\nrenew it")
    item = replace(good, evidences=(across,), keyword="renew")
    assert codes(corpus, item) == [("evidence-markup", "warning")]


@pytest.mark.parametrize("phrase", ["a `b` c", "see [it](x.md)", "a\n- b", "a | b", "a &amp; b"])
def test_markup_is_seen_in_its_forms(corpus: Corpus, good: Item, phrase: str) -> None:
    marked = replace(good.evidences[0], phrase=phrase)
    assert ("evidence-markup", "warning") in codes(corpus, replace(good, evidences=(marked,)))


@pytest.mark.parametrize("phrase", ["2 * 3 = 6", "snake_case", "a < b and b > c", "R&D"])
def test_plain_signs_are_no_markup(corpus: Corpus, good: Item, phrase: str) -> None:
    plain = replace(good.evidences[0], phrase=phrase)
    assert "evidence-markup" not in dict(codes(corpus, replace(good, evidences=(plain,))))


@pytest.mark.parametrize("phrase", ["", "  \n", "\ufeff\u00a0"])
def test_empty_evidence_is_an_error(corpus: Corpus, good: Item, phrase: str) -> None:
    empty = replace(good.evidences[0], phrase=phrase)
    assert ("evidence-empty", "error") in codes(corpus, replace(good, evidences=(empty,)))


def test_what_an_item_lacks_is_an_error_each(corpus: Corpus, good: Item) -> None:
    assert codes(corpus, replace(good, evidences=())) == [("evidence-missing", "error")]
    assert codes(corpus, replace(good, keyword=" ")) == [("keyword-missing", "error")]
    assert codes(corpus, replace(good, question="\n")) == [("question-empty", "error")]
    assert codes(corpus, replace(good, answerable=None)) == [("undecided", "error")]
    nowhere = replace(good.evidences[0], source="")
    assert codes(corpus, replace(good, evidences=(nowhere,))) == [("source-missing", "error")]


def test_what_is_missing_is_said_in_words(good: Item) -> None:
    assert missing(good) == ()
    assert missing(Item("x", 1, " ")) == ("a question", "answerable or not")
    assert missing(Item("x", 1, "q", answerable=True)) == ("evidence", "a keyword")
    assert missing(Item("x", 1, "q", answerable=False)) == ()


def test_a_keyword_outside_its_evidence_is_a_warning_until_the_note_justifies_it(
    corpus: Corpus, good: Item
) -> None:
    item = replace(good, keyword="one week")
    assert codes(corpus, item) == [("keyword-outside", "warning")]
    assert codes(corpus, replace(item, note="7 days are one week")) == []
    assert codes(corpus, replace(good, keyword="UP TO 7 Days")) == []


def test_a_question_that_echoes_its_passage_is_a_warning_with_its_share(
    corpus: Corpus, good: Item
) -> None:
    echoing = replace(good, question="may you borrow a laptop for up to 7 days or longer")
    findings = found(corpus, echoing)
    assert [(f.code, f.severity) for f in findings] == [("echo", "warning")]
    assert "%" in findings[0].message
    assert codes(corpus, replace(echoing, kind="exact-title")) == []


@pytest.mark.parametrize("kind", ["exact-title", "exact title", "identifier"])
def test_kinds_that_quote_on_purpose_are_no_echo(corpus: Corpus, good: Item, kind: str) -> None:
    asked = "may i borrow a laptop for up to 7 days"
    assert codes(corpus, replace(good, question=asked)) == [("echo", "warning")]
    assert codes(corpus, replace(good, question=asked, kind=kind)) == []


def test_the_echo_is_the_share_of_letters_in_copied_runs() -> None:
    assert echo("borrow a laptop", "You may BORROW a laptop here") == 1
    assert echo("laptop a borrow", "You may borrow a laptop here") == 0
    assert echo("when borrow a laptop", "may borrow a laptop") == 13 / 17
    assert echo("អាចខ្ចីកុំព្យូទ័រ", "អ្នកអាចខ្ចីកុំព្យូទ័របាន") == 1
    assert echo("តើម៉ោងបើកនៅថ្ងៃណា", "ម៉ោងបើក: ថ្ងៃសៅរ៍") == 0
    assert echo("怎么申请退款", "会员申请退款须知") == 0
    assert echo("会员申请退款", "会员申请退款须知") == 1
    assert echo("", "anything") == 0


def test_a_placeholder_left_in_a_question_or_history_is_a_warning(
    corpus: Corpus, good: Item
) -> None:
    item = replace(good, question="is <PERSON_1> late", history=(Turn("user", "<EMAIL_1>?"),))
    assert codes(corpus, item) == [("placeholder", "warning"), ("placeholder-history", "warning")]


def test_ids_are_unique_slugs_of_the_documents(corpus: Corpus, good: Item) -> None:
    other = replace(good, question="is there a fine at all")
    assert ("id-duplicate", "error") in codes(corpus, good, other)
    assert codes(corpus, replace(good, id="How_Long")) == [("id-not-slug", "warning")]
    assert codes(corpus, replace(good, id="")) == [("id-empty", "error")]
    assert codes(corpus, replace(good, id="រយៈពេល-2")) == []
    assert codes(corpus, replace(good, id="gone-1")) == [("id-withdrawn", "error")]


def test_an_id_made_from_the_question_is_a_warning(corpus: Corpus, good: Item) -> None:
    item = replace(good, id="when-is-my-computer-2")
    assert codes(corpus, item) == [("id-from-question", "warning")]


def test_personal_data_is_an_error_that_names_types_and_fields_but_never_the_text(
    corpus: Corpus, good: Item
) -> None:
    item = replace(good, question="when is Veasna's computer due", reference="Ask Veasna")
    findings = found(corpus, item, scan=spotting("Veasna"))
    assert [(f.code, f.severity) for f in findings] == [("personal-data", "error")]
    assert findings[0].message == "personal data found: PERSON in question; PERSON in reference"


def test_what_stands_verbatim_in_the_documents_is_exempt_and_noted(
    corpus: Corpus, good: Item
) -> None:
    evidence = quoted(corpus, "Write to desk@club.example or ask Sokha Chan")
    item = replace(good, evidences=(evidence,), keyword="Sokha")
    scan = spotting("Sokha", "desk@club.example")
    assert codes(corpus, item, scan=scan) == [("personal-data-documents", "note")]
    asked = replace(item, question="is anyone reading desk@club.example during the weekend")
    assert codes(corpus, asked, scan=scan) == [("personal-data-documents", "note")]


def test_one_name_in_a_question_is_no_exemption_even_where_the_documents_hold_it(
    corpus: Corpus, good: Item
) -> None:
    item = replace(good, question="i am Sokha, when is my computer due")
    assert codes(corpus, item, scan=spotting("Sokha")) == [("personal-data", "error")]


def test_near_duplicates_are_an_error_across_the_splits_and_a_warning_within_one(
    corpus: Corpus, good: Item
) -> None:
    twin = replace(good, id="how-long-2", question="When is my compter due back?")
    assert codes(corpus, good, twin) == [("near-duplicate", "warning")] * 2
    held = replace(twin, split="holdout")
    assert codes(corpus, good, held) == [("split-near-duplicate", "error")] * 2


def test_the_same_words_after_another_history_are_no_near_duplicate(
    corpus: Corpus, good: Item
) -> None:
    first = replace(good, question="and then?", history=(Turn("user", "how do i renew it"),))
    second = replace(first, id="how-long-2", history=(Turn("user", "where is the printing room"),))
    assert codes(corpus, first, second) == []


def test_one_cluster_in_both_splits_is_an_error(corpus: Corpus, good: Item) -> None:
    one = replace(good, cluster="c7")
    other = replace(
        one, id="how-long-2", question="what if i forget to bring it in time", split="holdout"
    )
    assert codes(corpus, one, other) == [("split-cluster", "error")] * 2


def test_assertions_that_no_answer_can_meet_are_errors(corpus: Corpus, good: Item) -> None:
    empty = replace(good, must_include=("",))
    assert codes(corpus, empty) == [("assertion-empty", "error")]
    both = replace(good, must_include=("7 days long",), must_not_include=("7 days",))
    assert codes(corpus, both) == [("assertion-contradiction", "error")]


def test_an_unanswerable_item_with_evidence_is_an_error(corpus: Corpus, good: Item) -> None:
    assert ("unanswerable-evidence", "error") in codes(corpus, replace(good, answerable=False))


def test_a_draft_is_only_noted_and_retired_items_are_left_alone(corpus: Corpus, good: Item) -> None:
    draft = Item("draft-1", 1, "", status="draft")
    findings = found(corpus, draft, replace(good, status="retired", evidences=()))
    assert [(f.item, f.code, f.severity) for f in findings] == [("draft-1", "draft", "note")]
    assert "a question" in findings[0].message


def test_lint_judges_a_draft_as_if_it_were_ready_among_the_others(
    corpus: Corpus, good: Item
) -> None:
    draft = replace(good, id="how-long-2", keyword="", status="draft", split="holdout")
    findings = lint(
        draft,
        [good, Item("other", 1, "", status="ready")],
        Tools(
            locate=corpus.locate,
            scan=nobody,
            stands=corpus.stands,
            passage=corpus.passage,
            occurrences=corpus.occurrences,
            headings=lambda item: corpus.headings(),
            alike=Matcher().pairs,
        ),
    )
    assert {f.item for f in findings} == {"how-long-2"}
    assert [f.code for f in findings] == ["keyword-missing", "split-near-duplicate"]


def test_errors_come_before_warnings_before_notes(corpus: Corpus, good: Item) -> None:
    broken = replace(good, id="a", keyword="")
    warned = replace(good, id="b", question="is <PERSON_1> late")
    findings = found(corpus, Item("0", 1, "q", status="draft"), warned, broken)
    assert [f.severity for f in findings] == ["error", "warning", "note"]


def test_what_the_documents_seem_to_answer_is_doubted_until_a_note_says_why(
    corpus: Corpus,
) -> None:
    absence = Absence(("q",), (("laptops.md", "How long", 1.0),), corpus.digest())
    item = Item(
        "no-1",
        1,
        "how long may i borrow a laptop",
        answerable=False,
        absence=absence,
        status="ready",
    )

    def doubted(item: Item) -> list[Finding]:
        found = check(
            [item],
            Tools(
                locate=corpus.locate,
                scan=lambda texts: [()] * len(texts),
                stands=corpus.stands,
                passage=corpus.passage,
                occurrences=corpus.occurrences,
                headings=lambda item: corpus.headings(),
                alike=Matcher().pairs,
                nearest=lambda one: next(iter(corpus.suggest(one.question, k=1)), None),
            ),
        )
        return [one for one in found if one.code == "absence-doubtful"]

    [finding] = doubted(item)
    assert finding.severity == "warning"
    assert "laptops.md › How long seems to answer it" in finding.message
    assert doubted(replace(item, note="it is of tablets")) == []
    assert doubted(replace(item, question="who sells these in bulk")) == []

"""What the set covers, and what is worth curating next."""

from __future__ import annotations

from dataclasses import replace

from curate.coverage import Coverage, coverage
from curate.model.documents import Evidence, Section
from curate.model.evaluation import Failure
from curate.model.items import Item
from curate.model.records import Asked, Traffic
from tests.events import NOW

NONE = Traffic(0, 0, 0, {}, (), ())


def section(source: str, heading: str) -> Section:
    return Section(source, heading, (), 1, 0, 1, "x")


def item(identifier: str, source: str, heading: str, **changes: object) -> Item:
    evidence = Evidence(source, heading, "x", 0, 1, "", "verbatim")
    made = Item(identifier, 1, "?", answerable=True, evidences=(evidence,), status="ready")
    return replace(made, **changes)  # type: ignore[arg-type]


SECTIONS = [section("a.md", "A"), section("a.md", "B"), section("b.md", "C"), section("b.md", "C")]
TRAFFIC = Traffic(
    20,
    4,
    3,
    {"en": 12, "km": 8},
    (Asked("docs/a.md", "B", 9, 2, 1), Asked("a.md", "A", 6, 0, 0), Asked("gone.md", "", 1, 0, 0)),
    (),
)


def whole(*items: Item, traffic: Traffic = TRAFFIC, **more: object) -> Coverage:
    return coverage(items, SECTIONS, traffic, **{"kinds": {}, **more})  # type: ignore[arg-type]


def test_documents_and_sections_are_counted_with_items_and_askings() -> None:
    twice = Evidence("a.md", "A", "y", 2, 3, "", "verbatim")
    one = item("1", "a.md", "A")
    found = whole(replace(one, evidences=(*one.evidences, twice)), item("2", "a.md", "A"))
    assert [(d.source, d.sections, d.covered, d.items, d.asked) for d in found.documents] == [
        ("a.md", 2, 1, 2, 15),
        ("b.md", 1, 0, 0, 0),
    ]
    assert [(p.heading, p.items, p.asked, p.down, p.refused) for p in found.sections] == [
        ("A", 2, 6, 0, 0),
        ("B", 0, 9, 2, 1),
        ("C", 0, 0, 0, 0),
    ]


def test_what_is_wanted_is_told_from_what_nobody_asked() -> None:
    found = whole(item("1", "a.md", "A"))
    assert [p.heading for p in found.wanted] == ["B"]
    assert [p.heading for p in found.unasked] == ["C"]
    again = whole(item("1", "b.md", "C"))
    assert [p.heading for p in again.wanted] == ["B", "A"]
    assert again.unasked == ()


def test_retired_and_withdrawn_items_cover_nothing() -> None:
    gone = [item("1", "a.md", "A", status="retired"), item("2", "b.md", "C", status="withdrawn")]
    found = whole(*gone)
    assert found.items == 0
    assert not any(place.items for place in found.sections)


def test_shares_of_the_set_stand_beside_those_of_the_traffic() -> None:
    items = [item("1", "a.md", "A", lang="en"), item("2", "a.md", "A", lang="en", kind="short")]
    found = whole(*items, kinds={"": 6, "short": 2, "identifier": 2})
    assert [(s.name, s.items, s.of_items, s.traffic, s.of_traffic) for s in found.langs] == [
        ("en", 2, 1.0, 12, 0.6),
        ("km", 0, 0.0, 8, 0.4),
    ]
    assert [(s.name, s.items, s.of_traffic) for s in found.kinds] == [
        ("plain", 1, 0.6),
        ("identifier", 0, 0.2),
        ("short", 1, 0.2),
    ]


def test_no_share_of_traffic_is_given_for_kinds_that_only_people_tell() -> None:
    found = whole(item("1", "a.md", "A", kind="paraphrase"), kinds={"": 3, "long": 1})
    assert {s.name: s.of_traffic for s in found.kinds} == {
        "plain": 0.75,
        "long": 0.25,
        "paraphrase": None,
    }


def test_answerability_is_compared_with_refusals_and_splits_are_counted() -> None:
    no = Item("3", 1, "?", answerable=False, status="ready", split="holdout")
    found = whole(item("1", "a.md", "A"), no, Item("4", 1, "?"))
    assert [(s.name, s.items, s.of_traffic) for s in found.answerability] == [
        ("answerable", 1, None),
        ("unanswerable", 1, 0.2),
        ("undecided", 1, None),
    ]
    assert found.splits == {
        "tuning": {"answerable": 1, "undecided": 1},
        "holdout": {"unanswerable": 1},
    }


def test_failures_are_counted_by_what_a_person_called_them() -> None:
    failures = [
        Failure("1", "r", "retrieval miss", "", NOW),
        Failure("2", "r", "retrieval miss", "", NOW, confirmed="stale document"),
        Failure("3", "r", "retrieval miss", "", NOW),
    ]
    assert whole(failures=failures).labels == {"retrieval miss": 2, "stale document": 1}


def test_what_is_asked_most_and_worst_is_suggested_first() -> None:
    found = whole(item("1", "a.md", "A", lang="en"), kinds={"": 5, "identifier": 5})
    told = {suggestion.what: suggestion.why for suggestion in found.suggestions}
    assert next(iter(told)) == "an item on a.md › B"
    assert told["an item on a.md › B"] == (
        "asked 9 times, 2 thumbs-down, refused 1 time; no item quotes it"
    )
    assert told["questions in km"] == "40% of what is asked, 0% of the set"
    assert told["questions of kind identifier"] == "50% of what is asked, 0% of the set"
    assert (
        "4 of 20 logged questions were refused"
        in told["questions that the documents do not answer, close to what they do"]
    )
    assert told["more items"] == "1 so far; 30 are a start"
    assert told["the next items for the holdout"] == "0 of 1 items; meant are 20%"
    assert told["a first item on b.md"] == "1 section, none quoted"


def test_nothing_is_suggested_where_nothing_lacks() -> None:
    items = [
        item(str(n), "b.md" if n % 2 else "a.md", "C" if n % 2 else ("A", "B")[n // 2 % 2],
             split="holdout" if n % 5 == 0 else "tuning")
        for n in range(36)
    ]  # fmt: skip
    no = [Item(f"n{n}", 1, "?", answerable=False, status="ready") for n in range(4)]
    assert whole(*items, *no, traffic=NONE).suggestions == ()


def test_an_empty_set_over_empty_traffic_is_no_error() -> None:
    found = coverage([], [], NONE, kinds={})
    assert (found.items, found.documents) == (0, ())

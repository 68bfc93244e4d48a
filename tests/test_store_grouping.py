"""Clusters put together and taken apart by hand, and back again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curate.model.errors import CurateError
from curate.model.records import Candidate
from curate.store.store import Store
from curate.triage import Matcher
from tests.events import DAY, NOW, Clock, question, vote
from tests.test_store_deciding import make

MATCHER = Matcher()
WHO: dict[str, Any] = {"by": "anna", "now": NOW}


@pytest.fixture
def store(database: Path, clock: Clock) -> Iterator[Store]:
    with Store.open(database, now=clock) as opened:
        opened.save(
            [
                question("a", "How long may I keep a book?"),
                question("b", "how long may i keep a book"),
                question("c", "What is the loan period?"),
                question("d", "Where do I park my bicycle?"),
                vote("v", "c"),
            ],
            matcher=MATCHER,
            received=NOW,
        )
        yield opened


def inbox(store: Store) -> dict[str, Candidate]:
    return {c.question: c for c in store.candidates(store.candidate_ids(status=""))}


def both(store: Store) -> tuple[Candidate, Candidate]:
    found = inbox(store)
    return found["How long may I keep a book?"], found["What is the loan period?"]


def records(store: Store, candidate: int) -> list[str]:
    return [record.question.text for record in store.records(candidate)]


def test_merged_candidates_are_one_with_all_records_votes_and_reasons(store: Store) -> None:
    book, loan = (
        inbox(store)[q] for q in ("How long may I keep a book?", "What is the loan period?")
    )
    store.merge(book.id, [loan.id], **WHO, matcher=MATCHER, reason="same")
    merged = store.candidate(book.id)
    assert (merged.size, merged.reasons[0]) == (3, "1 thumbs-down")
    assert "asked 3 times" in merged.reasons
    assert loan.question not in inbox(store)
    with pytest.raises(CurateError):
        store.candidate(loan.id)


def test_a_merged_candidate_also_takes_what_comes_later_in_either_wording(store: Store) -> None:
    book, loan = (
        inbox(store)[q] for q in ("How long may I keep a book?", "What is the loan period?")
    )
    store.merge(book.id, [loan.id], **WHO, matcher=MATCHER)
    store.save([question("e", "what is the loan period")], matcher=MATCHER, received=NOW)
    assert store.candidate(book.id).size == 4


def test_undoing_a_merge_brings_the_candidates_back_as_they_were(store: Store) -> None:
    before = inbox(store)
    book, loan = before["How long may I keep a book?"], before["What is the loan period?"]
    store.decide(loan.id, "rejected", by="ben", now=NOW, reason="off topic")
    told = store.candidate(loan.id)
    store.merge(book.id, [loan.id], **WHO, matcher=MATCHER)
    undone = store.undo(**WHO, matcher=MATCHER)
    assert (undone.action, set(undone.subjects)) == ("merge", {f"c{book.id}", f"c{loan.id}"})
    assert store.candidate(book.id) == book
    assert store.candidate(loan.id) == told
    assert records(store, loan.id) == ["What is the loan period?"]


def test_records_are_split_off_into_a_candidate_of_their_own_and_back(store: Store) -> None:
    book = inbox(store)["How long may I keep a book?"]
    [_, second] = store.records(book.id)
    made = store.split(book.id, [second.id], **WHO, matcher=MATCHER)
    assert records(store, made) == ["how long may i keep a book"]
    assert (store.candidate(book.id).size, store.candidate(made).status) == (1, "open")
    store.save([question("e", "How long may I keep a book")], matcher=MATCHER, received=NOW)
    store.undo(**WHO, subject=f"c{book.id}", matcher=MATCHER)
    assert store.candidate(book.id).size == 3
    with pytest.raises(CurateError):
        store.candidate(made)


def test_a_split_is_not_undone_under_a_decision_on_its_part(store: Store) -> None:
    book = inbox(store)["How long may I keep a book?"]
    made = store.split(book.id, [store.records(book.id)[1].id], **WHO, matcher=MATCHER)
    store.decide(made, "rejected", by="ben", now=NOW, reason="odd")
    with pytest.raises(CurateError, match="changed by ben since"):
        store.undo(**WHO, matcher=MATCHER)


@pytest.mark.parametrize("chosen", [[], [1, 2], [3], [99]])
def test_a_split_needs_some_but_not_all_of_the_records(store: Store, chosen: list[int]) -> None:
    book = inbox(store)["How long may I keep a book?"]
    with pytest.raises(CurateError):
        store.split(book.id, chosen, **WHO, matcher=MATCHER)
    assert store.candidate(book.id).size == 2
    assert store.revisions() == []


def test_two_candidates_with_an_item_each_are_not_merged(store: Store) -> None:
    book, loan = (
        inbox(store)[q] for q in ("How long may I keep a book?", "What is the loan period?")
    )
    make(store, "one", candidate=book.id)
    make(store, "two", candidate=loan.id)
    with pytest.raises(CurateError, match="an item each"):
        store.merge(book.id, [loan.id], **WHO, matcher=MATCHER)


def test_the_item_of_one_of_them_stays(store: Store) -> None:
    book, loan = (
        inbox(store)[q] for q in ("How long may I keep a book?", "What is the loan period?")
    )
    make(store, "two", candidate=loan.id)
    store.merge(book.id, [loan.id], **WHO, matcher=MATCHER)
    assert (store.candidate(book.id).item, store.candidate(book.id).status) == ("two", "done")


def test_nothing_is_merged_with_itself_alone_or_with_what_is_gone(store: Store) -> None:
    for others in ([1], [99]):
        with pytest.raises(CurateError):
            store.merge(1, others, **WHO, matcher=MATCHER)


def test_purged_records_do_not_come_back_with_an_undo(store: Store, clock: Clock) -> None:
    book, loan = (
        inbox(store)[q] for q in ("How long may I keep a book?", "What is the loan period?")
    )
    store.merge(book.id, [loan.id], **WHO, matcher=MATCHER)
    clock.now = NOW + 200 * DAY
    store.purge(by="anna", matcher=MATCHER)
    undone = store.undo(**WHO, matcher=MATCHER)
    assert set(undone.gone) == {f"c{book.id}", f"c{loan.id}"}
    assert inbox(store) == {}

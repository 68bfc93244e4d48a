"""A question that is an item already is told so when it is asked again, and comes later."""

from __future__ import annotations

from dataclasses import replace

from curate.model.items import Item
from curate.model.records import Candidate, CleanFeedback, CleanQuestion
from curate.store.store import Store
from curate.triage import Matcher
from tests.events import DAY, NOW, Clock, follow_up, question, vote

ASKED = "How long may I keep a borrowed book?"


def save(store: Store, *batch: CleanQuestion | CleanFeedback) -> list[Candidate]:
    store.save(batch, matcher=Matcher(), received=NOW)
    return store.candidates(store.candidate_ids())


def make(store: Store, item: Item, candidate: int | None = None) -> Item:
    return store.save_item(
        item, by="anna", now=NOW, expected=item.revision, action="make", candidate=candidate
    )


def test_a_question_that_comes_back_after_its_record_expired(store: Store, clock: Clock) -> None:
    [first] = save(store, question("a", ASKED))
    make(store, Item("loans-1", 0, ASKED, status="ready"), first.id)
    assert store.candidates(store.candidate_ids()) == []

    clock.now = NOW + 120 * DAY
    store.purge(by="anna", matcher=Matcher())
    late = {"asked_at": clock.now, "received_at": clock.now}
    other, again = save(
        store,
        question("b", "how long may i keep a borowed book", **late),
        replace(vote("v", "b"), at=clock.now, received_at=clock.now),
        question("c", "Where do I renew my card?", **late),
        replace(vote("w", "c"), at=clock.now, received_at=clock.now),
    )

    assert again.reasons[0] == "loans-1 asks the same"
    assert "1 thumbs-down" in again.reasons
    assert other.reasons[0] == "1 thumbs-down"
    assert other.priority > again.priority > 0


def test_the_wording_as_it_was_asked_counts_too(store: Store) -> None:
    make(store, Item("loans-1", 0, "What is the loan period?", original=ASKED))

    [candidate] = save(store, question("a", ASKED))

    assert candidate.reasons[0] == "loans-1 asks the same"


def test_a_set_that_is_taken_in_tells_the_candidates_that_wait(store: Store) -> None:
    [before] = save(store, question("a", ASKED))
    item = make(store, Item("loans-1", 0, ASKED))

    assert store.rerank([item], matcher=Matcher()) == 1
    assert store.candidate(before.id).reasons[0] == "loans-1 asks the same"

    retired = make(store, replace(item, status="retired"))
    assert store.rerank([retired], matcher=Matcher()) == 1
    assert store.candidate(before.id).reasons == before.reasons


def test_a_follow_up_needs_the_same_past(store: Store) -> None:
    make(store, Item("loans-1", 0, "And for children?"))

    [candidate] = save(store, follow_up("a", "And for children?", "How long may I keep a book?"))

    assert not any("asks the same" in reason for reason in candidate.reasons)

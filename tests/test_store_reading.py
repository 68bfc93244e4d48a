from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curate.model.errors import CurateError
from curate.model.items import Item
from curate.store.store import Store
from curate.triage import Matcher
from tests.events import DAY, NOW, Clock, question, vote


@pytest.fixture
def store(database: Path, clock: Clock) -> Iterator[Store]:
    with Store.open(database, now=clock) as opened:
        opened.save(
            [
                question("a", "How long can I keep a book?", asked_at=NOW - 80 * DAY),
                question("b", "how long can I keep a book", asked_at=NOW - 5 * DAY, lang="km"),
                question("c", "What are the FEES in 100% of cases?", asked_at=NOW - 3 * DAY),
                question("d", "តើបណ្ណាល័យបើកម៉ោងប៉ុន្មាន? ÄÖ", asked_at=NOW - 2 * DAY),
                vote("v", "a"),
                vote("w", "nobody"),
            ],
            matcher=Matcher(),
            received=NOW,
        )
        yield opened


def test_ids_come_by_priority_in_eight_bytes_each(store: Store) -> None:
    ids = store.candidate_ids()
    assert (type(ids), ids.typecode, len(ids)) == (array, "q", 3)
    priorities = [candidate.priority for candidate in store.candidates(ids)]
    assert priorities == sorted(priorities, reverse=True)
    assert [candidate.id for candidate in store.candidates(ids)] == list(ids)
    assert [candidate.id for candidate in store.candidates(ids[::-1])] == list(ids[::-1])


def test_candidates_are_found_by_status_text_and_reason(store: Store) -> None:
    def found(**filters: Any) -> set[str]:
        return {c.question for c in store.candidates(store.candidate_ids(**filters))}

    assert found(text="fees") == {"What are the FEES in 100% of cases?"}
    assert found(text="100%") == {"What are the FEES in 100% of cases?"}
    assert found(text="1_0%") == set()
    assert found(text="បណ្ណាល័យ") == found(text="äö") != set()
    assert found(reason="DOWN") == {"How long can I keep a book?"}
    assert found(status="rejected") == set()
    assert len(found(status="")) == 3


def test_a_candidate_is_shown_by_its_first_record(store: Store) -> None:
    (identifier,) = store.candidate_ids(text="book")
    candidate = store.candidate(identifier)
    assert (candidate.question, candidate.size) == ("How long can I keep a book?", 2)
    assert candidate.first_asked == NOW - 80 * DAY
    assert candidate.last_asked == NOW - 5 * DAY
    assert candidate.lang == "en"


def test_nothing_that_has_expired_is_read_though_no_purge_has_been(
    store: Store, clock: Clock
) -> None:
    (identifier,) = store.candidate_ids(text="book")
    first, second = store.records(identifier)
    clock.now = first.expires_at
    candidate = store.candidate(identifier)
    assert (candidate.question, candidate.size) == ("how long can I keep a book", 1)
    assert (candidate.record, candidate.lang) == (second.id, "km")
    assert candidate.first_asked == NOW - 5 * DAY
    assert store.records(identifier) == [second]
    assert list(store.candidate_ids(text="book?")) == []
    with pytest.raises(CurateError, match=f"record {first.id} has expired"):
        store.record(first.id)
    clock.now = NOW + 90 * DAY
    assert list(store.candidate_ids(status="")) == []
    assert store.candidates([identifier]) == []
    with pytest.raises(CurateError, match=f"candidate {identifier} has expired"):
        store.candidate(identifier)
    counts = store.counts()
    assert (counts.records, counts.overdue, counts.waiting_votes) == (0, 4, 0)
    assert counts.candidates == {}


def test_counts_tell_what_there_is_and_when_it_goes(store: Store) -> None:
    counts = store.counts()
    assert (counts.records, counts.overdue, counts.waiting_votes) == (4, 0, 1)
    assert (counts.oldest, counts.newest) == (NOW - 80 * DAY, NOW - 2 * DAY)
    days = {(NOW + days * DAY).date().isoformat(): 1 for days in (10, 85, 87, 88)}
    assert counts.expiring == days
    assert counts.candidates == {"open": 3}
    assert (counts.versions, counts.last_version, counts.last_purge) == (0, None, None)
    assert counts.dirty is False


def test_no_repr_tells_a_question(store: Store) -> None:
    (identifier,) = store.candidate_ids(text="book")
    assert "book" not in repr(store.candidate(identifier))
    assert "book" not in repr(store.records(identifier))


def test_candidates_are_filtered_by_log_language_time_and_tag(store: Store) -> None:
    early = question("early", "Erste Frage?", lang="de", source="chat", asked_at=NOW - 9 * DAY)
    late = question("late", "Any questions?", lang="en", source="chat", asked_at=None)
    store.save([early, late], matcher=Matcher(), received=NOW)
    [one] = store.candidate_ids(text="Erste")
    [two] = store.candidate_ids(text="Any questions")
    assert set(store.candidate_ids(source="chat")) == {one, two}
    assert list(store.candidate_ids(source="chat", lang="de")) == [one]
    assert list(store.candidate_ids(source="chat", since=NOW - DAY)) == [two]
    assert list(store.candidate_ids(source="chat", until=NOW - 9 * DAY)) == []
    assert list(store.candidate_ids(source="chat", until=NOW - 8 * DAY)) == [one]
    item = Item("it", 0, "?", tags=("vip", "x"))
    store.save_item(item, by="anna", now=NOW, expected=0, candidate=one, action="make")
    assert list(store.candidate_ids(tag="vip")) == [one]
    assert list(store.candidate_ids(tag="vi")) == []

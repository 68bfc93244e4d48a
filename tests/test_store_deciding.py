from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from curate.model.errors import CurateError, Exit
from curate.model.items import Absence, Conflict, Item
from curate.model.records import Turn
from curate.store.mapping import item_from_json, item_to_json
from curate.store.store import Store
from curate.triage import Matcher
from tests.events import DAY, NOW, Clock, evidence, question

FULL = Item(
    id="loans-1",
    revision=1,
    question="How long may I keep a book?",
    answerable=True,
    evidences=(evidence("loans.md", "How long"), evidence("fees.md", "Fines", "ten cents")),
    evidence_mode="all",
    keyword="two weeks",
    must_include=("weeks",),
    must_not_include=("month",),
    reference="Two weeks.",
    history=(Turn("user", "Hello"), Turn("assistant", "សួស្តី")),
    split="holdout",
    kind="paraphrase",
    lang="km-en",
    tags=("short",),
    absence=Absence(("books",), (("fees.md", "Fines", 0.25),), "sha256:11"),
    cluster="c1",
    status="ready",
    note="careful",
    original="how long can I kep a book",
    changed_at=NOW,
    changed_by="anna",
)


@pytest.fixture
def store(database: Path, clock: Clock) -> Iterator[Store]:
    with Store.open(database, now=clock) as opened:
        opened.save(
            [question("a", "How long?"), question("b", "What are the fees?")],
            matcher=Matcher(),
            received=NOW,
        )
        yield opened


def make(store: Store, identifier: str = "loans-1", **changes: Any) -> Item:
    item = replace(FULL, id=identifier, **{key: changes.pop(key) for key in _item(changes)})
    wanted: dict[str, Any] = {"by": "anna", "now": NOW, "expected": 0, "action": "make"}
    wanted |= changes
    return store.save_item(item, **wanted)


def _item(changes: dict[str, Any]) -> list[str]:
    return [key for key in changes if key in Item.__slots__]


def test_an_item_survives_json_and_the_store_unchanged(store: Store) -> None:
    assert item_from_json(item_to_json(FULL)) == FULL
    assert make(store) == FULL
    assert store.item("loans-1") == FULL
    assert store.items() == [FULL]
    assert item_from_json({"id": "x", "revision": 1, "question": "?"}) == Item("x", 1, "?")


def test_every_change_is_signed_timed_and_counted(store: Store) -> None:
    first = make(store)
    later = NOW + DAY
    second = store.save_item(
        replace(first, keyword="weeks"),
        by="ben",
        now=later,
        expected=1,
        action="change",
        reason="shorter",
    )
    assert (second.revision, second.changed_by, second.changed_at) == (2, "ben", later)
    newest, oldest = store.revisions("loans-1")
    assert (newest.number, newest.by, newest.at, newest.action) == (2, "ben", later, "change")
    assert newest.reason == "shorter"
    assert newest.before is not None
    assert newest.after is not None
    assert item_from_json(newest.before) == first
    assert item_from_json(newest.after) == second
    assert (oldest.number, oldest.before, oldest.act) == (1, None, newest.act - 1)
    assert store.revisions(limit=1) == [newest]


def test_saving_an_item_as_it_is_writes_nothing(store: Store) -> None:
    first = make(store)
    again = store.save_item(first, by="ben", now=NOW + DAY, expected=1, action="change")
    assert again == first
    assert len(store.revisions()) == 1


def test_a_stale_change_is_a_conflict_that_carries_theirs(store: Store) -> None:
    first = make(store)
    theirs = store.save_item(
        replace(first, keyword="weeks"), by="ben", now=NOW, expected=1, action="change"
    )
    with pytest.raises(Conflict, match="changed by ben") as caught:
        store.save_item(
            replace(first, keyword="two"), by="anna", now=NOW, expected=1, action="change"
        )
    assert caught.value.theirs == theirs
    assert store.item("loans-1") == theirs
    with pytest.raises(Conflict):
        make(store)


def test_a_ready_item_closes_its_candidate_in_the_same_act(store: Store) -> None:
    first, _ = store.candidate_ids()
    make(store, status="draft", candidate=first)
    assert store.candidate(first).status == "open"
    assert store.candidate(first).item == "loans-1"
    make(store, candidate=first, expected=1, status="ready")
    assert store.candidate(first).status == "done"
    acts = {(revision.subject, revision.act) for revision in store.revisions()}
    assert acts == {("loans-1", 1), (f"c{first}", 1), ("loans-1", 2), (f"c{first}", 2)}


def test_revisions_of_candidates_hold_no_text(store: Store) -> None:
    first, _ = store.candidate_ids()
    store.decide(first, "rejected", by="anna", now=NOW, reason="off topic")
    (revision,) = store.revisions(f"c{first}")
    assert revision.before == {"status": "open", "item": None, "note": ""}
    assert revision.after == {"status": "rejected", "item": None, "note": "off topic"}
    assert store.candidate(first).note == "off topic"


def test_two_items_from_one_candidate_are_a_conflict(store: Store) -> None:
    first, _ = store.candidate_ids()
    theirs = make(store, candidate=first, by="ben")
    with pytest.raises(Conflict, match="already has the item loans-1") as caught:
        make(store, "loans-2", candidate=first)
    assert caught.value.theirs == theirs
    assert store.item_ids() == ["loans-1"]


def test_two_drafts_from_one_candidate_are_a_conflict_too(store: Store) -> None:
    first, _ = store.candidate_ids()
    theirs = make(store, candidate=first, by="ben", status="draft")
    with pytest.raises(Conflict) as caught:
        make(store, "loans-2", candidate=first, status="draft")
    assert caught.value.theirs == theirs


def test_a_candidate_back_in_the_inbox_keeps_its_draft_and_is_free_of_a_finished_item(
    store: Store,
) -> None:
    first, second = store.candidate_ids()
    make(store, candidate=first, status="draft")
    store.decide(first, "rejected", by="anna", now=NOW)
    store.decide(first, "open", by="anna", now=NOW)
    assert store.candidate(first).item == "loans-1"
    make(store, "fees-1", candidate=second)
    store.decide(second, "open", by="anna", now=NOW)
    assert make(store, "fees-2", candidate=second).id == "fees-2"
    assert store.item_ids() == ["fees-1", "fees-2", "loans-1"]


def test_an_item_without_an_id_is_given_the_next_of_its_stem(store: Store) -> None:
    assert make(store, "", stem="loans").id == "loans-1"
    assert make(store, "", stem="loans").id == "loans-2"


def test_a_duplicate_names_an_item_that_is_there(store: Store) -> None:
    first, second = store.candidate_ids()
    with pytest.raises(CurateError, match="needs the item"):
        store.decide(first, "duplicate", by="anna", now=NOW)
    with pytest.raises(CurateError, match="no item loans-1"):
        store.decide(first, "duplicate", by="anna", now=NOW, item="loans-1")
    made = make(store)
    store.decide(second, "duplicate", by="anna", now=NOW, item="loans-1")
    assert store.candidate(second).item == "loans-1"
    store.save_item(
        replace(made, status="retired"), by="anna", now=NOW, expected=made.revision, action="retire"
    )
    with pytest.raises(CurateError, match="loans-1 is retired"):
        store.decide(first, "duplicate", by="anna", now=NOW, item="loans-1")


def test_a_decision_on_a_changed_candidate_is_refused_when_asked_for(store: Store) -> None:
    first, _ = store.candidate_ids()
    store.decide(first, "rejected", by="ben", now=NOW)
    with pytest.raises(CurateError, match=r"rejected already \(by ben\)"):
        store.decide(first, "done", by="anna", now=NOW, expected="open")
    assert store.candidate(first).status == "rejected"
    with pytest.raises(CurateError, match="no candidate 99"):
        store.decide(99, "done", by="anna", now=NOW)


def test_undo_goes_back_act_by_act_to_the_beginning_across_restarts(
    database: Path, clock: Clock
) -> None:
    with Store.open(database, now=clock) as store:
        store.save([question("a", "How long?")], matcher=Matcher(), received=NOW)
        (candidate,) = store.candidate_ids()
        make(store, candidate=candidate)
        for number in range(2, 12):
            make(store, keyword=f"word {number}", expected=number - 1)
    for number in range(11, 1, -1):
        with Store.open(database, now=clock) as store:
            undone = store.undo(by="anna", now=NOW)
            assert undone.undid == number
            assert undone.subjects == ("loans-1",)
            keyword = store.item("loans-1").keyword
            assert keyword == ("two weeks" if number == 2 else f"word {number - 1}")
    with Store.open(database, now=clock) as store:
        assert store.candidate(candidate).status == "done"
        undone = store.undo(by="anna", now=NOW)
        assert set(undone.subjects) == {"loans-1", f"c{candidate}"}
        assert store.candidate(candidate).status == "open"
        assert store.candidate(candidate).item is None
        assert store.items() == []
        with pytest.raises(CurateError, match="no change of anna is left to undo"):
            store.undo(by="anna", now=NOW)
        assert store.revisions("loans-1")[0].undoes == 1


def test_after_an_undo_new_work_is_undone_first(store: Store) -> None:
    make(store)
    make(store, keyword="a", expected=1)
    store.undo(by="anna", now=NOW)
    make(store, keyword="b", expected=3)
    assert store.item("loans-1").revision == 4
    store.undo(by="anna", now=NOW)
    assert store.item("loans-1").keyword == "two weeks"
    store.undo(by="anna", now=NOW)
    assert store.items() == []


def test_undo_takes_back_ones_own_act_or_the_last_on_a_subject(store: Store) -> None:
    make(store, "loans-1", by="anna")
    make(store, "fees-1", by="ben")
    assert store.undo(by="anna", now=NOW).subjects == ("loans-1",)
    assert store.undo(by="anna", now=NOW, subject="fees-1").by == "ben"
    assert store.items() == []


def test_undo_never_drops_a_later_change_of_somebody_else(store: Store) -> None:
    make(store)
    theirs = make(store, keyword="theirs", expected=1, by="ben")
    with pytest.raises(Conflict, match="changed by ben since") as caught:
        store.undo(by="anna", now=NOW)
    assert caught.value.theirs == theirs
    assert store.item("loans-1") == theirs
    first, _ = store.candidate_ids()
    store.decide(first, "rejected", by="anna", now=NOW)
    store.decide(first, "open", by="ben", now=NOW)
    with pytest.raises(CurateError, match="changed by ben since"):
        store.undo(by="anna", now=NOW)


def test_a_bulk_change_is_one_act(store: Store) -> None:
    items = [replace(FULL, id=f"loans-{number}") for number in (1, 2, 3)]
    saved = store.save_items([(one, 0) for one in items], by="anna", now=NOW, action="import")
    assert saved == items
    with pytest.raises(Conflict):
        store.save_items(
            [(replace(FULL, id="new-1"), 0), (items[1], 0)], by="anna", now=NOW, action="import"
        )
    assert store.item_ids() == ["loans-1", "loans-2", "loans-3"]
    assert len(store.undo(by="anna", now=NOW).subjects) == 3
    assert store.items() == []


def test_undo_after_a_purge_brings_no_text_back(store: Store, clock: Clock) -> None:
    first, second = store.candidate_ids()
    make(store, candidate=first)
    store.decide(second, "rejected", by="anna", now=NOW)
    clock.now = NOW + 120 * DAY
    store.purge(by="anna", matcher=Matcher())
    assert store.undo(by="anna", now=NOW).gone == (f"c{second}",)
    assert store.undo(by="anna", now=NOW).gone == (f"c{first}",)
    assert store.items() == []
    assert list(store.candidate_ids(status="")) == []
    with pytest.raises(CurateError, match="left to undo"):
        store.undo(by="anna", now=NOW)


def test_a_withdrawn_item_cannot_be_changed_or_undone(store: Store) -> None:
    make(store)
    make(store, expected=1, status="withdrawn", question="")
    with pytest.raises(CurateError, match="withdrawn") as caught:
        make(store, expected=2)
    assert caught.value.code is Exit.PRIVACY
    with pytest.raises(CurateError, match="withdrawn"):
        store.undo(by="anna", now=NOW, subject="loans-1")
    with pytest.raises(CurateError, match="left to undo"):
        store.undo(by="anna", now=NOW)
    assert store.new_item_id("loans") == "loans-2"


def test_ids_are_never_proposed_twice(store: Store) -> None:
    assert store.new_item_id("loans") == "loans-1"
    make(store, "loans-2")
    make(store, "loans-long-7")
    assert store.new_item_id("loans") == "loans-3"
    store.undo(by="anna", now=NOW)
    store.undo(by="anna", now=NOW)
    assert store.items() == []
    assert store.new_item_id("loans") == "loans-3"
    assert store.new_item_id("ខ្មែរ") == "ខ្មែរ-1"
    assert store.new_item_id("") == "item-1"
    with pytest.raises(CurateError, match="how candidates are called"):
        make(store, "c12")


def test_an_item_whose_making_was_undone_is_not_saved_over(store: Store) -> None:
    first = make(store)
    store.undo(by="anna", now=NOW)
    with pytest.raises(CurateError, match="its making was undone"):
        store.save_item(first, by="ben", now=NOW, expected=1, action="change")
    assert make(store).revision == 3


def test_items_are_listed_by_status_and_split(store: Store) -> None:
    make(store, "a-1", status="draft", split="tuning")
    make(store, "b-1", status="ready", split="holdout")
    assert store.item_ids(status="draft") == ["a-1"]
    assert store.item_ids(split="holdout") == ["b-1"]
    assert [item.id for item in store.items(["b-1", "nobody"])] == ["b-1"]
    assert store.counts().items == {"draft": {"tuning": 1}, "ready": {"holdout": 1}}
    with pytest.raises(CurateError, match="no item nobody"):
        store.item("nobody")


CURATOR = """
import sys
from dataclasses import replace
from datetime import datetime, UTC
from pathlib import Path
from curate.model.items import Conflict
from curate.store.store import Store
now = datetime(2026, 11, 29, tzinfo=UTC)
name, rounds = sys.argv[2], int(sys.argv[3])
with Store.open(Path(sys.argv[1]), now=lambda: now) as store:
    for _ in range(rounds):
        while True:
            item = store.item("loans-1")
            grown = replace(item, note=str(int(item.note or 0) + 1))
            try:
                store.save_item(grown, by=name, now=now, expected=item.revision, action="change")
                break
            except Conflict:
                pass
"""


def test_no_change_of_four_curators_at_once_is_lost(store: Store, database: Path) -> None:
    make(store, note="")
    rounds = 12
    running = [
        subprocess.Popen([sys.executable, "-c", CURATOR, str(database), name, str(rounds)])
        for name in ("anna", "ben", "chan", "dara")
    ]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    item = store.item("loans-1")
    assert (item.note, item.revision) == (str(4 * rounds), 4 * rounds + 1)
    numbers = [revision.number for revision in store.revisions("loans-1", limit=1000)]
    assert numbers == list(range(4 * rounds + 1, 0, -1))


def test_a_decision_is_there_for_the_next_process_at_once(store: Store, database: Path) -> None:
    first, _ = store.candidate_ids()
    store.decide(first, "rejected", by="anna", now=NOW + timedelta(minutes=1))
    with Store.open(database, now=Clock()) as other:
        assert other.candidate(first).status == "rejected"

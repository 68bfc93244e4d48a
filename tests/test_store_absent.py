"""What is said of something that is not there is what is known of it."""

from __future__ import annotations

from typing import Any

import pytest

from curate.model.errors import CurateError
from curate.store.store import Store
from curate.triage import Matcher
from tests.events import DAY, NOW, Clock, question
from tests.test_store_deciding import make

WHO: dict[str, Any] = {"by": "anna", "now": NOW}


def filled(store: Store) -> list[int]:
    store.save(
        [question("a", "How long may I keep a book?"), question("b", "Where do I park?")],
        matcher=Matcher(),
        received=NOW,
    )
    return list(store.candidate_ids())


def refusal(store: Store, candidate: int) -> CurateError:
    with pytest.raises(CurateError) as refused:
        store.candidate(candidate)
    return refused.value


def test_what_never_was_there_is_not_said_to_have_expired(store: Store) -> None:
    assert "curate ingest" in refusal(store, 1).hint
    filled(store)
    never = refusal(store, 99)
    assert (never.message, never.hint) == (
        "there is no candidate 99, and never was", "The last is 2.",
    )  # fmt: skip


def test_what_expired_is_said_to_have_before_and_after_the_purge(
    store: Store, clock: Clock
) -> None:
    one, _ = filled(store)
    clock.now = NOW + 200 * DAY
    assert refusal(store, one).message == f"candidate {one} has expired"
    store.purge(by="anna", matcher=Matcher())
    gone = refusal(store, one)
    assert gone.message == f"candidate {one} is gone"
    assert "expired" in gone.hint


def test_a_merged_candidate_names_the_one_it_is_part_of_until_that_is_undone(store: Store) -> None:
    one, two = filled(store)
    store.merge(one, [two], matcher=Matcher(), reason="", **WHO)
    assert refusal(store, two).message == f"candidate {two} was merged into c{one}"
    store.undo(subject=None, matcher=Matcher(), **WHO)
    assert store.candidate(two).size == 1


def test_a_misspelt_item_is_told_from_one_whose_making_was_undone(store: Store) -> None:
    make(store, "opening-hours-1")
    with pytest.raises(CurateError, match="no item openin-hours-1") as refused:
        store.item("openin-hours-1")
    assert refused.value.hint == "Did you mean `opening-hours-1`?"
    store.undo(subject="opening-hours-1", matcher=Matcher(), **WHO)
    with pytest.raises(CurateError, match="undone") as refused:
        store.item("opening-hours-1")
    assert "items log opening-hours-1" in refused.value.hint


def test_a_version_that_is_none_names_the_last(store: Store) -> None:
    with pytest.raises(CurateError, match="no version 3") as refused:
        store.version(3)
    assert "Nothing was exported yet" in refused.value.hint

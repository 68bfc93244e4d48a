from __future__ import annotations

from dataclasses import replace

import pytest

from curate.model.errors import CurateError
from curate.model.evaluation import Failure, Review
from curate.store.store import Store
from curate.triage import Matcher
from tests.events import DAY, NOW, Clock, question

SCORES = {"tuning": {"hit@4": 0.9}, "holdout": {"hit@4": 0.8}}


def test_looks_are_kept_with_who_why_and_what_was_seen(store: Store) -> None:
    first = store.add_look(
        by="anna", now=NOW, why="release", run="sha256:1", version=3, scores=SCORES
    )
    second = store.add_look(by="ben", now=NOW, why="again", run="sha256:2", version=None, scores={})

    assert store.looks() == [second, first]
    assert (first.by, first.why, first.version, first.scores) == ("anna", "release", 3, SCORES)
    assert store.looks(1) == [second]


def test_failures_of_the_last_run_come_back_and_keep_what_people_called_them(
    store: Store,
) -> None:
    fee = Failure("fee", "sha256:1", "generation", "lacks the keyword", NOW)
    room = Failure("room", "sha256:1", "refusal", "refused", NOW)
    store.add_failures("sha256:1", [room, fee])
    store.confirm_failure("sha256:1", "fee", "stale document", by="anna")
    store.add_failures("sha256:1", [fee])

    assert store.failures() == [replace(fee, confirmed="stale document", by="anna")]
    store.add_failures("sha256:2", [replace(room, run="sha256:2", at=NOW + DAY)])
    assert [one.item for one in store.failures()] == ["room"]
    assert [one.item for one in store.failures("sha256:1")] == ["fee"]
    with pytest.raises(CurateError, match="no failure of nobody"):
        store.confirm_failure("sha256:1", "nobody", "generation", by="anna")


def test_reviews_replace_each_other_in_a_batch_and_outlive_their_record(
    store: Store, clock: Clock
) -> None:
    store.save([question("a", "How long?")], matcher=Matcher(), received=NOW)
    (identifier,) = store.reviewable(NOW - DAY)
    store.add_review(Review("2026-W48", identifier, "good", NOW, "anna"))
    store.add_review(Review("2026-W48", identifier, "wrong", NOW, "anna", "not two"))
    store.add_review(Review("2026-W49", identifier, "unsupported", NOW + DAY, "ben"))

    assert [one.mark for one in store.reviews()] == ["wrong", "unsupported"]
    assert store.reviews("2026-W48")[0].comment == "not two"
    clock.now = NOW + 200 * DAY
    assert list(store.reviewable(NOW - DAY)) == []
    assert store.purge(by="anna", matcher=Matcher()).status == "clean"
    assert [(one.record, one.mark) for one in store.reviews()] == [
        (None, "wrong"),
        (None, "unsupported"),
    ]
    with pytest.raises(CurateError, match=f"record {identifier} is gone"):
        store.add_review(Review("2026-W50", identifier, "good", NOW, "anna"))


def test_only_answered_and_recent_records_are_to_be_reviewed(store: Store) -> None:
    store.save(
        [question("a", "Is it?", answer=None), question("b", "How long is it?")],
        matcher=Matcher(),
        received=NOW,
    )

    assert len(store.reviewable(NOW - DAY)) == 1
    assert list(store.reviewable(NOW + DAY)) == []

"""How far logs have been read is stored with what was read, or not at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from curate.model.events import Checkpoint, Watermark
from curate.model.records import CleanFeedback, CleanQuestion
from curate.store.store import Store
from curate.triage import Matcher
from tests.events import DAY, NOW, question, vote

POINT = Checkpoint(
    source="log",
    file="1:2",
    head=b"h" * 16,
    head_size=10,
    offset=2**40,
    line=3,
    size=2**40,
    changed=2**62,
    settings=b"s" * 16,
    at=NOW,
)


def test_the_last_mark_of_a_file_and_of_a_stream_is_kept(store: Store) -> None:
    later = replace(POINT, offset=2**41)
    marks = (POINT, Watermark("api", "scores", "a", NOW), Watermark("api", "scores", "b", NOW))

    store.save([], matcher=Matcher(), received=NOW, marks=marks)
    store.save([], matcher=Matcher(), received=NOW, marks=(later,))

    assert store.checkpoints() == [later]
    assert store.watermarks("api") == {"scores": "b"}
    assert store.watermarks("log") == {}


def test_a_batch_that_fails_moves_no_mark(store: Store) -> None:
    broken = replace(question("a", "is it open?"), asked_at=NOW.replace(tzinfo=None))

    with pytest.raises((TypeError, ValueError)):
        store.save([broken], matcher=Matcher(), received=NOW, marks=(POINT,))

    assert store.checkpoints() == []
    assert store.counts().records == 0


def test_a_source_may_keep_its_records_shorter_but_not_longer(store: Store) -> None:
    batch: list[CleanQuestion | CleanFeedback] = [
        question("a", "is it open?", source="short"),
        question("b", "where is the pump?", source="long"),
        vote("v", "a", source="short"),
    ]

    days = {"short": 7, "long": 1000}
    store.save(batch, matcher=Matcher(), received=NOW, keep_days=days)

    ends = {
        record.source: record.expires_at - NOW
        for one in store.candidate_ids()
        for record in store.records(one)
    }
    assert ends == {"short": 6 * DAY, "long": 89 * DAY}
    old = question("c", "what of old ones?", source="short", asked_at=NOW - 8 * DAY)
    assert store.save([old], matcher=Matcher(), received=NOW, keep_days=days).expired == 1

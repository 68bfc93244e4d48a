"""The queue of one sitting: what comes next, what is skipped, how it goes."""

from __future__ import annotations

from array import array
from datetime import UTC, datetime, timedelta

import pytest

from curate.tui.sitting import Queue, Sitting

START = datetime(2026, 11, 29, 21, tzinfo=UTC)


def queue(*ids: int) -> Sitting:
    sitting = Sitting(START)
    sitting.fill(ids)
    return sitting


def test_the_next_candidate_is_the_one_below_and_the_last_goes_on_at_the_top() -> None:
    sitting = queue(5, 3, 9)

    assert sitting.after(5) == 3
    assert sitting.after(9) == 5
    assert queue(5).after(5) is None
    assert queue().after(5) is None


def test_a_skipped_candidate_moves_to_the_end_and_stays_there_when_the_queue_is_read_again() -> (
    None
):
    sitting = queue(5, 3, 9)

    sitting.skip(5)
    assert list(sitting.ids) == [3, 9, 5]

    sitting.fill((5, 3, 9, 1))
    assert list(sitting.ids) == [3, 9, 1, 5]

    sitting.fill((3, 9))
    assert list(sitting.ids) == [3, 9]


def test_a_decided_candidate_leaves_the_queue_and_comes_back_first_when_that_is_undone() -> None:
    sitting = queue(5, 3, 9)

    sitting.drop(3)
    assert list(sitting.ids) == [5, 9]

    sitting.reopen(3)
    assert list(sitting.ids) == [3, 5, 9]


def test_the_pace_tells_minutes_and_keys_for_each_finished_item() -> None:
    sitting = queue(5, 3, 9)
    assert sitting.pace(START) == ""

    sitting.keys = 6
    sitting.finish()
    sitting.keys = 10
    sitting.finish()

    assert sitting.keys_per_item == [6, 4]
    later = START + timedelta(minutes=3)
    assert sitting.pace(later) == "2 done · 1.5 min and 5 keys each"


def test_a_queue_holds_items_that_came_back_then_candidates() -> None:
    both = Queue(("late", "fee"), array("q", [30, 10, 20]))

    assert list(both) == ["late", "fee", 30, 10, 20]
    assert len(both) == 5
    assert both[-1] == 20
    assert both[1:4] == ("fee", 30, 10)
    assert [both.index(one) for one in ("fee", 10)] == [1, 3]
    for stranger in ("30", 99):
        with pytest.raises(ValueError, match=r"not in"):
            both.index(stranger)

"""What a list can be narrowed by, and how that is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from curate.tui import place
from curate.tui.filters import Filter, week
from curate.tui.place import Place

NOW = datetime(2026, 11, 29, 21, tzinfo=UTC)


def test_everything_that_is_chosen_must_hold() -> None:
    narrowed = Filter().chosen("open:refused").told("lang", "km").told("days", "7").told("free", "")

    assert narrowed.wanted("bike", NOW, "dara") == {
        "status": "open",
        "text": "bike",
        "reason": "refused",
        "lang": "km",
        "source": "",
        "tag": "",
        "since": NOW - timedelta(days=7),
        "free_for": "dara",
    }
    assert narrowed.words() == "to look at: refused, km, last 7 days, not looked at by others"


def test_everything_to_look_at_needs_no_words() -> None:
    assert Filter().words() == ""


def test_a_week_is_named_by_the_iso_calendar() -> None:
    assert week(NOW) == "2026-W48"


def test_each_curator_has_a_place_of_their_own(tmp_path: Path) -> None:
    place.write(tmp_path, "dara", Place(7, Filter(lang="km")))
    place.write(tmp_path, "sok", Place(8))

    assert place.read(tmp_path, "dara") == Place(7, Filter(lang="km"))
    assert place.read(tmp_path, "sok") == Place(8)
    assert place.read(tmp_path, "anna") == Place()


@pytest.mark.parametrize("content", ["", "[]", '{"dara": 3}', '{"dara": {"candidate": 1}}'])
def test_a_file_that_nobody_understands_is_as_if_it_was_not_there(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / place.FILE).write_text(content)

    assert place.read(tmp_path, "dara") == Place()

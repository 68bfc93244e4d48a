import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from curate.model.errors import CurateError
from curate.privacy.tags import Tagger

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


def test_a_tag_is_stable_across_openings_and_domain_separated(tmp_path: Path) -> None:
    first = Tagger.open(tmp_path / "keys", NOW, 90).tag("user", "mary", NOW)
    again = Tagger.open(tmp_path / "keys", NOW, 90)

    assert len(first) == 16
    assert again.tag("user", "MARY", NOW) == first
    assert again.tag("event", "mary", NOW) != first
    assert again.live("user", "mary") == (first,)


def test_another_key_directory_gives_another_tag(tmp_path: Path) -> None:
    one = Tagger.open(tmp_path / "one", NOW, 90)
    two = Tagger.open(tmp_path / "two", NOW, 90)

    assert one.tag("user", "mary", NOW) != two.tag("user", "mary", NOW)


def test_the_event_time_chooses_the_key_and_live_tags_are_newest_first(tmp_path: Path) -> None:
    tagger = Tagger.open(tmp_path, NOW, 90)
    old = tagger.tag("user", "mary", NOW - timedelta(days=100))
    new = tagger.tag("user", "mary", NOW)

    assert old != new
    assert Tagger.open(tmp_path, NOW, 90).live("user", "mary") == (new, old)


def test_every_tag_begins_with_that_of_the_event_time(tmp_path: Path) -> None:
    tagger = Tagger.open(tmp_path, NOW, 90)
    before = NOW - timedelta(days=100)
    alone = tagger.every("user", "mary", NOW)
    old, new = tagger.tag("user", "mary", before), tagger.tag("user", "mary", NOW)

    assert alone == (new,)
    assert tagger.every("user", "Mary", NOW) == (new, old)
    assert tagger.every("user", "Mary", before) == (old, new)


def test_keys_are_private_files_in_a_private_directory(tmp_path: Path) -> None:
    Tagger.open(tmp_path / "deep" / "keys", NOW, 90)

    [key] = (tmp_path / "deep" / "keys").iterdir()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(key.parent.stat().st_mode) == 0o700
    assert key.stat().st_size == 32


def test_destroying_ends_only_epochs_that_are_wholly_before(tmp_path: Path) -> None:
    first = Tagger.open(tmp_path, NOW - timedelta(days=200), 90)
    old = first.tag("user", "mary", NOW - timedelta(days=200))
    Tagger.open(tmp_path, NOW - timedelta(days=100), 90)
    tagger = Tagger.open(tmp_path, NOW, 90)

    assert tagger.destroy_before(NOW - timedelta(days=90)) == 1
    assert tagger.destroy_before(NOW - timedelta(days=90)) == 0
    assert old not in tagger.live("user", "mary")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("days", [30, 60, 365])
def test_a_changed_retention_loses_no_key(tmp_path: Path, days: int) -> None:
    before = Tagger.open(tmp_path, NOW, 90)
    times = [NOW - timedelta(days=back) for back in (0, 5, 40, 80)]
    made = {before.tag("user", "mary", when) for when in times}
    after = Tagger.open(tmp_path, NOW + timedelta(days=1), days)

    assert made <= set(after.live("user", "mary"))
    assert {after.tag("user", "mary", when) for when in times} == made


def test_a_damaged_or_open_key_is_refused(tmp_path: Path) -> None:
    Tagger.open(tmp_path, NOW, 90)
    [key] = tmp_path.iterdir()
    key.chmod(0o644)
    with pytest.raises(CurateError, match="read by others"):
        Tagger.open(tmp_path, NOW, 90)
    key.chmod(0o600)
    key.write_bytes(b"short")
    with pytest.raises(CurateError, match="damaged"):
        Tagger.open(tmp_path, NOW, 90)


def test_lone_surrogates_can_be_tagged(tmp_path: Path) -> None:
    assert len(Tagger.open(tmp_path, NOW, 30).tag("user", "a\ud800", NOW)) == 16

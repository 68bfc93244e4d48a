"""Sealed originals come in before their records, and go without a byte left."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest

from curate.model.errors import CurateError
from curate.store import files
from curate.store.files import Busy
from curate.store.raw import Raw, Sealed

DAY = date(2026, 11, 20)


@pytest.fixture
def raw(tmp_path: Path) -> Iterator[Raw]:
    with Raw(tmp_path / "raw.db") as opened:
        yield opened


def sealed(number: int, days: int = 0) -> Sealed:
    return Sealed(
        f"key-{number}".encode(), DAY + timedelta(days=days), f"marker-{number}".encode() * 9
    )


def nothing(keys: Sequence[bytes]) -> Collection[bytes]:
    return ()


def everything(keys: Sequence[bytes]) -> Collection[bytes]:
    return keys


def test_the_file_is_private_and_made_where_it_is_missing(raw: Raw) -> None:
    assert raw.path.stat().st_mode & 0o777 == 0o600
    with Raw(raw.path) as again:
        assert again.keys(date.min) == []


def test_an_original_is_found_by_its_key_until_its_day_is_over(raw: Raw) -> None:
    raw.put([sealed(1), sealed(2, 1)])

    assert raw.get([b"key-1", b"key-2", b"key-3"], DAY) == {
        b"key-1": sealed(1),
        b"key-2": sealed(2, 1),
    }
    assert list(raw.get([b"key-1", b"key-2"], DAY + timedelta(days=1))) == [b"key-2"]
    assert raw.overdue(DAY + timedelta(days=1)) == 1
    assert "marker" not in repr(sealed(1))


def test_the_same_key_again_replaces_what_was_there(raw: Raw) -> None:
    raw.put([sealed(1)])
    raw.put([Sealed(b"key-1", DAY, b"other")])

    assert raw.get([b"key-1"], DAY)[b"key-1"].text == b"other"


def test_what_is_deleted_is_gone_from_every_byte(raw: Raw, tmp_path: Path) -> None:
    raw.put([sealed(number, number % 2) for number in range(900)])

    assert raw.delete_before(DAY + timedelta(days=1)) == 450
    assert raw.is_dirty()
    raw.rewrite()
    assert raw.settle(DAY + timedelta(days=1)) == {
        "left": 0,
        "freelist": 0,
        "wal": 0,
        "journal": 0,
    }
    assert not raw.is_dirty()
    bytes_ = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert not any(f"marker-{number}m".encode() in bytes_ for number in range(0, 900, 2))
    assert all(f"marker-{number}m".encode() in bytes_ for number in range(1, 900, 2))


def test_a_reader_in_the_way_is_told(raw: Raw) -> None:
    raw.put([sealed(1)])
    reader = sqlite3.connect(raw.path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sealed").fetchone()
    raw.delete([b"key-1"])
    with pytest.raises(Busy, match="a reader is open"):
        raw.rewrite()
    reader.close()
    raw.rewrite()
    assert not any(raw.settle(DAY).values())


def test_orphans_of_a_killed_run_are_swept_by_the_next(raw: Raw) -> None:
    with raw.filling(nothing):
        raw.put([sealed(1)])
    killed = raw.filling(nothing)
    killed.__enter__()
    raw.put([sealed(2)])
    del killed
    assert raw.keys(date.min) == [b"key-1", b"key-2"]
    with raw.filling(lambda keys: [key for key in keys if key == b"key-1"]):
        assert raw.keys(date.min) == [b"key-1"]


def test_after_a_run_that_ended_well_nothing_is_looked_through(raw: Raw) -> None:
    with raw.filling(nothing):
        raw.put([sealed(1)])

    def never(keys: Sequence[bytes]) -> Collection[bytes]:
        raise AssertionError

    with raw.filling(never):
        pass


def test_what_another_run_is_bringing_in_is_no_orphan(raw: Raw) -> None:
    with raw.filling(nothing):
        raw.put([sealed(1)])
        with Raw(raw.path) as other, other.filling(nothing):
            assert other.keys(date.min) == [b"key-1"]
            assert other.sweep_alone(nothing) == 0
    assert raw.sweep_alone(everything) == 0
    assert raw.sweep_alone(nothing) == 1


def test_an_empty_or_newer_file_is_named_and_left_alone(tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    empty.touch()
    with pytest.raises(CurateError, match="is empty"):
        Raw(empty)
    Raw(tmp_path / "raw.db").close()
    with files.connect(tmp_path / "raw.db") as connection:
        connection.execute("PRAGMA user_version=2")
    connection.close()
    with pytest.raises(CurateError, match="layout 2"):
        Raw(tmp_path / "raw.db")

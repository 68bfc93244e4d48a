"""Versions that hold what was taken back."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from curate.export.verify import verify
from curate.export.versions import MANIFEST, WITHDRAWN, build, name
from curate.export.withdrawing import holding, withdraw
from curate.export.writing import point_latest, publish
from curate.model.errors import CurateError
from curate.model.items import Item


@pytest.fixture
def exports(tmp_path: Path) -> Path:
    for number, ids in ((1, "a"), (2, "ab"), (3, "b")):
        items = [Item(one, 1, f"question {one}", answerable=False, status="ready") for one in ids]
        made = build(items, number=number, parent=None, root="docs", corpus="", policy="", tool="")
        publish(tmp_path / name(number), made.files)
    point_latest(tmp_path / "v0003")
    return tmp_path


def test_the_versions_that_hold_an_id_are_found(exports: Path) -> None:
    assert [path.name for path in holding(exports, {"a"})] == ["v0001", "v0002"]
    assert [path.name for path in holding(exports, {"a", "b"})] == ["v0001", "v0002", "v0003"]
    assert holding(exports, {"c"}) == ()
    assert holding(exports / "nowhere", {"a"}) == ()


def test_a_version_nobody_can_read_counts_as_holding(exports: Path) -> None:
    (exports / "v0003" / MANIFEST).write_bytes(b"{")
    assert [path.name for path in holding(exports, {"c"})] == ["v0003"]


def test_the_note_holds_ids_only_is_private_and_grows(exports: Path) -> None:
    assert [path.name for path in withdraw(exports, {"b"})] == ["v0002", "v0003"]
    withdraw(exports, {"a"})
    withdraw(exports, {"a"})
    note = exports / "v0002" / WITHDRAWN
    assert json.loads(note.read_bytes()) == ["a", "b"]
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    assert json.loads((exports / "v0001" / WITHDRAWN).read_bytes()) == ["a"]
    assert [path.name for path in exports.glob("v0001/*")].count(WITHDRAWN) == 1


def test_a_version_with_a_note_says_so_when_verified(exports: Path) -> None:
    withdraw(exports, {"a"})
    assert [(f.item, f.code) for f in verify(exports / "v0001")] == [("a", "withdrawn")]
    assert verify(exports / "v0003") == []


def test_a_note_is_never_written_through_a_link(exports: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    (exports / "v0001" / WITHDRAWN).symlink_to(victim)
    with pytest.raises(CurateError, match="in the way"):
        withdraw(exports, {"a"})
    assert victim.read_bytes() == b"mine"

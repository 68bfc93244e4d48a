"""Files on disk, whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from curate.export import writing
from curate.export.writing import mirror, point_latest, publish
from curate.model.errors import CurateError, Exit

FILES = {"questions.json": b"[]\n", "manifest.json": b"{}\n"}


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def held(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_a_version_is_written_whole_and_private(tmp_path: Path) -> None:
    version = tmp_path / "exports" / "v0001"
    publish(version, FILES)
    assert held(version) == FILES
    assert mode(version.parent) == mode(version) == 0o700
    assert {mode(path) for path in version.iterdir()} == {0o600}
    assert [path.name for path in version.parent.iterdir()] == ["v0001"]


def test_publishing_the_same_again_changes_nothing(tmp_path: Path) -> None:
    version = tmp_path / "v0001"
    publish(version, FILES)
    before = (version / "manifest.json").stat().st_ino
    publish(version, FILES)
    assert (version / "manifest.json").stat().st_ino == before


def test_a_version_killed_before_it_was_announced_makes_room_for_the_next_run(
    tmp_path: Path,
) -> None:
    publish(tmp_path / "v0001", FILES)
    point_latest(tmp_path / "v0001")
    publish(tmp_path / "v0002", FILES)
    changed = FILES | {"manifest.json": b"[]\n"}
    publish(tmp_path / "v0002", changed)
    assert held(tmp_path / "v0002") == changed
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest", "v0001", "v0002"]


def test_an_announced_version_is_never_overwritten_with_another(tmp_path: Path) -> None:
    version = tmp_path / "v0001"
    publish(version, FILES)
    point_latest(version)
    with pytest.raises(CurateError, match="already holds another version"):
        publish(version, FILES | {"manifest.json": b"[]\n"})
    assert held(version) == FILES


def test_what_an_interrupted_run_left_is_swept(tmp_path: Path) -> None:
    left = tmp_path / ".unfinished-1234"
    left.mkdir()
    (left / "questions.json").write_bytes(b"[")
    publish(tmp_path / "v0001", FILES)
    assert [path.name for path in tmp_path.iterdir()] == ["v0001"]


def test_a_failure_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(directory: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "_sync", full)
    with pytest.raises(CurateError, match="No space left") as caught:
        publish(tmp_path / "v0001", FILES)
    assert caught.value.code == Exit.ENVIRONMENT
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_a_versions_place_is_refused_and_its_target_untouched(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir()
    exports = tmp_path / "exports"
    exports.mkdir()
    (exports / "v0001").symlink_to(target)
    with pytest.raises(CurateError, match="in the way"):
        publish(exports / "v0001", FILES)
    assert list(target.iterdir()) == []


def test_exports_behind_a_link_are_refused(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir()
    (tmp_path / "exports").symlink_to(target)
    with pytest.raises(CurateError):
        publish(tmp_path / "exports" / "v0001", FILES)
    assert list(target.iterdir()) == []


def test_latest_is_a_relative_link_that_switches(tmp_path: Path) -> None:
    for name in ("v0001", "v0002"):
        publish(tmp_path / name, FILES)
        point_latest(tmp_path / name)
        point_latest(tmp_path / name)
        assert (tmp_path / "latest").readlink() == Path(name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest", "v0001", "v0002"]


def test_a_directory_called_latest_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "latest").mkdir()
    publish(tmp_path / "v0001", FILES)
    with pytest.raises(CurateError, match="in the way"):
        point_latest(tmp_path / "v0001")
    assert (tmp_path / "latest").is_dir()
    assert not (tmp_path / "latest").is_symlink()


@pytest.mark.parametrize(
    ("umask", "file", "directory"), [(0o022, 0o644, 0o755), (0o007, 0o660, 0o770)]
)
def test_a_copy_has_the_users_own_modes_whatever_the_process_keeps(
    tmp_path: Path, umask: int, file: int, directory: int
) -> None:
    os.umask(0o077)
    to = tmp_path / "eval" / "set"
    assert mirror(FILES, to, umask) == (to / "questions.json", to / "manifest.json")
    assert held(to) == FILES
    assert {mode(path) for path in to.iterdir()} == {file}
    assert mode(to) == mode(to.parent) == directory


def test_a_copy_replaces_what_changed_and_leaves_the_rest(tmp_path: Path) -> None:
    mirror(FILES, tmp_path, 0o022)
    (tmp_path / "README").write_text("mine", encoding="utf-8")
    before = (tmp_path / "questions.json").stat().st_ino
    changed = FILES | {"manifest.json": b"[1]\n"}
    assert mirror(changed, tmp_path, 0o022) == (tmp_path / "manifest.json",)
    assert held(tmp_path) == changed | {"README": b"mine"}
    assert (tmp_path / "questions.json").stat().st_ino == before


def test_a_copy_never_writes_through_a_link_and_refuses_before_it_writes(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    to = tmp_path / "to"
    to.mkdir()
    (to / "manifest.json").symlink_to(victim)
    with pytest.raises(CurateError, match="in the way"):
        mirror(FILES, to, 0o022)
    assert victim.read_bytes() == b"mine"
    assert [path.name for path in to.iterdir()] == ["manifest.json"]


def test_a_copy_refuses_a_pipe_without_opening_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "questions.json")
    with pytest.raises(CurateError, match="in the way"):
        mirror(FILES, tmp_path, 0o022)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CurateError, match="cannot be written"):
        mirror(FILES, tmp_path / "file" / "to", 0o022)

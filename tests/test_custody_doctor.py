"""The doctor finds what would break a promise, and says the way out."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from curate.workspace.custody import doctor
from curate.workspace.custody.doctor import Check
from curate.workspace.workspace import Workspace
from tests import people
from tests.conftest import Curate
from tests.events import DAY, NOW, Clock


@pytest.fixture
def workspace(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    with people.make(tmp_path / "ws", clock, "Zorvath") as opened:
        log = people.log(tmp_path / "log.jsonl", people.said("jane", 1))
        people.read(opened, log)
        assert opened.purge().status == "clean"
        yield opened


def found(workspace: Workspace) -> dict[str, Check]:
    return {check.name: check for check in doctor.examine(workspace)}


def test_a_workspace_in_order_has_nothing_wrong(workspace: Workspace) -> None:
    checks = found(workspace)

    assert not [check for check in checks.values() if check.health == "wrong"]
    assert {"sqlite", "curate.db", "raw.db", "modes", "file system", "room", "clock"} <= set(checks)
    assert {"retention", "originals", "keys", "anonymiser"} <= set(checks)


def test_what_is_overdue_is_wrong_until_it_is_purged(workspace: Workspace, clock: Clock) -> None:
    clock.now = NOW + 91 * DAY
    checks = found(workspace)
    assert checks["retention"].health == checks["originals"].health == "wrong"
    assert "curate purge" in checks["retention"].hint
    workspace.purge()
    assert found(workspace)["retention"].health == "ok"


def test_a_purge_that_ran_ahead_of_time_is_told(workspace: Workspace, clock: Clock) -> None:
    clock.now = NOW + 400 * DAY
    workspace.purge()
    clock.now = NOW

    check = found(workspace)["retention"]

    assert check.health == "warning"
    assert "ahead of time" in check.found


def test_originals_whose_bytes_may_be_there_are_wrong_until_a_purge(workspace: Workspace) -> None:
    raw = workspace.originals.raw
    assert raw.delete(workspace.originals.keys()) > 0  # and killed before the bytes went

    assert found(workspace)["originals"].health == "wrong"
    workspace.purge()
    assert found(workspace)["originals"].health == "ok"


def test_files_that_others_can_read_are_named(workspace: Workspace) -> None:
    (workspace.root / "raw.db").chmod(0o644)

    check = found(workspace)["modes"]

    assert check.health == "wrong"
    assert "raw.db" in check.found
    (workspace.root / "raw.db").chmod(0o600)
    workspace.root.chmod(0o755)
    assert found(workspace)["modes"].health == "warning"


def test_a_copy_of_keys_is_found(workspace: Workspace) -> None:
    shutil.copytree(workspace.root / "keys", workspace.root / "old-keys")

    assert found(workspace)["keys"].health == "wrong"


def test_other_settings_are_told(workspace: Workspace, clock: Clock) -> None:
    with people.reopen(workspace.root, clock, "Other") as again:
        assert "refresh" in found(again)["anonymiser"].hint


def test_damage_is_told_and_the_rest_is_looked_at(workspace: Workspace) -> None:
    workspace.close()
    (workspace.root / "raw.db").write_bytes(b"")

    checks = found(workspace)

    assert checks["databases"].health == "wrong"
    assert "raw.db is empty" in checks["databases"].found
    assert checks["modes"].health == "ok"


def test_the_file_system_is_that_of_the_nearest_mount(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    place = str(tmp_path).replace(" ", "\\040")
    mounts.write_text(f"a / ext4 rw 0 0\nb {place} nfs4 rw 0 0\nc {place}x tmpfs rw 0 0\n")

    assert doctor.filesystem(tmp_path / "ws", mounts) == "nfs4"
    assert doctor.filesystem(Path("/"), mounts) == "ext4"
    assert doctor.filesystem(tmp_path, tmp_path / "none") == ""


def test_the_exit_code_tells(workspace: Workspace, curate: Curate) -> None:
    workspace.close()
    (workspace.root / "curate.db").chmod(0o640)
    ran = curate("--workspace", workspace.root, "--now", NOW.isoformat(), "doctor")

    assert ran.code == 1
    assert "chmod" in ran.out

"""A purge takes keys, log files, originals and records, whatever is in the way."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from curate.config import RetentionSettings
from curate.store import files
from curate.workspace.workspace import Workspace
from tests import people
from tests.conftest import Curate
from tests.events import DAY, NOW, Clock
from tests.test_store_retention import fill_up, small_disk

__all__ = ["small_disk"]

LATER = (NOW + 15 * DAY).isoformat()


@pytest.fixture
def workspace(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    with people.make(tmp_path / "ws", clock, "Zorvath") as opened:
        people.read(
            opened,
            people.log(
                tmp_path / "outside" / "log.jsonl",
                *(people.said(who, n, days=0.5 + n) for who in people.PEOPLE for n in range(8)),
            ),
        )
        yield opened


def day_keys(workspace: Workspace) -> list[str]:
    return sorted(path.name for path in (workspace.root / "keys").glob("*.key"))


def test_one_receipt_tells_of_keys_originals_and_records(
    workspace: Workspace, clock: Clock
) -> None:
    clock.now = NOW + 15 * DAY
    dry = workspace.purge(dry_run=True)
    assert (dry.status, dry.counts["raw"], dry.counts["keys"]) == ("overdue", 32, 8)
    assert len(day_keys(workspace)) == 8

    receipt = workspace.purge()

    assert receipt.status == "clean"
    assert (receipt.counts["raw"], receipt.counts["keys"]) == (32, 8)
    assert not any(receipt.verified.values())
    assert {"left", "raw_left", "raw_keys", "raw_freelist", "raw_wal"} <= set(receipt.verified)
    assert day_keys(workspace) == []
    assert workspace.store.receipts("purge") == [receipt]
    assert workspace.purge(dry_run=True).status == "clean"
    assert workspace.store.counts().records == 32


def test_the_keys_of_tags_go_when_no_record_of_their_time_is_left(
    workspace: Workspace, clock: Clock
) -> None:
    tags = workspace.root / "keys" / "tags"
    assert len(list(tags.glob("*.key"))) == 2
    clock.now = NOW + 300 * DAY
    assert workspace.purge().status == "clean"
    assert list(tags.glob("*.key")) == []


def test_keys_serve_their_records_however_long_those_are_kept_now(
    workspace: Workspace, clock: Clock
) -> None:
    tags = workspace.root / "keys" / "tags"
    before = sorted(tags.iterdir())
    workspace.settings = replace(workspace.settings, retention=RetentionSettings(records_days=30))
    clock.now = NOW + 40 * DAY
    workspace.purge()

    assert workspace.store.counts().records > 0
    assert sorted(tags.iterdir()) == before


@pytest.mark.parametrize("harm", ["cut short", "open to all"])
def test_a_harmed_key_of_tags_stops_nothing_and_is_no_success(
    workspace: Workspace, clock: Clock, curate: Curate, harm: str
) -> None:
    [key, *_] = (workspace.root / "keys" / "tags").glob("*.key")
    if harm == "cut short":
        key.write_bytes(b"short")
    else:
        key.chmod(0o644)
    workspace.close()
    ran = curate("--workspace", workspace.root, "--now", LATER, "purge", "--json")

    assert (ran.code, ran.json["status"]) == (5, "not verified")
    assert key.name in ran.json["detail"]
    clock.now = NOW + 15 * DAY
    assert workspace.store.counts().overdue == 0
    assert workspace.originals.overdue() == 0


def test_what_a_judge_said_goes_when_it_is_as_old_as_records(
    workspace: Workspace, clock: Clock
) -> None:
    said = workspace.root / "judge" / "reply.json"
    said.parent.mkdir()
    said.write_text("{}", encoding="utf-8")
    os.utime(said, (NOW.timestamp(), NOW.timestamp()))
    clock.now = NOW + 89 * DAY
    workspace.purge()
    assert said.exists()

    clock.now = NOW + 91 * DAY
    assert workspace.purge().counts["judgements"] == 1
    assert not said.exists()


def test_the_first_purge_of_an_older_workspace_keeps_the_keys_of_its_tags(
    workspace: Workspace, clock: Clock
) -> None:
    workspace.close()
    keys = workspace.root / "keys"
    for path in keys.glob("*.key"):
        path.unlink()
    old = sorted(path.name for path in (keys / "tags").iterdir())
    for path in (keys / "tags").iterdir():
        path.rename(keys / path.name)
    (keys / "tags").rmdir()
    (keys / "CACHEDIR.TAG").unlink()
    clock.now = NOW + 15 * DAY
    with people.reopen(workspace.root, clock, "Zorvath") as again:
        assert again.purge().counts["keys"] == 0
    assert sorted(path.name for path in (keys / "tags").iterdir()) == old


def test_a_reader_of_the_originals_defers_and_the_keys_are_gone(
    workspace: Workspace, curate: Curate
) -> None:
    reader = sqlite3.connect(workspace.root / "raw.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM sealed").fetchone()
    arguments = ("--workspace", workspace.root, "--now", LATER, "purge", "--json")

    deferred = curate(*arguments)

    assert (deferred.code, deferred.json["status"]) == (75, "deferred")
    assert "a reader is open" in deferred.json["detail"]
    assert day_keys(workspace) == []
    reader.close()
    assert curate(*arguments).code == 0


def test_on_a_full_disk_the_keys_go_and_the_rest_waits(
    workspace: Workspace, small_disk: Path, curate: Curate
) -> None:
    import shutil

    workspace.close()
    root = Path(shutil.copytree(workspace.root, small_disk / "ws"))
    ballast = fill_up(small_disk)
    arguments = ("--workspace", root, "--now", LATER, "purge", "--json")

    deferred = curate(*arguments)

    assert (deferred.code, deferred.json["status"]) == (75, "deferred")
    assert deferred.json["counts"]["keys"] == 8
    assert "full" in deferred.json["detail"]
    assert not list((root / "keys").glob("*.key"))
    ballast.unlink()
    for name in ("curate.db", "raw.db"):
        with files.connect(root / name) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
    assert curate(*arguments).code == 0


def test_a_locked_database_defers_with_the_keys_gone(
    workspace: Workspace, curate: Curate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BUSY_MS", 50)
    workspace.close()
    writer = sqlite3.connect(workspace.root / "curate.db", isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    ran = curate("--workspace", workspace.root, "--now", LATER, "purge", "--json")
    writer.close()

    assert (ran.code, ran.json["status"]) == (75, "deferred")
    assert day_keys(workspace) == []


@pytest.mark.parametrize("name", ["raw.db", "curate.db"])
def test_a_file_that_cannot_be_read_is_no_success(
    workspace: Workspace, curate: Curate, name: str
) -> None:
    workspace.close()
    (workspace.root / name).write_bytes(b"")
    ran = curate("--workspace", workspace.root, "--now", LATER, "purge", "--json")

    assert ran.code in (4, 5)
    assert name in ran.out + ran.err
    assert (workspace.root / name).read_bytes() == b""
    assert day_keys(workspace) == []


def test_what_cannot_be_counted_is_not_verified_with_exit_5(
    workspace: Workspace, curate: Curate, monkeypatch: pytest.MonkeyPatch
) -> None:
    from curate.model.errors import CurateError

    def unknown(_: Path) -> dict[str, int]:
        raise CurateError("the file cannot be counted")

    workspace.close()
    arguments = ("--workspace", workspace.root, "--now", LATER, "purge", "--json")
    with monkeypatch.context() as patch:
        patch.setattr(files, "remains", unknown)
        ran = curate(*arguments)
    assert (ran.code, ran.json["status"]) == (5, "not verified")
    assert curate("--workspace", workspace.root, "status", "--json").json["counts"]["dirty"]
    assert curate(*arguments).code == 0


PURGE = """
import sys
from datetime import datetime
from pathlib import Path
from curate.workspace.workspace import Workspace
now = datetime.fromisoformat(sys.argv[2])
with Workspace.open(Path(sys.argv[1]), lambda: now, "anna") as workspace:
    workspace.store
    print("ready", flush=True)
    workspace.purge()
"""


def test_killed_anywhere_a_purge_ends_clean_when_it_runs_again(
    workspace: Workspace, tmp_path: Path, clock: Clock
) -> None:
    import random
    import shutil

    workspace.close()
    dice = random.Random(11)  # noqa: S311 - dice, not secrets
    moment = NOW + 15 * DAY
    for number in range(4):
        root = Path(shutil.copytree(workspace.root, tmp_path / f"killed-{number}"))
        command = [sys.executable, "-c", PURGE, str(root), moment.isoformat()]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(dice.random() * 0.1)
            process.kill()
        with people.reopen(root, Clock(moment)) as again:
            assert again.purge().status == "clean"
            assert again.store.counts().records == 32
            assert again.originals.raw.keys(date.min) == []
            assert day_keys(again) == []


def test_an_original_goes_with_its_record_where_that_is_kept_shorter(
    tmp_path: Path, clock: Clock
) -> None:
    toml = '[[sources]]\nname = "log"\npath = "*.jsonl"\nrecords_days = 2\n'
    with people.make(tmp_path / "short", clock, "Zorvath", toml=toml) as workspace:
        log = people.log(tmp_path / "log.jsonl", people.said("jane", 1))
        people.read(workspace, log)
        assert len(workspace.originals.keys()) == 1
        clock.now = NOW + 3 * DAY
        receipt = workspace.purge()
        assert (receipt.status, receipt.counts["records"], receipt.counts["raw"]) == ("clean", 1, 1)
        assert workspace.originals.keys() == []


# ---------------------------------------------------------------------------- log files


TOML = """
[[sources]]
name = "log"
path = "logs/*.jsonl"
purge_files = true

[[sources]]
name = "kept"
path = "other/*.jsonl"
"""


def test_log_files_go_when_everything_in_them_is_over(tmp_path: Path, clock: Clock) -> None:
    with people.make(tmp_path / "ws", clock, toml=TOML) as workspace:
        logs, other = workspace.root / "logs", workspace.root / "other"
        old = people.log(logs / "old.jsonl", people.said("jane", 1, 91), people.said("jane", 2, 95))
        mixed = people.log(
            logs / "mixed.jsonl", people.said("jane", 3, 91), people.said("jane", 4, 89)
        )
        undated = people.log(
            logs / "undated.jsonl", {"question": "what?"}, people.said("mei", 5, 91)
        )
        broken = people.log(logs / "broken.jsonl", people.said("jane", 6, 91), ["?"])
        kept = people.log(other / "old.jsonl", people.said("jane", 7, 91))
        for path in (undated, broken):
            os.utime(path, (NOW.timestamp(), NOW.timestamp()))
        target = people.log(tmp_path / "target.jsonl", people.said("jane", 8, 91))
        (logs / "link.jsonl").symlink_to(target)

        assert workspace.purge(dry_run=True).counts["files"] == 1
        assert old.exists()
        assert workspace.purge().counts["files"] == 1

        assert not old.exists()
        assert all(path.exists() for path in (mixed, undated, broken, kept, target))
        long_ago = (NOW - 91 * DAY).timestamp()
        os.utime(undated, (long_ago, long_ago))
        assert workspace.purge().counts["files"] == 1
        assert not undated.exists()


def test_log_files_go_by_the_retention_of_their_own_source(tmp_path: Path, clock: Clock) -> None:
    short = TOML.replace("purge_files = true", "purge_files = true\nrecords_days = 7")
    with people.make(tmp_path / "short", clock, toml=short) as workspace:
        week = people.log(workspace.root / "logs" / "week.jsonl", people.said("jane", 1, 8))
        new = people.log(workspace.root / "logs" / "new.jsonl", people.said("jane", 2, 6))

        assert workspace.purge(dry_run=True).counts["files"] == 1
        assert workspace.purge().counts["files"] == 1

        assert not week.exists()
        assert new.exists()

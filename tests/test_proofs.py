"""Promises that only the bytes on disk, the system's calls and killed processes can prove."""

from __future__ import annotations

import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import people
from tests.conftest import Curate
from tests.events import DAY, NOW, Clock

ROOT = Path(__file__).parent.parent

CHILD = """
import sys
from datetime import datetime
from pathlib import Path
from tests import people
from tests.events import Clock
now = datetime.fromisoformat(sys.argv[2])
workspace = people.reopen(Path(sys.argv[1]), Clock(now), "Zorvath")
workspace.store
print("ready", flush=True)
"""
INGEST = CHILD + "people.read(workspace, Path(sys.argv[3]))\n"
PURGE = CHILD + "workspace.purge()\n"


def child(code: str, *arguments: object) -> list[str]:
    return [sys.executable, "-c", code, *map(str, arguments)]


def surroundings() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def test_an_ingest_killed_anywhere_reads_each_line_once_and_leaves_no_orphan(
    tmp_path: Path,
) -> None:
    root, dice = tmp_path / "ws", random.Random(5)  # noqa: S311 - dice, not secrets
    people.make(root, Clock(), "Zorvath").close()
    log = people.log(
        tmp_path / "log.jsonl", *(people.said(f"p{n % 40}", n, n / 500) for n in range(3000))
    )
    killed = 0
    for number in range(4):
        with subprocess.Popen(
            child(INGEST, root, NOW.isoformat(), log),
            stdout=subprocess.PIPE,
            text=True,
            env=surroundings(),
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.2 + dice.random() * 0.3 * (number + 1))
            process.kill()
        killed += process.returncode == -9
    with people.reopen(root, Clock(), "Zorvath") as workspace:
        report = people.read(workspace, log)
        assert report.questions_new + report.duplicates == 3000
        assert workspace.store.counts().records == 3000
        keys = workspace.originals.keys()
        assert len(keys) == len(set(keys)) == 3000
        assert set(workspace.store.kept(keys)) == set(keys)
    assert killed > 0


def strace(tmp_path: Path, calls: str, command: list[str]) -> str:
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    out = tmp_path / "strace.txt"
    traced = ["strace", "-f", "-qq", "-s", "4096", "-e", f"trace={calls}", "-o", str(out), *command]
    done = subprocess.run(traced, env=surroundings(), capture_output=True, check=False)
    if not out.exists() or b"ptrace" in done.stderr.lower():
        pytest.skip("tracing is not allowed here")
    assert done.returncode == 0, done.stderr.decode()
    return out.read_text(encoding="utf-8", errors="replace")


@pytest.mark.presidio
def test_reading_a_log_reaches_for_no_network(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    people.make(root, Clock(), "Zorvath").close()
    mail = "write to zq.canary@mail.example.org or 012 555 014"
    log = people.log(tmp_path / "log.jsonl", people.said("jane", 1, question=mail))
    program = [sys.executable, "-m", "curate", "--workspace", str(root), "--now", NOW.isoformat()]

    calls = strace(tmp_path, "connect,sendto", [*program, "ingest", str(log)])

    assert not re.findall(r"AF_INET6?\b", calls)


def test_a_purge_writes_no_text_and_makes_no_temporary_file(tmp_path: Path) -> None:
    root, temporary = tmp_path / "ws", tmp_path / "tmp"
    temporary.mkdir()
    with people.make(root, Clock(), "Zorvath") as workspace:
        log = people.log(
            tmp_path / "log.jsonl",
            *(people.said("jane", n, 60) for n in range(300)),
            *(people.said("omar", n, 1) for n in range(20)),
        )
        people.read(workspace, log)
    later = (NOW + 40 * DAY).isoformat()

    calls = strace(tmp_path, "openat,open,write,pwrite64", child(PURGE, root, later))

    assert "etilqs" not in calls
    assert re.search(r"pwrite64\(.*canary-question-omar", calls)
    # What is being deleted is not even written on its way out.
    written = re.findall(r"pwrite64\(\d+<?.*?canary-question-jane", calls)
    assert written == []
    assert people.holding(root, "canary-question-jane", "canary-answer-jane") == {}


@pytest.mark.presidio
def test_what_is_made_under_a_loose_umask_is_private_all_the_same(
    tmp_path: Path, curate: Curate, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "ws"
    monkeypatch.setenv("CURATE_WORKSPACE", str(root))
    log = people.log(tmp_path / "log.jsonl", people.said("jane", 1), people.said("omar", 2))
    umask = os.umask(0o022)
    try:
        assert curate("init").code == 0
        (root / "docs").mkdir()
        for command in (
            ("ingest", log),
            ("privacy", "allow", "--add", "Kafka"),
            ("backup", tmp_path / "copy.db"),
            ("purge",),
        ):
            ran = curate(*command)
            assert ran.code == 0, ran.err
        assert curate("forget", stdin=b"jane@canary.example").code == 0
    finally:
        os.umask(umask)
    paths = [tmp_path / "copy.db", root, *root.rglob("*")]
    wide = [path for path in paths if path.lstat().st_mode & 0o077]
    assert [path for path in wide if "docs" not in path.parts] == []


COMMANDS = (
    ("status",),
    ("doctor",),
    ("ingest", "LOG"),
    ("purge",),
    ("purge", "--dry-run"),
    ("forget",),
    ("forget", "--text"),
    ("backup", "BACKUP"),
    ("items", "list"),
    ("items", "log"),
    ("items", "undo"),
    ("check",),
    ("export",),
    ("versions", "list"),
    ("privacy", "audit"),
    ("privacy", "refresh"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_empty_database_is_refused_by_every_command_and_stays_empty(
    command: tuple[str, ...], tmp_path: Path, curate: Curate
) -> None:
    root = tmp_path / "ws"
    people.make(root, Clock(), "Zorvath").close()
    log = people.log(tmp_path / "log.jsonl", people.said("jane", 1))
    for path in root.glob("curate.db*"):
        path.unlink()
    (root / "curate.db").touch(mode=0o600)
    before = sorted(path.name for path in root.iterdir())
    places = {"LOG": str(log), "BACKUP": str(tmp_path / "backup.db")}

    ran = curate("--workspace", root, *(places.get(part, part) for part in command), stdin=b"jane")

    assert ran.code != 0
    assert "curate.db is empty" in ran.err + ran.out
    assert (root / "curate.db").stat().st_size == 0
    assert not (tmp_path / "backup.db").exists()
    made = {path.name for path in root.iterdir()} - set(before)
    assert made <= {"raw.lock", "corpus.db", "purge.lock"}


def test_sqlite_is_opened_in_one_place_and_no_index_holds_log_text(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    people.make(root, Clock()).close()
    for name in ("curate.db", "raw.db"):
        with sqlite3.connect(root / name) as connection:
            made = connection.execute("SELECT lower(sql) FROM sqlite_schema").fetchall()
        connection.close()
        assert not [sql for (sql,) in made if sql and "fts" in sql]
    openers = {
        path.relative_to(ROOT / "curate").as_posix()
        for path in (ROOT / "curate").rglob("*.py")
        if re.search(r"create_engine\(|sqlite3\.connect\(", path.read_text(encoding="utf-8"))
    }
    named = {"store/files.py", "store/engine.py", "ingest/database.py"}
    assert {path for path in openers if not path.startswith("corpus/")} <= named


def test_a_killed_run_leaves_nothing_personal_in_the_temporary_directory(tmp_path: Path) -> None:
    root, temporary = tmp_path / "ws", tmp_path / "tmp"
    temporary.mkdir()
    people.make(root, Clock(), "Zorvath").close()
    log = people.log(tmp_path / "log.jsonl", *(people.said("jane", n) for n in range(2000)))
    environment = {**surroundings(), "TMPDIR": str(temporary), "SQLITE_TMPDIR": str(temporary)}
    with subprocess.Popen(
        child(INGEST, root, NOW.isoformat(), log),
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.3)
        process.kill()
    assert people.holding(temporary, "canary", "Zorvath") == {}
    assert people.holding(root, "Zorvath", "jane@canary.example", "req-jane") == {}
    assert list(temporary.iterdir()) == []

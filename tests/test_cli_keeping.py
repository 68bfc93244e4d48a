"""`schedule`, `backup` and `privacy` at the command line."""

from __future__ import annotations

import shlex
import sqlite3
import subprocess
from pathlib import Path

import pytest

from curate.model.errors import CurateError
from curate.workspace.custody import scheduling
from curate.workspace.workspace import Workspace
from tests import people
from tests.conftest import Curate
from tests.events import NOW, Clock


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    root = tmp_path / "work space's 100%"
    with people.make(root, Clock(), "Zorvath") as opened:
        people.read(
            opened,
            people.log(
                tmp_path / "log.jsonl", *(people.said("jane", n, n + 0.5) for n in range(9))
            ),
        )
        people.read(opened, people.log(tmp_path / "log.jsonl", people.said("omar", 1)))
        opened.forget(people.user("jane"))
    monkeypatch.setenv("CURATE_WORKSPACE", str(root))
    monkeypatch.setenv("CURATE_NOW", NOW.isoformat())
    return opened


def test_a_backup_is_private_whole_and_without_what_was_deleted(
    workspace: Workspace, curate: Curate, tmp_path: Path
) -> None:
    target = tmp_path / "backup" / "curate.db"
    target.parent.mkdir()

    assert curate("backup", target).code == 0

    assert target.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in target.parent.iterdir()] == ["curate.db"]
    with sqlite3.connect(target) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM record").fetchone() == (1,)
    connection.close()
    assert b"canary-question-jane" not in target.read_bytes()
    assert curate("backup", target).code == 2
    newest, *_ = curate("privacy", "audit", "--json").json
    assert newest["action"] == "backup"


def test_a_backup_that_fails_leaves_nothing(
    workspace: Workspace, curate: Curate, tmp_path: Path
) -> None:
    ran = curate("backup", tmp_path / "nowhere" / "curate.db")

    assert ran.code == 4
    assert "nowhere" in ran.err


def test_the_audit_tells_who_when_and_how_many_never_what(
    workspace: Workspace, curate: Curate
) -> None:
    entries = curate("privacy", "audit", "--json").json

    assert entries[0]["action"] == "forget"
    assert "9 records" in entries[0]["detail"]
    assert "canary" not in curate("privacy", "audit").out


def test_allowed_terms_are_kept_in_a_file_of_their_own(
    workspace: Workspace, curate: Curate
) -> None:
    assert curate("privacy", "allow", "--add", "Kafka", "--add", "Calvin  Klein").code == 0
    shown = curate("privacy", "allow", "--stdin", "--json", stdin="តុ\nkafka\n".encode())
    assert shown.json == ["Calvin Klein", "Kafka", "តុ"]
    path = workspace.root / "allow.txt"
    assert path.stat().st_mode & 0o777 == 0o600
    assert curate("privacy", "allow", "--remove", "KAFKA").code == 0
    assert curate("privacy", "allow", "--remove", "Kafka").code == 2
    assert curate("privacy", "allow").out.split("\n") == ["Calvin Klein", "តុ", ""]


def test_missed_names_come_on_standard_input_only(workspace: Workspace, curate: Curate) -> None:
    ran = curate("privacy", "miss", stdin="Ana Kovač\n".encode())

    assert ran.code == 0
    assert "Kova" not in ran.out + ran.err
    assert "Ana Kovač" in (workspace.root / "deny.txt").read_text(encoding="utf-8")
    assert curate("privacy", "miss", "Ana").code == 2


@pytest.mark.presidio
def test_terms_of_the_documents_are_proposed(workspace: Workspace, curate: Curate) -> None:
    (workspace.root / "docs" / "b.md").write_text(
        "# Tools\n\n## Julia Roberts wrench\n\nAsk for the Julia Roberts wrench.\n",
        encoding="utf-8",
    )
    proposed = [one["term"] for one in curate("privacy", "allow", "--suggest", "--json").json]
    assert any("Julia" in term for term in proposed)
    curate("privacy", "allow", "--add", "Julia Roberts")
    assert "Julia Roberts" not in [
        one["term"] for one in curate("privacy", "allow", "--suggest", "--json").json
    ]


# ---------------------------------------------------------------------------- timers


def test_cron_lines_run_as_they_stand(workspace: Workspace, curate: Curate) -> None:
    lines = curate("schedule", "--cron").out.splitlines()

    assert len(lines) == 2
    for line, verb in zip(lines, ("ingest", "purge"), strict=True):
        command = line.split(" ", 5)[5].replace("\\%", "%")
        assert str(workspace.root) in shlex.split(command.replace("umask 077; ", ""))
        assert f"# curate {verb}" in line
    assert "75" in lines[1]


def test_systemd_takes_a_deferred_purge_for_a_success(workspace: Workspace, curate: Curate) -> None:
    printed = curate("schedule", "--systemd").out

    assert printed.count("SuccessExitStatus=75") == 2
    assert printed.count("UMask=0077") == 2
    assert "curate-purge.timer" in printed
    root = str(workspace.root).replace("%", "%%")
    assert f'"{root}"' in printed


def test_installing_replaces_what_an_earlier_call_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "table"
    table.write_text("5 5 * * * mine\n")
    crontab = tmp_path / "bin" / "crontab"
    crontab.parent.mkdir()
    crontab.write_text(f'#!/bin/sh\nif [ "$1" = -l ]; then cat {table}; else cat > {table}; fi\n')
    crontab.chmod(0o755)
    monkeypatch.setenv("PATH", str(crontab.parent), prepend=":")
    for _ in range(2):
        scheduling.install_cron(scheduling.cron("/bin/curate", Path("/w")))

    lines = table.read_text().splitlines()
    assert lines[0] == "5 5 * * * mine"
    assert len(lines) == 3


def test_units_are_written_for_the_user_and_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = tmp_path / "called"
    program = tmp_path / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {called}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")

    paths = scheduling.install_systemd(scheduling.systemd("/bin/curate", Path("/w")), tmp_path)

    assert all(path.is_file() for path in paths)
    assert "enable --now curate-ingest.timer curate-purge.timer" in called.read_text()
    program.write_text("#!/bin/sh\necho no bus >&2; exit 1\n")
    with pytest.raises(CurateError, match="no bus"):
        scheduling.install_systemd(scheduling.systemd("/bin/curate", Path("/w")), tmp_path)


def test_the_printed_units_are_ones_that_systemd_reads(
    workspace: Workspace, tmp_path: Path
) -> None:
    import shutil

    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")
    for name, text in scheduling.systemd("/bin/true", workspace.root).items():
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", *map(str, tmp_path.glob("curate-*"))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "curate-" not in done.stderr, done.stderr

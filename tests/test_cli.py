"""The command line as people and schedulers meet it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from curate.cli.main import cli
from tests.conftest import Curate

QUESTION = {
    "ts": "2026-11-20T09:14:03Z",
    "request_id": "r-1",
    "question": "is the pump at the door free to use?",
    "answer": "I don't know.",
    "chunks": [{"id": "a.md#1", "source": "a.md", "heading": "Pumps", "score": 0.4}],
}
VOTE = {"ts": "2026-11-20T09:15:00Z", "request_id": "r-1", "rating": "down", "comment": "it is"}


@pytest.fixture
def workspace(tmp_path: Path, curate: Curate, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "ws"
    monkeypatch.setenv("CURATE_WORKSPACE", str(root))
    assert curate("init").code == 0
    (root / "docs").mkdir()
    (root / "docs" / "a.md").write_text(
        "# House\n\n## Pumps\n\nThe pump at the door is free for everyone.\n\n"
        "## Hours\n\nWe open at 9:00 on Saturdays.\n",
        encoding="utf-8",
    )
    return root


def lines(*events: object) -> bytes:
    return "".join(json.dumps(event) + "\n" for event in events).encode()


def test_without_a_command_the_help_is_all_that_is_said(curate: Curate) -> None:
    ran = curate()

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: curate")
    assert "shows how" not in ran.err


def test_a_terminal_that_lacks_a_letter_shows_a_question_mark() -> None:
    environment = {**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}
    code = (
        "from curate.cli import main, output; main.run = lambda: output.line('a › b'); main.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)

    assert (done.stdout, done.stderr) == (b"a ? b\n", b"")


def groups(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    yield path
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from groups(command, *path, name)


@pytest.mark.parametrize("path", [*groups(cli)], ids=" ".join)
def test_every_command_is_told_in_one_whole_line(path: tuple[str, ...], curate: Curate) -> None:
    _usage, *told = curate(*path, "--help").out.splitlines()
    assert told
    assert not [line for line in told if line.endswith("...")]


@pytest.mark.presidio
class TestTheMainJob:
    def test_from_a_log_line_to_questions_json(
        self, workspace: Path, curate: Curate, tmp_path: Path
    ) -> None:
        counts = curate("ingest", "--json", "-", stdin=lines(VOTE, QUESTION, {"no": 1})).json
        assert (counts["questions_new"], counts["feedback_new"]) == (1, 1)
        assert (counts["feedback_joined"], counts["feedback_waiting"]) == (1, 0)
        assert counts["rejected"] == 1

        [candidate] = curate("items", "list", "--inbox", "--json").json
        assert "1 thumbs-down" in candidate["reasons"][0]
        shown = curate("items", "show", candidate["ref"], "--json").json
        assert shown["passages"][0]["heading"] == "Pumps"
        read = curate("items", "show", candidate["ref"]).out
        assert "  feedback   down by user 2026-11-20 09:15Z: it is\n" in read
        assert "  1  a.md › Pumps" in read

        made = curate(
            "items", "set", candidate["ref"], "--source", "a.md",
            "--evidence", "free for everyone", "--json",
        ).json  # fmt: skip
        item = made["item"]
        assert (item["id"], item["status"]) == ("pumps-1", "ready")
        assert item["evidences"][0]["heading"] == "Pumps"
        assert item["keyword"]
        assert curate("items", "list", "--inbox", "--json").json == []

        assert curate("check").code == 0
        exported = curate("export", "--to", tmp_path / "out", "--json").json
        assert exported["new"] is True
        [question] = json.loads((tmp_path / "out" / "questions.json").read_bytes())
        assert list(question)[:7] == [
            "id", "question", "answerable", "source", "heading", "evidence", "keyword",
        ]  # fmt: skip
        assert curate("export", "--json").json["new"] is False

    def test_every_change_can_be_taken_back_and_is_on_record(
        self, workspace: Path, curate: Curate
    ) -> None:
        curate("ingest", "-", stdin=lines(QUESTION))
        curate("items", "set", "c1", "--source", "a.md", "--evidence", "free for everyone")
        curate("--as", "sok", "items", "set", "pumps-1", "--note", "rare", "--reason", "seen twice")

        log = curate("items", "log", "pumps-1", "--json").json
        assert [(entry["by"], entry["reason"]) for entry in log][:1] == [("sok", "seen twice")]
        assert curate("items", "undo", "pumps-1").code == 0
        assert curate("items", "show", "pumps-1", "--json").json["item"]["note"] == ""
        assert curate("items", "undo", "pumps-1").code == 0
        assert len(curate("items", "list", "--inbox", "--json").json) == 1
        assert curate("items", "undo", "pumps-1").code == 1

    def test_a_set_without_a_holdout_says_so(self, workspace: Path, curate: Curate) -> None:
        curate("ingest", "-", stdin=lines(QUESTION))
        made = ("items", "set", "c1", "--source", "a.md", "--evidence", "free for everyone")
        curate(*made, "--split", "tuning")
        assert "NO HOLDOUT" in curate("status").out
        curate("items", "set", "pumps-1", "--split", "holdout")
        assert "NO HOLDOUT" not in curate("status").out

    def test_a_set_that_fails_is_refused_by_item(self, workspace: Path, curate: Curate) -> None:
        curate("ingest", "-", stdin=lines(QUESTION))
        curate("items", "set", "c1", "--source", "a.md", "--evidence", "free for everyone")
        (workspace / "docs" / "a.md").write_text("# House\n\nNothing is free.\n", encoding="utf-8")

        refused = curate("export")

        assert refused.code == 1
        assert "pumps-1" in refused.err
        assert not (workspace / "exports").exists()

    def test_strict_stops_before_anything_is_written(
        self, workspace: Path, curate: Curate, tmp_path: Path
    ) -> None:
        log = tmp_path / "log.jsonl"
        log.write_bytes(lines(QUESTION) + b"{broken SECRETWORD\n")

        strict = curate("ingest", "--strict", log)
        assert strict.code == 1
        assert curate("status", "--json").json["counts"]["records"] == 0
        lenient = curate("ingest", log)
        assert lenient.code == 0
        assert "line 2" in lenient.out
        assert "SECRETWORD" not in strict.out + strict.err + lenient.out + lenient.err

    def test_expired_records_are_hidden_then_purged(self, workspace: Path, curate: Curate) -> None:
        curate("ingest", "-", stdin=lines(QUESTION, VOTE))
        later = ("--now", "2027-06-01")

        assert curate("items", "list", "--inbox", "--json", *later).json == []
        assert curate("purge", "--dry-run", *later).code == 1
        receipt = curate("purge", "--json", *later)
        assert receipt.code == 0
        assert "the clock was set" in receipt.err
        assert receipt.json["status"] == "clean"
        assert curate("purge", "--dry-run", *later).code == 0
        again = curate("ingest", "--json", "-", *later, stdin=lines(QUESTION, VOTE)).json
        assert again["questions_new"] == 0
        assert again["expired"] == 2

    def test_a_log_by_its_path_is_the_source_that_names_it(
        self, workspace: Path, curate: Curate, tmp_path: Path
    ) -> None:
        (tmp_path / "logs").mkdir()
        (tmp_path / "logs" / "a.jsonl").write_bytes(lines(QUESTION, VOTE))
        with (workspace / "curate.toml").open("a", encoding="utf-8") as toml:
            toml.write('[[sources]]\nname = "bot"\npath = "../logs/*.jsonl"\n')

        assert curate("ingest", "--json").json["questions_new"] == 1
        again = curate("ingest", "--json", tmp_path / "logs" / "a.jsonl").json
        assert (again["questions_new"], again["feedback_new"]) == (0, 0)

    def test_a_document_that_is_not_there_is_named(self, workspace: Path, curate: Curate) -> None:
        curate("ingest", "-", stdin=lines(QUESTION))
        ran = curate("items", "set", "c1", "--source", "aa.md", "--evidence", "free for everyone")

        assert ran.code == 2
        assert "no document aa.md" in ran.err
        assert "a.md" in ran.err.partition("\n")[2]

    def test_redacting_lines_keeps_order_and_offsets(self, curate: Curate) -> None:
        texts = ["call +1 415 555 2671", "no one", "mail zoe@mail.example.org now"]
        sent = lines(*({"id": i, "text": text} for i, text in enumerate(texts)))
        ran = curate("redact", "--jsonl", stdin=sent)

        assert (ran.code, ran.err) == (0, "")
        got = [json.loads(line) for line in ran.out.splitlines()]
        assert [entry["id"] for entry in got] == [0, 1, 2]
        for entry, text in zip(got, texts, strict=True):
            rebuilt, end = "", 0
            for found in entry["redactions"]:
                rebuilt += text[end : found["start"]] + found["placeholder"]
                end = found["end"]
            assert rebuilt + text[end:] == entry["text"]
        assert [f["entity"] for e in got for f in e["redactions"]] == [
            "PHONE_NUMBER",
            "EMAIL_ADDRESS",
        ]

    def test_redacting_lines_names_each_that_is_none_and_does_the_others(
        self, curate: Curate
    ) -> None:
        good = json.dumps({"id": "a", "text": "mail zoe@mail.example.org"}).encode()
        sent = b"\n".join([b"Zoe said hi", good, b'["Zoe"]', b'{"text": "Zoe"}', b"", good])
        ran = curate("redact", "--jsonl", stdin=sent)

        assert ran.code == 1
        assert [json.loads(line)["text"] for line in ran.out.splitlines()] == (
            ["mail <EMAIL_ADDRESS_1>"] * 2
        )
        assert [f"line {number}:" in ran.err for number in range(1, 7)] == (
            [True, False, True, True, False, False]
        )
        assert "Zoe" not in ran.err


class TestBadSurroundings:
    def test_without_a_workspace_the_way_out_is_told(
        self, curate: Curate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        ran = curate("status")

        assert ran.code == 2
        assert "curate init" in ran.err

    def test_a_workspace_is_found_from_below(
        self, workspace: Path, curate: Curate, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("CURATE_WORKSPACE")
        monkeypatch.chdir(workspace / "docs")

        assert curate("status").code == 0

    def test_init_never_overwrites(self, workspace: Path, curate: Curate) -> None:
        before = (workspace / "curate.toml").read_bytes()

        assert curate("init").code == 2
        assert (workspace / "curate.toml").read_bytes() == before

    def test_what_init_makes_is_private(self, workspace: Path) -> None:
        assert workspace.stat().st_mode & 0o077 == 0
        for path in workspace.rglob("*.db*"):
            assert path.stat().st_mode & 0o077 == 0

    def test_a_locked_database_is_named(self, workspace: Path, curate: Curate) -> None:
        other = sqlite3.connect(workspace / "curate.db", isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        try:
            ran = curate("items", "reject", "c1", "--reason", "x")
        finally:
            other.close()

        assert ran.code == 4
        assert "curate.db" in ran.err
        assert "lock" in ran.err

    @pytest.mark.parametrize("damage", [b"", b"not a database at all" * 100])
    def test_a_damaged_database_is_named_and_left_alone(
        self, workspace: Path, curate: Curate, damage: bytes
    ) -> None:
        (workspace / "curate.db").write_bytes(damage)
        ran = curate("status")

        assert ran.code == 4
        assert "curate.db" in ran.err
        assert (workspace / "curate.db").read_bytes() == damage

    def test_a_missing_corpus_is_named(self, workspace: Path, curate: Curate) -> None:
        (workspace / "docs" / "a.md").unlink()
        (workspace / "docs").rmdir()
        ran = curate("corpus", "sync")

        assert ran.code != 0
        assert "docs" in ran.err

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_an_unreadable_log_is_named(
        self, workspace: Path, curate: Curate, tmp_path: Path
    ) -> None:
        log = tmp_path / "log.jsonl"
        log.write_bytes(lines(QUESTION))
        log.chmod(0)
        ran = curate("ingest", log)

        assert ran.code == 4
        assert "log.jsonl" in ran.err

    @pytest.mark.parametrize("kind", ["missing", "directory", "fifo"])
    def test_what_is_no_log_is_named(
        self, workspace: Path, curate: Curate, tmp_path: Path, kind: str
    ) -> None:
        path = tmp_path / "log.jsonl"
        if kind == "directory":
            path.mkdir()
        elif kind == "fifo":
            os.mkfifo(path)
        ran = curate("ingest", path)

        assert ran.code in (2, 4)
        assert "log.jsonl" in ran.err
        assert "Traceback" not in ran.err

    def test_usage_mistakes_are_one_message(self, curate: Curate) -> None:
        for arguments in (
            ["nonsense"],
            ["items", "set"],
            ["--now", "later", "init", "/dev/null/x"],
        ):
            ran = curate(*arguments)
            assert ran.code in (2, 4)
            assert ran.err.startswith("curate: ")
            assert "Traceback" not in ran.err

"""`curate ingest` as people and schedulers meet it."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest

from tests.conftest import Curate

ASKED = {
    "ts": "2026-11-20T09:14:03Z",
    "request_id": "r-1",
    "question": "may Dara Sok use the pump at the door?",
    "answer": "I don't know.",
}
VOTE = {"ts": "2026-11-20T09:15:00Z", "request_id": "r-1", "rating": "down"}


@pytest.fixture
def workspace(tmp_path: Path, curate: Curate, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "ws"
    monkeypatch.setenv("CURATE_WORKSPACE", str(root))
    assert curate("init").code == 0
    (root / "docs").mkdir()
    (root / "docs" / "a.md").write_text("# House\n\n## Pumps\n\nThe pump is free.\n")
    return root


def log(path: Path, *events: object) -> Path:
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def left(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not path.name.endswith("-shm")
    }


@pytest.mark.presidio
def test_explain_shows_what_is_recognised_and_writes_nothing(
    workspace: Path, curate: Curate, tmp_path: Path
) -> None:
    path = log(tmp_path / "app.jsonl", ASKED, VOTE, ["no event"])
    before = left(workspace)

    shown = curate("ingest", "--explain", path)
    told = curate("ingest", "--explain", "--json", path).json

    assert shown.code == 0
    assert "Dara" not in shown.out + json.dumps(told)
    assert "may <PERSON_1> use the pump" in shown.out
    assert told["formats"] == {str(path): "generic"}
    assert told["maps"][str(path)]["question"] == "question"
    assert (told["questions"], told["feedback"], told["rejected"]) == (1, 1, 1)
    assert told["rejected_lines"] == {str(path): [3]}
    assert [sample["kind"] for sample in told["samples"]] == ["question", "feedback"]
    assert left(workspace) == before


@pytest.mark.presidio
def test_chunks_whose_names_are_not_known_are_told_of(
    workspace: Path, curate: Curate, tmp_path: Path
) -> None:
    rows = [{**ASKED, "id": f"u{n}", "chunks": [{"ref": "a#1", "doc name": "a"}]} for n in range(3)]
    path = log(tmp_path / "app.jsonl", *rows)
    told = ("--map", "chunk_id=ref")

    explained = curate("ingest", "--explain", path)

    assert "chunks[].ref, chunks[].doc name" in explained.out
    assert "chunk_id, chunk_source" in explained.out
    assert "chunks of 3 questions have neither" in explained.out
    assert "unnamed" not in curate("ingest", "--explain", *told, path).out
    assert curate("ingest", "--json", path).json["chunks_unnamed"] == 3
    assert curate("ingest", "--json", *told, path).json["chunks_unnamed"] == 0


@pytest.mark.presidio
def test_a_database_is_read_by_a_query_and_twice_is_once(
    workspace: Path, curate: Curate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "app.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE asked (k, q, v, t)")
        connection.execute("INSERT INTO asked VALUES (1, 'is it open?', 0, '2026-11-20 10:00')")
    connection.close()
    sql = tmp_path / "asked.sql"
    sql.write_text("SELECT k AS id, q AS question, v AS rating, t AS ts FROM asked")

    first = curate(
        "ingest", "--db", f"sqlite:///{database}", "--query", sql, "--down", "0", "--json"
    ).json
    monkeypatch.setenv("CURATE_DB", f"sqlite:///{database}")
    again = curate("ingest", "--query", sql, "--down", "0", "--json").json

    assert (first["questions_new"], first["feedback_joined"]) == (1, 1)
    assert (again["questions_new"], again["duplicates"]) == (0, 2)


def test_the_password_of_a_database_is_never_shown(
    workspace: Path, curate: Curate, tmp_path: Path
) -> None:
    sql = tmp_path / "q.sql"
    sql.write_text("SELECT 1")

    failed = curate("ingest", "--db", "sqlite://u:hunter2@/nowhere.db", "--query", sql)
    alone = curate("ingest", "--db", "sqlite:///hunter2.db")
    both = curate("ingest", "--db", "sqlite:///x.db", "--query", sql, sql)

    assert (failed.code, alone.code, both.code) == (4, 2, 2)
    assert "hunter2" not in failed.err + alone.err + both.err


def test_the_formats_are_listed(curate: Curate) -> None:
    listed = curate("ingest", "--format", "help").out.split()

    assert {"auto", "langfuse", "otlp", "helicone", "csv"} <= set(listed)


@pytest.mark.presidio
def test_a_template_takes_the_question_out_of_its_prompt(
    workspace: Path, curate: Curate, tmp_path: Path
) -> None:
    glued = {**ASKED, "question": "Use the context. Question: is it open? Answer:"}
    path = log(tmp_path / "app.jsonl", glued)
    template = r"Question: (?P<question>.*?)\s*Answer:"

    shown = curate("ingest", "--explain", "--template", template, path)
    curate("ingest", "--template", template, path)

    assert "Use the context." in shown.out
    [candidate] = curate("items", "list", "--inbox", "--json").json
    assert candidate["question"] == "is it open?"


@pytest.fixture
def sourced(workspace: Path) -> Path:
    """A workspace with one source in its config; returns the log."""
    toml = workspace / "curate.toml"
    toml.write_text(toml.read_text() + '\n[[sources]]\nname = "app"\npath = "logs/*.jsonl"\n')
    (workspace / "logs").mkdir()
    return log(workspace / "logs" / "app.jsonl", ASKED, VOTE)


@pytest.mark.presidio
def test_a_source_is_read_on_from_where_it_was_left(sourced: Path, curate: Curate) -> None:
    first = curate("ingest", "--json").json
    with sourced.open("a") as file:
        file.write(json.dumps({**ASKED, "request_id": "r-2"}) + "\n" + '{"request_id": "r-3", ')
    second = curate("ingest", "--json").json
    by_hand = curate("ingest", "--json", sourced).json

    assert (first["questions_new"], first["feedback_joined"]) == (1, 1)
    assert (second["questions_read"], second["questions_new"], second["unfinished"]) == (1, 1, 1)
    assert (by_hand["questions_read"], by_hand["duplicates"], by_hand["rejected"]) == (2, 3, 1)


@pytest.mark.presidio
def test_follow_reads_what_is_appended_and_stops_cleanly_when_told(sourced: Path) -> None:
    import subprocess
    import sys

    command = [sys.executable, "-m", "curate", "ingest", "--follow", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as following:
        assert following.stdout is not None
        first = json.loads(following.stdout.readline())
        with sourced.open("a") as file:
            file.write(json.dumps({**ASKED, "request_id": "r-2"}) + "\n")
        second = json.loads(following.stdout.readline())
        following.terminate()
        assert following.wait(60) == 0

    assert (first["questions_new"], second["questions_new"]) == (1, 1)
    assert second["questions_read"] == 1


@pytest.mark.presidio
def test_votes_of_a_source_of_their_own_join_the_questions_of_another(
    workspace: Path, curate: Curate
) -> None:
    log(workspace / "asked.jsonl", ASKED)
    log(workspace / "thumbs.jsonl", VOTE)
    settings = workspace / "curate.toml"
    sources = '[[sources]]\nname = "bot"\npath = "asked.jsonl"\n'
    sources += '[[sources]]\nname = "thumbs"\npath = "thumbs.jsonl"\njoins = "{}"\n'
    before = settings.read_text()

    settings.write_text(before + sources.format("nobody"))
    assert "names no other source" in curate("ingest").err
    settings.write_text(before + sources.format("bot"))
    read = curate("ingest", "--json").json

    assert (read["feedback_new"], read["feedback_joined"], read["feedback_waiting"]) == (1, 1, 0)


def test_what_was_read_before_is_called_neither_questions_nor_votes(
    workspace: Path, curate: Curate
) -> None:
    votes = log(workspace / "votes.jsonl", VOTE)
    curate("ingest", votes)
    again = curate("ingest", votes).out

    assert "questions  0 new, 0 updated\n" in again
    assert "known      1 read before, unchanged\n" in again


@pytest.mark.presidio
def test_what_a_glob_matches_and_is_no_log_keeps_no_other_log_from_being_read(
    workspace: Path, curate: Curate, tmp_path: Path
) -> None:
    with (workspace / "curate.toml").open("a") as config:
        config.write('\n[[sources]]\nname = "app"\npath = "logs/*.jsonl"\n')
    logs = workspace / "logs"
    logs.mkdir()
    os.mkfifo(logs / "a.jsonl")
    (logs / "b.jsonl").symlink_to(logs / "gone")
    log(logs / "c.jsonl", ASKED, VOTE)

    told = curate("ingest", "--json").json

    assert (told["questions_new"], told["feedback_joined"], told["rejected"]) == (1, 1, 2)
    assert told["reasons"] == {
        str(logs / "a.jsonl"): {"not read: it is not a regular file": 1},
        str(logs / "b.jsonl"): {"not read: it does not exist": 1},
    }
    assert curate("ingest", "--strict").code == 1
    assert curate("ingest", logs / "a.jsonl").code == 2


@pytest.mark.presidio
def test_a_source_that_matches_nothing_is_counted_and_the_others_are_read(
    workspace: Path, curate: Curate
) -> None:
    with (workspace / "curate.toml").open("a") as config:
        config.write('\n[[sources]]\nname = "none"\npath = "none/*.jsonl"\n')
    nothing = curate("ingest")
    with (workspace / "curate.toml").open("a") as config:
        config.write('\n[[sources]]\nname = "app"\npath = "app.jsonl"\n')
    log(workspace / "app.jsonl", ASKED, VOTE)

    told = curate("ingest", "--json").json

    assert (nothing.code, "source `none`: nothing matches" in nothing.err) == (4, True)
    assert (told["questions_new"], told["feedback_joined"], told["rejected"]) == (1, 1, 1)
    missing = str(workspace / "none" / "*.jsonl")
    assert told["reasons"] == {missing: {"not read: it does not exist": 1}}
    assert curate("ingest", "--source", "none").code == 4


def test_files_a_database_and_langfuse_exclude_each_other(
    workspace: Path, curate: Curate, tmp_path: Path
) -> None:
    path = log(tmp_path / "app.jsonl", ASKED)

    for options in (("--langfuse", "https://h", path), ("--db", "sqlite:///a.db", path)):
        refused = curate("ingest", *options)
        assert (refused.code, "exclude each other" in refused.err) == (2, True)

"""Databases as logs: queries, and the file of Open WebUI."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from curate.config import SourceSettings
from curate.ingest import database
from curate.ingest.events import Recognised
from curate.ingest.run import read, read_query
from curate.model.errors import CurateError, Exit
from curate.model.events import FeedbackEvent, QuestionEvent, RawText, Rejected

DATA = Path(__file__).parent / "data" / "ingest"


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    path = tmp_path / "app's #1.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE asked (key INTEGER, said TEXT, reply TEXT, at TEXT, vote)")
        connection.execute("INSERT INTO asked VALUES (7, 'where?', 'here', '2026-03-05 10:00', 0)")
        connection.execute("INSERT INTO asked VALUES (8, 'when?', 'now', '2026-03-05 11:00', NULL)")
    connection.close()
    return path


SQL = """
SELECT key AS id, said AS question, reply AS answer, at AS ts, vote AS rating FROM asked
WHERE at LIKE '2026-%' AND ':x' = ':x' ORDER BY key
"""


def test_the_rows_of_a_query_are_questions_and_votes(asked: Path) -> None:
    source = SourceSettings(name="app", down=("0",))

    items = list(read_query(f"sqlite:///{asked}", SQL, source))

    questions = [item for item in items if isinstance(item, QuestionEvent)]
    votes = [item for item in items if isinstance(item, FeedbackEvent)]
    assert [event.question for event in questions] == [RawText("where?"), RawText("when?")]
    assert questions[0].at == datetime(2026, 3, 5, 10, tzinfo=UTC)
    assert [(vote.targets, vote.rating) for vote in votes] == [((RawText("7"),), -1)]


def test_a_database_is_opened_read_only(asked: Path) -> None:
    with pytest.raises(CurateError) as caught:
        list(database.query(f"sqlite:///{asked}", "DELETE FROM asked RETURNING key"))

    assert caught.value.code == Exit.ENVIRONMENT
    with sqlite3.connect(asked) as connection:
        assert connection.execute("SELECT count(*) FROM asked").fetchone() == (2,)
    connection.close()


def test_a_query_that_fails_is_told_from_a_database_that_does_not_open(asked: Path) -> None:
    with pytest.raises(CurateError, match="refused the query") as caught:
        list(database.query(f"sqlite:///{asked}", "SELECT 'Dara Sok' FROM nowhere"))

    assert "Dara" not in f"{caught.value} {caught.value.hint}"


def test_a_missing_database_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(CurateError, match="did not open"):
        list(database.query(f"sqlite:///{tmp_path}/none.db", "SELECT 1"))
    assert list(tmp_path.iterdir()) == []


def test_errors_show_neither_password_nor_query_nor_rows(asked: Path) -> None:
    for url in ("mysql+nodriver://u:hunter2@h/d", "no url hunter2", f"sqlite:///{asked}"):
        with pytest.raises(CurateError) as caught:
            list(database.query(url, "SELECT hunter2 FROM nowhere"))
        assert "hunter2" not in caught.value.message + caught.value.hint
        assert caught.value.__suppress_context__


@pytest.fixture
def webui(tmp_path: Path) -> Path:
    path = tmp_path / "webui.db"
    (chat,) = json.loads((DATA / "openwebui_chats.json").read_text())
    feedback = json.loads((DATA / "openwebui_feedbacks.json").read_text())[0]
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE chat (id, user_id, title, chat JSON, created_at, updated_at, meta)"
        )
        connection.execute(
            "CREATE TABLE feedback "
            "(id, user_id, version, type, data, meta, snapshot, created_at, updated_at)"
        )
        connection.execute(
            "INSERT INTO chat VALUES (?, ?, ?, ?, ?, ?, '{}')",
            [chat["id"], chat["user_id"], chat["title"], json.dumps(chat["chat"]), 1, 1],
        )
        values = [feedback[name] for name in ("id", "user_id", "version", "type")]
        values += [json.dumps(feedback[name]) for name in ("data", "meta", "snapshot")]
        connection.execute(
            "INSERT INTO feedback VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [*values, feedback["created_at"], feedback["updated_at"]],
        )
    connection.close()
    return path


def test_the_file_of_open_webui_is_read_as_it_is(webui: Path) -> None:
    items = list(read(webui))

    assert isinstance(items[0], Recognised)
    assert items[0].format == "openwebui"
    asked = [item.question for item in items if isinstance(item, QuestionEvent)]
    assert asked.count(RawText("how do i open the bike shed?")) == 2
    votes = [item for item in items if isinstance(item, FeedbackEvent)]
    assert {(vote.source_id, vote.rating) for vote in votes} == {(RawText("fb-1"), -1)}


def test_another_database_file_is_rejected(asked: Path) -> None:
    (found,) = [item for item in read(asked) if isinstance(item, Rejected)]

    assert "SQLite" in found.reason


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://u@127.0.0.1:1/x?password=SEKRET&sslpassword=SEKRET",
        "postgresql+psycopg://u:p4ss@w0rdSEKRET@127.0.0.1:1/x",
    ],
)
def test_a_password_is_never_shown_wherever_in_the_address_it_stands(url: str) -> None:
    with pytest.raises(CurateError) as caught:
        list(database.query(url, "SELECT 1"))

    assert "SEKRET" not in caught.value.message + caught.value.hint

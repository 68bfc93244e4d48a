"""The ready queries, on the tables the applications keep: in SQLite, in a real PostgreSQL, and in
a real MySQL or MariaDB what is kept there.
"""

from __future__ import annotations

import json
import os
import tracemalloc
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from curate.config import SourceSettings
from curate.ingest import database, queries
from curate.ingest.events import Recognised
from curate.ingest.run import read_query
from curate.model.errors import CurateError, Exit
from curate.model.events import FeedbackEvent, QuestionEvent, RawText, RawTurn, Rejected

REAL = {
    "postgresql": os.environ.get("CURATE_TEST_POSTGRES", ""),
    "mysql": os.environ.get("CURATE_TEST_MYSQL", ""),
}
DROP = {"postgresql": "DROP DATABASE {} WITH (FORCE)", "mysql": "DROP DATABASE {}"}

CHAT = {
    "id": "c1",
    "history": {
        "messages": {
            "m1": {"id": "m1", "role": "user", "content": "is it open?", "parentId": None},
            "m2": {
                "id": "m2",
                "role": "assistant",
                "content": "yes",
                "parentId": "m1",
                "sources": [{"document": ["x"], "metadata": [{"name": "hours.md"}]}],
            },
        }
    },
}
VOTED = {"rating": -1, "comment": "it is not"}
META = {"chat_id": "c1", "message_id": "m2"}
TALK = [
    {"role": "assistant", "content": "hello"},
    {"role": "user", "content": "is it open?", "id": "m1"},
    {"role": "assistant", "content": "yes", "id": "m1", "thumbup": False, "feedback": "it is not"},
]
FOUND = [{"chunks": [{"id": "k1", "document_name": "hours.md", "similarity": 0.5}]}]
DIFY = {"retriever_resources": [{"document_name": "hours.md", "segment_id": "k1", "score": 0.5}]}


def js(value: object) -> str:
    return json.dumps(value).replace("'", "''")


TABLES: dict[str, str] = {
    "dify": f"""
CREATE TABLE messages (id UUID, conversation_id UUID, query TEXT, answer TEXT,
  message_metadata TEXT, provider_response_latency FLOAT, message_tokens INTEGER,
  answer_tokens INTEGER, from_end_user_id UUID, from_account_id UUID, created_at TIMESTAMP);
CREATE TABLE message_feedbacks (id UUID, message_id UUID, rating VARCHAR(255), content TEXT,
  from_source VARCHAR(255), created_at TIMESTAMP);
INSERT INTO messages VALUES ('00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-00000000000c', 'is it open?', 'yes', '{js(DIFY)}', 1.5, 100, 20,
  '00000000-0000-4000-8000-0000000000aa', NULL, '2026-03-05 10:00:00');
INSERT INTO messages VALUES ('00000000-0000-4000-8000-000000000002',
  '00000000-0000-4000-8000-00000000000c', 'and on sundays?', 'no', NULL, 1.0, 100, 20,
  '00000000-0000-4000-8000-0000000000aa', NULL, '2026-03-05 10:01:00');
INSERT INTO message_feedbacks VALUES ('00000000-0000-4000-8000-0000000000f1',
  '00000000-0000-4000-8000-000000000001', 'dislike', 'it is not', 'user', '2026-03-05 10:02:00');
INSERT INTO message_feedbacks VALUES ('00000000-0000-4000-8000-0000000000f2',
  '00000000-0000-4000-8000-000000000001', 'like', 'looks right', 'admin', '2026-03-05 10:03:00');
""",  # noqa: S608 - our own values
    "chainlit": """
CREATE TABLE threads (id VARCHAR(36), name TEXT, "userIdentifier" TEXT);
CREATE TABLE steps (id VARCHAR(36), type TEXT, "threadId" VARCHAR(36), "parentId" VARCHAR(36),
  output TEXT, "createdAt" TEXT);
CREATE TABLE feedbacks (id VARCHAR(36), "forId" VARCHAR(36), value INTEGER, comment TEXT);
INSERT INTO threads VALUES ('t1', 'Opening', 'anna');
INSERT INTO steps VALUES ('s1', 'user_message', 't1', NULL, 'is it open?', '2026-03-05T10:00:00Z');
INSERT INTO steps VALUES ('s2', 'run', 't1', 's1', '', '2026-03-05T10:00:01Z');
INSERT INTO steps VALUES ('s3', 'retrieval', 't1', 's2',
  '[{"id": "k1", "source": "hours.md", "score": 0.5}]', '2026-03-05T10:00:02Z');
INSERT INTO steps VALUES ('s4', 'assistant_message', 't1', 's2', 'yes', '2026-03-05T10:00:03Z');
INSERT INTO steps VALUES ('s5', 'user_message', 't1', NULL, 'and on sundays?',
  '2026-03-05T10:01:00Z');
INSERT INTO feedbacks VALUES ('f1', 's4', 0, 'it is not');
""",
    "vercel": """
CREATE TABLE "Chat" (id VARCHAR(36), "userId" VARCHAR(36), title TEXT);
CREATE TABLE "Message_v2" (id VARCHAR(36), "chatId" VARCHAR(36), role TEXT, parts JSON,
  "createdAt" TIMESTAMP);
CREATE TABLE "Vote_v2" ("chatId" VARCHAR(36), "messageId" VARCHAR(36), "isUpvoted" BOOLEAN);
INSERT INTO "Chat" VALUES ('c1', 'u1', 'Opening');
INSERT INTO "Message_v2" VALUES ('m1', 'c1', 'user',
  '[{"type": "text", "text": "is it open?"}]', '2026-03-05 10:00:00');
INSERT INTO "Message_v2" VALUES ('m2', 'c1', 'assistant',
  '[{"type": "text", "text": "yes"}, {"type": "source-document", "sourceId": "k1",
     "title": "hours.md"}]', '2026-03-05 10:00:03');
INSERT INTO "Message_v2" VALUES ('m3', 'c1', 'user',
  '[{"type": "text", "text": "and on sundays?"}]', '2026-03-05 10:01:00');
INSERT INTO "Vote_v2" VALUES ('c1', 'm2', FALSE);
""",
    "openwebui": f"""
CREATE TABLE chat (id TEXT, user_id TEXT, title TEXT, chat JSON, created_at BIGINT,
  updated_at BIGINT);
CREATE TABLE feedback (id TEXT, user_id TEXT, type TEXT, data JSON, meta JSON, snapshot JSON,
  created_at BIGINT, updated_at BIGINT);
INSERT INTO chat VALUES ('c1', 'u1', 'Opening', '{js(CHAT)}', 1772704800, 1772704800);
INSERT INTO feedback VALUES ('f1', 'u1', 'rating', '{js(VOTED)}', '{js(META)}',
  '{js({"chat": {"id": "c1", "chat": CHAT}})}', 1772704900, 1772704900);
""",  # noqa: S608 - as above
    "ragflow": f"""
CREATE TABLE conversation (id VARCHAR(32), user_id VARCHAR(255), name VARCHAR(255), message JSON,
  reference JSON, create_time BIGINT);
CREATE TABLE api_4_conversation (id VARCHAR(32), user_id VARCHAR(255), message JSON,
  reference JSON, create_time BIGINT);
INSERT INTO conversation VALUES ('t1', 'u1', 'Opening', '{js(TALK)}', '{js(FOUND)}', 1772704800000);
INSERT INTO api_4_conversation VALUES ('t2', 'u2', '{js(TALK)}', '{js(FOUND)}', 1772704800000);
""",  # noqa: S608 - as above
}
TABLES["chainlit-datalayer"] = (
    TABLES["chainlit"]
    .replace("threads", '"Thread"')
    .replace("steps", '"Step"')
    .replace("feedbacks", '"Feedback"')
    .replace("userIdentifier", "userId")
    .replace("forId", "stepId")
)


@dataclass(frozen=True)
class Server:
    """A database server: makes databases, filled by a script."""

    filled: Callable[[str], str]


@pytest.fixture(params=["sqlite", *REAL])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    if request.param == "sqlite":

        def lite(script: str) -> str:
            url = f"sqlite:///{tmp_path / 'app.db'}"
            _run(url, script)
            return url

        yield Server(lite)
        return
    address = REAL[request.param]
    if not address:
        pytest.skip("CURATE_TEST_POSTGRES and _MYSQL name no such server; .ci/run starts them")
    made: list[str] = []
    admin = create_engine(address, isolation_level="AUTOCOMMIT")

    def real(script: str) -> str:
        name = f"curate_{uuid.uuid4().hex}"
        with admin.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        made.append(name)
        url = make_url(address).set(database=name).render_as_string(hide_password=False)
        _run(url, script)
        return url

    yield Server(real)
    with admin.connect() as connection:
        for name in made:
            connection.exec_driver_sql(DROP[request.param].format(name))
    admin.dispose()


def _run(url: str, script: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in script.split(";\n"):
            if statement.strip():
                connection.exec_driver_sql(statement.replace("%", "%%"))
    engine.dispose()


@pytest.mark.parametrize(
    ("server", "name"),
    [(kind, name) for kind in ("sqlite", "postgresql") for name in queries.names()]
    + [("mysql", "ragflow")],
    indirect=["server"],
)
def test_a_recipe_gives_questions_answers_chunks_and_votes(server: Server, name: str) -> None:
    url = server.filled(TABLES[name])

    items = list(read_query(url, queries.recipe(name), SourceSettings(name=name)))

    assert [i.reason for i in items if isinstance(i, Rejected)] == []
    [recognised] = [i for i in items if isinstance(i, Recognised)]
    assert recognised.format == (name if name in ("openwebui", "ragflow") else "turns")
    questions = [i for i in items if isinstance(i, QuestionEvent)]
    first = questions[0]
    assert first.question == RawText("is it open?")
    assert first.answer == RawText("yes")
    assert first.chunks[0].source == RawText("hours.md")
    assert first.session is not None
    assert first.user is not None
    votes = [i for i in items if isinstance(i, FeedbackEvent)]
    assert {vote.rating for vote in votes} == {-1}
    assert all(set(vote.targets) & set(first.aliases) for vote in votes[:1])
    if name != "vercel":
        assert votes[0].comment == RawText("it is not")
    if recognised.format == "turns":
        assert questions[1].question == RawText("and on sundays?")
        assert questions[1].history == (
            RawTurn("user", RawText("is it open?")),
            RawTurn("assistant", RawText("yes")),
        )
        assert first.at == datetime(2026, 3, 5, 10, tzinfo=UTC)
    if name == "dify":
        assert (first.latency_ms, first.tokens_in, first.tokens_out) == (1500, 100, 20)
        assert votes[0].at == datetime(2026, 3, 5, 10, 2, tzinfo=UTC)
    elif recognised.format == "turns":
        assert votes[0].at == datetime(2026, 3, 5, 10, 0, 3, tzinfo=UTC)


def test_a_session_cannot_write(server: Server) -> None:
    url = server.filled("CREATE TABLE asked (q TEXT);\nINSERT INTO asked VALUES ('is it open?');\n")

    with pytest.raises(CurateError) as caught:
        list(database.query(url, "DELETE FROM asked RETURNING q"))

    assert caught.value.code == Exit.ENVIRONMENT
    engine = create_engine(url)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM asked")).scalar() == 1
    engine.dispose()


def test_a_large_result_is_streamed(server: Server) -> None:
    numbers = ",".join(f"({n})" for n in range(4_000))
    url = server.filled(
        f"CREATE TABLE said (q TEXT);\nINSERT INTO said VALUES ('{'x' * 10_000}');\n"
        f"CREATE TABLE times (n INTEGER);\nINSERT INTO times VALUES {numbers};\n"
    )

    tracemalloc.start()
    try:
        read = sum(
            len(str(row.value["question"]))
            for row in database.query(url, "SELECT s.q AS question FROM said s, times t")
        )
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert read == 40_000_000
    assert peak < 25_000_000


def test_percent_signs_and_colons_of_a_query_are_its_own(server: Server) -> None:
    url = server.filled("CREATE TABLE asked (q TEXT);\nINSERT INTO asked VALUES ('is it open?');\n")

    sql = "SELECT q AS question, ':x' AS id FROM asked WHERE q LIKE '%open%'"

    assert [row.value for row in database.query(url, sql)] == [
        {"question": "is it open?", "id": ":x"}
    ]


def test_a_recipe_nobody_knows_is_refused_with_the_nearest() -> None:
    with pytest.raises(CurateError, match="no recipe") as caught:
        queries.recipe("difi")

    assert caught.value.hint == "Did you mean `dify`?"

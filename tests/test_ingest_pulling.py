"""Langfuse's API, by a server on the loopback that answers as the documented one does."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from curate.config import ApiKeys, SourceSettings
from curate.ingest import inputs
from curate.ingest.events import StreamItem, Sweep
from curate.ingest.pulling import Pull
from curate.ingest.resuming import Ledger
from curate.ingest.run import IngestReport
from curate.model.errors import CurateError, Exit
from curate.model.events import FeedbackEvent, QuestionEvent, RawText, Rejected, Watermark
from curate.model.plain import Json
from curate.workspace.upkeep import sources
from curate.workspace.workspace import Workspace
from tests.conftest import Curate
from tests.events import Clock
from tests.test_ingest_run import Tags

NOW = datetime(2026, 3, 10, tzinfo=UTC)
SECRET = "sk-hunter2"  # noqa: S105 - no secret
KEYS = ApiKeys("pk-1", SECRET)


@dataclass
class Langfuse:
    """What the server holds, what it was asked, and the answers it gives before honest ones."""

    url: str = ""
    observations: list[Json] = field(default_factory=list)
    scores: list[Json] = field(default_factory=list)
    asked: list[dict[str, str]] = field(default_factory=list)
    trouble: list[Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=list)
    page: int = 2
    circle: bool = False
    honest: int | None = None
    """After so many answers the server fails, for good."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.asked.append({"path": parts.path, **asked})
        if self.trouble:
            self.trouble.pop(0)(handler)
            return
        if self.honest is not None and len(self.asked) > self.honest:
            failing(handler)
            return
        told = base64.b64encode(f"pk-1:{SECRET}".encode()).decode()
        if handler.headers["Authorization"] != f"Basic {told}":
            send(handler, 401, b'{"message": "Invalid credentials"}')
            return
        lists = {
            "/api/public/v2/observations": (self.observations, "startTime", "StartTime"),
            "/api/public/v3/scores": (self.scores, "timestamp", "Timestamp"),
        }
        if parts.path not in lists:
            send(handler, 404, b"<html>")
            return
        records, at, name = lists[parts.path]
        first, end = asked.get(f"from{name}", ""), asked.get(f"to{name}", "9")
        found = [record for record in records if first <= record[at] < end]
        start = int(asked.get("cursor", "0"))
        size = min(self.page, int(asked["limit"]))
        more = start + size < len(found)
        cursor = ("0" if self.circle else str(start + size)) if more else None
        body = {"data": found[start : start + size], "meta": {"cursor": cursor}}
        send(handler, 200, json.dumps(body).encode())


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def limited(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 429, b'{"message": "Rate limit exceeded"}', Retry_After="7")


def failing(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 502, b"<html>bad gateway</html>")


def cut(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 200, b'{"data": [{"id": "o1", "inp')


def hanging_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    handler.connection.close()


def elsewhere(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 302, b"", Location="http://example.invalid/")


@pytest.fixture
def langfuse() -> Iterator[Langfuse]:
    there = Langfuse()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            there.answer(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        there.url = f"http://127.0.0.1:{server.server_port}"
        yield there
        server.shutdown()


def stamp(at: datetime) -> str:
    return at.isoformat()


def trace(name: str, at: datetime) -> list[Json]:
    root = {
        "id": f"{name}-0", "traceId": name, "startTime": stamp(at), "type": "SPAN", "name": "chat",
        "endTime": stamp(at + timedelta(seconds=2)), "isRootObservation": True,
        "input": json.dumps({"question": f"{name}?"}), "output": '"yes"', "sessionId": "s1",
    }  # fmt: skip
    found = {
        "id": f"{name}-1", "traceId": name, "startTime": stamp(at + timedelta(seconds=1)),
        "type": "RETRIEVER", "name": "search", "isRootObservation": False,
        "parentObservationId": f"{name}-0", "input": f'"{name}"',
        "output": json.dumps([{"page_content": "x", "metadata": {"source": "hours.md"}}]),
    }  # fmt: skip
    return [found, root]


def score(name: str, at: datetime, *, value: bool) -> Json:
    return {
        "id": f"{name}-score", "name": "user-feedback", "value": value, "dataType": "BOOLEAN",
        "source": "API", "timestamp": stamp(at), "comment": "hm",
        "subject": {"kind": "trace", "id": name},
    }  # fmt: skip


@dataclass
class Puller:
    """Pulls again and again, remembering the watermarks and how long it would have slept."""

    url: str
    marks: dict[str, str] = field(default_factory=dict)
    slept: list[float] = field(default_factory=list)
    now: datetime = NOW
    overlap: int = 7
    kept: int = 3

    def pull(self, *, keep: bool = True, url: str = "", keys: ApiKeys = KEYS) -> list[StreamItem]:
        source = SourceSettings(name="lf", overlap_days=self.overlap)
        oldest = self.now - timedelta(days=self.kept)
        one = Pull(url or self.url, keys, source, self.now, oldest, self.slept.append)
        ledger = Ledger([], tag=Tags(), now=self.now, watermarks=lambda _: self.marks)
        found: list[StreamItem] = []
        for item in inputs.items([one], ledger if keep else None):
            found.append(item)
            if isinstance(item, Watermark):
                self.marks[item.stream] = item.value
        return found


def asked(items: list[StreamItem]) -> list[str]:
    return [item.question.reveal() for item in items if isinstance(item, QuestionEvent)]


def test_traces_and_votes_of_every_page_and_window_are_read(langfuse: Langfuse) -> None:
    for day in (1, 2):
        at = NOW - timedelta(days=day, hours=-2)
        langfuse.observations += trace(f"t{day}", at)
        langfuse.scores.append(score(f"t{day}", at, value=False))

    items = Puller(langfuse.url).pull()

    assert sorted(asked(items)) == ["t1?", "t2?"]
    questions = [item for item in items if isinstance(item, QuestionEvent)]
    assert all(q.chunks[0].source == RawText("hours.md") for q in questions)
    assert questions[0].latency_ms == 2000
    votes = {i.targets for i in items if isinstance(i, FeedbackEvent) and i.rating == -1}
    assert votes == {(RawText("t1"),), (RawText("t2"),)}
    assert all(one["limit"] == "100" for one in langfuse.asked)


def test_a_trace_that_goes_on_past_the_end_of_a_window_is_read_whole(langfuse: Langfuse) -> None:
    langfuse.observations += trace("t1", NOW - timedelta(days=1, seconds=0.5))
    langfuse.observations += trace("t2", NOW - timedelta(days=1, hours=1, seconds=0.5))

    items = Puller(langfuse.url).pull()

    last = {i.question: i for i in items if isinstance(i, QuestionEvent)}
    assert [q.chunks[0].source for q in last.values() if q.chunks] == [RawText("hours.md")] * 2
    assert not [item for item in items if isinstance(item, Rejected)]


def test_the_next_pull_asks_for_what_came_since_and_a_little_before(langfuse: Langfuse) -> None:
    puller = Puller(langfuse.url)
    puller.pull()
    langfuse.asked.clear()
    puller.now = NOW + timedelta(hours=3)
    langfuse.observations += trace("late", NOW - timedelta(minutes=20))

    items = puller.pull()

    assert asked(items) == ["late?"]
    [observations, scores] = langfuse.asked
    assert observations["fromStartTime"] == stamp(NOW - timedelta(hours=1))
    assert observations["toStartTime"] == stamp(NOW + timedelta(hours=3))
    assert scores["fromTimestamp"] == stamp(puller.now - timedelta(days=3))
    assert puller.marks == dict.fromkeys(("observations", "scores"), stamp(puller.now))


def test_votes_are_read_again_as_far_back_as_the_source_says(langfuse: Langfuse) -> None:
    puller = Puller(langfuse.url, overlap=2, kept=30)
    puller.pull()
    langfuse.asked.clear()
    puller.now = NOW + timedelta(days=2)

    items = puller.pull()

    scores = [one for one in langfuse.asked if one["path"].endswith("scores")]
    assert [(one["fromTimestamp"], one["toTimestamp"]) for one in scores] == [
        (stamp(NOW - timedelta(days=2)), stamp(NOW + timedelta(days=1))),
        (stamp(NOW + timedelta(days=1)), stamp(NOW + timedelta(days=2))),
    ]
    sweeps = [item for item in items if isinstance(item, Sweep)]
    assert [(one.since, one.ended) for one in sweeps] == [
        (NOW - timedelta(days=2), False),
        (NOW - timedelta(days=2), True),
        (NOW + timedelta(days=1), False),
        (NOW + timedelta(days=1), True),
    ]


@pytest.mark.parametrize("trouble", [limited, failing, cut, hanging_up])
def test_a_page_that_does_not_come_is_asked_for_again(
    langfuse: Langfuse, trouble: Callable[[BaseHTTPRequestHandler], None]
) -> None:
    langfuse.observations += trace("t1", NOW - timedelta(hours=2))
    langfuse.trouble = [trouble] * 3
    puller = Puller(langfuse.url)

    items = puller.pull()

    assert asked(items) == ["t1?"]
    assert puller.slept == ([7, 7, 7] if trouble is limited else [1, 2, 4])


def test_a_server_that_keeps_failing_defers_and_the_next_pull_goes_on(langfuse: Langfuse) -> None:
    langfuse.observations += trace("t3", NOW - timedelta(days=3, hours=-2))
    langfuse.observations += trace("t1", NOW - timedelta(hours=2))
    puller = Puller(langfuse.url)

    langfuse.honest = 1
    with pytest.raises(CurateError) as caught:
        puller.pull()
    langfuse.honest = None

    assert caught.value.code == Exit.DEFERRED
    assert puller.marks == {"observations": stamp(NOW - timedelta(days=2))}
    assert asked(puller.pull()) == ["t1?"]


@pytest.mark.parametrize("trouble", [elsewhere, lambda handler: send(handler, 403, b"no")])
def test_what_asking_again_would_not_help_is_told_at_once(
    langfuse: Langfuse, trouble: Callable[[BaseHTTPRequestHandler], None]
) -> None:
    langfuse.trouble = [trouble]
    puller = Puller(langfuse.url)

    with pytest.raises(CurateError, match="refused its observations"):
        puller.pull()

    assert puller.slept == []


def test_wrong_keys_and_addresses_are_told_without_the_keys(langfuse: Langfuse) -> None:
    puller = Puller(langfuse.url)
    wrong = ApiKeys("pk", "sk-hunter3")

    with pytest.raises(CurateError) as refused:
        puller.pull(keys=wrong)
    with pytest.raises(CurateError) as clear:
        puller.pull(url="http://langfuse.example")
    with pytest.raises(CurateError) as inside:
        puller.pull(url=f"https://pk:{SECRET}@langfuse.example")

    for caught in (refused, clear, inside):
        assert "hunter" not in caught.value.message + caught.value.hint
    assert "LANGFUSE_PUBLIC_KEY" in refused.value.hint
    assert clear.value.code == Exit.PRIVACY
    assert "hunter" not in repr(Pull("u", wrong, SourceSettings(), NOW, NOW))


def test_pages_that_go_round_in_a_circle_end(langfuse: Langfuse) -> None:
    for number in range(5):
        langfuse.observations += trace(f"t{number}", NOW - timedelta(hours=2))
    langfuse.circle = True

    with pytest.raises(CurateError, match="circle"):
        Puller(langfuse.url).pull()


def test_without_a_ledger_only_the_newest_page_is_looked_at(langfuse: Langfuse) -> None:
    langfuse.observations += trace("t1", NOW - timedelta(hours=2))

    items = Puller(langfuse.url).pull(keep=False)

    assert asked(items) == ["t1?"]
    assert len(langfuse.asked) == 2
    assert not any(isinstance(item, Watermark) for item in items)


@pytest.mark.presidio
def test_a_source_of_the_config_may_be_a_langfuse(
    langfuse: Langfuse, curate: Curate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime(2026, 11, 29, 21, tzinfo=UTC)
    langfuse.observations += trace("t1", now - timedelta(hours=2))
    langfuse.scores.append(score("t1", now - timedelta(hours=1), value=False))
    monkeypatch.setenv("CURATE_WORKSPACE", str(tmp_path))
    curate("init")
    (tmp_path / "docs").mkdir()
    toml = tmp_path / "curate.toml"
    toml.write_text(
        toml.read_text().replace("records_days = 90 ", "records_days = 2 ")
        + f'\n[[sources]]\nname = "lf"\npath = "{langfuse.url}"\n'
    )

    missing = curate("ingest")
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk-1")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", SECRET)
    first = curate("ingest", "--json").json
    again = curate("ingest", "--json").json

    assert missing.code == 2
    assert (first["questions_new"], first["feedback_joined"]) == (1, 1)
    assert (again["questions_read"], again["questions_new"]) == (0, 0)


@pytest.mark.presidio
def test_a_vote_that_is_changed_or_deleted_there_is_noticed_at_the_next_pull(
    langfuse: Langfuse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(datetime(2026, 11, 20, 12, tzinfo=UTC))
    asked_at = clock.now - timedelta(hours=5)
    for name in ("t1", "t2"):
        langfuse.observations += trace(name, asked_at)
        langfuse.scores.append(score(name, asked_at, value=False))
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk-1")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", SECRET)
    Workspace.create(tmp_path, clock)
    (tmp_path / "docs").mkdir()

    with Workspace.open(tmp_path, clock, "sophea") as workspace:

        def pull() -> tuple[IngestReport, list[list[int | None]]]:
            one = sources.langfuse(workspace, langfuse.url, SourceSettings(name="lf"))
            report = workspace.ingest([one], resume=True)
            clock.now += timedelta(days=1)
            records = [
                record
                for candidate in workspace.store.candidate_ids()
                for record in workspace.store.records(candidate)
            ]
            return report, [[vote.rating for vote in record.feedback] for record in records]

        first, ratings = pull()
        assert (first.feedback_joined, ratings) == (2, [[-1], [-1]])

        langfuse.scores[0]["value"] = True
        changed, ratings = pull()
        assert (changed.feedback_updated, changed.feedback_withdrawn) == (1, 0)
        assert sorted(ratings) == [[-1], [1]]

        langfuse.scores[0]["value"] = "somehow"
        unclear, ratings = pull()
        assert (unclear.rejected, unclear.feedback_withdrawn) == (1, 0)
        assert sorted(ratings) == [[-1], [1]]
        langfuse.scores[0]["value"] = True

        [_, gone] = langfuse.scores
        langfuse.scores.remove(gone)
        deleted, ratings = pull()
        assert (deleted.feedback_updated, deleted.feedback_withdrawn) == (0, 1)
        assert sorted(ratings) == [[], [1]]
        assert pull()[0].feedback_withdrawn == 0

        langfuse.scores.append(gone)
        again, ratings = pull()
        assert (again.feedback_updated, again.feedback_withdrawn) == (1, 0)
        assert sorted(ratings) == [[-1], [1]]


def test_votes_are_withdrawn_by_no_pull_that_breaks_off(langfuse: Langfuse) -> None:
    for number in range(5):
        langfuse.scores.append(score(f"t{number}", NOW - timedelta(hours=2), value=False))
    langfuse.honest = 2
    oldest = NOW - timedelta(days=1)
    pull = Pull(langfuse.url, KEYS, SourceSettings(name="lf"), NOW, oldest, lambda _: None)
    items = inputs.items([pull], Ledger([], tag=Tags(), now=NOW))
    sweeps = (item for item in items if isinstance(item, Sweep))

    assert not next(sweeps).ended
    with pytest.raises(CurateError):
        next(sweeps)

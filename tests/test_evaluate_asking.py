"""A run against a real server on the loopback, a real command, a real function."""

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from curate.evaluate import asking, cases, runs, targets
from curate.evaluate.cases import Case, CaseSet
from curate.model.errors import CurateError
from curate.model.records import Turn

NOW = datetime(2026, 11, 29, 21, tzinfo=UTC)
QUICK = asking.Settings(workers=3, retries=2, pause=0.01)
GOOD = {"retrieved": [{"id": "a#1", "source": "a.md", "text": "x"}], "answer": "x [1]"}


class Server:
    """An assistant behind HTTP that does what a test's `reply` says."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.reply: Callable[[dict[str, Any], int], tuple[int, bytes]] = lambda _, __: (
            200,
            json.dumps(GOOD).encode(),
        )
        self.after = ""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                times = sum(q["id"] == question["id"] for q in outer.asked)
                outer.asked.append(question)
                outer.headers.append(dict(self.headers))
                status, body = outer.reply(question, times)
                self.send_response(status)
                if outer.after:
                    self.send_header("Retry-After", outer.after)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}/ask"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield made
    made.http.shutdown()
    made.http.server_close()
    thread.join()


def set_of(*names: str) -> CaseSet:
    made = tuple(Case(name, f"{name}?", True) for name in names)
    return CaseSet("questions.json", "sha256:q", made, 4, frozenset({"sha256:q"}))


def run(
    tmp_path: Path, set_: CaseSet, target: targets.Target, **more: Any
) -> tuple[asking.Asked, runs.Run]:
    done = asking.run(
        set_,
        target,
        tmp_path / "run.jsonl",
        now=NOW,
        params=more.pop("params", {}),
        settings=more.pop("settings", QUICK),
        **more,
    )
    return done, runs.read(done.path)


def test_every_question_is_asked_once_with_its_history_and_the_parameters(
    tmp_path: Path, server: Server
) -> None:
    set_ = CaseSet(
        "q", "sha256:q", (Case("a", "and then?", True, history=(Turn("user", "hello"),)),)
    )
    target = targets.Endpoint(
        server.url, {"k": 3}, timeout=5, headers={"Authorization": "Bearer t"}
    )
    done, made = run(tmp_path, set_, target, params={"k": 3})

    assert server.asked == [
        {
            "k": 3,
            "id": "a",
            "question": "and then?",
            "history": [{"role": "user", "content": "hello"}],
        }
    ]
    assert server.headers[0]["Authorization"] == "Bearer t"
    assert (done.asked, done.kept, done.failures) == (1, 0, {})
    assert made.head["settings"] == {"k": 3}
    assert made.replies["a"].answer == "x [1]"
    assert made.replies["a"].latency_ms is not None
    assert "Bearer" not in done.path.read_text()


def test_the_file_is_in_the_sets_order_and_says_what_was_asked(
    tmp_path: Path, server: Server
) -> None:
    def slow_first(question: dict[str, Any], _: int) -> tuple[int, bytes]:
        time.sleep(0.05 if question["id"] == "a" else 0)
        return 200, json.dumps(GOOD).encode()

    server.reply = slow_first
    _, made = run(tmp_path, set_of("a", "b", "c"), targets.Endpoint(server.url, {}, timeout=5))

    assert list(made.replies) == ["a", "b", "c"]
    assert (made.head["format"], made.asked) == ("curate run 1", "sha256:q")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_asked_again(tmp_path: Path, server: Server, status: int) -> None:
    server.reply = lambda _, times: (status, b"") if times < 2 else (200, json.dumps(GOOD).encode())
    done, _ = run(tmp_path, set_of("a"), targets.Endpoint(server.url, {}, timeout=5))

    assert len(server.asked) == 3
    assert done.failures == {}


@pytest.mark.parametrize(
    ("status", "body", "words", "times"),
    [
        (404, b"", "status: 404", 1),
        (500, b"", "status: 500", 3),
        (200, b"<html>", "broken reply: not JSON", 1),
        (200, b"[]", "broken reply: no JSON object", 1),
        (200, b'{"answer": 7, "retrieved": []}', "broken reply: `answer` is no string", 1),
        (200, b"{}", "broken reply: `retrieved` is no list", 1),
    ],
)
def test_a_broken_reply_is_an_outcome(
    tmp_path: Path, server: Server, status: int, body: bytes, words: str, times: int
) -> None:
    server.reply = lambda question, _: (
        (status, body) if question["id"] == "bad" else (200, json.dumps(GOOD).encode())
    )
    set_ = set_of("good", "bad", "fine", "well")
    done, made = run(tmp_path, set_, targets.Endpoint(server.url, {}, timeout=5))

    assert done.failures == {words: 1}
    assert made.replies["bad"].error == words
    assert made.replies["good"].answer == "x [1]"
    assert [question["id"] for question in server.asked].count("bad") == times


def test_a_reply_that_does_not_end_is_a_timeout(tmp_path: Path, server: Server) -> None:
    def slow(question: dict[str, Any], _: int) -> tuple[int, bytes]:
        if question["id"] == "slow":
            time.sleep(0.6)
        return 200, json.dumps(GOOD).encode()

    server.reply = slow
    target = targets.Endpoint(server.url, {}, timeout=0.2)
    done, _ = run(tmp_path, set_of("slow", "good"), target, settings=asking.Settings(2, 0))

    assert done.failures == {"timeout: 0.2 s": 1}


def test_a_server_that_is_down_is_named_and_nothing_more_is_asked(tmp_path: Path) -> None:
    set_ = set_of(*"abcdefgh")
    with pytest.raises(CurateError) as caught:
        run(
            tmp_path,
            set_,
            targets.Endpoint("http://127.0.0.1:1/", {}, timeout=1),
            settings=asking.Settings(1, 0),
        )

    assert "127.0.0.1:1/ cannot be reached: none of 3 questions" in caught.value.message


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, server: Server) -> None:
    set_ = set_of("a", "b", "c")
    target = targets.Endpoint(server.url, {}, timeout=5)
    done, _ = run(tmp_path, set_, target)
    lines = done.path.read_bytes().splitlines(keepends=True)
    failed = json.dumps({"id": "b", "error": "timeout"}).encode() + b"\n"
    done.path.write_bytes(b"".join([lines[0], lines[1], failed, lines[3][:20]]))
    server.asked.clear()

    again, made = run(tmp_path, set_, target, resume=True)

    assert sorted(question["id"] for question in server.asked) == ["b", "c"]
    assert (again.asked, again.kept) == (2, 1)
    assert not made.problems


def test_a_run_is_not_mixed_with_another(tmp_path: Path, server: Server) -> None:
    target = targets.Endpoint(server.url, {}, timeout=5)
    run(tmp_path, set_of("a"), target)

    with pytest.raises(CurateError, match="exists already"):
        run(tmp_path, set_of("a"), target)
    with pytest.raises(CurateError, match="another parameters"):
        run(tmp_path, set_of("a"), target, resume=True, params={"k": 9})
    other = CaseSet("q", "sha256:other", set_of("a").cases)
    with pytest.raises(CurateError, match="another version"):
        run(tmp_path, other, target, resume=True)


def test_a_command_gets_the_question_and_prints_the_reply(tmp_path: Path) -> None:
    script = tmp_path / "assistant.py"
    script.write_text(
        "import json, sys\n"
        "q = json.load(sys.stdin)\n"
        "if q['id'] == 'bad': sys.exit(3)\n"
        "print(json.dumps({'retrieved': [], 'answer': q['question'] + str(q['k'])}))\n"
    )
    target = targets.Command(f"{sys.executable} {script}", {"k": 2}, timeout=20)
    done, made = run(tmp_path, set_of("good", "bad"), target)

    assert made.replies["good"].answer == "good?2"
    assert done.failures == {"ended: exit code 3": 1}


def test_a_commands_stderr_is_kept_only_where_that_is_wanted(tmp_path: Path) -> None:
    script = tmp_path / "broken.py"
    script.write_text("import sys\nsys.stderr.write('x' * 20_000 + 'the end')\nsys.exit(3)\n")
    case = Case("fee", "what is the fee?", False)
    line = f"{sys.executable} {script}"
    with pytest.raises(targets.NoReply, match=r"ended: exit code 3$"):
        targets.Command(line, {}, timeout=20).ask(case)
    kept = tmp_path / "stderr.txt"
    with pytest.raises(targets.NoReply, match=r"exit code 3, its stderr is in .*stderr\.txt"):
        targets.Command(line, {}, timeout=20, stderr=kept).ask(case)
    head, _, rest = kept.read_text().partition("\n")
    assert head == "== fee: exit code 3, the last 16384 of 20007 bytes"
    assert rest.endswith("the end\n")
    assert kept.stat().st_mode & 0o077 == 0
    with pytest.raises(CurateError, match="cannot be written"):
        targets.Command(line, {}, timeout=20, stderr=tmp_path / "no" / "where")


def test_a_command_that_prints_no_json_says_how_it_ended(tmp_path: Path) -> None:
    script = tmp_path / "chatty.py"
    script.write_text(
        "import sys\nprint('hello')\nif len(sys.argv) > 1: print('no', file=sys.stderr)"
    )
    case = Case("fee", "what is the fee?", False)
    line = f"{sys.executable} {script}"
    kept = tmp_path / "stderr.txt"
    for more, seen in (("", "nothing on stderr"), (" x", f"its stderr is in {kept}")):
        with pytest.raises(targets.NoReply) as caught:
            targets.Command(line + more, {}, timeout=20, stderr=kept).ask(case)
        assert str(caught.value) == f"broken reply: not JSON, exit code 0, {seen}"


def test_a_command_that_hangs_or_is_not_there_is_an_outcome() -> None:
    case = Case("a", "?", True)
    with pytest.raises(targets.NoReply, match="timeout"):
        targets.Command("sleep 5", {}, timeout=0.1).ask(case)
    with pytest.raises(targets.NoReply, match="unreachable"):
        targets.Command("/nowhere/at-all", {}, timeout=1).ask(case)


def test_a_function_is_asked_plain_or_async(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_assistant.py").write_text(
        "import time\n"
        "def ask(question, history, k=1):\n"
        "    if question == 'raise?': raise SystemExit('a secret')\n"
        "    if question == 'hang?': time.sleep(5)\n"
        "    if question == 'odd?': return 'text'\n"
        "    return {'retrieved': [], 'answer': f'{question} {history} {k}'}\n"
        "async def later(question, history):\n"
        "    return {'retrieved': [], 'answer': 'later'}\n"
    )
    monkeypatch.chdir(tmp_path)
    target = targets.Function("my_assistant:ask", {"k": 2}, timeout=0.3)
    done, made = run(tmp_path, set_of("a", "raise", "hang", "odd"), target)

    assert made.replies["a"].answer == "a? [] 2"
    assert done.failures == {
        "raised: SystemExit at my_assistant.py:3": 1,
        "timeout: 0.3 s": 1,
        "broken reply: str, not a dict": 1,
    }
    assert "secret" not in done.path.read_text()
    later = targets.Function("my_assistant:later", {}, timeout=5)
    assert later.ask(Case("a", "?", True))["answer"] == "later"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nowhere:ask", "there is no module nowhere"),
        ("json:nothing", "json has no nothing"),
        ("json:__doc__", "it is no function"),
        ("json", "no function is named"),
    ],
)
def test_a_function_that_cannot_be_loaded_is_refused(name: str, why: str) -> None:
    with pytest.raises(CurateError, match=f"cannot be loaded: {why}"):
        targets.Function(name, {}, timeout=1)


@pytest.mark.parametrize("url", ["ftp://x/", "localhost:8000", "file:///etc/passwd", "http://"])
def test_only_http_is_a_target(url: str) -> None:
    with pytest.raises(CurateError, match="not an http or https URL"):
        targets.Endpoint(url, {}, timeout=1)


def test_parameters_are_json_where_they_can_be() -> None:
    assert targets.parameters(["k=4", "mode=size", "deep=true", "x=a=b"]) == {
        "k": 4,
        "mode": "size",
        "deep": True,
        "x": "a=b",
    }
    with pytest.raises(CurateError):
        targets.parameters(["k"])


def test_what_was_asked_can_be_scored(tmp_path: Path) -> None:
    from curate.demo import files
    from curate.evaluate import scoring

    items = [
        {
            "id": key.log_id,
            "question": key.question,
            "answerable": True,
            "source": key.evidences[0].source,
            "heading": key.evidences[0].heading,
            "evidence": key.evidences[0].phrase,
            "keyword": key.keyword,
        }
        for key in files.answer_key()
        if key.answerable
    ]
    (tmp_path / "questions.json").write_text(json.dumps(items), encoding="utf-8")
    set_ = cases.read(tmp_path / "questions.json")
    function = targets.Function("curate.demo.assistant:ask", {}, timeout=30)
    _, made = run(tmp_path, set_, function)
    scored = scoring.score(set_, made, scoring.Options())

    hit = scored.score("hit@4")
    assert hit is not None
    assert 0.2 < hit.value < 1
    assert made.chunks == 98

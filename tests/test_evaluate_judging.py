"""A judge behind a real HTTP server on the loopback that speaks the endpoint's protocol."""

import importlib
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from curate.evaluate import judging
from curate.evaluate.endpoint import Endpoint
from curate.evaluate.judging import Material
from curate.model.errors import CurateError

SUPPORTED = {"claims": [{"claim": "It costs 10.", "supported": True}]}
FEE = Material("fee", "What does it cost?", "It costs 10, and 5 for pupils. [1]", ("It costs 10.",))
ROOM = Material("room", "Which room?", "Room 204.", ("We meet in Room 204.",))


class Server:
    """Plays the endpoint: `reply` decides what a chat comes to."""

    def __init__(self) -> None:
        self.chats: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.reply: Callable[[dict[str, Any], int], tuple[int, Any]] = lambda chat, _: (
            200,
            judged(chat),
        )
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path.endswith("/embeddings"):
                    status, body = 200, embedded(asked["input"])
                else:
                    outer.keys.append(self.headers["Authorization"])
                    outer.chats.append(asked)
                    status, body = outer.reply(asked, len(outer.chats))
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                if status == 429:
                    self.send_header("Retry-After-Ms", "10")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"


def embedded(texts: list[str]) -> Any:
    vectors = [[1.0, 0.0] if "cost" in text else [0.6, 0.8] for text in texts]
    return {
        "object": "list",
        "model": "e",
        "data": [
            {"object": "embedding", "index": n, "embedding": vector}
            for n, vector in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }


def completion(content: str | None, refusal: str | None = None) -> Any:
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "j",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": content, "refusal": refusal},
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


def judged(chat: dict[str, Any]) -> Any:
    """A judge that knows its work: what it is asked is in the instruction."""
    instruction, material = (message["content"] for message in chat["messages"])
    if '"claims"' in instruction:
        claims = [{"claim": "a", "supported": True}]
        if "pupils" in material:
            claims.append({"claim": "It costs 5 for pupils.", "supported": False})
        return completion("```json\n" + json.dumps({"claims": claims}) + "\n```")
    if '"questions"' in instruction:
        return completion(json.dumps({"questions": ["What does it cost?", "Who?"]}))
    return completion(json.dumps({"helpful": "pupils" in material}))


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield made
    made.http.shutdown()
    made.http.server_close()
    thread.join()


def plan(tmp_path: Path, *materials: Material, **more: Any) -> judging.Plan:
    given: dict[str, Any] = {
        "model": "j",
        "embeddings": "",
        "size": 20,
        "repeats": 3,
        "seed": 0,
        "cache": tmp_path / "cache",
    }
    return judging.plan(materials or (FEE, ROOM), **(given | more))


def run(tmp_path: Path, server: Server, planned: judging.Plan, **more: Any) -> judging.Verdict:
    with Endpoint(server.url, "secret", **more) as endpoint:
        return judging.judge(planned, endpoint.ask, endpoint.embed, tmp_path / "cache")


def test_each_measure_stands_apart_with_its_range(tmp_path: Path, server: Server) -> None:
    verdict = run(tmp_path, server, plan(tmp_path, embeddings="e"))

    means = {m.measure: (round(m.mean.value, 2), m.least, m.most, m.n) for m in verdict.measures}
    assert means["faithfulness"] == (0.75, 0.75, 0.75, 2)
    assert means["helpfulness"] == (0.5, 0.5, 0.5, 2)
    assert means["relevancy"][0] == 0.8
    assert verdict.unsupported == {"fee": ("It costs 5 for pupils.",)}
    assert (verdict.calls, verdict.read, verdict.written) == (18, 1800, 180)
    assert set(server.keys) == {"Bearer secret"}


def test_the_judge_sees_the_passages_and_not_the_items_id(tmp_path: Path, server: Server) -> None:
    run(tmp_path, server, plan(tmp_path, ROOM, repeats=1))

    material = json.loads(server.chats[0]["messages"][1]["content"])
    assert material == {
        "answer": "Room 204.",
        "question": "Which room?",
        "passages": ["We meet in Room 204."],
    }


def test_repeats_that_differ_are_reported_as_a_range(tmp_path: Path, server: Server) -> None:
    def moody(_: dict[str, Any], number: int) -> tuple[int, Any]:
        claims = [{"claim": "a", "supported": True}, {"claim": "b", "supported": number % 3 == 0}]
        return 200, completion(json.dumps({"claims": claims, "helpful": True}))

    server.reply = moody
    planned = plan(tmp_path, ROOM)
    (faithful, _) = run(tmp_path, server, planned).measures

    assert (faithful.least, faithful.most) == (0.5, 1.0)


def test_nothing_is_paid_for_twice(tmp_path: Path, server: Server) -> None:
    first = run(tmp_path, server, plan(tmp_path))
    asked = len(server.chats)
    planned = plan(tmp_path)
    again = run(tmp_path, server, planned)

    assert (planned.calls, planned.cached, planned.read) == (0, 12, 0)
    assert len(server.chats) == asked
    assert again.measures == first.measures
    assert again.calls == 0
    assert plan(tmp_path, model="another").cached == 0


def test_a_rate_limit_is_waited_for(tmp_path: Path, server: Server) -> None:
    server.reply = lambda chat, number: (
        (429, {"error": {"message": "slow down"}}) if number == 1 else (200, judged(chat))
    )
    verdict = run(tmp_path, server, plan(tmp_path, ROOM, repeats=1))

    assert verdict.failures == {}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (completion("I would rather not."), "not JSON"),
        (completion("[]"), "no JSON object"),
        (completion('{"claims": ["a"]}'), "another shape than asked for"),
        (completion(None, "I cannot help with that."), "refused"),
        ({"object": "chat.completion", "choices": []}, "empty reply"),
    ],
)
def test_a_reply_that_cannot_be_used_is_counted_and_not_cached(
    tmp_path: Path, server: Server, reply: Any, words: str
) -> None:
    server.reply = lambda chat, number: (200, reply if number == 1 else judged(chat))
    verdict = run(tmp_path, server, plan(tmp_path, ROOM, repeats=2))

    assert verdict.failures == {words: 1}
    assert plan(tmp_path, ROOM, repeats=2).calls == 1


def test_a_slow_or_broken_endpoint_is_an_outcome_until_nothing_works(
    tmp_path: Path, server: Server
) -> None:
    def slow(_: dict[str, Any], __: int) -> tuple[int, Any]:
        time.sleep(0.3)
        return 200, completion("{}")

    server.reply = slow
    with pytest.raises(CurateError, match="no usable reply: timeout"):
        run(tmp_path, server, plan(tmp_path, ROOM, repeats=1), timeout=0.05, retries=0)
    server.reply = lambda _, __: (500, {"error": {"message": "x"}})
    with pytest.raises(CurateError, match="status 500"):
        run(tmp_path, server, plan(tmp_path, ROOM, repeats=1), retries=0)


@pytest.mark.parametrize(
    ("status", "said"), [(401, "refuses the key"), (404, "knows no model `j`")]
)
def test_a_wrong_key_or_model_stops_at_once(
    tmp_path: Path, server: Server, status: int, said: str
) -> None:
    server.reply = lambda _, __: (status, {"error": {"message": "no"}})

    with pytest.raises(CurateError, match=said):
        run(tmp_path, server, plan(tmp_path))
    assert len(server.chats) == 1


def test_an_endpoint_that_is_down_is_named(tmp_path: Path) -> None:
    with (
        Endpoint("http://127.0.0.1:1/v1", "", retries=0) as endpoint,
        pytest.raises(CurateError, match=r"127\.0\.0\.1:1/v1/ cannot be reached"),
    ):
        judging.judge(plan(tmp_path), endpoint.ask, endpoint.embed, tmp_path / "cache")


def test_the_sample_is_seeded_and_an_answer_without_claims_is_not_scored(
    tmp_path: Path, server: Server
) -> None:
    many = [Material(f"m{n}", "?", "a", ("p",)) for n in range(30)]

    assert plan(tmp_path, *many, size=5) == plan(tmp_path, *reversed(many), size=5)
    assert plan(tmp_path, *many, size=5).sample != plan(tmp_path, *many, size=5, seed=1).sample
    server.reply = lambda chat, _: (
        200,
        completion('{"claims": []}') if '"claims"' in str(chat) else judged(chat),
    )
    (only,) = run(tmp_path, server, plan(tmp_path, ROOM, repeats=1)).measures
    assert only.measure == "helpfulness"
    with pytest.raises(CurateError, match="no answer to judge"):
        judging.plan(
            [], model="j", embeddings="", size=1, repeats=1, seed=0, cache=tmp_path / "cache"
        )


def test_verdicts_of_different_judges_do_not_compare() -> None:
    words = judging.wording(("faithfulness",))
    earlier = {"model": "j", "wording": words}

    judging.comparable("j", words, earlier, "v.json")
    with pytest.raises(CurateError, match="another model"):
        judging.comparable("k", words, earlier, "v.json")
    with pytest.raises(CurateError, match="another wording"):
        judging.comparable("j", judging.wording(("relevancy",)), earlier, "v.json")


def test_without_the_client_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.delitem(sys.modules, "curate.evaluate.endpoint")

    with pytest.raises(CurateError) as caught:
        importlib.import_module("curate.evaluate.endpoint")
    assert "curate[judge]" in caught.value.hint

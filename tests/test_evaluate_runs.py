"""Run files of any origin: what is read, and what is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from curate.evaluate import runs
from curate.model.errors import CurateError

CHUNK = {"id": "a#1", "source": "a.md", "text": "one", "score": 0.9}


def write(tmp_path: Path, *lines: Any) -> Path:
    path = tmp_path / "run.jsonl"
    path.write_bytes(
        b"\n".join(x if isinstance(x, bytes) else json.dumps(x).encode() for x in lines)
    )
    return path


def codes(run: runs.Run) -> dict[str, str]:
    return {problem.code: problem.message for problem in run.problems}


def test_a_plain_run_is_read(tmp_path: Path) -> None:
    run = runs.read(
        write(
            tmp_path,
            {"version": "sha256:abc", "index": {"chunks": 33}},
            {
                "id": "fee",
                "retrieved": [CHUNK, "b#2"],
                "answer": "10 [1]",
                "refused": False,
                "sources": [{"source": "a.md"}, "b.md"],
                "citations": [1, {"source": "c.md"}, {"n": 2}],
                "latency_ms": 12,
                "usage": {"prompt_tokens": 10, "completion_tokens": 5},
            },
        )
    )
    reply = run.replies["fee"]

    assert (run.asked, run.chunks, run.answered, run.problems) == ("sha256:abc", 33, True, ())
    assert reply.hits == (runs.Hit("a#1", "a.md", "one", 0.9), runs.Hit("b#2", ""))
    assert (reply.sources, reply.cited) == (("a.md", "b.md"), (1, "c.md", 2))
    assert (reply.latency_ms, reply.tokens) == (12, 15)


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        ({"retrieved": [CHUNK, CHUNK | {"score": 0.8}]}, "repeated chunk", "`a#1` comes again"),
        ({"retrieved": [CHUNK, CHUNK | {"id": "b"}]}, "tie", "ranks 1 and 2"),
        ({"retrieved": [CHUNK, CHUNK | {"id": "b", "score": 1}]}, "order", "rank 2 scores higher"),
        ({"retrieved": [CHUNK | {"score": float("nan")}]}, "score", "rank 1 is no number"),
        ({"retrieved": [CHUNK | {"score": "0.9"}]}, "score", "rank 1 is no number"),
        ({"retrieved": []}, "empty", "nothing was retrieved"),
        ({"retrieved": [{"source": "a.md"}]}, "chunk without id", "rank 1 has no id"),
        ({"retrieved": "a#1"}, "broken reply", "`retrieved` is no list"),
        ({"retrieved": [CHUNK], "answer": 7}, "broken reply", "`answer` is no string"),
        ({"retrieved": [CHUNK], "refused": "no"}, "broken reply", "neither true nor false"),
        ({}, "broken reply", "`retrieved` is no list"),
    ],
)
def test_what_is_wrong_with_a_reply_is_named(
    tmp_path: Path, reply: Any, code: str, said: str
) -> None:
    run = runs.read(write(tmp_path, {"id": "fee", **reply}))

    assert said in codes(run)[code]
    assert {problem.item for problem in run.problems} == {"fee"}


def test_bad_lines_are_named_by_number_and_the_rest_counts(tmp_path: Path) -> None:
    good = {"id": "fee", "retrieved": [CHUNK]}
    run = runs.read(write(tmp_path, good, b'{"id": "cut', b"7", {"retrieved": []}, b""))

    assert [problem.message for problem in run.problems] == [
        "line 2 is not JSON",
        "line 3 is no JSON object",
        "line 4 has no id",
    ]
    assert list(run.replies) == ["fee"]


def test_the_last_of_two_replies_counts_and_both_are_named(tmp_path: Path) -> None:
    first = {"id": "fee", "retrieved": [CHUNK], "answer": "a"}
    run = runs.read(write(tmp_path, first, first | {"answer": "b"}))

    assert run.replies["fee"].answer == "b"
    assert "line 2 replies to it again" in codes(run)["duplicate"]


def test_a_failure_is_a_reply_with_an_error(tmp_path: Path) -> None:
    run = runs.read(
        write(tmp_path, {"id": "a", "error": "timeout"}, {"id": "b", "error": {"kind": "status"}})
    )

    assert [reply.error for reply in run.replies.values()] == ["timeout", "status"]
    assert not run.answered


def test_lines_are_cut_at_line_feeds_only(tmp_path: Path) -> None:
    line = '{"id": "fee", "retrieved": [], "answer": "a\u2028b"}'.encode()

    assert runs.read(write(tmp_path, line)).replies["fee"].answer == "a\u2028b"


def test_a_file_without_replies_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CurateError, match="holds no reply"):
        runs.read(write(tmp_path, {"format": "curate run 1"}))
    with pytest.raises(CurateError, match="No such file"):
        runs.read(tmp_path / "none.jsonl")


def test_a_chunk_set_with_a_broken_line_is_refused_at_that_line(tmp_path: Path) -> None:
    assert runs.objects(write(tmp_path, CHUNK)) == [CHUNK]
    with pytest.raises(CurateError, match="line 2 is not JSON"):
        runs.objects(write(tmp_path, CHUNK, b"{"))

"""`curate eval` in a workspace: the holdout is guarded, failures are kept, people and judges."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from curate.model.records import RetrievedChunk
from curate.store.store import Store
from curate.triage import Matcher
from tests.conftest import Curate
from tests.events import question as logged
from tests.test_evaluate_judging import Server

NOW = datetime(2026, 11, 29, 21, tzinfo=UTC)


def entry(name: str, **more: object) -> dict[str, object]:
    return {
        "id": name,
        "question": f"{name}?",
        "answerable": True,
        "source": "a.md",
        "heading": "A",
        "evidence": "gold",
        "keyword": "gold",
    } | more


def write_run(path: Path, ranks: dict[str, int | None]) -> Path:
    lines = []
    for name, rank in ranks.items():
        chunks = [
            {"id": f"c{n}", "source": "a.md", "text": "gold" if n == rank else "dross"}
            for n in range(1, 5)
        ]
        answer = "gold [1]" if rank == 1 else "It costs 5 for pupils [1]"
        lines.append({"id": name, "retrieved": chunks, "answer": answer, "refused": False})
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


@pytest.fixture
def place(curate: Curate, tmp_path: Path) -> Path:
    """A workspace with an exported version: three tuning items, two for the holdout."""
    root = tmp_path / "ws"
    assert curate("init", root).code == 0
    (root / "docs").mkdir()
    (root / "docs" / "loans.md").write_text("# How long\n\nWithin two weeks.\n")
    latest = root / "exports" / "latest"
    latest.mkdir(parents=True)
    items = [entry("a"), entry("b"), entry("c"), entry("h1", holdout=True)]
    (latest / "questions.json").write_text(json.dumps([*items, entry("h2", holdout=True)]))
    write_run(tmp_path / "one.jsonl", {"a": 1, "b": None, "c": 2, "h1": 1, "h2": 2})
    write_run(tmp_path / "two.jsonl", {"a": 1, "b": 1, "c": 1, "h1": 1, "h2": 2})
    return root


def test_the_holdout_is_not_seen_unless_asked_for(
    curate: Curate, place: Path, tmp_path: Path
) -> None:
    ran = curate("eval", "score", tmp_path / "one.jsonl", "--workspace", place, "--json")

    assert {row["split"] for row in ran.json["metrics"]} == {"tuning"}
    assert {item["id"] for item in ran.json["items"]} == {"a", "b", "c"}
    assert "h1" not in ran.out + ran.err
    with Store.open(place / "curate.db", now=lambda: NOW) as store:
        assert store.looks() == []


def test_a_look_needs_a_reason_and_is_counted_before_it_is_shown(
    curate: Curate, place: Path, tmp_path: Path
) -> None:
    arguments = ("eval", "score", tmp_path / "one.jsonl", "--workspace", place, "--holdout")

    assert curate(*arguments).code == 2
    ran = curate(*arguments, "--why", "release 1.2", "--as", "anna", "--json")
    assert {row["split"] for row in ran.json["metrics"]} == {"tuning", "holdout", "all"}
    assert "look 1 at the holdout, by anna: release 1.2" in ran.err
    with Store.open(place / "curate.db", now=lambda: NOW) as store:
        (look,) = store.looks()
    assert (look.by, look.why) == ("anna", "release 1.2")
    assert look.scores["holdout"]["hit@4"] == 1.0
    assert look.run == ran.json["run"]["digest"]


def test_the_reason_of_a_look_is_anonymised(curate: Curate, place: Path, tmp_path: Path) -> None:
    given = ("--workspace", place, "--holdout", "--why", "ask Sokha on 012 555 014")
    ran = curate("eval", "score", tmp_path / "one.jsonl", *given)
    assert "look 1 at the holdout" in ran.err
    assert "012 555 014" not in ran.out + ran.err
    with Store.open(place / "curate.db", now=lambda: NOW) as store:
        (look,) = store.looks()
    assert "<PHONE_NUMBER_1>" in look.why


def test_a_rise_on_tuning_alone_is_warned_of(curate: Curate, place: Path, tmp_path: Path) -> None:
    given = ("--workspace", place, "--holdout", "--why", "check")
    curate("eval", "score", tmp_path / "one.jsonl", *given)
    ran = curate("eval", "score", tmp_path / "two.jsonl", *given)

    assert "look 2" in ran.err
    assert "hit@4, mrr@4, pass rose on tuning items since the last look" in ran.err


def test_a_threshold_is_never_tuned_on_the_holdout(
    curate: Curate, place: Path, tmp_path: Path
) -> None:
    ran = curate(
        *("eval", "sweep", tmp_path / "one.jsonl", "--min-score", "0", "--workspace", place),
        *("--holdout", "--why", "x"),
    )

    assert ran.code == 2
    assert "never tuned on the holdout" in ran.err


def test_failed_items_are_kept_with_their_label(
    curate: Curate, place: Path, tmp_path: Path
) -> None:
    curate("eval", "score", tmp_path / "one.jsonl", "--workspace", place, "--keep")
    with Store.open(place / "curate.db", now=lambda: NOW) as store:
        failed = store.failures()

    assert [(f.item, f.label) for f in failed] == [("b", "retrieval miss"), ("c", "generation")]
    assert failed[0].why.startswith("lacks the keyword `gold`")


def test_the_report_shows_the_looks_and_hides_the_holdout(
    curate: Curate, place: Path, tmp_path: Path
) -> None:
    given = ("--workspace", place)
    page = tmp_path / "report.html"
    curate("eval", "score", tmp_path / "one.jsonl", *given, "--holdout", "--why", "release 1.2")
    ran = curate(
        *("eval", "report", tmp_path / "two.jsonl", "--base", tmp_path / "one.jsonl"),
        *("--out", page, *given),
    )
    shown = page.read_text(encoding="utf-8")

    assert ran.code == 0
    assert "Holdout scores are not shown." in shown
    assert "The holdout was looked at 1 times." in shown
    assert "release 1.2" in shown
    assert "rank - -&gt; 1" in shown
    assert "h2" not in shown.replace("<h2>", "").replace("</h2>", "").partition("<body>")[2]
    assert ">hit@5<" in shown


# ---------------------------------------------------------------------------- people


@pytest.fixture
def records(place: Path) -> Path:
    """Five logged questions with answers, received this week."""
    names = ("How long?", "Where is it?", "Who are you?", "Which bus?", "Are dogs allowed?")
    near = (RetrievedChunk(1, "3", "loans.md", "How long", 0.8),)
    batch = [logged(name, name, received_at=NOW - timedelta(days=1), chunks=near) for name in names]
    with Store.open(place / "curate.db", now=lambda: NOW) as store:
        store.save(batch, matcher=Matcher(), received=NOW - timedelta(days=1))
    return place


def test_the_weeks_answers_are_marked_by_one_key_and_go_on_where_they_stopped(
    curate: Curate, records: Path
) -> None:
    given = ("eval", "review", "--workspace", records, "--as", "anna")
    first = curate(*given, stdin=b"g\nw two weeks is old\nq\n")
    again = curate(*given, "--json", stdin=b"u\ns\ng\n")

    assert "1 of 5" in first.err
    assert "A  Within two weeks." in first.err
    assert "1 of 3" in again.err
    (week,) = again.json["weeks"]
    assert (week["name"], week["good"], week["wrong"], week["unsupported"]) == ("2026-W48", 2, 1, 1)
    with Store.open(records / "curate.db", now=lambda: NOW) as store:
        comments = [review.comment for review in store.reviews() if review.comment]
    assert comments == ["two weeks is old"]
    results = curate(*given, "--results")
    assert "2026-W48  2     1      1" in results.out


def test_a_runs_answers_are_marked_into_a_file(curate: Curate, place: Path, tmp_path: Path) -> None:
    questions = place / "exports" / "latest" / "questions.json"
    given = ("eval", "review", tmp_path / "one.jsonl", "--questions", questions)
    ran = curate(*given, stdin=b"g\nu\nw\n")

    assert "3 marks added" in ran.out
    marks = (tmp_path / "one.marks.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["id"] for line in marks) == ["a", "b", "c"]
    assert "0 marks added" in curate(*given, stdin=b"g\n").out


# ---------------------------------------------------------------------------- judges


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    http: ThreadingHTTPServer = made.http
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield made
    http.shutdown()
    http.server_close()
    thread.join()


def test_a_dry_run_says_the_cost_and_asks_nothing(
    curate: Curate, place: Path, tmp_path: Path, server: Server
) -> None:
    ran = curate(
        *("eval", "judge", tmp_path / "one.jsonl", "--workspace", place, "--model", "j"),
        *("--url", server.url, "--dry-run", "--price", "1", "2", "--json"),
    )

    assert ran.code == 0
    assert server.chats == []
    assert (ran.json["calls"], ran.json["sample"]) == (18, 3)
    assert "18 calls (0 cached)" in ran.err
    assert "in money" in ran.err


def test_a_verdict_names_its_judge_and_agrees_or_not_with_people(
    curate: Curate, place: Path, tmp_path: Path, server: Server
) -> None:
    verdict = tmp_path / "verdict.json"
    marks = tmp_path / "marks.jsonl"
    marks.write_text(
        '{"id": "a", "mark": "good"}\n{"id": "b", "mark": "unsupported"}\n'
        '{"id": "c", "mark": "good"}\n'
    )
    given = ("eval", "judge", tmp_path / "one.jsonl", "--workspace", place, "--url", server.url)
    ran = curate(*given, "--model", "j", "--marks", marks, "--out", verdict)

    assert ran.code == 0
    assert "judge j, wording sha256:" in ran.out
    assert "judge and people agree on .67" in ran.out
    assert "c: only people found it good" in ran.out
    assert "b: no support for: It costs 5 for pupils." in ran.out
    assert "h1" not in json.dumps(server.chats)
    other = curate(*given, "--model", "k", "--against", verdict)
    assert other.code == 2
    assert "another model" in other.err
    beside = curate(*given, "--model", "k", "--against", verdict, "--other-judge")
    assert "ANOTHER JUDGE" in beside.out
    page = tmp_path / "report.html"
    curate(
        *("eval", "report", tmp_path / "one.jsonl", "--workspace", place, "--out", page),
        *("--verdict", verdict),
    )
    assert "Judge j, wording sha256:" in page.read_text(encoding="utf-8")


def test_reviewed_records_are_judged_by_the_documents_as_they_stand(
    curate: Curate, records: Path, server: Server
) -> None:
    curate("eval", "review", "--workspace", records, stdin=b"g\ng\nw\nq\n")
    ran = curate(
        *("eval", "judge", "--reviewed", "--workspace", records, "--model", "j"),
        *("--url", server.url, "--json"),
    )

    assert ran.json["agreement"]["n"] == 3
    assert len(ran.json["agreement"]["passed_by_judge"]) == 1
    material = json.loads(server.chats[0]["messages"][1]["content"])
    assert material["passages"] == ["# How long\n\nWithin two weeks.\n"]


def test_rewriting_is_an_evaluation_of_its_own(curate: Curate, place: Path, tmp_path: Path) -> None:
    questions = tmp_path / "follow-ups.json"
    history = [{"role": "user", "content": "before"}]
    questions.write_text(json.dumps([entry("a"), entry("b", history=history)]))
    ran = curate(
        *("eval", "compare", tmp_path / "two.jsonl", tmp_path / "one.jsonl", "--rewriting"),
        *("--questions", questions),
    )

    assert "1 follow-ups, 1 won, 0 lost, win rate 1.00" in ran.out


def test_the_demo_can_be_run_scored_compared_swept_and_gated(curate: Curate, demo: Path) -> None:
    at = ("--workspace", demo)
    assistant = ("--python", "curate.demo.assistant:ask")
    heading, size, floors = demo / "heading.jsonl", demo / "size.jsonl", demo / "floors.toml"
    assert curate("export", *at).code == 0

    assert curate("eval", "run", *assistant, "--out", heading, *at).code == 0
    by_size = ("--param", "chunking=size", "--param", "size=600", "--param", "overlap=100")
    assert curate("eval", "run", *assistant, *by_size, "--out", size, *at).code == 0
    scored = curate("eval", "score", heading, "--json", *at)
    compared = curate("eval", "compare", heading, size, *at)
    swept = curate("eval", "sweep", heading, "--min-score", "0:6:1", *at)
    assert curate("eval", "gate", heading, "--init", "--floors", floors, *at).code == 0
    held = curate("eval", "gate", heading, "--floors", floors, *at)

    assert {row["split"] for row in scored.json["metrics"]} == {"tuning"}
    assert not {"other version", "missing"} & {p["code"] for p in scored.json["problems"]}
    assert "chunking=size size=600 overlap=100" in compared.out
    assert "unanswerable answered" in swept.out
    assert held.code == 0

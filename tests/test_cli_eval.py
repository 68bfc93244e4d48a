"""`curate eval` from the command line: files in, tables, JSON and exit codes out."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from curate.demo import files
from tests.conftest import Curate

ASSISTANT = ("--python", "curate.demo.assistant:ask")


def question(key: files.KeyItem) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": key.log_id,
        "question": key.question,
        "answerable": key.answerable,
        "history": [{"role": turn.role, "content": turn.content} for turn in key.history],
        "kind": key.kind,
        "lang": key.lang,
    }
    if key.split == "holdout":
        made["holdout"] = True
    if key.answerable:
        made |= {
            "source": key.evidences[0].source,
            "heading": key.evidences[0].heading,
            "evidence": key.evidences[0].phrase,
            "keyword": key.keyword,
        }
    return made


@pytest.fixture(scope="session")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's answer key as questions.json, and runs of its assistant, two ways chunked."""
    from curate.cli import main

    place = tmp_path_factory.mktemp("eval")
    questions = [question(key) for key in files.answer_key()]
    (place / "questions.json").write_text(json.dumps(questions), encoding="utf-8")
    for name, params in (
        ("heading", ["min_score=2.5"]),
        ("size", ["chunking=size", "size=600", "overlap=100", "min_score=2.2"]),
    ):
        given = [part for param in params for part in ("--param", param)]
        out = str(place / f"{name}.jsonl")
        set_ = str(place / "questions.json")
        code = main.run(["eval", "run", *ASSISTANT, "--questions", set_, "--out", out, *given])
        assert code == 0
    return place


def test_a_run_is_scored_without_a_workspace(
    curate: Curate, work: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = curate(
        *("eval", "score", work / "heading.jsonl", "--questions", work / "questions.json"),
        *("--json", "--k", "1,4"),
    )
    rows = {(row["measure"], row["split"]): row for row in ran.json["metrics"]}

    assert ran.code == 0
    assert len(rows) == len(ran.json["metrics"])
    assert rows["hit@4", "all"].keys() == {"measure", "split", "value", "low", "high", "n"}
    assert [rows["hit@4", side]["n"] for side in ("tuning", "holdout", "all")] == [14, 6, 20]
    assert rows["hit@4", "all"]["low"] < rows["hit@4", "all"]["value"]
    assert {"mrr@4", "recall@4", "precision@4", "ndcg@4", "returned@4", "pass"} <= {
        measure for measure, _ in rows
    }
    assert ("hit@2", "all") not in rows
    assert {row["by"] for row in ran.json["groups"]} == {"kind", "lang"}
    items = {item["id"]: item for item in ran.json["items"]}
    assert len(items) == 24
    assert items["req-4309"]["rank"] == 3
    assert items["req-4309"]["diagnosis"] == "refused, though it retrieved the evidence"
    assert "the look is not counted" in ran.err


def test_the_table_shows_n_intervals_the_share_of_the_index_and_why_items_failed(
    curate: Curate, work: Path
) -> None:
    ran = curate("eval", "score", work / "heading.jsonl", "--questions", work / "questions.json")

    assert "of the index" in ran.out
    assert "n = 14 answerable items; one is .07; by evidence" in ran.out
    assert "refused, though it retrieved the evidence" in ran.out
    assert "retrieval miss: " in ran.out
    assert "shallow: 1: no reply has more than 4 chunks" in ran.err


def test_a_pass_without_its_evidence_is_named_in_text_and_json(
    curate: Curate, tmp_path: Path
) -> None:
    item = {"id": "fee", "question": "what is the fee?", "answerable": True, "keyword": "dollars"}
    item |= {"source": "m.md", "heading": "Fee", "evidence": "10 dollars per term"}
    hit = {"id": "m#2", "source": "m.md", "text": "About us."}
    run = {"id": "fee", "retrieved": [hit], "answer": "10 dollars [1]"}
    (tmp_path / "q.json").write_text(json.dumps([item]))
    (tmp_path / "run.jsonl").write_text(json.dumps(run))
    asked = ("eval", "score", tmp_path / "run.jsonl", "--questions", tmp_path / "q.json")
    told = curate(*asked, "--json").json
    assert told["unfound"] == ["fee"]
    assert told["items"][0]["diagnosis"] == "passes, though the evidence was not retrieved"
    assert told["failures"] == {}
    assert "1 item passes though the evidence was not retrieved" in curate(*asked).out


def test_the_chief_measures_are_told_by_kind_and_language(curate: Curate, work: Path) -> None:
    told = curate(
        *("eval", "score", work / "heading.jsonl", "--questions", work / "questions.json")
    ).out.splitlines()
    head = next(line for line in told if line.startswith("items "))
    assert head.split() == ["items", "hit@4", "mrr@4", "pass"]
    assert any(re.match(r"kind paraphrase +\.\d\d \(.*\) of \d", line) for line in told)
    assert any(re.match(r"kind unanswerable +- +- +\.\d\d", line) for line in told)
    assert any(line.startswith("lang en ") for line in told)


def test_bad_input_is_named_on_stderr_and_scored_all_the_same(
    curate: Curate, work: Path, tmp_path: Path
) -> None:
    lines = (work / "heading.jsonl").read_bytes().splitlines(keepends=True)
    stranger = b'{"id": "stranger", "retrieved": []}\n'
    run = tmp_path / "run.jsonl"
    run.write_bytes(b"".join([*lines[:-1], lines[3], stranger, b"{cut"]))
    ran = curate("eval", "score", run, "--questions", work / "questions.json", "--json")

    said = {problem["code"] for problem in ran.json["problems"]}
    assert ran.code == 0
    assert {"missing", "unknown item", "duplicate", "broken line"} <= said
    assert "unknown item: 1 (stranger)" in ran.err
    assert "line 27 is not JSON" in ran.err


def test_labels_score_by_chunk_ids(curate: Curate, work: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.json"
    labels.write_text(
        json.dumps([{"id": "req-4309", "query": "?", "relevantChunkIds": ["bench-time.md#2"]}])
    )
    ran = curate(
        *("eval", "score", work / "heading.jsonl", "--questions", work / "questions.json"),
        *("--labels", labels, "--by", "chunks", "--json"),
    )
    rows = {(row["measure"], row["split"]): row for row in ran.json["metrics"]}

    assert ran.json["rule"] == "chunks"
    assert (rows["hit@4", "all"]["n"], rows["hit@4", "all"]["value"]) == (1, 1)


def test_runs_are_compared_in_a_grid_with_a_sentence(curate: Curate, work: Path) -> None:
    ran = curate(
        *("eval", "compare", work / "heading.jsonl", work / "size.jsonl"),
        *("--questions", work / "questions.json"),
    )

    assert ran.code == 0
    assert "heading.jsonl  98" in ran.out
    assert "size.jsonl     43" in ran.out
    assert "could be noise (exact McNemar test, p = " in ran.out
    assert "rank 3 -> 1" in ran.out
    as_json = curate(
        *("eval", "compare", work / "heading.jsonl", work / "size.jsonl", "--json"),
        *("--questions", work / "questions.json"),
    ).json
    assert [run["chunks"] for run in as_json["runs"]] == [98, 43]
    assert as_json["comparisons"][0]["moved"][0].keys() >= {"item", "before", "after", "better"}


def test_compare_wants_two_runs(curate: Curate, work: Path) -> None:
    ran = curate("eval", "compare", work / "size.jsonl", "--questions", work / "questions.json")

    assert ran.code == 2


def test_a_sweep_is_offline_where_exact_and_live_where_not(
    curate: Curate, work: Path, tmp_path: Path
) -> None:
    page = tmp_path / "sweep.html"
    arguments = ("eval", "sweep", work / "heading.jsonl", "--min-score", "0,2.5,4,6")
    ran = curate(*arguments, "--questions", work / "questions.json", "--html", page, "--json")
    rows = ran.json["rows"]

    assert [row["how"] for row in rows] == ["not exact", "recorded", "recorded", "recorded"]
    assert ran.json["split"] == "tuning"
    assert rows[-1]["unanswerable_answered"]["value"] == 0
    assert rows[-1]["answerable_refused"]["value"] > rows[1]["answerable_refused"]["value"]
    assert "ask again with --param" in ran.err
    assert "<svg" in page.read_text(encoding="utf-8")
    live = curate(
        *arguments,
        *("--questions", work / "questions.json", "--param", "min_score", *ASSISTANT, "--json"),
    ).json["rows"]
    assert [row["how"] for row in live] == ["asked", "recorded", "recorded", "recorded"]
    assert live[0]["answerable_refused"]["value"] == 0


def test_the_gate_passes_on_todays_floors_and_falls_on_a_worse_run(
    curate: Curate, work: Path, tmp_path: Path
) -> None:
    floors, junit, summary = (tmp_path / name for name in ("floors.toml", "j.xml", "s.md"))
    base, worse = work / "heading.jsonl", tmp_path / "worse.jsonl"
    set_ = ("--questions", work / "questions.json", "--floors", floors)
    lines = base.read_bytes().splitlines(keepends=True)
    cut = [json.loads(line) for line in lines]
    worse.write_text(
        "\n".join(json.dumps(x | {"retrieved": x.get("retrieved", [])[:1]}) for x in cut)
    )

    made = curate("eval", "gate", base, *set_, "--init")
    assert made.code == 0
    assert "they rest on " in made.err
    assert curate("eval", "gate", base, *set_, "--init").code == 2
    assert curate("eval", "gate", base, *set_).code == 0
    fell = curate(
        *("eval", "gate", worse, *set_, "--base", base, "--junit", junit, "--markdown", summary)
    )
    assert fell.code == 1
    assert "FELL  hit@4 fell to 0.14 (floor 0.35, n = 14)" in fell.out
    assert "req-4309" in fell.out
    assert "<failure" in junit.read_text()
    assert "- worse: `req-4309`" in summary.read_text()
    assert "holdout" not in fell.err


def test_the_gate_leaves_the_holdout_alone_unless_told(
    curate: Curate, work: Path, tmp_path: Path
) -> None:
    floors = tmp_path / "floors.toml"
    floors.write_text('split = "all"\n[floors]\n"hit@4" = 0.1\n')
    arguments = ("eval", "gate", work / "size.jsonl", "--floors", floors)
    set_ = ("--questions", work / "questions.json")

    assert curate(*arguments, *set_).code == 2
    assert curate(*arguments, *set_, "--holdout").code == 0


def test_a_run_is_not_overwritten_and_a_missing_target_is_a_usage_error(
    curate: Curate, work: Path
) -> None:
    set_ = ("--questions", work / "questions.json")

    assert curate("eval", "run", *ASSISTANT, *set_, "--out", work / "size.jsonl").code == 2
    assert curate("eval", "run", *set_).code == 2
    assert curate("eval", "run", *set_, *ASSISTANT, "--command", "cat").code == 2


def test_without_a_workspace_or_a_file_the_way_out_is_said(
    curate: Curate, work: Path, tmp_path: Path
) -> None:
    ran = curate("eval", "score", work / "size.jsonl", "--workspace", tmp_path)

    assert ran.code == 2
    assert "is not a workspace" in ran.err


def test_scoring_loads_neither_the_store_nor_a_model_nor_scipy(work: Path) -> None:
    code = (
        "import sys\n"
        "from curate.cli.main import run\n"
        f"run(['eval', 'score', {str(work / 'size.jsonl')!r}, '--questions', "
        f"{str(work / 'questions.json')!r}, '--json'])\n"
        "print('MODULES', *sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stdout.rpartition("MODULES")[2].split())

    assert not loaded & {"sqlalchemy", "presidio_analyzer", "onnxruntime", "scipy", "textual"}


README = Path(__file__).parents[1] / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README.read_text("utf-8"), re.DOTALL)


def test_the_readmes_run_file_can_be_read(tmp_path: Path) -> None:
    from curate.evaluate import runs

    (tmp_path / "run.jsonl").write_text(blocks("json")[0])
    run = runs.read(tmp_path / "run.jsonl")

    assert (run.chunks, run.asked, run.problems) == (33, "sha256:...", ())
    assert run.replies["fee"].sources == ("membership.md",)


def test_the_readmes_pytest_example_passes_on_a_run_that_holds(
    work: Path, tmp_path: Path, curate: Curate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(work / "heading.jsonl", "run.jsonl")
    shutil.copy(work / "questions.json", "questions.json")
    curate("eval", "gate", "run.jsonl", "--questions", "questions.json", "--init")
    Path("test_gate.py").write_text(blocks("python")[0])
    scripts = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", scripts, prepend=":")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_gate.py"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout


def test_the_readmes_commands_and_the_workflow_name_options_that_exist() -> None:
    from curate.cli.evaluation import evaluation

    known = {
        f"curate eval {name}": {opt for p in command.params for opt in p.opts}
        for name, command in evaluation.commands.items()
    }
    lines = [line for block in (*blocks("sh"), *blocks("yaml")) for line in block.splitlines()]
    said = [line for line in lines if "curate eval" in line]

    assert len(said) >= 10
    for line in said:
        command = re.search(r"curate eval \w+", line)
        assert command is not None
        assert set(re.findall(r"--[a-z-]+", line)) <= known[command[0]], line

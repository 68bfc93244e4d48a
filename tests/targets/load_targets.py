"""Every target, loaded by the library it is for.

Not part of the suite: the libraries weigh gigabytes. `run.py` beside this file installs them and
runs all of it. A library that is not installed is skipped with its name; once installed, nothing
reaches the network.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from typing import Any, Self
from uuid import uuid4

import pytest

from curate.export.bundle import Bundle, ChunkText
from curate.export.platforms import PHOENIX_KEYS
from curate.export.targets import write
from curate.model.documents import Evidence
from curate.model.items import Item
from curate.model.records import Turn

EVIDENCE = Evidence("laptops.md", "How long", "up to 7 days", 10, 22, "sha256:0", "verbatim")
PLAIN = Item(
    "how-long",
    1,
    "when is it due {{x}}\u2028 ៧",
    answerable=True,
    evidences=(EVIDENCE,),
    keyword="7 days",
    status="ready",
)
RICH = replace(
    PLAIN,
    id="renew",
    question="and can i renew it",
    evidences=(EVIDENCE, replace(EVIDENCE, source="faq.md", phrase="once more")),
    evidence_mode="all",
    must_include=("once",),
    history=(Turn("user", "when is it due"), Turn("assistant", "In 7 days.")),
    reference="Yes, once.",
    kind="follow-up",
    tags=("loans",),
    split="holdout",
)
BUNDLE = Bundle(
    items=(
        PLAIN,
        Item("no-sale", 1, "can i buy one", answerable=False, status="ready"),
        RICH,
    ),
    dataset="club",
    number=3,
    refusals=("I could not find",),
    gold={"how-long": ["laptops.md#1"], "renew": ["laptops.md#1", "faq page.md#2"]},
    chunks=(
        ChunkText("laptops.md#1", "How long", "up to 7 days"),
        ChunkText("faq page.md#2", "Renewing", "once more"),
    ),
)
IDS = ["how-long", "no-sale", "renew"]


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "DEEPEVAL_TELEMETRY_OPT_OUT"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))


def written(target: str, directory: Path) -> Path:
    for name, data in write(target, BUNDLE).files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return directory


def test_hugging_face_loads_the_folder_with_its_types(tmp_path: Path) -> None:
    datasets: Any = pytest.importorskip("datasets")
    folder = written("huggingface", tmp_path) / "huggingface"
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert {name: split["id"] for name, split in loaded.items()} == {
        "tuning": ["how-long", "no-sale"],
        "holdout": ["renew"],
    }
    assert loaded["tuning"][0]["question"] == PLAIN.question
    assert loaded["tuning"].features == loaded["holdout"].features
    assert "null" not in str(loaded["tuning"].features)


def test_hugging_face_loads_parquet_and_questions_json(tmp_path: Path) -> None:
    datasets: Any = pytest.importorskip("datasets")
    pytest.importorskip("pyarrow")
    written("parquet", tmp_path)
    written("questions", tmp_path)
    for kind, name in (("parquet", "parquet/tuning.parquet"), ("json", "questions.tuning.json")):
        loaded = datasets.load_dataset(
            kind, data_files=str(tmp_path / name), split="train", cache_dir=str(tmp_path / "cache")
        )
        assert loaded["id"] == ["how-long", "no-sale"]


def test_inspect_reads_its_samples(tmp_path: Path) -> None:
    dataset: Any = pytest.importorskip("inspect_ai.dataset")
    samples = list(dataset.json_dataset(str(written("inspect", tmp_path) / "inspect.jsonl")))
    assert [sample.id for sample in samples] == IDS
    assert samples[0].target == "7 days"
    assert [message.role for message in samples[2].input] == ["user", "assistant", "user"]
    assert samples[2].metadata["split"] == "holdout"


def test_deepeval_reads_its_goldens(tmp_path: Path) -> None:
    dataset: Any = pytest.importorskip("deepeval.dataset")
    goldens = dataset.EvaluationDataset()
    goldens.add_goldens_from_json_file(
        file_path=str(written("deepeval", tmp_path) / "deepeval.json"),
        input_key_name="input",
        expected_output_key_name="expected_output",
        context_key_name="context",
    )
    assert [golden.input for golden in goldens.goldens] == [i.question for i in BUNDLE.items]
    assert goldens.goldens[2].context == ["up to 7 days", "once more"]
    direct = [
        dataset.Golden(**golden) for golden in json.loads((tmp_path / "deepeval.json").read_bytes())
    ]
    assert [golden.name for golden in direct] == IDS
    assert direct[2].additional_metadata["history"][0]["role"] == "user"


def test_ragas_reads_its_samples(tmp_path: Path) -> None:
    ragas: Any = pytest.importorskip("ragas")
    path = written("ragas", tmp_path) / "ragas.jsonl"
    samples = ragas.EvaluationDataset.from_jsonl(str(path)).samples
    assert [sample.user_input for sample in samples] == [i.question for i in BUNDLE.items]
    assert samples[2].reference_contexts == ["up to 7 days", "once more"]


def test_beir_loads_both_splits(tmp_path: Path) -> None:
    loader: Any = pytest.importorskip("beir.datasets.data_loader")
    folder = str(written("beir", tmp_path) / "beir")
    corpus, queries, qrels = loader.GenericDataLoader(folder).load(split="holdout")
    assert corpus["faq%20page.md#2"]["text"] == "once more"
    assert queries == {"renew": "and can i renew it"}
    assert qrels == {"renew": {"laptops.md#1": 1, "faq%20page.md#2": 1}}


def test_ir_measures_scores_against_the_judgements(tmp_path: Path) -> None:
    ir: Any = pytest.importorskip("ir_measures")
    qrels = list(ir.read_trec_qrels(str(written("trec", tmp_path) / "trec" / "qrels.holdout.txt")))
    run = [ir.ScoredDoc("renew", "faq%20page.md#2", 1.0)]
    assert ir.calc_aggregate([ir.R @ 5], qrels, run)[ir.R @ 5] == 0.5


class Platform:
    """A platform's API on the loopback: keeps what is posted and answers with `reply`."""

    def __init__(self, reply: Callable[[str, Any], object]) -> None:
        posted: list[tuple[str, Any]] = []
        self.posted = posted

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(None)

            def do_POST(self) -> None:
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                posted.append((self.path, sent))
                self._answer(sent)

            def _answer(self, sent: object) -> None:
                data = json.dumps(reply(self.path, sent)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


def test_langsmiths_client_posts_its_examples(tmp_path: Path) -> None:
    library: Any = pytest.importorskip("langsmith")
    rows = (written("langsmith", tmp_path) / "langsmith.jsonl").read_text("ascii").splitlines()

    def reply(path: str, sent: Any) -> object:
        if path.endswith("/info"):
            return {"instance_flags": {"dataset_examples_multipart_enabled": False}}
        return sent

    with Platform(reply) as platform:
        client = library.Client(api_url=platform.address, api_key="none")
        client.create_examples(dataset_id=uuid4(), examples=list(map(json.loads, rows)))
    (sent,) = [sent for path, sent in platform.posted if path.endswith("/examples/bulk")]
    assert [one["metadata"]["id"] for one in sent] == IDS
    assert [one["id"] for one in sent] == [json.loads(row)["id"] for row in rows]
    assert sent[0]["outputs"] == {"answer": "up to 7 days", "answerable": True}
    assert sent[2]["split"] == "holdout"
    assert sent[2]["inputs"]["history"][1]["content"] == "In 7 days."


def test_langfuses_client_posts_its_items(tmp_path: Path) -> None:
    library: Any = pytest.importorskip("langfuse")
    rows = (written("langfuse", tmp_path) / "langfuse.jsonl").read_text("ascii").splitlines()
    at = "2026-11-29T00:00:00Z"
    more = {"datasetId": "d", "createdAt": at, "updatedAt": at, "mediaReferences": []}
    with Platform(lambda _, sent: {**(sent or {}), **more}) as platform:
        client = library.Langfuse(
            public_key="p",
            secret_key="s",  # noqa: S106 - of nothing
            host=platform.address,
            tracing_enabled=False,
        )
        for row in map(json.loads, rows):
            client.create_dataset_item(
                dataset_name=row["datasetName"],
                id=row["id"],
                input=row["input"],
                expected_output=row["expectedOutput"],
                metadata=row["metadata"],
                status=library.api.DatasetStatus(row["status"]),
            )
    assert {path for path, _ in platform.posted} == {"/api/public/dataset-items"}
    assert [
        {key: value for key, value in sent.items() if value is not None}
        for _, sent in platform.posted
    ] == [json.loads(row) for row in rows]
    assert [sent["id"] for _, sent in platform.posted] == [f"club-v0003-{name}" for name in IDS]


def test_phoenix_takes_the_csv_and_gives_it_back(tmp_path: Path) -> None:
    client: Any = pytest.importorskip("phoenix.client")
    program = Path(sys.executable).with_name("phoenix")
    if not program.exists():
        pytest.skip("could not find Phoenix's server")
    folder = written("phoenix", tmp_path)
    keys = json.loads((folder / "phoenix.keys.json").read_bytes())
    assert keys == PHOENIX_KEYS
    with server(tmp_path, program) as address:
        there = client.Client(base_url=address)
        path = folder / "phoenix.csv"
        there.datasets.create_dataset(name="club", csv_file_path=str(path), **keys)
        held = {one["id"]: one for one in there.datasets.get_dataset(dataset="club").examples}
    assert sorted(held) == IDS
    assert held["how-long"]["input"]["question"] == PLAIN.question
    assert json.loads(held["renew"]["input"]["history"])[1]["content"] == "In 7 days."
    assert held["renew"]["output"] == {"answer": "Yes, once.", "answerable": "true"}
    assert json.loads(held["renew"]["metadata"]["metadata"])["split"] == "holdout"


@contextmanager
def server(place: Path, program: Path) -> Iterator[str]:
    """Phoenix's own server on a port of its own, its files in `place`."""
    with socket() as one, socket() as two:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        ports = one.getsockname()[1], two.getsockname()[1]
    settings = {
        "PHOENIX_WORKING_DIR": str(place / "phoenix"),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(ports[0]),
        "PHOENIX_GRPC_PORT": str(ports[1]),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    address = f"http://127.0.0.1:{ports[0]}"
    with (place / "phoenix.log").open("wb") as log:
        run = subprocess.Popen(
            [str(program), "serve"], env={**os.environ, **settings}, stdout=log, stderr=log
        )
        try:
            deadline = time.monotonic() + 240
            while not answers(f"{address}/healthz"):
                assert run.poll() is None, (place / "phoenix.log").read_text()
                assert time.monotonic() < deadline, "Phoenix did not start"
                time.sleep(0.5)
            yield address
        finally:
            run.terminate()
            run.wait(30)


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2) as response:  # noqa: S310 - our own server
            return response.status == 200  # type: ignore[no-any-return]
    except OSError:
        return False


PROVIDER = """
module.exports = class {
  id() { return "by-the-book"; }
  async callApi(prompt, context) {
    const held = context.test.metadata;
    const said = held.answerable
      ? [held.keyword.toUpperCase(), ...(held.mustInclude || [])]
      : ["I could not find that."];
    return { output: said.join(" ") };
  }
};
"""


def test_promptfoo_validates_and_runs_its_tests(tmp_path: Path) -> None:
    program = shutil.which("promptfoo")
    if program is None:
        pytest.skip("could not find promptfoo")
    folder = written("promptfoo", tmp_path)
    (folder / "provider.js").write_text(PROVIDER)
    config = folder / "promptfooconfig.json"
    asked = {
        "prompts": ["{{history}}|{{question}}"],
        "providers": ["file://provider.js"],
        "tests": "file://promptfoo.json",
    }
    config.write_text(json.dumps(asked))
    settings = {
        "PROMPTFOO_CONFIG_DIR": str(tmp_path / "home"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    }
    for command in (["validate"], ["eval", "--no-cache", "--no-table", "-o", "out.json"]):
        done = subprocess.run(
            [program, *command, "-c", str(config)],
            env={**os.environ, **settings},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    ran = json.loads((folder / "out.json").read_bytes())["results"]
    assert {key: ran["stats"][key] for key in ("successes", "failures", "errors")} == {
        "successes": 3,
        "failures": 0,
        "errors": 0,
    }
    by_id = {one["testCase"]["description"]: one for one in ran["results"]}
    assert by_id["how-long"]["prompt"]["raw"] == f"|{PLAIN.question}"
    assert by_id["renew"]["prompt"]["raw"].endswith("assistant: In 7 days.|and can i renew it")
    assert len(by_id["renew"]["gradingResult"]["componentResults"]) == 2


def test_mlflow_merges_its_records(tmp_path: Path) -> None:
    mlflow: Any = pytest.importorskip("mlflow")
    genai: Any = pytest.importorskip("mlflow.genai.datasets")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")
    rows = (written("mlflow", tmp_path) / "mlflow.jsonl").read_text("ascii").splitlines()
    dataset = genai.create_dataset(name="club")
    dataset.merge_records([json.loads(row) for row in rows])
    assert sorted(tags["id"] for tags in dataset.to_df()["tags"]) == IDS

"""Showing how a log would be read."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

from curate.config import SourceSettings
from curate.ingest.explain import explain
from curate.ingest.run import read
from curate.model.records import Clean

DATA = Path(__file__).parent / "data" / "ingest"


def hidden(records: Sequence[Sequence[str]]) -> list[list[Clean]]:
    return [[Clean(text.replace("porter", "<PERSON_1>")) for text in record] for record in records]


def test_format_map_samples_and_rejects_are_shown_and_texts_are_anonymised() -> None:
    rows = [{"request_id": f"r{n}", "question": "the porter?", "user": "u1"} for n in range(9)]
    log = "\n".join(["nonsense", *map(json.dumps, rows)]).encode()

    found = explain(read(io.BytesIO(log), name="f"), hidden)

    assert found.report.formats == {"f": "generic"}
    assert found.report.maps["f"]["question"] == "question"
    assert found.report.rejected_lines == {"f": (1,)}
    assert found.report.questions_read == 9
    assert [sample.line for sample in found.samples] == [2, 3, 4]
    assert found.samples[0].fields == {
        "question": "the <PERSON_1>?",
        "time": "none, so it counts as now",
        "kept as tags": "id, user",
    }
    assert "<PERSON_1>" not in repr(found.samples)


def test_votes_history_and_chunks_are_shown() -> None:
    found = explain(read(DATA / "openwebui_feedbacks.json"), hidden)

    question, vote, _ = found.samples
    assert question.fields["answer"] == "Ask the <PERSON_1> for the code."
    assert question.fields["history 1 user"] == "is there a bike shed?"
    assert question.fields["chunk 1 heading"] == "Opening"
    assert question.fields["needs history"] == "yes"
    assert (vote.kind, vote.fields["rating"], vote.fields["by"]) == ("feedback", "down", "user")


def test_samples_are_shown_of_each_log() -> None:
    names = ("dify_api.json", "helicone.jsonl")

    found = explain((i for name in names for i in read(DATA / name, SourceSettings())), hidden, 1)

    assert len(found.samples) == 2


def test_a_template_shows_the_prompt_a_question_was_taken_from() -> None:
    prompt = "Answer the porter. Question: is it open? Answer:"
    log = json.dumps({"request_id": "r1", "question": prompt}).encode()
    told = SourceSettings(name="f", template=r"Question: (?P<question>.*?)\s*Answer:")

    found = explain(
        read(io.BytesIO(log), told), hidden, bare=read(io.BytesIO(log), SourceSettings(name="f"))
    )

    assert found.samples[0].fields["prompt"] == prompt.replace("porter", "<PERSON_1>")
    assert found.samples[0].fields["question"] == "is it open?"


def test_the_prompt_that_is_shown_is_of_the_same_log() -> None:
    told = SourceSettings(name="f", template=r"Question: (?P<question>.*?)\s*Answer:")
    logs = [
        json.dumps({"request_id": f"r{n}", "question": text}).encode()
        for n, text in enumerate(("Question: is it open? Answer:", "who is it?"))
    ]

    found = explain(
        (item for log in logs for item in read(io.BytesIO(log), told)),
        hidden,
        bare=(item for log in logs for item in read(io.BytesIO(log), SourceSettings(name="f"))),
    )

    assert [sample.fields.get("prompt") for sample in found.samples] == [
        "Question: is it open? Answer:",
        None,
    ]


def test_refusals_latency_and_tokens_are_shown() -> None:
    row = {"question": "why?", "refused": True, "latency_ms": 12.5, "prompt_tokens": 10}

    (sample,) = explain(read(io.BytesIO(json.dumps(row).encode())), hidden).samples

    assert sample.fields["refused"] == "yes"
    assert sample.fields["latency"] == "12.5 ms"
    assert sample.fields["tokens"] == "10 in, ? out"


def test_what_the_map_does_not_read_is_named_and_rare_keys_are_anonymised() -> None:
    chunk = {"ref": "a#1", "doc name": "a.md", "?": 1, "score": 0.5}
    row = {"q_text": "why?", "ctx": {"sub": 1, "chunks": [chunk]}, "o'clock": 2}
    rare = {**row, "by": {"porter": 3}}
    log = "\n".join([json.dumps(row)] * 20 + [json.dumps(rare)] * 4 + [json.dumps({"once": 1})])

    found = explain(read(io.BytesIO(log.encode()), name="f"), hidden)
    told = {"question": "q_text", "chunk_id": "ref", "chunk_source": "doc name", "title": "ctx.sub"}
    rest = explain(read(io.BytesIO(log.encode()), SourceSettings(map=told), name="f"), hidden)

    inner = ("ctx.chunks[].ref", "ctx.chunks[].doc name")
    assert found.unread["f"] == ("q_text", "ctx.sub", *inner, "by.<PERSON_1>")
    assert rest.unread == {"f": ("by.<PERSON_1>",)}
    assert rest.samples[0].fields["chunk 1 id"] == "a#1"


def test_a_path_that_leads_nowhere_is_told() -> None:
    row = {"q": "why?", "chunks": [{"ref": "a#1"}]}
    log = "\n".join([json.dumps(row)] * 9).encode()
    told = {"question": "q", "answer": "nope", "chunk_id": "ref", "chunk_source": "chunks.ref"}

    found = explain(read(io.BytesIO(log), SourceSettings(map=told), name="f"), hidden)

    assert found.nowhere == {"f": ("answer", "chunk_source")}


def test_logs_that_are_read_by_code_have_nothing_unread() -> None:
    assert explain(read(DATA / "openwebui_feedbacks.json"), hidden).unread == {}

"""Parts of traces put together in bounded memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curate.config import SourceSettings
from curate.ingest import traces
from curate.ingest.events import ROOT, Part, Place, question
from curate.ingest.ratings import Scale
from curate.ingest.run import read
from curate.ingest.traces import Traces
from curate.model.events import QuestionEvent, RawText, Rejected


def part(trace: str, weight: int, text: str | None = None, line: int = 1, **values: object) -> Part:
    place = Place("s", line, Scale())
    return Part(trace, weight, question(place, text, **values), 100)  # type: ignore[arg-type]


def test_each_field_comes_from_the_part_that_knows_it_best() -> None:
    waiting = Traces()
    for one in (
        part("t", 5, standalone="searched", chunks=["a"], id="c1"),
        part("t", ROOT, "glued prompt", answer="model's", session="s1", id="c2"),
        part("t", ROOT + 3, "asked", user="u", id="c3"),
    ):
        assert list(waiting.add(one)) == []

    (event,) = waiting.finish()

    assert isinstance(event, QuestionEvent)
    assert event.question == RawText("asked")
    assert event.answer == RawText("model's")
    assert event.standalone == RawText("searched")
    assert (event.session, event.user) == (RawText("s1"), RawText("u"))
    assert event.aliases == (RawText("c3"), RawText("c2"), RawText("c1"))
    assert len(event.chunks) == 1


def test_a_search_for_the_question_itself_is_no_rewriting() -> None:
    waiting = Traces()
    list(waiting.add(part("t", 5, standalone="asked")))
    list(waiting.add(part("t", ROOT, "asked")))

    (event,) = waiting.finish()

    assert isinstance(event, QuestionEvent)
    assert event.standalone is None


def test_traces_that_ask_nothing_are_rejected_once() -> None:
    waiting = Traces()
    for one in (part("a", 5, line=3), part("a", 1, line=4), part("b", ROOT, line=5)):
        list(waiting.add(one))

    found = list(waiting.finish())

    assert [(item.line, item.reason) for item in found if isinstance(item, Rejected)] == [
        (3, "a trace without its root"),
        (5, "a trace without the text of its question"),
    ]


def test_the_oldest_trace_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "MOST_TRACES", 2)
    waiting = Traces()

    out = [item for name in "abc" for item in waiting.add(part(name, ROOT, name))]

    assert [item.question for item in out if isinstance(item, QuestionEvent)] == [RawText("a")]
    assert len(list(waiting.finish())) == 2


def test_what_waits_is_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "MOST_BYTES", 250)
    waiting = Traces()

    out = [item for name in "abcde" for item in waiting.add(part(name, ROOT, name))]

    assert len(out) == 3


def test_equal_ids_of_other_sources_and_formats_are_other_traces() -> None:
    data = Path(__file__).parent / "data" / "ingest"
    waiting = Traces()
    for source, name in (
        ("a", "librechat.jsonl"),
        ("b", "librechat.jsonl"),
        ("a", "vercel_messages.jsonl"),
    ):
        for item in read(data / name, SourceSettings(name=source), traces=waiting):
            assert not isinstance(item, QuestionEvent)

    found = list(waiting.finish())

    assert [
        (event.source, len(event.aliases)) for event in found if isinstance(event, QuestionEvent)
    ] == [
        ("a", 2),
        ("b", 2),
        ("a", 2),
    ]


def test_a_trace_that_asks_nothing_is_named_by_its_own_file(tmp_path: Path) -> None:
    row = {"id": "o1", "traceId": "t1", "type": "RETRIEVER", "startTime": "2026-03-05T10:00:00Z"}
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    first.write_text(json.dumps(row) + "\n")
    second.write_text(json.dumps({**row, "traceId": "t2"}) + "\n")
    waiting = Traces()

    for path in (first, second):
        assert not any(isinstance(item, Rejected) for item in read(path, traces=waiting))

    rejected = [item for item in waiting.finish() if isinstance(item, Rejected)]
    assert [item.source for item in rejected] == [str(first), str(second)]

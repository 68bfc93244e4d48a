"""Votes in the logs of tracers: several in a row, scores of several scales, who gave them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

from curate.config import SourceSettings
from curate.ingest.events import StreamItem
from curate.ingest.row import Row
from curate.ingest.run import read, read_rows
from curate.model.events import FeedbackEvent, QuestionEvent, Rejected
from curate.model.plain import Json

SOURCE = SourceSettings(name="log")


def items(*rows: Json) -> list[StreamItem]:
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return list(read(io.BytesIO(data), SOURCE))


def votes(found: list[StreamItem]) -> list[tuple[int | None, str]]:
    return [(v.rating, v.by) for v in found if isinstance(v, FeedbackEvent)]


def reasons(found: list[StreamItem]) -> list[tuple[int, str]]:
    return [(item.line, item.reason) for item in found if isinstance(item, Rejected)]


def record(name: str = "user_feedback", trace: str = "t1", label: str = "thumbs_down") -> Json:
    told = {"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.label": label}
    return {
        "timeUnixNano": "1793610843120000000",
        "traceId": trace,
        "spanId": "s1",
        "eventName": "gen_ai.evaluation.result",
        "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in told.items()],
    }


def logs(*records: Json) -> Json:
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": list(records)}]}]}


def test_a_log_record_of_anything_else_takes_no_vote_of_its_line_along() -> None:
    started = {"timeUnixNano": "1793610843120000000", "body": {"stringValue": "started"}}

    found = items(
        logs(started, record(), record(label="hm"), record(trace="t2", label="thumbs_up"))
    )

    assert votes(found) == [(-1, "user"), (1, "user")]
    assert [line for line, _ in reasons(found)] == [1, 1]


def test_a_span_without_a_trace_takes_no_other_along() -> None:
    asked = [{"key": "input.value", "value": {"stringValue": "how long is a loan?"}}]
    spans = [{"spanId": "s0"}, {"traceId": "t1", "spanId": "s1", "attributes": asked}]

    found = items({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})

    assert sum(isinstance(item, QuestionEvent) for item in found) == 1
    assert reasons(found) == [(1, "a span without a trace")]


def assessment(value: object, name: str = "user_feedback", user: str = "u1") -> Json:
    return {
        "assessment_id": f"a-{user}",
        "assessment_name": name,
        "source": {"source_type": "HUMAN", "source_id": user},
        "feedback": {"value": value},
    }


def trace(*assessments: Json, **info: object) -> Json:
    asked = json.dumps({"question": "how long is a loan?"})
    return {
        "info": {
            "trace_id": "tr-1",
            "trace_metadata": {"mlflow.traceInputs": asked},
            "assessments": list(assessments),
            **info,
        },
        "data": {"spans": []},
    }


def test_an_assessment_of_no_known_word_takes_no_vote_after_it_along() -> None:
    found = items(trace(assessment("hm", user="u1"), assessment(False, user="u2")))

    assert votes(found) == [(-1, "user")]
    assert len(reasons(found)) == 1


def test_how_long_a_trace_took_is_read_in_each_of_its_forms() -> None:
    told = (
        {"execution_duration_ms": 511},
        {"execution_duration": "0.511s"},
        {"execution_duration": 511},
        {"execution_time_ms": 511},
    )

    found = items(*(trace(**info) for info in told))

    assert [q.latency_ms for q in found if isinstance(q, QuestionEvent)] == [511] * 4


def score(value: float, name: str, number: int) -> Json:
    return {
        "id": f"sc-{number}",
        "trace_id": f"tr-{number}",
        "timestamp": "2026-03-05 10:21:00.000000",
        "name": name,
        "value": value,
        "data_type": "NUMERIC",
        "source": "API",
    }


def test_one_of_five_stars_is_no_thumb_up() -> None:
    stars = [score(value, "stars", n) for n, value in enumerate((1, 5, 3, 1))]
    thumbs = [score(value, "user-feedback", n + 10) for n, value in enumerate((1, 0))]

    found = items(*stars, *thumbs)

    assert votes(found) == [(1, "user"), (-1, "user")]
    assert [line for line, _ in reasons(found)] == [1, 2, 3, 4]
    assert "seen: 1, 3, 5" in reasons(found)[0][1]


def test_stars_are_what_they_are_told_to_be() -> None:
    rows = [score(value, "stars", n) for n, value in enumerate((1, 5, 3))]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()

    told = SourceSettings(name="log", down=("<=2",), up=(">=4",))

    assert [v.rating for v in read(io.BytesIO(data), told) if isinstance(v, FeedbackEvent)] == [
        -1,
        1,
        0,
    ]


def test_stars_of_one_window_are_stars_in_the_next() -> None:
    beyond: set[str] = set()

    def window(*values: float) -> list[StreamItem]:
        found: Iterator[Row] = (Row(n, score(v, "stars", n)) for n, v in enumerate(values, 1))
        return list(read_rows(found, "scores", SOURCE, None, beyond))

    assert votes(window(4)) == []
    assert votes(window(1)) == []


def annotation(name: str, label: str | None, **more: object) -> Json:
    return {
        "span_id": "s1",
        "annotation_name": name,
        "annotator_kind": "HUMAN",
        "result.label": label,
        **more,
    }


def test_annotations_made_in_the_screens_of_phoenix_are_no_users() -> None:
    found = items(
        annotation("user_feedback", "thumbs-down", source="API"),
        annotation("quality", "good", source="APP"),
        annotation("note", None, source="API"),
    )

    assert votes(found) == [(-1, "user"), (1, "annotator")]


def test_helicone_counts_tokens_and_its_own_score_is_a_thumb() -> None:
    row = {
        "request_id": "r1",
        "request_created_at": "2026-03-05T10:20:30Z",
        "request_body": {"messages": [{"role": "user", "content": "how long is a loan?"}]},
        "response_body": {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2}},
        "feedback_rating": None,
        "scores": {"helicone-score-feedback": 0},
    }

    found = items(row)

    (asked,) = (item for item in found if isinstance(item, QuestionEvent))
    assert (asked.tokens_in, asked.tokens_out) == (10, 2)
    assert votes(found) == [(-1, "user")]

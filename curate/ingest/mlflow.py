"""MLflow: traces as JSON, and what its search for traces returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from curate.ingest.events import Piece, Place, apart, is_feedback, question, vote
from curate.ingest.jsontext import embedded
from curate.ingest.ratings import author_of
from curate.ingest.values import number
from curate.model.plain import Json


def claims(row: Json) -> bool:
    """Say whether `row` is a trace of MLflow."""
    info = row.get("info")
    if isinstance(info, dict):
        return "trace_metadata" in info or "request_metadata" in info
    return ("trace_id" in row or "request_id" in row) and (
        "trace_metadata" in row or "request_metadata" in row
    )


def read(row: Json, place: Place) -> Iterator[Piece]:
    """Yield the question of a trace and the votes of people on it that still stand."""
    info = _object(row.get("info")) or row
    meta = _object(info.get("trace_metadata", info.get("request_metadata")))
    own = info.get("trace_id", info.get("request_id"))
    data = _object(row.get("data"))
    spans = embedded(data.get("spans", row.get("spans")))
    retriever = _retriever(spans)
    asked = meta.get("mlflow.traceInputs") or row.get("request", data.get("request"))
    answer = meta.get("mlflow.traceOutputs") or row.get("response", data.get("response"))
    usage = _object(embedded(meta.get("mlflow.trace.tokenUsage")))
    searched = embedded(_attribute(retriever, "mlflow.spanInputs"))
    event = question(
        place,
        asked or info.get("request_preview"),
        id=own,
        aliases=[info.get("client_request_id"), *_span_ids(spans)],
        session=meta.get("mlflow.trace.session"),
        user=meta.get("mlflow.trace.user"),
        at=info.get("request_time", info.get("timestamp_ms")),
        took_ms=_took(info),
        tokens=(usage.get("input_tokens"), usage.get("output_tokens")),
        standalone=searched,
        answer=answer or info.get("response_preview"),
        chunks=embedded(_attribute(retriever, "mlflow.spanOutputs")),
    )
    yield event
    for assessment in _list(embedded(info.get("assessments"))):
        yield from apart(_vote(assessment, place, own))


def _vote(assessment: Json, place: Place, trace: object) -> Iterator[Piece]:
    source = _object(assessment.get("source"))
    name = assessment.get("assessment_name", assessment.get("name"))
    if assessment.get("valid") is False or author_of(source.get("source_type")) != "user":
        return
    if "feedback" not in assessment or not is_feedback(name, free=True):
        return
    yield vote(
        place,
        _object(assessment.get("feedback")).get("value"),
        (assessment.get("span_id"), assessment.get("trace_id"), trace),
        id=assessment.get("assessment_id"),
        user=source.get("source_id"),
        at=assessment.get("last_update_time", assessment.get("create_time")),
        comment=assessment.get("rationale"),
        score=name,
    )


def _took(info: Mapping[str, object]) -> object:
    """Return how many milliseconds a trace took; the protocol writes seconds, as in `1.5s`."""
    told = next((info[name] for name in _DURATIONS if info.get(name) is not None), None)
    if isinstance(told, str) and told.endswith("s"):
        seconds = number(told[:-1])
        return seconds * 1000 if seconds is not None else None
    return told


_DURATIONS = ("execution_duration_ms", "execution_duration", "execution_time_ms")


def _retriever(spans: object) -> Mapping[str, object]:
    for span in _list(spans):
        if str(embedded(_attribute(span, "mlflow.spanType"))).upper() == "RETRIEVER":
            return span
    return {}


def _attribute(span: Mapping[str, object], name: str) -> object:
    return _object(span.get("attributes")).get(name)


def _span_ids(spans: object) -> list[object]:
    return [span.get("span_id") for span in _list(spans)[:32]]


def _object(value: object) -> Mapping[str, object]:
    found = embedded(value)
    return found if isinstance(found, dict) else {}


def _list(value: object) -> list[Json]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []

"""OpenTelemetry: spans and log records in OTLP's JSON, and the frames Phoenix makes of them.

Read by the attributes of the GenAI conventions (new and old), of OpenInference, OpenLLMetry and
the Vercel AI SDK.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping

from curate.ingest.conversation import chat, role_of
from curate.ingest.events import (
    ROOT,
    Part,
    Piece,
    Place,
    Unusable,
    apart,
    is_feedback,
    question,
    vote,
)
from curate.ingest.jsontext import embedded
from curate.ingest.ratings import author_of, is_vote
from curate.ingest.values import text_of
from curate.model.plain import Json

Attributes = dict[str, object]

_ASKED = (
    "gen_ai.input.messages",
    "input.value",
    "gen_ai.prompt",
    "ai.prompt.messages",
    "ai.prompt",
    "traceloop.entity.input",
)
_ANSWERED = (
    "gen_ai.output.messages",
    "output.value",
    "gen_ai.completion",
    "ai.response.text",
    "ai.response",
    "traceloop.entity.output",
)
_INDEXED = (("llm.input_messages", "message."), ("gen_ai.prompt", ""))
_INDEXED_OUT = (("llm.output_messages", "message."), ("gen_ai.completion", ""))
_CHUNKS = ("gen_ai.retrieval.documents", "retrieval.documents")
_SEARCHED = ("gen_ai.retrieval.query.text", "input.value", "db.query.text")
_TOKENS_IN = (
    "llm.token_count.prompt",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "ai.usage.promptTokens",
)
_TOKENS_OUT = (
    "llm.token_count.completion",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "ai.usage.completionTokens",
)
_SESSION = (
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "traceloop.association.properties.session_id",
    "ai.telemetry.metadata.sessionId",
)
_USER = ("user.id", "enduser.id", "langfuse.user.id", "ai.telemetry.metadata.userId")
_MESSAGE = ("gen_ai.response.id", "ai.response.id", "message.id", "request.id")
_RETRIEVERS = ("RETRIEVER", "RERANKER", "RETRIEVAL", "VECTOR_DB_RETRIEVE")
_MODELS = ("LLM", "CHAT", "TEXT_COMPLETION", "GENERATE_CONTENT")
_OTHERS = ("EMBEDDING", "EMBEDDINGS", "TOOL", "EXECUTE_TOOL", "GUARDRAIL", "EVALUATOR", "PROMPT")
_NOTE = "note"  # what Phoenix calls words about a span that are no vote
_SCREENS = "APP"  # where Phoenix says that an annotation was made in its own screens
_NUMBERED = re.compile(r"\.(\d{1,4})\.(.+)")


def claims_otlp(row: Json) -> bool:
    """Say whether `row` is an OTLP export request of traces or logs."""
    return "resourceSpans" in row or "resourceLogs" in row


def read_otlp(row: Json, place: Place) -> Iterator[Piece]:
    """Yield a part for every span, wherever its trace's other spans are, and the votes."""
    for resource in _list(row.get("resourceSpans")):
        for scope in _list(resource.get("scopeSpans", resource.get("instrumentationLibrarySpans"))):
            for span in _list(scope.get("spans")):
                attributes = _attributes(span.get("attributes"))
                for event in _list(span.get("events")):
                    for key, value in _attributes(event.get("attributes")).items():
                        attributes.setdefault(key, value)
                yield from apart(
                    _span(
                        place,
                        attributes,
                        trace=_hex(span.get("traceId")),
                        span=_hex(span.get("spanId")),
                        parent=_hex(span.get("parentSpanId")),
                        begin=span.get("startTimeUnixNano"),
                        end=span.get("endTimeUnixNano"),
                    )
                )
    for resource in _list(row.get("resourceLogs")):
        for scope in _list(resource.get("scopeLogs")):
            for record in _list(scope.get("logRecords")):
                yield from apart(_record(place, record))


def claims_phoenix(row: Json) -> bool:
    """Say whether `row` is a span or an annotation as Phoenix exports them."""
    context = row.get("context")
    return (
        _is_annotation(row)
        or "context.trace_id" in row
        or (isinstance(context, dict) and "trace_id" in context and "span_id" in context)
    )


def read_phoenix(row: Json, place: Place) -> Iterator[Piece]:
    """Yield a part for a span, a vote for an annotation of people; those of models are passed."""
    if _is_annotation(row):
        yield from _annotation(row, place)
        return
    context = row.get("context")
    ids = context if isinstance(context, dict) else {}
    attributes: Attributes = {}
    for key, value in row.items():
        if key.startswith("attributes.") and value is not None:
            attributes[key.removeprefix("attributes.")] = value
    nested = embedded(row.get("attributes"))
    if isinstance(nested, dict):
        attributes.update(_flat(nested))
    attributes.setdefault("openinference.span.kind", row.get("span_kind"))
    yield from _span(
        place,
        attributes,
        trace=text_of(ids.get("trace_id", row.get("context.trace_id"))),
        span=text_of(ids.get("span_id", row.get("context.span_id"))),
        parent=text_of(row.get("parent_id")),
        begin=row.get("start_time"),
        end=row.get("end_time"),
    )


def _span(
    place: Place,
    attributes: Attributes,
    *,
    trace: str,
    span: str,
    parent: str,
    begin: object,
    end: object,
) -> Iterator[Piece]:
    if not trace:
        raise Unusable("a span without a trace")
    kind = _kind(attributes)
    retriever = kind in _RETRIEVERS
    weight = _weight(kind, root=not parent)
    asks = weight >= ROOT
    event = question(
        place,
        _said(attributes, _ASKED, _INDEXED) if asks else None,
        id=trace if asks else None,
        aliases=(_first(attributes, _MESSAGE), span, trace) if asks else (span,),
        session=_first(attributes, _SESSION),
        user=_first(attributes, _USER),
        at=begin,
        until=end if asks and not parent else None,
        standalone=_first(attributes, _SEARCHED) if retriever else None,
        answer=_said(attributes, _ANSWERED, _INDEXED_OUT) if asks else None,
        chunks=_documents(attributes),
        tokens=(_first(attributes, _TOKENS_IN), _first(attributes, _TOKENS_OUT)),
    )
    yield Part(trace, weight, event, place.size)
    for note in _numbered(attributes, "annotations"):
        yield from apart(_inline(note, place, span, trace))


def _inline(note: Json, place: Place, span: str, trace: str) -> Iterator[Piece]:
    name = note.get("annotation.name")
    if is_feedback(name, free=False):
        yield vote(
            place,
            _rating(note.get("annotation.label"), note.get("annotation.score")),
            (span, trace),
            id=f"{span}/{name}",
            comment=note.get("annotation.explanation"),
            score=name,
            by=author_of(note.get("annotation.annotator_kind")),
        )


def _record(place: Place, record: Json) -> Iterator[Piece]:
    attributes = _attributes(record.get("attributes"))
    name = record.get("eventName") or attributes.get("event.name")
    trace, span = _hex(record.get("traceId")), _hex(record.get("spanId"))
    begin = record.get("timeUnixNano") or record.get("observedTimeUnixNano")
    if name == "gen_ai.evaluation.result":
        measure = attributes.get("gen_ai.evaluation.name")
        if not is_feedback(measure, free=False):
            return
        targets = (span, trace, attributes.get("gen_ai.response.id"))
        yield vote(
            place,
            _rating(
                attributes.get("gen_ai.evaluation.score.label"),
                attributes.get("gen_ai.evaluation.score.value"),
            ),
            targets,
            session=_first(attributes, _SESSION),
            id=f"{next((str(target) for target in targets if target), '')}/{measure}/{begin}",
            user=_first(attributes, _USER),
            at=begin,
            comment=attributes.get("gen_ai.evaluation.explanation"),
            score=measure,
        )
        return
    body = _value(record.get("body"))
    if isinstance(body, dict):
        attributes.update({key: value for key, value in body.items() if key not in attributes})
    if name == "gen_ai.user.message" and isinstance(body, dict):
        attributes["gen_ai.prompt"] = body.get("content")
    if name == "gen_ai.choice" and isinstance(body, dict):
        attributes["gen_ai.completion"] = body.get("message", body)
    if not trace:
        raise Unusable("a log record that belongs to no trace")
    yield from _span(
        place,
        {**attributes, "gen_ai.operation.name": "chat"},
        trace=trace,
        span=span,
        parent=span,
        begin=begin,
        end=None,
    )


def _is_annotation(row: Json) -> bool:
    return "annotator_kind" in row and bool(
        row.get("span_id") or row.get("trace_id") or row.get("session_id")
    )


def _annotation(row: Json, place: Place) -> Iterator[Piece]:
    if author_of(row.get("annotator_kind")) != "user":
        return
    name = row.get("annotation_name", row.get("name"))
    if name == _NOTE or not is_feedback(name, free=True):
        return
    result = embedded(row.get("result"))
    told = result if isinstance(result, dict) else {}
    targets = (row.get("span_id"), row.get("trace_id"))
    session = row.get("session_id")
    about = next((str(target) for target in (*targets, session) if target), "")
    yield vote(
        place,
        _rating(
            row.get("result.label", told.get("label")), row.get("result.score", told.get("score"))
        ),
        targets,
        session=session,
        id=row.get("id") or f"{about}/{name}/{row.get('identifier') or ''}",
        user=row.get("user_id"),
        at=row.get("updated_at") or row.get("created_at"),
        comment=row.get("result.explanation", told.get("explanation")),
        by="annotator" if row.get("source") == _SCREENS else "user",
        score=name,
    )


# ---------------------------------------------------------------------------- attributes


def _kind(attributes: Attributes) -> str:
    kind = attributes.get("openinference.span.kind") or attributes.get("gen_ai.operation.name")
    kind = kind or attributes.get("traceloop.span.kind")
    return str(kind or "").upper()


def _weight(kind: str, *, root: bool) -> int:
    """Say how well a span of this kind knows what was asked: the root best, models least."""
    if kind in _RETRIEVERS:
        return 5
    if kind in _OTHERS:
        return 1
    if root:
        return ROOT + 3
    return ROOT + 1 if kind in _MODELS else ROOT + 2


def _said(
    attributes: Attributes, names: tuple[str, ...], indexed: tuple[tuple[str, str], ...]
) -> object:
    for name in names:
        if value := attributes.get(name):
            return value
    for prefix, inner in indexed:
        messages = [
            {key.removeprefix(inner): value for key, value in message.items()}
            for message in _numbered(attributes, prefix)
        ]
        if messages and (chat(messages) or any(role_of(message) for message in messages)):
            return messages
    return None


def _documents(attributes: Attributes) -> object:
    for name in _CHUNKS:
        if value := attributes.get(name):
            return value
    return _numbered(attributes, "retrieval.documents") or None


def _first(attributes: Attributes, names: tuple[str, ...]) -> object:
    return next((attributes[name] for name in names if attributes.get(name)), None)


def _rating(label: object, score: object) -> object:
    """Return the score where the label is no word of votes: `label` is free text."""
    return label if is_vote(label) or score is None else score


def _numbered(attributes: Attributes, prefix: str) -> list[Json]:
    """Return the objects that stand flat under `prefix.0.`, `prefix.1.` and so on, in order."""
    found: dict[int, Json] = {}
    for key, value in attributes.items():
        if key.startswith(prefix) and (match := _NUMBERED.fullmatch(key, len(prefix))):
            found.setdefault(int(match[1]), {})[match[2]] = value
    return [found[place] for place in sorted(found)]


def _attributes(value: object) -> Attributes:
    return {
        str(entry["key"]): _value(entry.get("value")) for entry in _list(value) if "key" in entry
    }


def _value(value: object, depth: int = 8) -> object:
    if not isinstance(value, dict) or not depth:
        return None
    for kind, inner in value.items():
        match kind, inner:
            case "arrayValue", dict():
                return [_value(entry, depth - 1) for entry in _list(inner.get("values"))]
            case "kvlistValue", dict():
                return {
                    str(entry.get("key")): _value(entry.get("value"), depth - 1)
                    for entry in _list(inner.get("values"))
                }
            case "intValue", str() if inner.lstrip("-").isdigit() and len(inner) < 40:
                return int(inner)
            case _:
                return inner
    return None


def _flat(value: Mapping[str, object], prefix: str = "", depth: int = 8) -> Attributes:
    found: Attributes = {}
    for key, inner in value.items():
        name = f"{prefix}{key}"
        found[name] = inner
        if isinstance(inner, dict) and depth:
            found.update(_flat(inner, f"{name}.", depth - 1))
    return found


def _list(value: object) -> list[Json]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _hex(value: object) -> str:
    """Return a trace or span id in hexadecimal; some exporters write it in Base64."""
    text = value if isinstance(value, str) else ""
    if text.endswith("=") and len(text) in (12, 24):
        try:
            return base64.b64decode(text, validate=True).hex()
        except ValueError:
            return text
    return text

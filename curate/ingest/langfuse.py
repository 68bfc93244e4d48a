"""Langfuse: exports from its screens, blob storage, pages of its API."""

from __future__ import annotations

from collections.abc import Iterator

from curate.ingest.events import ROOT, Part, Piece, Place, is_feedback, question, vote
from curate.ingest.jsontext import embedded
from curate.ingest.ratings import UnknownNumber, UnknownWord
from curate.ingest.values import text_of
from curate.model.events import Author
from curate.model.plain import Json

# Columns of the traces table that are no scores, for all that a list may stand in them.
_COLUMNS = frozenset(
    (
        "id", "timestamp", "name", "userId", "sessionId", "release", "version", "environment",
        "tags", "bookmarked", "public", "input", "output", "metadata", "comments", "scores",
        "observations", "createdAt", "updatedAt", "projectId", "htmlPath",
    )
)  # fmt: skip
_SOURCES: dict[str, Author] = {"API": "user", "ANNOTATION": "annotator"}


def claims(row: Json) -> bool:
    """Say whether `row` is an observation, a trace or a score of Langfuse."""
    return _is_observation(row) or _is_score(row) or _is_trace(row)


def read(row: Json, place: Place) -> Iterator[Piece]:
    """Yield the question of a trace or of a root observation, the chunks of a retriever, the vote
    of a score. Scores of evaluators are passed over.
    """
    if _is_score(row):
        yield from _score(row, place)
    elif _is_observation(row):
        yield _observation(row, place)
    else:
        yield from _trace(row, place)


_TYPES = (
    "SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR",
    "EMBEDDING", "GUARDRAIL",
)  # fmt: skip


def _is_observation(row: Json) -> bool:
    return row.get("type") in _TYPES and (
        ("trace_id" in row and "start_time" in row) or ("traceId" in row and "startTime" in row)
    )


def _is_score(row: Json) -> bool:
    return "name" in row and "source" in row and ("data_type" in row or "dataType" in row)


def _is_trace(row: Json) -> bool:
    if "timestamp" not in row or "id" not in row:
        return False
    exported = "bookmarked" in row and "public" in row
    blob = "project_id" in row and "name" in row and ("input" in row or "output" in row)
    return exported or blob or "htmlPath" in row


def _observation(row: Json, place: Place) -> Part:
    def get(snake: str, camel: str) -> object:
        return row.get(snake, row.get(camel))

    trace = text_of(get("trace_id", "traceId"))
    retriever = str(row.get("type")).upper() == "RETRIEVER"
    root = get("is_root_observation", "isRootObservation")
    if root is None:
        root = not get("parent_observation_id", "parentObservationId")
    is_root = root in (True, 1, "true", "True") and not retriever
    event = question(
        place,
        row.get("input") if is_root else None,
        id=trace if is_root else None,
        aliases=(trace, row.get("id")) if is_root else (row.get("id"),),
        session=get("session_id", "sessionId"),
        user=get("user_id", "userId"),
        at=get("start_time", "startTime"),
        until=get("end_time", "endTime") if is_root else None,
        standalone=embedded(row.get("input")) if retriever else None,
        answer=row.get("output") if is_root else None,
        chunks=row.get("output") if retriever else None,
        tokens=_tokens(get("usage_details", "usageDetails") or row.get("usage")),
    )
    return Part(trace, ROOT if is_root else 1, event, place.size)


def _trace(row: Json, place: Place) -> Iterator[Piece]:
    trace = text_of(row.get("id"))
    event = question(
        place,
        row.get("input"),
        id=trace,
        session=row.get("sessionId", row.get("session_id")),
        user=row.get("userId", row.get("user_id")),
        at=row.get("timestamp"),
        answer=row.get("output"),
    )
    yield Part(trace, ROOT + 1, event, place.size)
    for name, cell in row.items():
        values = embedded(cell) if name not in _COLUMNS else None
        if isinstance(values, list) and values and is_feedback(name, free=False):
            try:
                yield vote(
                    place,
                    values[-1],
                    (trace,),
                    id=_vote_id(trace, name),
                    score=name,
                    summary=True,
                )
            except (UnknownNumber, UnknownWord):
                continue  # an average of several, or a measure: the scores themselves tell


def _tokens(usage: object) -> tuple[object, object]:
    told = embedded(usage)
    return (told.get("input"), told.get("output")) if isinstance(told, dict) else (None, None)


def _score(row: Json, place: Place) -> Iterator[Piece]:
    by = _SOURCES.get(str(row.get("source")).upper())
    if by is None or not is_feedback(row.get("name"), free=True):
        return
    subject = row.get("subject")
    told = subject if isinstance(subject, dict) else {}
    kind = told.get("kind")
    observation = row.get("observation_id", row.get("observationId"))
    trace = row.get("trace_id", row.get("traceId", told.get("traceId")))
    session = row.get("session_id", row.get("sessionId"))
    if kind == "observation":
        observation = told.get("id")
    elif kind == "trace":
        trace = told.get("id")
    elif kind == "session":
        session = told.get("id")
    value = row.get("value")
    kind_of_value = str(row.get("data_type", row.get("dataType"))).upper()
    if kind_of_value == "CATEGORICAL":
        value = row.get("string_value", row.get("stringValue")) or value
    about = next((str(name) for name in (observation, trace, session) if name), "")
    yield vote(
        place,
        value,
        (observation, trace),
        session=session,
        id=_vote_id(about, str(row.get("name"))),
        user=row.get("author_user_id", row.get("authorUserId")) if by == "annotator" else None,
        at=row.get("timestamp"),
        comment=row.get("comment"),
        by=by,
        score=row.get("name"),
    )


def _vote_id(about: str, name: str) -> str:
    """Return one id for a score and its column in the table of traces."""
    return f"{about}/{name}"

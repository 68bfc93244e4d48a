"""LangSmith: runs and feedback, as its client lists them or its bulk export writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from curate.ingest.events import ROOT, Part, Piece, Place, apart, is_feedback, question, vote
from curate.ingest.jsontext import embedded
from curate.ingest.values import text_of
from curate.model.events import Author
from curate.model.plain import Json

_SESSION = ("thread_id", "session_id", "conversation_id")
_USER = ("user_id", "userId", "user")
_SOURCES: dict[str, Author] = {"": "user", "api": "user", "app": "annotator", "none": "user"}


def claims(row: Json) -> bool:
    """Say whether `row` is a run or a feedback of LangSmith."""
    return _is_run(row) or _is_feedback(row)


def read(row: Json, place: Place) -> Iterator[Piece]:
    """Yield the question of a root run, the chunks of a retriever, the vote of a feedback.

    A run's own `session_id` is its project and no session. A run that sums up a single vote
    gives that vote, without its words.
    """
    if not _is_run(row):
        yield from _feedback(row, place)
        return
    trace = text_of(row.get("trace_id")) or text_of(row.get("id"))
    retriever = row.get("run_type") == "retriever"
    root = not row.get("parent_run_id") and not retriever
    outputs = embedded(row.get("outputs"))
    extra = _object(_object(row.get("extra")).get("metadata"))
    inputs = embedded(row.get("inputs"))
    event = question(
        place,
        inputs if root else None,
        id=trace if root else None,
        aliases=(trace, row.get("id")) if root else (row.get("id"),),
        session=next((extra[name] for name in _SESSION if extra.get(name)), None),
        user=next((extra[name] for name in _USER if extra.get(name)), None),
        at=row.get("start_time"),
        until=row.get("end_time") if root else None,
        standalone=inputs if retriever else None,
        answer=outputs if root else None,
        chunks=outputs if retriever else None,
        tokens=(row.get("prompt_tokens"), row.get("completion_tokens")),
    )
    yield Part(trace, ROOT if root else 1, event, place.size)
    for key, stats in _object(row.get("feedback_stats")).items():
        if isinstance(stats, dict) and stats.get("n") == 1 and is_feedback(key, free=False):
            yield from apart(_summed(stats, place, text_of(row.get("id")), trace, key))


def _summed(
    stats: Mapping[str, object], place: Place, about: str, trace: str, key: str
) -> Iterator[Piece]:
    yield vote(
        place,
        stats.get("avg"),
        (about, trace),
        id=_vote_id(about, key),
        score=key,
        summary=True,
    )


def _is_run(row: Json) -> bool:
    return "run_type" in row and ("trace_id" in row or "dotted_order" in row)


def _is_feedback(row: Json) -> bool:
    return "run_id" in row and "key" in row and ("score" in row or "value" in row)


def _feedback(row: Json, place: Place) -> Iterator[Piece]:
    source = _object(row.get("feedback_source"))
    by = _SOURCES.get(str(source.get("type") or "").casefold(), "judge")
    if by == "judge" or not is_feedback(row.get("key"), free=True):
        return
    run = text_of(row.get("run_id"))
    rating = row.get("score")
    yield vote(
        place,
        row.get("value") if rating is None else rating,
        (run, row.get("trace_id")),
        id=_vote_id(run, str(row.get("key"))),
        user=source.get("user_id"),
        at=row.get("modified_at") or row.get("created_at"),
        comment=row.get("comment"),
        by=by,
        score=row.get("key"),
    )


def _vote_id(run: str, key: str) -> str:
    """Return one id for a feedback and for what its run sums up of it."""
    return f"{run}/{key}"


def _object(value: object) -> Mapping[str, object]:
    found = embedded(value)
    return found if isinstance(found, dict) else {}

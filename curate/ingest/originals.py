"""An event's own texts in one piece, to be sealed; and the event again, to be anonymised anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from curate.model.events import Event, FeedbackEvent, QuestionEvent, RawChunk, RawText, RawTurn
from curate.model.plain import Json
from curate.model.records import Clean, RetrievedChunk, Turn


@dataclass(frozen=True, slots=True)
class Original:
    """What an event said, as it was logged.

    `keys` are the event's tags, the one to store first, `user` is the tag of who said it; `at` is
    when that was, or when it came if that was earlier.
    """

    keys: tuple[bytes, ...]
    user: bytes | None
    at: datetime
    text: RawText


Seal = Callable[[Sequence[Original]], None]
"""Seals the originals of a batch and stores them, before the batch itself is saved."""


@dataclass(frozen=True, slots=True)
class CleanTexts:
    """The anonymised texts of a question, in the places they came from."""

    question: Clean
    standalone: Clean | None
    answer: Clean | None
    history: tuple[Turn, ...]
    title: Clean | None
    chunks: tuple[RetrievedChunk, ...]


@dataclass(frozen=True, slots=True)
class CleanWords:
    """The anonymised texts of a vote."""

    comment: Clean | None
    reason: str | None = field(repr=False)


def texts(event: Event) -> Iterator[RawText]:
    """Yield every free text of an event, in the one order they are put back in."""
    if isinstance(event, FeedbackEvent):
        found = [event.comment, event.reason]
    else:
        found = [event.question, event.standalone, event.answer]
        found += [turn.content for turn in event.history]
        found.append(event.title)
        for chunk in event.chunks:
            found += [chunk.id, chunk.source, chunk.heading]
    return (text for text in found if text)


def clean_texts(event: QuestionEvent, cleaned: Iterator[Clean]) -> CleanTexts:
    """Put the anonymised texts of a question back in the places `texts` took them from."""
    return CleanTexts(
        question=next(cleaned) if event.question else Clean(""),
        standalone=next(cleaned) if event.standalone else None,
        answer=next(cleaned) if event.answer else None,
        history=tuple(
            Turn(turn.role, next(cleaned).text if turn.content else "") for turn in event.history
        ),
        title=next(cleaned) if event.title else None,
        chunks=tuple(
            RetrievedChunk(
                chunk.rank,
                id=next(cleaned).text if chunk.id else None,
                source=next(cleaned).text if chunk.source else None,
                heading=next(cleaned).text if chunk.heading else None,
                score=chunk.score,
            )
            for chunk in event.chunks
        ),
    )


def clean_words(event: FeedbackEvent, cleaned: Iterator[Clean]) -> CleanWords:
    """Put the anonymised texts of a vote back in the places `texts` took them from."""
    comment = next(cleaned) if event.comment else None
    return CleanWords(comment, next(cleaned).text if event.reason else None)


# ---------------------------------------------------------------------------- in one piece


def pack(event: Event) -> RawText:
    """Return an event's texts in one piece; `unpack` gives them back."""
    said: Json
    if isinstance(event, FeedbackEvent):
        said = {"comment": _said(event.comment), "reason": _said(event.reason)}
    else:
        said = {
            "question": event.question.reveal(),
            "standalone": _said(event.standalone),
            "answer": _said(event.answer),
            "history": [[turn.role, turn.content.reveal()] for turn in event.history],
            "title": _said(event.title),
            "chunks": [
                [c.rank, _said(c.id), _said(c.source), _said(c.heading), c.score]
                for c in event.chunks
            ],
        }
    return RawText(json.dumps({key: value for key, value in said.items() if value}))


def unpack(packed: RawText) -> Event:
    """Return the event that was packed: its texts only, neither ids nor times."""
    said: Json = json.loads(packed.reveal())
    if "question" not in said and ("comment" in said or "reason" in said):
        return FeedbackEvent(
            "", 0, (), None, comment=_raw(said.get("comment")), reason=_raw(said.get("reason"))
        )
    return QuestionEvent(
        "",
        0,
        RawText(said.get("question", "")),
        standalone=_raw(said.get("standalone")),
        answer=_raw(said.get("answer")),
        history=tuple(RawTurn(role, RawText(text)) for role, text in said.get("history", ())),
        title=_raw(said.get("title")),
        chunks=tuple(
            RawChunk(rank, _raw(name), _raw(source), _raw(heading), score)
            for rank, name, source, heading, score in said.get("chunks", ())
        ),
    )


def _said(text: RawText | None) -> str | None:
    return text.reveal() if text is not None else None


def _raw(text: str | None) -> RawText | None:
    return RawText(text) if text else None

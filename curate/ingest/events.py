"""What the stream of a log is made of, and how the formats make events of their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from curate.ingest.chunks import chunks_of
from curate.ingest.conversation import answer_of, chat
from curate.ingest.fields import Unread
from curate.ingest.ratings import Rating, Scale, UnknownNumber, UnknownWord
from curate.ingest.values import count, ident, moment, raw, whole_ms
from curate.model.events import (
    Author,
    Checkpoint,
    FeedbackEvent,
    QuestionEvent,
    RawText,
    RawTurn,
    Rejected,
    Watermark,
)


@dataclass(frozen=True, slots=True)
class Recognised:
    """How a log is read: its format's name and its field map; `unread()` finds the paths of its
    first rows that the map does not read. Comes before its first event, and once more after the
    last when the map has `grown`.
    """

    file: str
    format: str
    map: Mapping[str, str] = field(default_factory=dict)
    unread: Callable[[], Unread] = field(default=Unread, repr=False)
    grown: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a log has been read, in bytes of the file; `total` is None for a stream."""

    file: str
    done: int
    total: int | None


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A log in which nothing is new since it was last read."""

    file: str


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A last line that is still being written: it is read when it has ended."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Sweep:
    """From here on every vote of a source from `since` to `until` is read; once it has `ended`,
    one that was not among them has been deleted where it came from.
    """

    source: str
    since: datetime
    until: datetime
    ended: bool = False


@dataclass(slots=True)
class Place:
    """Where a row stands, and how its votes are to be understood.

    One is made for each log and moved on from row to row. Once a score was a number that the scale
    knows nothing of, its name is `beyond` the scale: its other numbers, 1 of 5 stars, are none of
    the scale's either.
    """

    source: str
    line: int
    scale: Scale
    plain: bool = False
    repaired: bool = False
    size: int = 0
    beyond: set[str] = field(default_factory=set)

    def rated(self, value: object, score: str = "") -> Rating | None:
        """Return what a vote says; `score` is its name where a log has scores of several scales.
        Raises `UnknownNumber` or `UnknownWord`.
        """
        try:
            return self.scale.rate(value, numbers=score not in self.beyond)
        except UnknownNumber:
            if score:
                self.beyond.add(score)
            raise


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question whose other parts stand on other lines, under the same `trace`.

    `weight` orders the parts: each field comes from the heaviest part that has it, and a trace
    without a part of at least `ROOT` is no question. `file` is where it stands, for messages.
    """

    trace: str = field(repr=False)
    weight: int
    event: QuestionEvent
    size: int = 0
    file: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of a conversation, whose other messages stand on other lines in any order.

    `trace` is the conversation. The `role` is `user`, `assistant`, `retrieval`, or else that of a
    step; `parent` is the message it belongs below. Where the table is `stepped`, parents may be
    steps that are not in it. Of several answers the one of most `weight` counts.
    """

    trace: str = field(repr=False)
    role: str
    own: str = field(repr=False)
    parent: str = field(repr=False)
    event: QuestionEvent
    stepped: bool
    weight: int = 1
    size: int = 0
    file: str = ""


ROOT = 10
"""The weight from which on a part may ask the question of its trace."""


class Unusable(Exception):
    """This row is no event; the message says why, in words and without its text."""


Fault = Unusable | UnknownNumber | UnknownWord
"""Why a row, or one of several things in it, is no event."""

Piece = QuestionEvent | FeedbackEvent | Part | Turn | Fault
"""What a format makes of a row."""


def apart(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Yield what one of several things in a row makes; what it raises is yielded as well, so that
    those after it are still read.
    """
    try:
        yield from pieces
    except (Unusable, UnknownNumber, UnknownWord) as fault:
        yield fault


StreamItem = (
    QuestionEvent
    | FeedbackEvent
    | Rejected
    | Recognised
    | Progress
    | Unchanged
    | Unfinished
    | Sweep
    | Checkpoint
    | Watermark
)
"""What reading a log yields. A mark says that everything before it comes from before its place."""


def question(
    place: Place,
    asked: object,
    *,
    id: object = None,  # noqa: A002 - what it is called everywhere
    aliases: Iterable[object] = (),
    session: object = None,
    user: object = None,
    at: object = None,
    until: object = None,
    standalone: object = None,
    answer: object = None,
    chunks: object = None,
    title: object = None,
    history: Sequence[RawTurn] = (),
    took_ms: object = None,
    tokens: tuple[object, object] = (None, None),
) -> QuestionEvent:
    """Return the question event of a log's own values; without a question its text is empty.

    `asked` may be text, chat messages or what a chain took as its input. The id is the first of
    the aliases. `until` is when the answer was there, for the latency, unless `took_ms` says it;
    `tokens` are those of the prompt and of the answer.
    """
    said = chat(asked) if asked is not None else None
    text = said.question if said else raw(asked)
    own = ident(id)
    names = dict.fromkeys(name for value in (id, *aliases) if (name := ident(value)))
    begin, end = moment(at), moment(until)
    searched = raw(standalone)
    return QuestionEvent(
        place.source,
        place.line,
        text or RawText(""),
        own,
        tuple(names),
        ident(session),
        ident(user),
        begin,
        searched if searched != text else None,
        tuple(history) or (said.history if said else ()),
        (answer_of(answer) if answer is not None else None) or (said.answer if said else None),
        None,
        chunks_of(chunks) if chunks is not None else (),
        raw(title),
        (end - begin).total_seconds() * 1000
        if begin and end and end >= begin
        else whole_ms(took_ms),
        place.repaired,
        count(tokens[0]),
        count(tokens[1]),
    )


def vote(
    place: Place,
    rating: object,
    targets: Iterable[object],
    *,
    id: object = None,  # noqa: A002 - what it is called everywhere
    user: object = None,
    at: object = None,
    reason: object = None,
    comment: object = None,
    by: Author = "user",
    summary: bool = False,
    session: object = None,
    score: object = None,
) -> FeedbackEvent:
    """Return the feedback event of a log's own values; `targets` come in the order to be tried.

    The `session` is what it is about where nothing narrower is named, `score` the name of the
    score that it is in a log of scores of several scales. Raises `Unusable` without
    a target, `UnknownNumber` or `UnknownWord` for the rating.
    """
    names = dict.fromkeys(name for value in targets if (name := ident(value)))
    if not names and (whole := ident(session)):
        names = {whole: None}
    if not names:
        raise Unusable("a vote without the id of what it is about")
    return FeedbackEvent(
        place.source,
        place.line,
        tuple(names),
        place.rated(rating, str(score or "")),
        ident(id),
        ident(user),
        moment(at),
        raw(reason),
        raw(comment),
        by,
        summary,
    )


_MEASURES = re.compile(
    "faithful|relevan|hallucinat|correctness|ground|toxic|precision|recall|similarity|accuracy|"
    "bias|concise|coheren|ragas|latency|cost|fluency|judge|eval",
    re.IGNORECASE,
)
_FEEDBACK = re.compile("feedback|thumb|rating|vote|like|user|satisf|helpful|csat", re.IGNORECASE)


def is_feedback(name: object, *, free: bool) -> bool:
    """Say whether a score of this name is what users say of an answer, and not a measure.

    Where names are `free`, everything is that is no known measure; else only what sounds so.
    """
    text = str(name or "")
    if _FEEDBACK.search(text):
        return True
    return free and not _MEASURES.search(text)

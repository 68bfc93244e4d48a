"""What the stream of a log is made of, besides the events themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from curate.ingest.ratings import Scale
from curate.model import FeedbackEvent, QuestionEvent, Rejected


@dataclass(frozen=True, slots=True)
class Recognised:
    """How a log is read: its format's name and its field map. Comes before its first event, and
    once more after the last when the map has `grown`.
    """

    file: str
    format: str
    map: Mapping[str, str] = field(default_factory=dict)
    grown: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a log has been read, in bytes of the file; `total` is None for a stream."""

    file: str
    done: int
    total: int | None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row stands, and how its votes are to be understood."""

    source: str
    line: int
    scale: Scale
    plain: bool = False
    repaired: bool = False
    size: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question whose other parts stand on other lines, under the same `trace`.

    `weight` orders the parts: each field comes from the heaviest part that has it, and a trace
    without a part of at least `ROOT` is no question.
    """

    trace: str = field(repr=False)
    weight: int
    event: QuestionEvent
    size: int = 0


ROOT = 10
"""The weight from which on a part may ask the question of its trace."""


class Unusable(Exception):
    """This row is no event; the message says why, in words and without its text."""


Piece = QuestionEvent | FeedbackEvent | Part
"""What a format makes of a row."""

StreamItem = QuestionEvent | FeedbackEvent | Rejected | Recognised | Progress
"""What reading a log yields."""

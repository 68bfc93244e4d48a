"""What a log holds, raw, in memory only.

What comes once a line is a frozen structure: a frozen dataclass takes longer to make than the line
to parse.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct


class RawText(Struct, frozen=True, gc=False):
    """Text as it was logged, before the anonymiser saw it.

    Deliberately not a `str`: it cannot be formatted, joined, logged or written by accident,
    and its repr tells its length only. `reveal()` is the one way out.
    """

    _text: str
    _unwritable: object = object()
    """What no encoder takes, so that none writes the text."""

    def reveal(self) -> str:
        """Return the text itself. Call it only to anonymise, to tag or to seal."""
        return self._text

    def __repr__(self) -> str:
        return f"<raw text, {len(self._text)} chars>"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("chars", len(self._text))]

    def __bool__(self) -> bool:
        return bool(self._text)

    def __reduce__(self) -> Any:
        raise TypeError("raw text is never pickled")


class RawTurn(Struct, frozen=True):
    """One earlier message of a conversation; `role` is `user` or `assistant`."""

    role: str
    content: RawText


class RawChunk(Struct, frozen=True):
    """A passage the assistant retrieved, as it was logged; `rank` counts from 1."""

    rank: int
    id: RawText | None = None
    source: RawText | None = None
    heading: RawText | None = None
    score: float | None = None


class QuestionEvent(Struct, frozen=True):
    """One logged question, raw, in memory only.

    `line` is where it stood in its input (1-based), for messages. `aliases` are all ids that
    feedback may point at. `at` is None where the log has no usable time.
    """

    source: str
    line: int
    question: RawText
    source_id: RawText | None = None
    aliases: tuple[RawText, ...] = ()
    session: RawText | None = None
    user: RawText | None = None
    at: datetime | None = None
    standalone: RawText | None = None
    history: tuple[RawTurn, ...] = ()
    answer: RawText | None = None
    refused: bool | None = None
    chunks: tuple[RawChunk, ...] = ()
    title: RawText | None = None
    latency_ms: float | None = None
    repaired: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None


Author = Literal["user", "annotator", "judge"]


class FeedbackEvent(Struct, frozen=True):
    """One logged vote, raw, in memory only.

    `targets` are tried in order until one names a known question. `rating` is -1, 0 or +1, or
    None when the vote was taken back. A `summary` repeats, with less detail, what another log
    tells in full: it never replaces a vote already known.
    """

    source: str
    line: int
    targets: tuple[RawText, ...]
    rating: Literal[-1, 0, 1] | None
    source_id: RawText | None = None
    user: RawText | None = None
    at: datetime | None = None
    reason: RawText | None = None
    comment: RawText | None = None
    by: Author = "user"
    summary: bool = False


Event = QuestionEvent | FeedbackEvent


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that is no event: where it stands and why, never what it says."""

    source: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a log file has been read, and by what it is known again.

    `file` is its device and inode, `head` a keyed tag of the first `head_size` bytes that were
    read, `offset` where line `line` ended (0 where the file is read whole each time it changes);
    `size` in bytes and `changed`, the time of its last change in nanoseconds, are those of when
    it was opened. `settings` is a keyed tag of everything that decides how it is read.
    """

    source: str
    file: str
    head: bytes
    head_size: int
    offset: int
    line: int
    size: int
    changed: int
    settings: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far a stream of an API has been read: the API's own cursor or a time, in `value`."""

    source: str
    stream: str
    value: str
    at: datetime


Reached = Checkpoint | Watermark
"""A place up to which everything has been stored, stored together with it."""

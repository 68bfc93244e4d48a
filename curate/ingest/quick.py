"""The short way for the usual line: plain text under names seen before, nothing nested in it.

It makes the same event as `generic` does, several times faster, or leaves the row to it. A log of
millions of short lines is read mostly on this way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from curate.ingest.conversation import chunks_of
from curate.ingest.envelopes import KEYS
from curate.ingest.events import Place
from curate.ingest.values import CODED, LONGEST_ID, MAX_TEXT, count, moment, whole_ms
from curate.model.events import QuestionEvent, RawChunk, RawText
from curate.model.plain import Json

_HARD = ("target", "rating", "feedback_id", "history", "refused", "standalone", "title")
_MOST_SHAPES = 256
_MOST_NAMES = 10_000


@dataclass(frozen=True, slots=True)
class _Plan:
    """The keys of a shape of rows under which the fields stand; empty where there is none."""

    question: str
    ids: tuple[str, ...]
    session: str
    user: str
    ts: str
    answer: str
    chunks: str
    latency_ms: str
    tokens_in: str
    tokens_out: str


class Quick:
    """Reads rows whose keys are those of a row before, as long as the field map stays the same."""

    def __init__(self) -> None:
        self._plans: dict[tuple[str, ...], _Plan | None] = {}
        self._names: dict[str, RawText] = {}

    def forget(self) -> None:
        """The field map has changed: look at every shape anew."""
        self._plans.clear()

    def learn(self, row: Json, paths: Mapping[str, Sequence[str]]) -> None:
        """Look at the shape of a row whose names the field map of `paths` knows."""
        if len(self._plans) < _MOST_SHAPES:
            self._plans[tuple(row)] = _plan(row, paths)

    def knows(self, row: Json) -> bool:
        """Say whether the row's shape has been looked at."""
        return tuple(row) in self._plans

    def read(self, row: Json, place: Place) -> QuestionEvent | None:
        """Return the event of a flat row of plain text, or None where `generic` is to read it."""
        plan = self._plans.get(tuple(row))
        if plan is None:
            return None
        asked = row[plan.question]
        if type(asked) is not str or asked[:1] in CODED or len(asked) > MAX_TEXT:
            return None
        asked = asked.strip()
        ids = []
        for key in plan.ids:
            value = row[key]
            if type(value) is not str or len(value) > LONGEST_ID:
                return None
            if value := value.strip():
                ids.append(RawText(value))
        answer = row[plan.answer] if plan.answer else None
        if answer is not None:
            if type(answer) is not str or answer[:1] in CODED or len(answer) > MAX_TEXT:
                return None
            answer = answer.strip()
        chunks: tuple[RawChunk, ...] = ()
        if plan.chunks and (found := row[plan.chunks]):
            if type(found) is not list:
                return None
            chunks = chunks_of(found, True)
        at = row[plan.ts] if plan.ts else None
        if at is not None:
            at = _time(at)
        session = row[plan.session] if plan.session else None
        user = row[plan.user] if plan.user else None
        if session is not None:
            if type(session) is not str or len(session) > LONGEST_ID:
                return None
            session = self._names.get(session) or self._named(session)
        if user is not None:
            if type(user) is not str or len(user) > LONGEST_ID:
                return None
            user = self._names.get(user) or self._named(user)
        if not asked:
            return None
        draft: Any = _Draft(
            place.source,
            place.line,
            RawText(asked),
            ids[0] if ids else None,
            tuple(ids),
            session,
            user,
            at,
            RawText(answer) if answer else None,
            chunks,
            whole_ms(row[plan.latency_ms]) if plan.latency_ms else None,
            count(row[plan.tokens_in]) if plan.tokens_in else None,
            count(row[plan.tokens_out]) if plan.tokens_out else None,
        )
        draft.__class__ = QuestionEvent
        return cast(QuestionEvent, draft)

    def _named(self, name: str) -> RawText | None:
        text = name.strip()
        if not text:
            return None
        if len(self._names) >= _MOST_NAMES:
            self._names.clear()
        made = self._names[name] = RawText(text)
        return made


def _plan(row: Json, paths: Mapping[str, Sequence[str]]) -> _Plan | None:
    if not KEYS.isdisjoint(row):
        return None
    keys: dict[str, list[str]] = {}
    for field, found in paths.items():
        here = [path for path in found if path in row]
        deep = [path for path in found if path not in row and not path.isidentifier()]
        if deep or (here and field in _HARD) or (len(here) > 1 and field != "id"):
            return None
        if any(not path.isidentifier() for path in here):
            return None
        keys[field] = here
    if not keys.get("question"):
        return None
    one = {field: here[0] if here else "" for field, here in keys.items()}
    return _Plan(
        question=one["question"],
        ids=tuple(dict.fromkeys(keys.get("id", ()))),
        session=one.get("session", ""),
        user=one.get("user", ""),
        ts=one.get("ts", ""),
        answer=one.get("answer", ""),
        chunks=one.get("chunks", ""),
        latency_ms=one.get("latency_ms", ""),
        tokens_in=one.get("tokens_in", ""),
        tokens_out=one.get("tokens_out", ""),
    )


def _time(value: object) -> datetime | None:
    if type(value) is str and value[4:5] == "-" and len(value) < 28:
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            return moment(value)
        if found.tzinfo is UTC:
            return found
    return moment(value)


class _Draft:
    """A question event before it is frozen: a frozen dataclass sets each field by a call, which
    for all of them takes longer than to parse the line they come from.
    """

    __slots__ = QuestionEvent.__slots__

    def __init__(
        self,
        source: str,
        line: int,
        question: RawText,
        source_id: RawText | None,
        aliases: tuple[RawText, ...],
        session: RawText | None,
        user: RawText | None,
        at: datetime | None,
        answer: RawText | None,
        chunks: tuple[RawChunk, ...],
        latency_ms: float | None,
        tokens_in: int | None,
        tokens_out: int | None,
    ) -> None:
        self.source = source
        self.line = line
        self.question = question
        self.source_id = source_id
        self.aliases = aliases
        self.session = session
        self.user = user
        self.at = at
        self.standalone = None
        self.history = ()
        self.answer = answer
        self.refused = None
        self.chunks = chunks
        self.title = None
        self.latency_ms = latency_ms
        self.repaired = False
        self.tokens_in = tokens_in
        self.tokens_out = tokens_out

"""Tables with one message of a conversation in each row, as chat applications keep them."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from curate.ingest.conversation import MAX_TURNS
from curate.ingest.events import ROOT, Part, Piece, Place, Turn, Unusable, apart, question, vote
from curate.ingest.jsontext import embedded
from curate.ingest.paths import ABSENT, getter
from curate.ingest.values import ident, raw, text_of
from curate.model.events import FeedbackEvent, QuestionEvent, RawTurn, Rejected
from curate.model.plain import Json

_LEAST_SIZE = 512


class Messages:
    """Reads the rows of a table of messages; `joined` makes questions of a conversation of them.

    `paths` says where what is; `user`, `assistant` and `retrieval` which values of the role mean
    whom, and `step` which stand between a question and its answer and say nothing.
    """

    def __init__(self, paths: Mapping[str, object]) -> None:
        self._get = {name: getter(path) for name, path in paths.items() if isinstance(path, str)}
        self._get.setdefault("id", getter("id"))
        self._roles = {
            str(value).casefold(): role
            for role in ("user", "assistant", "retrieval", "step")
            for value in _list(paths.get(role))
        }
        self._stepped = "step" in paths

    def read(self, row: Json, place: Place) -> Iterator[Piece]:
        """Yield the turn that a message is, and the vote that it carries."""
        role = self._roles.get(str(self._value(row, "role")).casefold(), "")
        own, parent = self._name(row, "id"), self._name(row, "parent")
        event = self._event(row, place, own, role)
        said = sum(len(text.reveal()) for text in (event.question, event.answer) if text)
        turn = Turn(
            self._name(row, "session"),
            role,
            own,
            parent,
            event,
            self._stepped,
            size=max(place.size, said + _LEAST_SIZE),
        )
        if role in ("", "step"):
            yield turn
            if not role:
                what = "step" if parent else "message"
                raise Unusable(f"a {what} that is neither question nor answer")
            return
        given = list(apart(self._vote(row, place, own)))
        down = any(isinstance(one, FeedbackEvent) and one.rating == -1 for one in given)
        yield dataclasses.replace(turn, weight=2) if down else turn
        yield from given

    def _vote(self, row: Json, place: Place, own: str) -> Iterator[Piece]:
        rating = self._value(row, "rating")
        if rating is not None and own:
            yield vote(
                place,
                rating,
                (own,),
                id=f"{own}/vote",
                user=self._value(row, "user_id"),
                at=self._value(row, "voted_at") or self._value(row, "ts"),
                reason=self._value(row, "reason"),
                comment=self._value(row, "comment"),
            )

    def _event(self, row: Json, place: Place, own: str, role: str) -> QuestionEvent:
        at = self._value(row, "ts")
        if role not in ("user", "assistant", "retrieval"):
            return question(place, None, at=at)
        text = embedded(self._value(row, "text"))
        if role == "user":
            return question(
                place,
                {"question": text_of(text)},
                id=own,
                session=self._value(row, "session"),
                user=self._value(row, "user_id"),
                at=at,
                title=self._value(row, "title"),
            )
        found = self._value(row, "chunks") if role == "assistant" else text
        event = question(
            place,
            None,
            aliases=(own,),
            at=at,
            chunks=_retrieved(found),
            took_ms=self._value(row, "latency_ms"),
            tokens=(self._value(row, "tokens_in"), self._value(row, "tokens_out")),
        )
        return replace(event, answer=raw(text_of(text)) if role == "assistant" else None)

    def _value(self, row: Json, name: str) -> object:
        get = self._get.get(name)
        value = get(row) if get else None
        return None if value is ABSENT else value

    def _name(self, row: Json, name: str) -> str:
        found = ident(self._value(row, name))
        return found.reveal() if found else ""


def joined(turns: Sequence[Turn]) -> Iterator[list[Part] | Rejected]:
    """Yield the parts of each question of a conversation, whose messages come in any order.

    An answer belongs to the question that its parents lead to, or else, where no parent is named or
    steps may be missing, to the last one before it; what greets before the first is passed over.
    Of several answers to one the first counts, or the first that was voted down.
    The earlier messages are a question's history, of a tree of messages those of its own branch.
    """
    turns = _in_time(turns)
    known = {turn.own: turn for turn in turns if turn.own}
    asked: dict[int, list[Part]] = {}
    before: list[int] = []
    latest = -1
    past: list[RawTurn] = []
    for place, turn in enumerate(turns):
        before.append(latest)
        if turn.role == "user":
            branch = _branch(turn, known) if turn.parent and not turn.stepped else past
            event = replace(turn.event, history=tuple(branch[-MAX_TURNS:]))
            asked[place] = [Part(turn.trace, ROOT, event, file=turn.file)]
            latest = place
        if latest >= 0:
            past += _said(turn)
    places = {turn.own: place for place, turn in enumerate(turns) if place in asked}
    for place, turn in enumerate(turns):
        if turn.role not in ("assistant", "retrieval"):
            continue
        above = next((one.own for one in _above(turn, known) if one.role == "user"), None)
        mine = places.get(above, -1) if above is not None else -1
        if mine < 0 and (turn.stepped or not turn.parent):
            mine = before[place]
        if mine >= 0:
            asked[mine].append(Part(turn.trace, turn.weight, turn.event, file=turn.file))
        elif not turn.stepped:
            yield Rejected(turn.file, turn.event.line, "an answer without its question")
    yield from asked.values()


def _in_time(turns: Sequence[Turn]) -> list[Turn]:
    """Return messages by their times, and as they stand in the table where one has none."""
    times = [(turn.event.at, turn) for turn in turns]
    if any(at is None and turn.role for at, turn in times):
        return list(turns)
    first = datetime.min.replace(tzinfo=UTC)
    return [turn for _, turn in sorted(times, key=lambda one: one[0] or first)]


def _above(turn: Turn, known: Mapping[str, Turn]) -> Iterator[Turn]:
    """Yield the messages above one, the nearest first."""
    met = {turn.own}
    while turn.parent in known and turn.parent not in met:
        turn = known[turn.parent]
        met.add(turn.own)
        yield turn


def _branch(turn: Turn, known: Mapping[str, Turn]) -> list[RawTurn]:
    above = list(itertools.islice(_above(turn, known), MAX_TURNS))
    return [said for one in reversed(above) for said in _said(one)]


def _said(turn: Turn) -> list[RawTurn]:
    text = turn.event.question or turn.event.answer
    return [RawTurn(turn.role, text)] if text and turn.role in ("user", "assistant") else []


def _retrieved(value: object) -> object:
    """Return the chunks among the parts of a message: documents and tool results, not its text."""
    found = embedded(value)
    if not isinstance(found, list):
        return found
    parts = [part for part in found if isinstance(part, dict)]
    if not any("type" in part for part in parts):
        return found
    chunks: list[object] = []
    for part in parts:
        kind = str(part.get("type"))
        if kind.startswith("source"):
            chunks.append(
                {"id": part.get("sourceId"), "source": part.get("url", part.get("title"))}
            )
        elif kind.startswith("tool-"):
            output = embedded(part.get("output"))
            inner = output if isinstance(output, list) else []
            if isinstance(output, dict):
                inner = next((v for v in output.values() if isinstance(v, list)), [])
            chunks += inner
        elif kind not in ("text", "reasoning", "step-start", "file", "data"):
            chunks.append(part)
    return chunks or None


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []

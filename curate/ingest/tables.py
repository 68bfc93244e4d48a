"""Tables with one message of a conversation in each row, as chat applications keep them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from curate.ingest.conversation import MAX_TURNS
from curate.ingest.events import ROOT, Part, Piece, Place, Unusable, question, vote
from curate.ingest.jsontext import embedded
from curate.ingest.paths import ABSENT, getter
from curate.ingest.values import count, ident, raw, text_of, whole_ms
from curate.model.events import RawTurn
from curate.model.plain import Json

_MOST_CONVERSATIONS = 10_000
_MOST_MESSAGES = 200_000


@dataclass(slots=True)
class _Conversation:
    question: str
    turns: list[RawTurn]


class Messages:
    """Joins the rows of a table of messages: a question, what was retrieved, what answered it.

    `paths` says where what is; `user`, `assistant` and `retrieval` which values of the role mean
    whom, and `step` which stand between a question and its answer and say nothing. An answer
    belongs to its parent where the table names one, else to the question before it in its
    conversation; earlier messages of a conversation are the history of later ones.
    """

    def __init__(self, paths: Mapping[str, object]) -> None:
        self._get = {name: getter(path) for name, path in paths.items() if isinstance(path, str)}
        self._get.setdefault("id", getter("id"))
        self._roles = {
            str(value).casefold(): role
            for role in ("user", "assistant", "retrieval", "step")
            for value in _list(paths.get(role))
        }
        self._open: OrderedDict[str, _Conversation] = OrderedDict()
        self._trace: OrderedDict[str, str] = OrderedDict()

    def read(self, row: Json, place: Place) -> Iterator[Piece]:
        """Yield the part of a question that a message is, and the vote that it carries."""
        role = self._roles.get(str(self._value(row, "role")).casefold(), "")
        own = self._name(row, "id")
        session = self._name(row, "session")
        parent = self._name(row, "parent")
        text = embedded(self._value(row, "text"))
        talk = self._conversation(session)
        if role == "user":
            yield self._question(row, place, own, text, talk)
        elif role in ("assistant", "retrieval"):
            trace = self._trace.get(parent, parent) or talk.question
            if not trace:
                raise Unusable("an answer without its question")
            self._remember(own, trace)
            yield self._answer(row, place, own, trace, text, role, talk)
        elif parent or role == "step":
            self._remember(own, self._trace.get(parent, parent))
            if role == "step":
                return
            raise Unusable("a step that is neither question nor answer")
        else:
            raise Unusable("a message that is neither question nor answer")
        rating = self._value(row, "rating")
        if rating is not None and own:
            yield vote(
                place,
                rating,
                (own,),
                id=f"{own}/vote",
                user=self._value(row, "user_id"),
                reason=self._value(row, "reason"),
                comment=self._value(row, "comment"),
            )

    def _question(
        self, row: Json, place: Place, own: str, text: object, talk: _Conversation
    ) -> Part:
        event = question(
            place,
            {"question": text_of(text)},
            id=own,
            session=self._value(row, "session"),
            user=self._value(row, "user_id"),
            at=self._value(row, "ts"),
            title=self._value(row, "title"),
            history=tuple(talk.turns[-MAX_TURNS:]),
        )
        talk.question = own
        self._remember(own, own)
        if event.question:
            talk.turns.append(RawTurn("user", event.question))
        return Part(own, ROOT, event, place.size)

    def _answer(
        self,
        row: Json,
        place: Place,
        own: str,
        trace: str,
        text: object,
        role: str,
        talk: _Conversation,
    ) -> Part:
        said = raw(text_of(text)) if role == "assistant" else None
        found = self._value(row, "chunks") if role == "assistant" else text
        event = question(place, None, aliases=(own,), chunks=_retrieved(found))
        if said is not None:
            talk.turns.append(RawTurn("assistant", said))
        event = replace(
            event,
            answer=said,
            latency_ms=whole_ms(self._value(row, "latency_ms")),
            tokens_in=count(self._value(row, "tokens_in")),
            tokens_out=count(self._value(row, "tokens_out")),
        )
        return Part(trace, 2, event, place.size)

    def _conversation(self, session: str) -> _Conversation:
        talk = self._open.pop(session, None) or _Conversation("", [])
        self._open[session] = talk
        del talk.turns[:-MAX_TURNS]
        if len(self._open) > _MOST_CONVERSATIONS:
            self._open.popitem(last=False)
        return talk

    def _remember(self, own: str, trace: str) -> None:
        self._trace[own] = trace
        if len(self._trace) > _MOST_MESSAGES:
            self._trace.popitem(last=False)

    def _value(self, row: Json, name: str) -> object:
        get = self._get.get(name)
        value = get(row) if get else None
        return None if value is ABSENT else value

    def _name(self, row: Json, name: str) -> str:
        found = ident(self._value(row, name))
        return found.reveal() if found else ""


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

"""Open WebUI: its feedback export, its chats, and the rows of both tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from curate.ingest.conversation import MAX_TURNS
from curate.ingest.events import Piece, Place, Unusable, apart, question, vote
from curate.ingest.jsontext import embedded
from curate.ingest.ratings import Scale, UnknownNumber
from curate.ingest.values import moment, raw
from curate.model.events import RawTurn
from curate.model.plain import Json

SCALE = Scale.of(("-1",), ("1",), closed=True)
"""Its votes are -1 and 1."""

_Messages = Mapping[str, Mapping[str, object]]


def claims(row: Json) -> bool:
    """Say whether `row` is a feedback or a chat of Open WebUI."""
    if row.get("chat") is not None and ("user_id" in row or "title" in row):
        return bool(_messages(row))
    if row.get("type") == "rating" and "data" in row:
        return "meta" in row or "snapshot" in row
    return "model_id" in row and "rating" in row and "chat_id" in row


def read(row: Json, place: Place) -> Iterator[Piece]:
    """Yield every question of a chat with its votes, or the question and the vote of a feedback.

    A vote that compares two models in the arena says nothing of the truth and is passed over.
    """
    if row.get("chat") is not None:
        yield from _chat(row, place)
    elif row.get("data") is not None:
        yield from _feedback(row, place)
    else:
        yield vote(
            place,
            row.get("rating"),
            (row.get("message_id"),),
            session=row.get("chat_id"),
            id=row.get("id"),
            user=row.get("user_id"),
            at=row.get("updated_at", row.get("created_at")),
            reason=row.get("reason"),
            comment=row.get("comment"),
            summary=True,
        )


def _feedback(row: Json, place: Place) -> Iterator[Piece]:
    data, meta = _object(row.get("data")), _object(row.get("meta"))
    chat = _object(_object(row.get("snapshot")).get("chat"))
    messages = _messages(chat)
    answer = str(meta.get("message_id") or "")
    asked = str(_object(messages.get(answer)).get("parentId") or "")
    if asked in messages:
        shown = answer if _is_down(data.get("rating")) else _answer(messages, asked)
        yield _question(place, chat, messages, asked, shown)
    arena = meta.get("arena") in (True, "true") or data.get("sibling_model_ids")
    if arena:
        if asked not in messages:
            raise Unusable("a vote between two models")
        return
    yield vote(
        place,
        data.get("rating"),
        (_name(meta.get("chat_id"), answer), row.get("id")),
        id=row.get("id"),
        user=row.get("user_id"),
        at=row.get("updated_at", row.get("created_at")),
        reason=data.get("reason"),
        comment=data.get("comment"),
    )


def _chat(row: Json, place: Place) -> Iterator[Piece]:
    messages = _messages(row)
    found = False
    votes = []
    for own, message in messages.items():
        if message.get("role") != "user" or not raw(message.get("content")):
            continue
        found = True
        yield _question(place, row, messages, own, _answer(messages, own))
        votes += [(name, _annotation(messages[name])) for name in _answers(messages, own)]
    for name, note in votes:
        if note.get("rating") is not None:
            yield from apart(_note(row, place, name, messages[name], note))
    if not found:
        raise Unusable("a chat without a question")


def _answers(messages: _Messages, asked: str) -> list[str]:
    """Return the names of the answers to a question: the first, and those it was asked for anew."""
    children = [(name, m) for name, m in messages.items() if m.get("parentId") == asked]
    return [name for name, message in children if message.get("role") == "assistant"]


def _answer(messages: _Messages, asked: str) -> str:
    """Return the name of the answer that was voted down last, else of the last one there is."""
    answers = _answers(messages, asked)
    down = [name for name in answers if _is_down(_annotation(messages[name]).get("rating"))]
    return next(reversed(down or answers), "")


def _annotation(message: Mapping[str, object]) -> Mapping[str, object]:
    return _object(message.get("annotation"))


def _is_down(rating: object) -> bool:
    return str(rating) == "-1"


def _note(
    row: Json,
    place: Place,
    name: str,
    message: Mapping[str, object],
    note: Mapping[str, object],
) -> Iterator[Piece]:
    about = _name(row.get("id"), name)
    own_id = message.get("feedbackId")
    try:
        yield vote(
            place,
            note.get("rating"),
            (about,),
            id=own_id or f"{about}/vote",
            user=row.get("user_id"),
            at=message.get("timestamp"),
            reason=note.get("reason"),
            comment=note.get("comment"),
            summary=own_id is not None,
        )
    except UnknownNumber:
        return  # a comparison of models: the feedback export tells


def _question(
    place: Place, chat: Mapping[str, object], messages: _Messages, asked: str, answer: str
) -> Piece:
    said = messages[asked]
    reply = messages.get(answer, {})
    siblings = [name for name, m in messages.items() if m.get("parentId") == asked]
    feedback = [messages[name].get("feedbackId") for name in siblings]
    own = chat.get("id")
    return question(
        place,
        {"question": said.get("content")},
        id=_name(own, asked),
        aliases=[*(_name(own, name) for name in siblings), *feedback],
        session=own,
        user=chat.get("user_id"),
        at=said.get("timestamp"),
        until=reply.get("timestamp") if moment(reply.get("timestamp")) else None,
        answer=reply.get("content"),
        chunks=_sources(reply.get("sources", reply.get("citations"))),
        title=chat.get("title"),
        history=_history(messages, asked),
    )


def _history(messages: _Messages, asked: str) -> tuple[RawTurn, ...]:
    turns: list[RawTurn] = []
    above, met = messages[asked].get("parentId"), {asked}
    while isinstance(above, str) and above in messages and above not in met:
        met.add(above)
        message = messages[above]
        text = raw(message.get("content"))
        if text and message.get("role") in ("user", "assistant"):
            turns.append(RawTurn(str(message["role"]), text))
        above = message.get("parentId")
    return tuple(reversed(turns[:MAX_TURNS]))


def _sources(value: object) -> list[Json]:
    found: list[Json] = []
    for source in value if isinstance(value, list) else []:
        if not isinstance(source, dict):
            continue
        metadata = source.get("metadata") or []
        distances = source.get("distances") or []
        for place, meta in enumerate(metadata if isinstance(metadata, list) else []):
            known = _object(meta)
            score = distances[place] if place < len(distances) else None
            found.append(
                {
                    "id": known.get("chunk_id", known.get("id", known.get("file_id"))),
                    "source": known.get("source", known.get("name")),
                    "heading": known.get("headings", known.get("title")),
                    "score": score,
                }
            )
    return found


def _messages(chat: Mapping[str, object]) -> _Messages:
    history = _object(_object(chat.get("chat")).get("history"))
    messages = _object(history.get("messages"))
    return {name: m for name, m in messages.items() if isinstance(m, dict)}


def _name(chat: object, message: str) -> str:
    return f"{chat}-{message}"


def _object(value: object) -> Mapping[str, object]:
    found = embedded(value)
    return found if isinstance(found, dict) else {}

"""RAGFlow: rows of its conversation tables, a whole conversation in each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from curate.ingest.conversation import MAX_TURNS
from curate.ingest.events import Piece, Place, Unusable, question, vote
from curate.ingest.jsontext import embedded
from curate.ingest.values import raw
from curate.model.events import RawTurn
from curate.model.plain import Json


def claims(row: Json) -> bool:
    """Say whether `row` is a conversation of RAGFlow."""
    return "message" in row and "reference" in row and isinstance(embedded(row["message"]), list)


def read(row: Json, place: Place) -> Iterator[Piece]:
    """Yield every question of a conversation with the vote on its answer.

    The references stand in one list, an entry per answer, the opening greeting apart.
    """
    messages = [m for m in _list(embedded(row.get("message"))) if isinstance(m, dict)]
    references = _list(embedded(row.get("reference")))
    session = row.get("id")
    history: list[RawTurn] = []
    found = False
    answered = 0
    for number, message in enumerate(messages):
        role, text = message.get("role"), raw(message.get("content"))
        if text is None:
            continue
        if role == "user":
            found = True
            reply = messages[number + 1] if number + 1 < len(messages) else {}
            reply = reply if reply.get("role") == "assistant" else {}
            reference = embedded(references[answered]) if answered < len(references) else None
            answered += bool(reply)
            own = f"{session}-{message.get('id') or number}"
            at = message.get("created_at", row.get("create_time") if number < 2 else None)
            yield question(
                place,
                {"question": message.get("content")},
                id=own,
                aliases=(message.get("id"),),
                session=session,
                user=row.get("user_id"),
                at=at,
                answer=reply.get("content"),
                chunks=reference,
                title=row.get("name"),
                history=tuple(history[-MAX_TURNS:]),
            )
            if isinstance(reply.get("thumbup"), bool):
                yield vote(
                    place,
                    reply["thumbup"],
                    (own,),
                    id=f"{own}/vote",
                    user=row.get("user_id"),
                    at=at,
                    comment=reply.get("feedback"),
                )
        if role in ("user", "assistant") and (found or role == "user"):
            history.append(RawTurn(str(role), text))
    if not found:
        raise Unusable("a conversation without a question")


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []

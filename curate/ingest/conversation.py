"""Chat messages, whatever shape they are logged in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from curate.ingest.jsontext import embedded
from curate.ingest.values import raw
from curate.model.events import RawText, RawTurn

MAX_TURNS = 50
"""How many messages of a history are kept: the last ones."""

_USER = ("user", "human", "customer", "user_message")
_ASSISTANT = ("assistant", "ai", "bot", "model", "assistant_message", "agent")


@dataclass(frozen=True, slots=True)
class Chat:
    """What a list of messages says: the last user message, what came before, what answered it."""

    question: RawText
    history: tuple[RawTurn, ...] = ()
    answer: RawText | None = None


def role_of(message: Mapping[str, object]) -> str:
    """Return `user`, `assistant`, or an empty string for system, developer and tool messages."""
    role = message.get("role", message.get("type", message.get("sender", message.get("from"))))
    if isinstance(role, list):  # LangChain's constructor form: ["langchain", ..., "HumanMessage"]
        role = role[-1] if role else ""
    word = str(role).casefold() if role is not None else ""
    if word in ("constructor", "none", ""):
        name = message.get("id")
        word = str(name[-1]).casefold() if isinstance(name, list) and name else word
    word = word.removesuffix("messagechunk").removesuffix("message").rstrip("_")
    if word in _USER:
        return "user"
    return "assistant" if word in _ASSISTANT else ""


def chat(value: object, depth: int = 4) -> Chat | None:
    """Read what was asked: a list of chat messages, or an object that holds one or the question
    itself beside its history, as chains and agents log their input. None where nobody asks.

    System, developer and tool messages are dropped.
    """
    value = embedded(value)
    if isinstance(value, dict):
        return _asked(value, depth)
    if not isinstance(value, list) or not value:
        return None
    first = value[0]
    if isinstance(first, list) and depth and not (first and isinstance(first[0], str)):
        return chat(first, depth - 1)  # LangChain wraps a batch of conversations
    turns: list[RawTurn] = []
    for message in value:
        if isinstance(message, list) and len(message) == 2:  # LangChain's pair of role and text
            message = {"role": message[0], "content": message[1]}
        if not isinstance(message, dict):
            return None
        role = role_of(message)
        text = _content(message)
        if role and text:
            turns.append(RawTurn(role, text))
    last = max((n for n, turn in enumerate(turns) if turn.role == "user"), default=None)
    if last is None:
        return None
    answers = [turn.content for turn in turns[last + 1 :]]
    return Chat(
        turns[last].content, tuple(turns[:last][-MAX_TURNS:]), answers[-1] if answers else None
    )


def _content(message: Mapping[str, object]) -> RawText | None:
    inner = message.get("kwargs", message.get("data", message))
    body = inner if isinstance(inner, dict) else message
    return raw(body.get("content", body.get("text", body.get("parts"))))


def _asked(value: Mapping[str, object], depth: int) -> Chat | None:
    if isinstance(embedded(value.get("messages")), list):
        return chat(value["messages"])
    for key in _ASKING:
        said = embedded(value.get(key))
        if isinstance(said, str) and (text := raw(said)):
            past = next((value[name] for name in _PAST if value.get(name)), None)
            return Chat(text, history_of(past))
        if isinstance(said, dict | list) and depth and (found := chat(said, depth - 1)):
            return found
        if isinstance(said, list) and len(said) == 1 and (text := raw(said[0])):
            return Chat(text)  # the arguments of a traced function
    return None


_ASKING = (
    "question",
    "query",
    "user_query",
    "input",
    "inputs",
    "prompt",
    "user_input",
    "query_str",
    "message",
    "text",
    "kwargs",
    "args",
)
_PAST = ("chat_history", "history", "previous_messages")


def answer_of(value: object) -> RawText | None:
    """Return the answer in what a chain, an agent or a model put out."""
    value = embedded(value)
    messages = embedded(value.get("messages")) if isinstance(value, dict) else value
    if isinstance(messages, list):
        for message in reversed(messages):
            if isinstance(message, dict) and role_of(message) == "assistant":
                return _content(message)
    if isinstance(value, dict):
        for key in ("generations", "choices", "replies"):
            found = embedded(value.get(key))
            while isinstance(found, list) and found:
                found = found[0]
            if isinstance(found, dict):
                message = found.get("message")
                said = _content(message) if isinstance(message, dict) else None
                return said or raw(message) or raw(found)
            if isinstance(found, str):
                return raw(found)
    return raw(value)


def history_of(value: object) -> tuple[RawTurn, ...]:
    """Return earlier messages: chat messages, or pairs of question and answer, oldest first."""
    value = embedded(value)
    if isinstance(value, dict):
        value = value.get("messages")
    if not isinstance(value, list):
        return ()
    turns: list[RawTurn] = []
    for message in value:
        if isinstance(message, dict):
            pair = [
                ("user", message.get("question", message.get("query"))),
                ("assistant", message.get("answer", message.get("response"))),
            ]
            role = role_of(message)
            said = [(role, message.get("content", message.get("text", message.get("parts"))))]
            spoken = said if role else pair
        elif isinstance(message, list | tuple) and len(message) == 2:
            first = str(message[0]).casefold()
            spoken = [("user", message[0]), ("assistant", message[1])]
            if first in _USER or first in _ASSISTANT:
                spoken = [("user" if first in _USER else "assistant", message[1])]
        else:
            continue
        turns += [RawTurn(who, text) for who, what in spoken if (text := raw(what))]
    return tuple(turns[-MAX_TURNS:])

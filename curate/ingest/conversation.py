"""Chat messages and retrieved chunks, whatever shape they are logged in."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from curate.ingest.jsontext import embedded
from curate.ingest.values import CODED, LONGEST_ID, ident, number, raw, text_of
from curate.model.events import RawChunk, RawText, RawTurn

MAX_TURNS = 50
"""How many messages of a history are kept: the last ones."""

MAX_CHUNKS = 100
"""How many retrieved chunks of a question are kept: the first ones."""

_USER = ("user", "human", "customer", "user_message")
_ASSISTANT = ("assistant", "ai", "bot", "model", "assistant_message", "agent")
_LITERAL_LIMIT = 1_000_000


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
    if isinstance(value[0], list) and depth:  # LangChain wraps a batch of conversations
        return chat(value[0], depth - 1)
    turns: list[RawTurn] = []
    for message in value:
        if not isinstance(message, dict):
            return None
        role = role_of(message)
        inner = message.get("kwargs", message.get("data", message))
        body = inner if isinstance(inner, dict) else message
        text = raw(body.get("content", body.get("text", body.get("parts"))))
        if role and text:
            turns.append(RawTurn(role, text))
    last = max((n for n, turn in enumerate(turns) if turn.role == "user"), default=None)
    if last is None:
        return None
    answers = [turn.content for turn in turns[last + 1 :]]
    return Chat(
        turns[last].content, tuple(turns[:last][-MAX_TURNS:]), answers[-1] if answers else None
    )


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
                inner = message.get("kwargs", message.get("data", message))
                body = inner if isinstance(inner, dict) else message
                return raw(body.get("content", body.get("text", body.get("parts"))))
    if isinstance(value, dict):
        for key in ("generations", "choices", "replies"):
            found = embedded(value.get(key))
            while isinstance(found, list) and found:
                found = found[0]
            if isinstance(found, dict):
                return raw(found.get("message", found))
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


def chunks_of(value: object, plain: bool = False) -> tuple[RawChunk, ...]:
    """Return the retrieved chunks in their order, ranked from 1. Their texts are not kept.

    Takes a list of ids or of objects, JSON-in-JSON, a Python repr (as data frames write it to
    CSV), or an object that holds such a list. `plain` promises that no character needs replacing.
    """
    if not isinstance(value, list):
        value = embedded(value)
    if isinstance(value, str):
        value = _literal(value)
    if isinstance(value, dict):
        for key in ("documents", "nodes", "chunks", "matches", "results", "sources"):
            if isinstance(value.get(key), list):
                return chunks_of(value[key], plain)
        return ()
    if not isinstance(value, list | tuple):
        return ()
    found: list[RawChunk] = []
    for entry in value[:MAX_CHUNKS]:
        rank = len(found) + 1
        chunk = _quick(entry, rank) if plain and type(entry) is dict else None
        if chunk is None:
            chunk = _chunk(embedded(entry), rank)
        if chunk is not None:
            found.append(chunk)
    return tuple(found)


def _literal(text: str) -> object:
    if not text.startswith(("[", "(", "{")):
        # One id, or several with commas or semicolons between them, in a cell.
        parts = [part.strip() for part in text.replace(";", ",").replace("\n", ",").split(",")]
        return [part for part in parts if part]
    if len(text) > _LITERAL_LIMIT:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


_ID = (
    "id",
    "chunk_id",
    "chunkId",
    "id_",
    "document.id",
    "node_id",
    "segment_id",
    "doc_id",
    "uuid",
    "document_id",
    "file_id",
    "fileId",
)
_SOURCE = (
    "source",
    "file_name",
    "fileName",
    "filename",
    "document_name",
    "doc_uri",
    "file_path",
    "path",
    "url",
    "uri",
    "source_file",
    "name",
    "document",
)
_HEADING = ("heading", "section", "header", "title")
_SCORE = (
    "score",
    "document.score",
    "similarity",
    "relevance",
    "relevance_score",
    "distance",
    "_score",
)
_INNER = ("node", "document", "doc", "chunk")
_META = ("metadata", "meta", "document.metadata", "payload")


class Layout(NamedTuple):
    """The keys of a flat object under which a chunk's id, source, heading and score stand, empty
    where there are none; `sure` says that there is no other key for one of them.
    """

    id: str
    source: str
    heading: str
    score: str
    sure: bool


@lru_cache(maxsize=256)
def layout(keys: tuple[str, ...]) -> Layout | None:
    """Return where what is in an object with these keys; None where it may be further inside."""
    if not {*_INNER, *_META}.isdisjoint(keys):
        return None
    wanted = (_ID, _SOURCE, _HEADING, _SCORE)
    found = [[key for key in one if key in keys] for one in wanted]
    id_, source, heading, score = (one[0] if one else "" for one in found)
    return Layout(id_, source, heading, score, all(len(one) < 2 for one in found))


def _quick(entry: dict[str, object], rank: int) -> RawChunk | None:
    """Read the usual flat object quickly; None sends anything else the long way."""
    where = layout(tuple(entry))
    if where is None:
        return None
    id_, source, heading, score = map(entry.get, where[:4])
    if not where.sure and None in (id_, source, heading, score):
        return None
    for text in (id_, source, heading):
        # The type itself, not isinstance: this runs for every chunk of every line.
        if text is None:
            continue
        if (
            type(text) is not str
            or text[:1] in _CODED
            or len(text) > LONGEST_ID
            or text[-1].isspace()
        ):
            return None
    if score is not None and type(score) is not float and type(score) is not int:
        return None
    return RawChunk(
        rank,
        None if id_ is None else RawText(str(id_)),
        None if source is None else RawText(str(source)),
        None if heading is None else RawText(str(heading)),
        score,
    )


# What sends a text the long way: nothing, JSON, white space.
_CODED = CODED | {""}


def _chunk(entry: object, rank: int) -> RawChunk | None:
    if isinstance(entry, str | int) and not isinstance(entry, bool):
        text = str(entry).strip()
        # A text where an id should be is the passage itself, which is not kept.
        name = ident(text) if len(text) <= 200 and "\n" not in text else None
        return RawChunk(rank, id=name)
    if isinstance(entry, list | tuple) and entry and isinstance(entry[0], dict):
        inner = _chunk(entry[0], rank)  # LangChain: (document, score)
        score = number(entry[1]) if len(entry) > 1 else None
        if inner is None:
            return None
        return RawChunk(rank, inner.id, inner.source, inner.heading, score)
    if not isinstance(entry, dict):
        return None
    layers: list[Mapping[str, object]] = [entry]
    for key in _INNER:
        if isinstance(inner_value := entry.get(key), dict):
            layers.append(inner_value)
    for layer in list(layers):
        for key in _META:
            if isinstance(meta := embedded(layer.get(key)), dict):
                layers.append(meta)
    return RawChunk(
        rank,
        id=ident(_first(layers, _ID)),
        source=_name(_first(layers, _SOURCE)),
        heading=_name(_first(layers, _HEADING)),
        score=number(_first(layers, _SCORE)),
    )


def _first(layers: Sequence[Mapping[str, object]], keys: Sequence[str]) -> object:
    for key in keys:
        for layer in layers:
            value = layer.get(key)
            if value is not None and value != "" and not isinstance(value, dict | list):
                return value
    return None


def _name(value: object) -> RawText | None:
    text = text_of(value)
    return raw(text[:512]) if text else None

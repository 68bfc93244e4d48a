"""Retrieved chunks, whatever shape they are logged in."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from curate.ingest.jsontext import embedded
from curate.ingest.paths import ABSENT, walk
from curate.ingest.values import CODED, LONGEST_ID, ident, number, raw, text_of
from curate.model.events import RawChunk, RawText

MAX_CHUNKS = 100
"""How many retrieved chunks of a question are kept: the first ones."""

_LITERAL_LIMIT = 1_000_000
_INNER = ("node", "document", "doc", "chunk")
_META = ("metadata", "meta", "document.metadata", "payload")


@dataclass(frozen=True, slots=True, eq=False)  # each is itself: looked up for every chunk
class ChunkNames:
    """The names, or dotted paths, that a chunk's id, source, heading and score may have in a log,
    the best first.
    """

    id: tuple[str, ...] = (
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
    source: tuple[str, ...] = (
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
    heading: tuple[str, ...] = ("heading", "section", "header", "title")
    score: tuple[str, ...] = (
        "score",
        "document.score",
        "similarity",
        "relevance",
        "relevance_score",
        "distance",
        "_score",
    )

    def told(self, paths: Mapping[str, str]) -> ChunkNames:
        """Return the names with those of `paths` before them, alternatives parted by `|`."""
        more = {name: tuple(map(str.strip, path.split("|"))) for name, path in paths.items()}
        return replace(self, **{name: more[name] + getattr(self, name) for name in more})

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter((self.id, self.source, self.heading, self.score))


USUAL = ChunkNames()


def chunks_of(
    value: object, plain: bool = False, names: ChunkNames = USUAL
) -> tuple[RawChunk, ...]:
    """Return the retrieved chunks in their order, ranked from 1. Their texts are not kept.

    Takes a list of ids or of objects, JSON-in-JSON, a Python repr (as data frames write it to
    CSV), or an object that holds such a list. `plain` promises that no character needs replacing,
    `names` say what is where in an object.
    """
    if not isinstance(value, list):
        value = embedded(value)
    if isinstance(value, str):
        value = _literal(value)
    if isinstance(value, dict):
        for key in ("documents", "nodes", "chunks", "matches", "results", "sources"):
            if isinstance(value.get(key), list):
                return chunks_of(value[key], plain, names)
        return ()
    if not isinstance(value, list | tuple):
        return ()
    found: list[RawChunk] = []
    for entry in value[:MAX_CHUNKS]:
        rank = len(found) + 1
        chunk = _quick(entry, rank, names) if plain and type(entry) is dict else None
        if chunk is None:
            chunk = _chunk(embedded(entry), rank, names)
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
def layout(keys: tuple[str, ...], names: ChunkNames = USUAL) -> Layout | None:
    """Return where what is in an object with these keys; None where it may be further inside."""
    inner = {name.split(".")[0] for one in names for name in one if "." in name}
    if not {*_INNER, *_META, *inner}.isdisjoint(keys):
        return None
    found = [[key for key in one if key in keys] for one in names]
    id_, source, heading, score = (one[0] if one else "" for one in found)
    return Layout(id_, source, heading, score, all(len(one) < 2 for one in found))


def _quick(entry: dict[str, object], rank: int, names: ChunkNames) -> RawChunk | None:
    """Read the usual flat object quickly; None sends anything else the long way."""
    where = layout(tuple(entry), names)
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


def _chunk(entry: object, rank: int, names: ChunkNames) -> RawChunk | None:
    if isinstance(entry, str | int) and not isinstance(entry, bool):
        text = str(entry).strip()
        # A text where an id should be is the passage itself, which is not kept.
        name = ident(text) if len(text) <= 200 and "\n" not in text else None
        return RawChunk(rank, id=name)
    if isinstance(entry, list | tuple) and entry and isinstance(entry[0], dict):
        inner = _chunk(entry[0], rank, names)  # LangChain: (document, score)
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
        id=ident(_first(layers, names.id)),
        source=_name(_first(layers, names.source)),
        heading=_name(_first(layers, names.heading)),
        score=number(_first(layers, names.score)),
    )


def _first(layers: Sequence[Mapping[str, object]], keys: Sequence[str]) -> object:
    for key in keys:
        for layer in layers:
            value = walk(layer, tuple(key.split("."))) if "." in key else layer.get(key)
            if (
                value is not None
                and value is not ABSENT
                and value != ""
                and not isinstance(value, dict | list)
            ):
                return value
    return None


def _name(value: object) -> RawText | None:
    text = text_of(value)
    return raw(text[:512]) if text else None

"""Chunk files as splitters and vector stores write them -> our lines: `id, source, text`.

Read are JSON lines and arrays of our own fields, of LangChain documents (plain, serialised, or
the dump of an in-memory store) and of LlamaIndex nodes (also a persisted docstore), Chroma's
`collection.get()`, and Parquet with any of these columns.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, cast

from curate.model.errors import CurateError, Exit
from curate.model.plain import Json
from curate.text import strip_space

_TEXTS = ("text", "page_content", "pageContent", "document", "content")
_IDS = ("id", "id_", "node_id", "chunk_id", "_id")
_SOURCES = ("source", "file_path", "file_name", "filename", "path", "url")
_HEADINGS = ("heading", "section", "title")
_STARTS = ("start", "start_index", "start_char_idx")
_ORDERS = ("chunk_index", "order", "index")
_ARRAY = 1 << 30
"""Bytes of the largest JSON file that is not in lines."""


def is_plain(path: Path) -> bool:
    """Say whether the first line of a file is a chunk in our own fields; others may be beside."""
    try:
        with _open(path) as stream:
            first = next((line for line in stream if line.strip()), b"")
        row = json.loads(first)
    except (ValueError, RecursionError, EOFError, zlib.error):
        return False
    return isinstance(row, dict) and all(
        isinstance(row.get(key), str) for key in ("id", "source", "text")
    )


def rows(path: Path) -> Iterator[Json]:
    """Yield the chunks of a file in our own fields, in order.

    Raises `CurateError` naming the file and the line or record where one has no id, source or
    text, or an id stands twice. Parquet needs pyarrow.
    """
    seen: set[str] = set()
    for place, told in _records(path):
        row = _row(path, place, told)
        if row["id"] in seen:
            raise _bad(path, place, "has the id of a chunk before it")
        seen.add(row["id"])
        yield row


def write(rows: Iterator[Json], stream: IO[bytes], home: Callable[[str], str]) -> int:
    """Write chunks as lines, each under the source that `home` gives, and return how many."""
    number = 0
    for number, row in enumerate(rows, 1):  # noqa: B007 - counts
        row["source"] = home(row["source"])
        stream.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
    return number


# ---------------------------------------------------------------------------- records


def _records(path: Path) -> Iterator[tuple[str, Any]]:
    if path.suffix.lower() == ".parquet":
        yield from _parquet(path)
        return
    try:
        with _open(path) as stream:
            head = stream.read(1 << 16).lstrip(b"\xef\xbb\xbf \t\r\n")
            stream.seek(0)
            if not head:
                return
            if head[:1] == b"[" or not _is_lines(head):
                yield from _whole(path, stream)
                return
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield f"line {number}", _parsed(path, f"line {number}", line)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise CurateError(f"{path} is damaged: it does not unpack", "Export it again.") from None


def _is_lines(head: bytes) -> bool:
    """Say whether a file that begins with `head` holds an object per line."""
    first, separator, rest = head.partition(b"\n")
    try:
        made = json.loads(first)
    except ValueError:
        return bool(separator) and first[:1] == b"{" and first.rstrip()[-1:] == b"}"
    return bool(rest.strip()) or not _holds_many(made)


def _holds_many(made: object) -> bool:
    return isinstance(made, dict) and not any(
        key in made for key in (*_TEXTS, "kwargs", "__data__")
    )


def _whole(path: Path, stream: IO[bytes]) -> Iterator[tuple[str, Any]]:
    data = stream.read(_ARRAY + 1)
    if len(data) > _ARRAY:
        raise CurateError(
            f"{path} is larger than 1 GiB and not in lines", "Write one chunk a line.", Exit.USAGE
        )
    made = _parsed(path, "the file", data)
    if isinstance(made, dict):
        made = list(_unfolded(path, made))
    for number, one in enumerate(made, 1):
        yield f"record {number}", one


def _unfolded(path: Path, made: dict[str, Any]) -> Iterator[Any]:
    if isinstance(made.get("ids"), list) and isinstance(made.get("documents"), list):
        yield from _chroma(path, made)
        return
    held = made.get("docstore/data", made)
    if not isinstance(held, dict) or not held:
        raise _bad(path, "the file", "holds no chunks")
    for key, one in held.items():
        yield {"id": key, **one} if isinstance(one, dict) else one


def _chroma(path: Path, made: dict[str, Any]) -> Iterator[Any]:
    ids, texts = made["ids"], made["documents"]
    metadata = made.get("metadatas") or [{}] * len(ids)
    if len(ids) != len(texts) or len(ids) != len(metadata):
        raise _bad(path, "the file", "holds ids, documents and metadatas of unlike length")
    for name, text, more in zip(ids, texts, metadata, strict=True):
        yield {"id": name, "text": text, "metadata": more or {}}


def _parquet(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
        import pyarrow.parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise CurateError(
            "Parquet needs pyarrow, which is not installed",
            "Install it with `pip install curate[parquet]`, or export JSON lines.",
            Exit.USAGE,
        ) from None
    try:
        number = 0
        for batch in pyarrow.parquet.ParquetFile(path).iter_batches():
            for row in batch.to_pylist():
                number += 1
                yield f"row {number}", row
    except (OSError, pyarrow.ArrowException):
        raise CurateError(f"{path} is no readable Parquet file", "Export it again.") from None


# ---------------------------------------------------------------------------- one chunk


def _row(path: Path, place: str, told: Any) -> Json:
    held = _flat(told)
    name, source = _first(held, _IDS), _first(held, _SOURCES)
    text = next((held[key] for key in _TEXTS if isinstance(held.get(key), str)), None)
    if name is None:
        raise _bad(path, place, "has no id: gold is told by ids, so every chunk needs its own")
    if source is None:
        raise _bad(path, place, "names no document: no `source` or `file_path`")
    if text is None or not strip_space(text):
        raise _bad(path, place, "has no text")
    row: Json = {"id": name, "source": source.replace("\\", "/"), "text": text}
    heading = _first(held, _HEADINGS) or _deepest(held)
    if heading:
        row["heading"] = heading
    for key, names in (("start", _STARTS), ("chunk_index", _ORDERS)):
        number = next((held[one] for one in names if isinstance(held.get(one), int)), None)
        if number is not None and number >= 0:
            row[key] = number
    return row


def _flat(told: Any) -> Mapping[str, Any]:
    """Return a record's fields with those of its metadata behind them."""
    if not isinstance(told, dict):
        return {}
    if isinstance(told.get("kwargs"), dict):  # LangChain's `dumpd`: its `id` names a class
        told = told["kwargs"]
    if isinstance(told.get("__data__"), dict):
        told = {**told, **told["__data__"]}
    if isinstance(told.get("text_resource"), dict):
        told = {**told, "text": told["text_resource"].get("text")}
    more = told.get("metadata") or told.get("metadatas") or {}
    return {**more, **{k: v for k, v in told.items() if v is not None}} if more else told


def _first(held: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = held.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value)
    return None


def _deepest(held: Mapping[str, Any]) -> str | None:
    """Return the innermost heading of LangChain's Markdown splitter: `Header 1`, `Header 2`, ..."""
    found = [held.get(f"Header {level}") for level in range(6, 0, -1)]
    return next((heading for heading in found if isinstance(heading, str) and heading), None)


def _parsed(path: Path, place: str, data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise _bad(path, place, "is no valid JSON") from None


def _open(path: Path) -> IO[bytes]:
    try:
        if path.exists() and not path.is_file():
            raise CurateError(f"{path} is no file", "Name a file of chunks.", Exit.USAGE)
        with path.open("rb") as stream:
            packed = stream.read(2) == b"\x1f\x8b"
        return cast(IO[bytes], gzip.open(path)) if packed else path.open("rb")
    except OSError as error:
        raise CurateError(
            f"{path} cannot be read: {error.strerror}", "Name a file of chunks."
        ) from None


def _bad(path: Path, place: str, why: str) -> CurateError:
    return CurateError(f"{path}, {place}: {why}", "Mend it there, or export it anew.", Exit.USAGE)

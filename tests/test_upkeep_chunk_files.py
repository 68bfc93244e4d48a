"""Chunk files as splitters and vector stores write them."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from curate.model.errors import CurateError
from curate.workspace.upkeep.chunk_files import is_plain, rows, write

OURS = [
    {"id": "a1", "source": "a.md", "text": "One.", "heading": "A", "start": 0},
    {"id": "a2", "source": "a.md", "text": "Two.", "heading": "A", "start": 5},
]
LANGCHAIN = [
    {
        "id": one["id"],
        "metadata": {
            "source": "a.md",
            "start_index": one["start"],
            "Header 1": "X",
            "Header 2": "A",
        },
        "page_content": one["text"],
        "type": "Document",
    }
    for one in OURS
]
SERIALISED = [
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "document", "Document"],
        "kwargs": one,
    }
    for one in LANGCHAIN
]
STORE = {
    one["id"]: {"id": one["id"], "vector": [0.1], "text": one["text"], "metadata": m["metadata"]}
    for one, m in zip(OURS, LANGCHAIN, strict=True)
}
NODES = [
    {
        "id_": one["id"],
        "embedding": None,
        "metadata": {"file_path": "a.md", "section": "A"},
        "relationships": {"1": {"node_id": "d"}},
        "text": one["text"],
        "start_char_idx": one["start"],
        "end_char_idx": 9,
        "class_name": "TextNode",
    }
    for one in OURS
]
DOCSTORE = {
    "docstore/data": {one["id_"]: {"__data__": one, "__type__": "1"} for one in NODES},
    "docstore/metadata": {},
}
CHROMA = {
    "ids": [one["id"] for one in OURS],
    "embeddings": None,
    "documents": [one["text"] for one in OURS],
    "metadatas": [{"source": "a.md", "heading": "A", "start_index": one["start"]} for one in OURS],
}


def lines(made: list[Any]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in made).encode()


@pytest.mark.parametrize(
    "data",
    [
        lines(OURS),
        gzip.compress(lines(OURS)),
        b"\xef\xbb\xbf" + lines(OURS),
        json.dumps(OURS).encode(),
        lines(LANGCHAIN),
        json.dumps(LANGCHAIN, indent=2).encode(),
        lines(SERIALISED),
        json.dumps(STORE).encode(),
        json.dumps(NODES).encode(),
        lines(NODES),
        json.dumps(DOCSTORE).encode(),
        json.dumps(CHROMA, indent=1).encode(),
    ],
    ids=[
        "lines", "packed", "mark", "array", "langchain lines", "langchain array", "serialised",
        "in-memory store", "nodes", "node lines", "docstore", "chroma",
    ],
)  # fmt: skip
def test_every_shape_gives_the_same_chunks(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "chunks.json"
    path.write_bytes(data)
    assert list(rows(path)) == OURS


def test_only_our_own_lines_are_plain(tmp_path: Path) -> None:
    for number, (data, plain) in enumerate(
        (
            (lines(OURS), True),
            (lines([OURS[0] | {"score": 1}]), True),
            (lines([OURS[0] | {"id": 7}]), False),
            (lines(NODES), False),
            (b"", False),
            (b"\xff", False),
        )
    ):
        path = tmp_path / str(number)
        path.write_bytes(data)
        assert is_plain(path) == plain


def test_sources_are_written_under_their_home() -> None:
    stream = io.BytesIO()
    made = iter([dict(one) for one in OURS])
    assert write(made, stream, lambda source: f"docs/{source}") == 2
    assert [json.loads(line)["source"] for line in stream.getvalue().splitlines()] == [
        "docs/a.md"
    ] * 2


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (lines([{"id": "a", "text": "SECRET"}]), "line 1: names no document"),
        (lines([OURS[0], {"source": "a.md", "text": "SECRET"}]), "line 2: has no id"),
        (lines([OURS[0], OURS[0]]), "line 2: has the id of"),
        (lines([{"id": "a", "source": "SECRET", "text": " "}]), "line 1: has no text"),
        (lines(OURS) + b'{"SECRET\n', "line 3: is no valid JSON"),
        (b'["SECRET"]', "record 1: has no id"),
        (b'{"ids": ["a"], "documents": []}', "unlike length"),
        (b'{"docstore/data": {}}', "holds no chunks"),
        (gzip.compress(lines(OURS), mtime=0)[:-9], "does not unpack"),
    ],
    ids=range(9),
)
def test_a_bad_chunk_is_named_by_its_place_and_never_quoted(
    tmp_path: Path, data: bytes, place: str
) -> None:
    path = tmp_path / "chunks.json"
    path.write_bytes(data)
    with pytest.raises(CurateError, match=place) as caught:
        list(rows(path))
    assert "SECRET" not in caught.value.message


def test_parquet_needs_its_extra_or_gives_the_same_chunks(tmp_path: Path) -> None:
    path = tmp_path / "chunks.parquet"
    try:
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
        import pyarrow.parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        with pytest.raises(CurateError, match="pyarrow"):
            list(rows(path))
        return
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(OURS), path)
    assert list(rows(path)) == OURS


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CurateError, match="pipe is no file"):
        next(rows(tmp_path / "pipe"))

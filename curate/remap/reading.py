"""Chunk files and gold labels -> columns. JSONL, optionally gzipped, split on LF only."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

import msgspec
import xxhash

from curate.model.errors import CurateError, Exit
from curate.remap.folding import fold

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much (bytes or pieces)."""

_BLOCK = 8 << 20
_SAMPLE = 2 << 20
_SAMPLE_LINES = 500
_LEADS = 4  # lines at the head of a chunk that may be context


class _Line(msgspec.Struct, gc=False):
    id: str
    source: str
    text: str
    heading: str | None = None
    start: int | None = None
    chunk_index: int | None = None


class _Unread(msgspec.Struct, gc=False):
    """A line whose text is not decoded yet."""

    id: str
    source: str
    text: msgspec.Raw
    heading: str | None = None
    start: int | None = None
    chunk_index: int | None = None


class _Source(msgspec.Struct, gc=False):
    source: str


_SOURCE = msgspec.json.Decoder(_Source)


class _Label(msgspec.Struct, gc=False):
    id: str
    source: str | None = None
    heading: str | None = None
    evidence: str | None = None
    relevantChunkIds: list[str] = []


@dataclass(frozen=True, slots=True)
class Label:
    """An item's gold: the chunk ids it was labelled with and, where known, the evidence."""

    id: str
    source: str
    heading: str
    evidence: str = field(repr=False)
    chunks: tuple[str, ...]


@dataclass(slots=True)
class Chunks:
    """A chunk file as columns, in file order; `leads` only in files with context lines.

    `bodies` are folded texts. `total` counts the file's chunks, those not wanted included.
    `leads[i]` are the folded lengths of the first one, two, ... lines of chunk `i`.
    Where only some sources were wanted, `texts` are the raw texts, and `blocks` are the sources,
    wanted or not, in each block of the file.
    """

    path: Path
    total: int = 0
    digest: str = ""
    ids: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    indexes: list[int] = field(default_factory=list)
    leads: list[tuple[int, ...]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    blocks: list[frozenset[str]] = field(default_factory=list)
    blank: int = 0
    first_blank: str = ""


def leads(text: str) -> tuple[int, ...]:
    """Return the folded lengths of the first one to four non-blank lines of `text`.

    The last line of a text is no lead: something must follow.
    """
    lengths: list[int] = []
    reached = at = 0
    while len(lengths) < _LEADS:
        cut = text.find("\n", at, at + 400)
        if cut < 0:
            break
        line = len(fold(text[at:cut]))
        at = cut + 1
        if not text[at:].strip():
            break
        if line:
            reached += line
            lengths.append(reached)
    return tuple(lengths)


def read_chunks(
    path: Path,
    *,
    wanted: Collection[str] | None,
    gold_ids: Collection[str] = (),
    context: bool = False,
    progress: Progress,
    stage: str,
) -> Chunks:
    """Read the chunks of `path` whose source is `wanted` (None: all) or whose id is gold.

    Every line's id and source are checked, wanted or not. Raises CurateError naming file and
    line when a line is no chunk, a field is missing or an id stands twice.
    """
    chunks = Chunks(path)
    seen: set[str] = set()
    interned: dict[str, str] = {}
    decoder = _decoder(wanted)
    digest = xxhash.xxh3_128()
    for block in _blocks(path, progress, stage):
        digest.update(block)
        rows = _decode(decoder, block, path)
        before = len(seen)
        seen.update([row.id for row in rows])
        if len(seen) != before + len(rows):
            raise _duplicate(path)
        chunks.total += len(rows)
        if wanted is not None:
            chunks.blocks.append(frozenset([row.source for row in rows]))
            rows = [row for row in rows if row.source in wanted or row.id in gold_ids]
        _add(chunks, rows, interned, context, keep_texts=wanted is not None)
    if not chunks.total:
        raise CurateError(
            f"{path}: no chunks in it.",
            "Give a JSONL file with one chunk a line: id, source, text.",
            Exit.USAGE,
        )
    chunks.digest = f"xxh3:{digest.hexdigest()}"
    return chunks


def read_more(chunks: Chunks, wanted: Collection[str], *, context: bool) -> None:
    """Add the chunks of more sources to `chunks`, from the blocks of the file that hold them."""
    numbers = {number for number, held in enumerate(chunks.blocks) if not held.isdisjoint(wanted)}
    if not numbers:
        return
    interned: dict[str, str] = {}
    decoder = _decoder(wanted)
    for number, block in enumerate(_blocks(chunks.path, _quiet, "")):
        if number in numbers:
            rows = [row for row in _decode(decoder, block, chunks.path) if row.source in wanted]
            _add(chunks, rows, interned, context, keep_texts=False)


def _quiet(stage: str, done: int, total: int) -> None:
    pass


def _decoder(wanted: Collection[str] | None) -> msgspec.json.Decoder[_Line | _Unread]:
    return msgspec.json.Decoder(_Line if wanted is None else _Unread)


def _add(
    chunks: Chunks,
    rows: list[_Line | _Unread],
    interned: dict[str, str],
    context: bool,
    *,
    keep_texts: bool,
) -> None:
    try:
        texts = [
            row.text if isinstance(row, _Line) else msgspec.json.decode(row.text, type=str)
            for row in rows
        ]
    except msgspec.DecodeError:
        raise _first_bad_line(chunks.path) from None
    bodies = [fold(text) for text in texts]
    chunks.ids += [row.id for row in rows]
    chunks.sources += [interned.setdefault(row.source, row.source) for row in rows]
    headings = [row.heading or "" for row in rows]
    chunks.headings += [interned.setdefault(heading, heading) for heading in headings]
    chunks.bodies += bodies
    chunks.starts += [-1 if row.start is None else row.start for row in rows]
    chunks.indexes += [-1 if row.chunk_index is None else row.chunk_index for row in rows]
    if keep_texts:
        chunks.texts += texts
    if context:
        chunks.leads += [leads(text) for text in texts]
    if not all(bodies):
        chunks.blank += bodies.count(b"")
        chunks.first_blank = chunks.first_blank or rows[bodies.index(b"")].id


@dataclass(frozen=True, slots=True)
class RawBlock:
    """Some lines of a chunk file as they are."""

    text: bytes = field(repr=False)

    def sources(self, lines: Sequence[int]) -> list[str]:
        """Return the sources of these lines of the block."""
        if not lines:
            return []
        every = self.text.split(b"\n")
        return [_SOURCE.decode(every[line]).source for line in lines]


def scan(path: Path, progress: Progress, stage: str) -> Iterator[RawBlock]:
    """Yield a chunk file block by block. It must have been read and found well-formed."""
    for block in _blocks(path, progress, stage):
        yield RawBlock(block)


def as_written(text: str) -> tuple[bytes, bytes]:
    """Return `text` as it may stand in a JSON file: as UTF-8, and in ASCII escapes."""
    return json.dumps(text, ensure_ascii=False).encode("utf-8", "replace"), json.dumps(
        text
    ).encode()


@dataclass(frozen=True, slots=True)
class Sampled:
    """A chunk of the sample from which a file's modes are decided."""

    source: str
    heading: bytes
    body: bytes
    leads: tuple[int, ...]


def sample(path: Path) -> list[list[Sampled]]:
    """Return runs of neighbouring chunks from up to four places of the file.

    A gzipped file is sampled at its beginning only. Lines that are no chunks are passed over;
    reading the whole file reports them.
    """
    runs = []
    decoder = msgspec.json.Decoder(_Line)
    with _open(path) as stream:
        size = 0 if _is_packed(path) else path.stat().st_size
        blocks = []
        if size <= 4 * _SAMPLE:
            lines = stream.read(4 * _SAMPLE).split(b"\n")
            step = max(_SAMPLE_LINES, -(-len(lines) // 4))
            blocks = [lines[at : at + step] for at in range(0, len(lines), step)]
        else:
            for part in range(4):
                stream.seek(size * part // 4)
                blocks.append(stream.read(_SAMPLE).split(b"\n")[bool(part) : -1])
    for block in blocks:
        rows = []
        for line in block[:_SAMPLE_LINES]:
            try:
                row = decoder.decode(line)
            except msgspec.DecodeError:
                continue
            rows.append(
                Sampled(row.source, fold(row.heading or ""), fold(row.text), leads(row.text))
            )
        runs.append(rows)
    return runs


def read_labels(path: Path) -> list[Label]:
    """Read gold labels: JSONL, or one JSON array (`questions.json`).

    Raises CurateError naming file and line when a line is no label or an id stands twice.
    """
    try:
        with _open(path) as stream:
            content = stream.read()
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from None
    labels: list[Label] = []
    seen: dict[str, int] = {}
    for number, row in _label_rows(content.removeprefix(b"\xef\xbb\xbf"), path):
        if row.id in seen:
            raise CurateError(
                f"{path}, line {number}: the id of line {seen[row.id]} again.",
                "Give every item its own id.",
                Exit.USAGE,
            )
        seen[row.id] = number
        labels.append(
            Label(
                row.id,
                row.source or "",
                row.heading or "",
                row.evidence or "",
                tuple(dict.fromkeys(row.relevantChunkIds)),
            )
        )
    return labels


def _label_rows(content: bytes, path: Path) -> Iterator[tuple[int, _Label]]:
    if content.lstrip()[:1] == b"[":
        try:
            yield from enumerate(msgspec.json.decode(content, type=list[_Label]), 1)
        except msgspec.DecodeError as error:
            raise _bad_line(path, None, error) from None
        return
    decoder = msgspec.json.Decoder(_Label)
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            try:
                yield number, decoder.decode(line)
            except msgspec.DecodeError as error:
                raise _bad_line(path, number, error) from None


# ---------------------------------------------------------------------------- bytes


def _open(path: Path) -> BinaryIO:
    try:
        return cast("BinaryIO", gzip.open(path)) if _is_packed(path) else path.open("rb")
    except OSError as error:
        raise _unreadable(path, error) from None


def _is_packed(path: Path) -> bool:
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for, and read twice
            raise CurateError(f"{path}: is no file.", "Name a JSONL file.", Exit.USAGE)
        with path.open("rb") as stream:
            return stream.read(2) == b"\x1f\x8b"
    except OSError as error:
        raise _unreadable(path, error) from None


def _blocks(path: Path, progress: Progress, stage: str) -> Iterator[bytes]:
    """Yield whole lines, some megabytes at a time; a line of any length arrives in one piece.

    The file is cut at the same places every time.
    """
    size = path.stat().st_size if path.exists() else 0
    done = 0
    with _open(path) as stream:
        while True:
            try:
                block = stream.read(_BLOCK)
                if block and not block.endswith(b"\n"):
                    block += stream.readline()
            except (OSError, EOFError, zlib.error) as error:
                raise _unreadable(path, error) from None
            if not block:
                return
            block = block if done else block.removeprefix(b"\xef\xbb\xbf")
            done += len(block)
            progress(stage, min(done, size) if size else done, max(size, done))
            yield block


def _decode(
    decoder: msgspec.json.Decoder[_Line | _Unread], block: bytes, path: Path
) -> list[_Line | _Unread]:
    try:
        return decoder.decode_lines(block)
    except msgspec.DecodeError:
        raise _first_bad_line(path) from None


def _first_bad_line(path: Path) -> CurateError:
    decoder = msgspec.json.Decoder(_Line)
    for number, line in _lines(path):
        try:
            decoder.decode(line)
        except msgspec.DecodeError as error:
            return _bad_line(path, number, error)
    return CurateError(f"{path}: changed while it was read.", "Try again.")


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with _open(path) as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line


class _Id(msgspec.Struct, gc=False):
    id: str


def _duplicate(path: Path) -> CurateError:
    seen: dict[str, int] = {}
    decoder = msgspec.json.Decoder(_Id)
    first = second = 0
    for number, line in _lines(path):
        found = decoder.decode(line).id
        if found in seen:
            first, second = seen[found], number
            break
        seen[found] = number
    return CurateError(
        f"{path}, line {second}: the chunk id of line {first} again.",
        "Gold can't be carried by ids that name two chunks: give every chunk its own id.",
        Exit.USAGE,
    )


def _bad_line(path: Path, number: int | None, error: msgspec.DecodeError) -> CurateError:
    place = f"{path}, line {number}" if number else f"{path}"
    return CurateError(
        f"{place}: {error}.",
        "Each line is one JSON object; chunks have id, source and text, labels have an id.",
        Exit.USAGE,
    )


def _unreadable(path: Path, error: BaseException) -> CurateError:
    reason = getattr(error, "strerror", None) or "not a readable file"
    return CurateError(f"{path}: can't be read ({reason}).", "Name a JSONL file.", Exit.ENVIRONMENT)

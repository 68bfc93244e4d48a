"""Opening a log safely, and its bytes as lines.

A log may be huge, hostile, compressed, half-written or shrinking; whatever it is, memory stays
flat and nothing but a regular file (or standard input) is ever opened.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from curate.model.errors import CurateError, Exit
from curate.model.events import QuestionEvent

MAX_LINE = 16 * 1024 * 1024
"""The longest line that is read, in bytes; a longer one is counted and passed over."""

HEAD = 64 * 1024
"""How many bytes at the start of a log its form is judged by."""

_BLOCK = 256 * 1024
_LITTLE = 8 * 1024
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_SQLITE = b"SQLite format 3\x00"
_FEW = 16
_MAGIC = (
    (_SQLITE, "an SQLite database, and not Open WebUI's: export what it holds as JSON lines"),
    (b"PK\x03\x04", "a ZIP archive or a spreadsheet: unpack it, or save it as CSV"),
    (b"%PDF", "a PDF document, not a log"),
)


class Damaged(Exception):
    """The log's bytes end before their time; the message says why, in words."""


class Unopened(CurateError):
    """What should be a log cannot be opened; `why` says so without its name."""

    def __init__(self, name: str, why: str, hint: str, code: Exit = Exit.ENVIRONMENT) -> None:
        super().__init__(f"{name} {why}", hint, code)
        self.why = why


class Log:
    """An open log: a buffered stream of plain bytes, decompressed, and how far it has been read.

    `path` is a file, `-` for standard input, or an open binary stream. Use it as a context
    manager. Raises `Unopened` for what is missing, unreadable, a directory, a FIFO or a
    device; a symbolic link is followed.

    While lines are read, the last one has the `number`, stands from byte `begun` to `consumed`,
    and has `ended` if its line feed is there. `resumable` says that reading may begin at a line;
    `quickly`, once the format is known, may make the event of a line and its number at once;
    `columns` are names that a table is told to have.
    """

    def __init__(self, path: Path | str | BinaryIO, name: str = "") -> None:
        if isinstance(path, str | Path):
            self.name = name or str(path)
            if str(path) == "-":
                self.name = name or "standard input"
                raw: BinaryIO = sys.stdin.buffer
            else:
                raw = _open(Path(path), self.name)
        else:
            raw, self.name = path, name or "stream"
        self._owned = isinstance(path, Path) or (isinstance(path, str) and path != "-")
        self._raw = raw
        self._counted = _Counted(raw)
        self.total: int | None = _size(raw)
        self.stream: io.BufferedReader[Any] = _buffered(self._counted)
        self._unpacked = _unpacked(self.stream)
        self.compressed = self._unpacked is not None
        if self._unpacked is not None:
            self.stream = _buffered(self._unpacked)
        self.begun = self.consumed = self.number = 0
        self.ended = True
        self.resumable = False
        self.columns: frozenset[str] = frozenset()
        self.quickly: Callable[[bytes, int], QuestionEvent | None] | None = None

    @property
    def done(self) -> int:
        """How many bytes of the file (compressed ones, if it is) have been read."""
        return self._counted.count

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        if self._owned:
            self._raw.close()

    @property
    def file(self) -> BinaryIO | None:
        """The plain file that is read; None for standard input and streams."""
        return self._raw if self._owned else None

    def seek(self, offset: int, number: int) -> None:
        """Go to byte `offset` of a plain file, after line `number`."""
        self._raw.seek(offset)
        self._counted = _Counted(self._raw)
        self._counted.count = self.begun = self.consumed = offset
        self.number = number
        self.stream = _buffered(self._counted)

    def put_back(self) -> None:
        """Reckon the last line, which has not ended, as not read."""
        self.consumed, self.number, self.ended = self.begun, self.number - 1, True

    @property
    def damage(self) -> str:
        """Why there is less than there should be, in words, as far as it is known by now."""
        if self._unpacked is not None and self._unpacked.damaged:
            return "the compressed file is damaged or cut off"
        return ""

    def head(self) -> bytes:
        """Return the first `HEAD` bytes without consuming them."""
        start = b""
        with _reading(self.name):
            while len(start) < HEAD and (block := self.stream.read1(HEAD - len(start))):
                start += block
        rest = self.stream
        self.stream = _buffered(_Chained(start, rest))
        return start

    def lines(self) -> Iterator[bytes | None]:
        r"""Yield the lines, split on `\n` only and without it, or None for one longer than
        `MAX_LINE`. A `\r` before the `\n` is dropped, and a UTF-8 byte order mark at the start.

        Raises `Damaged` when the bytes end early: damaged compression, or a file that shrank. The
        last line before may then have been cut.
        """
        read, consumed, number = self.stream.read1, self.consumed, self.number
        first = not consumed
        held: list[bytes] = []
        size = 0
        with _reading(self.name):
            while block := read(_BLOCK):
                lines = io.BytesIO(block).readlines()
                tail = b"" if lines[-1].endswith(b"\n") else lines.pop()
                for line in lines:
                    length = size + len(line)
                    if held:
                        line = b"".join((*held, line))
                        held, size = [], 0
                    number += 1
                    self.number, self.begun = number, consumed
                    self.consumed = consumed = consumed + length
                    if first:
                        line = line.removeprefix(codecs.BOM_UTF8)
                        first = False
                    yield line.rstrip(b"\r\n") if length <= MAX_LINE + 1 else None
                size += len(tail)
                # Of a line that is too long no more is kept than tells so.
                if tail and (size <= MAX_LINE or not held):
                    held.append(tail)
            if held:
                line = b"".join(held)
                self.number, self.begun, self.consumed = number + 1, consumed, consumed + size
                self.ended = False
                if first:
                    line = line.removeprefix(codecs.BOM_UTF8)
                yield line.rstrip(b"\r\n") if size <= MAX_LINE else None
        self.check_whole()

    def check_whole(self) -> None:
        """Raise `Damaged` if there was `damage`, or the file is now shorter than it was."""
        if self.damage:
            raise Damaged(self.damage)
        if self.total is not None and self.done < self.total:
            raise Damaged("the file was cut short while it was read")

    def recoded(self, encoding: str) -> io.BufferedReader[Any]:
        """Return the rest of the stream as UTF-8, whatever was no `encoding` replaced."""
        return _buffered(_Recoded(self.stream, encoding, self.name))


def unreadable(head: bytes) -> str:
    """Return in words why these first bytes are no log, or an empty string if they may be one."""
    for magic, words in _MAGIC:
        if head.startswith(magic):
            return words
    if encoding_of(head) == "utf-16":
        return ""
    odd = sum(head[:4096].count(code) for code in (*range(8), *range(14, 27)))
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")) or odd < _FEW:
        return ""
    return "a binary file, not a log" if odd * 25 > len(head[:4096]) else ""


def is_parquet(head: bytes) -> bool:
    """Say whether these first bytes are those of a Parquet file."""
    return head.startswith(b"PAR1")


def is_sqlite(head: bytes) -> bool:
    """Say whether these first bytes are those of an SQLite database."""
    return head.startswith(_SQLITE)


def encoding_of(head: bytes) -> str:
    """Return `utf-16` where a byte order mark says so, else `utf-8-sig`."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return "utf-8-sig"


def _open(path: Path, name: str) -> BinaryIO:
    try:
        # O_NONBLOCK: opening a FIFO must not wait for its writer.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise Unopened(name, "does not exist", "Check the path.") from None
    except OSError as error:
        raise Unopened(
            name, f"cannot be read: {error.strerror}", "Check who may read it."
        ) from None
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(handle, "rb", buffering=0)
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise Unopened(
            name, "is a directory", f"Name the files in it: '{name}/*.jsonl'.", Exit.USAGE
        )
    raise Unopened(
        name, "is not a regular file", "Pipe it into `curate ingest -` instead.", Exit.USAGE
    )


def _buffered(raw: Any) -> io.BufferedReader[Any]:
    return io.BufferedReader(raw, _BLOCK)


def _size(raw: BinaryIO) -> int | None:
    try:
        status = os.fstat(raw.fileno())
    except OSError:  # a stream without a file under it
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _unpacked(stream: io.BufferedReader[Any]) -> _Unpacked | None:
    """Return what unpacks a compressed stream, or None for any other."""
    magic = stream.peek(4)[:4]
    if magic.startswith(_GZIP):
        packed = gzip.GzipFile(fileobj=stream)
        return _Unpacked(packed, (EOFError, zlib.error, gzip.BadGzipFile))
    if magic != _ZSTD:
        return None
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return _Unpacked(zstd.ZstdFile(stream), (EOFError, zstd.ZstdError))


class _reading:
    """Turn what can go wrong while reading `name` into a `CurateError`."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if isinstance(error, OSError):
            raise CurateError(
                f"{self._name} cannot be read any further: {error.strerror or 'input error'}",
                "What was read before is kept; run it again when the file is well.",
            ) from None


class _Counted(io.RawIOBase):
    def __init__(self, raw: BinaryIO) -> None:
        # A pipe gives what it has; read() would wait for the whole block.
        self._read = getattr(raw, "read1", raw.read)
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = cast(memoryview, buffer)
        data = self._read(len(view)) or b""
        view[: len(data)] = data
        self.count += len(data)
        return len(data)


class _Unpacked(io.RawIOBase):
    """The bytes of a compressed stream up to where it is damaged: there it ends.

    What a reader has in its buffer when an error is raised would be lost.
    """

    def __init__(self, packed: Any, errors: tuple[type[Exception], ...]) -> None:
        self._packed = packed
        self._errors = errors
        self.damaged = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = cast(memoryview, buffer)
        if self.damaged:
            return 0
        try:
            # Little at a time: what is unpacked together with damage is lost.
            data = self._packed.read1(min(len(view), _LITTLE))
        except self._errors:
            self.damaged = True
            return 0
        view[: len(data)] = data
        return len(data)


class _Chained(io.RawIOBase):
    """`start` again, then `rest`."""

    def __init__(self, start: bytes, rest: io.BufferedReader[Any]) -> None:
        self._start = memoryview(start)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = cast(memoryview, buffer)
        if self._start:
            size = min(len(view), len(self._start))
            view[:size] = self._start[:size]
            self._start = self._start[size:]
            return size
        return self._rest.readinto1(view)


class _Recoded(io.RawIOBase):
    def __init__(self, stream: io.BufferedReader[Any], encoding: str, name: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._name = name
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = cast(memoryview, buffer)
        while not self._ready and not self._ended:
            with _reading(self._name):
                block = self._stream.read1(_BLOCK)
            self._ended = not block
            text = self._decoder.decode(block, final=self._ended)
            self._ready = text.encode("utf-8", "replace")
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

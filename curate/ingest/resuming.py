"""Where the reading of a log goes on: files known again, and how far each has been read.

A file is known by its device, its inode and a tag of its first bytes, so that one that was renamed
goes on where it was, and one that was cut off, replaced or whose inode serves another file begins
anew. JSON lines are read on from where they were left. Whatever cannot be cut at a line, such as
a table, an archive or a trace in parts, is read whole each time it has changed: what is known
already costs little.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from curate.config import SourceSettings
from curate.ingest.door import Tags
from curate.model.events import Checkpoint

HEAD = 4096
"""How many bytes at the start of a file it is known by."""

_HEAD, _SETTINGS = "log head", "log settings"


@dataclass(frozen=True, slots=True)
class Start:
    """Where to begin: at byte `offset`, after line `line`; or not at all where `unchanged`."""

    offset: int = 0
    line: int = 0
    unchanged: bool = False


def identity(status: os.stat_result) -> str:
    """Return what a file is known by while it lives, also under another name."""
    return f"{status.st_dev}:{status.st_ino}"


class Ledger:
    """Knows files again, and notes how far each has been read.

    `known` are the checkpoints stored so far; `facts` is whatever else decides what is kept,
    such as the anonymiser's policy: under other facts or settings a file is read from its start.
    `watermarks` gives those of a source's streams.
    """

    def __init__(
        self,
        known: Sequence[Checkpoint],
        *,
        tag: Tags,
        now: datetime,
        facts: str = "",
        watermarks: Callable[[str], Mapping[str, str]] = lambda _: {},
    ) -> None:
        self.watermarks = watermarks
        self._known = {(point.source, point.file): point for point in known}
        self._tag = tag
        self._now = now
        self._facts = facts
        self._held: list[Checkpoint] = []

    def begin(self, file: BinaryIO, source: str, settings: SourceSettings) -> Track:
        """Return what follows the reading of `file`, and says where it begins."""
        status = os.fstat(file.fileno())
        told = repr((sorted(asdict(settings).items()), self._facts))
        fresh = Checkpoint(
            source=source,
            file=identity(status),
            head=b"",
            head_size=0,
            offset=0,
            line=0,
            size=status.st_size,
            changed=status.st_mtime_ns,
            settings=self._tag.tag(_SETTINGS, told, self._now),
            at=self._now,
        )
        before = self._known.get((source, fresh.file))
        if (
            before is None
            or before.settings not in self._tag.live(_SETTINGS, told)
            or not self._is_same(file, before, status.st_size)
        ):
            return Track(self, file, fresh, Start())
        read = before.offset in (0, status.st_size)
        if read and (before.size, before.changed) == (fresh.size, fresh.changed):
            return Track(self, file, fresh, Start(unchanged=True))
        return Track(self, file, fresh, Start(before.offset, before.line))

    def moved(self, settings: SourceSettings, source: str, paths: Sequence[Path]) -> list[Path]:
        """Return files beside `paths` that hold more than was read of them under another name."""
        wanted = {
            point.file: point
            for point in self._known.values()
            if point.source == source and point.offset
        }
        for path in paths:
            wanted.pop(identity(path.stat()), None)
        found = []
        for directory in {path.parent for path in paths} if wanted else ():
            for path in _files(directory):
                point = wanted.get(identity(path.stat()))
                if point is not None and path.stat().st_size > point.offset:
                    with path.open("rb", buffering=0) as file:
                        start = self.begin(file, source, settings).start
                    if start.offset:
                        found.append(path)
        return sorted(found)

    def hold(self, point: Checkpoint) -> None:
        """Keep a checkpoint until every input has been read."""
        self._held.append(point)

    def finish(self) -> Iterator[Checkpoint]:
        """Yield the checkpoints of files whose parts had to wait for those of others."""
        yield from self._held
        self._held.clear()

    def head(self, file: BinaryIO, size: int) -> bytes:
        """Return the tag of the first `size` bytes."""
        digest = hashlib.sha256(os.pread(file.fileno(), size, 0)).hexdigest()
        return self._tag.tag(_HEAD, digest, self._now)

    def _is_same(self, file: BinaryIO, before: Checkpoint, size: int) -> bool:
        if size < before.offset:
            return False
        head = os.pread(file.fileno(), before.head_size, 0)
        digest = hashlib.sha256(head).hexdigest()
        if len(head) < before.head_size or before.head not in self._tag.live(_HEAD, digest):
            return False
        if not before.offset:
            return True
        # What was left at the end of a line is still the end of one.
        around = os.pread(file.fileno(), 2, before.offset - 1)
        return around[:1] == b"\n" or around[1:] in (b"", b"\n", b"\r")


class Track:
    """Follows the reading of one file, which begins at `start`."""

    def __init__(self, ledger: Ledger, file: BinaryIO, fresh: Checkpoint, start: Start) -> None:
        self.start = start
        self._ledger = ledger
        self._file = file
        self._fresh = fresh
        self._head_size = -1
        self._head = b""

    def at(self, offset: int, line: int) -> Checkpoint:
        """Return the checkpoint of having read everything before `offset`."""
        size = min(offset, HEAD)
        if size != self._head_size:
            self._head, self._head_size = self._ledger.head(self._file, size), size
        return replace(self._fresh, head=self._head, head_size=size, offset=offset, line=line)

    def whole(self) -> None:
        """Note that the file was read from its start to its end, and cannot be read in part."""
        point = self.at(self._fresh.size, 0)
        self._ledger.hold(replace(point, offset=0))


def _files(directory: Path) -> Iterator[Path]:
    for path in sorted(directory.iterdir()):
        if path.is_file() and not path.is_symlink():
            yield path

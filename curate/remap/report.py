"""What a remap found, and the files it is written to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import msgspec
import numpy as np

from curate.model.errors import CurateError, Exit
from curate.model.plain import Json
from curate.remap import links as link_table
from curate.remap.items import CarriedItem
from curate.remap.links import STATUSES, Links, Shares
from curate.remap.moves import Chain
from curate.remap.stitching import Corpus

ORDER_WARN = 0.30
_BATCH = 20_000
_STATUS = tuple(f'"status":"{status}"' for status in STATUSES)
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class ChunkLink:
    """A new chunk that holds text of an old one; shares are of folded bytes, 0 to 1."""

    new_id: str
    coverage: float
    share: float
    status: str


@dataclass(frozen=True, slots=True)
class ChunkMove:
    """What became of an old chunk; `survives` is the share of its text still in the corpus."""

    status: str
    survives: float
    to: tuple[ChunkLink, ...]


@dataclass(frozen=True, slots=True)
class Remap:
    """The outcome of a remap: gold carried over, what needs a person, what to know.

    `summary` counts items by status, `chunk_summary` the old chunks that were looked at.
    `warnings` are sentences for the person, quoting no text.
    """

    old_path: Path
    new_path: Path
    items: tuple[CarriedItem, ...]
    summary: dict[str, int]
    chunk_summary: dict[str, int]
    warnings: tuple[str, ...]
    out_of_order: float
    everything: bool
    old: Corpus = field(repr=False)
    new: Corpus = field(repr=False)
    chain: Chain = field(repr=False)
    links: Links = field(repr=False)
    gold_chunks: tuple[int, ...] = field(repr=False)

    @property
    def unresolved(self) -> tuple[CarriedItem, ...]:
        """The items a person must look at: ambiguous or lost."""
        return tuple(item for item in self.items if item.status in ("ambiguous", "lost"))

    @property
    def exit(self) -> Exit:
        """FOUND while an item needs a person, else DONE."""
        return Exit.FOUND if self.unresolved else Exit.DONE

    def move(self, chunk: int) -> ChunkMove:
        """Return what became of old chunk number `chunk`."""
        links = self.links
        first, last = int(links.firsts[chunk]), int(links.firsts[chunk + 1])
        order = sorted(range(first, last), key=lambda at: (-links.coverage[at], links.new[at]))
        return ChunkMove(
            STATUSES[links.status[chunk]],
            round(min(1.0, float(links.survives[chunk])), 4),
            tuple(
                ChunkLink(
                    self.new.id(int(links.new[at])),
                    round(float(links.coverage[at]), 4),
                    round(float(links.share[at]), 4),
                    STATUSES[links.link_status[at]],
                )
                for at in order
            ),
        )

    def write(self, path: Path) -> None:
        """Write `remap.json`, whole or not at all. The same input gives the same bytes."""
        with _whole_file(path) as stream:
            stream.write(b"{")
            for key, value in self._head().items():
                stream.write(_encode(key) + b":" + _encode(value) + b",\n")
            stream.write(b'"chunks":{')
            wanted = range(len(self.old.rows)) if self.everything else self.gold_chunks
            comma = b"\n"
            for lines in self._lines(wanted, '"', '":{'):
                stream.write(comma + ",\n".join(lines).encode())
                comma = b",\n"
            stream.write(b'},\n"items":{')
            comma = b"\n"
            for item in self.items:
                stream.write(comma + _encode(item.id) + b":" + _encode(_item_json(item)))
                comma = b",\n"
            stream.write(b'},\n"summary":' + _encode(self.summary) + b"}\n")

    def write_map(self, path: Path) -> None:
        """Write the map of all chunks that were read, a line each, whole or not at all."""
        with _whole_file(path) as stream:
            for lines in self._lines(range(len(self.old.rows)), '{"old_id":"', '",'):
                stream.write(("\n".join(lines) + "\n").encode())

    def _head(self) -> Json:
        return {
            "version": 1,
            "old": _side(self.old),
            "new": _side(self.new),
            "modes": {"old": _modes(self.old), "new": _modes(self.new)},
            "thresholds": {
                "link_coverage": link_table.LINK_COVERAGE,
                "link_share": link_table.LINK_SHARE,
                "kept_coverage": link_table.KEPT_COVERAGE,
                "merged_ratio": link_table.MERGED_RATIO,
                "lost_below": link_table.LOST_BELOW,
                "order_warn": ORDER_WARN,
            },
            "out_of_order": round(self.out_of_order, 4),
            "warnings": list(self.warnings),
            "chunk_summary": self.chunk_summary,
            "sources": [
                {
                    "old": self.old.sources[pair.old],
                    "new": self.new.sources[pair.new],
                    "how": pair.how,
                    "same_text": pair.same_text,
                }
                for _, pair in sorted(self.chain.pairs.items())
            ],
        }

    def _lines(self, chunks: range | tuple[int, ...], head: str, tail: str) -> Iterator[list[str]]:
        """Yield batches of JSON objects, one a chunk, written from columns; `head` and `tail`
        stand around the chunk's id.
        """
        links = self.links
        names_old, names_new = self.old.chunks.ids, self.new.chunks.ids
        for at in range(0, len(chunks), _BATCH):
            numbers = np.array(chunks[at : at + _BATCH])
            low, high = int(links.firsts[numbers[0]]), int(links.firsts[numbers[-1] + 1])
            targets = [
                f'{{"new_id":"{name}","coverage":{coverage},"share":{share},{status}}}'
                for name, coverage, share, status in zip(
                    _names([names_new[row] for row in self.new.rows[links.new[low:high]].tolist()]),
                    _figures(links.coverage[low:high]),
                    _figures(links.share[low:high]),
                    map(_STATUS.__getitem__, links.link_status[low:high].tolist()),
                    strict=True,
                )
            ]
            yield [
                f'{head}{name}{tail}{status},"survives":{survives},"to":[{",".join(targets[a:b])}]}}'
                for name, status, survives, a, b in zip(
                    _names([names_old[row] for row in self.old.rows[numbers].tolist()]),
                    map(_STATUS.__getitem__, links.status[numbers].tolist()),
                    _figures(np.minimum(links.survives[numbers], 1.0)),
                    (links.firsts[numbers] - low).tolist(),
                    (links.firsts[numbers + 1] - low).tolist(),
                    strict=True,
                )
            ]


def _names(names: list[str]) -> list[str]:
    """Return the names as they stand between quotes in JSON, all encoded at once."""
    if not names:
        return []
    encoded = _encode(names)[2:-2]
    if b'\\"' in encoded:  # a name that ends in a quote and a comma looks like where two meet
        return [_encode(name)[1:-1].decode() for name in names]
    return encoded.decode().split('","')


class _Written(dict[int, str]):
    """How many ten thousandths -> the figure in JSON; few differ."""

    def __missing__(self, parts: int) -> str:
        text = f"{parts / 10_000:.4g}"
        self[parts] = text
        return text


_WRITTEN = _Written()


def _figures(shares: Shares) -> list[str]:
    """Return shares as JSON figures of four places."""
    return list(map(_WRITTEN.__getitem__, np.rint(shares * 10_000).astype(np.int64).tolist()))


def _side(corpus: Corpus) -> Json:
    return {
        "path": corpus.chunks.path.name,
        "xxh3": corpus.chunks.digest.removeprefix("xxh3:"),
        "chunks": corpus.chunks.total,
    }


def _modes(corpus: Corpus) -> Json:
    return {"overlap": corpus.modes.overlap > 0, "context_line": corpus.modes.context_line}


def _item_json(item: CarriedItem) -> Json:
    return {
        "status": item.status,
        "old": list(item.old),
        "new": list(item.new),
        "source": item.source,
        "heading": item.heading,
        "evidence_ok": item.evidence_ok,
        "span": list(item.span) if item.span else None,
        "reason": item.reason,
    }


class _whole_file:
    """A file that appears under its name only once it is complete and on disk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._stream: BinaryIO

    def __enter__(self) -> BinaryIO:
        try:
            self._stream = self._temporary.open("xb", buffering=1 << 20)
        except OSError as error:
            raise self._unwritable(error) from None
        return self._stream

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        try:
            if kind is None:
                self._stream.flush()
                os.fsync(self._stream.fileno())
                self._stream.close()
                self._temporary.replace(self._path)
            else:
                self._stream.close()
        except OSError as failure:
            raise self._unwritable(failure) from None
        finally:
            self._temporary.unlink(missing_ok=True)

    def _unwritable(self, error: OSError) -> CurateError:
        return CurateError(
            f"{self._path}: can't be written ({error.strerror}).",
            "Nothing was left half-written; name another place with --out.",
        )

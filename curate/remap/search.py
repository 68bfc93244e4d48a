"""Which other sources of a chunk file may hold text that is gone from its own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from curate.remap.moves import Chain, Words, windows
from curate.remap.reading import Progress, as_written, scan
from curate.remap.stitching import Corpus

_COMMON = 20  # a window that more sources have tells nothing
_MOST_SOURCES = 2000
_RATE = 16


@dataclass(frozen=True, slots=True)
class Hunt:
    """What to look for: windows of the raw chunks that text without a place in NEW is from.

    `first` are the windows' first 8 bytes, `hashes` are of all 24; both sorted. Looking in the
    file as it is written, white space and case included, costs a fraction of decoding it; text
    that moved and was reformatted still has its lines.
    """

    first: Words
    hashes: Words

    @classmethod
    def of(cls, old: Corpus, chain: Chain, astray: Collection[tuple[int, int]]) -> Hunt:
        """Return the hunt for spans of the old corpus that are not in their own document."""
        texts: list[bytes] = []
        for document in sorted({old.document_of(start) for start, _ in astray}):
            for chunk in range(int(old.firsts[document]), int(old.firsts[document + 1])):
                start, end = int(old.starts[chunk]), int(old.ends[chunk])
                held = sum(piece.length for piece in chain.lift(start, end))
                if held < end - start:
                    texts += as_written(old.chunks.texts[int(old.rows[chunk])])
        hunted = windows(b"\n".join(texts), _RATE)
        return cls(np.unique(hunted.first), np.unique(hunted.hashes()))

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not len(self.hashes)

    def sources(self, path: Path, known: Collection[str], progress: Progress) -> set[str]:
        """Return the sources of the chunk file `path`, but the known, that may hold it."""
        holders: dict[int, set[str]] = {}
        marks = _marks(self.first)
        for block in scan(path, progress, "searching NEW"):
            there = windows(block.text, _RATE)
            likely = np.flatnonzero(marks[_mark(there.first)])
            likely = likely[np.isin(there.first[likely], self.first)]
            hashes = there.hashes(likely)
            hits = np.flatnonzero(np.isin(hashes, self.hashes))
            if not len(hits):
                continue
            ends = np.flatnonzero(np.frombuffer(block.text, dtype=np.uint8) == 10)
            lines = np.searchsorted(ends, there.places[likely[hits]]).tolist()
            for digest, source in zip(hashes[hits].tolist(), block.sources(lines), strict=True):
                holders.setdefault(digest, set()).add(source)
        votes: dict[str, int] = {}
        for held_by in holders.values():
            if len(held_by) <= _COMMON:
                for source in held_by:
                    votes[source] = votes.get(source, 0) + 1
        ranked = sorted(votes.keys() - set(known), key=lambda source: (-votes[source], source))
        return set(ranked[:_MOST_SOURCES])


def _mark(words: Words) -> Words:
    return (words * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(48)


def _marks(words: Words) -> npt.NDArray[np.bool_]:
    """Return a table that rules out most words by 16 bits of their product with a constant."""
    marks = np.zeros(0x10000, dtype=bool)
    marks[_mark(words)] = True
    return marks

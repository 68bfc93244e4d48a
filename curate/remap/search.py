"""Which other sources of a chunk file may hold text that is gone from its own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from curate.remap.folding import as_in_json
from curate.remap.locating import find_all
from curate.remap.moves import Chain, Words, windows
from curate.remap.reading import Progress, scan
from curate.remap.stitching import Corpus

_COMMON = 20  # a window that more sources have tells nothing
_MOST_SOURCES = 2000
_LEAST_TEXT = 12


@dataclass(frozen=True, slots=True)
class Hunt:
    """What to look for: windows of the unmatched text in documents from which gold is gone, and
    the gold itself where it is too short to have windows of its own.

    `first` are the windows' first 8 bytes, `hashes` are of all 24; both sorted.
    """

    first: Words
    hashes: Words
    needles: tuple[bytes, ...]

    @classmethod
    def of(cls, old: Corpus, chain: Chain, astray: Collection[tuple[int, int]]) -> Hunt:
        """Return the hunt for spans of the old corpus that are not in their own document."""
        documents = {old.document_of(start) for start, _ in astray}
        hunted = windows(as_in_json(b"\n".join(_unmatched(old, chain, documents))))
        gold = {as_in_json(old.text(start, end)) for start, end in astray}
        short = {text for text in gold if not len(windows(text).places)}
        return cls(
            np.unique(hunted.first),
            np.unique(hunted.hashes()),
            tuple(sorted(text for text in short if len(text) >= _LEAST_TEXT)),
        )

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not len(self.hashes) and not self.needles

    def sources(self, path: Path, known: Collection[str], progress: Progress) -> set[str]:
        """Return the sources of the chunk file `path`, but the known, that may hold it."""
        holders: dict[int, set[str]] = {}
        found: set[str] = set()
        marks = _marks(self.first)
        for block in scan(path, progress, "searching NEW"):
            ends = np.flatnonzero(np.frombuffer(block.text, dtype=np.uint8) == 10)
            there = windows(block.text)
            likely = np.flatnonzero(marks[_mark(there.first)])
            likely = likely[np.isin(there.first[likely], self.first)]
            hashes = there.hashes(likely)
            hits = np.flatnonzero(np.isin(hashes, self.hashes))
            lines = np.searchsorted(ends, there.places[likely[hits]]).tolist()
            for digest, source in zip(hashes[hits].tolist(), block.sources(lines), strict=True):
                holders.setdefault(digest, set()).add(source)
            spots = [spot for needle in self.needles for spot in find_all(block.text, needle)]
            found.update(block.sources(np.searchsorted(ends, spots).tolist()))
        votes: dict[str, int] = {}
        for held_by in holders.values():
            if len(held_by) <= _COMMON:
                for source in held_by:
                    votes[source] = votes.get(source, 0) + 1
        ranked = sorted(votes.keys() - set(known), key=lambda source: (-votes[source], source))
        return (found - set(known)) | set(ranked[:_MOST_SOURCES])


def _mark(words: Words) -> Words:
    return (words * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(48)


def _marks(words: Words) -> npt.NDArray[np.bool_]:
    """Return a table that rules out most words by 16 bits of their product with a constant."""
    marks = np.zeros(0x10000, dtype=bool)
    marks[_mark(words)] = True
    return marks


def _unmatched(old: Corpus, chain: Chain, documents: Collection[int]) -> list[bytes]:
    """Return the stretches of old documents that no block covers."""
    texts = []
    for document in sorted(documents):
        at, end = int(old.bases[document]), int(old.bases[document + 1])
        for piece in chain.lift(at, end):
            texts.append(old.text(at, piece.old) if piece.old > at else b"")
            at = piece.old + piece.length
        texts.append(old.text(at, end) if at < end else b"")
    return texts

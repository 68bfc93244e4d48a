"""Which other sources of a chunk file may hold text that is gone from its own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from curate.remap.moves import Chain, Words, windows
from curate.remap.reading import Progress, scan_bodies
from curate.remap.stitching import Corpus

_COMMON = 20  # a window that more sources have tells nothing
_MOST_SOURCES = 2000
_LEAST_TEXT = 12


@dataclass(frozen=True, slots=True)
class Hunt:
    """What to look for: windows of the unmatched text in documents from which gold is gone, and
    the gold itself where it is too short to have windows of its own.
    """

    hashes: Words
    needles: tuple[bytes, ...]

    @classmethod
    def of(cls, old: Corpus, chain: Chain, astray: Collection[tuple[int, int]]) -> Hunt:
        """Return the hunt for spans of the old corpus that are not in their own document."""
        documents = {old.document_of(start) for start, _ in astray}
        hashes = [windows(text)[1] for text in _unmatched(old, chain, documents)]
        needles = set()
        for start, end in astray:
            text = old.text(start, end)
            if len(text) >= _LEAST_TEXT and not len(windows(text)[0]):
                needles.add(text)
        joined = np.concatenate(hashes) if hashes else np.zeros(0, dtype=np.uint64)
        return cls(np.unique(joined), tuple(sorted(needles)))

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not len(self.hashes) and not self.needles

    def sources(self, path: Path, known: Collection[str], progress: Progress) -> set[str]:
        """Return the sources of the chunk file `path`, but the known, that may hold it."""
        holders: dict[int, set[str]] = {}
        found: set[str] = set()
        marks = _marks(self.hashes)
        for sources, text in scan_bodies(path, progress, "searching NEW"):
            ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == 10)
            places, hashes = windows(text)
            likely = np.flatnonzero(marks[hashes & _MARK])
            for at in likely[np.isin(hashes[likely], self.hashes)]:
                source = sources[int(np.searchsorted(ends, places[at]))]
                holders.setdefault(int(hashes[at]), set()).add(source)
            for needle in self.needles:
                spot = text.find(needle)
                while spot >= 0:
                    found.add(sources[int(np.searchsorted(ends, spot))])
                    spot = text.find(needle, spot + 1)
        votes: dict[str, int] = {}
        for held_by in holders.values():
            if len(held_by) <= _COMMON:
                for source in held_by:
                    votes[source] = votes.get(source, 0) + 1
        ranked = sorted(votes.keys() - known, key=lambda source: (-votes[source], source))
        return (found - set(known)) | set(ranked[:_MOST_SOURCES])


_MARK = np.uint64(0xFFFF)


def _marks(hashes: Words) -> npt.NDArray[np.bool_]:
    """Return a table that rules out most hashes by their low 16 bits."""
    marks = np.zeros(0x10000, dtype=bool)
    marks[hashes & _MARK] = True
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

"""Which other sources of a chunk file may hold text that is gone from its own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from curate.remap.folding import fold
from curate.remap.items import CarriedItem
from curate.remap.moves import Chain, Words, windows
from curate.remap.reading import Label, Progress, scan_bodies
from curate.remap.stitching import Corpus

_COMMON = 20  # a window that more sources have tells nothing
_MOST_SOURCES = 2000
_LEAST_TEXT = 12


@dataclass(frozen=True, slots=True)
class Hunt:
    """What to look for: windows of the text around gold that was not found, and its evidence."""

    hashes: Words
    needles: tuple[bytes, ...]

    @classmethod
    def of(
        cls,
        old: Corpus,
        chain: Chain,
        items: Collection[CarriedItem],
        labels: list[Label],
        numbers: dict[str, int],
    ) -> Hunt:
        """Return the hunt for all items that are lost, doubtful or only found as moved."""
        by_id = {label.id: label for label in labels}
        documents = set()
        needles = set()
        for item in items:
            if item.status in ("kept", "split", "merged"):
                continue
            label = by_id[item.id]
            documents |= {
                old.document_of_chunk(numbers[name]) for name in label.chunks if name in numbers
            }
            needle = fold(label.evidence)
            if len(needle) >= _LEAST_TEXT:
                needles.add(needle)
        hashes = [windows(text)[1] for text in _unmatched(old, chain, documents)]
        joined = np.concatenate(hashes) if hashes else np.zeros(0, dtype=np.uint64)
        return cls(np.unique(joined), tuple(sorted(needles)))

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not len(self.hashes) and not self.needles

    def sources(self, path: Path, known: Collection[str], progress: Progress) -> set[str]:
        """Return the sources of the chunk file `path`, but the known, that may hold it."""
        seen: dict[int, set[str]] = {}
        found: set[str] = set()
        words = _first_words(self.needles)
        for sources, text in scan_bodies(path, progress, "searching NEW"):
            places, hashes = windows(text)
            raw = np.frombuffer(text, dtype=np.uint8)
            ends = np.flatnonzero(raw == 10)
            if len(self.hashes):
                at = np.searchsorted(self.hashes, hashes)
                at[at == len(self.hashes)] = 0
                for place in np.flatnonzero(self.hashes[at] == hashes):
                    source = sources[int(np.searchsorted(ends, places[place]))]
                    if source not in known:
                        seen.setdefault(int(hashes[place]), set()).add(source)
            for needle in words:
                spot = text.find(needle)
                while spot >= 0:
                    source = sources[int(np.searchsorted(ends, spot))]
                    if source not in known:
                        found.add(source)
                    spot = text.find(needle, spot + 1)
        votes: dict[str, int] = {}
        for holders in seen.values():
            if len(holders) <= _COMMON:
                for source in holders:
                    votes[source] = votes.get(source, 0) + 1
        ranked = sorted(votes, key=lambda source: (-votes[source], source))
        return found | set(ranked[:_MOST_SOURCES])


def _first_words(needles: tuple[bytes, ...]) -> tuple[bytes, ...]:
    return needles


def _unmatched(old: Corpus, chain: Chain, documents: Collection[int]) -> list[bytes]:
    """Return the stretches of old documents that no block of their own path's document covers."""
    texts = []
    for document in sorted(documents):
        start, end = int(old.bases[document]), int(old.bases[document + 1])
        at = start
        for piece in chain.lift(start, end):
            texts.append(old.text(at, piece.old) if piece.old > at else b"")
            at = piece.old + piece.length
        if at < end:
            texts.append(old.text(at, end))
    return [text for text in texts if text]

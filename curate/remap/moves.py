"""Which document became which, and what moved: looked for only in what nothing else explains.

Text left over on both sides is indexed by sampled 24-byte windows. Pairs of leftovers that share
windows found once on each side are aligned, those with most in common first. A copy is no move:
its original is still in its place, so nothing of it is left over on the old side.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import xxhash

from curate.remap.aligning import Block, align
from curate.remap.stitching import Corpus, Offsets

Words = npt.NDArray[np.uint64]

_WINDOW = 24
_LEAST = 12  # bytes of a leftover worth looking at
_MOVED_RUN = 40  # bytes of the shortest block moved to another document by itself
_SHIFTED_RUN = 20  # ... to another place in its document
_RENAME = 0.30
_ROUNDS = 4

_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0x165667B19E3779F9))


@dataclass(slots=True)
class Pair:
    """An old document and the new one it became; `how` is `path`, `hash` or `rename`."""

    old: int
    new: int
    how: str
    same_text: bool


@dataclass(frozen=True, slots=True)
class Spare:
    """Stretches of a corpus, joined by LF; stretch `i` begins at `starts[i]` in `text` and at
    `places[i]` in the corpus.
    """

    text: bytes
    starts: Offsets
    places: Offsets

    def find_all(self, needle: bytes) -> list[tuple[int, int]]:
        """Return the spans of the corpus where `needle` stands in a stretch."""
        spans = []
        at = self.text.find(needle)
        while at >= 0:
            row = int(np.searchsorted(self.starts, at, side="right")) - 1
            start = int(self.places[row]) + at - int(self.starts[row])
            spans.append((start, start + len(needle)))
            at = self.text.find(needle, at + 1)
        return spans


@dataclass(slots=True)
class Chain:
    """All blocks between two corpora, by global offset, sorted on the old side, disjoint on both.

    `pairs` by old document. `spare` is the new corpus's text that nothing old explains. Of the text
    in documents that changed, `out_of_order` bytes in `breaks` blocks stand in their own document
    but not in their old order; `changed_chunks` counts the old chunks of these documents.
    """

    pairs: dict[int, Pair]
    old: Offsets
    new: Offsets
    length: Offsets
    in_order: int
    out_of_order: int
    breaks: int
    changed_chunks: int
    spare: Spare

    def lift(self, start: int, end: int) -> list[Block]:
        """Return the pieces of the old span `start:end` that survive, in old order."""
        pieces = []
        for row in range(*self.rows(start, end)):
            o, n, length = self.block(row)
            left, right = max(o, start), min(o + length, end)
            pieces.append(Block(left, n + left - o, right - left))
        return pieces

    @property
    def size(self) -> int:
        """How many blocks there are."""
        return len(self.old)

    def rows(self, start: int, end: int) -> tuple[int, int]:
        """Return the rows `first`, `last` (exclusive) of the blocks that touch `start:end`."""
        first = int(np.searchsorted(self.old, start, side="right")) - 1
        if first < 0 or self.old[first] + self.length[first] <= start:
            first += 1
        return first, int(np.searchsorted(self.old, end, side="left"))

    def block(self, row: int) -> Block:
        """Return block number `row`."""
        return Block(int(self.old[row]), int(self.new[row]), int(self.length[row]))

    def block_at(self, at: int) -> Block:
        """Return the block that holds the old offset `at`, or an empty one."""
        row = int(np.searchsorted(self.old, at, side="right")) - 1
        if row < 0 or at >= self.old[row] + self.length[row]:
            return Block(at, 0, 0)
        return Block(int(self.old[row]), int(self.new[row]), int(self.length[row]))


@dataclass(frozen=True, slots=True)
class Windows:
    """Places in a text, chosen by content: the same bytes are chosen wherever they stand.

    `first` are the first 8 of the 24 bytes that follow each.
    """

    places: Offsets
    first: Words
    _words: Words

    def hashes(self, rows: Offsets | None = None) -> Words:
        """Return a hash of the 24 bytes that follow each place, or some of them."""
        places = self.places if rows is None else self.places[rows]
        hashes = (self.first if rows is None else self.first[rows]) * _MIX[0]
        hashes ^= (self._words[places + 8] + (hashes >> np.uint64(29))) * _MIX[1]
        hashes ^= (self._words[places + 16] + (hashes >> np.uint64(31))) * _MIX[2]
        return hashes


def windows(text: bytes, rate: int = 8) -> Windows:
    """Choose windows of 24 bytes in `text`, about one in `rate` (8 or a multiple)."""
    if len(text) < _WINDOW:
        nothing = np.zeros(0, dtype=np.uint64)
        return Windows(np.zeros(0, dtype=np.int64), nothing, nothing)
    raw = np.frombuffer(text, dtype=np.uint8)
    count = len(text) - _WINDOW + 1
    mixed = raw[:count] * np.uint8(37)
    mixed += raw[1 : count + 1] * np.uint8(101)
    mixed ^= mixed >> np.uint8(3)
    mixed *= np.uint8(29)
    places = np.flatnonzero(mixed < 256 // rate)
    words: Words = np.ndarray((len(text) - 7,), dtype="<u8", buffer=text, strides=(1,))
    return Windows(places, words[places], words)


def pair_documents(old: Corpus, new: Corpus) -> dict[int, Pair]:
    """Pair documents by path, then those left by identical text. Keyed by old document.

    Identical documents that several paths could have become are paired only where their file
    names tell which is which.
    """
    pairs: dict[int, Pair] = {}
    for number, source in enumerate(old.sources):
        other = new.numbers.get(source)
        if other is not None:
            pairs[number] = Pair(number, other, "path", old.texts[number] == new.texts[other])
    taken = {pair.new for pair in pairs.values()}
    lonely: dict[int, list[int]] = {}
    for number, text in enumerate(new.texts):
        if number not in taken and text:
            lonely.setdefault(xxhash.xxh3_64_intdigest(text), []).append(number)
    waiting: dict[int, list[int]] = {}
    for number, text in enumerate(old.texts):
        if number not in pairs and text:
            digest = xxhash.xxh3_64_intdigest(text)
            if digest in lonely:
                waiting.setdefault(digest, []).append(number)
    for digest, olds in waiting.items():
        for number, other in _by_name(olds, lonely[digest], old, new):
            if old.texts[number] == new.texts[other]:
                pairs[number] = Pair(number, other, "hash", True)
    return pairs


def _by_name(olds: list[int], news: list[int], old: Corpus, new: Corpus) -> list[tuple[int, int]]:
    if len(olds) == len(news) == 1:
        return [(olds[0], news[0])]
    named: dict[str, list[list[int]]] = {}
    for side, numbers, corpus in ((0, olds, old), (1, news, new)):
        for number in numbers:
            name = corpus.sources[number].rsplit("/", 1)[-1]
            named.setdefault(name, [[], []])[side].append(number)
    return [(a[0], b[0]) for a, b in named.values() if len(a) == len(b) == 1]


def chain(
    old: Corpus, new: Corpus, keep: Collection[str], progress: Callable[[int, int], None]
) -> Chain:
    """Align every pair of documents, then find what moved. `progress` gets documents done, all.

    The texts of documents that did not change are dropped, but those of the sources in `keep`.
    """
    pairs = pair_documents(old, new)
    for pair in pairs.values():
        if pair.same_text and old.sources[pair.old] not in keep:
            old.texts[pair.old] = new.texts[pair.new] = b""
    same = [pair for pair in pairs.values() if pair.same_text]
    changed = [pair for pair in pairs.values() if not pair.same_text]
    blocks: list[Block] = []
    for done, pair in enumerate(changed):
        if done % 1000 == 0:
            progress(done, len(changed))
        base_o, base_n = int(old.bases[pair.old]), int(new.bases[pair.new])
        for o, n, length in align(old.texts[pair.old], new.texts[pair.new]):
            blocks.append(Block(base_o + o, base_n + n, length))
    progress(len(changed), len(changed))
    in_order = sum(block.length for block in blocks)
    whole_old = {pair.old for pair in same}
    whole_new = {pair.new for pair in same}
    out_of_order = breaks = 0
    for _ in range(_ROUNDS):
        spare_old = _leftovers(old, [(b.old, b.old + b.length) for b in blocks], whole_old)
        spare_new = _leftovers(new, [(b.new, b.new + b.length) for b in blocks], whole_new)
        moved = _moved(old, spare_old, new, spare_new, pairs)
        if not moved:
            break
        _note_renames(moved, pairs, old, new)
        for block in moved:
            home = pairs.get(old.document_of(block.old))
            if home is not None and home.new == new.document_of(block.new):
                if home.how == "rename":
                    in_order += block.length
                else:
                    out_of_order += block.length
                    breaks += 1
        blocks += moved
    spare = _leftovers(new, [(b.new, b.new + b.length) for b in blocks], whole_new, 1)
    everything = np.array(sorted(blocks), dtype=np.int64).reshape(-1, 3)
    sames = np.array(
        [
            (
                old.bases[pair.old],
                new.bases[pair.new],
                old.bases[pair.old + 1] - old.bases[pair.old],
            )
            for pair in same
        ],
        dtype=np.int64,
    ).reshape(-1, 3)
    everything = np.concatenate([everything, sames[sames[:, 2] > 0]])
    everything = everything[np.argsort(everything[:, 0], kind="stable")]
    return Chain(
        pairs=pairs,
        old=np.ascontiguousarray(everything[:, 0]),
        new=np.ascontiguousarray(everything[:, 1]),
        length=np.ascontiguousarray(everything[:, 2]),
        in_order=in_order,
        out_of_order=out_of_order,
        breaks=breaks,
        changed_chunks=sum(int(old.firsts[p.old + 1] - old.firsts[p.old]) for p in changed),
        spare=Spare(*_laid_out(new, spare), np.array([a for a, _ in spare], dtype=np.int64)),
    )


def _leftovers(
    corpus: Corpus, claimed: list[tuple[int, int]], whole: set[int], least: int = _LEAST
) -> list[tuple[int, int]]:
    """Return the spans of at least `least` bytes that are not claimed, document by document."""
    claimed.sort()
    at = 0
    spans = []
    for number, (start, end) in enumerate(pairwise(corpus.bases.tolist())):
        if number in whole:
            continue
        while at < len(claimed) and claimed[at][0] < end:
            if claimed[at][0] - start >= least:
                spans.append((start, claimed[at][0]))
            start = max(start, claimed[at][1])
            at += 1
        if end - start >= least:
            spans.append((start, end))
    return spans


def _laid_out(corpus: Corpus, spans: list[tuple[int, int]]) -> tuple[bytes, Offsets]:
    """Return the texts of `spans` joined by LF (which folded text never holds) and their starts."""
    begun = np.array([start for start, _ in spans], dtype=np.int64)
    documents = np.searchsorted(corpus.bases, begun, side="right") - 1
    bases = corpus.bases[documents].tolist()
    pieces = [
        corpus.texts[document][start - base : end - base]
        for document, base, (start, end) in zip(documents.tolist(), bases, spans, strict=True)
    ]
    lengths = np.array([0] + [len(piece) + 1 for piece in pieces], dtype=np.int64)
    return b"\n".join(pieces), np.cumsum(lengths)


def _moved(
    old: Corpus,
    spare_old: list[tuple[int, int]],
    new: Corpus,
    spare_new: list[tuple[int, int]],
    pairs: dict[int, Pair],
) -> list[Block]:
    if not spare_old or not spare_new:
        return []
    text_old, starts_old = _laid_out(old, spare_old)
    text_new, starts_new = _laid_out(new, spare_new)
    votes = _votes(*_in_regions(text_old, starts_old), *_in_regions(text_new, starts_new))
    claims_old: dict[int, list[tuple[int, int]]] = {}
    claims_new: dict[int, list[tuple[int, int]]] = {}
    moved: list[Block] = []
    for region_old, region_new in votes:
        (a, b), (x, y) = spare_old[region_old], spare_new[region_new]
        taken_old = claims_old.setdefault(region_old, [])
        taken_new = claims_new.setdefault(region_new, [])
        shared = align(old.text(a, b), new.text(x, y))
        whole = sum(block.length for block in shared) >= _RENAME * max(b - a, y - x)
        pair = pairs.get(old.document_of(a))
        at_home = pair is not None and pair.new == new.document_of(x)
        least = 1 if whole else _SHIFTED_RUN if at_home else _MOVED_RUN
        for o, n, length in shared:
            block = Block(a + o, x + n, length)
            if length >= least and not (
                _touches(taken_old, block.old, length) or _touches(taken_new, block.new, length)
            ):
                moved.append(block)
                taken_old.append((block.old, block.old + length))
                taken_new.append((block.new, block.new + length))
    return moved


def _in_regions(text: bytes, starts: Offsets) -> tuple[Offsets, Words]:
    """Return the region and the hash of every window that lies in one region."""
    found = windows(text)
    regions = np.searchsorted(starts, found.places, side="right") - 1
    whole = np.flatnonzero(regions == np.searchsorted(starts - 1, found.places + _WINDOW) - 1)
    return regions[whole], found.hashes(whole)


def _touches(taken: list[tuple[int, int]], start: int, length: int) -> bool:
    return any(a < start + length and start < b for a, b in taken)


def _votes(
    regions_old: Offsets, hashes_old: Words, regions_new: Offsets, hashes_new: Words
) -> list[tuple[int, int]]:
    """Return pairs of regions that share a window found once on each side, most shared first."""
    known, at_old, times_old = np.unique(hashes_old, return_index=True, return_counts=True)
    spot = np.searchsorted(known, hashes_new)
    spot[spot == len(known)] = 0
    hits = np.flatnonzero(known[spot] == hashes_new) if len(known) else np.zeros(0, dtype=np.int64)
    _, at_hit, times_new = np.unique(hashes_new[hits], return_index=True, return_counts=True)
    hits = hits[at_hit[times_new == 1]]
    hits = hits[times_old[spot[hits]] == 1]
    width = int(regions_new[-1]) + 1 if len(regions_new) else 1
    both = regions_old[at_old[spot[hits]]] * width + regions_new[hits]
    pairs, counts = np.unique(both, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return [divmod(pair, width) for pair in pairs[order].tolist()]


def _note_renames(moved: list[Block], pairs: dict[int, Pair], old: Corpus, new: Corpus) -> None:
    """Pair documents without a partner that now share at least 30% of the old one's bytes."""
    taken = {pair.new for pair in pairs.values()}
    shared: dict[tuple[int, int], int] = {}
    for block in moved:
        key = old.document_of(block.old), new.document_of(block.new)
        if key[0] not in pairs and key[1] not in taken:
            shared[key] = shared.get(key, 0) + block.length
    for (a, b), size in sorted(shared.items(), key=lambda entry: (-entry[1], entry[0])):
        if a in pairs or b in taken or size < _RENAME * len(old.texts[a]):
            continue
        pairs[a] = Pair(a, b, "rename", False)
        taken.add(b)

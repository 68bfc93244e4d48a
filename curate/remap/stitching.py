"""Chunks -> documents: overlap windows and context lines taken out, each chunk's place kept."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from curate.remap.reading import Chunks, Sampled

Offsets = npt.NDArray[np.int64]

_SURE_OVERLAP = 16  # bytes two neighbours hardly share by chance
_LEAST_OVERLAP = 5  # bytes taken for overlap once a file is known to overlap
_CONTAINED = 32
_OVERLAP_RATE = 0.02
_HEADING_RATE = 0.80
_CONTEXT_RATE = 0.15
_NEIGHBOURS = 4000


@dataclass(frozen=True, slots=True)
class Modes:
    """How a file was chunked: windows that overlap, lines of context before each text.

    `overlap` is the fewest bytes taken for overlap (0: none).
    """

    overlap: int
    context_line: bool


def modes(runs: list[list[Sampled]]) -> Modes:
    """Decide a file's modes from runs of neighbouring chunks."""
    pairs = [
        (run[i - 1], run[i])
        for run in runs
        for i in range(1, len(run))
        if run[i].source == run[i - 1].source and run[i].body and run[i - 1].body
    ]
    pairs = pairs[:: max(1, len(pairs) // _NEIGHBOURS)]
    if not pairs:
        return Modes(0, False)
    headed = [now for was, now in pairs if now.heading and now.heading == was.heading]
    by_heading = bool(headed) and (
        sum(_starts_with_heading(chunk) for chunk in headed) >= _HEADING_RATE * len(headed)
    )
    same = sum(bool(shared_lead(was.body, was.leads, now.body, now.leads)) for was, now in pairs)
    context = by_heading or same >= max(2, _CONTEXT_RATE * len(pairs))
    overlapping = 0
    for was, now in pairs:
        lead = shared_lead(was.body, was.leads, now.body, now.leads) if context else 0
        overlapping += _overlap(was.body, now.body[lead:], _SURE_OVERLAP) > 0
    if overlapping < max(1, _OVERLAP_RATE * len(pairs)):
        return Modes(0, context)
    return Modes(_LEAST_OVERLAP, context)


def _starts_with_heading(chunk: Sampled) -> bool:
    first = chunk.body[: chunk.leads[0]] if chunk.leads else b""
    return bool(first) and (first.endswith(chunk.heading) or chunk.heading.endswith(first))


def shared_lead(
    was: bytes, was_leads: tuple[int, ...], now: bytes, now_leads: tuple[int, ...]
) -> int:
    """Return the folded length of the lines at the head of `now` that `was` begins with too.

    A code fence or a rule is no context: a shared line must hold some letters.
    """
    shared = 0
    for mine, theirs in zip(now_leads, was_leads, strict=False):
        if mine != theirs or now[shared:mine] != was[shared:mine]:
            break
        shared = mine
    return shared if sum(byte > 0x60 for byte in now[:shared]) >= 4 else 0


def _overlap(was: bytes, now: bytes, least: int) -> int:
    """Return the length of the longest end of `was` that `now` begins with and goes on from.

    Where text repeats itself, no telling how much of it is overlap: then at most three quarters
    of `now` are taken for it, so that a repetitive text is not swallowed.
    """
    if len(now) >= _CONTAINED and len(now) < len(was) and was.endswith(now):
        found = len(now)  # the last window of a document can lie in the one before
    else:
        found = _common_end(was, now, least, min(len(was), len(now) - 1))
    if found * 4 > len(now) * 3:
        shorter = _common_end(was, now, least, found - 1)
        if shorter * 4 > found * 3:
            return _common_end(was, now, least, len(now) * 3 // 4)
    return found


def _common_end(was: bytes, now: bytes, least: int, most: int) -> int:
    size = len(was)
    for width in (_SURE_OVERLAP, least) if least < _SURE_OVERLAP <= most else (least,):
        if most < width:
            break
        probe = now[:width]  # of the longer ones there are hardly any by chance
        at = was.find(probe, size - most)
        while at >= 0:
            if now.startswith(was[at:]):
                return size - at
            at = was.find(probe, at + 1)
        most = width - 1
    return 0


@dataclass(slots=True)
class Corpus:
    """A chunk file as documents laid end to end.

    `chunk k` (in document order) is row `rows[k]` of the file and covers the bytes
    `starts[k]:ends[k]` of all documents' folded text; document `d` begins at `bases[d]`, its
    chunks are `firsts[d]:firsts[d + 1]`. `texts[d]` may be emptied once it is not needed.
    """

    chunks: Chunks
    modes: Modes
    sources: list[str]
    texts: list[bytes]
    bases: Offsets
    firsts: Offsets
    rows: Offsets
    starts: Offsets
    ends: Offsets
    numbers: dict[str, int]

    def document_of(self, at: int) -> int:
        """Return the number of the document that holds offset `at`."""
        return int(np.searchsorted(self.bases, at, side="right")) - 1

    def document_of_chunk(self, chunk: int) -> int:
        """Return the number of the document that chunk `chunk` belongs to."""
        return int(np.searchsorted(self.firsts, chunk, side="right")) - 1

    def holders(self, start: int, end: int) -> tuple[int, ...]:
        """Return the chunks that hold the whole of `start:end`, in document order."""
        return tuple(chunk for chunk in self.touched(start, end) if self._holds(chunk, start, end))

    def touched(self, start: int, end: int) -> tuple[int, ...]:
        """Return the chunks that hold any byte of `start:end`, in document order."""
        first = int(np.searchsorted(self.ends, start, side="right"))
        last = int(np.searchsorted(self.starts, end, side="left"))
        return tuple(chunk for chunk in range(first, last) if self.starts[chunk] < self.ends[chunk])

    def _holds(self, chunk: int, start: int, end: int) -> bool:
        return bool(self.starts[chunk] <= start and end <= self.ends[chunk])

    def id(self, chunk: int) -> str:
        """Return the id of chunk `chunk`."""
        return self.chunks.ids[int(self.rows[chunk])]

    def heading(self, chunk: int) -> str:
        """Return the heading field of chunk `chunk`."""
        return self.chunks.headings[int(self.rows[chunk])]

    def text(self, start: int, end: int) -> bytes:
        """Return the folded text of `start:end`, which must lie in one document."""
        document = self.document_of(start)
        base = int(self.bases[document])
        return self.texts[document][start - base : end - base]


def stitch(chunks: Chunks, how: Modes, *, keep_bodies: bool) -> Corpus:
    """Join the chunks of every source into one document.

    Unless `keep_bodies`, `chunks.bodies` are emptied on the way, so that no text is held twice.
    """
    by_source: dict[str, list[int]] = {}
    for row, source in enumerate(chunks.sources):
        by_source.setdefault(source, []).append(row)
    texts: list[bytes] = []
    bases = [0]
    firsts = [0]
    rows: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    bodies = chunks.bodies
    positioned = max(chunks.starts, default=-1) >= 0 or max(chunks.indexes, default=-1) >= 0
    for members in by_source.values():
        base = bases[-1]
        ordered = _in_order(chunks, members) if positioned else members
        rows += ordered
        if len(ordered) == 1:
            document = bodies[ordered[0]]
            starts.append(base)
            ends.append(base + len(document))
        else:
            document = _join(chunks, ordered, how, base, starts, ends)
        if not keep_bodies:
            for row in ordered:
                bodies[row] = b""
        texts.append(document)
        bases.append(base + len(document))
        firsts.append(len(rows))
    return Corpus(
        chunks=chunks,
        modes=how,
        sources=list(by_source),
        texts=texts,
        bases=np.array(bases, dtype=np.int64),
        firsts=np.array(firsts, dtype=np.int64),
        rows=np.array(rows, dtype=np.int64),
        starts=np.array(starts, dtype=np.int64),
        ends=np.array(ends, dtype=np.int64),
        numbers={source: number for number, source in enumerate(by_source)},
    )


def _join(
    chunks: Chunks, ordered: list[int], how: Modes, base: int, starts: list[int], ends: list[int]
) -> bytes:
    bodies = chunks.bodies
    kept = _without_repeated_leads(chunks, ordered) if how.context_line else None
    if not how.overlap and kept is None:
        parts = [bodies[row] for row in ordered]
        for part in parts:
            starts.append(base)
            base += len(part)
            ends.append(base)
        return b"".join(parts)
    parts = []
    previous = b""
    least = how.overlap
    for body in map(bodies.__getitem__, ordered) if kept is None else kept:
        shared = _overlap(previous, body, least) if least and previous else 0
        previous = body or previous
        starts.append(base - shared)
        base += len(body) - shared
        parts.append(body[shared:] if shared else body)
        ends.append(base)
    return b"".join(parts)


def _without_repeated_leads(chunks: Chunks, ordered: list[int]) -> list[bytes]:
    """Return the bodies, each without the context its predecessor has too.

    The first chunk under a context keeps it, as a document keeps its heading.
    """
    kept = [chunks.bodies[ordered[0]]]
    for was, now in pairwise(ordered):
        lead = shared_lead(
            chunks.bodies[was], chunks.leads[was], chunks.bodies[now], chunks.leads[now]
        )
        kept.append(chunks.bodies[now][lead:])
    return kept


def _in_order(chunks: Chunks, members: list[int]) -> list[int]:
    """Return a source's rows in document order: by given position where that can be trusted.

    `start` offsets are known to be wrong for repeated text; so they only order a file whose own
    order contradicts them as a shuffled one does.
    """
    for keys in (chunks.indexes, chunks.starts):
        given = [keys[row] for row in members]
        if min(given) < 0 or len(set(given)) < len(given):
            continue
        backwards = sum(a > b for a, b in pairwise(given))
        if not backwards:
            return members
        if keys is chunks.indexes or backwards > 0.3 * len(given):
            return sorted(members, key=lambda row: keys[row])
    return members

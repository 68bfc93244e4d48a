"""Blocks of shared text -> links between chunks, by one join over sorted intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from curate.remap.moves import Chain
from curate.remap.stitching import Corpus, Offsets

Shares = npt.NDArray[np.float64]

LINK_COVERAGE = 0.10
LINK_SHARE = 0.50
KEPT_COVERAGE = 0.90
MERGED_RATIO = 1.5
LOST_BELOW = 0.10
_LEAST_TEXT = 12
_MOST_PLACES = 20
_MOST_WORK = 2_000_000_000  # bytes searched for lost chunks; with more, they stay lost

STATUSES = ("kept", "split", "merged", "moved", "ambiguous", "lost")
KEPT, SPLIT, MERGED, MOVED, AMBIGUOUS, LOST = range(6)


@dataclass(slots=True)
class Links:
    """Links between old and new chunks (numbers in document order), sorted by old chunk.

    Chunk `k` has the links `firsts[k]:firsts[k + 1]`. `coverage` is the share of the old chunk's
    folded bytes that the new chunk holds, `share` the share of the new chunk's they are.
    `survives` is the share of an old chunk that is anywhere in the new corpus; `status` indexes
    STATUSES.
    """

    firsts: Offsets
    new: Offsets
    coverage: Shares
    share: Shares
    link_status: npt.NDArray[np.int8]
    survives: Shares
    status: npt.NDArray[np.int8]


def link(old: Corpus, new: Corpus, chain: Chain) -> Links:
    """Join old chunks, blocks and new chunks; keep links that hold >= 10% of the old chunk or
    are >= 50% of the new one, and give every old chunk its status.
    """
    sizes_old = old.ends - old.starts
    sizes_new = new.ends - new.starts
    count = len(sizes_old)
    chunk, block = _expand(
        np.searchsorted(chain.old + chain.length, old.starts, side="right"),
        np.searchsorted(chain.old, old.ends, side="left"),
    )
    left = np.maximum(chain.old[block], old.starts[chunk])
    right = np.minimum(chain.old[block] + chain.length[block], old.ends[chunk])
    real = right > left
    chunk, block, left, right = chunk[real], block[real], left[real], right[real]
    survived: Shares = np.bincount(chunk, weights=right - left, minlength=count).astype(np.float64)
    shift = chain.new[block] - chain.old[block]
    there, until = left + shift, right + shift
    piece, target = _expand(
        np.searchsorted(new.ends, there, side="right"),
        np.searchsorted(new.starts, until, side="left"),
    )
    shared = np.minimum(until[piece], new.ends[target]) - np.maximum(
        there[piece], new.starts[target]
    )
    real = shared > 0
    piece, target, shared = piece[real], target[real], shared[real]
    pairs, where = np.unique(chunk[piece] * (len(sizes_new) + 1) + target, return_inverse=True)
    shared = np.bincount(where, weights=shared, minlength=len(pairs))
    from_chunk, to_chunk = np.divmod(pairs, len(sizes_new) + 1)
    tied: list[int] = []
    found = _whole_chunks(old, new, survived, to_chunk)
    found += _whole_texts(old, new, chain, survived, {chunk for chunk, _, _ in found}, tied)
    if found:
        more = np.array(found, dtype=np.int64)
        from_chunk = np.concatenate([from_chunk, more[:, 0]])
        to_chunk = np.concatenate([to_chunk, more[:, 1]])
        shared = np.concatenate([shared, more[:, 2]])
        order = np.lexsort((to_chunk, from_chunk))
        from_chunk, to_chunk, shared = from_chunk[order], to_chunk[order], shared[order]
        survived[more[:, 0]] = sizes_old[more[:, 0]]
    coverage = shared / np.maximum(1, sizes_old[from_chunk])
    share = shared / np.maximum(1, sizes_new[to_chunk])
    keep = (coverage >= LINK_COVERAGE) | (share >= LINK_SHARE)
    from_chunk, to_chunk = from_chunk[keep], to_chunk[keep]
    links = _judge(
        old,
        new,
        from_chunk,
        to_chunk,
        coverage[keep],
        share[keep],
        survived / np.maximum(1, sizes_old),
    )
    links.status[tied] = AMBIGUOUS
    return links


def _expand(first: Offsets, last: Offsets) -> tuple[Offsets, Offsets]:
    """Return row numbers and values for every value of every range `first[row]:last[row]`."""
    lengths = np.maximum(0, last - first)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    begun = np.repeat(np.cumsum(lengths) - lengths, lengths)
    return rows, np.arange(len(rows)) - begun + first[rows]


def _judge(
    old: Corpus,
    new: Corpus,
    from_chunk: Offsets,
    to_chunk: Offsets,
    coverage: Shares,
    share: Shares,
    survives: Shares,
) -> Links:
    count = len(survives)
    sizes_old = old.ends - old.starts
    sizes_new = new.ends - new.starts
    firsts = np.searchsorted(from_chunk, np.arange(count + 1)).astype(np.int64)
    links = np.diff(firsts)
    best = np.zeros(count)
    np.maximum.at(best, from_chunk, coverage)
    is_best = coverage == best[from_chunk]
    best_size = np.zeros(count)
    np.maximum.at(best_size, from_chunk[is_best], sizes_new[to_chunk[is_best]].astype(float))
    elsewhere = _elsewhere(old, new, from_chunk, to_chunk)
    moved = np.bincount(from_chunk, weights=coverage * elsewhere, minlength=count)
    held = np.bincount(from_chunk, weights=coverage, minlength=count)
    status = np.full(count, KEPT, dtype=np.int8)
    status[best_size > MERGED_RATIO * sizes_old] = MERGED
    status[(best < KEPT_COVERAGE) & (links >= 2)] = SPLIT
    status[moved > held / 2] = MOVED
    status[(links == 0) | (survives < LOST_BELOW)] = LOST
    link_status = np.full(len(to_chunk), SPLIT, dtype=np.int8)
    link_status[coverage >= KEPT_COVERAGE] = KEPT
    bigger = sizes_new[to_chunk] > MERGED_RATIO * sizes_old[from_chunk]
    link_status[(coverage >= KEPT_COVERAGE) & bigger] = MERGED
    link_status[elsewhere] = MOVED
    return Links(firsts, to_chunk, coverage, share, link_status, survives, status)


def _elsewhere(
    old: Corpus, new: Corpus, from_chunk: Offsets, to_chunk: Offsets
) -> npt.NDArray[np.bool_]:
    """Say of every link whether the new chunk is in a document of another path."""
    same_path = np.full(len(old.sources), -1, dtype=np.int64)
    for number, source in enumerate(old.sources):
        same_path[number] = new.numbers.get(source, -1)
    old_document = np.repeat(np.arange(len(old.sources)), np.diff(old.firsts))
    new_document = np.repeat(np.arange(len(new.sources)), np.diff(new.firsts))
    elsewhere: npt.NDArray[np.bool_] = same_path[old_document[from_chunk]] != new_document[to_chunk]
    return elsewhere


def _whole_chunks(
    old: Corpus, new: Corpus, survived: Shares, to_chunk: Offsets
) -> list[tuple[int, int, int]]:
    """Pair chunks of which nothing was found with new chunks of exactly their text.

    For chunks too short or too bare to be aligned (a rule, a box, a moved line). Only new chunks
    that hold nothing else's text come into question: where there is one of each, or as many of
    each in one source, which pair in order.
    """
    sizes_old, sizes_new = old.ends - old.starts, new.ends - new.starts
    free = np.ones(len(sizes_new), dtype=bool)
    free[to_chunk] = False
    lost = np.flatnonzero((survived == 0) & (sizes_old > 0))
    if not len(lost):
        return []
    wanted: dict[bytes, list[int]] = {}
    for chunk in lost:
        body = old.text(int(old.starts[chunk]), int(old.ends[chunk]))
        wanted.setdefault(body, []).append(int(chunk))
    found: dict[bytes, list[int]] = {}
    for chunk in np.flatnonzero(free & (sizes_new > 0)):
        body = new.text(int(new.starts[chunk]), int(new.ends[chunk]))
        if body in wanted:
            found.setdefault(body, []).append(int(chunk))
    pairs: list[tuple[int, int]] = []
    for body, theirs in found.items():
        mine = wanted[body]
        if len(mine) == len(theirs) == 1:
            pairs.append((mine[0], theirs[0]))
            continue
        for source, ours in _by_source(mine, old).items():
            same = _by_source(theirs, new).get(source, [])
            if len(ours) == len(same):
                pairs += zip(ours, same, strict=True)
    return [(mine, theirs, int(sizes_old[mine])) for mine, theirs in sorted(pairs)]


def _whole_texts(
    old: Corpus,
    new: Corpus,
    chain: Chain,
    survived: Shares,
    done: set[int],
    tied: list[int],
) -> list[tuple[int, int, int]]:
    """Find the whole text of chunks of which nothing was found in text that is new.

    Where it stands in several places, all are linked and the chunk goes into `tied`.
    """
    lost = [
        int(chunk)
        for chunk in np.flatnonzero((survived == 0) & (old.ends - old.starts >= _LEAST_TEXT))
        if int(chunk) not in done
    ]
    if len(lost) * len(chain.spare.text) > _MOST_WORK:
        return []
    found = []
    for chunk in lost:
        text = old.text(int(old.starts[chunk]), int(old.ends[chunk]))
        spots = chain.spare.find_all(text)
        if len(spots) > 1:
            tied.append(chunk)
        holders: dict[int, int] = {}
        for start, end in spots[:_MOST_PLACES]:
            for holder in new.touched(start, end):
                inside = min(end, int(new.ends[holder])) - max(start, int(new.starts[holder]))
                holders[holder] = max(inside, holders.get(holder, 0))
        found += [(chunk, holder, size) for holder, size in sorted(holders.items())]
    return found


def _by_source(chunks: list[int], corpus: Corpus) -> dict[str, list[int]]:
    grouped: dict[str, list[int]] = {}
    for chunk in chunks:
        source = corpus.sources[corpus.document_of_chunk(chunk)]
        grouped.setdefault(source, []).append(chunk)
    return grouped

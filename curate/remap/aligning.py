"""Two versions of a document -> the blocks of text they share, in order, like a UCSC chain.

Common ends, then probes that are unique on both sides and their longest increasing run (as in
patience diff), then the gaps between them; small gaps by Indel distance.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from rapidfuzz.distance import Indel, Postfix, Prefix

_PROBES = (24, 48, 96, 192)
_SHORT_PROBE = 12
_SMALL = 64  # bytes: gaps whose sides are both this short are compared byte by byte
_TABLE = 1_000_000  # cells of the largest byte by byte comparison
_RUN = 4
_LONE_RUN = 12
_SLIDING = 8  # bytes of the shortest run worth moving beside a stronger one
_NEAR = 16
_FAR = 32


class Block(NamedTuple):
    """`length` bytes at `old` in the one text stand at `new` in the other."""

    old: int
    new: int
    length: int


def align(old: bytes, new: bytes) -> list[Block]:
    """Return the blocks `old` and `new` share, increasing on both sides, never overlapping."""
    found: list[Block] = []
    gaps = [(0, len(old), 0, len(new))]
    while gaps:
        a, b, x, y = gaps.pop()
        if a >= b or x >= y:
            continue
        head = common_prefix(old, a, b, new, x, y)
        if head:
            found.append(Block(a, x, head))
            a, x = a + head, x + head
        tail = common_suffix(old, a, b, new, x, y)
        if tail:
            b, y = b - tail, y - tail
            found.append(Block(b, y, tail))
        if a >= b or x >= y:
            continue
        anchors = [] if b - a <= _SMALL and y - x <= _SMALL else _anchors(old, a, b, new, x, y)
        if anchors:
            for p, q, width in anchors:
                gaps.append((a, p, x, q))
                found.append(Block(p, q, width))
                a, x = p + width, q + width
            gaps.append((a, b, x, y))
        elif (b - a) * (y - x) <= _TABLE:
            found += _compare(old, a, b, new, x, y)
    found.sort()
    settled = _settled(joined(found), new)
    return joined(_mirror(_settled(_mirror(settled), old)))


def _mirror(blocks: list[Block]) -> list[Block]:
    return [Block(block.new, block.old, block.length) for block in blocks]


def _settled(blocks: list[Block], new: bytes) -> list[Block]:
    """Return `blocks` with repeated runs moved beside the stronger of their neighbours.

    Where a run stands several times on the new side, an insertion can be read before or after
    it. It belongs with the longer run it adjoined on the old side.
    """
    moved = list(blocks)
    for at in range(len(moved) - 2, 0, -1):
        before, run, after = moved[at - 1 : at + 2]
        gap = after.old - run.old - run.length
        if run.length < _SLIDING or gap > _NEAR or after.new - run.new - run.length < gap + _FAR:
            continue
        near_before = run.old - before.old - before.length <= _NEAR
        if near_before and before.length >= after.length:
            continue
        text = new[run.new : run.new + run.length]
        spot = new.rfind(text, run.new + 1, after.new)
        if spot >= 0 and after.new - spot - run.length <= gap + _NEAR:
            moved[at] = Block(run.old, spot, run.length)
    for at in range(1, len(moved) - 1):
        before, run, after = moved[at - 1 : at + 2]
        gap = run.old - before.old - before.length
        end = before.new + before.length
        if run.length < _SLIDING or gap > _NEAR or run.new - end < gap + _FAR:
            continue
        near_after = after.old - run.old - run.length <= _NEAR
        if near_after and after.length >= before.length:
            continue
        text = new[run.new : run.new + run.length]
        spot = new.find(text, end, run.new + run.length - 1)
        if 0 <= spot <= end + gap + _NEAR:
            moved[at] = Block(run.old, spot, run.length)
    return moved


def joined(blocks: list[Block]) -> list[Block]:
    """Return sorted `blocks` with those that touch on both sides made one."""
    whole: list[Block] = []
    for block in blocks:
        last = whole[-1] if whole else None
        if last and last.old + last.length == block.old and last.new + last.length == block.new:
            whole[-1] = Block(last.old, last.new, last.length + block.length)
        else:
            whole.append(block)
    return whole


def common_prefix(old: bytes, a: int, b: int, new: bytes, x: int, y: int) -> int:
    """Return how many bytes `old[a:b]` and `new[x:y]` share at their beginning."""
    most = min(b - a, y - x)
    if not most or old[a] != new[x]:
        return 0
    return Prefix.similarity(old[a : a + most], new[x : x + most])


def common_suffix(old: bytes, a: int, b: int, new: bytes, x: int, y: int) -> int:
    """Return how many bytes `old[a:b]` and `new[x:y]` share at their end."""
    most = min(b - a, y - x)
    if not most or old[b - 1] != new[y - 1]:
        return 0
    return Postfix.similarity(old[b - most : b], new[y - most : y])


def _anchors(old: bytes, a: int, b: int, new: bytes, x: int, y: int) -> list[tuple[int, int, int]]:
    """Return `(old, new, width)` of probes that increase on both sides; empty when none is sure."""
    count = min(64, max(8, (b - a) // 128))
    anchors = _probe(old, a, b, new, x, y, count, _PROBES)
    if not anchors:
        anchors = _probe(old, a, b, new, x, y, min(256, 4 * count), (_SHORT_PROBE, *_PROBES))
    return _increasing(anchors)


def _probe(
    old: bytes, a: int, b: int, new: bytes, x: int, y: int, count: int, widths: tuple[int, ...]
) -> list[tuple[int, int, int]]:
    anchors = []
    free = a
    for step in range(count):
        p = a + (b - a) * step // count
        if p < free:
            continue
        for width in widths:
            if p + width > b:
                break
            probe = old[p : p + width]
            q = new.find(probe, x, y)
            if q < 0:
                break
            if (
                new.find(probe, q + 1, y) < 0
                and old.find(probe, p + 1, b) < 0
                and old.find(probe, a, p + width - 1) < 0
            ):
                anchors.append((p, q, width))
                free = p + width
                break
    return anchors


def _increasing(anchors: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return the longest run of `anchors` (sorted on the old side) that increases on the new."""
    tops: list[int] = []
    at_top: list[int] = []
    before: list[int] = []
    for number, (_, q, _) in enumerate(anchors):
        place = bisect_left(tops, q)
        before.append(at_top[place - 1] if place else -1)
        if place == len(tops):
            tops.append(q)
            at_top.append(number)
        else:
            tops[place] = q
            at_top[place] = number
    chain: list[tuple[int, int, int]] = []
    number = at_top[-1] if at_top else -1
    while number >= 0:
        anchor = anchors[number]
        if not chain or anchor[1] + anchor[2] <= chain[-1][1]:
            chain.append(anchor)
        number = before[number]
    return chain[::-1]


def _compare(old: bytes, a: int, b: int, new: bytes, x: int, y: int) -> list[Block]:
    """Return the runs a byte by byte comparison finds, chance runs of unlike texts left out."""
    runs = [
        Block(a + op.src_start, x + op.dest_start, op.src_end - op.src_start)
        for op in Indel.opcodes(old[a:b], new[x:y])
        if op.tag == "equal" and op.src_end - op.src_start >= _RUN
    ]
    alike = sum(run.length for run in runs) * 2 >= min(b - a, y - x)
    return runs if alike else [run for run in runs if run.length >= _LONE_RUN]

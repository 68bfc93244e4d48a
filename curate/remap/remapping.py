"""Remap: two chunk files and gold labels -> what became of every gold chunk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from curate.model.errors import CurateError, Exit
from curate.remap.items import CarriedItem, Carrier
from curate.remap.landing import Lander
from curate.remap.links import STATUSES, Links, link
from curate.remap.moves import Chain, chain
from curate.remap.reading import (
    Chunks,
    Label,
    Progress,
    read_chunks,
    read_labels,
    read_more,
    sample,
)
from curate.remap.report import ORDER_WARN, Remap
from curate.remap.search import Hunt
from curate.remap.stitching import Corpus, Modes, modes, stitch

_ANOTHER_CORPUS = 0.02
_FEW_CHUNKS = 20
APPLICABLE = ("kept", "split", "merged", "moved")


@dataclass(frozen=True, slots=True)
class _Side:
    path: Path
    modes: Modes
    name: str


@dataclass(frozen=True, slots=True)
class _Carried:
    old: Corpus
    new: Corpus
    chain: Chain
    links: Links
    numbers: dict[str, int]
    items: tuple[CarriedItem, ...]
    astray: tuple[tuple[int, int], ...]


def silent(stage: str, done: int, total: int) -> None:
    """Report no progress."""


def remap(
    old: Path,
    new: Path,
    gold: Path | None,
    *,
    everything: bool = False,
    map_out: Path | None = None,
    progress: Progress = silent,
) -> Remap:
    """Carry the gold labels of `gold` from the chunks in `old` to those in `new`.

    Without `everything` and `map_out` only the sources that hold gold are compared, and all of
    NEW is searched only for what is not found there. `map_out` gets the full chunk map as JSONL.
    Raises CurateError when a file is unreadable or malformed, an id stands twice, or NEW is
    another corpus altogether.
    """
    labels = read_labels(gold) if gold else []
    sides = (
        _Side(old, modes(sample(old)), "OLD"),
        _Side(new, modes(sample(new)), "NEW"),
    )
    full = everything or map_out is not None or gold is None
    if full:
        carried = _carry_everything(sides, labels, progress)
    else:
        carried = _carry_gold(sides, labels, progress)
    _refuse_another_corpus(carried, sides, labels, full, progress)
    result = _result(carried, old, new, everything or gold is None)
    if map_out is not None:
        result.write_map(map_out)
    return result


def _read(
    sides: tuple[_Side, _Side],
    labels: list[Label],
    wanted: Collection[str] | None,
    progress: Progress,
) -> tuple[Chunks, Chunks]:
    gold_ids = {name for label in labels for name in label.chunks}
    read = [
        read_chunks(
            side.path,
            wanted=wanted,
            gold_ids=gold_ids if number == 0 else (),
            context=side.modes.context_line,
            progress=progress,
            stage=f"reading {side.name}",
        )
        for number, side in enumerate(sides)
    ]
    if wanted is not None and (stray := set(read[0].sources).difference(wanted)):
        # gold chunks of sources no label names: read again, with their neighbours
        return _read(sides, labels, stray.union(wanted), progress)
    return read[0], read[1]


def _carry(
    sides: tuple[_Side, _Side],
    labels: list[Label],
    chunks: tuple[Chunks, Chunks],
    progress: Progress,
    *,
    keep_bodies: bool,
    settled: Mapping[str, CarriedItem] = MappingProxyType({}),
) -> _Carried:
    gold_ids = {name for label in labels for name in label.chunks}
    old, new = (
        stitch(read, side.modes, keep_bodies=keep_bodies)
        for read, side in zip(chunks, sides, strict=True)
    )
    place = np.empty(len(old.rows), dtype=np.int64)
    place[old.rows] = np.arange(len(old.rows))
    numbers = {name: int(place[row]) for row, name in enumerate(old.chunks.ids) if name in gold_ids}
    keep = {label.source for label in labels if label.source}
    keep |= {old.sources[old.document_of_chunk(chunk)] for chunk in numbers.values()}
    blocks = chain(old, new, keep, lambda done, of: progress("aligning", done, of))
    links = link(old, new, blocks)
    lander = Lander(old, new, blocks)
    carrier = Carrier(old, new, links, lander, numbers)
    items = tuple(settled.get(label.id) or carrier.carry(label) for label in labels)
    return _Carried(old, new, blocks, links, numbers, items, tuple(lander.astray))


def _carry_everything(
    sides: tuple[_Side, _Side], labels: list[Label], progress: Progress
) -> _Carried:
    return _carry(sides, labels, _read(sides, labels, None, progress), progress, keep_bodies=False)


def _carry_gold(sides: tuple[_Side, _Side], labels: list[Label], progress: Progress) -> _Carried:
    """Compare the sources that hold gold, then those that may hold what is not found there."""
    named = {label.source for label in labels if label.source}
    chunks = _read(sides, labels, named, progress)
    carried = _carry(sides, labels, chunks, progress, keep_bodies=True)
    hunt = Hunt.of(carried.old, carried.chain, carried.astray)
    if hunt.empty:
        return carried
    known = {*named, *carried.old.sources}
    found = hunt.sources(sides[1].path, known, progress) - known
    if not found:
        return carried
    for read, side in zip(chunks, sides, strict=True):
        read_more(read, found, context=side.modes.context_line)
    settled = {item.id: item for item in carried.items if item.status in ("kept", "split")}
    return _carry(sides, labels, chunks, progress, keep_bodies=False, settled=settled)


def _refuse_another_corpus(
    carried: _Carried,
    sides: tuple[_Side, _Side],
    labels: list[Label],
    full: bool,
    progress: Progress,
) -> None:
    if min(carried.old.chunks.total, carried.new.chunks.total) < _FEW_CHUNKS:
        return
    if _shared(carried) >= _ANOTHER_CORPUS:
        return
    if not full:
        carried = _carry_everything(sides, [], progress)
        if _shared(carried) >= _ANOTHER_CORPUS:
            return
    raise CurateError(
        f"{sides[1].path} is another corpus: it holds {_shared(carried):.1%} of the text of "
        f"{sides[0].path}.",
        "Name the chunks of the same documents, older file first. Nothing was carried over.",
        Exit.USAGE,
    )


def _shared(carried: _Carried) -> float:
    return float(carried.chain.length.sum()) / max(1, int(carried.old.bases[-1]))


def _result(carried: _Carried, old: Path, new: Path, everything: bool) -> Remap:
    blocks = carried.chain
    share = blocks.out_of_order / max(1, blocks.out_of_order + blocks.in_order)
    items = carried.items
    warnings = []
    shuffled = share > ORDER_WARN and blocks.breaks >= max(5, blocks.changed_chunks // 4)
    if shuffled:
        warnings.append(
            f"The chunks of {old.name} or {new.name} are out of order within their sources "
            f"({share:.0%} of the text); without their order, overlaps and split evidence can't "
            "be told. Sort each file by source and position, or add chunk_index."
        )
        items = tuple(_distrust(item, carried) for item in items)
    for path, corpus in ((old, carried.old), (new, carried.new)):
        if corpus.chunks.blank:
            warnings.append(
                f"{path.name}: {corpus.chunks.blank} chunks without text "
                f"(the first is {corpus.chunks.first_blank})."
            )
    unknown = sum("chunk ids are not in OLD" in item.reason for item in items)
    if unknown:
        warnings.append(f"{unknown} items name chunk ids that {old.name} does not have.")
    gold_chunks = tuple(sorted(carried.numbers.values()))
    looked_at = carried.links.status if everything else carried.links.status[list(gold_chunks)]
    counted = Counter(item.status for item in items)
    return Remap(
        old_path=old,
        new_path=new,
        items=items,
        summary={status: counted[status] for status in STATUSES},
        chunk_summary={
            status: int((looked_at == number).sum()) for number, status in enumerate(STATUSES)
        },
        warnings=tuple(warnings),
        out_of_order=share,
        everything=everything,
        old=carried.old,
        new=carried.new,
        chain=blocks,
        links=carried.links,
        gold_chunks=gold_chunks,
    )


def _distrust(item: CarriedItem, carried: _Carried) -> CarriedItem:
    """Return `item` as ambiguous unless all its documents are the same text in the same order."""
    documents = {
        carried.old.document_of_chunk(carried.numbers[name])
        for name in item.old
        if name in carried.numbers
    }
    pairs = [carried.chain.pairs.get(document) for document in documents]
    if item.status not in APPLICABLE or all(pair and pair.same_text for pair in pairs):
        return item
    reason = "; ".join(filter(None, [item.reason, "the chunks are out of order"]))
    return replace(item, status="ambiguous", reason=reason)

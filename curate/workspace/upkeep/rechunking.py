"""Re-chunking: the set's gold is carried from one chunk set to another; what is unsure waits."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from curate.model.errors import CurateError, Exit
from curate.model.items import ChunkLabel, ChunkSet, Item, LabelStatus
from curate.workspace.upkeep import chunking
from curate.workspace.upkeep.chunking import Progress, silent

if TYPE_CHECKING:
    from curate.remap.items import CarriedItem
    from curate.remap.report import Remap
    from curate.workspace.workspace import Workspace

_APPLIED = ("kept", "merged", "split", "moved")
_SURE = (*_APPLIED, "ambiguous", "lost")


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done with a remap, by item id: `labelled` have their new chunks, `waiting` need a
    person, `unknown` are no items of this set.
    """

    labelled: tuple[str, ...]
    waiting: tuple[str, ...]
    unknown: tuple[str, ...]


def plain(path: Path, directory: Path) -> Path:
    """Return a chunk file as lines of our own fields: itself, or a copy made in `directory`.

    Raises `CurateError` as `chunk_files.rows` does, and for a file without chunks.
    """
    from curate.workspace.upkeep import chunk_files

    if chunk_files.is_plain(path):
        return path
    copy = directory / secrets.token_hex(8) / f"{path.stem}.jsonl"
    copy.parent.mkdir(mode=0o700)
    with copy.open("wb") as out:
        if not chunk_files.write(chunk_files.rows(path), out, lambda source: source):
            raise CurateError(
                f"{path} holds no chunks", "Give lines of id, source, text.", Exit.USAGE
            )
    return copy


def carry(
    workspace: Workspace,
    old: ChunkSet,
    new: ChunkSet,
    items: Sequence[Item],
    gold: Mapping[str, Sequence[str]] | None = None,
    *,
    everything: bool = False,
    map_out: Path | None = None,
    progress: Progress = silent,
) -> Remap:
    """Return what became of the gold of `items` from one chunk set to another.

    `gold` are their chunk ids in the old one; without it they are derived. Each evidence of an
    item is carried for itself: the second one of `late-1` is called `late-1/2`.
    """
    from curate.remap import remapping

    lines = _lines(workspace, old, items, gold)
    labels = workspace.root / chunking.CHUNKS / f".unfinished-{secrets.token_hex(8)}.jsonl"
    try:
        with os.fdopen(os.open(labels, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.writelines(json.dumps(line).encode() + b"\n" for line in lines)
        return remapping.remap(
            chunking.file(workspace, old),
            chunking.file(workspace, new),
            labels,
            everything=everything,
            map_out=map_out,
            progress=progress,
        )
    finally:
        labels.unlink(missing_ok=True)


def _lines(
    workspace: Workspace,
    old: ChunkSet,
    items: Sequence[Item],
    gold: Mapping[str, Sequence[str]] | None,
) -> list[dict[str, object]]:
    """What is carried of the items: evidence and the chunks that hold it; never a question."""
    from curate.remap.gold import ChunkSet as Chunks

    chunks = Chunks.read(chunking.file(workspace, old), silent)
    if gold is None:
        gold = {one.item: one.ids for one in chunking.read_gold(workspace, items, old, chunks)}
    lines: list[dict[str, object]] = []
    for item in items:
        ids = gold.get(item.id, ())
        for number, evidence in enumerate(item.evidences if item.answerable else (), 1):
            held = chunking.held_by(workspace, evidence, chunks).ids
            mine = [one for one in ids if one in held] if len(item.evidences) > 1 else []
            lines.append(
                {
                    "id": item.id if number == 1 else f"{item.id}/{number}",
                    "source": evidence.source,
                    "heading": evidence.heading,
                    "evidence": evidence.phrase,
                    "relevantChunkIds": mine or list(ids),
                }
            )
    return lines


def apply(
    workspace: Workspace, carried: Collection[CarriedItem], new: ChunkSet, *, reason: str = ""
) -> Applied:
    """Store what a remap found, as one act: items that were kept, split, merged or moved have
    their chunks in `new`; those that are ambiguous or lost wait for a person, with the reason.
    """
    items = {item.id: item for item in workspace.store.items() if item.status != "withdrawn"}
    found: dict[str, list[CarriedItem]] = {}
    for one in carried:
        name = one.id if one.id in items else one.id.rpartition("/")[0] or one.id
        found.setdefault(name, []).append(one)
    labels = {
        name: _label(items[name], parts, new) for name, parts in found.items() if name in items
    }
    if labels:
        workspace.store.save_items(
            [
                (chunking.labelled(items[name], label, new.name), items[name].revision)
                for name, label in labels.items()
            ],
            by=workspace.who,
            now=workspace.now(),
            action="remap",
            reason=reason or f"chunks of {new.name}",
        )
    done = tuple(name for name, label in labels.items() if label.status in _APPLIED)
    return Applied(
        done,
        tuple(name for name in labels if name not in done),
        tuple(name for name in found if name not in items),
    )


def _label(item: Item, parts: Sequence[CarriedItem], new: ChunkSet) -> ChunkLabel:
    """Return one label for all the evidence of an item, as sure as the least sure of it."""
    worst = max(parts, key=lambda part: _SURE.index(part.status))
    return ChunkLabel(
        new.name,
        tuple(dict.fromkeys(chunk for part in parts for chunk in part.new)),
        cast(LabelStatus, worst.status),
        "; ".join(dict.fromkeys(part.reason for part in parts if part.reason)),
        chunking.fingerprint(item),
    )

"""`remap`: gold chunk ids are carried over a re-chunking."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curate.cli import output
from curate.cli.context import Shared, json_option, shared_options
from curate.model.errors import CurateError, Exit

if TYPE_CHECKING:
    from curate.model.items import ChunkSet, Version
    from curate.remap.report import Remap
    from curate.workspace.upkeep.rechunking import Applied
    from curate.workspace.workspace import Workspace

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("old")
@click.argument("new")
@click.option(
    "--gold",
    type=_FILE,
    help="Labels to carry: lines of id, source, heading, evidence, relevantChunkIds.",
)
@click.option("--all", "everything", is_flag=True, help="Every chunk into remap.json.")
@click.option("--map", "map_out", type=_FILE, help="Write the map of every chunk here, as lines.")
@click.option("--out", type=_FILE, default=None, help="Where remap.json goes.")
@click.option("--apply", "applied", is_flag=True, help="Label the workspace's items with NEW.")
@json_option
@shared_options
@click.pass_obj
def remap(
    shared: Shared,
    old: str,
    new: str,
    gold: Path | None,
    everything: bool,
    map_out: Path | None,
    out: Path | None,
    applied: bool,
    as_json: bool,
) -> None:
    """Carry gold from the chunks OLD to the chunks NEW.

    Says what was kept, split, merged, moved, and what needs a person.

    OLD and NEW are chunk files, and no workspace is needed; or both are chunk sets of the
    workspace, and its items are carried. Nothing is guessed: what is ambiguous or lost is said
    with its reason, and the exit code is 1. With --apply the sure ones are labelled, the others
    wait for a person.
    """
    from curate.workspace.upkeep import rechunking

    with output.Steps(quiet=shared.quiet) as progress:
        if Path(old).is_file() and Path(new).is_file():
            if applied:
                raise CurateError(
                    "--apply needs chunk sets of the workspace",
                    "`curate chunks add NAME FILE`, then name them.",
                    Exit.USAGE,
                )
            result = _files(Path(old), Path(new), gold, everything, map_out, progress)
            done = None
        else:
            with shared.open() as workspace:
                workspace.ready_corpus()
                sets = _sets(workspace, old, new)
                result = _carried(workspace, sets, gold, everything, map_out, progress)
                done = rechunking.apply(workspace, result.items, sets[1]) if applied else None
    if out:
        result.write(out)
    if as_json:
        output.data(_data(result, done))
    else:
        _show(result, done)
    for warning in result.warnings:
        output.say(f"warning: {warning}", quiet=shared.quiet)
    sys.exit(result.exit)


def _files(
    old: Path,
    new: Path,
    gold: Path | None,
    everything: bool,
    map_out: Path | None,
    progress: output.Steps,
) -> Remap:
    from curate.remap import remapping
    from curate.workspace.upkeep import rechunking

    with tempfile.TemporaryDirectory(prefix="curate-") as directory:
        before, after = (rechunking.plain(path, Path(directory)) for path in (old, new))
        return remapping.remap(
            before, after, gold, everything=everything, map_out=map_out, progress=progress
        )


def _sets(workspace: Workspace, old: str, new: str) -> tuple[ChunkSet, ChunkSet]:
    from curate.workspace.upkeep import chunking

    known = {one.name for one in workspace.store.chunk_sets()}
    for name in (old, new):
        if name not in known:
            raise CurateError(
                f"{name} is neither a file nor a chunk set here",
                "Both are files, or both are chunk sets: `curate chunks list`.",
                Exit.USAGE,
            )
    return chunking.named(workspace, old), chunking.named(workspace, new)


def _carried(
    workspace: Workspace,
    sets: tuple[ChunkSet, ChunkSet],
    gold: Path | None,
    everything: bool,
    map_out: Path | None,
    progress: output.Steps,
) -> Remap:
    from curate.remap import remapping
    from curate.workspace.upkeep import chunking, rechunking

    old, new = sets
    if gold:
        before, after = (chunking.file(workspace, one) for one in sets)
        return remapping.remap(
            before, after, gold, everything=everything, map_out=map_out, progress=progress
        )
    items = [item for item in workspace.store.items() if item.status == "ready"]
    labels = None
    if told := _exported(workspace, old):
        now = {item.id: chunking.fingerprint(item) for item in items}
        same = {one.id for one in told.items if chunking.fingerprint(one) == now.get(one.id)}
        derived = {one.item: one.ids for one in chunking.gold(workspace, items, old)}
        labels = derived | {name: ids for name, ids in told.gold.items() if name in same}
    return rechunking.carry(
        workspace,
        old,
        new,
        items,
        labels,
        everything=everything,
        map_out=map_out,
        progress=progress,
    )


def _exported(workspace: Workspace, old: ChunkSet) -> Version | None:
    """Return the last version that was labelled with a chunk set: its gold is what was used."""
    found = [v for v in workspace.store.versions() if v.chunks and v.chunks.name == old.name]
    return workspace.store.version(found[-1].number) if found else None


def _data(result: Remap, done: Applied | None) -> dict[str, object]:
    return {
        "summary": result.summary,
        "chunks": result.chunk_summary,
        "items": result.items,
        "warnings": result.warnings,
        "applied": done,
    }


def _show(result: Remap, done: Applied | None) -> None:
    if result.items:
        output.line("items   " + _tally(result.summary))
    output.line("chunks  " + _tally(result.chunk_summary))
    if result.unresolved:
        output.table(
            [(one.id, one.status, ", ".join(one.new), one.reason) for one in result.unresolved],
            ("item", "needs a person", "proposed", "why"),
        )
    if done:
        output.line(f"{len(done.labelled)} items labelled, {len(done.waiting)} wait for a person")
        if done.unknown:
            output.line(f"no items here: {', '.join(done.unknown)}")


def _tally(summary: dict[str, int]) -> str:
    return ", ".join(f"{count} {status}" for status, count in summary.items() if count) or "none"

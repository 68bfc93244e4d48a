"""`chunks`: how the assistant cuts the documents, and which chunks answer the set."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curate.cli import output
from curate.cli.context import Shared, as_is_option, json_option, shared_options
from curate.model.errors import Exit

if TYPE_CHECKING:
    from curate.workspace.upkeep.chunking import Checked

_SHOWN = 10


@click.group()
def chunks() -> None:
    """Register how the documents are cut into chunks.

    Exports are labelled with the ids of the chunks that answer.

    The chunks that hold an item's evidence are its relevant ones. The chunk set added last counts.
    """


@chunks.command()
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@shared_options
@click.pass_obj
def add(shared: Shared, name: str, file: Path, as_json: bool) -> None:
    """Register the chunks in FILE under NAME.

    FILE holds JSON lines of id, source, text (and heading, start, chunk_index where known), or
    what LangChain, LlamaIndex or Chroma export, or Parquet. A name stands for the same chunks for
    ever; adding the same again makes them the ones that count.
    """
    from curate.workspace.upkeep import chunking

    with shared.open() as workspace:
        workspace.ready_corpus()
        with output.Steps(quiet=shared.quiet) as progress:
            made, checked = chunking.add(workspace, name, file, progress=progress)
    if as_json:
        output.data({"added": made, **_data(checked)})
        return
    output.line(f"{made.name}: {made.chunks} chunks")
    _show(shared, checked)


@chunks.command("list")
@json_option
@shared_options
@click.pass_obj
def list_(shared: Shared, as_json: bool) -> None:
    """List the chunk sets; the last one counts."""
    with shared.open() as workspace:
        sets = workspace.store.chunk_sets()
    if as_json:
        output.data(sets)
        return
    output.table(
        [(s.name, s.chunks, f"{s.at:%Y-%m-%d %H:%M}", s.by, s.digest) for s in sets],
        ("chunk set", "chunks", "added", "by", "digest"),
    )


@chunks.command()
@click.argument("name", required=False, default="")
@json_option
@shared_options
@click.pass_obj
def check(shared: Shared, name: str, as_json: bool) -> None:
    """Say for each item whether a chunk holds its evidence.

    Exit 1 where none does alone.

    Evidence that is cut in two is a finding about the chunker, and listed. So are chunks whose
    text stands in no document.
    """
    from curate.workspace.upkeep import chunking

    with shared.open() as workspace:
        workspace.ready_corpus()
        with output.Steps(quiet=shared.quiet) as progress:
            checked = chunking.check(workspace, name, progress=progress)
    if as_json:
        output.data(_data(checked))
    else:
        output.line(f"{checked.chunks.name}: {checked.chunks.chunks} chunks")
        _show(shared, checked)
    sys.exit(Exit.FOUND if checked.unsound or checked.foreign else Exit.DONE)


@chunks.command()
@click.argument("item")
@click.argument("ids", nargs=-1)
@click.option("--set", "name", default="", metavar="NAME", help="The chunk set; default: current.")
@click.option("--reason", default="", help="Why; kept in the log of the item.")
@as_is_option
@json_option
@shared_options
@click.pass_obj
def label(
    shared: Shared,
    item: str,
    ids: tuple[str, ...],
    name: str,
    reason: str,
    as_is: bool,
    as_json: bool,
) -> None:
    """Say which chunks answer ITEM.

    Without IDS, those that hold its evidence do again.
    """
    from curate.workspace.upkeep import chunking

    with shared.open() as workspace:
        if not as_is:
            workspace.vet(reason)
        saved = chunking.choose(workspace, item, ids, name=name, reason=reason)
    if as_json:
        output.data(saved)
    else:
        output.line(f"{saved.id}: {', '.join(ids) or 'the chunks that hold its evidence'}")


def _data(checked: Checked) -> dict[str, object]:
    return {
        "chunks": checked.chunks,
        "held": Counter(one.held for one in checked.gold),
        "items": [{**output.plain(one), "sound": one.sound} for one in checked.gold],
        "foreign": checked.foreign,
    }


def _show(shared: Shared, checked: Checked) -> None:
    held = Counter(one.held for one in checked.gold)
    output.line(
        ", ".join(f"{count} {how}" for how, count in held.items()) or "no item has evidence yet"
    )
    if checked.unsound:
        output.table(
            [
                (
                    one.item,
                    one.status if one.waiting else one.held,
                    ", ".join(one.ids or one.proposed),
                    one.reason,
                )
                for one in checked.unsound
            ],
            ("item", "evidence", "chunks", "why"),
        )
    if checked.foreign:
        shown = ", ".join(checked.foreign[:_SHOWN])
        more = " ..." if len(checked.foreign) > _SHOWN else ""
        output.say(
            f"{len(checked.foreign)} chunks stand in no document: {shown}{more}",
            quiet=shared.quiet,
        )

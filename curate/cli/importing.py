"""`curate items import`: a set that a team already has."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curate.cli import output
from curate.cli.context import Shared, as_is_option, json_option, shared_options
from curate.model.errors import Exit
from curate.text import one_line

if TYPE_CHECKING:
    from curate.workspace.upkeep.importing import Imported, Side


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--take",
    type=click.Choice(["theirs", "ours"]),
    help="Whose word counts where both say something else; default: report, write nothing.",
)
@click.option(
    "--chunks",
    default="",
    metavar="FILE|NAME",
    help="Whose ids relevantChunkIds are, for rows without evidence; default: the current set.",
)
@click.option("--reason", default="", help="Why; kept in the log of every item.")
@as_is_option
@click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")
@json_option
@shared_options
@click.pass_obj
def import_(
    shared: Shared,
    file: Path,
    take: Side | None,
    chunks: str,
    reason: str,
    as_is: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Take in a set from FILE.

    questions.json, golden.jsonl, labelled queries, or CSV.

    Items are merged by id, texts anonymised, evidence located in the documents as they are now.
    All of it is one decision, taken back by one `items undo`. Exit 1 while conflicts stand or
    evidence is not verbatim.
    """
    from curate.workspace.upkeep import importing

    with shared.open() as workspace:
        workspace.ready_corpus()
        if not as_is:
            workspace.vet(reason)
        done = importing.read_in(
            workspace, file, take=take, chunks=chunks, reason=reason, dry_run=dry_run
        )
    if as_json:
        output.data(done)
    else:
        _show(done, dry_run)
    for item, entities in done.redacted.items():
        output.say(f"{item}: replaced {', '.join(entities)}", quiet=shared.quiet)
    for item, lacking in done.drafts.items():
        output.say(f"{item} is a draft: it lacks {', '.join(lacking)}", quiet=shared.quiet)
    standing = done.conflicts and not done.written and take is None
    sys.exit(Exit.FOUND if standing or done.doubts else Exit.DONE)


def _show(done: Imported, dry_run: bool) -> None:
    if done.conflicts:
        output.table(
            [(c.item, c.name, _plain(c.ours), _plain(c.theirs)) for c in done.conflicts],
            ("item", "field", "ours", "theirs"),
        )
    if done.doubts:
        output.table(
            [
                (
                    doubt.item,
                    doubt.grade,
                    f"{doubt.source} › {doubt.heading}" if doubt.heading else doubt.source,
                    f"{doubt.found.source} › {doubt.found.heading}: {doubt.found.phrase}"
                    if doubt.found
                    else "nowhere",
                )
                for doubt in done.doubts
            ],
            ("item", "evidence", "told", "found"),
        )
    state = "" if done.written else " (dry run)" if dry_run else " (nothing written: see --take)"
    kept = f", {len(done.kept)} kept as ours" if done.kept else ""
    output.line(
        f"{len(done.added)} new, {len(done.changed)} changed, {len(done.unchanged)} unchanged{kept}"
        f"{state}"
    )


def _plain(value: Any) -> str:
    return one_line(str(output.plain(value)))

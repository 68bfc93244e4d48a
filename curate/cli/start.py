"""`init`, `demo`, `status`, `open`: making a workspace and entering it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curate.cli import output
from curate.cli.context import Shared, json_option, shared_options
from curate.model import CurateError, Exit

if TYPE_CHECKING:
    from curate.workspace import Workspace


@click.command()
@click.argument("directory", required=False, type=click.Path(path_type=Path))
@shared_options
@click.pass_obj
def init(shared: Shared, directory: Path | None) -> None:
    """Make a workspace: a commented curate.toml and an empty database."""
    from curate import config
    from curate.workspace import Workspace

    root = directory or shared.workspace or config.workspace_from_environment() or Path()
    Workspace.create(root, shared.clock())
    output.say(
        f"{root / config.FILE} is yours to edit: say where the documents and the logs are, then\n"
        "`curate corpus sync`, `curate ingest`, `curate open`.",
        quiet=shared.quiet,
    )


@click.command()
@click.option("--answer-key", is_flag=True, help="Curate a dozen items from the shipped key, too.")
@click.option(
    "--open/--no-open", "enter", default=None, help="Open the screens; default: on a terminal."
)
@json_option
@shared_options
@click.pass_obj
def demo(shared: Shared, answer_key: bool, enter: bool | None, as_json: bool) -> None:
    """See the whole job on a small fictional organisation, in ./curate-demo."""
    from curate import config
    from curate.cli import demonstration
    from curate.workspace import Workspace

    root = shared.workspace or config.workspace_from_environment() or Path("curate-demo")
    demonstration.make(root, shared.clock())
    with Workspace.open(root, shared.clock(), shared.who) as workspace:
        workspace.corpus.sync()
        with output.Progress("reading two logs", quiet=shared.quiet) as progress:
            report = workspace.ingest(workspace.sources(), progress=progress)
        items = demonstration.curate(workspace) if answer_key else ()
        if as_json:
            output.data({"workspace": root, "ingested": report, "items": [i.id for i in items]})
        else:
            output.line(
                f"{root}: {len(workspace.corpus.sources())} documents, "
                f"{report.questions_new} questions anonymised, {report.feedback_joined} votes "
                f"joined, {report.rejected} broken lines passed over, {len(items)} items curated"
            )
        if enter or (enter is None and not as_json and sys.stdin.isatty() and sys.stdout.isatty()):
            sys.exit(_enter(workspace))
    output.say(
        f"Next:  curate --workspace {root} open      curate in the terminal\n"
        f"       curate --workspace {root} status    what is there\n"
        f"       curate --workspace {root} export    write questions.json",
        quiet=shared.quiet,
    )


@click.command("open")
@shared_options
@click.pass_obj
def open_(shared: Shared) -> None:
    """Open the screens: inbox, review, items, check and export."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CurateError(
            "`curate open` needs a terminal",
            "Without one, `curate items` does everything the screens do.",
            Exit.USAGE,
        )
    with shared.open() as workspace:
        sys.exit(_enter(workspace))


def _enter(workspace: Workspace) -> int:
    from curate.tui.app import run

    return run(workspace)


@click.command()
@json_option
@shared_options
@click.pass_obj
def status(shared: Shared, as_json: bool) -> None:
    """Show what is there: records and when they expire, candidates, items, versions, disk."""
    with shared.open() as workspace:
        now = workspace.status()
    if as_json:
        output.data(now)
        return
    counts = now.counts
    output.line(f"workspace   {now.root}")
    output.line(f"records     {counts.records} anonymised, kept {now.records_days} days each")
    for age in counts.ages:
        output.line(
            f"            {age.records:6}  asked {age.label}, expire by {age.last:%Y-%m-%d}"
        )
    if counts.overdue:
        output.line(f"            {counts.overdue:6}  OVERDUE: run `curate purge`")
    output.line(f"votes       {counts.feedback} joined, {counts.waiting} wait for their question")
    output.line(
        "candidates  " + ", ".join(f"{count} {name}" for name, count in counts.candidates.items())
    )
    for split, states in counts.items.items():
        shown = ", ".join(f"{count} {state}" for state, count in states.items())
        output.line(f"items       {split:8} {shown}")
    if not counts.items:
        output.line("items       none yet: `curate open`")
    output.line(f"version     {now.version or 'none yet: `curate export`'}")
    output.line(f"last purge  {now.last_purge or 'never: `curate purge`'}")
    output.line(f"disk        {now.disk_bytes / 1_000_000:.1f} MB")

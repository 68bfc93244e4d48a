"""`init`, `demo`, `status`, `open`: making a workspace and entering it."""

from __future__ import annotations

import sys
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curate.cli import output
from curate.cli.context import Shared, json_option, shared_options
from curate.model.errors import CurateError, Exit

if TYPE_CHECKING:
    from curate.workspace.workspace import Workspace


@click.command()
@click.argument("directory", required=False, type=click.Path(path_type=Path))
@shared_options
@click.pass_obj
def init(shared: Shared, directory: Path | None) -> None:
    """Make a workspace: a commented curate.toml and an empty database.

    A workspace that lost its curate.toml gets one again, and keeps everything else.
    """
    from curate import config
    from curate.workspace.workspace import Workspace

    root = directory or shared.workspace or config.workspace_from_environment() or Path()
    if Workspace.renew(root):
        output.say(
            f"{root / config.FILE} was missing and has every default now: enter the documents, the"
            " logs, the retention and the terms that it had, before the next purge or ingest.",
            quiet=shared.quiet,
        )
        return
    Workspace.create(root, shared.clock())
    output.say(
        f"{root / config.FILE} is yours to edit: say where the documents and the logs are, then\n"
        "`curate corpus sync`, `curate ingest`, `curate open`.",
        quiet=shared.quiet,
    )


@click.command()
@click.argument("directory", required=False, type=click.Path(path_type=Path))
@click.option("--answer-key", is_flag=True, help="Curate the items of the shipped key, too.")
@click.option(
    "--open/--no-open", "enter", default=None, help="Open the screens; default: on a terminal."
)
@json_option
@shared_options
@click.pass_obj
def demo(
    shared: Shared, directory: Path | None, answer_key: bool, enter: bool | None, as_json: bool
) -> None:
    """See the whole job on a small fictional organisation.

    Makes DIRECTORY, or ./curate-demo.
    """
    from curate import config
    from curate.cli import demonstration
    from curate.workspace.upkeep import sources
    from curate.workspace.workspace import Workspace

    named = directory or shared.workspace or config.workspace_from_environment()
    root = named or Path("curate-demo")
    demonstration.make(root, shared.clock())
    with Workspace.open(root, shared.clock(), shared.who) as workspace:
        workspace.corpus.sync()
        with output.Progress("reading two logs", quiet=shared.quiet) as progress:
            report = workspace.ingest(sources.configured(workspace), progress=progress)
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
        f"       curate --workspace {root} export    write questions.json\n"
        f"       curate --workspace {root} eval run --python curate.demo.assistant:ask",
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
    """Show what is there and when it expires."""
    with shared.open() as workspace:
        now = workspace.status()
    if as_json:
        output.data(now)
        return
    counts = now.counts
    output.line(f"workspace   {now.root}")
    output.line(f"records     {counts.records} anonymised, each kept {now.records_days} days")
    if counts.oldest and counts.newest:
        output.line(f"            asked {counts.oldest:%Y-%m-%d} to {counts.newest:%Y-%m-%d}")
    for week, number in _by_week(counts.expiring):
        output.line(f"            {number:6} expire in the week of {week:%Y-%m-%d}")
    if counts.overdue or counts.dirty:
        output.line(f"            {counts.overdue:6} OVERDUE: run `curate purge`")
    output.line(f"votes       {counts.waiting_votes} wait for their question")
    output.line(f"candidates  {_tally(counts.candidates) or 'none: `curate ingest`'}")
    for state, splits in counts.items.items():
        output.line(f"items       {state}: {_tally(splits)}")
    if not counts.items:
        output.line("items       none yet: `curate open`")
    if counts.unheld:
        output.line("            NO HOLDOUT: nothing will tell whether tuning overfits")
    if counts.last_version:
        output.line(f"version     v{counts.versions:04}, {counts.last_version:%Y-%m-%d %H:%M}")
    else:
        output.line("version     none yet: `curate export`")
    if counts.last_purge:
        purge = counts.last_purge
        output.line(f"last purge  {purge.at:%Y-%m-%d %H:%M}, {purge.status}")
    else:
        output.line("last purge  never: `curate purge`")
    if counts.last_look:
        output.line(
            f"holdout     looked at {counts.looks} times, "
            f"last {counts.last_look:%Y-%m-%d} by {counts.looked}"
        )
    output.line(f"disk        {now.disk_bytes / 1_000_000:.1f} MB")


def _tally(numbers: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in numbers.items())


def _by_week(expiring: dict[str, int]) -> list[tuple[date, int]]:
    """Sum what expires by day into weeks that begin on Monday."""
    weeks: dict[date, int] = {}
    for day, number in expiring.items():
        monday = date.fromisoformat(day) - timedelta(days=date.fromisoformat(day).weekday())
        weeks[monday] = weeks.get(monday, 0) + number
    return sorted(weeks.items())

"""`schedule`, `backup`, `doctor`: keeping a workspace in order."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from curate.cli import output
from curate.cli.context import Shared, json_option, shared_options
from curate.model.errors import CurateError, Exit


@click.command()
@click.option("--systemd", "kind", flag_value="systemd", help="User units: services and timers.")
@click.option("--cron", "kind", flag_value="cron", help="Lines of a crontab.")
@click.option("--install", is_flag=True, help="Install them for this user, instead of printing.")
@shared_options
@click.pass_obj
def schedule(shared: Shared, kind: str | None, install: bool) -> None:
    """Print (or install) timers that ingest and purge every hour."""
    from curate.workspace.custody import scheduling

    if kind is None:
        raise CurateError("which timers?", "Say --systemd or --cron.", Exit.USAGE)
    with shared.open() as workspace:
        root = workspace.root.absolute()
    program = str(Path(shutil.which(sys.argv[0]) or sys.argv[0]).absolute())
    if kind == "cron":
        lines = scheduling.cron(program, root)
        if install:
            scheduling.install_cron(lines)
            output.say(f"{len(lines)} lines are in your crontab", quiet=shared.quiet)
        else:
            for line in lines:
                output.line(line)
        return
    units = scheduling.systemd(program, root)
    if install:
        for path in scheduling.install_systemd(units, Path.home()):
            output.say(f"{path}", quiet=shared.quiet)
        return
    for name, text in units.items():
        output.line(f"# {scheduling.UNITS / name}")
        output.line(text)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@shared_options
@click.pass_obj
def backup(shared: Shared, file: Path) -> None:
    """Copy the database to FILE, without originals or keys.

    The copy has mode 0600 and holds no byte of what was deleted.

    FILE must not exist. It holds anonymised records: keep it no longer than they are kept.
    """
    from curate.model.custody import Audit
    from curate.workspace.custody.erasing import BACKUP

    with shared.open() as workspace:
        workspace.store.backup(file)
        where = str(file.resolve())
        workspace.store.audit(Audit(workspace.now(), workspace.who, BACKUP, "", where))
    output.say(f"{file}: {file.stat().st_size / 1e6:.1f} MB", quiet=shared.quiet)


@click.command()
@json_option
@shared_options
@click.pass_obj
def doctor(shared: Shared, as_json: bool) -> None:
    """Look over what the promises rest on.

    SQLite, modes, disk, clock, what is overdue, copies of keys, settings of the anonymiser.

    Exit 1 when something is wrong.
    """
    from curate.workspace.custody import doctor as look

    with shared.open() as workspace:
        checks = look.examine(workspace)
    if as_json:
        output.data(checks)
    else:
        rows = [
            (check.health, check.name, f"{check.found}{'. ' if check.hint else ''}{check.hint}")
            for check in checks
        ]
        output.table(rows, ("health", "what", "found"))
    wrong = any(check.health == "wrong" for check in checks)
    sys.exit(Exit.FOUND if wrong else Exit.DONE)

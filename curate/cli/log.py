"""`ingest`, `redact`, `purge`: the log comes in, anonymised, and goes when its time is up."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curate.cli import output
from curate.cli.context import Shared, json_option, shared_options
from curate.model import CurateError, Exit, Receipt

if TYPE_CHECKING:
    from curate.config import PrivacySettings, SourceSettings
    from curate.ingest.run import IngestReport
    from curate.privacy.anonymise import Anonymiser


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, allow_dash=True))
@click.option("--source", metavar="NAME", help="Read it as this source of the config.")
@click.option("--format", "form", default=None, metavar="NAME", help="auto, jsonl, csv.")
@click.option(
    "--map",
    "mapping",
    multiple=True,
    metavar="FIELD=PATH",
    help="Where a field stands; repeatable.",
)
@click.option(
    "--down", multiple=True, metavar="VALUE", help="A rating that means thumbs-down: 0 or '<=2'."
)
@click.option("--up", multiple=True, metavar="VALUE", help="A rating that means thumbs-up.")
@click.option("--strict", is_flag=True, help="One bad line: nothing is written, exit 1.")
@json_option
@shared_options
@click.pass_obj
def ingest(
    shared: Shared,
    paths: tuple[Path, ...],
    source: str | None,
    form: str | None,
    mapping: tuple[str, ...],
    down: tuple[str, ...],
    up: tuple[str, ...],
    strict: bool,
    as_json: bool,
) -> None:
    """Read logs, anonymise them, keep what is new.

    PATHS are files, `-` is standard input; without any, all [[sources]] of the config. Reading
    the same log twice changes nothing. A bad line is counted by its number and passed over.
    """
    with shared.open() as workspace:
        if paths:
            inputs: list[tuple[Path | None, SourceSettings]] = [
                (
                    None if str(path) == "-" else path,
                    workspace.source(source) if source else workspace.source_of(path),
                )
                for path in paths
            ]
        else:
            inputs = list(workspace.sources([source] if source else ()))
        fields = _mapping(mapping)
        inputs = [
            (
                path,
                replace(
                    settings,
                    format=form or settings.format,
                    map={**settings.map, **fields},
                    down=down or settings.down,
                    up=up or settings.up,
                ),
            )
            for path, settings in inputs
        ]
        with output.Progress("reading", quiet=shared.quiet) as progress:
            report = workspace.ingest(inputs, strict=strict, progress=progress)
    if as_json:
        output.data(report)
    else:
        _show(report)


def _mapping(pairs: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, path = pair.partition("=")
        if not (name and equals and path):
            raise CurateError(
                "--map wants FIELD=PATH", "For example --map question=payload.text", Exit.USAGE
            )
        found[name] = path
    return found


def _show(report: IngestReport) -> None:
    for file, fields in report.maps.items():
        pairs = ", ".join(f"{name}={path}" for name, path in fields.items())
        output.line(f"{file}: {pairs}")
    output.line(
        f"questions  {report.questions_new} new, {report.questions_updated} updated, "
        f"{report.duplicates} known already"
    )
    output.line(
        f"votes      {report.feedback_new} new, {report.feedback_joined} joined to their question, "
        f"{report.feedback_waiting} waiting for it"
    )
    if report.expired:
        output.line(f"too old    {report.expired} beyond the retention, not kept")
    if report.suppressed:
        output.line(f"erased     {report.suppressed} of people who asked to be forgotten, not kept")
    output.line(f"rejected   {report.rejected}")
    for file, lines in report.rejected_lines.items():
        shown = ", ".join(str(number) for number in lines[:20]) + (
            " ..." if len(lines) > 20 else ""
        )
        output.line(f"           {file}: line {shown}")
    for reason, count in report.reasons.items():
        output.line(f"           {count} x {reason}")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the spans as JSON.")
@click.option(
    "--jsonl", is_flag=True, help='Read {"id","text"} lines, write them with their redactions.'
)
@shared_options
@click.pass_obj
def redact(shared: Shared, as_json: bool, jsonl: bool) -> None:
    """Show what the anonymiser makes of text on standard input.

    Uses the settings of the workspace, or the defaults where there is none. Writes nothing to
    disk.
    """
    from curate.privacy.anonymise import Anonymiser
    from curate.text import sanitise

    anonymiser = Anonymiser(_privacy_settings(shared))
    if jsonl:
        _redact_lines(anonymiser)
        return
    text = sanitise(sys.stdin.buffer.read().decode("utf-8", "replace"))
    [clean] = anonymiser.clean_many([text])
    if as_json:
        output.data({"text": clean.text, "redactions": clean.redactions})
        return
    output.line(clean.text.removesuffix("\n"))
    for found in clean.redactions:
        output.say(
            f"{found.start:6}-{found.end:<6} {found.entity:14} {found.score:.2f}  {found.by}",
            quiet=shared.quiet,
        )


def _privacy_settings(shared: Shared) -> PrivacySettings:
    from curate import config

    path = shared.root() / config.FILE
    named = shared.workspace or config.workspace_from_environment()
    if named or path.is_file():
        return config.load(path).privacy
    return config.PrivacySettings()


REDACT_BATCH = 256


def _redact_lines(anonymiser: Anonymiser) -> None:
    """Stream JSON lines through the anonymiser, in order; a bad line is named on stderr."""
    import json

    from curate.text import sanitise

    batch: list[tuple[object, str]] = []

    def flush() -> None:
        for (name, _), clean in zip(
            batch, anonymiser.clean_many([text for _, text in batch]), strict=True
        ):
            redactions = [
                {
                    "start": found.start,
                    "end": found.end,
                    "entity": found.entity,
                    "score": found.score,
                    "by": found.by,
                    "placeholder": found.placeholder,
                }
                for found in clean.redactions
            ]
            click.echo(json.dumps({"id": name, "text": clean.text, "redactions": redactions}))
        batch.clear()

    rejected = 0
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line.decode("utf-8", "replace"), strict=False)
            batch.append((entry["id"], sanitise(entry["text"])))
        except (ValueError, KeyError, TypeError, RecursionError):
            rejected += 1
            output.error(f'standard input, line {number}: no {{"id", "text"}} object; passed over')
        if len(batch) == REDACT_BATCH:
            flush()
    flush()


@click.command()
@click.option(
    "--dry-run", is_flag=True, help="Count what is overdue; remove nothing; exit 1 if any."
)
@json_option
@shared_options
@click.pass_obj
def purge(shared: Shared, dry_run: bool, as_json: bool) -> None:
    """Remove what has expired, bytes and all, and print the receipt.

    Keys go first, then log files of sources with `purge_files`, sealed originals and records.
    Exit code: 0 clean, 1 overdue (--dry-run), 5 not verified, 75 deferred because somebody
    reads: run it again.
    """
    with shared.open() as workspace:
        receipt = workspace.purge(dry_run=dry_run)
    show_receipt(receipt, as_json=as_json)
    sys.exit(PURGE_EXIT[receipt.status])


def show_receipt(receipt: Receipt, *, as_json: bool) -> None:
    """Print a receipt."""
    if as_json:
        output.data(receipt)
    else:
        output.line(
            f"{receipt.kind} {receipt.at:%Y-%m-%d %H:%M:%S} by {receipt.by}: {receipt.status}"
        )
        for name, count in receipt.counts.items():
            output.line(f"  {name:20} {count}")
        for name, found in receipt.verified.items():
            output.line(f"  verified {name:13} {found}")
        if receipt.detail:
            output.line(f"  {receipt.detail}")


PURGE_EXIT = {
    "clean": Exit.DONE,
    "overdue": Exit.FOUND,
    "not verified": Exit.UNVERIFIED,
    "deferred": Exit.DEFERRED,
}

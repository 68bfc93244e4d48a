"""`redact`, `purge`, `forget`: what the anonymiser makes of text, and what goes when and how."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from curate.cli import output
from curate.cli.context import Shared, json_option, shared_options
from curate.model.errors import Exit

if TYPE_CHECKING:
    from curate.config import PrivacySettings
    from curate.model.custody import Receipt
    from curate.privacy.anonymise import Anonymiser
    from curate.workspace.custody.erasing import Foreseen


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
    disk. With --jsonl a line that is no such object is named on stderr by its number and passed
    over; the exit code is 1 then, after all the others are done.
    """
    from curate.privacy.anonymise import Anonymiser
    from curate.text import sanitise

    anonymiser = Anonymiser(privacy_settings(shared))
    if jsonl:
        sys.exit(Exit.FOUND if _redact_lines(anonymiser) else Exit.DONE)
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


def privacy_settings(shared: Shared) -> PrivacySettings:
    """Return the workspace's settings, or the defaults where there is no workspace."""
    from curate import config

    path = shared.root() / config.FILE
    named = shared.workspace or config.workspace_from_environment()
    if named or path.is_file():
        return config.load(path).privacy
    return config.PrivacySettings()


REDACT_BATCH = 256


def _redact_lines(anonymiser: Anonymiser) -> int:
    """Stream JSON lines through the anonymiser, in order; a bad line is named on stderr.

    Returns how many were passed over.
    """
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
    return rejected


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
        ahead = workspace.now() - datetime.now(UTC)
        if ahead > timedelta(hours=1):
            output.say(
                f"the clock was set {ahead.days} days and {ahead.seconds // 3600} hours ahead: "
                "what is not over yet goes too",
                quiet=shared.quiet,
            )
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
            output.line(f"  verified {name:11} {found}")
        if receipt.detail:
            output.line(f"  {receipt.detail}")


@click.command()
@click.option(
    "--text", is_flag=True, help="What is given is a piece of text (a name, a number), no user id."
)
@click.option(
    "--dry-run", is_flag=True, help="Count what would go; erase nothing; exit 1 if anything would."
)
@json_option
@shared_options
@click.pass_obj
def forget(shared: Shared, text: bool, dry_run: bool, as_json: bool) -> None:
    """Erase a person for good.

    What they said goes, and the items made from nothing else.

    The user id comes from a prompt, or from standard input; never as an argument, where others
    would see it. What an old log still brings of them is refused. Exit code: 0 gone, 1 an export
    on disk still holds a withdrawn item, 5 not verified, 75 deferred: run it again.
    """
    from curate.model.events import RawText

    if sys.stdin.isatty():
        asked = click.prompt("Text" if text else "User id", hide_input=True, err=True)
    else:
        asked = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").strip("\r\n")
    given = RawText(str(asked))
    with shared.open() as workspace:
        if dry_run:
            foreseen = workspace.foresee(given, text=text)
            _show_foreseen(foreseen, as_json=as_json)
            sys.exit(Exit.FOUND if foreseen else Exit.DONE)
        erasure = workspace.forget_text(given) if text else workspace.forget(given)
    if as_json:
        output.data(erasure)
    else:
        show_receipt(erasure.receipt, as_json=False)
        found = any(erasure.receipt.counts.values())
        if not found:
            output.say("nothing of that was kept here: is it spelt as in the log?")
        if erasure.exports:
            whose = "it is" if found else "what was erased earlier is"
            output.line(f"{whose} still held by exports on disk; delete them and every copy:")
        for path in erasure.exports:
            output.line(f"  {path}")
        if erasure.backups:
            output.line("backups were made, and what they hold stays in them; delete them too:")
        for backup in erasure.backups:
            output.line(f"  {backup.at:%Y-%m-%d %H:%M} {backup.path or 'in a place not known'}")
        if found:
            output.say(
                "for you to clear: the logs themselves, and copies that curate did not make",
                quiet=shared.quiet,
            )
    code = PURGE_EXIT[erasure.receipt.status]
    sys.exit(code or (Exit.FOUND if erasure.exports else Exit.DONE))


def _show_foreseen(foreseen: Foreseen, *, as_json: bool) -> None:
    if as_json:
        output.data(foreseen)
        return
    output.line("would go:")
    for name in ("records", "votes", "originals", "places"):
        output.line(f"  {name:20} {getattr(foreseen, name)}")
    output.line(f"  {'items':20} {len(foreseen.items)}")
    for identifier in foreseen.items:
        output.line(f"    {identifier}")


PURGE_EXIT = {
    "clean": Exit.DONE,
    "overdue": Exit.FOUND,
    "not verified": Exit.UNVERIFIED,
    "deferred": Exit.DEFERRED,
}

"""`curate privacy`: who looked, what is never personal, anonymising again, and the proofs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curate.cli import output
from curate.cli.context import Shared, json_option, shared_options
from curate.cli.log import PURGE_EXIT, show_receipt
from curate.model.errors import Exit

if TYPE_CHECKING:
    from curate.privacy.measuring import Score
    from curate.workspace.custody.refreshing import Refreshed


@click.group()
def privacy() -> None:
    """Audit, allow list, anonymising again, proofs."""


@privacy.command()
@click.option("--limit", default=100, show_default=True, help="How many entries at most.")
@json_option
@shared_options
@click.pass_obj
def audit(shared: Shared, limit: int, as_json: bool) -> None:
    """List reveals, erasures, purges and looks.

    Also changes of the guards. Who, when, which id; never text of the log.
    """
    from curate.workspace.custody import auditing

    with shared.open() as workspace:
        found = auditing.entries(workspace, limit)
    if as_json:
        output.data(found)
        return
    output.table(
        [
            (f"{one.at:%Y-%m-%d %H:%M:%S}", one.by, one.action, one.subject, one.detail)
            for one in found
        ],
        ("at", "by", "action", "id", "detail"),
    )


@privacy.command()
@click.option("--suggest", is_flag=True, help="Terms of the documents that would be taken out.")
@click.option("--add", multiple=True, metavar="TERM", help="Never personal here; repeatable.")
@click.option("--remove", multiple=True, metavar="TERM", help="Take it off the list; repeatable.")
@click.option("--stdin", "given", is_flag=True, help="Add the terms on standard input, one a line.")
@json_option
@shared_options
@click.pass_obj
def allow(
    shared: Shared,
    suggest: bool,
    add: tuple[str, ...],
    remove: tuple[str, ...],
    given: bool,
    as_json: bool,
) -> None:
    """Show, propose or change the terms that are never personal here.

    The list is `allow` in curate.toml and allow.txt beside it; this command keeps the file.
    """
    from curate.workspace.custody import terms

    with shared.open() as workspace:
        if suggest:
            workspace.ready_corpus()
            found = terms.suggest(workspace)
            if as_json:
                output.data(found)
            else:
                rows = [(one.times, one.entity, one.term) for one in found]
                output.table(rows, ("times", "taken for", "term"))
            return
        if given:
            read = sys.stdin.buffer.read().decode("utf-8", "replace").split("\n")
            add = (*add, *(line for line in read if line.strip()))
        if add or remove:
            terms.change(workspace, "allow", add=add, remove=remove)
        listed = terms.listed(workspace, "allow")
    if as_json:
        output.data(listed)
    else:
        for term in listed:
            output.line(term)


@privacy.command()
@shared_options
@click.pass_obj
def miss(shared: Shared) -> None:
    """Name what was missed: it always is a name (deny.txt).

    They come on standard input, one a line; never as arguments, where others would see them.
    """
    from curate.model.events import RawText

    lines = sys.stdin.buffer.read().decode("utf-8", "replace").split("\n")
    with shared.open() as workspace:
        for line in filter(str.strip, lines):
            workspace.report_miss(RawText(line))


@privacy.command()
@click.option("--apply", is_flag=True, help="Store what changes; without it nothing is changed.")
@json_option
@shared_options
@click.pass_obj
def refresh(shared: Shared, apply: bool, as_json: bool) -> None:
    """Anonymise again after settings or model changed.

    From sealed originals, where they are still kept.

    Shows what would change; --apply stores it. Records without an original are scanned and
    flagged. Exit 1 when something would change or is flagged.
    """
    from curate.workspace.custody import refreshing

    with shared.open() as workspace:
        if (workspace.root / workspace.settings.corpus.root).is_dir():
            workspace.ready_corpus()
        found = refreshing.refresh(workspace, apply=apply)
    if as_json:
        output.data(found)
    else:
        _show(found)
    if found.receipt is not None and found.receipt.status != "clean":
        sys.exit(PURGE_EXIT[found.receipt.status])
    left = found.flagged or (found.changes and not apply)
    sys.exit(Exit.FOUND if left else Exit.DONE)


def _show(found: Refreshed) -> None:
    for change in found.changes:
        told = [f"+{number} {entity}" for entity, number in change.gained.items()]
        told += [f"-{number} {entity}" for entity, number in change.lost.items()]
        output.line(f"r{change.record}: {', '.join(told) or 'other words'}")
        output.line(f"  was  {change.before.text}")
        output.line(f"  now  {change.after.text}")
    output.line(f"{found.stale} records of another policy, {len(found.changes)} read otherwise now")
    if found.by_hand:
        output.line(f"{len(found.by_hand)} corrected by hand, left alone")
    if found.flagged:
        ids = ", ".join(f"r{number}" for number in found.flagged)
        output.line(f"{len(found.flagged)} without an original hold what is found today: {ids}")
    if found.receipt is not None:
        show_receipt(found.receipt, as_json=False)


@privacy.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option("--lower", is_flag=True, help="Put the texts into lower case first.")
@json_option
@shared_options
@click.pass_obj
def benchmark(shared: Shared, files: tuple[Path, ...], lower: bool, as_json: bool) -> None:
    """Score the anonymiser on labelled texts.

    What it misses, and what it takes too much.

    FILEs hold JSON lines {"id", "text", "spans": [{"start", "end", "label"}]}, labels PERSON,
    PHONE_NUMBER and EMAIL_ADDRESS; without any, small invented samples. Uses the settings of the
    workspace, or the defaults where there is none.
    """
    from curate.cli.log import privacy_settings
    from curate.privacy import measuring
    from curate.privacy.anonymise import Anonymiser

    anonymiser = Anonymiser(privacy_settings(shared))
    scores = [
        measuring.measure(path, anonymiser, lower=lower) for path in files or measuring.samples()
    ]
    if as_json:
        output.data([_figures(score) for score in scores])
        return
    rows = [
        (
            score.name,
            score.texts,
            f"{_percent(score.leak)} ({score.leaks}/{score.personal})",
            f"{_percent(score.damaged / score.texts if score.texts else None)} ({score.damaged})",
            "  ".join(
                f"{entity} {_percent(hits.recall)}/{_percent(hits.precision)}"
                for entity, hits in score.entities.items()
            ),
        )
        for score in scores
    ]
    output.table(rows, ("file", "texts", "leak", "damaged", "recall/precision"))


def _figures(score: Score) -> dict[str, object]:
    return {
        "file": score.name,
        "texts": score.texts,
        "personal": score.personal,
        "leaks": score.leaks,
        "leak": score.leak,
        "damaged": score.damaged,
        "entities": {
            entity: {
                "labelled": hits.labelled,
                "found": hits.found,
                "recall": hits.recall,
                "precision": hits.precision,
            }
            for entity, hits in score.entities.items()
        },
    }


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}%"


@privacy.command()
@json_option
@shared_options
@click.pass_obj
def prove(shared: Shared, as_json: bool) -> None:
    """Prove the promises in a throw-away workspace.

    Pass or fail, one line each.

    Takes less than a minute and touches no workspace of yours. Exit 1 when a proof fails.
    """
    from curate.workspace.custody import proving
    from curate.workspace.workspace import Workspace

    with output.Progress("proving", quiet=shared.quiet) as progress:
        proofs = proving.prove(Workspace.create, Workspace.open, progress)
    if as_json:
        output.data(proofs)
    else:
        rows = [("pass" if one.held else "FAIL", one.claim, one.detail) for one in proofs]
        output.table(rows, ("", "what", "how"))
    sys.exit(Exit.DONE if all(one.held for one in proofs) else Exit.FOUND)

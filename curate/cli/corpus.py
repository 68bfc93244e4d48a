"""`curate corpus`: the documents the assistant answers from."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from curate.cli import covering, output
from curate.cli.context import Shared, json_option, shared_options
from curate.model.errors import Exit
from curate.text import one_line

if TYPE_CHECKING:
    from curate.corpus.documents import SyncReport
    from curate.model.documents import Evidence
    from curate.workspace.upkeep.drift import Drift, Drifted


_NAMED = 8  # files, or endings, that are named before the rest is only counted


@click.group()
def corpus() -> None:
    """Read the documents, search them."""


@corpus.command()
@click.option(
    "--take",
    multiple=True,
    metavar="ID",
    help="Take the proposed place for the evidence of this item; repeatable.",
)
@json_option
@shared_options
@click.pass_obj
def sync(shared: Shared, take: tuple[str, ...], as_json: bool) -> None:
    """Read what changed in the documents, locate all evidence.

    Evidence that is not verbatim any more is listed with its grade and the place proposed, and so
    are unanswerable items that a passage matches better now; exit 1 while any stands. Nothing is
    rewritten without --take, but what moved word for word where `[corpus] follow_moves` says so.
    """
    from curate.workspace.upkeep import drift

    with shared.open() as workspace:
        with output.Progress("reading", quiet=shared.quiet) as progress:
            report = workspace.corpus.sync(progress)
        documents = len(workspace.corpus.sources())
        followed = drift.follow(workspace) if workspace.settings.corpus.follow_moves else ()
        taken = drift.relocate(workspace, take) if take else ()
        found = drift.drifted(workspace)
    if as_json:
        output.data(
            {
                **output.plain(report),
                "followed": followed,
                "taken": taken,
                "drifted": [_drift(one) for one in found.evidence],
                "risen": [{**output.plain(r), "item": r.item.id} for r in found.absence],
            }
        )
    else:
        output.line(
            f"{documents} documents, {report.sections} sections: {len(report.added)} added, "
            f"{len(report.changed)} changed, {len(report.removed)} removed"
        )
        _show(found, followed, taken)
    _say_what_was_left(report, quiet=shared.quiet)
    sys.exit(Exit.FOUND if found else Exit.DONE)


def _say_what_was_left(report: SyncReport, *, quiet: bool) -> None:
    by_reason: dict[str, list[str]] = {}
    for source, reason in report.unreadable:
        by_reason.setdefault(reason, []).append(source)
    for reason, sources in by_reason.items():
        more = f" and {len(sources) - _NAMED} more" if len(sources) > _NAMED else ""
        output.say(f"not read: {', '.join(sources[:_NAMED])}{more}: {reason}", quiet=quiet)
    if report.left:
        shown = ", ".join(f"{count} {ending}" for ending, count in report.left[:_NAMED])
        more = ", ..." if len(report.left) > _NAMED else ""
        output.say(
            f"left alone: {shown}{more}: no pattern of `include` under [corpus] takes them",
            quiet=quiet,
        )


def _drift(one: Drift) -> dict[str, Any]:
    def place(evidence: Evidence) -> dict[str, Any]:
        return {
            "source": evidence.source,
            "heading": evidence.heading,
            "start": evidence.start,
            "end": evidence.end,
            "evidence": evidence.phrase,
        }

    return {
        "item": one.item.id,
        "evidence": one.number,
        "grade": one.now.grade,
        "was": place(one.was),
        "proposed": None if one.now.grade == "lost" else place(one.now),
    }


def _show(found: Drifted, followed: tuple[str, ...], taken: tuple[str, ...]) -> None:
    if followed:
        output.line(f"followed where they moved: {', '.join(followed)}")
    if taken:
        output.line(f"taken as proposed: {', '.join(taken)}")
    if found.evidence:
        output.line()
        output.table(
            [
                (
                    one.item.id,
                    one.now.grade,
                    f"{one.was.source} › {one.was.heading}",
                    "nowhere"
                    if one.now.grade == "lost"
                    else f"{one.now.source} › {one.now.heading}: {one.now.phrase}",
                )
                for one in found.evidence
            ],
            ("item", "evidence", "was", "now"),
        )
    if found.absence:
        output.line()
        output.table(
            [
                (
                    one.item.id,
                    f"{one.before:.3f}",
                    f"{one.now:.3f}",
                    f"{one.source} › {one.heading}",
                )
                for one in found.absence
            ],
            ("unanswerable", "before", "now", "best match"),
        )


@corpus.command()
@click.argument("query", nargs=-1, required=True)
@click.option("-k", default=5, show_default=True, type=click.IntRange(1, 100), help="How many.")
@json_option
@shared_options
@click.pass_obj
def search(shared: Shared, query: tuple[str, ...], k: int, as_json: bool) -> None:
    """Search the documents, best section first."""
    with shared.open() as workspace:
        workspace.ready_corpus()
        passages = workspace.corpus.search(" ".join(query), k)
        found = [output.passage(workspace.corpus, passage) for passage in passages]
    if as_json:
        output.data(found)
        return
    for rank, row in enumerate(found, 1):
        output.line(f"{rank}  {row['source']} › {row['heading']}  {row['score']:.3f}")
        output.line(f"   {one_line(row['sentence'])}")
    if not found:
        output.say("nothing found", quiet=shared.quiet)


corpus.add_command(covering.coverage)

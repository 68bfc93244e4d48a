"""`curate corpus`: the documents the assistant answers from."""

from __future__ import annotations

import click

from curate.cli import output
from curate.cli.context import Shared, json_option, shared_options
from curate.text import one_line


@click.group()
def corpus() -> None:
    """Read the documents, search them."""


@corpus.command()
@json_option
@shared_options
@click.pass_obj
def sync(shared: Shared, as_json: bool) -> None:
    """Read what is new or changed in the documents."""
    with shared.open() as workspace:
        report = workspace.corpus.sync()
        documents = len(workspace.corpus.sources())
    if as_json:
        output.data(report)
        return
    output.line(
        f"{documents} documents, {report.sections} sections: {len(report.added)} added, "
        f"{len(report.changed)} changed, {len(report.removed)} removed"
    )
    for source, reason in report.unreadable:
        output.say(f"not read: {source}: {reason}", quiet=shared.quiet)


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

"""`eval`: runs of the assistant are made, scored, set side by side, and kept from falling."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curate.cli import asking, judging, output, regressions, scored
from curate.cli.context import Shared, json_option, shared_options
from curate.cli.scored import Asked, scoring_options

if TYPE_CHECKING:
    from curate.evaluate.scoring import Scored


@click.group("eval")
def evaluation() -> None:
    """Score the assistant against the set."""


@click.command(short_help="Score a run: measures, failures.")
@click.argument("run", type=scored.FILE)
@click.option("--keep", is_flag=True, help="Keep what failed in the workspace, for the inbox.")
@scoring_options
@json_option
@shared_options
@click.pass_obj
def score(shared: Shared, run: Path, keep: bool, asked: Asked, as_json: bool) -> None:
    """Score a run file: every measure with its interval and its n, every failure named.

    A run file is JSONL, one reply per line: id, retrieved (id, source, text, score), answer,
    refused, and where known sources, citations, latency_ms, usage. Whatever is wrong with it is
    said on stderr; an item without a reply counts as a miss.
    """
    result = scored.ready(shared, asked).score(run)
    if keep:
        _keep(shared, result)
    if as_json:
        output.data(scored.data(result))
    else:
        scored.show(result)
    scored.tell(shared, result.problems)


@click.command(short_help="Write one page per release.")
@click.argument("run", type=scored.FILE)
@click.option("--base", type=scored.FILE, help="The run of the release before.")
@click.option("--verdict", type=scored.FILE, help="What a judge said (eval judge --out).")
@click.option("--at", type=click.IntRange(1), default=5, show_default=True, help="The cut-off.")
@click.option(
    "--out", type=scored.FILE, default=Path("report.html"), show_default=True, help="The page."
)
@scoring_options
@shared_options
@click.pass_obj
def report(
    shared: Shared,
    run: Path,
    base: Path | None,
    verdict: Path | None,
    at: int,
    out: Path,
    asked: Asked,
) -> None:
    """Write one page per release: figures, failures, coverage, and what changed.

    The page is one file that asks the network for nothing and needs no script.
    """
    from curate.cli import pages
    from curate.evaluate import comparing

    set_ = scored.ready(shared, asked)
    set_ = replace(set_, options=replace(set_.options, ks=tuple(sorted({*set_.options.ks, at}))))
    before = set_.score(base) if base else None
    result = set_.score(run)
    looks = None
    if set_.root is not None:
        with shared.open() as workspace:
            looks = tuple(workspace.store.looks())
    made = pages.Release(
        result,
        before,
        comparing.compare(before, result) if before else None,
        judging.read_verdict(verdict) if verdict else None,
        looks,
        at,
    )
    pages.write(out, pages.release(made))
    output.line(str(out))
    scored.tell(shared, result.problems)


def _keep(shared: Shared, result: Scored) -> None:
    from curate.model.evaluation import Failure

    with shared.open() as workspace:
        now = workspace.now()
        found = [
            Failure(o.id, result.run.digest, o.verdict.label, o.verdict.why, now)
            for o in result.outcomes
            if o.verdict.label
        ]
        workspace.store.add_failures(result.run.digest, found)
    output.say(f"{len(found)} failed items kept", quiet=shared.quiet)


for _command in (
    asking.run,
    score,
    regressions.compare,
    regressions.sweep,
    regressions.gate,
    judging.judge,
    judging.review,
    report,
):
    evaluation.add_command(_command)

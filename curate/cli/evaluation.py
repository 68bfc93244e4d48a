"""`eval`: runs of the assistant are made, scored, set side by side, and kept from falling."""

from __future__ import annotations

from pathlib import Path

import click

from curate.cli import asking, output, regressions, scored
from curate.cli.context import Shared, json_option, shared_options
from curate.cli.scored import Asked, scoring_options


@click.group("eval")
def evaluation() -> None:
    """Score the assistant against the set: retrieval, answers, refusals, regressions."""


@click.command()
@click.argument("run", type=scored.FILE)
@scoring_options
@json_option
@shared_options
@click.pass_obj
def score(shared: Shared, run: Path, asked: Asked, as_json: bool) -> None:
    """Score a run file: every measure with its interval and its n, every failure named.

    A run file is JSONL, one reply per line: id, retrieved (id, source, text, score), answer,
    refused, and where known sources, citations, latency_ms, usage. Whatever is wrong with it is
    said on stderr; an item without a reply counts as a miss.
    """
    result = scored.ready(shared, asked).score(run)
    if as_json:
        output.data(scored.data(result))
    else:
        scored.show(result)
    scored.tell(shared, result.problems)


for _command in (asking.run, score, regressions.compare, regressions.sweep, regressions.gate):
    evaluation.add_command(_command)

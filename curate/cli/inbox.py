"""The inbox of `curate items`: what is listed, drawn by lot, put together, taken apart, claimed."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from curate.cli import output
from curate.cli.context import Shared, as_is_option, json_option, shared_options
from curate.model.errors import CurateError, Exit

if TYPE_CHECKING:
    from curate.model.records import Candidate
    from curate.workspace.workspace import Workspace

CANDIDATE = re.compile(r"c(\d+)")


def number(ref: str) -> int:
    """Return the number of a candidate named like `c12`. Raises `CurateError` for another name."""
    match = CANDIDATE.fullmatch(ref)
    if not match:
        raise CurateError("that is no candidate", "`curate items list --inbox`", Exit.USAGE)
    return int(match[1])


def named(candidate: Candidate) -> dict[str, Any]:
    """Return a candidate as data, with the name it is called by."""
    return {**output.plain(candidate), "ref": f"c{candidate.id}"}


def day(_ctx: click.Context, _param: click.Parameter, value: datetime | None) -> datetime | None:
    """Take a time without a zone for UTC."""
    return value.replace(tzinfo=UTC) if value and value.tzinfo is None else value


def show(
    workspace: Workspace,
    wanted: dict[str, Any],
    *,
    sample: int | None,
    seed: str,
    limit: int,
    as_json: bool,
) -> None:
    """Print the candidates that are `wanted`, by priority, or a sample of them in its own order."""
    if sample is None:
        ids = list(workspace.store.candidate_ids(**wanted))
    else:
        if not seed:
            raise CurateError(
                "--sample needs --seed", "Name the draw, such as --seed 2026-W48.", Exit.USAGE
            )
        ids = workspace.sample(sample, seed, **wanted)
    candidates = workspace.store.candidates(ids[:limit])
    if as_json:
        output.data([named(candidate) for candidate in candidates])
        return
    output.table(
        [(f"c{c.id}", c.size, " · ".join(_why(c)), c.question) for c in candidates],
        ("candidate", "asked", "why", "question"),
    )


def _why(candidate: Candidate) -> list[str]:
    claim = candidate.claim
    return [*([f"claimed by {claim.by}"] if claim else []), *candidate.reasons]


@click.command()
@click.argument("ref")
@click.argument("others", nargs=-1, required=True)
@click.option("--reason", default="", help="Why; kept on record.")
@as_is_option
@json_option
@shared_options
@click.pass_obj
def merge(
    shared: Shared, ref: str, others: tuple[str, ...], reason: str, as_is: bool, as_json: bool
) -> None:
    """Put candidates that ask the same together.

    OTHERS become part of REF.
    """
    with shared.open() as workspace:
        if not as_is:
            workspace.vet(reason)
        candidate = workspace.merge(number(ref), [number(other) for other in others], reason)
    if as_json:
        output.data(named(candidate))
    else:
        output.line(f"{ref}  asked {candidate.size} times")


@click.command()
@click.argument("ref")
@click.argument("records", nargs=-1, type=int, required=True)
@click.option("--reason", default="", help="Why; kept on record.")
@as_is_option
@json_option
@shared_options
@click.pass_obj
def split(
    shared: Shared, ref: str, records: tuple[int, ...], reason: str, as_is: bool, as_json: bool
) -> None:
    """Take RECORDS out of a candidate that ask something else."""
    with shared.open() as workspace:
        if not as_is:
            workspace.vet(reason)
        candidate = workspace.split(number(ref), records, reason)
    if as_json:
        output.data(named(candidate))
    else:
        output.line(f"c{candidate.id}  asked {candidate.size} times")


@click.command()
@click.argument("ref")
@click.option("--release", is_flag=True, help="Give the claim up again.")
@json_option
@shared_options
@click.pass_obj
def claim(shared: Shared, ref: str, release: bool, as_json: bool) -> None:
    """Say that you look at a candidate; ends by itself.

    Exit 1 when somebody else looks at it.
    """
    with shared.open() as workspace:
        if release:
            workspace.release(number(ref))
            return
        held = workspace.claim(number(ref))
        mine = held.by == workspace.who
    if as_json:
        output.data(held)
    else:
        output.line(f"{ref}  claimed by {held.by} until {held.until:%Y-%m-%d %H:%M} UTC")
    if not mine:
        raise SystemExit(Exit.FOUND)

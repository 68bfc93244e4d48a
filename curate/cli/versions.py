"""`check`, `export`, `versions`: the set becomes files that a harness reads."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from curate.cli import output
from curate.cli.context import Shared, json_option, shared_options
from curate.model import Exit, Finding


@click.command()
@click.argument("ids", nargs=-1)
@json_option
@shared_options
@click.pass_obj
def check(shared: Shared, ids: tuple[str, ...], as_json: bool) -> None:
    """Say what is wrong with the set, item by item; exit 1 if an error stands."""
    with shared.open() as workspace:
        workspace.ready_corpus()
        findings = [f for f in workspace.check() if not ids or f.item in ids]
        number = len(workspace.store.items())
    errors = sum(finding.severity == "error" for finding in findings)
    if as_json:
        output.data({"items": number, "errors": errors, "findings": findings})
    else:
        show(findings)
        output.line(f"{number} items, {errors} errors, {len(findings) - errors} warnings")
    sys.exit(Exit.FOUND if errors else Exit.DONE)


def show(findings: list[Finding]) -> None:
    """Print findings, one line each."""
    output.table([(f.severity, f.item, f.code, f.message) for f in findings], FINDING_HEAD)


FINDING_HEAD = ("severity", "item", "code", "what")


@click.command()
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write the files here, with your own file mode.",
)
@json_option
@shared_options
@click.pass_obj
def export(shared: Shared, to: Path | None, as_json: bool) -> None:
    """Write the set as its next version: exports/v0001/questions.json and its siblings.

    The same set again makes no new version. A set that fails its checks is refused, by item.
    """
    from curate.workspace import Refused

    with shared.open() as workspace:
        workspace.ready_corpus()
        try:
            exported = workspace.export(to, umask=shared.umask)
        except Refused as refused:
            if as_json:
                output.data({"refused": refused.findings})
            else:
                show(list(refused.findings))
            raise
    if as_json:
        output.data(exported)
        return
    counts = ", ".join(f"{count} {name}" for name, count in exported.counts.items())
    state = "written" if exported.new else "unchanged since it was written"
    output.line(f"v{exported.number:04} {state}: {counts}")
    output.line(f"{exported.directory}")
    for finding in exported.warnings:
        output.say(f"warning: {finding.item}: {finding.message}", quiet=shared.quiet)


@click.group()
def versions() -> None:
    """List what was exported."""


@versions.command("list")
@json_option
@shared_options
@click.pass_obj
def list_(shared: Shared, as_json: bool) -> None:
    """List the versions, newest first."""
    with shared.open() as workspace:
        found = workspace.store.versions()
    if as_json:
        output.data(found)
        return
    output.table(
        [
            (
                f"v{version.number:04}",
                f"{version.at:%Y-%m-%d %H:%M}",
                version.by,
                version.items,
                version.digest,
            )
            for version in found
        ],
        ("version", "at", "by", "items", "digest"),
    )

"""`check`, `export`, `versions`: the set becomes files that a harness reads."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curate.cli import output
from curate.cli.context import Shared, as_is_option, json_option, shared_options
from curate.model.errors import CurateError, Exit

if TYPE_CHECKING:
    from curate.model.items import Finding
    from curate.model.plain import Json
    from curate.workspace.workspace import Workspace

FINDING_HEAD = ("severity", "item", "code", "what")
_NUMBER = re.compile(r"v?0*([1-9][0-9]*)")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._+-]*")
_TAKEN = ("latest", "draft", "now")


@click.command()
@click.argument("ids", nargs=-1)
@click.option(
    "--allow",
    nargs=2,
    multiple=True,
    metavar="ITEM ENTITY",
    help="Let a finding of personal data stand, as the item is worded now; on record; repeatable.",
)
@click.option("--reason", default="", help="Why it may stand; no names.")
@as_is_option
@json_option
@shared_options
@click.pass_obj
def check(
    shared: Shared,
    ids: tuple[str, ...],
    allow: tuple[tuple[str, str], ...],
    reason: str,
    as_is: bool,
    as_json: bool,
) -> None:
    """Say what is wrong with the set, item by item.

    Exit 1 if an error stands.
    """
    with shared.open() as workspace:
        workspace.ready_corpus()
        if not as_is:
            workspace.vet(reason)
        for item, entity in allow:
            workspace.accept(item, entity.upper(), reason)
        for name in ids:
            workspace.store.item(name)
        findings = [f for f in workspace.check() if not ids or f.item in ids]
        number = len(ids) or len(workspace.store.items())
    errors = sum(finding.severity == "error" for finding in findings)
    if as_json:
        output.data({"items": number, "errors": errors, "findings": findings})
    else:
        show(findings)
        levels = Counter(finding.severity for finding in findings)
        told = ", ".join(f"{name}s: {levels[name]}" for name in ("error", "warning", "note"))
        output.line(f"{number} items; {told}")
    sys.exit(Exit.FOUND if errors else Exit.DONE)


def show(findings: list[Finding]) -> None:
    """Print findings, one line each."""
    output.table([(f.severity, f.item, f.code, f.message) for f in findings], FINDING_HEAD)


@click.command()
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write the files here, with your own file mode.",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="NAME",
    help="Also write this format; repeatable. `--format help` lists them.",
)
@click.option("--draft", is_flag=True, help="Write exports/draft/ only: no number, no version.")
@click.option("--version", "wanted", metavar="N", help="Write an old version again.")
@json_option
@shared_options
@click.pass_obj
def export(
    shared: Shared,
    to: Path | None,
    formats: tuple[str, ...],
    draft: bool,
    wanted: str | None,
    as_json: bool,
) -> None:
    """Write the set as its next version.

    exports/v0001/questions.json and its siblings.

    The same set again makes no new version. A set that fails its checks is refused, by item.
    Formats for other harnesses stand in targets/ of the version and in --to; what a format
    cannot hold is told on stderr. A draft holds what is ready and passes the checks.
    """
    from curate.workspace.upkeep import exporting

    if "help" in formats:
        _list_formats()
        return
    if draft and wanted:
        raise CurateError("--draft and --version exclude each other", "", Exit.USAGE)
    with shared.open() as workspace:
        workspace.ready_corpus()
        try:
            if draft:
                made = exporting.draft(workspace, to, umask=shared.umask, formats=formats)
            elif wanted:
                number = _number(workspace, wanted)
                made = exporting.again(workspace, number, to, umask=shared.umask, formats=formats)
            else:
                made = workspace.export(to, umask=shared.umask, formats=formats)
        except exporting.Refused as refused:
            if as_json:
                output.data({"refused": refused.findings})
            else:
                show(list(refused.findings))
            raise
    for finding in made.warnings:
        output.say(
            f"{finding.severity}: {finding.item or 'the set'}: {finding.message}"
            + (" (left out)" if finding.severity == "error" else ""),
            quiet=shared.quiet,
        )
    for what in made.lost:
        output.say(what, quiet=shared.quiet)
    if made.stale:
        output.say(
            f"warning: of another version still, in {made.to}: {', '.join(made.stale)};"
            " name their formats with --format, too",
            quiet=shared.quiet,
        )
    if as_json:
        output.data(made)
        return
    counts = ", ".join(f"{count} {name}" for name, count in made.counts.items())
    name = f"v{made.number:04}" if made.number else "draft"
    state = (
        "written" if made.new else "written again" if wanted else "unchanged since it was written"
    )
    output.line(f"{name} {state}: {counts}")
    output.line(f"{made.directory}")
    if made.to is not None:
        output.line(f"{made.to}")


def _list_formats() -> None:
    from curate.export.targets import TARGETS

    output.table([(name, target.what) for name, target in TARGETS.items()], ("format", "what"))


# ---------------------------------------------------------------------------- versions


@click.group()
def versions() -> None:
    """List, compare, verify and name what was exported.

    A version is named by its number (`2` or `v0002`), a name given with `tag`, `latest`, or the
    directory of an export.
    """


@versions.command("list")
@json_option
@shared_options
@click.pass_obj
def list_(shared: Shared, as_json: bool) -> None:
    """List the versions, oldest first, with their names."""
    with shared.open() as workspace:
        found = workspace.store.versions()
        called: dict[int, list[str]] = {}
        for name, number in workspace.store.version_names().items():
            called.setdefault(number, []).append(name)
        rows = [
            {
                "number": version.number,
                "parent": version.parent,
                "digest": version.digest,
                "at": version.at,
                "by": version.by,
                "names": called.get(version.number, []),
                "items": len(workspace.store.version(version.number).items),
                "corpus": version.corpus,
                "policy": version.policy,
                "tool": version.tool,
                "directory": workspace.root / "exports" / f"v{version.number:04}",
            }
            for version in found
        ]
    if as_json:
        output.data(rows)
        return
    output.table(
        [
            (
                f"v{row['number']:04}",
                f"{row['at']:%Y-%m-%d %H:%M}",
                row["by"],
                row["items"],
                ", ".join(called.get(version.number, [])),
                row["digest"],
            )
            for row, version in zip(rows, found, strict=True)
        ],
        ("version", "at", "by", "items", "names", "digest"),
    )


@versions.command()
@click.argument("old")
@click.argument("new")
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="markdown is for a pull request.",
)
@shared_options
@click.pass_obj
def diff(shared: Shared, old: str, new: str, style: str) -> None:
    """Show what changed from OLD to NEW, field by field.

    NEW may be `now`: the set as it stands, before it is exported. Two directories are compared
    without a workspace.
    """
    from curate.export import diff as differ

    made = differ.diff(_records(shared, old), _records(shared, new))
    if style == "json":
        output.data(differ.as_json(made))
    elif style == "markdown":
        click.echo(differ.as_markdown(made, f"Evaluation set: {old} to {new}"), nl=False)
    else:
        click.echo(differ.as_text(made), nl=False)


def _records(shared: Shared, ref: str) -> list[Json]:
    from curate.export import questions, verify
    from curate.workspace.upkeep import exporting

    if "/" in ref or (Path(ref) / "manifest.json").is_file():
        found: list[Json] = json.loads(verify.intact(Path(ref))[questions.QUESTIONS])
        return found
    with shared.open() as workspace:
        if ref == "now":
            items = workspace.store.items()
            return questions.records(items, exporting.labels_of(workspace, items)[1])
        version = workspace.store.version(_number(workspace, ref))
        return questions.records(version.items, version.gold)


def _number(workspace: Workspace, ref: str) -> int:
    """Return the number that a version's number, name or `latest` names."""
    names = workspace.store.version_names()
    if ref in names:
        return names[ref]
    if match := _NUMBER.fullmatch(ref):
        return int(match[1])
    known = [version.number for version in workspace.store.versions()]
    if ref == "latest" and known:
        return max(known)
    raise CurateError(
        f"there is no version {ref!r}", "`curate versions list` shows what there is.", Exit.USAGE
    )


@versions.command()
@click.argument("directories", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
@shared_options
@click.pass_obj
def verify(shared: Shared, directories: tuple[Path, ...], as_json: bool) -> None:
    """Check exported directories: digests and contract.

    Needs no workspace. Exit 1 when anything is wrong.
    """
    from curate.export import verify as verifier

    found = {directory: verifier.verify(directory) for directory in directories}
    bad = [d for d, findings in found.items() if any(f.severity == "error" for f in findings)]
    if as_json:
        output.data({str(directory): findings for directory, findings in found.items()})
    else:
        for directory, findings in found.items():
            output.line(f"{directory}: {'wrong' if directory in bad else 'holds'}")
            if findings:
                show(findings)
    sys.exit(Exit.FOUND if bad else Exit.DONE)


@versions.command()
@click.argument("version")
@click.argument("name")
@click.option("--move", is_flag=True, help="Take the name from the version that has it.")
@shared_options
@click.pass_obj
def tag(shared: Shared, version: str, name: str, move: bool) -> None:
    """Give VERSION a NAME, to call it by."""
    if not _NAME.fullmatch(name) or _NUMBER.fullmatch(name) or name in _TAKEN:
        raise CurateError(
            f"{name!r} cannot be a version's name",
            "Letters, digits and . _ + - after a letter; not a number, latest, draft or now.",
            Exit.USAGE,
        )
    with shared.open() as workspace:
        number = _number(workspace, version)
        workspace.store.call_version(number, name, by=workspace.who, now=workspace.now(), move=move)
    output.say(f"v{number:04} is called {name}", quiet=shared.quiet)

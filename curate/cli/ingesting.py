"""`ingest`: logs, databases and exports come in, anonymised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curate.cli import output
from curate.cli.context import Shared, json_option, shared_options
from curate.model.errors import CurateError, Exit

if TYPE_CHECKING:
    from curate.config import SourceSettings
    from curate.ingest.explain import Explanation
    from curate.ingest.inputs import Input
    from curate.ingest.run import IngestReport
    from curate.workspace.workspace import Workspace

_SHOWN = 20
_LOOK_AGAIN = 1.0
"""Seconds between two looks at the files that are followed."""


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, allow_dash=True))
@click.option("--source", metavar="NAME", help="Read it as this source of the config.")
@click.option(
    "--format", "form", metavar="NAME", help="Force a format; `--format help` lists them."
)
@click.option(
    "--map",
    "mapping",
    multiple=True,
    metavar="FIELD=PATH",
    help="Where a field stands; repeatable.",
)
@click.option(
    "--template",
    metavar="REGEX",
    help="Takes the question out of the prompt glued around it: its group `question`.",
)
@click.option(
    "--down", multiple=True, metavar="VALUE", help="A rating that means thumbs-down: 0 or '<=2'."
)
@click.option("--up", multiple=True, metavar="VALUE", help="A rating that means thumbs-up.")
@click.option(
    "--db",
    "url",
    metavar="URL",
    help="A database, as SQLAlchemy writes it; default: CURATE_DB. Leave the password to the "
    "driver's own file or variable.",
)
@click.option(
    "--query",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A file with the SQL to run on --db; its columns are the fields.",
)
@click.option("--recipe", metavar="NAME", help="A ready query; `--recipe help` lists them.")
@click.option(
    "--langfuse",
    metavar="URL",
    help="Pull what is new from a Langfuse; keys: LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY.",
)
@click.option("--explain", is_flag=True, help="Show how it would be read; write nothing.")
@click.option("--follow", is_flag=True, help="Go on reading what is appended, until interrupted.")
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
    template: str | None,
    down: tuple[str, ...],
    up: tuple[str, ...],
    url: str | None,
    query: Path | None,
    recipe: str | None,
    langfuse: str | None,
    explain: bool,
    follow: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Read logs, anonymise them, keep what is new.

    PATHS are files, read from their start; `-` is standard input. Without any, all [[sources]]
    of the config are read on from where they were left, through rotation and truncation. Reading
    the same log twice changes nothing. A bad line is counted by its number and passed over.
    """
    if "help" in (form, recipe):
        _list("formats" if form == "help" else "recipes")
        return
    database = bool(url or query or recipe)
    if sum((bool(paths), database, bool(langfuse))) > 1:
        raise CurateError(
            "files, --db and --langfuse exclude each other", "Run it once for each.", Exit.USAGE
        )
    fields = _mapping(mapping)

    def told(settings: SourceSettings) -> SourceSettings:
        return replace(
            settings,
            format=form or settings.format,
            map={**settings.map, **fields},
            template=template if template is not None else settings.template,
            down=down or settings.down,
            up=up or settings.up,
        )

    def inputs() -> list[Input]:
        from curate.workspace.upkeep import sources

        if database:
            found = [_database(workspace, url, query, recipe, source)]
        elif langfuse:
            named = sources.named(workspace, source or "langfuse")
            found = [sources.langfuse(workspace, langfuse, named)]
        else:
            found = _files(workspace, paths, source)
        return [one.under(told(one.source)) for one in found]

    with shared.open() as workspace:
        if explain:
            _explain(workspace.explain(inputs()), as_json=as_json)
            return
        if follow:
            if database or langfuse or Path("-") in paths:
                raise CurateError(
                    "--follow is for files", "Name files, or [[sources]].", Exit.USAGE
                )
            _follow(workspace, inputs, quiet=shared.quiet, as_json=as_json)
            return
        with output.Progress("reading", quiet=shared.quiet) as progress:
            resume = not paths and not database  # a query has no place to go on from
            report = workspace.ingest(inputs(), strict=strict, resume=resume, progress=progress)
    if as_json:
        output.data(report)
    else:
        _show(report)


def _follow(
    workspace: Workspace, inputs: Callable[[], Sequence[Input]], *, quiet: bool, as_json: bool
) -> None:
    """Ingest whatever comes until SIGINT or SIGTERM; what was begun is stored first."""
    import json
    import signal
    import threading

    from curate.workspace.upkeep import ingesting

    stop = threading.Event()

    def told(report: IngestReport) -> None:
        if as_json:
            click.echo(json.dumps(output.plain(report)))
        elif report.questions_read or report.feedback_read or report.rejected:
            output.say(
                f"{report.questions_new} new questions, {report.feedback_new} new votes, "
                f"{report.rejected} rejected",
                quiet=quiet,
            )

    before = {
        number: signal.signal(number, lambda *_: stop.set())
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        ingesting.follow(
            workspace,
            inputs,
            wait=lambda: not stop.wait(_LOOK_AGAIN),
            told=told,
            stopped=stop.is_set,
        )
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _list(what: str) -> None:
    from curate.ingest import formats, queries

    for name in formats.names() if what == "formats" else queries.names():
        output.line(name)


def _files(workspace: Workspace, paths: tuple[Path, ...], source: str | None) -> list[Input]:
    from curate.ingest.inputs import LogFile
    from curate.workspace.upkeep import sources

    if not paths:
        return sources.configured(workspace, [source] if source else ())
    return [
        LogFile(
            None if str(path) == "-" else path,
            sources.named(workspace, source) if source else sources.of(workspace, path),
        )
        for path in paths
    ]


def _database(
    workspace: Workspace,
    url: str | None,
    query: Path | None,
    recipe: str | None,
    source: str | None,
) -> Input:
    from curate import config
    from curate.ingest import queries
    from curate.ingest.inputs import Query
    from curate.workspace.upkeep import sources

    url = url or config.database_from_environment()
    if not url or (query is None) == (recipe is None):
        raise CurateError(
            "--db goes with one of --query and --recipe",
            "For example --db postgresql+psycopg://reader@host/app --query asked.sql",
            Exit.USAGE,
        )
    if recipe is not None:
        return Query(url, queries.recipe(recipe), sources.named(workspace, source or recipe))
    try:
        sql = Path(query or "").read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise CurateError(
            f"the query {query} cannot be read", "Check the path; it is to be UTF-8.", Exit.USAGE
        ) from None
    return Query(url, sql, sources.named(workspace, source or "database"))


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


# ---------------------------------------------------------------------------- telling


def _explain(found: Explanation, *, as_json: bool) -> None:
    report = found.report
    if as_json:
        output.data(
            {
                "formats": report.formats,
                "maps": report.maps,
                "unread": found.unread,
                "nowhere": found.nowhere,
                "questions": report.questions_read,
                "feedback": report.feedback_read,
                "rejected": report.rejected,
                "rejected_lines": report.rejected_lines,
                "reasons": report.reasons,
                "samples": found.samples,
            }
        )
        return
    _show_maps(report)
    for sample in found.samples:
        output.line()
        output.line(f"line {sample.line}: {sample.kind}")
        for name, text in sample.fields.items():
            first, *rest = text.splitlines() or [""]
            output.line(f"  {name:16} {first}")
            for line in rest:
                output.line(f"  {'':16} {line}")
    _show_unread(found)
    output.line()
    output.line(f"would read {report.questions_read} questions, {report.feedback_read} votes")
    _show_unnamed(report)
    _show_rejected(report)


def _show_unread(found: Explanation) -> None:
    from curate.ingest.fields import FIELDS

    for file, told in found.nowhere.items():
        maps = found.report.maps[file]
        output.line()
        output.line(f"{file}: told, but in no record")
        _words([f"{name}={maps[name]}" for name in told])
    for file, paths in found.unread.items():
        output.line()
        output.line(f"{file}: not read")
        _words(paths)
    if found.unread:
        output.line()
        output.line("--map FIELD=PATH says what one of them is; its FIELD may be")
        _words(FIELDS)


def _words(names: Sequence[str]) -> None:
    text = click.wrap_text(", ".join(names), initial_indent="  ", subsequent_indent="  ")
    for line in text.splitlines():
        output.line(line)


def _show(report: IngestReport) -> None:
    _show_maps(report)
    output.line(f"questions  {report.questions_new} new, {report.questions_updated} updated")
    output.line(
        f"votes      {report.feedback_new} new, {report.feedback_updated} updated, "
        f"{report.feedback_joined} joined to their question, "
        f"{report.feedback_waiting} waiting for it"
    )
    if report.duplicates:
        output.line(f"known      {report.duplicates} read before, unchanged")
    if report.feedback_withdrawn:
        output.line(f"withdrawn  {report.feedback_withdrawn} votes, deleted where they came from")
    if report.expired:
        output.line(f"too old    {report.expired} beyond the retention, not kept")
    if report.suppressed:
        output.line(f"erased     {report.suppressed} of people who asked to be forgotten, not kept")
    _show_unnamed(report)
    _show_rejected(report)
    if report.unchanged:
        output.line(f"unchanged  {report.unchanged} files have nothing new")
    if report.unfinished:
        output.line(f"unfinished {report.unfinished} last lines wait for their end")


def _show_unnamed(report: IngestReport) -> None:
    if report.chunks_unnamed:
        output.line(
            f"unnamed    the chunks of {report.chunks_unnamed} questions have neither a known id "
            "nor a source; see --explain"
        )


def _show_maps(report: IngestReport) -> None:
    for file, form in report.formats.items():
        pairs: Mapping[str, str] = report.maps.get(file, {})
        output.line(f"{file}: {form}" + (", by" if pairs else ""))
        for name, path in pairs.items():
            output.line(f"  {name:16} {path}")


def _show_rejected(report: IngestReport) -> None:
    output.line(f"rejected   {report.rejected}")
    for file, lines in report.rejected_lines.items():
        shown = ", ".join(str(number) for number in lines[:_SHOWN])
        output.line(f"           {file}: line {shown}" + (" ..." if len(lines) > _SHOWN else ""))
        for reason, count in report.reasons.get(file, {}).items():
            output.line(f"           {count} x {reason}")

"""`eval run`: the set's questions are asked of the assistant."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curate.cli import output, scored
from curate.cli.context import Shared, json_option, shared_options
from curate.model.errors import CurateError, Exit

if TYPE_CHECKING:
    from curate.evaluate.targets import Target


def target_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name the system under test and how it is asked."""
    for option in (
        click.option(
            "--retries",
            type=click.IntRange(0, 10),
            default=2,
            show_default=True,
            help="More tries where asking again may help.",
        ),
        click.option(
            "--timeout",
            type=click.FloatRange(0.01),
            default=60.0,
            show_default=True,
            help="Seconds for one reply.",
        ),
        click.option(
            "--workers",
            type=click.IntRange(1, 64),
            default=4,
            show_default=True,
            help="Questions asked at a time.",
        ),
        click.option(
            "--header", "headers", multiple=True, metavar="NAME:VALUE", help="Sent to the URL."
        ),
        click.option(
            "--python", metavar="MOD:FUNC", help="A function (question, history, **parameters)."
        ),
        click.option(
            "--stderr",
            type=scored.FILE,
            help="Add what --command says on stderr where it gives no reply; may quote questions.",
        ),
        click.option(
            "--command",
            "command_line",
            metavar="CMD",
            help="Run once per question: JSON on stdin, JSON on stdout.",
        ),
        click.option("--target", metavar="URL", help="Gets each question as a JSON POST."),
    ):
        command = option(command)
    return command


def named(
    target: str | None,
    command_line: str | None,
    python: str | None,
    params: Mapping[str, object],
    timeout: float,
    headers: Sequence[str],
    stderr: Path | None,
) -> Target:
    """Return the one system that the options name. Raises `CurateError` for none or several."""
    from curate.evaluate import targets

    if sum(given is not None for given in (target, command_line, python)) != 1:
        raise CurateError(
            "name one system to ask", "Give --target, --command or --python.", Exit.USAGE
        )
    if stderr is not None and command_line is None:
        raise CurateError(
            "--stderr goes with --command", "Only a command has a stderr.", Exit.USAGE
        )
    if target is not None:
        pairs = (header.partition(":") for header in headers)
        sent = {name.strip(): value.strip() for name, _, value in pairs}
        return targets.Endpoint(target, params, timeout=timeout, headers=sent)
    if command_line is not None:
        return targets.Command(command_line, params, timeout=timeout, stderr=stderr)
    return targets.Function(str(python), params, timeout=timeout)


@click.command(short_help="Ask the set of the assistant.")
@target_options
@click.option("--questions", type=scored.FILE, help="The questions.json; default: the last export.")
@click.option(
    "--split",
    type=click.Choice(["tuning", "holdout", "all"]),
    default="all",
    show_default=True,
    help="Which questions to ask.",
)
@click.option(
    "--param", "params", multiple=True, metavar="NAME=VALUE", help="Sent with every question."
)
@click.option("--out", type=scored.FILE, help="The run file; default: runs/TIME.jsonl.")
@click.option("--resume", is_flag=True, help="Go on with --out: keep its replies, ask the rest.")
@json_option
@shared_options
@click.pass_obj
def run(
    shared: Shared,
    target: str | None,
    command_line: str | None,
    python: str | None,
    stderr: Path | None,
    headers: tuple[str, ...],
    workers: int,
    timeout: float,
    retries: int,
    questions: Path | None,
    split: str,
    params: tuple[str, ...],
    out: Path | None,
    resume: bool,
    as_json: bool,
) -> None:
    """Ask the set's questions of the assistant and write down its replies.

    The assistant gets {"id", "question", "history"} and the parameters, and replies with an
    object: retrieved, answer, refused, and what else it knows (sources, citations, usage). A
    broken reply is an outcome; it is counted, and asked again with --resume.
    """
    from curate.evaluate import asking, cases, targets

    given = targets.parameters(params)
    system = named(target, command_line, python, given, timeout, headers, stderr)
    found = cases.read(questions or scored.last_version(shared))
    if split != "all":
        found = found.of("holdout" if split == "holdout" else "tuning")
    now = shared.clock()()
    place = Path() if questions else shared.root()
    path = out or place / "runs" / f"{now:%Y%m%dT%H%M%SZ}.jsonl"
    with output.Progress("asking", quiet=shared.quiet) as progress:
        done = asking.run(
            found,
            system,
            path,
            now=now,
            params=given,
            settings=asking.Settings(workers, retries),
            resume=resume,
            progress=progress,
        )
    if as_json:
        output.data(done)
    else:
        kept = f", {done.kept} kept from before" if done.kept else ""
        output.line(f"{done.path}: {done.asked} questions asked{kept}")
    for words, count in done.failures.items():
        output.say(f"no reply to {count}: {words}", quiet=shared.quiet)
    if stderr is not None and done.failures:
        output.say(f"{stderr} may quote questions: delete it once read", quiet=shared.quiet)
    elif command_line is not None and done.failures:
        output.say("--stderr FILE keeps what the command says", quiet=shared.quiet)
    if done.asked and sum(done.failures.values()) >= done.asked:
        sys.exit(Exit.FOUND)

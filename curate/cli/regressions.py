"""`eval compare`, `sweep`, `gate`: what changed, and whether it may be merged."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curate.cli import asking, output, scored
from curate.cli.context import Shared, json_option, shared_options
from curate.cli.scored import Asked, scoring_options
from curate.model.errors import CurateError, Exit

if TYPE_CHECKING:
    from curate.evaluate.comparing import Comparison
    from curate.evaluate.intervals import Interval
    from curate.evaluate.rewriting import Rewriting
    from curate.evaluate.scoring import Scored
    from curate.evaluate.sweeping import Row
    from curate.evaluate.targets import Target


@click.command(short_help="Set runs side by side.")
@click.argument("runs", type=scored.FILE, nargs=-1, required=True)
@click.option(
    "--at", type=click.IntRange(1), help="The cut-off to judge by; default: 4 or the most."
)
@click.option(
    "--rewriting", is_flag=True, help="The first run rewrites follow-ups: does that help?"
)
@scoring_options
@json_option
@shared_options
@click.pass_obj
def compare(
    shared: Shared,
    runs: tuple[Path, ...],
    at: int | None,
    rewriting: bool,
    asked: Asked,
    as_json: bool,
) -> None:
    """Set runs side by side: one row each, which items moved, and whether it could be noise.

    Every run is compared with the first.
    """
    from curate.evaluate import comparing
    from curate.evaluate import rewriting as rewritten

    if len(runs) < 2:
        raise CurateError("compare takes two runs or more", "Name the base first.", Exit.USAGE)
    set_ = scored.ready(shared, asked)
    results = [set_.score(path) for path in runs]
    compared = [comparing.compare(results[0], other) for other in results[1:]]
    k = at or (4 if 4 in set_.options.ks else set_.options.ks[-1])
    if k not in set_.options.ks:
        raise CurateError(f"--at {k} is not among --k {asked.k}", "Add it to --k.", Exit.USAGE)
    if as_json:
        data = {"runs": [_summary(result) for result in results], "comparisons": compared}
        if rewriting:
            data["rewriting"] = [rewritten.evaluate(results[0], other) for other in results[1:]]
        output.data(data)
    else:
        _grid(results, k)
        for one in compared:
            output.line()
            _show_comparison(one, k)
        for other in results[1:] if rewriting else ():
            _show_rewriting(rewritten.evaluate(results[0], other), other)
    for result in results:
        scored.tell(shared, result.problems)


def _summary(result: Scored) -> dict[str, Any]:
    return {
        "run": result.run.name,
        "settings": result.run.head.get("settings", {}),
        "chunks": result.run.chunks,
        "metrics": [scored.row(score) for score in result.scores],
    }


def _grid(results: Sequence[Scored], k: int) -> None:
    side = "all" if results[0].score(f"hit@{k}", "all") or len(results[0].scores) == 0 else "tuning"
    wanted = [f"hit@{k}", f"mrr@{k}", f"ndcg@{k}", f"returned@{k}", "pass", "latency-p95"]
    names = [n for n in wanted if any(r.score(n, "all") or r.score(n, "tuning") for r in results)]
    rows = []
    for result in results:
        settings = result.run.head.get("settings")
        shown = settings.items() if isinstance(settings, dict) else ()
        cells = []
        for name in names:
            found = result.score(name, "all") or result.score(name, "tuning")
            cells.append("-" if found is None else _cell(name, found.value, scored.span(found)))
        label = " ".join(f"{key}={value}" for key, value in shown)
        rows.append((Path(result.run.name).name, result.run.chunks or "-", *cells, label))
    output.table(rows, ("run", "chunks", *names, "settings"))
    output.line(f"of {side} items")


def _cell(name: str, value: float, span: str) -> str:
    return scored.short(value) if name.startswith(("returned", "latency")) else span


def _show_comparison(one: Comparison, k: int) -> None:
    output.line(f"{Path(one.run).name} against {Path(one.base).name}")
    if not one.same_set:
        output.line("These runs asked different versions of the set; the difference may be theirs.")
    for difference in one.headline(k):
        output.line(f"{difference.split}: {difference.sentence}")
    if one.moved:
        output.table(
            [
                ("better" if moved.better else "worse", moved.item, moved.split, moved.words)
                for moved in one.moved
            ],
            ("moved", "item", "split", "how"),
        )


def _show_rewriting(found: Rewriting, without: Scored) -> None:
    rate = found.rate
    shown = f", win rate {scored.short(rate.value)} ({scored.short(rate.low)}-" if rate else ""
    shown += f"{scored.short(rate.high)})" if rate else ""
    output.line(
        f"\nrewriting against {Path(without.run.name).name}: {len(found.duels)} follow-ups, "
        f"{found.wins} won, {found.losses} lost{shown} (sign test, p = {found.p:.2f})"
    )
    if found.likeness:
        output.line(f"likeness to the standalone questions {found.likeness.value:.2f}")
    output.table(
        [
            (
                duel.item,
                duel.with_rank or "-",
                duel.without_rank or "-",
                "-" if duel.likeness is None else scored.short(duel.likeness),
            )
            for duel in found.duels
        ],
        ("follow-up", "rewritten", "as asked", "likeness"),
    )


# ---------------------------------------------------------------------------- sweep


@click.command(short_help="Sweep the refusal threshold.")
@click.argument("run", type=scored.FILE, required=False)
@click.option(
    "--min-score",
    "minimums",
    required=True,
    metavar="SCORES",
    help="Minimum scores: 0,0.2,0.3 or 0:1:0.1 (start, end, step).",
)
@click.option("--recorded", type=float, help="The minimum score that RUN was made with.")
@click.option("--param", metavar="NAME", help="Ask again where RUN does not tell, with this name.")
@click.option(
    "--set", "params", multiple=True, metavar="NAME=VALUE", help="Sent with every question, too."
)
@click.option("--html", type=scored.FILE, help="Draw it into a page of its own.")
@asking.target_options
@scoring_options
@json_option
@shared_options
@click.pass_obj
def sweep(
    shared: Shared,
    run: Path | None,
    minimums: str,
    recorded: float | None,
    param: str | None,
    params: tuple[str, ...],
    html: Path | None,
    target: str | None,
    command_line: str | None,
    python: str | None,
    stderr: Path | None,
    headers: tuple[str, ...],
    workers: int,
    timeout: float,
    retries: int,
    asked: Asked,
    as_json: bool,
) -> None:
    """Sweep the refusal threshold: passes, and both kinds of wrong refusal, in columns.

    From the scores that RUN recorded where that is exact; asked again with --param and a target
    where it is not, or without RUN. Each row says which.
    """
    from curate.evaluate import runs, sweeping, targets

    if asked.holdout:
        raise CurateError(
            "a threshold is never tuned on the holdout",
            "Sweep the tuning items, then score the one you choose with --holdout.",
            Exit.USAGE,
        )
    set_ = scored.ready(shared, asked, tuning_only=True)
    side = set_.sides[-1]
    values = sweeping.parse(minimums)
    rows: list[Row] = []
    if run is not None:
        recorded_run = runs.read(run)
        known = recorded_run.head.get("settings")
        if recorded is None and isinstance(known, dict):
            found = known.get(param or "min_score")
            recorded = float(found) if isinstance(found, int | float) else None
        rows = sweeping.offline(
            set_.cases, recorded_run, set_.options, values, side, recorded=recorded
        )
    elif param is None:
        raise CurateError(
            "a sweep needs a recorded run, or something to ask",
            "Name RUN, or give --param NAME with --target, --command or --python.",
            Exit.USAGE,
        )
    if param is not None:
        sure = {row.minimum: row for row in rows if row.how == "recorded"}
        fixed = targets.parameters(params)

        def live(minimum: float) -> Row:
            system = asking.named(
                target, command_line, python, {**fixed, param: minimum}, timeout, headers, stderr
            )
            return _live(set_, system, minimum, workers, retries, shared)

        rows = [sure.get(minimum) or live(minimum) for minimum in values]
    if html is not None:
        from curate.cli import pages

        pages.write(html, pages.sweep(rows, set_.cases.name))
    if as_json:
        output.data({"split": side, "rows": rows})
    else:
        _show_sweep(rows, side)
    for row in rows:
        if row.how == "not exact":
            names = ", ".join(row.unsure[:5]) + (", ..." if len(row.unsure) > 5 else "")
            output.say(
                f"{row.minimum:g}: not exact, the run does not tell what {len(row.unsure)} refused "
                f"items would be answered ({names}); ask again with --param",
                quiet=shared.quiet,
            )


def _live(
    set_: scored.Ready, system: Target, minimum: float, workers: int, retries: int, shared: Shared
) -> Row:
    from tempfile import TemporaryDirectory

    from curate.evaluate import sweeping
    from curate.evaluate.asking import Settings, run

    with (
        TemporaryDirectory() as place,
        output.Progress(f"asking at {minimum:g}", quiet=shared.quiet) as progress,
    ):
        done = run(
            set_.cases if set_.sides[-1] == "all" else set_.cases.of("tuning"),
            system,
            Path(place) / "run.jsonl",
            now=shared.clock()(),
            params={},
            settings=Settings(workers, retries),
            progress=progress,
        )
        return sweeping.row(set_.score(done.path), minimum, "asked")


def _show_sweep(rows: Sequence[Row], side: str) -> None:
    def cell(part: Interval | None) -> str:
        if part is None:
            return "-"
        bar = "█" * round(part.value * 10)
        ends = f"{scored.short(part.low)}-{scored.short(part.high)}"
        return f"{bar:·<10} {scored.short(part.value)} ({ends})"

    output.table(
        [
            (
                f"{row.minimum:g}",
                f"{round(row.passes.value * row.n)}/{row.n} {cell(row.passes)}",
                cell(row.answerable_refused),
                cell(row.unanswerable_answered),
                row.how,
            )
            for row in rows
        ],
        ("min score", "passes", "answerable refused", "unanswerable answered", "how"),
    )
    output.line(f"of {side} items; scores mean nothing in another set-up")


# ---------------------------------------------------------------------------- gate

_FEW = 30
"""With fewer items than that a set is not even a start, and a drop says little."""


@click.command(short_help="Hold a run to its floors.")
@click.argument("run", type=scored.FILE)
@click.option(
    "--floors",
    type=scored.FILE,
    default=Path("floors.toml"),
    show_default=True,
    help="Least and greatest values by measure.",
)
@click.option("--init", is_flag=True, help="Write the floors, a little under this run's numbers.")
@click.option(
    "--base", type=scored.FILE, help="A run to show beside it, such as the main branch's."
)
@click.option("--junit", type=scored.FILE, help="Write JUnit XML here.")
@click.option("--markdown", type=scored.FILE, help="Write a summary for a pull request here.")
@scoring_options
@json_option
@shared_options
@click.pass_obj
def gate(
    shared: Shared,
    run: Path,
    floors: Path,
    init: bool,
    base: Path | None,
    junit: Path | None,
    markdown: Path | None,
    asked: Asked,
    as_json: bool,
) -> None:
    """Hold a run to its floors: exit 1 when a number fell, and name it and its items.

    Judges tuning items unless the floors say otherwise and --holdout allows it.
    """
    from dataclasses import replace

    from curate.evaluate import comparing
    from curate.evaluate import gate as gates

    if init:
        _init_floors(shared, run, floors, asked)
        return
    held = gates.read(floors)
    if held.split != "tuning" and not asked.holdout:
        raise CurateError(
            f"{floors} holds the {held.split} items to floors",
            "Say --holdout (and --why, in a workspace), or judge the tuning items.",
            Exit.USAGE,
        )
    set_ = scored.ready(shared, asked, tuning_only=True)
    ks = tuple(sorted({*set_.options.ks, *held.ks()}))
    set_ = replace(set_, options=replace(set_.options, ks=ks))
    result = set_.score(run)
    before = set_.score(base) if base else None
    compared = comparing.compare(before, result) if before else None
    verdict = gates.check(result, held, base=before, comparison=compared)
    if junit:
        scored.write(junit, gates.junit(verdict))
    if markdown:
        scored.write(markdown, gates.markdown(verdict).encode())
    if as_json:
        output.data(
            {
                "passed": verdict.passed,
                "other_version": verdict.other_version,
                "checks": [
                    {**output.plain(check), "held": check.held, "message": check.words}
                    for check in verdict.checks
                ],
                "moved": compared.moved if compared else [],
            }
        )
    else:
        for check in verdict.checks:
            output.line(f"{'ok  ' if check.held else 'FELL'}  {check.words}")
            if not check.held and check.items:
                output.line(f"      {', '.join(check.items)}")
        if verdict.other_version:
            output.line("FELL  the run asked another version of the set")
    scored.tell(shared, result.problems)
    sys.exit(Exit.DONE if verdict.passed else Exit.FOUND)


def _init_floors(shared: Shared, run: Path, floors: Path, asked: Asked) -> None:
    from curate.evaluate import gate as gates

    if floors.exists():
        raise CurateError(
            f"{floors} exists already", "Edit it, or name another with --floors.", Exit.USAGE
        )
    set_ = scored.ready(shared, asked, tuning_only=True)
    result = set_.score(run)
    k = 4 if 4 in set_.options.ks else set_.options.ks[-1]
    proposed = gates.propose(result, "tuning", k)
    scored.write(floors, gates.toml(proposed, result).encode())
    output.line(f"{floors}: {len(proposed.floors)} floors, {len(proposed.ceilings)} ceilings")
    asked_of = sum(outcome.case.split == proposed.split for outcome in result.outcomes)
    if 0 < asked_of < _FEW:
        output.say(
            f"they rest on {asked_of} items, and one is {1 / asked_of:.2f}: a drop by one is let"
            " pass; more items tell more",
            quiet=shared.quiet,
        )
    scored.tell(shared, result.problems)

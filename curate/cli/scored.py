"""What the `eval` commands share: how a run is to be scored, and how scores are shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curate.cli import output
from curate.cli.context import Shared
from curate.model.errors import CurateError, Exit

if TYPE_CHECKING:
    from curate.evaluate.cases import CaseSet
    from curate.evaluate.runs import Problem
    from curate.evaluate.scoring import Options, Outcome, Score, Scored, Side

FILE = click.Path(path_type=Path, dir_okay=False)
LATEST = Path("exports", "latest", "questions.json")
SHOWN = 100
"""Failed items that a terminal is shown."""
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """What the scoring options said."""

    questions: Path | None
    labels: Path | None
    chunks: Path | None
    index: int | None
    by: str | None
    k: str
    holdout: bool
    why: str
    refusals: tuple[str, ...]


def scoring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that decide how a run is scored; they arrive as one `asked`."""

    @wraps(command)
    def bundled(*args: Any, **kwargs: Any) -> Any:
        given = {f.name: kwargs.pop(f.name) for f in fields(Asked)}
        return command(*args, asked=Asked(**given), **kwargs)

    wrapped: Callable[..., Any] = bundled
    for option in (
        click.option(
            "--refusal",
            "refusals",
            multiple=True,
            metavar="PHRASE",
            help="An answer that holds it is a refusal, where the run does not say.",
        ),
        click.option(
            "--why", default="", metavar="TEXT", help="Why the holdout is looked at; recorded."
        ),
        click.option(
            "--holdout", is_flag=True, help="Show holdout scores; in a workspace it is counted."
        ),
        click.option("--k", default="1,2,4,8", show_default=True, help="Cut-offs."),
        click.option(
            "--by",
            type=click.Choice(["evidence", "chunks"]),
            help="What makes a chunk right; default: evidence, where texts are known.",
        ),
        click.option(
            "--index", type=click.IntRange(1), metavar="N", help="How many chunks the index holds."
        ),
        click.option(
            "--chunks", type=FILE, help="A chunk set (JSONL: id, text), for runs without texts."
        ),
        click.option("--labels", type=FILE, help="Gold chunk ids: id, query, relevantChunkIds."),
        click.option(
            "--questions", type=FILE, help="The questions.json; then no workspace is needed."
        ),
    ):
        wrapped = option(wrapped)
    return wrapped


@dataclass(frozen=True, slots=True)
class Ready:
    """A set to score against, how, and which splits may be seen.

    `root` is the workspace whose version it is, None where a file was given. `guard` records a
    look at the holdout before its scores are shown.
    """

    cases: CaseSet
    options: Options
    sides: tuple[Side, ...]
    root: Path | None
    guard: Callable[[Scored], None] | None = None

    def score(self, path: Path) -> Scored:
        """Read and score one run. In a workspace a look at the holdout is recorded first."""
        from curate.evaluate import runs, scoring

        scored = scoring.score(self.cases, runs.read(path), self.options, self.sides)
        if self.guard is not None:
            self.guard(scored)
        return scored


def ready(shared: Shared, asked: Asked, *, tuning_only: bool = False) -> Ready:
    """Return what to score against: the file given, or the workspace's last version.

    In a workspace holdout scores are shown only with --holdout, and only with a reason. With
    `tuning_only` the holdout stays out unless --holdout asks for it, workspace or not.
    """
    from curate import config
    from curate.evaluate import cases, scoring

    root = None if asked.questions else shared.root()
    found = cases.read(asked.questions or last_version(shared), asked.labels)
    held = any(case.split == "holdout" for case in found.cases)
    hidden = not asked.holdout and (tuning_only or root is not None)
    if held and not hidden:
        if root is None:
            output.say(
                "this shows holdout scores; without a workspace the look is not counted",
                quiet=shared.quiet,
            )
        elif not asked.why.strip():
            raise CurateError(
                "a look at the holdout needs a reason",
                "Say it with --why; it is recorded with your name.",
                Exit.USAGE,
            )
    refusals = asked.refusals or (
        config.load(root / config.FILE).assistant.refusals if root else config.REFUSALS
    )
    options = scoring.Options(
        ks=scoring.parse_ks(asked.k),
        rule="chunks" if asked.by == "chunks" else "evidence" if asked.by else None,
        refusals=refusals,
        texts=texts(asked.chunks),
        index=asked.index,
    )
    guard = _guard(shared, asked.why) if held and not hidden and root else None
    return Ready(found, options, ("tuning",) if hidden else scoring.SIDES, root, guard)


def _guard(shared: Shared, why: str) -> Callable[[Scored], None]:
    def look(scored: Scored) -> None:
        from curate.evaluate import holdout

        seen = holdout.seen(scored)
        with shared.open() as workspace:
            before = workspace.store.looks(1)
            [clean] = workspace.anonymiser.clean_many([why.strip()])
            made = workspace.store.add_look(
                by=workspace.who,
                now=workspace.now(),
                why=clean.text,
                run=scored.run.digest,
                version=scored.cases.version,
                scores=seen,
            )
        output.say(f"look {made.id} at the holdout, by {made.by}: {made.why}", quiet=shared.quiet)
        rose = holdout.overfitted(before[0], seen) if before else ()
        if rose:
            output.say(
                f"warning: {', '.join(rose)} rose on tuning items since the last look, and not on "
                "the holdout: the set may be overfitted",
                quiet=shared.quiet,
            )

    return look


def last_version(shared: Shared) -> Path:
    """Return the workspace's last exported questions.json. Raises `CurateError` without one."""
    from curate import config

    path = shared.root() / LATEST
    if not path.is_file():
        config.load(shared.root() / config.FILE)  # no workspace at all is another error
        raise CurateError(
            f"{shared.root()} has no exported version",
            "Write one with `curate export`, or give a file with --questions.",
            Exit.USAGE,
        )
    return path


def write(path: Path, content: bytes) -> None:
    """Write a file that the user named, as a whole. Raises `CurateError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise CurateError(
            f"{path} cannot be written: {error.strerror}", "Name another file."
        ) from None


def texts(path: Path | None) -> dict[str, str]:
    """Return the texts of a chunk set by id; none without one."""
    from curate.evaluate import runs, scoring

    return scoring.as_texts(runs.objects(path)) if path else {}


# ---------------------------------------------------------------------------- showing


def data(scored: Scored) -> dict[str, Any]:
    """Return a scored run as JSON types: `metrics`, `groups`, `items`, `failures`,
    `unfound` (items that pass without their evidence), `problems`.
    """
    return {
        "questions": {"file": scored.cases.name, "digest": scored.cases.digest},
        "run": {"file": scored.run.name, "digest": scored.run.digest},
        "rule": scored.rule,
        "metrics": [row(score) for score in scored.scores],
        "groups": [row(score) for score in scored.groups],
        "items": [item(outcome) for outcome in scored.outcomes],
        "failures": scored.labels(),
        "unfound": list(scored.unfound()),
        "problems": scored.problems,
    }


def row(score: Score) -> dict[str, Any]:
    """Return one measure as JSON types; `by` and `group` only where there are any."""
    return {key: value for key, value in output.plain(score).items() if value != ""}


def item(outcome: Outcome) -> dict[str, Any]:
    """Return one item's outcome as JSON types."""
    case, verdict, retrieved = outcome.case, outcome.verdict, outcome.retrieved
    return {
        "id": case.id,
        "split": case.split,
        "kind": case.kind,
        "lang": case.lang,
        "answerable": case.answerable,
        "rank": outcome.rank,
        "ranks": list(retrieved.found) if retrieved else [],
        "retrieved": retrieved.held if retrieved else None,
        "passed": verdict.passed,
        "why": verdict.why,
        "diagnosis": verdict.diagnosis,
        "label": verdict.label,
        "refused": verdict.refused,
        "keyword": verdict.keyword,
        "cited": verdict.cited,
        "misses": list(verdict.misses),
    }


def span(score: Score | None) -> str:
    """Return a share with its interval, as `.89 (.57-.98)`, or a hyphen."""
    if score is None:
        return "-"
    return f"{short(score.value)} ({short(score.low)}-{short(score.high)})"


def short(value: float) -> str:
    """Return a share with two digits, as `.89`, or a larger value with none."""
    if abs(value) > 1.005:
        return f"{value:,.0f}"
    return f"{value:.2f}".removeprefix("0") if value >= 0 else f"{value:.2f}".replace("-0", "-")


RETRIEVAL = ("hit", "mrr", "recall", "precision", "ndcg", "returned")


def show(scored: Scored) -> None:
    """Print a scored run: retrieval by cut-off, answers, failures by label, failed items."""
    sides = list(dict.fromkeys(score.split for score in scored.scores))
    if "holdout" not in sides and "tuning" in sides:
        sides = ["tuning"]  # all items are tuning items
    for side in sides:
        of_side = {s.measure: s for s in scored.scores if s.split == side}
        output.line(f"{side}")
        first = of_side.get(f"hit@{scored.ks[0]}")
        if first:
            _retrieval(scored, of_side, first.n)
        rest = [s for name, s in of_side.items() if "@" not in name]
        output.table(
            [(s.measure, span(s), str(s.n), meaning(s.measure)) for s in rest],
            ("measure", "value", "n", "what it is"),
        )
        output.line()
    _groups(scored)
    failed = [o for o in scored.outcomes if o.verdict.label]
    if failed:
        output.table(
            [
                (o.id, o.case.split, o.rank or "-", o.verdict.label, o.verdict.why)
                for o in failed[:SHOWN]
            ],
            ("failed item", "split", "rank", "label", "why"),
        )
        if len(failed) > SHOWN:
            output.line(f"... and {len(failed) - SHOWN} more; --json has them all")
        counted = ", ".join(f"{label}: {count}" for label, count in scored.labels().items())
        output.line(f"\n{counted}")
    unfound = scored.unfound()
    if unfound:
        more = f", ... and {len(unfound) - SHOWN} more" if len(unfound) > SHOWN else ""
        output.line(f"{passes_unfound(len(unfound))}: {', '.join(unfound[:SHOWN])}{more}")


def _groups(scored: Scored) -> None:
    """Print the chief measures by kind and by language, where there are several."""
    k = 4 if 4 in scored.ks else scored.ks[-1]
    names = [f"hit@{k}", f"mrr@{k}", "pass"]
    held = {(s.by, s.group, s.measure): s for s in scored.groups}
    shown = [name for name in names if any(name == measure for _, _, measure in held)]
    rows = [
        (f"{by} {group}", *(_of(held.get((by, group, name))) for name in shown))
        for by, group in dict.fromkeys((by, group) for by, group, _ in held)
    ]
    if rows and shown:
        output.table(rows, ("items", *shown))
        output.line()


def _of(score: Score | None) -> str:
    return "-" if score is None else f"{span(score)} of {score.n}"


def passes_unfound(count: int) -> str:
    """Return in words that so many items pass without their evidence."""
    said = "1 item passes" if count == 1 else f"{count} items pass"
    return (
        f"{said} though the evidence was not retrieved (another passage told it, or the model "
        "knew it)"
    )


def _retrieval(scored: Scored, of_side: dict[str, Score], n: int) -> None:
    shown = [name for name in RETRIEVAL if f"{name}@{scored.ks[0]}" in of_side]
    rows = []
    for k in scored.ks:
        cells = [
            short(of_side[f"{name}@{k}"].value)
            if name == "returned"
            else span(of_side[f"{name}@{k}"])
            for name in shown
        ]
        rows.append((str(k), *cells))
    names = ["of the index" if name == "returned" else f"{name}@k" for name in shown]
    output.table(rows, ("k", *names))
    output.line(f"n = {n} answerable items; one is {short(1 / n)}; by {scored.rule}")
    if "returned" not in shown:
        output.line("what share of the index that is, --index N tells")
    output.line()


def meaning(measure: str) -> str:
    """Return what a measure is, in a few words."""
    from curate.evaluate.scoring import SHARES

    return SHARES.get(measure) or {
        "latency-p50": "ms, half of the replies were faster",
        "latency-p95": "ms, 95% of the replies were faster",
        "tokens": "tokens per request",
    }.get(measure, "")


def tell(shared: Shared, problems: Iterable[Problem]) -> None:
    """Say on stderr what was wrong with a run, one line per kind, with the first items' ids."""
    kinds: dict[str, list[Problem]] = defaultdict(list)
    for problem in problems:
        kinds[problem.code].append(problem)
    for code, found in kinds.items():
        names = list(dict.fromkeys(problem.item for problem in found if problem.item))
        more = ", ..." if len(names) > _NAMED else ""
        where = f" ({', '.join(names[:_NAMED])}{more})" if names else ""
        count = len(names) or len(found)
        words = found[0].message if count == 1 or not names else _plural(found)
        output.say(f"{code}: {count}{where}: {words}", quiet=shared.quiet)


def _plural(found: Sequence[Problem]) -> str:
    messages = list(dict.fromkeys(problem.message for problem in found))
    return messages[0] if len(messages) == 1 else f"for example: {messages[0]}"

"""`eval judge` and `eval review`: answers read by a model, and by people."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curate.cli import output, scored
from curate.cli.context import Shared, json_option, shared_options
from curate.cli.scored import Asked, scoring_options
from curate.model.errors import CurateError, Exit

if TYPE_CHECKING:
    from curate.evaluate.judging import Material, Plan, Verdict
    from curate.evaluate.reviewing import Agreement
    from curate.evaluate.scoring import Scored
    from curate.model.evaluation import Mark
    from curate.model.plain import Json
    from curate.model.records import Record
    from curate.workspace.workspace import Workspace


# ---------------------------------------------------------------------------- judge


@click.command(short_help="Let a model judge answers.")
@click.argument("run", type=scored.FILE, required=False)
@click.option("--model", required=True, help="The judge, as the endpoint names it.")
@click.option("--url", help="The endpoint's base URL; default: OpenAI's.")
@click.option("--key", envvar="OPENAI_API_KEY", show_envvar=True, help="The endpoint's key.")
@click.option("--embeddings", default="", help="A model for embeddings; then relevancy, too.")
@click.option(
    "--sample", type=click.IntRange(1), default=20, show_default=True, help="Answers to judge."
)
@click.option(
    "--repeats",
    type=click.IntRange(1, 20),
    default=3,
    show_default=True,
    help="How often each is judged; the range is reported.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the sample.")
@click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where replies are kept; default: judge/ beside the run.",
)
@click.option("--price", type=(float, float), help="Money per million tokens read, and written.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked and what it would cost.")
@click.option("--reviewed", is_flag=True, help="Judge the answers that people have reviewed.")
@click.option("--marks", type=scored.FILE, help="People's marks of this run (eval review RUN).")
@click.option("--against", type=scored.FILE, help="An earlier verdict (--out) to set beside it.")
@click.option("--other-judge", is_flag=True, help="... though another judge gave it.")
@click.option("--out", type=scored.FILE, help="Write the verdict here, as JSON.")
@scoring_options
@json_option
@shared_options
@click.pass_obj
def judge(
    shared: Shared,
    run: Path | None,
    model: str,
    url: str | None,
    key: str | None,
    embeddings: str,
    sample: int,
    repeats: int,
    seed: int,
    cache: Path | None,
    price: tuple[float, float] | None,
    dry_run: bool,
    reviewed: bool,
    marks: Path | None,
    against: Path | None,
    other_judge: bool,
    out: Path | None,
    asked: Asked,
    as_json: bool,
) -> None:
    """Let a model judge answers: faithfulness, relevancy and helpfulness, each apart.

    A seeded sample, several times over, with the range; the judge and the digest of its wording
    stand in the verdict. With people's marks it says how far the judge agrees with them.
    """
    from curate.evaluate import judging, reviewing
    from curate.workspace.custody.purging import JUDGE

    if (run is None) != reviewed:
        raise CurateError("judge a RUN, or --reviewed", "One of the two.", Exit.USAGE)
    people: dict[str, Mark] = {}
    if run is None:
        materials, people = _reviewed(shared)
        place = cache or shared.root() / JUDGE
    else:
        materials = _materials(scored.ready(shared, asked, tuning_only=True).score(run), asked)
        place = cache or run.parent / JUDGE
        if marks:
            people = _marks(marks)
    planned = judging.plan(
        materials,
        model=model,
        embeddings=embeddings,
        size=sample,
        repeats=repeats,
        seed=seed,
        cache=place,
    )
    before = _earlier(against, planned, other_judge=other_judge)
    _say_plan(shared, planned, price)
    if dry_run:
        if as_json:
            output.data(
                {**output.plain(replace(planned, sample=())), "sample": len(planned.sample)}
            )
        return
    from curate.evaluate.endpoint import Endpoint

    with (
        Endpoint(url, key or "") as endpoint,
        output.Progress("judging", quiet=shared.quiet) as progress,
    ):
        verdict = judging.judge(planned, endpoint.ask, endpoint.embed, place, progress)
    agreed = reviewing.agreement(people, _passes(verdict)) if people else None
    if out:
        scored.write(out, (json.dumps(output.plain(verdict), indent=2) + "\n").encode())
    if as_json:
        output.data({"verdict": verdict, "agreement": agreed})
    else:
        _show_verdict(verdict, before)
        if agreed:
            _show_agreement(agreed)
    cost = _cost(price, verdict.read, verdict.written)
    output.say(
        f"asked {verdict.calls} times, {verdict.cached} from the cache; "
        f"{verdict.read} tokens read, {verdict.written} written{cost}",
        quiet=shared.quiet,
    )
    for words, count in verdict.failures.items():
        output.say(f"no usable reply {count} times: {words}", quiet=shared.quiet)


def _materials(result: Scored, asked: Asked) -> list[Material]:
    from curate.evaluate import retrieval
    from curate.evaluate.judging import Material

    texts = scored.texts(asked.chunks)
    found = []
    for outcome in result.outcomes:
        reply = outcome.reply
        if reply is None or not reply.answer or outcome.verdict.refused:
            continue
        bodies = [retrieval.text_of(hit, texts) for hit in reply.hits]
        passages = tuple(body for body in bodies if body)
        if passages:
            found.append(Material(outcome.id, outcome.case.question, reply.answer, passages))
    return found


def _reviewed(shared: Shared) -> tuple[list[Material], dict[str, Mark]]:
    """The reviewed records that are still there, and the last mark of each."""
    from curate.evaluate.judging import Material

    materials, people = [], {}
    with shared.open() as workspace:
        workspace.ready_corpus()
        live = set(workspace.store.reviewable(workspace.now() - timedelta(days=3660)))
        marked = {r.record: r.mark for r in workspace.store.reviews() if r.record in live}
        for identifier, mark in marked.items():
            record = workspace.store.record(identifier)
            passages = _passages(workspace, record)
            if passages and record.answer:
                name = f"r{identifier}"
                materials.append(Material(name, record.question.text, record.answer.text, passages))
                people[name] = mark
    return materials, people


def _passages(workspace: Workspace, record: Record) -> tuple[str, ...]:
    """The sections that a logged answer's chunks name, as the documents read now."""
    known = set(workspace.corpus.sources())
    wanted = [(chunk.source, chunk.heading) for chunk in record.chunks if chunk.source in known]
    found = [
        section.text
        for source, heading in dict.fromkeys(wanted)
        for section in workspace.corpus.sections(str(source))
        if not heading or section.heading == heading
    ]
    return tuple(found)


def read_verdict(path: Path) -> Json:
    """Read what `eval judge --out` wrote. Raises `CurateError` for anything else."""
    try:
        value = json.loads(path.read_bytes()) if path.is_file() else None
    except (OSError, ValueError):
        value = None
    if not isinstance(value, dict) or not {"measures", "model", "wording", "repeats"} <= set(value):
        raise CurateError(f"{path} is no verdict", "Give what --out wrote.", Exit.USAGE)
    return value


def _earlier(path: Path | None, planned: Plan, *, other_judge: bool) -> Json | None:
    from curate.evaluate import judging

    if path is None:
        return None
    value = read_verdict(path)
    if not other_judge:
        judging.comparable(planned.model, planned.wording, value, str(path))
    return value


def _say_plan(shared: Shared, planned: Plan, price: tuple[float, float] | None) -> None:
    output.say(
        f"{planned.model}, wording {planned.wording[:19]}: {len(planned.sample)} answers, "
        f"{planned.repeats} times, {', '.join(planned.measures)}: {planned.calls} calls "
        f"({planned.cached} cached), about {planned.read} tokens read, {planned.written} written"
        f"{_cost(price, planned.read, planned.written)}",
        quiet=shared.quiet,
    )


def _cost(price: tuple[float, float] | None, read: int, written: int) -> str:
    if price is None:
        return ""
    return f", {(read * price[0] + written * price[1]) / 1_000_000:.4f} in money"


def _passes(verdict: Verdict) -> dict[str, bool]:
    """Whom the judge lets pass: every claim supported, every time."""
    faithful = next((m for m in verdict.measures if m.measure == "faithfulness"), None)
    return {name: value >= 1 for name, value in faithful.items.items()} if faithful else {}


def _show_verdict(verdict: Verdict, before: Json | None) -> None:
    earlier = {row["measure"]: row["mean"]["value"] for row in before["measures"]} if before else {}
    rows = []
    for found in verdict.measures:
        mean = found.mean
        then = earlier.get(found.measure)
        rows.append(
            (
                found.measure,
                f"{scored.short(mean.value)} ({scored.short(mean.low)}-{scored.short(mean.high)})",
                f"{scored.short(found.least)}-{scored.short(found.most)}",
                str(found.n),
                "-" if then is None else scored.short(then),
            )
        )
    output.table(rows, ("measure", "mean", f"range of {verdict.repeats}", "n", "before"))
    output.line(f"judge {verdict.model}, wording {verdict.wording[:19]}")
    if before and (before["model"], before["wording"]) != (verdict.model, verdict.wording):
        output.line(f"before: ANOTHER JUDGE, {before['model']}; the figures do not compare")
    for name, claims in verdict.unsupported.items():
        output.line(f"{name}: no support for: {'; '.join(claims)}")


def _show_agreement(found: Agreement) -> None:
    kappa = "undefined, one side never varies" if found.kappa is None else f"{found.kappa:.2f}"
    agreed = found.agreed
    output.line(
        f"judge and people agree on {scored.short(agreed.value)} "
        f"({scored.short(agreed.low)}-{scored.short(agreed.high)}) of {found.n}; kappa {kappa}; "
        f"people call {scored.short(found.base)} good"
    )
    for name in found.disagreements:
        side = "the judge" if name in found.passed_by_judge else "people"
        output.line(f"  {name}: only {side} found it good")


# ---------------------------------------------------------------------------- review


@dataclass(frozen=True, slots=True)
class _Entry:
    """One answer to look at; `key` is a record id, or an item id of a run."""

    key: int | str
    lines: tuple[str, ...]


@click.command(short_help="Read the week's 20 answers.")
@click.argument("run", type=scored.FILE, required=False)
@click.option(
    "--size", type=click.IntRange(1), default=20, show_default=True, help="Answers to read."
)
@click.option("--batch", help="The sample's name and seed; default: the week, as 2026-W48.")
@click.option("--days", type=click.IntRange(1), default=7, show_default=True, help="How far back.")
@click.option("--marks", type=scored.FILE, help="With RUN: where marks go; default: beside it.")
@click.option("--results", is_flag=True, help="Only show the figures of all weeks.")
@scoring_options
@json_option
@shared_options
@click.pass_obj
def review(
    shared: Shared,
    run: Path | None,
    size: int,
    batch: str | None,
    days: int,
    marks: Path | None,
    results: bool,
    asked: Asked,
    as_json: bool,
) -> None:
    """Read the week's 20 answers: each good, wrong or unsupported, in one key.

    The sample is drawn from the logged records of the last days that have an answer, or from the
    replies of RUN. g good, w wrong, u unsupported, c a comment first, s skip, q stop; a sample
    cut short goes on where it was. Without a terminal, one line per answer: `w too old`.
    """
    from curate.evaluate import reviewing
    from curate.model.evaluation import Review

    name = batch or reviewing.week(shared.clock()())
    if run is not None:
        _review_run(shared, run, marks or run.with_suffix(".marks.jsonl"), name, size, asked)
        return
    with shared.open() as workspace:
        if not results:
            since = workspace.now() - timedelta(days=days)
            ids = reviewing.sample(list(workspace.store.reviewable(since)), name, size)
            done = {r.record for r in workspace.store.reviews(name)}
            entries = [
                _record_entry(workspace.store.record(identifier))
                for identifier in ids
                if identifier not in done
            ]

            def keep(entry: _Entry, mark: Mark, comment: str) -> None:
                clean = workspace.anonymiser.clean_many([comment])[0].text if comment else ""
                workspace.store.add_review(
                    Review(name, int(entry.key), mark, workspace.now(), workspace.who, clean)
                )

            _sit(entries, keep, shared)
        found = reviewing.batches(workspace.store.reviews())
    if as_json:
        output.data({"batch": name, "weeks": found})
        return
    output.table(
        [
            (
                one.name,
                one.good,
                one.wrong,
                one.unsupported,
                f"{scored.short(one.share.value)} "
                f"({scored.short(one.share.low)}-{scored.short(one.share.high)})",
            )
            for one in found
        ],
        ("week", "good", "wrong", "unsupported", "share good"),
    )


def _review_run(
    shared: Shared, run: Path, marks: Path, batch: str, size: int, asked: Asked
) -> None:
    from curate import config
    from curate.evaluate import reviewing

    result = scored.ready(shared, asked, tuning_only=True).score(run)
    replies = {o.id: o for o in result.outcomes if o.reply and o.reply.answer}
    done = _marks(marks) if marks.exists() else {}
    entries = []
    for identifier in reviewing.sample(list(replies), batch, size):
        outcome = replies[identifier]
        if identifier in done or outcome.reply is None:
            continue
        shown = [f"Q  {outcome.case.question}", f"A  {outcome.reply.answer}"]
        shown += [
            f"[{n}] {hit.source}  {(hit.text or '')[:300]}"
            for n, hit in enumerate(outcome.reply.hits, 1)
        ]
        entries.append(_Entry(identifier, tuple(shown)))
    who = config.curator(shared.who, config.Settings())

    def keep(entry: _Entry, mark: Mark, comment: str) -> None:
        line = {"id": entry.key, "mark": mark, "comment": comment, "by": who}
        with marks.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")

    number = _sit(entries, keep, shared)
    output.line(f"{marks}: {number} marks added")


def _record_entry(record: Record) -> _Entry:
    shown = [f"{turn.role}: {turn.content}" for turn in record.history]
    shown += [f"Q  {record.question.text}", f"A  {record.answer.text if record.answer else ''}"]
    shown += [f"[{c.rank}] {c.source or c.id}  {c.heading or ''}" for c in record.chunks]
    return _Entry(record.id, tuple(shown))


def _sit(
    entries: Sequence[_Entry], keep: Callable[[_Entry, Mark, str], None], shared: Shared
) -> int:
    """Show one answer after the other and keep the marks; returns how many were given."""
    from curate.evaluate.reviewing import MARKS

    given = 0
    with _keys() as key:
        for number, entry in enumerate(entries, 1):
            output.say(f"\n{number} of {len(entries)}", quiet=shared.quiet)
            for line in entry.lines:
                output.say(line, quiet=shared.quiet)
            pressed, comment = key()
            while pressed == "c" or (pressed not in MARKS and pressed not in ("s", "q")):
                if pressed == "c":
                    comment = click.prompt("comment", err=True)
                pressed, more = key()
                comment = more or comment
            if pressed == "q":
                break
            if pressed in MARKS:
                keep(entry, MARKS[pressed], comment)
                given += 1
    return given


@contextmanager
def _keys() -> Iterator[Callable[[], tuple[str, str]]]:
    """Keys from a terminal, or lines whose first letter is the key and whose rest a comment."""
    if sys.stdin.isatty():

        def pressed() -> tuple[str, str]:
            click.echo("[g]ood [w]rong [u]nsupported [c]omment [s]kip [q]uit ", err=True, nl=False)
            key = click.getchar().lower()
            click.echo(key if key.isprintable() else "", err=True)
            return key, ""

        yield pressed
        return

    def read() -> tuple[str, str]:
        line = sys.stdin.readline()
        if not line:
            return "q", ""
        key, _, comment = line.strip().partition(" ")
        return key[:1].lower() or "s", comment.strip()

    yield read


def _marks(path: Path) -> dict[str, Mark]:
    """Read people's marks of a run; the last of an item counts."""
    from curate.evaluate import runs
    from curate.evaluate.reviewing import MARKS

    found: dict[str, Mark] = {}
    known = {mark: mark for mark in MARKS.values()}
    for number, line in enumerate(runs.objects(path), 1):
        mark = known.get(line.get("mark", ""))
        if mark is None or "id" not in line:
            raise CurateError(
                f"{path}: entry {number} has no id, or a mark that is none of {', '.join(known)}",
                "Mend the line.",
                Exit.USAGE,
            )
        found[str(line["id"])] = mark
    return found

"""What the pages of an evaluation show, as blocks for `curate.report`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from curate import report
from curate.cli import scored

if TYPE_CHECKING:
    from curate.evaluate.comparing import Comparison
    from curate.evaluate.intervals import Interval
    from curate.evaluate.scoring import Scored, Side
    from curate.evaluate.sweeping import Row
    from curate.model.evaluation import Look
    from curate.model.plain import Json


def write(path: Path, page: str) -> None:
    """Write a page where the user wants it."""
    scored.write(path, page.encode())


def sweep(rows: Sequence[Row], name: str) -> str:
    """Return the page of a sweep: both errors and the passes over the minimum score."""
    columns: tuple[tuple[str, list[Interval | None]], ...] = (
        ("passes", [row.passes for row in rows]),
        ("answerable refused", [row.answerable_refused for row in rows]),
        ("unanswerable answered", [row.unanswerable_answered for row in rows]),
    )
    lines = tuple(
        report.Series(
            title,
            tuple(
                report.Point(row.minimum, part.value, part.low, part.high)
                for row, part in zip(rows, parts, strict=True)
                if part is not None
            ),
        )
        for title, parts in columns
    )
    ticks = tuple((row.minimum, f"{row.minimum:g}") for row in rows[:: max(1, len(rows) // 10)])
    table = report.Table(
        ("min score", *(title for title, _ in columns), "how"),
        tuple(
            (
                f"{row.minimum:g}",
                *(_part(parts[place]) for _, parts in columns),
                row.how + (f": {', '.join(row.unsure)}" if row.unsure else ""),
            )
            for place, row in enumerate(rows)
        ),
        numeric=("min score", *(title for title, _ in columns)),
    )
    blocks: list[report.Block] = [
        report.Lines("Shares of items by minimum score", lines, "minimum score", ticks=ticks),
        table,
        report.Text("Scores mean nothing in another set-up: sweep each one anew."),
    ]
    return report.page("Refusal threshold", blocks, under=name)


def _part(part: Interval | None) -> str:
    if part is None:
        return "-"
    return f"{scored.short(part.value)} ({scored.short(part.low)}-{scored.short(part.high)})"


@dataclass(frozen=True, slots=True)
class Release:
    """What a release page is made of: the run, the one before it, a judge's verdict as JSON, and
    the looks at the holdout so far (None outside a workspace, where they are not counted).
    """

    run: Scored
    base: Scored | None
    comparison: Comparison | None
    verdict: Json | None
    looks: tuple[Look, ...] | None
    k: int


def release(made: Release) -> str:
    """Return the page of a release: its figures, its failures, and what changed."""
    run = made.run
    side: Side = "all" if run.score("no-reply", "all") else "tuning"
    blocks: list[report.Block] = [_tiles(made, side), *_notes(made, side)]
    if made.comparison:
        blocks += _changes(made.comparison, made.k)
    blocks += _failures(run)
    blocks += _by_cut_off(run, side)
    blocks += _coverage(run, made.k)
    if made.verdict:
        blocks += _judged(made.verdict)
    if made.looks is not None:
        blocks += _looks(made.looks)
    blocks += _measures(run)
    if run.problems:
        blocks += [
            report.Heading("What was wrong with the run"),
            report.Table(
                ("what", "item", "how"), tuple((p.code, p.item, p.message) for p in run.problems)
            ),
        ]
    version = f"version {run.cases.version}, " if run.cases.version else ""
    under = f"{Path(run.run.name).name}, {version}{len(run.outcomes)} items ({side}), by {run.rule}"
    return report.page("Evaluation of a release", blocks, under=under)


def _tiles(made: Release, side: Side) -> report.Tiles:
    run, base = made.run, made.base

    def tile(name: str, measure: str, unit: str = "") -> report.Tile:
        found = run.score(measure, side)
        if found is None:
            return report.Tile(name, "-", "not measured")
        value = scored.short(found.value)
        note = f"{scored.short(found.low)}-{scored.short(found.high)}, n = {found.n}"
        before = base.score(measure, side) if base else None
        if before:
            note += f"; before {scored.short(before.value)}"
        return report.Tile(name, f"{value}{unit}", note)

    judged = report.Tile("faithfulness", "-", "not judged")
    for row in (made.verdict or {}).get("measures", ()):
        if row["measure"] == "faithfulness":
            spread = f"{scored.short(row['least'])}-{scored.short(row['most'])}"
            note = f"n = {row['n']}; {spread} over the repeats"
            judged = report.Tile("faithfulness", scored.short(row["mean"]["value"]), note)
    return report.Tiles(
        (
            tile(f"hit@{made.k}", f"hit@{made.k}"),
            tile(f"MRR@{made.k}", f"mrr@{made.k}"),
            tile("answers that pass", "pass"),
            tile("assertions that hold", "assertions"),
            judged,
            tile("latency, 95%", "latency-p95", " ms"),
            tile("tokens per request", "tokens"),
            tile("of the index returned", f"returned@{made.k}"),
        )
    )


def _notes(made: Release, side: Side) -> list[report.Block]:
    held = any(case.split == "holdout" for case in made.run.cases.cases)
    if side == "all" and held and made.looks is None:
        return [
            report.Text("Holdout scores are shown; outside a workspace the look is not counted.")
        ]
    if side == "tuning" and held:
        return [report.Text("Holdout scores are not shown.")]
    return []


def _measures(run: Scored) -> list[report.Block]:
    """Every figure there is: retrieval in a row per cut-off, the rest in a row each."""
    found: list[report.Block] = [report.Heading("All measures")]
    for side in dict.fromkeys(score.split for score in run.scores):
        of_side = {s.measure: s for s in run.scores if s.split == side}
        names = tuple(n for n in scored.RETRIEVAL if f"{n}@{run.ks[0]}" in of_side)
        if names:
            n = of_side[f"{names[0]}@{run.ks[0]}"].n
            head = ("k", *(f"{name}@k" for name in names))
            rows = tuple(
                (str(k), *(scored.span(of_side[f"{name}@{k}"]) for name in names)) for k in run.ks
            )
            found.append(report.Table(head, rows, f"{side}, {n} answerable items", head))
        rest = tuple(
            (s.measure, scored.span(s), str(s.n), scored.meaning(s.measure))
            for s in of_side.values()
            if "@" not in s.measure
        )
        head = ("measure", "value", "n", "what it is")
        found.append(report.Table(head, rest, f"{side} items", ("value", "n")))
    return found


def _by_cut_off(run: Scored, side: Side) -> list[report.Block]:
    names = ("hit", "mrr", "returned")
    series = []
    for name in names:
        points = tuple(
            report.Point(k, found.value, found.low, found.high)
            for k in run.ks
            if (found := run.score(f"{name}@{k}", side)) is not None
        )
        if points:
            title = "share of the index returned" if name == "returned" else f"{name}@k"
            series.append(report.Series(title, points))
    if not series:
        return []
    ticks = tuple((float(k), str(k)) for k in run.ks)
    return [
        report.Heading("Retrieval by cut-off"),
        report.Lines("Found, how high, and how much of the index", tuple(series), "k", ticks=ticks),
    ]


def _failures(run: Scored) -> list[report.Block]:
    labels = run.labels()
    unfound = run.unfound()
    said = f"{scored.passes_unfound(len(unfound))}: {', '.join(unfound)}."
    without: list[report.Block] = [report.Text(said)] if unfound else []
    if not labels:
        return [report.Heading("Failures"), report.Text("No item failed.", "good"), *without]
    bars = tuple(report.Bar(name, count, note=str(count)) for name, count in labels.items())
    rows = tuple(
        (o.id, o.case.split, str(o.rank or "-"), o.verdict.label, o.verdict.why)
        for o in run.outcomes
        if o.verdict.label
    )
    return [
        report.Heading("Failures"),
        report.Bars("Items that failed, by what to call it", bars),
        report.Table(("item", "split", "rank", "label", "why"), rows),
        *without,
    ]


def _coverage(run: Scored, k: int) -> list[report.Block]:
    bars = tuple(
        report.Bar(
            f"{score.by}: {score.group}",
            score.value,
            score.low,
            score.high,
            f"{scored.short(score.value)}, n = {score.n}",
        )
        for score in run.groups
        if score.measure == f"hit@{k}"
    )
    sources = Counter(gold.source for o in run.outcomes for gold in o.case.golds)
    rows = tuple((source, str(count)) for source, count in sorted(sources.items()))
    found: list[report.Block] = [report.Heading("Coverage")]
    if bars:
        found.append(report.Bars(f"hit@{k} by kind and language", bars, 1.0))
    found.append(report.Table(("document", "evidences in the set"), rows))
    return found


def _changes(comparison: Comparison, k: int) -> list[report.Block]:
    found: list[report.Block] = [
        report.Heading(f"Against {Path(comparison.base).name}"),
        *(report.Text(f"{d.split}: {d.sentence}") for d in comparison.headline(k)),
    ]
    if not comparison.same_set:
        words = "The runs asked different versions of the set; the difference may be theirs."
        found.insert(1, report.Text(words, "bad"))
    rows = tuple(
        ("better" if moved.better else "worse", moved.item, moved.split, moved.words)
        for moved in comparison.moved
    )
    if rows:
        found.append(report.Table(("moved", "item", "split", "how"), rows))
    return found


def _judged(verdict: Json) -> list[report.Block]:
    rows = tuple(
        (
            row["measure"],
            scored.short(row["mean"]["value"]),
            f"{scored.short(row['least'])}-{scored.short(row['most'])}",
            str(row["n"]),
        )
        for row in verdict["measures"]
    )
    by = f"Judge {verdict['model']}, wording {verdict['wording']}, {verdict['repeats']} repeats."
    return [
        report.Heading("The judged slice"),
        report.Table(
            ("measure", "mean", "range of the repeats", "n"),
            rows,
            numeric=("mean", "range of the repeats", "n"),
        ),
        report.Text(by + " Figures of another judge or wording do not compare."),
    ]


def _looks(looks: Sequence[Look]) -> list[report.Block]:
    rows = tuple(
        (
            f"{look.at:%Y-%m-%d %H:%M}",
            look.by,
            look.why,
            "; ".join(
                f"{side} {name} {scored.short(value)}"
                for side, seen in look.scores.items()
                for name, value in seen.items()
            ),
        )
        for look in looks
    )
    count = f"The holdout was looked at {len(looks)} times."
    blocks: list[report.Block] = [report.Heading("Looks at the holdout"), report.Text(count)]
    return [*blocks, report.Table(("when", "who", "why", "seen"), rows)] if rows else blocks

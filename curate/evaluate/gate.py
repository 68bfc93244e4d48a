"""Floors under today's numbers: the build fails when a number really drops, and names it."""

from __future__ import annotations

import math
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from curate.evaluate import answers, metrics
from curate.evaluate.comparing import Comparison
from curate.evaluate.files import content
from curate.evaluate.scoring import SHARES, Outcome, Scored, Side, foreign
from curate.model.errors import CurateError, Exit, did_you_mean
from curate.text import display

FALLING = ("answerable-refused", "unanswerable-answered", "no-reply")
"""Shares that should be low."""
COSTS = ("latency-p50", "latency-p95", "tokens")
RANKED = ("hit", "mrr", "recall", "precision", "ndcg")
_SIDES: tuple[Side, ...] = ("tuning", "holdout", "all")
_MARGIN = 0.02
_JITTER = 100  # milliseconds by which the same machine may differ from itself
_STEP = 0.05


@dataclass(frozen=True, slots=True)
class Floors:
    """What a run must reach: least values and greatest values by measure, on one split."""

    split: Side
    floors: Mapping[str, float]
    ceilings: Mapping[str, float]

    def ks(self) -> set[int]:
        """Return the cut-offs that the measures name."""
        return {int(name.partition("@")[2]) for name in self.floors if "@" in name}


@dataclass(frozen=True, slots=True)
class Check:
    """One floor or ceiling and what the run has there; `value` is None where it has nothing.

    `items` are those that count against the measure, `before` the base run's value.
    """

    measure: str
    split: Side
    bound: float
    ceiling: bool
    value: float | None
    n: int
    items: tuple[str, ...]
    before: float | None = None

    @property
    def held(self) -> bool:
        """Whether the bound holds; what was not measured does not."""
        if self.value is None:
            return False
        if self.ceiling:
            return self.value <= self.bound + 1e-9
        return self.value >= self.bound - 1e-9

    @property
    def words(self) -> str:
        """Say how the value stands to its bound."""
        bound = f"{'ceiling' if self.ceiling else 'floor'} {self.bound:g}"
        if self.value is None:
            return f"{self.measure} was not measured ({bound})"
        if self.held:
            return f"{self.measure} is {_shown(self.value)} ({bound})"
        verb = "rose" if self.ceiling else "fell"
        return f"{self.measure} {verb} to {_shown(self.value)} ({bound}, n = {self.n})"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Every check of a gate, and whether the run asked the set it is held to."""

    checks: tuple[Check, ...]
    other_version: bool
    comparison: Comparison | None = None

    @property
    def passed(self) -> bool:
        """Whether the build may go on."""
        return not self.other_version and all(check.held for check in self.checks)


def read(path: Path) -> Floors:
    """Read a `floors.toml`. Raises `CurateError` naming the file and the key at fault."""
    if not path.exists():
        raise CurateError(
            f"{path} does not exist", "Make it from today's run with --init.", Exit.USAGE
        )
    try:
        raw = tomllib.loads(content(path, "Name a floors.toml with --floors.").decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise CurateError(f"{path} is not valid TOML", "Mend it, or --init anew.") from None
    unknown = raw.keys() - {"split", "floors", "ceilings"}
    if unknown:
        raise _refused(path, f"unknown key `{min(unknown)}`", "Known: split, floors, ceilings.")
    split = raw.get("split", "tuning")
    if split not in _SIDES:
        raise _refused(path, "`split` is not tuning, holdout or all", "")
    floors = _bounds(path, raw, "floors")
    ceilings = _bounds(path, raw, "ceilings")
    if not floors and not ceilings:
        raise _refused(path, "it names no measure", 'For example [floors] "hit@4" = 0.85.')
    return Floors(split, floors, ceilings)


def _bounds(path: Path, raw: Mapping[str, object], table: str) -> dict[str, float]:
    given = raw.get(table, {})
    if not isinstance(given, dict):
        raise _refused(path, f"`{table}` is no table", "")
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _refused(path, f'`"{name}"` is no number', "")
        stem, at, k = name.partition("@")
        known = stem in RANKED and k.isdigit() and int(k) > 0 if at else name in _plain()
        if not known:
            measures = [*_plain(), *(f"{ranked}@4" for ranked in RANKED)]
            hint = did_you_mean(name, measures, "Measures are named as `eval score`.")
            raise _refused(path, f"no measure is called `{name}`", hint)
    return {name: float(value) for name, value in given.items()}


def _plain() -> tuple[str, ...]:
    return (*SHARES, *COSTS)


def _refused(path: Path, why: str, hint: str) -> CurateError:
    return CurateError(f"{path}: {why}", hint or "Mend the value.", Exit.USAGE)


def propose(scored: Scored, split: Side, k: int) -> Floors:
    """Return floors a little under a run's numbers: less `_MARGIN`, or less what one item makes
    where that is more, down to a whole `_STEP`.

    So one item that flips breaks no build, however small the set. Costs may grow by a fifth, and
    latency by `_JITTER` where that is more. Only what the run measured gets a bound.
    """
    floors, ceilings = {}, {}
    for name in (f"hit@{k}", f"mrr@{k}", "pass", "pass-unanswerable", "assertions"):
        score = scored.score(name, split)
        if score is not None:
            steps = math.floor((score.value - _slack(score.n)) / _STEP + 1e-9)
            floors[name] = max(0.0, round(steps * _STEP, 2))
    for name in FALLING:
        score = scored.score(name, split)
        if score is not None:
            steps = math.ceil((score.value + _slack(score.n)) / _STEP - 1e-9)
            ceilings[name] = min(1.0, round(steps * _STEP, 2))
    for name, least in (("latency-p95", _JITTER), ("tokens", 0)):
        score = scored.score(name, split)
        if score is not None:
            ceilings[name] = float(math.ceil(score.value + max(score.value / 5, least)))
    return Floors(split, floors, ceilings)


def _slack(n: int) -> float:
    return max(_MARGIN, 1 / n) if n else _MARGIN


def toml(floors: Floors, scored: Scored) -> str:
    """Return floors as the text of a `floors.toml`, with the numbers of the run beside them."""

    def today(name: str, bound: float) -> str:
        score = scored.score(name, floors.split)
        idle = bound == (1 if name in FALLING else 0)
        note = "; it holds whatever comes" if idle else ""
        return f"  # now {_shown(score.value)}, n = {score.n}{note}" if score else ""

    lines = [
        f"# A little under the numbers of {Path(scored.run.name).name}: one item may flip. Raise",
        "# them when the assistant gets better. A build fails when a number falls through.",
        f'split = "{floors.split}"',
        "",
    ]
    for table, bounds in (("floors", floors.floors), ("ceilings", floors.ceilings)):
        if bounds:
            lines += [
                f"[{table}]",
                *(f'"{name}" = {bound:g}{today(name, bound)}' for name, bound in bounds.items()),
                "",
            ]
    return "\n".join(lines)


def check(
    scored: Scored,
    floors: Floors,
    *,
    base: Scored | None = None,
    comparison: Comparison | None = None,
) -> Verdict:
    """Hold a run to floors and ceilings; `base` is another run to show beside it."""
    checks = [
        _check(scored, base, name, bound, floors.split, ceiling=ceiling)
        for ceiling, bounds in ((False, floors.floors), (True, floors.ceilings))
        for name, bound in bounds.items()
    ]
    return Verdict(tuple(checks), foreign(scored.cases, scored.run), comparison)


def _check(
    scored: Scored, base: Scored | None, name: str, bound: float, split: Side, *, ceiling: bool
) -> Check:
    score = scored.score(name, split)
    before = base.score(name, split) if base else None
    outcomes = [o for o in scored.outcomes if split in ("all", o.case.split)]
    return Check(
        name,
        split,
        bound,
        ceiling,
        score.value if score else None,
        score.n if score else 0,
        tuple(o.id for o in outcomes if _against(o, name)),
        before.value if before else None,
    )


def _against(outcome: Outcome, measure: str) -> bool:
    """Whether an item counts against a measure."""
    stem, at, k = measure.partition("@")
    verdict = outcome.verdict
    if at:
        found = outcome.retrieved
        if found is None:
            return False
        if stem == "mrr":
            return metrics.reciprocal_rank(found.right, int(k)) < 1
        if stem in ("recall", "ndcg"):
            return metrics.recall(found.found, int(k)) < 1
        return not metrics.hit(found.right, int(k))
    match measure:
        case "pass":
            return verdict.passed is False
        case "pass-answerable":
            return outcome.case.answerable and verdict.passed is False
        case "pass-unanswerable":
            return not outcome.case.answerable and verdict.passed is False
        case "answerable-refused":
            return outcome.case.answerable and verdict.refused is True
        case "unanswerable-answered":
            return verdict.diagnosis == answers.ANSWERED
        case "assertions":
            return bool(verdict.misses)
        case "no-reply":
            return verdict.label == "no reply"
    return False


def junit(verdict: Verdict) -> bytes:
    """Return the verdict as JUnit XML: one test case per bound."""
    failed = sum(not check.held for check in verdict.checks) + verdict.other_version
    suite = ET.Element(
        "testsuite",
        name="curate eval gate",
        tests=str(len(verdict.checks) + verdict.other_version),
        failures=str(failed),
    )
    if verdict.other_version:
        case = ET.SubElement(suite, "testcase", classname="curate.eval", name="version of the set")
        ET.SubElement(case, "failure", message="the run asked another version of the set")
    for check_ in verdict.checks:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=f"curate.eval.{check_.split}",
            name=check_.measure,
        )
        if not check_.held:
            failure = ET.SubElement(case, "failure", message=check_.words)
            failure.text = display("\n".join(check_.items))  # XML has no control characters
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def markdown(verdict: Verdict) -> str:
    """Return the verdict as Markdown for a pull request: the bounds, and which items moved."""
    state = "holds" if verdict.passed else "falls"
    lines = [f"### Evaluation {state}", ""]
    if verdict.other_version:
        lines += ["**The run asked another version of the set.**", ""]
    lines += ["| measure | bound | base | now | n | |", "| --- | --- | --- | --- | --- | --- |"]
    for check_ in verdict.checks:
        bound = f"{'≤' if check_.ceiling else '≥'} {check_.bound:g}"
        cells = (
            check_.measure,
            bound,
            "" if check_.before is None else _shown(check_.before),
            "not measured" if check_.value is None else _shown(check_.value),
            str(check_.n),
            "" if check_.held else "**fell**" if not check_.ceiling else "**rose**",
        )
        lines.append("| " + " | ".join(cells) + " |")
    for check_ in verdict.checks:
        if not check_.held and check_.items:
            lines += ["", f"Against {check_.measure}: {_listed(check_.items)}"]
    if verdict.comparison and verdict.comparison.moved:
        lines += ["", "Against the base run:", ""]
        lines += [
            f"- {'better' if moved.better else 'worse'}: `{moved.item}`, {_plain_text(moved.words)}"
            for moved in verdict.comparison.moved
        ]
    elif verdict.comparison:
        lines += ["", "No item moved against the base run."]
    return "\n".join(lines) + "\n"


def _listed(items: Iterable[str]) -> str:
    return ", ".join(f"`{item}`" for item in items)


def _plain_text(words: str) -> str:
    """Words without anything that Markdown or a renderer of it would obey."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#!&@" else c for c in words.replace("\n", " "))


def _shown(value: float) -> str:
    return f"{value:.2f}" if value <= 1 else f"{value:,.0f}"

"""A run scored against a set: every measure with its interval and its n, every item by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from curate.evaluate import answers, intervals, metrics, retrieval
from curate.evaluate.answers import Verdict
from curate.evaluate.cases import Case, CaseSet
from curate.evaluate.intervals import Interval
from curate.evaluate.retrieval import Retrieved, Rule, Texts
from curate.evaluate.runs import Problem, Reply, Run
from curate.model.errors import CurateError, Exit

KS = (1, 2, 4, 8)
Side = Literal["tuning", "holdout", "all"]
SIDES: tuple[Side, ...] = ("tuning", "holdout", "all")
GROUPINGS = ("kind", "lang")

SHARES = {
    "pass": "answers that pass",
    "pass-answerable": "answerable items that pass",
    "pass-unanswerable": "unanswerable items refused",
    "answerable-refused": "answerable items refused",
    "unanswerable-answered": "unanswerable items answered",
    "assertions": "items whose assertions hold",
    "no-reply": "items without a reply",
}
"""Measures that are shares of items, besides hit@k, and what they are shares of."""

_GRADED: dict[str, Callable[[Retrieved, int], float]] = {
    "hit": lambda r, k: metrics.hit(r.right, k),
    "mrr": lambda r, k: metrics.reciprocal_rank(r.right, k),
    "recall": lambda r, k: metrics.recall(r.found, k),
    "precision": lambda r, k: metrics.precision(r.right, k),
    "ndcg": lambda r, k: metrics.ndcg(r.gains, r.ideal, k),
}


@dataclass(frozen=True, slots=True)
class Score:
    """A measure over some items: its value, the 95% interval around it, and how many they are.

    Shares and ratios are from 0 to 1, `latency-*` in milliseconds, `tokens` per request. `by` and
    `group` are empty for a whole split, else for example `kind` and `paraphrase`.
    """

    measure: str
    split: Side
    value: float
    low: float
    high: float
    n: int
    by: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one item fared. `rank` is that of the first right chunk; `retrieved` is None where the
    item has no gold to look for.
    """

    case: Case = field(repr=False)
    reply: Reply | None = field(repr=False)
    retrieved: Retrieved | None
    verdict: Verdict

    @property
    def id(self) -> str:
        """The item's id."""
        return self.case.id

    @property
    def rank(self) -> int | None:
        """The rank of the first right chunk, or None."""
        return self.retrieved.rank if self.retrieved else None


@dataclass(frozen=True, slots=True)
class Scored:
    """A scored run: what was scored, by which rule, item by item and in sum."""

    run: Run = field(repr=False)
    cases: CaseSet = field(repr=False)
    rule: Rule
    ks: tuple[int, ...]
    outcomes: tuple[Outcome, ...] = field(repr=False)
    scores: tuple[Score, ...]
    groups: tuple[Score, ...]
    problems: tuple[Problem, ...]

    def score(self, measure: str, split: Side = "all") -> Score | None:
        """Return one measure of one split, or None where nothing of it was measured."""
        found = (s for s in self.scores if s.measure == measure and s.split == split)
        return next(found, None)

    def unfound(self) -> tuple[str, ...]:
        """Return the items that pass although the evidence was not retrieved."""
        return tuple(o.id for o in self.outcomes if o.verdict.diagnosis == answers.UNFOUND)

    def labels(self) -> dict[str, int]:
        """Return how many items failed under each label, the most frequent first."""
        counted = Counter(o.verdict.label for o in self.outcomes if o.verdict.label)
        return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


@dataclass(frozen=True, slots=True)
class Options:
    """How to score: cut-offs, rule (None: by evidence where the set and the run allow it), refusal
    phrases, chunk texts by id and the number of chunks for runs that lack them, and the seed of
    the bootstrap.
    """

    ks: tuple[int, ...] = KS
    rule: Rule | None = None
    refusals: tuple[str, ...] = ()
    texts: Texts = field(default_factory=dict, repr=False)
    index: int | None = None
    seed: int = 0


def score(cases: CaseSet, run: Run, options: Options, sides: Sequence[Side] = SIDES) -> Scored:
    """Score `run` against the items of `sides`; items of other splits are left out entirely.

    An item without a reply counts as a miss. Raises `CurateError` when the set and the run give
    nothing to go by: chunks without text and no gold ids.
    """
    wanted = cases.cases
    if "all" not in sides:
        wanted = tuple(case for case in wanted if case.split in sides)
    rule = options.rule or _rule(wanted, run, options.texts)
    answered = run.answered
    outcomes = tuple(
        _outcome(case, run.replies.get(case.id), rule, options, answered=answered)
        for case in wanted
    )
    index = options.index or run.chunks or len(options.texts) or None
    scores: list[Score] = []
    groups: list[Score] = []
    for side in sides:
        of_side = [o for o in outcomes if side in ("all", o.case.split)]
        scores += _scores(of_side, side, options, index, answered=answered)
    breadth: Side = "all" if "all" in sides else sides[0]
    for by in GROUPINGS:
        names = sorted({str(getattr(o.case, by)) for o in outcomes} - {""})
        for name in names if len(names) > 1 else ():
            members = [o for o in outcomes if getattr(o.case, by) == name]
            rows = _scores(members, breadth, options, index, answered=answered)
            groups += [replace(row, by=by, group=name) for row in rows]
    problems = (*_problems(cases, run, outcomes, rule, options.ks), *run.problems)
    return Scored(run, cases, rule, options.ks, outcomes, tuple(scores), tuple(groups), problems)


def _rule(cases: Iterable[Case], run: Run, texts: Texts) -> Rule:
    answerable = [case for case in cases if case.answerable]
    by_evidence = any(case.golds for case in answerable)
    by_chunks = any(case.chunks for case in answerable)
    hits = [hit for reply in run.replies.values() for hit in reply.hits]
    readable = not hits or any(retrieval.text_of(hit, texts) is not None for hit in hits)
    if by_evidence and (readable or not by_chunks):
        if not readable:
            raise CurateError(
                f"{run.name}: no retrieved chunk has a text, so no evidence can be found in it",
                "Log the text of each chunk, give the chunk set with --chunks, or gold chunk ids "
                "with --labels.",
                Exit.USAGE,
            )
        return "evidence"
    return "chunks"


def _outcome(
    case: Case, reply: Reply | None, rule: Rule, options: Options, *, answered: bool
) -> Outcome:
    scorable = retrieval.scorable(case, rule)
    found = retrieval.look(case, reply, rule, options.texts) if scorable else None
    verdict = answers.judge(case, reply, found, options.refusals, options.texts, answered=answered)
    return Outcome(case, reply, found, verdict)


def _scores(
    outcomes: Sequence[Outcome],
    side: Side,
    options: Options,
    index: int | None,
    *,
    answered: bool,
) -> list[Score]:
    rows = _retrieval(outcomes, side, options, index)
    counts: list[tuple[str, list[bool]]] = []
    if answered:
        judged = [o for o in outcomes if o.verdict.passed is not None]
        yes = [o for o in judged if o.case.answerable]
        no = [o for o in judged if not o.case.answerable]
        asserted = [o for o in yes if o.case.must_include or o.case.must_not_include]
        counts = [
            ("pass", [bool(o.verdict.passed) for o in judged]),
            ("pass-answerable", [bool(o.verdict.passed) for o in yes]),
            ("pass-unanswerable", [bool(o.verdict.passed) for o in no]),
            ("answerable-refused", [o.verdict.refused is True for o in yes]),
            ("unanswerable-answered", [o.verdict.diagnosis == answers.ANSWERED for o in no]),
            ("assertions", [_asserted(o) for o in asserted]),
        ]
    counts.append(("no-reply", [o.verdict.label == "no reply" for o in outcomes]))
    rows += [
        _row(name, side, intervals.wilson(sum(flags), len(flags)), len(flags))
        for name, flags in counts
        if flags
    ]
    return rows + _costs(outcomes, side, options)


def _asserted(outcome: Outcome) -> bool:
    return outcome.verdict.label != "no reply" and not outcome.verdict.misses


def _row(measure: str, side: Side, interval: Interval, n: int) -> Score:
    return Score(measure, side, interval.value, interval.low, interval.high, n)


def _retrieval(
    outcomes: Sequence[Outcome], side: Side, options: Options, index: int | None
) -> list[Score]:
    looked = [(o.retrieved, o.case.cluster) for o in outcomes if o.retrieved is not None]
    if not looked:
        return []
    n = len(looked)
    clusters = [cluster for _, cluster in looked]
    values = [_values(found, options.ks) for found, _ in looked]
    names = [f"{name}@{k}" for k in options.ks for name in _GRADED]
    rows = [
        _row(name, side, span, n)
        for name, span in zip(names, _means(values, clusters, options), strict=True)
    ]
    for place, name in enumerate(names):
        if name.startswith("hit@"):
            hits = sum(row[place] for row in values)
            rows[place] = _row(name, side, intervals.wilson(hits, n), n)
    if index:
        shares = [[min(len(found.right), k) / index for k in options.ks] for found, _ in looked]
        known = _means(shares, clusters, options, sampled=False)
        rows += [
            _row(f"returned@{k}", side, span, n) for k, span in zip(options.ks, known, strict=True)
        ]
    return rows


@lru_cache(maxsize=65536)
def _values(found: Retrieved, ks: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(measure(found, k) for k in ks for measure in _GRADED.values())


def _means(
    rows: Sequence[Sequence[float]],
    clusters: Sequence[str],
    options: Options,
    *,
    sampled: bool = True,
) -> list[Interval]:
    return intervals.means(rows, clusters, seed=options.seed, sampled=sampled)


def _costs(outcomes: Sequence[Outcome], side: Side, options: Options) -> list[Score]:
    rows = []
    latencies = [o.reply.latency_ms for o in outcomes if o.reply and o.reply.latency_ms is not None]
    if latencies:
        for name, share in (("latency-p50", 0.5), ("latency-p95", 0.95)):
            rows.append(_row(name, side, intervals.percentile(latencies, share), len(latencies)))
    spent = [
        (o.reply.tokens, o.case.cluster) for o in outcomes if o.reply and o.reply.tokens is not None
    ]
    if spent:
        tokens, clusters = zip(*spent, strict=True)
        rows.append(
            _row(
                "tokens",
                side,
                _means([(count,) for count in tokens], clusters, options)[0],
                len(tokens),
            )
        )
    return rows


def _problems(
    cases: CaseSet, run: Run, outcomes: Sequence[Outcome], rule: Rule, ks: Sequence[int]
) -> list[Problem]:
    problems = []
    if foreign(cases, run):
        words = f"the run asked {_name(run.asked)}, this is {_name(cases.digest)}"
        problems.append(Problem("other version", "", words))
    depth = max(len(reply.hits) for reply in run.replies.values())
    if 0 < depth < ks[-1]:
        words = f"no reply has more than {depth} chunks; what is measured @{ks[-1]} is @{depth}"
        problems.append(Problem("shallow", "", words))
    if rule == "evidence" and _elsewhere(outcomes):
        words = "no chunk comes from a document the set names; is `source` relative to its root?"
        problems.append(Problem("other sources", "", words))
    known = {case.id for case in cases.cases}
    for name in run.replies.keys() - known:
        problems.append(Problem("unknown item", name, "the set does not have it; not counted"))
    for outcome in outcomes:
        if outcome.reply is None:
            words = "the run has no reply to it; it counts as a miss"
            problems.append(Problem("missing", outcome.id, words))
        elif outcome.reply.error:
            words = f"no reply: {outcome.reply.error}; it counts as a miss"
            problems.append(Problem("no reply", outcome.id, words))
        if outcome.retrieved is None and outcome.case.answerable:
            gold = "evidence" if rule == "evidence" else "gold chunk ids"
            words = f"it has no {gold}, so its retrieval is not scored"
            problems.append(Problem("no gold", outcome.id, words))
        if outcome.retrieved and outcome.retrieved.unread:
            words = f"{outcome.retrieved.unread} of its chunks lack a text or a source"
            problems.append(Problem("unreadable", outcome.id, f"{words}; they count as wrong"))
    return sorted(problems, key=lambda problem: (problem.code, problem.item))


def _elsewhere(outcomes: Sequence[Outcome]) -> bool:
    gold = {gold.source for outcome in outcomes for gold in outcome.case.golds}
    found = {hit.source for o in outcomes if o.reply for hit in o.reply.hits}
    return bool(found) and gold.isdisjoint(found)


def foreign(cases: CaseSet, run: Run) -> bool:
    """Say whether the run's head names another version of the set than `cases`."""
    match run.asked:
        case str(digest):
            return digest not in cases.known
        case int(number):
            return cases.version is not None and number != cases.version
    return False


def _name(version: str | int | None) -> str:
    return version[:19] if isinstance(version, str) else f"version {version}"


def parse_ks(given: str) -> tuple[int, ...]:
    """Return cut-offs such as `1,2,4,8`, ascending. Raises `CurateError` for anything else."""
    try:
        ks = sorted({int(part) for part in given.split(",")})
    except ValueError:
        ks = []
    if not ks or ks[0] < 1:
        raise CurateError(
            "--k takes ranks from 1, such as 1,2,4,8", "Give at least one.", Exit.USAGE
        )
    return tuple(ks)


def as_texts(rows: Iterable[Mapping[str, object]]) -> dict[str, str]:
    """Return chunk texts by id from the lines of a chunk set."""
    return {str(row["id"]): str(row["text"]) for row in rows if "id" in row and "text" in row}

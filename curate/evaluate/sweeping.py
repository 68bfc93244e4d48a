"""The refusal threshold, swept: what a higher minimum score would refuse, rightly and wrongly.

From a recorded run this is exact for an assistant that refuses when its best chunk scores below
the minimum, and heeds the minimum in no other way, as long as nothing that was refused would have
to be answered. Where that is not so the row says it; only asking again tells then. Scores mean
nothing outside the set-up that gave them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from curate.evaluate import answers, intervals, scoring
from curate.evaluate.answers import was_refused
from curate.evaluate.cases import CaseSet
from curate.evaluate.intervals import Interval
from curate.evaluate.runs import Reply, Run
from curate.evaluate.scoring import Options, Scored, Side
from curate.model.errors import CurateError, Exit


@dataclass(frozen=True, slots=True)
class Row:
    """What one minimum score comes to.

    `how` is `recorded`, `asked` (again, live) or `not exact`; then `unsure` has the items whose
    reply under this minimum nobody recorded, and they count as they were. Either error is None
    where no item of its kind was judged.
    """

    minimum: float
    passes: Interval
    n: int
    answerable_refused: Interval | None
    unanswerable_answered: Interval | None
    how: str
    unsure: tuple[str, ...] = ()


def offline(
    cases: CaseSet,
    run: Run,
    options: Options,
    minimums: Sequence[float],
    side: Side,
    *,
    recorded: float | None = None,
) -> list[Row]:
    """Return a row per minimum, from the scores that `run` recorded.

    `recorded` is the minimum score the run was made with, where known. Raises `CurateError` for a
    run without answers or without any score.
    """
    if not run.answered:
        raise CurateError(
            f"{run.name} has no answers to refuse", "Sweep a run with answers.", Exit.USAGE
        )
    if not any(hit.score is not None for reply in run.replies.values() for hit in reply.hits):
        raise CurateError(
            f"{run.name} has no scores",
            "Log the score of each retrieved chunk, or sweep live: --param NAME and a target.",
            Exit.USAGE,
        )
    rows = []
    for minimum in minimums:
        unsure: list[str] = []
        replies = {
            name: _under(reply, minimum, options.refusals, recorded, unsure)
            for name, reply in run.replies.items()
        }
        counted = {case.id for case in cases.cases if side in ("all", case.split)}
        scored = scoring.score(cases, replace(run, replies=replies), options, (side,))
        doubtful = tuple(sorted(counted.intersection(unsure)))
        rows.append(row(scored, minimum, "not exact" if doubtful else "recorded", doubtful))
    return rows


def row(scored: Scored, minimum: float, how: str, unsure: tuple[str, ...] = ()) -> Row:
    """Return what a scored run comes to as one row of a sweep."""
    judged = [o for o in scored.outcomes if o.verdict.passed is not None]
    yes = [o.verdict.refused is True for o in judged if o.case.answerable]
    no = [o.verdict.diagnosis == answers.ANSWERED for o in judged if not o.case.answerable]
    if not judged:
        raise CurateError(f"{scored.run.name} has no answer to judge", "", Exit.USAGE)
    return Row(
        minimum,
        intervals.wilson(sum(o.verdict.passed is True for o in judged), len(judged)),
        len(judged),
        intervals.wilson(sum(yes), len(yes)) if yes else None,
        intervals.wilson(sum(no), len(no)) if no else None,
        how,
        unsure,
    )


def _under(
    reply: Reply,
    minimum: float,
    refusals: Sequence[str],
    recorded: float | None,
    unsure: list[str],
) -> Reply:
    """The reply under another minimum, or as it is where nobody can know."""
    if reply.error:
        return reply
    scores = [hit.score for hit in reply.hits if hit.score is not None]
    refused = was_refused(reply, refusals)
    if reply.hits and not scores:
        unsure.append(reply.id)
        return reply
    if not scores or max(scores) < minimum:
        return reply if refused else replace(reply, refused=True)
    if refused and not (recorded is not None and recorded <= minimum):
        unsure.append(reply.id)
    return reply


def parse(given: str) -> tuple[float, ...]:
    """Return minimum scores such as `0,0.2,0.3`, ascending, or `0:1:0.1` as start, end, step.

    Raises `CurateError` for anything else.
    """
    try:
        if ":" in given:
            start, end, step = (float(part) for part in given.split(":"))
            count = int((end - start) / step + 1e-9) + 1
            values = [round(start + i * step, 10) for i in range(count)]
        else:
            values = sorted({float(part) for part in given.split(",")})
        if not 1 <= len(values) <= 1000 or values != sorted(values):
            raise ValueError
    except (ValueError, ZeroDivisionError, OverflowError):
        raise CurateError(
            "--min-score takes scores such as 0,0.2,0.3 or a range such as 0:1:0.1",
            "Give from one to a thousand.",
            Exit.USAGE,
        ) from None
    return tuple(values)

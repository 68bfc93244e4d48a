"""What a look at the holdout shows, and when it should give pause."""

from __future__ import annotations

from curate.evaluate.scoring import Scored, Side
from curate.model.evaluation import Look

Seen = dict[str, dict[str, float]]
_SIDES: tuple[Side, ...] = ("tuning", "holdout")


def seen(scored: Scored) -> Seen:
    """Return the chief measures of both splits, as a look at them is recorded."""
    k = 4 if 4 in scored.ks else scored.ks[-1]
    found: Seen = {}
    for side in _SIDES:
        scores = [scored.score(name, side) for name in (f"hit@{k}", f"mrr@{k}", "pass")]
        found[side] = {s.measure: round(s.value, 6) for s in scores if s is not None}
    return found


def overfitted(before: Look, now: Seen) -> tuple[str, ...]:
    """Return the measures that rose on tuning items since `before` and did not on the holdout."""

    def change(side: str, measure: str) -> float | None:
        then, later = before.scores.get(side, {}).get(measure), now.get(side, {}).get(measure)
        return None if then is None or later is None else later - then

    found = []
    for measure in now.get("tuning", {}):
        tuning, holdout = change("tuning", measure), change("holdout", measure)
        if tuning is not None and holdout is not None and tuning > 1e-9 and holdout <= 1e-9:
            found.append(measure)
    return tuple(found)

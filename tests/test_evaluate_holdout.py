"""What gives pause: tuning rises and the holdout does not."""

from datetime import UTC, datetime

from curate.evaluate import holdout
from curate.model.evaluation import Look

BEFORE = Look(
    1,
    datetime(2026, 11, 1, tzinfo=UTC),
    "anna",
    "release",
    "sha256:1",
    1,
    {"tuning": {"hit@4": 0.5, "pass": 0.5}, "holdout": {"hit@4": 0.5, "pass": 0.5}},
)


def test_only_a_rise_on_tuning_alone_is_suspicious() -> None:
    now = {"tuning": {"hit@4": 0.7, "pass": 0.7}, "holdout": {"hit@4": 0.5, "pass": 0.6}}

    assert holdout.overfitted(BEFORE, now) == ("hit@4",)
    assert holdout.overfitted(BEFORE, BEFORE.scores) == ()


def test_measures_that_were_not_seen_before_are_left_out() -> None:
    assert holdout.overfitted(BEFORE, {"tuning": {"mrr@4": 0.9}, "holdout": {"mrr@4": 0.1}}) == ()

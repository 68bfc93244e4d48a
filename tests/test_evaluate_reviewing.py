"""People's samples, their figures, and whether a judge agrees with them."""

from datetime import UTC, datetime

import pytest

from curate.evaluate import reviewing
from curate.model.evaluation import Mark, Review

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def test_a_week_has_a_name_and_its_sample_is_always_the_same() -> None:
    ids = list(range(100))
    first = reviewing.sample(ids, reviewing.week(NOW))

    assert reviewing.week(NOW) == "2026-W48"
    assert len(first) == len(set(first)) == 20
    assert reviewing.sample(ids[::-1], "2026-W48") == first
    assert reviewing.sample(ids, "2026-W49") != first
    assert sorted(reviewing.sample([3, 1], "2026-W48")) == [1, 3]


def test_the_weeks_have_figures_with_intervals() -> None:
    marks: list[Mark] = ["good", "good", "wrong", "unsupported"]
    reviews = [Review("2026-W48", n, mark, NOW, "anna") for n, mark in enumerate(marks)]
    (week,) = reviewing.batches(reviews)

    assert (week.good, week.wrong, week.unsupported, week.share.value) == (2, 1, 1, 0.5)
    assert week.share.low < 0.5 < week.share.high
    assert reviewing.batches([]) == []


def test_kappa_is_cohens() -> None:
    # 20 both good, 15 both bad, 5 + 10 apart: observed .70, expected .50
    people: dict[str, Mark] = {}
    judge: dict[str, bool] = {}
    for n in range(50):
        people[f"i{n}"] = "good" if n < 25 else "wrong"
        judge[f"i{n}"] = n < 20 or 25 <= n < 35
    found = reviewing.agreement(people, judge)

    assert found is not None
    assert (found.n, found.agreed.value, found.base) == (50, 0.7, 0.5)
    assert found.kappa == pytest.approx(0.4)
    assert len(found.passed_by_judge) == 10
    assert found.failed_by_judge == ("i20", "i21", "i22", "i23", "i24")
    assert len(found.disagreements) == 15


def test_kappa_is_undefined_where_nobody_varies_and_nothing_shared_is_no_agreement() -> None:
    found = reviewing.agreement({"a": "good"}, {"a": True})

    assert found is not None
    assert found.kappa is None
    assert reviewing.agreement({"a": "good"}, {"b": True}) is None

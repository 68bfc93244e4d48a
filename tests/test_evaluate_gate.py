"""Floors: what falls is named, with its items, for people and for machines."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from curate.evaluate import cases, comparing, gate, runs, scoring
from curate.model.errors import CurateError

RANKS = [1, None, 1, 3, 3, 2, 4, 1, 1]


def scored(
    tmp_path: Path, ranks: list[int | None], head: Any = None, latency: float | None = None
) -> scoring.Scored:
    questions, lines = [], [head] if head else []
    for n, rank in enumerate(ranks):
        questions.append(
            {
                "id": f"q{n}",
                "question": "?",
                "answerable": True,
                "source": "a.md",
                "heading": "",
                "evidence": "gold",
                "keyword": "x",
            }
        )
        chunks = [
            {"id": f"c{place}", "source": "a.md", "text": "gold" if place == rank else ""}
            for place in range(1, 9)
        ]
        lines.append({"id": f"q{n}", "retrieved": chunks, "latency_ms": latency})
    (tmp_path / "q.json").write_text(json.dumps(questions), encoding="utf-8")
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return scoring.score(
        cases.read(tmp_path / "q.json"), runs.read(tmp_path / "r.jsonl"), scoring.Options()
    )


def floors(tmp_path: Path, text: str) -> gate.Floors:
    path = tmp_path / "floors.toml"
    path.write_text(text, encoding="utf-8")
    return gate.read(path)


def test_floors_are_proposed_a_little_under_todays_numbers(tmp_path: Path) -> None:
    proposed = gate.propose(scored(tmp_path, RANKS), "tuning", 4)

    assert proposed.floors == {"hit@4": 0.75, "mrr@4": 0.45}
    written = gate.toml(proposed, scored(tmp_path, RANKS))
    assert '"hit@4" = 0.75  # now 0.89, n = 9' in written
    assert floors(tmp_path, written) == proposed
    assert gate.check(scored(tmp_path, RANKS), proposed).passed
    assert gate.propose(scored(tmp_path, RANKS * 20), "tuning", 4).floors["hit@4"] == 0.85


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 10, 20, 40, 60])
def test_one_item_that_flips_breaks_no_proposed_floor_and_half_of_them_do(
    tmp_path: Path, n: int
) -> None:
    proposed = gate.propose(scored(tmp_path, [1] * n), "tuning", 4)
    assert gate.check(scored(tmp_path, [None, *[1] * (n - 1)]), proposed).passed
    if n > 2:
        half: list[int | None] = [None] * (n // 2 + 1)
        assert not gate.check(scored(tmp_path, [*half, *[1] * (n - len(half))]), proposed).passed


@pytest.mark.parametrize(("latency", "ceiling"), [(3, 103), (2000, 2400)])
def test_a_latency_may_grow_by_a_fifth_and_by_what_a_machine_differs_from_itself(
    tmp_path: Path, latency: float, ceiling: float
) -> None:
    proposed = gate.propose(scored(tmp_path, RANKS, latency=latency), "tuning", 4)

    assert proposed.ceilings["latency-p95"] == ceiling


def test_a_proposed_bound_that_can_never_be_crossed_says_so(tmp_path: Path) -> None:
    lonely = scored(tmp_path, [1])

    written = gate.toml(gate.propose(lonely, "tuning", 4), lonely)

    assert '"hit@4" = 0  # now 1.00, n = 1; it holds whatever comes' in written
    assert "whatever" not in gate.toml(gate.propose(scored(tmp_path, RANKS), "tuning", 4), lonely)


def test_a_real_drop_falls_by_name_with_its_items(tmp_path: Path) -> None:
    held = floors(tmp_path, '[floors]\n"hit@4" = 0.85\n"mrr@4" = 0.55\n')
    ranks: list[int | None] = [1, None, 1, 3, None, 2, 4, 1, 1]
    found = gate.check(scored(tmp_path, ranks), held)

    hit, mrr = found.checks
    assert not found.passed
    assert hit.words == "hit@4 fell to 0.78 (floor 0.85, n = 9)"
    assert hit.items == ("q1", "q4")
    assert mrr.held


def test_a_measure_the_run_does_not_have_falls(tmp_path: Path) -> None:
    held = floors(tmp_path, '[floors]\n"pass" = 0.5\n')
    (check,) = gate.check(scored(tmp_path, RANKS), held).checks

    assert not check.held
    assert check.words == "pass was not measured (floor 0.5)"


def test_ceilings_hold_what_should_be_low(tmp_path: Path) -> None:
    held = floors(tmp_path, '[ceilings]\n"no-reply" = 0.0\n')

    assert gate.check(scored(tmp_path, RANKS), held).passed


def test_a_run_of_another_version_does_not_pass(tmp_path: Path) -> None:
    held = floors(tmp_path, '[floors]\n"hit@4" = 0.1\n')
    found = gate.check(scored(tmp_path, RANKS, {"questions": "sha256:other"}), held)

    assert not found.passed
    assert b"another version" in gate.junit(found)
    assert "another version" in gate.markdown(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[floors", "not valid TOML"),
        ("", "names no measure"),
        ("[floor]\n", "unknown key `floor`"),
        ('split = "some"\n', "is not tuning"),
        ('[floors]\n"hit@4" = "high"\n', "is no number"),
        ('[floors]\n"hits@4" = 0.5\n', "no measure is called `hits@4`"),
        ('[floors]\n"hit@0" = 0.5\n', "no measure is called `hit@0`"),
        ("[floors]\npas = 0.5\n", "no measure is called `pas`"),
    ],
)
def test_floors_that_make_no_sense_are_refused_by_name(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(CurateError) as caught:
        floors(tmp_path, text)

    assert said in caught.value.message


def test_a_missing_file_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(CurateError) as caught:
        gate.read(tmp_path / "none.toml")

    assert "--init" in caught.value.hint


def test_junit_has_a_case_per_bound_and_a_failure_per_fall(tmp_path: Path) -> None:
    held = floors(tmp_path, '[floors]\n"hit@4" = 0.95\n"mrr@4" = 0.1\n')
    suite = ET.fromstring(gate.junit(gate.check(scored(tmp_path, RANKS), held)))[0]  # noqa: S314 - ours

    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    failure = suite.find("testcase[@name='hit@4']/failure")
    assert failure is not None
    assert failure.text == "q1"


def test_markdown_shows_the_base_and_what_moved(tmp_path: Path) -> None:
    held = floors(tmp_path, '[floors]\n"hit@4" = 0.95\n')
    base = scored(tmp_path, [1] * 9)
    now = scored(tmp_path, RANKS)
    shown = gate.markdown(gate.check(now, held, base=base, comparison=comparing.compare(base, now)))

    assert "| hit@4 | ≥ 0.95 | 1.00 | 0.89 | 9 | **fell** |" in shown
    assert "Against hit@4: `q1`" in shown
    assert "- worse: `q3`, rank 1 -\\> 3" in shown

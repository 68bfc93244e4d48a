"""Runs side by side: who moved, by which test, in which words."""

import json
from collections.abc import Sequence
from pathlib import Path

from curate.evaluate import cases, comparing, runs, scoring

QUESTIONS = [
    {
        "id": f"q{n}",
        "question": "?",
        "answerable": True,
        "source": "a.md",
        "heading": "",
        "evidence": "gold",
        "keyword": "x",
    }
    for n in range(9)
]


def scored(
    tmp_path: Path, name: str, ranks: Sequence[int | None], head: object = None
) -> scoring.Scored:
    lines = [head] if head else []
    for n, rank in enumerate(ranks):
        chunks = [
            {"id": f"c{place}", "source": "a.md", "text": "gold" if place == rank else ""}
            for place in range(1, 9)
        ]
        answer = "x [1]" if rank == 1 else "y"
        lines.append({"id": f"q{n}", "retrieved": chunks, "answer": answer})
    (tmp_path / "questions.json").write_text(json.dumps(QUESTIONS), encoding="utf-8")
    (tmp_path / name).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return scoring.score(
        cases.read(tmp_path / "questions.json"), runs.read(tmp_path / name), scoring.Options()
    )


def difference(found: comparing.Comparison, measure: str) -> comparing.Difference:
    return next(d for d in found.differences if d.measure == measure and d.split == "all")


def test_one_flip_among_nine_is_said_to_be_possibly_noise(tmp_path: Path) -> None:
    before = scored(tmp_path, "a", [1, None, 1, 3, 3, 2, 4, 1, 1])
    after = scored(tmp_path, "b", [1, 4, 1, 3, 3, 2, 4, 1, 1])
    found = comparing.compare(before, after)

    hit = difference(found, "hit@4")
    assert (hit.gained, hit.lost, hit.n, hit.p) == (1, 0, 9, 1.0)
    assert hit.sentence == (
        "hit@4 0.89 -> 1.00: 1 of 9 items better, 0 worse. "
        "This could be noise (exact McNemar test, p = 1.00)."
    )
    assert [(m.item, m.before, m.after, m.better) for m in found.moved] == [("q1", None, 4, True)]


def test_many_flips_one_way_are_hardly_noise(tmp_path: Path) -> None:
    before = scored(tmp_path, "a", [None] * 8 + [1])
    after = scored(tmp_path, "b", [1] * 9)
    found = comparing.compare(before, after)

    assert difference(found, "hit@4").p == 2 / 2**8
    assert "hardly noise" in difference(found, "hit@4").sentence
    assert difference(found, "mrr@4").p == 2 / 2**8
    assert "passes now" in found.moved[0].words


def test_like_runs_say_that_nothing_moved(tmp_path: Path) -> None:
    ranks = [1, 2, 3, None, 1, 1, 1, 1, 1]
    found = comparing.compare(scored(tmp_path, "a", ranks), scored(tmp_path, "b", ranks))

    assert found.moved == ()
    assert difference(found, "pass").sentence.endswith("no item moved.")


def test_a_fall_is_worse_and_says_why(tmp_path: Path) -> None:
    found = comparing.compare(scored(tmp_path, "a", [1] * 9), scored(tmp_path, "b", [2] + [1] * 8))

    (moved,) = found.moved
    assert not moved.better
    assert moved.words == "rank 1 -> 2; fails now: lacks the keyword `x`; cites nothing"


def test_runs_of_different_versions_are_known(tmp_path: Path) -> None:
    one = scored(tmp_path, "a", [1] * 9, {"questions": "sha256:1"})
    two = scored(tmp_path, "b", [1] * 9, {"questions": "sha256:2"})

    assert not comparing.compare(one, two).same_set
    assert comparing.compare(one, one).same_set


def test_the_headline_is_hit_mrr_and_the_passes(tmp_path: Path) -> None:
    run = scored(tmp_path, "a", [1] * 9)

    names = {d.measure for d in comparing.compare(run, run).headline(4)}
    assert names == {"hit@4", "mrr@4", "pass"}

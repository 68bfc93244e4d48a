"""Does rewriting follow-ups help: ranks with and without it, and the words it came to."""

import json
from pathlib import Path

from curate.evaluate import cases, rewriting, runs, scoring

HISTORY = [{"role": "user", "content": "Can I hire the bike?"}]


def question(name: str, **more: object) -> dict[str, object]:
    return {
        "id": name,
        "question": "and if it breaks?",
        "answerable": True,
        "source": "a.md",
        "heading": "",
        "evidence": "gold",
        "keyword": "x",
        **more,
    }


def scored(tmp_path: Path, ranks: dict[str, int | None], rewritten: str = "") -> scoring.Scored:
    questions = [
        question("alone"),
        question("a", history=HISTORY, standalone="What if the hired bike breaks?"),
        question("b", history=HISTORY),
        question("c", history=HISTORY),
    ]
    lines = [
        {
            "id": name,
            "rewritten": rewritten,
            "retrieved": [
                {"id": f"c{n}", "source": "a.md", "text": "gold" if n == rank else ""}
                for n in range(1, 5)
            ],
        }
        for name, rank in ranks.items()
    ]
    (tmp_path / "q.json").write_text(json.dumps(questions), encoding="utf-8")
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return scoring.score(
        cases.read(tmp_path / "q.json"), runs.read(tmp_path / "r.jsonl"), scoring.Options()
    )


def test_only_follow_ups_duel_and_the_win_rate_is_among_those_that_moved(tmp_path: Path) -> None:
    with_ = scored(tmp_path, {"alone": 1, "a": 1, "b": 2, "c": 3}, "what if the hired bike breaks")
    without = scored(tmp_path, {"alone": 4, "a": None, "b": 1, "c": 3})
    found = rewriting.evaluate(with_, without)

    assert [(duel.item, duel.better) for duel in found.duels] == [("a", 1), ("b", -1), ("c", 0)]
    assert (found.wins, found.losses, found.p) == (1, 1, 1.0)
    assert found.rate is not None
    assert found.rate.value == 0.5
    assert found.likeness is not None
    assert found.likeness.value == 1.0


def test_nothing_rewritten_and_nothing_moved_are_said_as_such(tmp_path: Path) -> None:
    run = scored(tmp_path, {"a": 1, "b": 1, "c": None})
    found = rewriting.evaluate(run, run)

    assert (found.rate, found.likeness, found.p) == (None, None, 1.0)

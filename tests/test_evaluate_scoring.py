"""A run scored: the known figures in full, per split and group, with nothing averaged away."""

import json
from pathlib import Path
from typing import Any

import pytest

from curate.evaluate import cases, runs, scoring
from curate.model.errors import CurateError

IDS = (
    *("fee", "scholarship", "refund", "workshop", "loan-days"),
    *("laptop-count", "late-laptop", "showcase", "room"),
)
RANKS = [1, None, 1, 3, 3, 2, 4, 1, 1]


def item(name: str, **more: Any) -> Any:
    return {
        "id": name,
        "question": f"{name}?",
        "answerable": True,
        "source": "a.md",
        "heading": "A",
        "evidence": f"the  gold of {name}",
        "keyword": "gold",
        **more,
    }


def line(name: str, rank: int | None, depth: int = 8, **more: Any) -> Any:
    chunks = [
        {
            "id": f"c{place}",
            "source": "a.md",
            "text": f"it is the gold\nof {name}." if place == rank else "something else",
        }
        for place in range(1, depth + 1)
    ]
    return {"id": name, "retrieved": chunks, **more}


def scored(
    tmp_path: Path, items: Any, lines: Any, sides: Any = scoring.SIDES, **options: Any
) -> scoring.Scored:
    (tmp_path / "questions.json").write_text(json.dumps(items), encoding="utf-8")
    (tmp_path / "run.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return scoring.score(
        cases.read(tmp_path / "questions.json"),
        runs.read(tmp_path / "run.jsonl"),
        scoring.Options(**options),
        sides,
    )


def value(found: scoring.Scored, measure: str, side: Any = "all") -> scoring.Score:
    score = found.score(measure, side)
    assert score is not None, measure
    return score


def nine() -> tuple[Any, Any]:
    return [item(name) for name in IDS], [
        line(name, rank) for name, rank in zip(IDS, RANKS, strict=True)
    ]


def test_the_known_table_comes_out_to_the_digit(tmp_path: Path) -> None:
    items, lines = nine()
    found = scored(tmp_path, items, lines, index=33)

    shown = [
        f"{value(found, f'{name}@{k}').value:.2f}" for k in (1, 2, 4) for name in ("hit", "mrr")
    ]
    assert shown == ["0.44", "0.44", "0.56", "0.50", "0.89", "0.60"]
    hit = value(found, "hit@4")
    assert (f"{hit.low:.2f}", f"{hit.high:.2f}", hit.n) == ("0.57", "0.98", 9)
    assert f"{value(found, 'returned@8').value:.2f}" == "0.24"
    assert found.labels() == {"retrieval miss": 1}


def test_unanswerable_items_do_not_count_in_retrieval(tmp_path: Path) -> None:
    items, lines = nine()
    rust = {"id": "rust", "question": "?", "answerable": False}
    found = scored(tmp_path, [*items, rust], [*lines, line("rust", None)])

    assert value(found, "hit@4").n == 9


def test_an_item_the_run_misses_is_a_miss_and_named(tmp_path: Path) -> None:
    found = scored(tmp_path, [item("a"), item("b")], [line("a", 1), line("zz", 1)])

    assert (value(found, "hit@1").value, value(found, "hit@1").n) == (0.5, 2)
    assert [(p.code, p.item) for p in found.problems] == [("missing", "b"), ("unknown item", "zz")]


def test_splits_are_apart_and_all_is_both(tmp_path: Path) -> None:
    items = [item("a"), item("b"), item("c", holdout=True)]
    found = scored(tmp_path, items, [line("a", 1), line("b", None), line("c", 1)])

    assert [value(found, "hit@1", side).n for side in scoring.SIDES] == [2, 1, 3]
    assert value(found, "hit@1", "tuning").value == 0.5
    assert value(found, "hit@1", "holdout").value == 1


def test_what_may_not_be_seen_is_not_there(tmp_path: Path) -> None:
    items = [item("a"), item("c", holdout=True, kind="x"), item("d", kind="y")]
    found = scored(tmp_path, items, [line("a", 1), line("c", 1)], sides=("tuning",))

    assert {score.split for score in (*found.scores, *found.groups)} == {"tuning"}
    assert [outcome.id for outcome in found.outcomes] == ["a", "d"]
    assert "c" not in {problem.item for problem in found.problems}


def test_kinds_and_languages_have_rows_of_their_own(tmp_path: Path) -> None:
    items = [item("a", kind="identifier", lang="en"), item("b", kind="follow-up", lang="en")]
    found = scored(tmp_path, items, [line("a", 1), line("b", None)])

    hits = {s.group: s.value for s in found.groups if s.measure == "hit@1" and s.by == "kind"}
    assert hits == {"identifier": 1, "follow-up": 0}
    assert not [s for s in found.groups if s.by == "lang"]  # one language is no division


def test_answers_refusals_and_costs_are_counted_apart(tmp_path: Path) -> None:
    items = [
        item("good", mustInclude=["gold"]),
        item("refused"),
        item("silent", mustInclude=["gold"]),
        {"id": "no", "question": "?", "answerable": False},
        {"id": "oh", "question": "?", "answerable": False},
    ]
    lines = [
        line("good", 1, answer="gold [1]", refused=False, latency_ms=10, usage={"total_tokens": 5}),
        line("refused", 1, answer="", refused=True, latency_ms=20, usage={"total_tokens": 7}),
        {"id": "silent", "error": "timeout"},
        line("no", None, answer="", refused=True),
        line("oh", None, answer="gold", refused=False),
    ]
    found = scored(tmp_path, items, lines)

    wanted = {
        "pass": (0.4, 5),
        "pass-answerable": (0.33, 3),
        "pass-unanswerable": (0.5, 2),
        "answerable-refused": (0.33, 3),
        "unanswerable-answered": (0.5, 2),
        "assertions": (0.5, 2),
        "no-reply": (0.2, 5),
        "latency-p95": (20, 2),
        "tokens": (6, 2),
        "hit@1": (0.67, 3),
    }
    rows = {name: value(found, name) for name in wanted}
    assert {name: (round(row.value, 2), row.n) for name, row in rows.items()} == wanted


def test_a_run_of_another_version_is_said_to_be_one(tmp_path: Path) -> None:
    head = {"questions": "sha256:other"}
    found = scored(tmp_path, [item("a")], [head, line("a", 1)])

    assert "other version" in [problem.code for problem in found.problems]
    same = {"questions": found.cases.digest, "version": "sha256:ignored"}
    again = scored(tmp_path, [item("a")], [same, line("a", 1)])
    assert not again.problems


def test_chunks_without_text_are_named_and_a_run_without_any_is_refused(tmp_path: Path) -> None:
    bare = {"id": "b", "retrieved": [{"id": "c1", "source": "a.md"}]}
    found = scored(tmp_path, [item("a"), item("b")], [line("a", 1), bare])

    assert ("unreadable", "b") in [(p.code, p.item) for p in found.problems]
    with pytest.raises(CurateError, match="no retrieved chunk has a text"):
        scored(tmp_path, [item("b")], [bare])


def test_sources_under_another_root_are_said_to_be_so(tmp_path: Path) -> None:
    strange = line("a", 1)
    for chunk in strange["retrieved"]:
        chunk["source"] = "./docs/a.md"
    found = scored(tmp_path, [item("a")], [strange])

    assert value(found, "hit@8").value == 0
    assert "other sources" in [problem.code for problem in found.problems]


def test_a_run_without_texts_is_scored_by_gold_ids_or_the_chunk_set(tmp_path: Path) -> None:
    bare = {
        "id": "b",
        "retrieved": [{"id": "c0", "source": "a.md"}, {"id": "c1", "source": "a.md"}],
    }
    by_id = scored(tmp_path, [item("b", relevantChunkIds=["c1"])], [bare])
    by_text = scored(tmp_path, [item("b")], [bare], texts={"c1": "the gold of b"})

    assert (by_id.rule, by_id.outcomes[0].rank) == ("chunks", 2)
    assert (by_text.rule, by_text.outcomes[0].rank) == ("evidence", 2)


def test_items_without_gold_for_the_rule_are_left_out_by_name(tmp_path: Path) -> None:
    items = [item("a", relevantChunkIds=["c1"]), item("b")]
    found = scored(tmp_path, items, [line("a", 1), line("b", 1)], rule="chunks")

    assert value(found, "hit@1").n == 1
    assert ("no gold", "b") in [(p.code, p.item) for p in found.problems]


def test_a_cut_off_deeper_than_the_run_is_named(tmp_path: Path) -> None:
    found = scored(tmp_path, [item("a")], [line("a", 1, depth=4)])

    assert "shallow" in [problem.code for problem in found.problems]


def test_near_duplicates_share_a_cluster_in_the_intervals(tmp_path: Path) -> None:
    lines = [line("a", 1), line("b", 2), line("c", 4), line("d", 4)]
    apart = scored(tmp_path, [item(n) for n in "abcd"], lines)
    joined = scored(
        tmp_path, [item("a"), item("b"), item("c", cluster="x"), item("d", cluster="x")], lines
    )

    assert value(apart, "mrr@4").value == pytest.approx(value(joined, "mrr@4").value)
    assert value(apart, "mrr@4").high < value(joined, "mrr@4").high


def test_cut_offs_are_read_and_nonsense_is_refused() -> None:
    assert scoring.parse_ks("8,1,4,4") == (1, 4, 8)
    for nonsense in ("", "0", "a", "1,,2"):
        with pytest.raises(CurateError):
            scoring.parse_ks(nonsense)

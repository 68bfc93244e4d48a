"""The refusal threshold from recorded scores: exact where it can be, and said where it cannot."""

import json
from pathlib import Path
from typing import Any

import pytest

from curate.evaluate import cases, runs, scoring, sweeping
from curate.model.errors import CurateError

FEE = {
    "id": "fee",
    "question": "?",
    "answerable": True,
    "source": "a.md",
    "heading": "",
    "evidence": "gold",
    "keyword": "gold",
}
RUST = {"id": "rust", "question": "?", "answerable": False}


def reply(name: str, score: Any, *, refused: bool = False) -> Any:
    chunk = {"id": "c", "source": "a.md", "text": "gold"}
    if score is not None:
        chunk["score"] = score
    return {"id": name, "retrieved": [chunk], "answer": "gold [1]", "refused": refused}


def sweep(
    tmp_path: Path, lines: Any, *minimums: float, recorded: float | None = None
) -> list[sweeping.Row]:
    (tmp_path / "q.json").write_text(json.dumps([FEE, RUST]), encoding="utf-8")
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return sweeping.offline(
        cases.read(tmp_path / "q.json"),
        runs.read(tmp_path / "r.jsonl"),
        scoring.Options(),
        minimums,
        "all",
        recorded=recorded,
    )


def errors(row: sweeping.Row) -> tuple[float, float, float]:
    assert row.answerable_refused is not None
    assert row.unanswerable_answered is not None
    return row.passes.value, row.answerable_refused.value, row.unanswerable_answered.value


def test_both_errors_are_told_apart_beside_the_passes(tmp_path: Path) -> None:
    rows = sweep(tmp_path, [reply("fee", 0.6), reply("rust", 0.3)], 0, 0.3, 0.5, 0.7)

    assert [errors(row) for row in rows] == [
        (0.5, 0, 1),
        (0.5, 0, 1),
        (1.0, 0, 0),
        (0.5, 1, 0),
    ]
    assert {row.how for row in rows} == {"recorded"}
    assert rows[0].answerable_refused is not None
    assert rows[0].answerable_refused.high > 0.5


def test_a_refusal_above_the_minimum_makes_the_row_unsure(tmp_path: Path) -> None:
    lines = [reply("fee", 0.4, refused=True), reply("rust", 0.6, refused=True)]
    low, high = sweep(tmp_path, lines, 0.3, 0.5)

    assert (low.how, low.unsure) == ("not exact", ("fee", "rust"))
    assert (high.how, high.unsure) == ("not exact", ("rust",))


def test_a_refusal_by_the_model_itself_is_known_when_the_recorded_minimum_is(
    tmp_path: Path,
) -> None:
    lines = [reply("fee", 0.4, refused=True), reply("rust", 0.2)]
    below, above = sweep(tmp_path, lines, 0.1, 0.3, recorded=0.2)

    assert (below.how, above.how) == ("not exact", "recorded")


def test_a_reply_without_a_usable_score_is_unsure(tmp_path: Path) -> None:
    (row,) = sweep(tmp_path, [reply("fee", 0.6), reply("rust", None)], 0.5)

    assert row.unsure == ("rust",)


def test_what_cannot_be_swept_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CurateError, match="has no scores"):
        sweep(tmp_path, [reply("fee", None)], 0.5)
    with pytest.raises(CurateError, match="has no answers"):
        sweep(tmp_path, [{"id": "fee", "retrieved": []}], 0.5)


def test_minimums_are_a_list_or_a_range() -> None:
    assert sweeping.parse("0.3,0,0.2") == (0, 0.2, 0.3)
    assert sweeping.parse("0:0.3:0.1") == (0, 0.1, 0.2, 0.3)
    for nonsense in ("", "a", "0:1:0", "1:0:0.1", "0:1", "0:1:0.0001", "nan:1:0.1"):
        with pytest.raises(CurateError):
            sweeping.parse(nonsense)

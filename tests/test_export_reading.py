"""Sets from elsewhere are read back, or refused by line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from curate.export import targets
from curate.export.bundle import Bundle
from curate.export.reading import Row, read
from curate.model.documents import Evidence
from curate.model.errors import CurateError
from curate.model.items import Item
from curate.model.records import Turn

ITEM = Item(
    "how-long-1",
    3,
    "=when is it due?",
    answerable=True,
    evidences=(
        Evidence("laptops.md", "How long", "up to 7 days", 0, 12, "", "verbatim"),
        Evidence("faq.md", "", "one device\nat a time", 0, 12, "", "verbatim"),
    ),
    evidence_mode="all",
    keyword="7",
    must_include=("7 days", "-1"),
    must_not_include=("14",),
    reference="For a week.",
    history=(Turn("user", "hello"), Turn("assistant", "សួស្តី")),
    split="holdout",
    kind="paraphrase",
    lang="en",
    tags=("short", "+x"),
    status="ready",
)
OTHER = Item("no-sale-1", 1, "can i buy one", answerable=False, status="ready")
BUNDLE = Bundle((ITEM, OTHER), "desk", 1, gold={"how-long-1": ["c1", "c2"]})


def file(tmp_path: Path, name: str, data: bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def told(row: Row) -> Item:
    """The row as an item, as far as rows go."""

    def texts(parts: object) -> tuple[str, ...]:
        return tuple(part.reveal() for part in parts or ())  # type: ignore[attr-defined]

    return Item(
        row.id,
        0,
        row.question.reveal(),
        answerable=row.answerable,
        evidences=tuple(
            Evidence(
                q.source.reveal(),
                q.heading.reveal() if q.heading else "",
                q.phrase.reveal(),
                0,
                12,
                "",
                "verbatim",
            )
            for q in row.quotes
        ),
        evidence_mode=row.mode or "any",
        keyword=row.keyword.reveal() if row.keyword else "",
        must_include=texts(row.must_include),
        must_not_include=texts(row.must_not_include),
        reference=row.reference.reveal() if row.reference else "",
        history=tuple(Turn(t.role, t.content.reveal()) for t in row.history or ()),
        split=row.split or "tuning",
        kind=row.kind.reveal() if row.kind else "",
        lang=row.lang.reveal() if row.lang else "",
        tags=texts(row.tags),
        status="ready",
    )


@pytest.mark.parametrize(
    ("target", "name"), [("questions", "questions.json"), ("spreadsheet", "spreadsheet.csv")]
)
def test_our_own_files_come_back_whole(tmp_path: Path, target: str, name: str) -> None:
    made = targets.write(target, BUNDLE).files
    first, second = read(file(tmp_path, name, made[name]))
    assert told(first) == replace(ITEM, revision=0)
    assert told(second) == replace(OTHER, revision=0)
    assert first.chunks == ("c1", "c2")


def test_golden_lines_give_question_reference_and_source(tmp_path: Path) -> None:
    made = targets.write("golden", BUNDLE).files["golden.jsonl"]
    [row] = read(file(tmp_path, "golden.jsonl", made))
    assert (row.id, row.answerable, row.quotes, row.split) == ("", True, (), None)
    assert row.reference is not None
    assert row.reference.reveal() == "For a week."
    assert row.source is not None
    assert row.source.reveal() == "laptops.md"


def test_labelled_queries_give_ids_and_chunks(tmp_path: Path) -> None:
    made = targets.write("labelled", BUNDLE).files["labelled.json"]
    [row] = read(file(tmp_path, "labelled.json", made))
    assert (row.id, row.chunks, row.answerable) == ("how-long-1", ("c1", "c2"), True)
    assert row.split is None


def test_a_set_of_the_harness_needs_only_its_own_keys(tmp_path: Path) -> None:
    rows = [
        {
            "id": "a",
            "question": "q?",
            "answerable": True,
            "source": "a.md",
            "heading": "H",
            "evidence": "x y",
            "keyword": "x",
            "holdout": True,
        },
        {"id": "b", "question": "q2?", "answerable": False},
    ]
    first, second = read(file(tmp_path, "q.json", json.dumps(rows).encode()))
    assert (first.split, second.split) == ("holdout", "tuning")
    assert (first.tags, first.history, first.must_include) == (None, None, None)


def test_a_csv_may_have_semicolons_other_names_and_other_columns(tmp_path: Path) -> None:
    data = "ID;Query;Expected_Answer;source_file;owner\n7;why?;because;a.md;x\n\n".encode(
        "utf-8-sig"
    )
    [row] = read(file(tmp_path, "set.csv", data))
    assert (row.id, row.question.reveal()) == ("7", "why?")
    assert row.reference is not None
    assert row.reference.reveal() == "because"


@pytest.mark.parametrize(
    ("name", "data", "place"),
    [
        ("a.json", b'[{"id": "SECRET"}]', "record 1: has no question"),
        ("a.json", b'[{"id": "SECRET", "question": " "}]', "record 1: has no question"),
        ("a.json", b'["SECRET"]', "record 1: is no object"),
        ("a.json", b'[{"question": "SECRET"', "no valid JSON"),
        ("a.jsonl", b'{"question": "q"}\n{"SECRET', "line 2: is no valid JSON"),
        (
            "a.jsonl",
            b'{"id": "SECRET", "question": "q"}\n{"id": "SECRET", "question": "p"}',
            "line 2: has the id of line 1",
        ),
        ("a.json", b'[{"question": "q", "answerable": "SECRET"}]', "neither true nor false"),
        ("a.json", b'[{"question": "q", "evidence": "SECRET"}]', "lacks its source"),
        ("a.json", b'[{"question": "q", "tags": "SECRET"}]', "no list of texts"),
        ("a.json", b'[{"question": "q", "history": ["SECRET"]}]', "no list of role"),
        ("a.json", b'[{"question": "q", "split": "SECRET"}]', "is not what it may be"),
        ("a.json", b"[]", "holds no items"),
        ("a.csv", b"id,text\n1,SECRET\n", "line 1: names no column"),
        ("a.csv", b"id,question\n1,SECRET,2\n", "line 2: has 3 cells, not 2"),
        ("a.csv", b'id,question\n1,"SECRET\n', "no valid CSV"),
        ("a.csv", b"question,answerable\nSECRET,maybe\n", "neither yes nor no"),
        ("a.jsonl", b'{"question": "\xff"}', "not UTF-8"),
    ],
)
def test_a_bad_row_is_named_by_its_place_and_never_quoted(
    tmp_path: Path, name: str, data: bytes, place: str
) -> None:
    with pytest.raises(CurateError, match=place) as caught:
        read(file(tmp_path, name, data))
    assert "SECRET" not in caught.value.message


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.json"):
        with pytest.raises(CurateError, match="is no file"):
            read(path)


def test_a_row_shows_no_text_in_its_repr(tmp_path: Path) -> None:
    made = targets.write("questions", BUNDLE).files["questions.json"]
    assert "week" not in repr(read(file(tmp_path, "q.json", made)))


@pytest.mark.parametrize("key", ["id", "relevantChunkIds"])
def test_an_id_that_is_half_a_character_is_refused_with_its_line(tmp_path: Path, key: str) -> None:
    path = tmp_path / "set.jsonl"
    value = '"a\\ud83d"' if key == "id" else '["a\\ud83d"]'
    path.write_text(f'{{"question": "one"}}\n{{"question": "two", "{key}": {value}}}\n')
    with pytest.raises(CurateError, match=f"line 2: `{key}` holds half a character"):
        read(path)

"""questions.json: keys, order, bytes, and the harness's own reading of it."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curate.export.questions import (
    HOLDOUT,
    QUESTIONS,
    TUNING,
    encode,
    encode_lines,
    files,
    record,
    records,
)
from curate.model.documents import Evidence
from curate.model.errors import CurateError, Exit
from curate.model.items import Item
from curate.model.records import Turn

EVIDENCE = Evidence("laptops.md", "How long", "up to 7 days", 10, 22, "sha256:0", "verbatim")
ITEM = Item(
    "how-long",
    3,
    "when is my computer due back",
    answerable=True,
    evidences=(EVIDENCE,),
    keyword="7 days",
    status="ready",
    note="never leaves",
    original="never leaves either",
)
UNANSWERABLE = Item("no-sale", 1, "can i buy one", answerable=False, status="ready")
NASTY = "a\u2028b\u0085c\u202ed\x1be\u200bf\x00g\U000e0041 \u1780\u17d2 😀 \"' \\ </a> {{x}}\ud800"


def test_an_answerable_item_has_the_harness_keys_first_and_in_order() -> None:
    assert list(record(ITEM).items())[:7] == [
        ("id", "how-long"),
        ("question", "when is my computer due back"),
        ("answerable", True),
        ("source", "laptops.md"),
        ("heading", "How long"),
        ("evidence", "up to 7 days"),
        ("keyword", "7 days"),
    ]
    assert list(record(replace(ITEM, split="holdout")))[7] == "holdout"


def test_an_unanswerable_item_has_only_what_it_is() -> None:
    assert record(UNANSWERABLE) == {
        "id": "no-sale",
        "question": "can i buy one",
        "answerable": False,
    }
    held = record(replace(UNANSWERABLE, split="holdout"))
    assert held["holdout"] is True


def test_a_tuning_item_says_nothing_of_holdout() -> None:
    assert "holdout" not in record(ITEM)


def test_all_evidences_are_listed_and_the_first_fills_the_flat_keys() -> None:
    second = replace(EVIDENCE, source="faq.md", heading="", phrase="\u00a0one week\n")
    made = record(replace(ITEM, evidences=(EVIDENCE, second), evidence_mode="all"))
    assert made["evidences"] == [
        {"source": "laptops.md", "heading": "How long", "evidence": "up to 7 days"},
        {"source": "faq.md", "heading": "", "evidence": "one week"},
    ]
    assert made["evidenceMode"] == "all"
    assert made["source"] == "laptops.md"


def test_further_keys_are_there_only_with_something_to_say() -> None:
    assert set(record(ITEM)) == {
        *("id", "question", "answerable", "source", "heading", "evidence", "keyword"),
        *("evidences", "evidenceMode"),
    }
    rich = replace(
        ITEM,
        must_include=("7",),
        must_not_include=("14",),
        history=(Turn("user", "hi"),),
        kind="paraphrase",
        lang="en",
        tags=("loans",),
        reference="Seven days.",
    )
    made = record(rich, ["laptops.md#1"])
    assert made["mustInclude"] == ["7"]
    assert made["mustNotInclude"] == ["14"]
    assert made["history"] == [{"role": "user", "content": "hi"}]
    assert (made["kind"], made["lang"], made["tags"]) == ("paraphrase", "en", ["loans"])
    assert made["reference"] == "Seven days."
    assert made["relevantChunkIds"] == ["laptops.md#1"]


def test_notes_originals_and_curators_never_leave() -> None:
    assert b"never leaves" not in encode(record(replace(ITEM, changed_by="never leaves")))


@pytest.mark.parametrize(
    "broken",
    [
        replace(ITEM, answerable=None),
        replace(ITEM, question="\ufeff "),
        replace(ITEM, evidences=()),
        replace(ITEM, evidences=(replace(EVIDENCE, phrase=" \n"),)),
        replace(ITEM, evidences=(EVIDENCE, replace(EVIDENCE, phrase=""))),
        replace(ITEM, evidences=(replace(EVIDENCE, source=""),)),
        replace(ITEM, keyword=" "),
    ],
)
def test_an_item_that_breaks_the_contract_is_refused_by_id(broken: Item) -> None:
    with pytest.raises(CurateError, match="how-long") as caught:
        record(broken)
    assert caught.value.code == Exit.FOUND


def test_only_ready_items_are_exported_sorted_by_id() -> None:
    others = [
        replace(ITEM, id=status, status=status) for status in ("draft", "retired", "withdrawn")
    ]
    made = records([UNANSWERABLE, *others, ITEM])
    assert [one["id"] for one in made] == ["how-long", "no-sale"]


def test_two_items_with_one_id_are_refused() -> None:
    with pytest.raises(CurateError, match="how-long"):
        records([ITEM, replace(ITEM, question="another")])


def test_gold_chunk_ids_are_given_by_item() -> None:
    made = records([ITEM, UNANSWERABLE], {"how-long": ["c1", "c2"]})
    assert made[0]["relevantChunkIds"] == ["c1", "c2"]
    assert "relevantChunkIds" not in made[1]


def test_the_tuning_file_holds_no_holdout_text() -> None:
    held = replace(ITEM, id="held", question="a secret question", split="holdout")
    made = files(records([ITEM, held, UNANSWERABLE]))
    assert b"secret" not in made[TUNING]
    assert [one["id"] for one in json.loads(made[TUNING])] == ["how-long", "no-sale"]
    assert [one["id"] for one in json.loads(made[HOLDOUT])] == ["held"]
    assert [one["id"] for one in json.loads(made[QUESTIONS])] == ["held", "how-long", "no-sale"]


def test_an_empty_set_is_an_empty_array() -> None:
    assert set(files([]).values()) == {b"[]\n"}


def test_hostile_text_comes_back_as_it_was_and_obeys_nobody_on_the_way() -> None:
    data = encode([NASTY])
    assert json.loads(data) == [NASTY]
    text = data.decode("utf-8")
    assert all(line.isprintable() for line in text.split("\n"))
    assert len(text.splitlines()) == 3
    assert "\u1780\u17d2 😀" in text


@given(st.text())
def test_any_text_survives_both_ways_of_writing(text: str) -> None:
    assert json.loads(encode(text)) == text
    lines = encode_lines([{"a": text}, {"b": text}])
    assert [json.loads(line) for line in lines.decode("ascii").splitlines()] == [
        {"a": text},
        {"b": text},
    ]


def test_the_harness_in_node_finds_every_evidence(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: the harness cannot be asked")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# A\n\nup\u00a0to\n  7\ufeffdays,\x1cok ៧ ថ្ងៃ", encoding="utf-8")
    (docs / "b.md").write_text("# B\n\none week", encoding="utf-8")

    def item(name: str, *phrases: tuple[str, str], mode: str = "any") -> Item:
        evidences = tuple(
            replace(EVIDENCE, source=source, phrase=phrase) for source, phrase in phrases
        )
        return replace(ITEM, id=name, evidences=evidences, evidence_mode=mode)  # type: ignore[arg-type]

    items = [
        item("folded", ("a.md", "up to 7 days")),
        item("javascript-space", ("a.md", "7 days,")),
        item("python-space-is-none", ("a.md", "days, ok")),
        item("case", ("a.md", "Up to 7 days")),
        item("khmer", ("a.md", "៧ ថ្ងៃ")),
        item("all", ("a.md", "7 days"), ("b.md", "one week"), mode="all"),
        item("not-all", ("a.md", "7 days"), ("b.md", "two weeks"), mode="all"),
        replace(UNANSWERABLE, split="holdout"),
    ]
    exported = tmp_path / QUESTIONS
    exported.write_bytes(files(records(items))[QUESTIONS])
    ran = subprocess.run(
        [node, str(Path(__file__).parent / "harness.mjs"), str(exported), str(docs)],
        capture_output=True,
        check=True,
        text=True,
    )
    assert json.loads(ran.stdout) == {
        "items": 8,
        "holdout": ["no-sale"],
        "unanswerable": ["no-sale"],
        "hit": ["all", "folded", "javascript-space", "khmer"],
        "missed": ["case", "not-all", "python-space-is-none"],
    }

"""A set from elsewhere is merged, cleaned and verified at the door."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curate.export.questions import records
from curate.model.errors import CurateError, Exit
from curate.workspace.upkeep import exporting, importing
from curate.workspace.workspace import Workspace
from tests.conftest import Curate
from tests.desk import Harmless, add, stubbed


@pytest.fixture
def desk(lending: Workspace) -> Workspace:
    stubbed(lending)
    add(lending, "when is it due back?", "laptops.md", "up to 7 days", "how-long-1")
    add(lending, "what if i am late?", "laptops.md", "2 dollars a day", "late-1")
    return lending


def file(tmp_path: Path, rows: Any, name: str = "set.json") -> Path:
    path = tmp_path / name
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


HOURS = {
    "id": "hours",
    "question": "when are you open on saturday?",
    "answerable": True,
    "source": "faq.md",
    "heading": "Opening hours",
    "evidence": "opens at 10:00 and\ncloses at 14:00",
    "keyword": "10:00",
}


class TestASetOfOurs:
    @pytest.mark.parametrize("name", ["questions.json", "targets/spreadsheet.csv"])
    def test_comes_back_unchanged(self, desk: Workspace, name: str) -> None:
        made = exporting.export(desk, formats=["spreadsheet"])
        before = desk.store.items()
        done = importing.read_in(desk, made.directory / name)
        assert done.unchanged == ("how-long-1", "late-1")
        assert (done.added, done.changed, done.conflicts, done.doubts) == ((), (), (), ())
        assert desk.store.items() == before

    def test_comes_back_unchanged_as_golden_lines_without_ids(self, desk: Workspace) -> None:
        made = exporting.export(desk, formats=["golden"])
        before = desk.store.items()
        done = importing.read_in(desk, made.directory / "targets/golden.jsonl")
        assert (len(done.unchanged), done.added, done.changed) == (2, (), ())
        assert desk.store.items() == before

    def test_fills_an_empty_workspace_with_the_same_questions(
        self, desk: Workspace, tmp_path: Path
    ) -> None:
        desk.save(replace(desk.store.item("late-1"), split="holdout", tags=("fees",)))
        item = replace(desk.fresh("can i buy one?", "no-sale-1"), split="tuning")
        desk.save(desk.settle(desk.unanswerable(item), "ready"))
        made = exporting.export(desk, tmp_path / "out")
        wanted = records(desk.store.items())
        for name in ("how-long-1", "late-1", "no-sale-1"):
            desk.undo(name)
            while desk.store.item_ids(status="") and name in desk.store.item_ids():
                desk.undo(name)
        assert desk.store.items() == []
        done = importing.read_in(desk, tmp_path / "out" / "questions.json")
        assert done.added == ("how-long-1", "late-1", "no-sale-1")
        assert records(desk.store.items()) == wanted
        assert desk.store.item("no-sale-1").absence is not None
        assert exporting.export(desk).number == made.number


class TestASetFromElsewhere:
    def test_is_one_act_that_one_undo_takes_back(self, desk: Workspace, tmp_path: Path) -> None:
        rows = [HOURS, {"id": "buy", "question": "can i buy one?", "answerable": False}]
        done = importing.read_in(desk, file(tmp_path, rows))
        assert done.added == ("hours", "buy")
        hours = desk.store.item("hours")
        assert (hours.status, hours.split) == ("ready", "tuning")
        assert hours.evidences[0].phrase == "opens at 10:00 and closes at 14:00"
        assert {one.action for one in desk.store.revisions("hours")} == {"import"}
        assert sorted(desk.undo().subjects) == ["buy", "hours"]
        assert desk.store.item_ids() == ["how-long-1", "late-1"]

    def test_a_dry_run_writes_nothing(self, desk: Workspace, tmp_path: Path) -> None:
        done = importing.read_in(desk, file(tmp_path, [HOURS]), dry_run=True)
        assert (done.added, done.written) == (("hours",), False)
        assert "hours" not in desk.store.item_ids()

    def test_golden_answers_that_stand_in_their_document_become_evidence(
        self, desk: Workspace, tmp_path: Path
    ) -> None:
        rows = [
            {
                "question": "is the bag mine?",
                "expected_answer": "The laptop bag is part of the loan.",
                "source_file": "faq.md",
            },
            {"question": "and a drone?", "expected_answer": "We have none.", "source_file": "a.md"},
        ]
        done = importing.read_in(desk, file(tmp_path, rows))
        assert done.added[0] == "borrowing-1"
        bag = desk.store.item("borrowing-1")
        assert (bag.evidences[0].heading, bag.reference) == ("Borrowing", "")
        assert bag.status == "draft"  # nobody has looked at the keyword
        assert done.drafts["borrowing-1"] == ("a look at the proposed keyword",)
        other = desk.store.item(done.added[1])
        assert (other.reference, other.evidences, other.status) == ("We have none.", (), "draft")

    def test_personal_data_is_replaced_and_told_by_kind(
        self, desk: Workspace, tmp_path: Path
    ) -> None:
        row = HOURS | {
            "question": "Sokha asks when you open",
            "reference": "Ask sokha@mail.example.org",
            "history": [{"role": "user", "content": "Sokha here"}],
            "tags": ["for Sokha"],
            "mustInclude": ["Sokha"],
        }
        done = importing.read_in(desk, file(tmp_path, [row]))
        assert done.redacted == {"hours": ("EMAIL_ADDRESS", "PERSON")}
        item = desk.store.item("hours")
        assert item.question == item.original == "<PERSON_1> asks when you open"
        assert "okha" not in repr(
            [item.reference, item.history[0].content, item.tags, item.must_include]
        )

    def test_what_stands_in_the_documents_is_kept_as_it_is(
        self, desk: Workspace, tmp_path: Path
    ) -> None:
        path = desk.root / "docs" / "staff.md"
        path.write_text("# Staff\n\nSokha runs the desk.\n", encoding="utf-8")
        desk.corpus.sync()
        row = {
            "id": "who",
            "question": "who runs it?",
            "answerable": True,
            "source": "staff.md",
            "heading": "Staff",
            "evidence": "Sokha runs the desk",
            "keyword": "Sokha",
        }
        done = importing.read_in(desk, file(tmp_path, [row]))
        assert done.redacted == {}
        assert desk.store.item("who").evidences[0].phrase == "Sokha runs the desk"

    def test_evidence_that_is_not_verbatim_makes_a_draft_and_is_told(
        self, desk: Workspace, tmp_path: Path
    ) -> None:
        rows = [
            HOURS | {"id": "moved", "question": "q one", "heading": "Borrowing"},
            HOURS | {"id": "lost", "question": "q two", "evidence": "closes at midnight sharp"},
            HOURS | {"id": "unheaded", "question": "q three", "heading": ""},
        ]
        done = importing.read_in(desk, file(tmp_path, rows))
        assert {(doubt.item, doubt.grade) for doubt in done.doubts} == {
            ("moved", "moved"),
            ("lost", "lost"),
        }
        [moved, lost] = done.doubts
        assert moved.found is not None
        assert moved.found.heading == "Opening hours"
        assert lost.found is None
        assert desk.store.item("moved").status == desk.store.item("lost").status == "draft"
        assert desk.store.item("unheaded").status == "ready"
        assert desk.store.item("unheaded").evidences[0].heading == "Opening hours"


LABELS = [
    {"id": "hours", "query": "when open on saturdays?", "relevantChunkIds": ["c1"]},
    {"id": "gone", "query": "and the ferry?", "relevantChunkIds": ["c2", "nowhere"]},
]


class TestLabelsByChunkId:
    @pytest.fixture
    def chunks(self, desk: Workspace, tmp_path: Path) -> Path:
        text = desk.corpus.document("faq.md").text
        body = text[text.index("The desk opens") :].strip()
        rows = [
            {"id": "c1", "source": "/srv/docs/faq.md", "text": f"Questions > Hours\n{body}"},
            {"id": "c2", "source": "ferry.md", "text": "The ferry was sold years ago to others."},
        ]
        path = tmp_path / "chunks.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    def test_become_proposals_for_the_curator(
        self, desk: Workspace, tmp_path: Path, chunks: Path
    ) -> None:
        done = importing.read_in(desk, file(tmp_path, LABELS), chunks=str(chunks))
        item = desk.store.item("hours")
        [evidence] = item.evidences
        assert (evidence.source, evidence.heading) == ("faq.md", "Opening hours")
        assert "10:00" in evidence.phrase
        assert item.status == "draft"
        assert "c1" in item.note
        assert done.drafts["hours"] == ("a look at the proposed evidence and keyword",)
        assert [(doubt.item, doubt.source) for doubt in done.doubts] == [
            ("gone", "chunk c2"),
            ("gone", "chunk nowhere"),
        ]
        assert desk.store.item("gone").evidences == ()
        assert not desk.drifted()

    def test_without_their_chunks_are_told_to_be_astray(
        self, desk: Workspace, tmp_path: Path
    ) -> None:
        done = importing.read_in(desk, file(tmp_path, LABELS[:1]))
        assert [doubt.source for doubt in done.doubts] == ["chunk c1"]
        assert desk.store.item("hours").status == "draft"

    def test_leave_evidence_that_is_there_alone(
        self, desk: Workspace, tmp_path: Path, chunks: Path
    ) -> None:
        before = desk.store.item("late-1")
        row = {"id": "late-1", "query": before.question, "relevantChunkIds": ["c1"]}
        done = importing.read_in(desk, file(tmp_path, [row]), chunks=str(chunks))
        assert done.unchanged == ("late-1",)
        assert desk.store.item("late-1") == before


class TestConflicts:
    CHANGED = HOURS | {
        "id": "late-1",
        "question": "what if i am too late?",
        "source": "laptops.md",
        "heading": "Late returns",
        "evidence": "2 dollars a day",
        "keyword": "dollars",
    }

    def test_are_reported_and_nothing_is_written(self, desk: Workspace, tmp_path: Path) -> None:
        before = desk.store.items()
        done = importing.read_in(desk, file(tmp_path, [self.CHANGED, HOURS]))
        assert {(c.item, c.name) for c in done.conflicts} == {
            ("late-1", "question"),
            ("late-1", "keyword"),
        }
        assert not done.written
        assert desk.store.items() == before

    def test_are_settled_by_whose_word_counts(self, desk: Workspace, tmp_path: Path) -> None:
        path = file(tmp_path, [self.CHANGED | {"reference": "2 a day"}])
        ours = importing.read_in(desk, path, take="ours")
        assert ours.kept == ("late-1",)
        item = desk.store.item("late-1")
        assert (item.question, item.reference) == ("what if i am late?", "2 a day")
        importing.read_in(desk, path, take="theirs")
        item = desk.store.item("late-1")
        assert (item.question, item.keyword) == ("what if i am too late?", "dollars")
        assert item.original == "what if i am late?"

    def test_an_empty_field_is_filled_and_an_untold_one_is_left(
        self, desk: Workspace, tmp_path: Path
    ) -> None:
        desk.save(replace(desk.store.item("late-1"), note="rare", must_include=("2",)))
        row = records([desk.store.item("late-1")])[0] | {"tags": ["fees"]}
        del row["mustInclude"]
        done = importing.read_in(desk, file(tmp_path, [row]))
        assert (done.changed, done.conflicts) == (("late-1",), ())
        item = desk.store.item("late-1")
        assert (item.tags, item.note, item.must_include) == (("fees",), "rare", ("2",))

    def test_holdout_goes_to_tuning_only_with_a_reason(
        self, desk: Workspace, tmp_path: Path
    ) -> None:
        path = file(tmp_path, records([desk.store.item("late-1")]))
        desk.save(replace(desk.store.item("late-1"), split="holdout"))
        with pytest.raises(CurateError, match="late-1"):
            importing.read_in(desk, path, take="theirs")
        assert desk.store.item("late-1").split == "holdout"
        importing.read_in(desk, path, take="theirs", reason="the holdout was drawn anew")
        assert desk.store.item("late-1").split == "tuning"
        assert desk.store.revisions("late-1")[0].reason == "the holdout was drawn anew"


class TestRefused:
    @pytest.mark.parametrize(
        ("name", "code"),
        [
            ("c12", Exit.USAGE),
            ("a b", Exit.USAGE),
            ("../x", Exit.USAGE),
            ("x" * 81, Exit.USAGE),
            ("sokha@mail.example.org", Exit.PRIVACY),
        ],
    )
    def test_an_id_that_no_item_may_have(
        self, desk: Workspace, tmp_path: Path, name: str, code: Exit
    ) -> None:
        with pytest.raises(CurateError, match="record 2") as caught:
            importing.read_in(desk, file(tmp_path, [HOURS, HOURS | {"id": name}]))
        assert caught.value.code == code
        assert "hours" not in desk.store.item_ids()

    def test_two_rows_that_ask_what_one_item_asks(self, desk: Workspace, tmp_path: Path) -> None:
        row = {"question": "What if I am late?", "expected_answer": "x", "source_file": "y"}
        with pytest.raises(CurateError, match="late-1"):
            importing.read_in(desk, file(tmp_path, [row, row]))


def test_the_command_tells_conflicts_and_exits_1(
    desk: Workspace, curate: Curate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Workspace, "anonymiser", Harmless())
    monkeypatch.setenv("CURATE_WORKSPACE", str(desk.root))
    path = file(tmp_path, [TestConflicts.CHANGED, HOURS])
    ran = curate("items", "import", path)
    assert ran.code == 1
    assert "late-1" in ran.out
    assert "nothing written" in ran.out
    assert curate("items", "import", path, "--take", "theirs", "--dry-run").code == 0
    ran = curate("items", "import", path, "--take", "theirs", "--json")
    assert ran.code == 0
    assert (ran.json["added"], ran.json["changed"]) == (["hours"], ["late-1"])
    assert curate("items", "import", tmp_path / "nowhere.json").code == 2

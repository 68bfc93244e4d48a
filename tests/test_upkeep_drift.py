"""When the documents change, what the set says of them is graded, and a person decides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from curate.model.errors import CurateError
from curate.workspace.upkeep import drift
from curate.workspace.workspace import Workspace
from tests.conftest import Curate
from tests.desk import Harmless, add, stubbed

LAPTOPS = "docs/laptops.md"


@pytest.fixture
def desk(lending: Workspace) -> Workspace:
    stubbed(lending)
    add(lending, "when is it due back?", "laptops.md", "borrow a laptop for up to 7 days", "how-1")
    add(lending, "what if i am late?", "laptops.md", "costs 2 dollars a day", "late-1")
    item = replace(lending.fresh("can i buy a bicycle?", "no-sale-1"), split="tuning")
    lending.save(lending.settle(lending.unanswerable(item), "ready"))
    return lending


def edit(desk: Workspace, old: str, new: str, path: str = LAPTOPS) -> None:
    file = desk.root / path
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    desk.corpus.sync()


def grades(desk: Workspace) -> dict[str, str]:
    return {one.item.id: one.now.grade for one in desk.drifted().evidence}


def test_documents_that_only_grew_drift_nothing(desk: Workspace) -> None:
    edit(desk, "# Laptops", "# Laptops\n\nWelcome. We are glad you came.")
    assert not desk.drifted()


@pytest.mark.parametrize(
    ("old", "new", "grade"),
    [
        ("## Late returns", "## Fees", "moved"),
        ("costs 2 dollars a day", "costs **2 dollars** a day", "normalised"),
        ("costs 2 dollars a day", "costs 3 dollars each day", "ambiguous"),
        ("A laptop that comes back late costs 2 dollars a day.", "", "lost"),
    ],
)
def test_evidence_is_graded_and_its_new_place_proposed(
    desk: Workspace, old: str, new: str, grade: str
) -> None:
    before = desk.store.item("late-1")
    edit(desk, old, new)
    [found] = desk.drifted().evidence
    assert (found.item.id, found.now.grade) == ("late-1", grade)
    text = desk.corpus.document("laptops.md").text
    if grade != "lost":
        assert text[found.now.start : found.now.end] == found.now.phrase
        assert "dollars" in found.now.phrase
    assert desk.store.item("late-1") == before


def test_a_phrase_in_another_file_has_moved(desk: Workspace) -> None:
    (desk.root / "docs" / "loans.md").write_text(
        (desk.root / LAPTOPS).read_text(encoding="utf-8"), encoding="utf-8"
    )
    (desk.root / LAPTOPS).unlink()
    desk.corpus.sync()
    assert grades(desk) == {"how-1": "moved", "late-1": "moved"}
    assert all(one.pure_move for one in desk.drifted().evidence)


def test_pure_moves_are_followed_as_one_act_and_nothing_else(desk: Workspace) -> None:
    edit(desk, "## Late returns", "## Fees")
    edit(desk, "borrow a laptop for up to 7 days", "borrow a laptop for at most 7 days")
    assert drift.follow(desk) == ("late-1",)
    assert desk.store.item("late-1").evidences[0].heading == "Fees"
    assert desk.store.item("late-1").evidences[0].grade == "verbatim"
    assert grades(desk) == {"how-1": "ambiguous"}
    desk.undo()
    assert desk.store.item("late-1").evidences[0].heading == "Late returns"


def test_a_person_takes_the_proposal_item_by_item(desk: Workspace) -> None:
    edit(desk, "borrow a laptop for up to 7 days", "borrow a laptop for at most 7 days")
    edit(desk, "## Late returns", "## Fees")
    assert desk.relocate(["how-1"]) == ("how-1",)
    assert "at most 7 days" in desk.store.item("how-1").evidences[0].phrase
    assert grades(desk) == {"late-1": "moved"}
    with pytest.raises(CurateError, match="how-1"):
        desk.relocate(["how-1"])


def test_a_keyword_that_went_with_the_old_words_is_proposed_anew(desk: Workspace) -> None:
    desk.save(replace(desk.store.item("how-1"), keyword="7 days"))
    edit(desk, "borrow a laptop for up to 7 days", "borrow a laptop for up to 9 days")
    desk.relocate(["how-1"])
    taken = desk.store.item("how-1")
    assert taken.keyword != "7 days"
    assert taken.keyword.lower() in taken.evidences[0].phrase.lower()


def test_a_keyword_that_still_stands_is_kept(desk: Workspace) -> None:
    desk.save(replace(desk.store.item("how-1"), keyword="laptop"))
    edit(desk, "borrow a laptop for up to 7 days", "borrow a laptop for at most 7 days")
    desk.relocate(["how-1"])
    assert desk.store.item("how-1").keyword == "laptop"


def test_an_id_that_a_heading_gave_stays_the_documents_when_that_heading_goes(
    desk: Workspace,
) -> None:
    edit(desk, "## Late returns", "## When is it late")
    item = add(desk, "when is it late, please?", "laptops.md", "comes back late", "")
    assert item.id == "when-is-it-late-1"
    edit(desk, "## When is it late", "## Fees")
    assert item.id in desk.relocate([item.id])
    assert "id-from-question" not in {one.code for one in desk.lint(desk.store.item(item.id))}


def test_what_is_lost_cannot_be_taken(desk: Workspace) -> None:
    edit(desk, "A laptop that comes back late costs 2 dollars a day.", "")
    with pytest.raises(CurateError, match="late-1"):
        desk.relocate(["late-1"])


def test_an_unanswerable_item_comes_back_when_a_passage_matches_better(desk: Workspace) -> None:
    edit(desk, "# Laptops", "# Laptops\n\nWelcome to the desk.")
    assert desk.drifted().absence == ()
    (desk.root / "docs" / "shop.md").write_text(
        "# Shop\n\n## Buying\n\nYou can buy a used bicycle on Fridays.\n", encoding="utf-8"
    )
    desk.corpus.sync()
    [risen] = desk.drifted().absence
    assert (risen.item.id, risen.source, risen.heading) == ("no-sale-1", "shop.md", "Buying")
    assert risen.now > risen.before


def test_another_wording_of_what_nothing_answers_is_searched_anew(desk: Workspace) -> None:
    item = desk.store.item("no-sale-1")
    reworded = desk.save(replace(item, question="what does a laptop cost when it is late?"))

    assert reworded.absence is not None
    assert reworded.absence.queries == (reworded.question, item.question)
    edit(desk, "# Laptops", "# Laptops\n\nWelcome. We are glad you came.")
    assert desk.drifted().absence == ()
    item = desk.store.item("no-sale-1")
    desk.save(desk.unanswerable(item))
    assert not desk.drifted()


def test_retired_items_are_left_alone(desk: Workspace) -> None:
    desk.save(replace(desk.store.item("late-1"), status="retired"))
    edit(desk, "costs 2 dollars a day", "is free")
    assert grades(desk) == {}


class TestTheCommand:
    @pytest.fixture(autouse=True)
    def here(self, desk: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Workspace, "anonymiser", Harmless())
        monkeypatch.setenv("CURATE_WORKSPACE", str(desk.root))

    def test_reports_and_exits_1_until_a_person_took_it(
        self, desk: Workspace, curate: Curate
    ) -> None:
        assert curate("corpus", "sync").code == 0
        edit(desk, "## Late returns", "## Fees")
        ran = curate("corpus", "sync")
        assert ran.code == 1
        assert "late-1" in ran.out
        assert "laptops.md › Fees" in ran.out
        [told] = curate("corpus", "sync", "--json").json["drifted"]
        assert (told["grade"], told["proposed"]["heading"]) == ("moved", "Fees")
        assert curate("corpus", "sync", "--take", "late-1").code == 0
        assert curate("corpus", "sync", "--take", "late-1").code == 2

    def test_follows_pure_moves_where_the_config_says_so(
        self, desk: Workspace, curate: Curate
    ) -> None:
        toml = desk.root / "curate.toml"
        toml.write_text(toml.read_text().replace("[corpus]", "[corpus]\nfollow_moves = true"))
        edit(desk, "## Late returns", "## Fees")
        ran = curate("corpus", "sync")
        assert ran.code == 0
        assert "late-1" in ran.out

    def test_tells_what_became_answerable(self, desk: Workspace, curate: Curate) -> None:
        Path(desk.root / "docs" / "shop.md").write_text(
            "# Shop\n\n## Buying\n\nYou can buy a used bicycle on Fridays.\n", encoding="utf-8"
        )
        ran = curate("corpus", "sync")
        assert ran.code == 1
        assert "shop.md › Buying" in ran.out
        [told] = curate("corpus", "sync", "--json").json["risen"]
        assert told["item"] == "no-sale-1"

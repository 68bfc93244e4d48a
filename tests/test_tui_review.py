"""From a logged question to an item, by keyboard, over a real store and real documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

import pytest

from curate.model.items import Conflict, Item
from curate.tui.screens.review import ReviewScreen
from curate.workspace.workspace import Workspace

if TYPE_CHECKING:
    from tests.conftest import Sat

Sit = Callable[..., AbstractAsyncContextManager["Sat"]]


def items(workspace: Workspace) -> list[Item]:
    return workspace.store.items()


async def test_a_whole_curation_from_the_inbox_to_the_exported_file(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter")
        assert "▐You may borrow a laptop for up to 7 days.▌" in sat.text
        await sat.press("enter")
        assert "✓ verbatim" in sat.text
        assert "… draft, saved 21:00:00 by dara-k" in sat.text
        await sat.press("w")
        await sat.press("escape", "E")
        assert "✓ no errors" in sat.text
        await sat.press("E")
        assert "v0001 written to exports/v0001" in sat.text

        root = sat.workspace.root
        exported = json.loads((root / "exports/latest/questions.json").read_text("utf-8"))
        assert [
            (one["id"], one["question"], one["source"], one["heading"], one["evidence"])
            for one in exported
        ] == [
            (
                "how-long-1",
                "can i keep the laptop longer than a week?",
                "laptops.md",
                "How long",
                "You may borrow a laptop for up to 7 days.",
            )
        ]


async def test_a_taken_span_is_a_stored_draft_before_it_is_saved_as_ready(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "left_square_bracket", "enter")

        (item,) = await sat.ask(items)
        assert (item.status, item.evidences[0].phrase) == (
            "draft",
            "You may borrow a laptop for up to 7",
        )
        assert item.keyword

        await sat.press("w")
        (item,) = await sat.ask(items)
        assert item.status == "ready"
        assert (await sat.ask(lambda ws: ws.store.counts())).candidates["done"] == 1


async def test_a_draft_is_found_again_where_it_was_left(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "left_square_bracket", "enter")
    async with sit() as sat:
        await sat.press("enter")

        assert "how-long-1" in sat.text
        assert "✓You may borrow a laptop for up to 7▌days." in sat.text


async def test_fast_fingers_never_act_on_a_stale_item(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter")
        await sat.pilot.press("enter", "h", "K", "w")
        await sat.settle()

        (item,) = await sat.ask(items)
        assert (item.status, item.split) == ("ready", "holdout")
        assert len(item.evidences) == 1


async def test_saving_opens_the_next_candidate_and_the_last_one_ends_the_sitting(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "enter", "w")
        assert "1 of 5" in sat.text
        for _ in range(5):
            await sat.press("u", "w")

        assert "Nothing left to look at" in sat.text
        assert "6 done" in sat.text
        assert "keys each" in sat.text


async def test_nothing_is_saved_while_nothing_is_decided(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "w")

        assert "1 of 6" in sat.text
        assert await sat.ask(items) == []


async def test_unanswerable_keeps_what_was_searched_as_proof(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "slash")
        await sat.type("drone")
        await sat.press("enter", "u")
        assert "⊘ unanswerable" in sat.text
        await sat.press("w")

        (item,) = await sat.ask(items)
        assert item.answerable is False
        assert item.absence is not None
        assert item.absence.queries == ("can i keep the laptop longer than a week?", "drone")
        assert ("laptops.md", "How long") in {near[:2] for near in item.absence.nearest}


async def test_a_search_replaces_the_passages_and_escape_brings_the_suggestions_back(
    sit: Sit,
) -> None:
    async with sit() as sat:
        await sat.press("enter", "slash")
        await sat.type("saturdays")
        assert "found for “saturdays”" in sat.text
        assert "On Saturdays it opens at 10:00" in sat.text
        await sat.press("enter", "enter")
        assert "✓ verbatim  in faq.md › Opening hours" in sat.text

        await sat.press("escape")
        assert "suggested" in sat.text
        assert "faq.md › Opening hours" in sat.text


async def test_out_of_a_search_enter_takes_what_was_open_before_it(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "2")
        before = sat.app.screen.page
        await sat.press("slash")
        await sat.type("saturdays")
        assert sat.app.screen.page != before
        await sat.press("escape", "escape")
        assert sat.app.screen.page == before

        await sat.press("enter")
        (item,) = await sat.ask(items)
        assert item.evidences[0].source == before.source
        assert item.evidences[0].heading == before.heading


async def test_another_passage_is_one_digit_away(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "2")
        second = sat.app.screen.passages[1].section
        assert f"▌ 2 {second.source} › {second.heading}" in sat.text
        assert f"## {second.heading}" in sat.text


async def test_a_second_evidence_is_added_and_all_may_be_needed(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "enter", "j", "plus", "ampersand")

        (item,) = await sat.ask(items)
        assert [evidence.phrase[:12] for evidence in item.evidences] == [
            "You may borr",
            "Ask the desk",
        ]
        assert item.evidence_mode == "all"


async def test_wording_note_tags_and_keyword_are_typed_without_setting_keys_off(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "enter", "e")
        await sat.type(" x w u?")
        await sat.press("enter", "n")
        await sat.type("why")
        await sat.press("enter", "t")
        await sat.type("loans, short")
        await sat.press("enter", "equals_sign", "ctrl+a", "delete")
        await sat.type("7 days")
        await sat.press("enter")

        (item,) = await sat.ask(items)
        assert item.question == "can i keep the laptop longer than a week? x w u?"
        assert item.original == "can i keep the laptop longer than a week?"
        assert (item.note, item.tags, item.keyword) == ("why", ("loans", "short"), "7 days")
        assert item.status == "draft"


async def test_escape_leaves_a_field_without_changing_anything(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "enter", "e")
        await sat.type("zzz")
        await sat.press("escape")

        (item,) = await sat.ask(items)
        assert item.question == "can i keep the laptop longer than a week?"
        assert isinstance(sat.app.screen, ReviewScreen)


async def test_the_holdout_is_left_only_with_a_reason(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "enter", "h", "w", "escape", "i", "enter")
        (before,) = await sat.ask(items)
        assert before.split == "holdout"

        await sat.press("h", "enter")
        (same,) = await sat.ask(items)
        assert same.split == "holdout"

        await sat.press("h")
        await sat.type("seen while tuning")
        await sat.press("enter")
        (after,) = await sat.ask(items)
        assert after.split == "tuning"
        newest = (await sat.ask(lambda ws: ws.store.revisions(after.id)))[0]
        assert newest.reason == "seen while tuning"


async def test_undo_goes_back_step_by_step_and_shows_where_it_is(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "enter", "left_square_bracket", "enter", "w")
        assert "1 of 5" in sat.text

        await sat.press("z")
        (item,) = await sat.ask(items)
        assert item.status == "draft"
        assert "how-long-1" in sat.text
        await sat.press("z")
        (item,) = await sat.ask(items)
        assert item.evidences[0].phrase.endswith("7 days.")
        await sat.press("z")
        assert await sat.ask(items) == []
        assert "not saved yet" in sat.text
        await sat.press("z")
        assert "no change of dara-k is left to undo" in sat.text


async def test_a_rejected_candidate_has_its_reason_on_record(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "x", "2")
        assert "1 of 5" in sat.text
        await sat.press("x", "e")
        await sat.type("a joke")
        await sat.press("enter")

        decided = await sat.ask(
            lambda ws: ws.store.candidates(ws.store.candidate_ids(status="rejected"))
        )
        assert sorted(candidate.note for candidate in decided) == ["a joke", "out of scope"]


async def test_a_skipped_candidate_is_not_done_and_comes_last(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "s")
        assert "can i keep the laptop" not in sat.text
        await sat.press("escape")

        counts = await sat.ask(lambda ws: ws.store.counts())
        assert counts.candidates == {"open": 6}
        rows = [line for line in sat.text.splitlines() if "laptop longer" in line]
        last = sat.text.splitlines()[7]
        assert last in rows


async def test_a_duplicate_points_at_its_item(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "enter", "w", "d")
        await sat.type("laptop")
        await sat.press("enter")

        (found,) = await sat.ask(
            lambda ws: ws.store.candidates(ws.store.candidate_ids(status="duplicate"))
        )
        assert found.item == "how-long-1"


async def test_the_whole_document_is_shown_and_left_again(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "o")
        assert "whole document" in sat.text
        assert "# Laptops" in sat.text
        assert "▐You may borrow a laptop for up to 7 days.▌" in sat.text
        await sat.press("o")
        assert "# Laptops" not in sat.text.replace("## ", "")


@pytest.mark.parametrize("size", [(40, 10), (20, 5), (200, 60)])
async def test_every_screen_stands_at_every_size(sit: Sit, size: tuple[int, int]) -> None:
    async with sit(size) as sat:
        await sat.press("question_mark", "question_mark", "f", "escape", "i", "escape")
        await sat.press("enter", "enter", "tab", "tab", "slash", "escape", "x", "escape")
        await sat.press("E", "escape", "escape")

        assert await sat.ask(lambda ws: len(ws.store.items())) == 1


async def test_a_resize_in_mid_edit_loses_nothing(sit: Sit) -> None:
    async with sit((120, 40)) as sat:
        await sat.press("enter", "j", "left_square_bracket")
        await sat.pilot.resize_terminal(80, 24)
        await sat.settle()
        await sat.press("enter")
        (item,) = await sat.ask(items)
        assert item.evidences[0].phrase == "Ask the desk to extend the loan once, before it"

        await sat.press("e")
        await sat.type(" please")
        await sat.pilot.resize_terminal(40, 10)
        await sat.pilot.resize_terminal(120, 40)
        await sat.settle()
        await sat.press("enter")
        (item,) = await sat.ask(items)
        assert item.question.endswith("week? please")


async def test_at_80_columns_tab_shows_what_was_answered(sit: Sit) -> None:
    async with sit((80, 24)) as sat:
        await sat.press("enter")
        assert "retrieved" not in sat.text
        await sat.press("tab")
        assert "retrieved" in sat.text
        assert "faq.md › Borrowing  0.61" in sat.text
        await sat.press("escape")
        assert "▐You may borrow" in sat.text


@pytest.mark.parametrize(("answer", "keyword"), [("1", "theirs"), ("2", "mine")])
async def test_a_clash_shows_both_versions_and_loses_neither(
    sit: Sit, answer: str, keyword: str
) -> None:
    def meddle(workspace: Workspace) -> None:
        from dataclasses import replace

        other = Workspace.open(workspace.root, workspace.now, "sok")
        (item,) = other.store.items()
        other.save(replace(item, keyword="theirs"))
        other.close()

    async with sit() as sat:
        await sat.press("enter", "enter")
        await sat.ask(meddle)
        await sat.press("equals_sign", "ctrl+a", "delete")
        await sat.type("mine")
        await sat.press("enter")
        assert "sok changed this item meanwhile" in sat.text
        assert "keyword theirs" in sat.text
        assert "keyword mine" in sat.text
        await sat.press(answer)

        (item,) = await sat.ask(items)
        assert item.keyword == keyword
        assert f"keyword {keyword}" in sat.text
        assert Conflict.__name__ not in sat.text

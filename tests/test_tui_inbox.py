"""The inbox: what to look at, why, and the decisions that need no review."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from curate.tui.screens.inbox import InboxScreen
from curate.tui.screens.review import ReviewScreen
from curate.workspace.workspace import Workspace

if TYPE_CHECKING:
    from tests.conftest import Sat

Sit = Callable[..., AbstractAsyncContextManager["Sat"]]


def rows(sat: Sat) -> list[str]:
    """The lines of the list."""
    lines = sat.text.splitlines()
    start = next(index for index, line in enumerate(lines) if " question" in line) + 1
    end = next(index for index, line in enumerate(lines) if "────" in line)
    return [line.strip() for line in lines[start:end] if line.strip()]


async def test_candidates_come_by_priority_with_their_reasons_in_words(sit: Sit) -> None:
    async with sit((120, 40)) as sat:
        first, *others = rows(sat)

        assert "▼ 3 thumbs-down, asked 2 times" in first
        assert "can i keep the laptop longer than a week?" in first
        assert len(others) == 5
        assert "6 to look at" in sat.text


async def test_the_detail_follows_the_cursor(sit: Sit) -> None:
    async with sit() as sat:
        assert "answered Yes, you can keep it" in sat.text
        assert "▼3 “the rule says 7 days”" in sat.text
        assert "retrieved 1 faq.md › Borrowing  0.61" in sat.text

        await sat.press("end")
        await sat.pilot.pause(0.1)
        await sat.settle()
        assert "answered Yes, you can keep it" not in sat.text


async def test_a_search_narrows_the_list_and_escape_shows_everything_again(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("slash")
        await sat.type("saturdays")
        assert [row[-30:].split()[-1] for row in rows(sat)[1:]] == ["1"]
        await sat.press("enter", "escape")

        assert len(rows(sat)) == 6


async def test_keys_do_not_fire_while_a_search_is_typed(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("slash")
        await sat.type("xszqE")

        assert isinstance(sat.app.screen, InboxScreen)
        assert sat.app.is_running
        assert (await sat.ask(lambda ws: ws.store.counts())).candidates == {"open": 6}
        assert "x reject" not in sat.text


async def test_a_filter_by_reason_or_status_says_what_it_shows(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("x", "1")
        await sat.press("f", "8")
        assert "filter: rejected" in sat.text
        assert len(rows(sat)) == 1
        assert "r reopen" in sat.text
        assert "x reject" not in sat.text

        await sat.press("r")
        assert "nothing like that" in sat.text
        await sat.press("escape")
        assert len(rows(sat)) == 6


async def test_reject_and_undo_from_the_list(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("x", "3")
        assert len(rows(sat)) == 5
        assert "rejected, saved 21:00:00 by dara-k" in sat.text
        await sat.press("z")
        assert len(rows(sat)) == 6


async def test_skip_moves_to_the_end(sit: Sit) -> None:
    async with sit() as sat:
        first = rows(sat)[0].lstrip("▌ ")
        await sat.press("s")

        assert rows(sat)[-1] == first
        assert len(rows(sat)) == 6


async def test_the_list_is_as_it_was_when_the_review_is_left(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("down", "enter")
        assert isinstance(sat.app.screen, ReviewScreen)
        await sat.press("escape")

        assert rows(sat)[1].startswith("▌")


async def test_the_footer_names_the_keys_that_work_and_no_others(sit: Sit) -> None:
    async with sit() as sat:
        footer = " ".join(sat.text.splitlines()[-2:])
        for entry in ("⏎ review", "/ search", "f filter", "d duplicate of", "x reject", "s skip"):
            assert entry in footer
        assert "r reopen" not in footer

        await sat.press("slash")
        await sat.type("nothing like it")
        await sat.press("enter")
        footer = " ".join(sat.text.splitlines()[-2:])
        assert "x reject" not in footer
        assert "Esc all" in footer


async def test_a_key_in_the_footer_can_be_clicked(sit: Sit) -> None:
    async with sit() as sat:
        lines = sat.text.splitlines()
        y = next(index for index, line in enumerate(lines) if "x reject" in line)
        await sat.pilot.click(offset=(lines[y].index("x reject"), y))
        await sat.settle()

        assert "Why is it not worth a case?" in sat.text


async def test_a_list_is_narrowed_by_language_date_and_tag(sit: Sit) -> None:
    async with sit((100, 30)) as sat:
        await sat.press("f", *["down"] * 9, "enter")
        langs = sat.text
        assert "km" in langs
        row = next(line for line in langs.splitlines() if " km " in line)
        await sat.press(row.split()[1])
        assert "filter: km" in sat.text
        assert len(rows(sat)) == 1
        assert "បើកម៉ោង" in rows(sat)[0]

        await sat.press("escape", "f", *["down"] * 11, "enter", "1")
        assert "filter: last 1 days" in sat.text
        assert len(rows(sat)) == 6
        await sat.press("escape", "f", *["down"] * 12, "enter", "e")
        await sat.type("nosuchtag")
        await sat.press("enter")
        assert "filter: #nosuchtag" in sat.text
        assert "nothing like that" in sat.text


async def test_this_weeks_sample_is_named_and_the_same_for_everybody(sit: Sit) -> None:
    async with sit((100, 30)) as sat:
        await sat.press("f", *["down"] * 13, "enter")

        assert "filter: sample 2026-W48" in sat.text
        drawn = await sat.ask(lambda ws: ws.sample(20, "2026-W48"))
        assert list(sat.app.screen.listing._keys) == list(drawn)


async def test_what_somebody_else_looks_at_says_so_and_is_passed_over(sit: Sit) -> None:
    async with sit((100, 30)) as sat:
        second = await sat.ask(lambda ws: ws.store.candidate_ids()[1])
        await sat.ask(lambda ws: other(ws).claim(second))
        await sat.press("z", "escape", "f", "1")
        assert "✎ sok" in rows(sat)[1]

        await sat.press("home", "enter", "enter", "w")
        assert sat.app.screen.case.candidate.id not in (second,)
        claimed = await sat.ask(lambda ws: ws.store.candidate(sat.app.screen.case.candidate.id))
        assert claimed.claim.by == "dara-k"
        await sat.press("escape")
        candidates = await sat.ask(lambda ws: ws.store.candidates(ws.store.candidate_ids()))
        assert {one.claim.by for one in candidates if one.claim} == {"sok"}


def other(workspace: Workspace) -> Workspace:
    return Workspace(workspace.root, workspace.settings, workspace.now, "sok")


async def test_a_sitting_begins_where_the_last_one_stopped(sit: Sit) -> None:
    async with sit((100, 30)) as sat:
        await sat.press("f", "2", "down", "down")
        here = rows(sat)[2]
        assert here.startswith("▌")
        await sat.press("q")
    async with sit((100, 30)) as sat:
        assert "filter: to look at: thumbs-down" in sat.text
        assert rows(sat)[2] == here
        assert (sat.workspace.root / "screens.json").stat().st_mode & 0o777 == 0o600


async def test_the_title_tells_what_was_done_today_and_what_is_left(sit: Sit) -> None:
    async with sit((100, 30)) as sat:
        await sat.press("enter", "enter", "w", "escape")

        assert "5 to look at   1 done today   0.0 min and 3 keys each" in sat.text

"""The inbox: what to look at, why, and the decisions that need no review."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from curate.tui.screens.inbox import InboxScreen
from curate.tui.screens.review import ReviewScreen

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

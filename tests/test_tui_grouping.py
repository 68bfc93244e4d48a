"""Candidates that ask the same are put together, those that do not are taken apart, and a question
that an item asks already is called its duplicate.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from curate.workspace.workspace import Workspace
from tests.desk import add

if TYPE_CHECKING:
    from tests.conftest import Sat

Sit = Callable[..., AbstractAsyncContextManager["Sat"]]


def order(sat: Sat) -> list[int]:
    """The candidates as they are listed."""
    return list(sat.app.screen.listing._keys)


async def test_marked_candidates_are_put_together_and_it_is_undone(sit: Sit) -> None:
    async with sit((100, 30)) as sat:
        before = order(sat)
        await sat.press("down", "down", "space")
        assert "✚" in sat.text
        await sat.press("home", "m")

        assert "put together, asked 3 times, saved 21:00:00 by dara-k" in sat.text
        assert order(sat) == [one for one in before if one != before[2]]
        assert "✚" not in sat.text
        together = await sat.ask(lambda ws: ws.store.candidate(before[0]))
        assert together.size == 3
        await sat.press("z")
        assert order(sat) == before


async def test_a_mark_is_taken_off_by_the_same_key_and_by_escape(sit: Sit) -> None:
    async with sit((100, 30)) as sat:
        assert "m put together" not in sat.text
        await sat.press("down", "space", "space", "up", "up")
        assert sat.text.count("✚") == 2
        await sat.press("space")
        assert sat.text.count("✚") == 1
        await sat.press("escape", "home")

        assert "✚" not in sat.text
        assert "m put together" not in sat.text


async def test_some_askings_are_taken_out_of_a_candidate_and_it_is_undone(sit: Sit) -> None:
    async with sit((100, 30)) as sat:
        before = order(sat)
        await sat.press("S")
        assert "Which of these ask something else?" in sat.text
        await sat.press("end", "space", "enter")

        assert "taken apart, asked once" in sat.text
        assert len(order(sat)) == len(before) + 1
        sizes = await sat.ask(lambda ws: [one.size for one in ws.store.candidates(order(sat))])
        assert sorted(sizes) == [1] * 7
        await sat.press("z")
        assert order(sat) == before


async def test_all_askings_or_none_cannot_be_taken_out(sit: Sit) -> None:
    async with sit((100, 30)) as sat:
        await sat.press("S", "enter")
        assert "Which of these ask something else?" in sat.text
        await sat.press("space", "space", "enter")
        assert "Which of these ask something else?" in sat.text
        await sat.press("escape")

        assert (await sat.ask(lambda ws: ws.store.counts())).candidates == {"open": 6}


async def test_a_candidate_that_was_asked_once_has_nothing_to_take_apart(sit: Sit) -> None:
    async with sit((100, 30)) as sat:
        assert "S take apart" in sat.text
        await sat.press("down")
        assert "S take apart" not in sat.text
        await sat.press("S")

        assert "Which of these" not in sat.text


async def test_a_duplicate_of_an_item_is_closed_with_its_name(sit: Sit, lending: Workspace) -> None:
    await asyncio.to_thread(
        add, lending, "what is a late laptop?", "laptops.md", "costs 2 dollars a day", "late"
    )
    await asyncio.to_thread(
        add, lending, "how long?", "laptops.md", "borrow a laptop for up to 7 days", "keep"
    )
    async with sit((100, 30)) as sat:
        first = order(sat)[0]
        await sat.press("d")
        assert "Duplicate of" in sat.text
        await sat.type("keep")
        await sat.press("enter")

        assert first not in order(sat)
        assert "duplicate, saved 21:00:00 by dara-k" in sat.text
        closed = await sat.ask(lambda ws: ws.store.candidate(first))
        assert (closed.status, closed.item) == ("duplicate", "keep")
        await sat.press("z")
        assert order(sat)[0] == first

"""The coverage screen tells what to curate next, from the set and from what people ask."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from curate.model.evaluation import Failure
from curate.workspace.workspace import Workspace
from tests.desk import add

if TYPE_CHECKING:
    from tests.conftest import Sat

Sit = Callable[..., AbstractAsyncContextManager["Sat"]]


def covered(workspace: Workspace) -> None:
    """One item in the set, which failed in a run."""
    add(workspace, "how long may i keep it?", "laptops.md", "borrow a laptop for up to 7 days", "a")
    failure = Failure("a", "sha256:run", "bad chunk", "cut in two", workspace.now())
    workspace.store.add_failures(failure.run, [failure])


def line(sat: Sat, words: str) -> str:
    """The line of the screen that holds these words."""
    return next(line for line in sat.text.splitlines() if words in line)


async def test_what_to_curate_next_comes_first_then_documents_sections_and_shares(
    sit: Sit, lending: Workspace
) -> None:
    await asyncio.to_thread(covered, lending)
    async with sit((100, 60)) as sat:
        await sat.press("C")

        assert "1 items   7 questions kept   0 refused" in sat.text
        assert sat.text.index("curate next") < sat.text.index("documents: sections")
        assert "1/3" in line(sat, " laptops.md")
        assert "km.md" in line(sat, "░   0/1")
        assert "sections without an item" in sat.text
        assert "not asked in the retention window" in sat.text
        assert "laptops.md › How long" not in sat.text
        assert "tuning     1 answerable" in sat.text
        assert line(sat, "bad chunk").split()[0] == "1"


async def test_the_figures_scroll_and_escape_goes_back(sit: Sit, lending: Workspace) -> None:
    await asyncio.to_thread(covered, lending)
    async with sit((80, 24)) as sat:
        await sat.press("C")
        assert "bad chunk" not in sat.text
        await sat.press("end")
        assert "bad chunk" in sat.text
        await sat.press("home", "j")
        assert "curate next" not in sat.text
        await sat.press("k", "escape")

        assert "to look at" in sat.text


async def test_what_was_decided_meanwhile_is_counted_again(sit: Sit, lending: Workspace) -> None:
    async with sit((100, 40)) as sat:
        await sat.press("C")
        assert "0 items" in sat.text
        await asyncio.to_thread(covered, lending)
        await sat.press("r")

        assert "1 items" in sat.text


async def test_a_small_screen_shows_it_too(sit: Sit) -> None:
    async with sit((40, 10)) as sat:
        await sat.press("C", "end", "pageup", "escape")

        assert "to look at" in sat.text

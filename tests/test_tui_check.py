"""Findings by item, and the export that errors stop."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import TYPE_CHECKING

from curate.tui.screens.review import ReviewScreen
from curate.workspace.workspace import Workspace

if TYPE_CHECKING:
    from tests.conftest import Sat

Sit = Callable[..., AbstractAsyncContextManager["Sat"]]


def lose_the_evidence(workspace: Workspace) -> None:
    """The document changes so that the evidence is gone."""
    path = workspace.root / "docs" / "laptops.md"
    path.write_text("# Laptops\n\nNo longer lent.\n", encoding="utf-8")
    workspace.corpus.sync()


async def test_an_error_names_its_item_stops_the_export_and_opens_the_item(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "enter", "w")
        await sat.ask(lose_the_evidence)
        await sat.press("escape", "E")
        assert "✗ 1 errors" in sat.text
        assert "✗ how-long-1" in sat.text

        await sat.press("E")
        assert "not exported" in sat.text
        await sat.press("enter")
        assert not list(sat.workspace.root.glob("exports/v*"))

        await sat.press("enter")
        assert isinstance(sat.app.screen, ReviewScreen)
        assert "how-long-1" in sat.text


async def test_a_finding_that_is_longer_than_its_row_ends_with_an_ellipsis(sit: Sit) -> None:
    async with sit(size=(60, 24)) as sat:
        await sat.press("enter", "enter", "w")
        await sat.ask(lose_the_evidence)
        await sat.press("escape", "E")
        [row] = [line for line in sat.text.splitlines() if "✗ how-long-1" in line]
        assert row.rstrip(" ▁▏").endswith("…")


async def test_the_same_set_is_exported_once(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "enter", "w", "escape", "E", "E")
        assert "v0001 written to exports/v0001" in sat.text
        await sat.press("E")
        assert "v0001 unchanged, already in exports/v0001" in sat.text


async def test_the_items_list_shows_status_split_and_grade_and_opens_an_item(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "enter", "h", "w", "u", "escape", "i")
        assert "2 items   1 ready   1 in the holdout" in sat.text
        assert "✓ ready      ◆ holdout  ✓ verbatim" in sat.text
        assert "… draft      ◇ tuning   ⊘ none" in sat.text

        await sat.press("slash")
        await sat.type("keep")
        await sat.press("enter", "enter")
        assert isinstance(sat.app.screen, ReviewScreen)
        assert "✓You may borrow a laptop for up to 7 days.▌" in sat.text


async def test_an_item_changed_from_the_list_stays_ready(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "enter", "w", "escape", "i", "enter", "n")
        await sat.type("checked")
        await sat.press("enter", "w")

        (item,) = await sat.ask(lambda ws: ws.store.items())
        assert (item.status, item.note) == ("ready", "checked")
        assert replace(item, note="") != item

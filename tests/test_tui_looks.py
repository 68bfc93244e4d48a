"""How the screens look: pictures that a person has looked at. `--snapshot-update` draws them anew.

Few of them: each screen in both sizes and both of our themes somewhere. What the screens do
is tested elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import pytest

from curate.config import ScreenSettings
from curate.tui.app import CurateApp
from curate.workspace.workspace import Workspace
from tests.test_tui_returned import both

DRAWN_WITH = "8.2"
pytestmark = pytest.mark.skipif(
    not version("textual").startswith(f"{DRAWN_WITH}."),
    reason=f"the pictures were drawn with Textual {DRAWN_WITH}; its minor releases draw otherwise",
)

SMALL, LARGE = (80, 24), (120, 40)
EVERY = pytest.mark.parametrize(
    ("size", "theme"),
    [
        pytest.param(size, f"curate-{shade}", id=f"{size[0]}x{size[1]}-{shade}")
        for size in (SMALL, LARGE)
        for shade in ("dark", "light")
    ],
)
Picture = Callable[..., bool]


@pytest.fixture
def picture(lending: Workspace, snap_compare: Any) -> Picture:
    """Compare what is on the screen after some keys with the picture of the test."""

    def same(size: tuple[int, int], theme: str, *keys: str) -> bool:
        settings = replace(lending.settings, screen=ScreenSettings(theme=theme))
        workspace = Workspace(lending.root, settings, lending.now, lending.who)

        async def press(pilot: Any) -> None:
            await _settle(pilot)
            for key in keys:
                await pilot.press(key)
                await _settle(pilot)

        try:
            return bool(snap_compare(CurateApp(workspace), terminal_size=size, run_before=press))
        finally:
            workspace.close()

    return same


async def _settle(pilot: Any) -> None:
    for _ in range(2):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
    # Until the cursor has rested: see the inbox's detail.
    await asyncio.sleep(0.1)
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


@EVERY
def test_inbox(picture: Picture, size: tuple[int, int], theme: str) -> None:
    assert picture(size, theme)


def test_inbox_with_what_came_back(picture: Picture, lending: Workspace) -> None:
    both(lending)
    assert picture(SMALL, "curate-dark", "home", "down")


@EVERY
def test_review(picture: Picture, size: tuple[int, int], theme: str) -> None:
    assert picture(size, theme, "enter", "j", "k")


def test_review_of_the_readme(picture: Picture) -> None:
    assert picture(LARGE, "curate-dark", "enter", "enter")


@pytest.mark.parametrize(
    ("size", "theme"), [(SMALL, "curate-light"), (LARGE, "curate-dark")], ids=["80x24", "120x40"]
)
def test_check(picture: Picture, size: tuple[int, int], theme: str) -> None:
    assert picture(size, theme, "enter", "enter", "w", "u", "w", "escape", "E", "down")


@pytest.mark.parametrize(
    ("size", "theme"), [(SMALL, "curate-dark"), (LARGE, "curate-light")], ids=["80x24", "120x40"]
)
def test_help(picture: Picture, size: tuple[int, int], theme: str) -> None:
    assert picture(size, theme, "enter", "question_mark")

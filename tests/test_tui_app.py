"""The application as a whole: keys, palette, themes, hostile text, and how it ends."""

from __future__ import annotations

import resource
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest
from textual.command import CommandPalette
from textual.events import Key
from textual.worker import WorkerFailed

from curate.config import ScreenSettings
from curate.corpus.corpus import Corpus
from curate.model.errors import CurateError, Exit
from curate.tui import app as app_
from curate.tui.app import CurateApp
from curate.tui.screens.inbox import InboxScreen
from curate.tui.themes import THEMES
from curate.tui.widgets.virtual_list import VirtualList
from curate.workspace.workspace import Workspace

if TYPE_CHECKING:
    from tests.conftest import Sat

Sit = Callable[..., AbstractAsyncContextManager["Sat"]]

LITERAL = "[/x] [@click=app.exit] �]0;owned� �back"


def told(workspace: Workspace, **screen: object) -> Workspace:
    """The workspace with other screen settings."""
    settings = replace(workspace.settings, screen=ScreenSettings(**screen))  # type: ignore[arg-type]
    return Workspace(workspace.root, settings, workspace.now, workspace.who)


async def test_hostile_text_is_literal_on_every_screen(sit: Sit) -> None:
    async with sit((120, 40)) as sat:
        await sat.press("slash")
        await sat.type("owned")
        await sat.press("enter")
        await sat.pilot.pause(0.1)
        await sat.settle()
        assert sat.text.count(LITERAL) >= 2

        await sat.press("enter")
        assert sat.text.count(LITERAL) >= 2
        await sat.press("e")
        assert LITERAL in sat.text
        await sat.press("escape", "u", "w", "i")
        assert LITERAL in sat.text
        await sat.press("enter", "g")
        assert LITERAL in sat.text
        await sat.press("escape", "escape", "E")
        assert sat.app.is_running
        for control in ("\x1b", "\x07", "\x00", "\u202e"):
            assert control not in sat.text


async def test_hostile_names_of_documents_and_headings_are_shown_harmlessly(
    sit: Sit, lending: Workspace
) -> None:
    name = "[@click=app.exit]\x1b[31m\u202e.md"
    (lending.root / "docs" / name).write_text(
        "# [/x] [b]\x1b]0;x\x07\n\nDrones are lent on [/] Mondays.\n", encoding="utf-8"
    )
    async with sit() as sat:
        await sat.press("enter", "slash")
        await sat.type("drones mondays")
        await sat.press("enter", "enter", "w", "escape", "i", "escape", "E")

        assert sat.app.is_running
        for control in ("\x1b", "\x07", "\u202e"):
            assert control not in sat.text


async def test_there_is_no_screenshot_and_every_key_is_a_command(sit: Sit) -> None:
    async with sit() as sat:
        titles = {command.title for command in sat.app.get_system_commands(sat.app.screen)}

        assert "Screenshot" not in titles
        assert {"Review the candidate", "Reject with a reason", "Theme", "Quit"} <= titles
        sat.app.action_screenshot()
        assert not list(sat.workspace.root.parent.rglob("*.svg"))


async def test_a_command_of_the_palette_does_what_its_key_does(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("ctrl+p")
        assert isinstance(sat.app.screen, CommandPalette)
        await sat.type("reject with")
        await sat.pilot.pause(0.5)
        await sat.pilot.press("enter")
        await sat.settle()

        assert "Why is it not worth a case?" in sat.text


async def test_help_lists_every_key_where_one_is(sit: Sit) -> None:
    async with sit((120, 60)) as sat:
        await sat.press("enter", "question_mark")
        panel = sat.app.screen.query_one("HelpPanel")
        assert panel.region.width
        assert "selects freely" in " ".join(sat.text.split())
        await sat.press("question_mark")
        assert not sat.app.screen.query("HelpPanel")


async def test_the_help_is_paged_where_it_is_longer_than_the_screen(sit: Sit) -> None:
    async with sit((80, 24)) as sat:
        await sat.press("question_mark")
        at = sat.app.screen.query_one(VirtualList).cursor
        keys = sat.app.screen.query_one("HelpPanel KeyPanel")
        await sat.press("pagedown")
        assert keys.scroll_offset.y > 0
        await sat.press("pageup")
        assert keys.scroll_offset.y == 0
        assert sat.app.screen.query_one(VirtualList).cursor == at


@pytest.mark.parametrize(("opens", "ends"), [("x", "2"), ("x", "enter"), ("f", "3")])
async def test_keys_that_come_at_once_end_a_dialog_once(sit: Sit, opens: str, ends: str) -> None:
    async with sit() as sat:
        await sat.press(opens)
        for _ in range(3):
            key = Key(ends, ends if len(ends) == 1 else None)
            key.set_sender(sat.app)
            cast(Any, sat.app._driver).send_message(key)
        await sat.settle()
        for _ in range(2):  # out of what a key that was left over has opened
            if not isinstance(sat.app.screen, InboxScreen):
                await sat.press("escape")

        assert sat.app.is_running
        assert "to look at" in sat.text


async def test_escape_closes_the_help_and_leaves_the_screen_as_it_is(sit: Sit) -> None:
    async with sit((80, 24)) as sat:
        await sat.press("enter", "question_mark")
        assert sat.app.screen.query("HelpPanel")
        assert "Esc close help" in " ".join(sat.text.split())
        await sat.press("escape")
        assert not sat.app.screen.query("HelpPanel")
        assert "▐You may borrow" in sat.text
        assert "Esc back" in sat.text
        await sat.press("slash")
        await sat.type("card")
        await sat.press("escape")
        assert "card" in sat.app.screen.field.value
        await sat.press("escape", "escape")
        assert "6 to look at" in sat.text


async def test_keys_can_be_changed_in_the_settings(sit: Sit, lending: Workspace) -> None:
    changed = told(lending, keys={"reject": "R"})
    async with sit(workspace=changed) as sat:
        assert "R reject" in sat.text
        await sat.press("x")
        assert "Why is it not worth a case?" not in sat.text
        await sat.press("R")
        assert "Why is it not worth a case?" in sat.text


@pytest.mark.parametrize("theme", [*(theme.name for theme in THEMES), "textual-light", "nord"])
async def test_our_themes_and_textuals_all_work(sit: Sit, lending: Workspace, theme: str) -> None:
    async with sit(workspace=told(lending, theme=theme)) as sat:
        await sat.press("enter")

        assert sat.app.theme == theme
        assert "▐You may borrow" in sat.text


def test_an_unknown_theme_is_named_as_the_fault(lending: Workspace) -> None:
    with pytest.raises(CurateError, match="names no theme") as error:
        CurateApp(told(lending, theme="sunset"))

    assert error.value.code is Exit.USAGE
    assert "curate-light" in error.value.hint


@pytest.mark.parametrize("name", ["TEXTUAL_LOG", "TEXTUAL_SCREENSHOT", "TEXTUAL"])
def test_it_does_not_start_where_the_screen_would_be_written_to_a_file(
    lending: Workspace, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "devtools")

    with pytest.raises(CurateError, match=name) as error:
        app_.run(lending)

    assert error.value.code is Exit.PRIVACY


async def test_a_fault_ends_it_with_code_positions_and_no_values(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_self: Corpus, question: str, **_: object) -> None:
        raise ZeroDivisionError(question)

    monkeypatch.setattr(Corpus, "suggest", broken)
    shown: list[str] = []
    with pytest.raises(WorkerFailed):
        await _break(sit, shown)

    (text,) = shown
    assert "ZeroDivisionError" in text
    assert "test_tui_app.py" in text
    assert "laptop" not in text


async def _break(sit: Sit, shown: list[str]) -> None:
    async with sit() as sat:
        await sat.pilot.press("enter")
        while sat.app.is_running:
            await sat.pilot.pause(0.01)
        assert sat.app.return_code == 1
        shown += [str(rendered) for rendered in sat.app._exit_renderables]


def test_a_run_forbids_core_dumps_and_returns_the_exit_code(
    lending: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(resource, "setrlimit", lambda *limit: asked.append(limit))
    monkeypatch.setattr(CurateApp, "run", lambda self: self.exit(0))

    assert app_.run(lending) == 0
    assert asked == [(resource.RLIMIT_CORE, (0, 0))]


async def test_quitting_waits_for_what_is_being_stored(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter")
        await sat.pilot.press("enter", "escape", "q")
        await sat.pilot.pause(0.2)
    assert len(await sat.ask(lambda ws: ws.store.items())) == 1


async def test_keys_typed_faster_than_the_screen_follows_go_where_they_were_meant(sit: Sit) -> None:
    async with sit() as sat:
        await burst(sat, "slash", *"exdrone")
        assert "can i borrow a drone" not in sat.text
        assert (await sat.ask(lambda ws: ws.store.counts())).candidates == {"open": 6}

        await sat.press("escape", "escape")
        await burst(sat, "x", "2")
        assert (await sat.ask(lambda ws: ws.store.counts())).candidates["rejected"] == 1

        await sat.press("enter")
        await burst(sat, "u", "n", *"why not", "enter", "w")
        (item,) = await sat.ask(lambda ws: ws.store.items())
        assert (item.note, item.status) == ("why not", "ready")


async def burst(sat: Sat, *keys: str) -> None:
    """All at once, as a terminal under load hands them over."""
    for key in keys:
        name = "space" if key == " " else key
        sat.app.post_message(Key(name, key if len(key) == 1 else None))
    await sat.settle()
    await sat.settle()

"""Another process holds the database: the screen says that it waits, and forgets nothing."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from curate.model.errors import CurateError
from curate.model.items import Item
from curate.store import files
from curate.store.store import Store
from curate.tui import errands
from curate.workspace.workspace import Workspace

if TYPE_CHECKING:
    from tests.conftest import Sat

Sit = Callable[..., AbstractAsyncContextManager["Sat"]]


@asynccontextmanager
async def locked(workspace: Workspace) -> AsyncIterator[sqlite3.Connection]:
    """Somebody else writes, and takes their time."""
    path = workspace.root / "curate.db"
    other = await asyncio.to_thread(
        lambda: sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    )
    try:
        other.execute("BEGIN IMMEDIATE")
        yield other
    finally:
        other.close()


async def shows(sat: Sat, words: str) -> None:
    """Wait until the screen says so."""
    until = time.monotonic() + 60
    while words not in sat.text:
        assert time.monotonic() < until, sat.text
        await sat.pilot.pause(0.05)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch, lending: Workspace) -> Workspace:
    """SQLite itself waits shortly, so that what happens after that is seen soon."""
    monkeypatch.setattr(files, "BUSY_MS", 100)
    lending.close()
    return lending


async def test_a_decision_waits_for_the_lock_with_a_sign_and_lands_when_it_is_gone(
    sit: Sit, impatient: Workspace
) -> None:
    async with sit((120, 40)) as sat:
        await sat.press("enter")
        async with locked(impatient) as other:
            await sat.pilot.press("enter")
            await shows(sat, "⧖ waiting 1 s: curate.db is locked by another process")
            assert not await sat.ask(lambda ws: ws.store.items())

            await sat.pilot.press("2")  # nothing is frozen: another passage is looked at
            await shows(sat, "▌ 2")
            await sat.pilot.press("u", "w")  # nor is anything forgotten that is keyed meanwhile
            other.execute("ROLLBACK")
        await sat.settle()
        await shows(sat, "1 of 5")

        (item,) = await sat.ask(lambda ws: ws.store.items())
        assert (item.answerable, item.status) == (False, "ready")
        changes = await sat.ask(lambda ws: ws.store.revisions(item.id))
        assert [change.action for change in changes] == ["change", "change", "make"]
        assert "⧖" not in sat.text


async def test_sqlites_own_wait_shows_too(
    sit: Sit, lending: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errands, "SLOW", 0.2)
    async with sit((40, 10)) as sat:
        await sat.press("enter")
        async with locked(lending) as other:
            await sat.pilot.press("enter")
            await shows(sat, "⧖ saving …")
            await sat.pilot.resize_terminal(80, 24)
            await shows(sat, "⧖ saving …")
            other.execute("ROLLBACK")
        await sat.settle()
        await shows(sat, "draft, saved 21:00:00 by dara-k")

        (item,) = await sat.ask(lambda ws: ws.store.items())
        assert len(item.evidences) == 1


async def test_a_lock_that_never_goes_is_an_error_at_last_and_what_was_planned_is_dropped(
    sit: Sit, impatient: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errands, "PATIENCE", 0.5)
    async with sit((120, 40)) as sat:
        await sat.press("enter")
        async with locked(impatient) as other:
            await sat.pilot.press("enter", "w")
            await shows(sat, "Try again when it has finished.")
            other.execute("ROLLBACK")
        await sat.press("escape", "enter")

        (item,) = await sat.ask(lambda ws: ws.store.items())
        assert item.status == "draft"


async def test_an_error_is_shown_until_it_is_read_and_nothing_planned_after_it_is_done(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> Item:
        raise CurateError("the disk is full", "Free some space.")

    async with sit() as sat:
        await sat.press("enter")
        monkeypatch.setattr(Store, "save_item", refuse)
        await sat.pilot.press("enter", "w")
        await sat.settle()
        assert "the disk is full" in sat.text
        assert "Free some space." in sat.text

        monkeypatch.undo()
        await sat.press("enter")
        assert "no evidence yet" in sat.text

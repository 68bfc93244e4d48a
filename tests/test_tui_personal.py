"""The curator's hand on personal data, in the review screen."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from curate import config
from curate.model.errors import CurateError
from curate.tui.screens.original import Original
from curate.tui.screens.review import ReviewScreen
from curate.workspace.workspace import Workspace
from tests.conftest import NOW

if TYPE_CHECKING:
    from tests.conftest import Sat

Sit = Callable[..., AbstractAsyncContextManager["Sat"]]


async def test_what_was_missed_is_taken_out_of_record_and_item_at_once(sit: Sit) -> None:
    async with sit((120, 40)) as sat:
        await sat.press("enter", "enter", "p")
        assert "Which words are personal?" in sat.text
        await sat.press("j", "j", "j", "j", "2")

        record, item = await sat.ask(lambda ws: (ws.store.record(1), next(iter(ws.store.items()))))
        assert record.question.text == "can i keep the <PHONE_NUMBER_1> longer than a week?"
        assert item.question == "can i keep the <PHONE_NUMBER_1> longer than a week?"
        assert isinstance(sat.app.screen, ReviewScreen)
        assert "can i keep the <PHONE_NUMBER_1> longer" in sat.text
        assert "taken out <PHONE_NUMBER_1> (curator)" in sat.text
        acts = await sat.ask(lambda ws: [one.action for one in ws.store.audits()])
        assert "redaction" in acts


async def test_a_miss_is_reported_to_the_list_of_names(sit: Sit) -> None:
    async with sit((120, 40)) as sat:
        await sat.press("enter", "p", "j", "j", "j", "j", "d")

        assert config.terms(sat.workspace.root / "deny.txt") == ("laptop",)
        record = await sat.ask(lambda ws: ws.store.record(1))
        assert record.question.text == "can i keep the <PERSON_1> longer than a week?"


async def test_escape_marks_nothing(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "p", "v", "right", "escape", "escape")

        assert isinstance(sat.app.screen, ReviewScreen)
        record = await sat.ask(lambda ws: ws.store.record(1))
        assert record.question.text == "can i keep the laptop longer than a week?"


async def test_an_original_that_was_never_kept_is_an_error_with_a_way_out(sit: Sit) -> None:
    async with sit() as sat:
        await sat.press("enter", "r")

        assert "That did not work" in sat.text


async def test_neutral_words_stand_in_for_placeholders(sit: Sit) -> None:
    async with sit((120, 40)) as sat:
        await sat.press("end", "up", "enter", "u", "N")
        items = await sat.ask(lambda ws: ws.store.items())
        assert "<" not in items[0].question


@pytest.fixture
def redacted(demo: Path) -> Workspace:
    """A demo workspace, in which names were taken out and originals are kept."""
    clock = datetime.fromisoformat(NOW)
    return Workspace.open(demo, lambda: clock, "dara-k")


def with_redactions(workspace: Workspace) -> tuple[int, str]:
    """A candidate to look at whose question had a name in it, and that question."""
    for candidate in workspace.store.candidates(workspace.store.candidate_ids()):
        record = workspace.store.record(candidate.record)
        if "<PERSON_1>" in record.question.text and kept(workspace, record.id):
            return candidate.id, record.question.text
    raise AssertionError("the demo's log has no name in it whose original is kept")


def kept(workspace: Workspace, record: int) -> bool:
    try:
        workspace.originals.one(workspace.store.key(record))
    except CurateError:
        return False
    return True


@pytest.mark.presidio
async def test_an_original_shows_until_the_next_key_and_what_was_none_is_put_back(
    sit: Sit, redacted: Workspace
) -> None:
    async with sit((120, 40), workspace=redacted) as sat:
        candidate, before = await sat.ask(with_redactions)
        index = sat.app.screen.listing._keys.index(candidate)
        sat.app.screen.listing.cursor = index
        await sat.settle()
        await sat.press("enter", "u", "r")
        assert isinstance(sat.app.screen, Original)
        head, _, tail = before.partition("<PERSON_1>")
        shown = " ".join(sat.text.split())
        assert head.split("<")[0].strip()[:30] in shown
        await sat.press("w")
        assert isinstance(sat.app.screen, ReviewScreen)
        assert "1 of" in sat.text or "draft" in sat.text
        entries = await sat.ask(lambda ws: ws.store.audits())
        assert [(one.action, one.by) for one in entries[:1]] == [("reveal", "dara-k")]

        await sat.press("U")
        row = next(line for line in sat.text.splitlines() if "<PERSON_1>, found by" in line)
        await sat.press(row.partition("<PERSON_1>")[0].split()[-1])
        record = await sat.ask(lambda ws: ws.store.record(ws.store.candidate(candidate).record))
        assert "<PERSON_1>" not in record.question.text
        assert head in record.question.text
        assert tail in record.question.text
        item = await sat.ask(lambda ws: ws.store.item(str(ws.store.candidate(candidate).item)))
        assert item.question == record.question.text

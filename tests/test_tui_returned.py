"""What moved or failed comes back: on top of the inbox, marked in the set, named in one key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from curate.evaluate.answers import Label
from curate.model.evaluation import Failure
from curate.tui.returned import LABELS, counts, returned
from curate.workspace.workspace import Workspace
from tests.desk import add

if TYPE_CHECKING:
    from tests.conftest import Sat

Sit = Callable[..., AbstractAsyncContextManager["Sat"]]
RUN = "sha256:" + "7" * 64


def failed(workspace: Workspace, **labels: str) -> None:
    """Items of these ids, which failed in a run."""
    for name in labels:
        add(workspace, f"what about {name}?", "laptops.md", "costs 2 dollars a day", name)
    found = [
        Failure(name, RUN, label, f"why {name} failed", workspace.now())
        for name, label in labels.items()
    ]
    workspace.store.add_failures(RUN, found)


def moved(workspace: Workspace) -> None:
    """An item whose heading is another one now."""
    add(workspace, "how long may i keep it?", "laptops.md", "borrow a laptop for up to 7", "keep")
    path = workspace.root / "docs" / "laptops.md"
    path.write_text(path.read_text("utf-8").replace("## How long", "## Period"), encoding="utf-8")


def both(workspace: Workspace) -> None:
    """One that moved, two that failed."""
    failed(workspace, late="retrieval miss", fee="generation")
    moved(workspace)


def rows(sat: Sat) -> list[str]:
    """The lines of the list."""
    lines = sat.text.splitlines()
    start = next(index for index, line in enumerate(lines) if " question" in line) + 1
    end = next(index for index, line in enumerate(lines) if "────" in line)
    return [line.strip() for line in lines[start:end] if line.strip()]


def screen(sat: Sat) -> str:
    """The name of the screen that is shown."""
    return type(sat.app.screen).__name__


async def test_what_moved_and_what_failed_come_back_on_top_of_the_inbox_with_their_reasons(
    sit: Sit, lending: Workspace
) -> None:
    await asyncio.to_thread(both, lending)
    async with sit((120, 40)) as sat:
        first, second, third, fourth, *_ = rows(sat)

        assert "⟲ evidence moved: laptops.md" in first
        assert "✗ generation?" in second
        assert "✗ retrieval miss?" in third
        assert fourth.startswith("▌"), "the cursor stays where it was"
        assert "6 to look at   ⟲ 3 back" in sat.text
        await sat.press("up")
        await sat.pilot.pause(0.1)
        await sat.settle()
        assert "failed retrieval miss proposed  why late failed" in sat.text
        assert "c confirm" in sat.text
        assert "x reject" not in sat.text


async def test_enter_opens_what_moved_in_the_walk_and_what_failed_as_an_item(
    sit: Sit, lending: Workspace
) -> None:
    await asyncio.to_thread(both, lending)
    async with sit((120, 40)) as sat:
        await sat.press("home", "enter")
        assert screen(sat) == "DriftScreen"
        assert "keep" in sat.text
        assert "↷ moved  in laptops.md › How long" in sat.text
        await sat.press("enter", "escape")
        assert "evidence moved" not in sat.text
        assert "⟲ 2 back" in sat.text
        await sat.press("home", "enter")
        assert screen(sat) == "ReviewScreen"
        assert "what about fee?" in sat.text
        assert "✗ failed generation proposed  why fee failed" in " ".join(sat.text.split("│"))


async def test_a_label_is_confirmed_or_changed_in_one_key_and_the_next_one_is_there(
    sit: Sit, lending: Workspace
) -> None:
    await asyncio.to_thread(both, lending)
    async with sit((120, 40)) as sat:
        await sat.press("home", "down", "c")
        assert "✓ fee: generation, saved 21:00:00 by dara-k" in sat.text
        assert rows(sat)[1].startswith("▌ ✗ retrieval miss?")
        await sat.press("2")

        failures = await sat.ask(lambda ws: ws.store.failures())
        assert {(one.item, one.confirmed, one.by) for one in failures} == {
            ("fee", "generation", "dara-k"),
            ("late", "bad chunk", "dara-k"),
        }
        assert "⟲ 1 back" in sat.text


async def test_in_the_set_failures_are_listed_alone_counted_and_a_confirmation_is_taken_back(
    sit: Sit, lending: Workspace
) -> None:
    await asyncio.to_thread(both, lending)
    async with sit((120, 40)) as sat:
        await sat.press("i")
        assert "⟲ moved" in sat.text
        assert "✗ generation?" in sat.text
        await sat.press("f", "3")
        assert "0 of 2 confirmed: 1 generation, 1 retrieval miss" in sat.text
        assert "how long may i keep it?" not in sat.text
        assert "failed generation proposed  why fee failed" in sat.text

        await sat.press("5")
        assert "1 of 2 confirmed: 1 stale document, 1 retrieval miss" in sat.text
        assert "failed stale document confirmed by dara-k" in sat.text
        await sat.press("c")
        assert "0 of 2 confirmed" in sat.text
        await sat.press("escape")
        assert "how long may i keep it?" in sat.text


def test_every_label_can_be_given_and_says_what_it_means() -> None:
    assert {label for label, _words in LABELS} == set(get_args(Label)) - {""}
    assert all(words for _label, words in LABELS)


def test_what_left_the_set_does_not_come_back(lending: Workspace) -> None:
    failed(lending, late="retrieval miss", fee="no reply")
    lending.save(replace(lending.store.item("fee"), status="retired"))

    assert [one.item.id for one in returned(lending)] == ["late"]
    assert counts(returned(lending)) == "0 of 1 confirmed: 1 retrieval miss"
    assert counts(()) == ""


async def test_a_question_that_is_an_item_already_says_which(sit: Sit, lending: Workspace) -> None:
    def made(workspace: Workspace) -> None:
        question = "Can I keep the laptop longer than a week?"
        add(workspace, question, "laptops.md", "borrow a laptop for up to 7", "keep-longer")
        workspace.rerank()

    await asyncio.to_thread(made, lending)
    async with sit((120, 40)) as sat:
        at = next(n for n, row in enumerate(rows(sat)) if "= keep-longer asks the same" in row)
        await sat.press(*["down"] * at, "d", "enter")

        assert "asks the same" not in sat.text


async def test_ready_items_without_a_holdout_are_loud(sit: Sit, lending: Workspace) -> None:
    async with sit() as sat:
        assert "0 holdout" not in sat.text
    await asyncio.to_thread(
        add, lending, "how long?", "laptops.md", "borrow a laptop for up to 7", "keep"
    )
    async with sit() as sat:
        assert "✗ 0 holdout" in sat.text
        await sat.press("i")
        assert "✗ 0 in the holdout" in sat.text
    await asyncio.to_thread(
        lambda: lending.save(replace(lending.store.item("keep"), split="holdout"))
    )
    async with sit() as sat:
        assert "0 holdout" not in sat.text

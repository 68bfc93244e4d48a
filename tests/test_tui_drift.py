"""What moved in the documents or the chunks is walked through, one key each."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import TYPE_CHECKING

from curate.model.items import ChunkLabel
from curate.tui import walk
from curate.workspace.upkeep import chunking
from curate.workspace.workspace import Workspace
from tests.desk import add

if TYPE_CHECKING:
    from tests.conftest import Sat

Sit = Callable[..., AbstractAsyncContextManager["Sat"]]


def made(workspace: Workspace, edits: Mapping[str, str] | None = None) -> None:
    """Two items, and the document they quote changed after that."""
    add(workspace, "how long may i keep it?", "laptops.md", "borrow a laptop for up to 7 days", "a")
    add(workspace, "what does late cost?", "laptops.md", "costs 2 dollars a day", "b")
    path = workspace.root / "docs" / "laptops.md"
    text = path.read_text("utf-8")
    for old, new in (edits or {}).items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    workspace.corpus.sync()


def answered(workspace: Workspace) -> None:
    """An item that nothing answered, and a document that does now."""
    item = replace(workspace.fresh("may i borrow a drone?"), id="drone")
    workspace.save(workspace.settle(workspace.unanswerable(item)))
    (workspace.root / "docs" / "drones.md").write_text(
        "# Drones\n\nMembers may borrow a drone on Mondays.\n", encoding="utf-8"
    )
    workspace.corpus.sync()


def unsure(workspace: Workspace) -> None:
    """An item whose chunk a remap was not sure of."""
    made(workspace)
    rows = [
        {"id": "x1", "source": "laptops.md", "text": "You may borrow a laptop for up to 7 days."},
        {"id": "x2", "source": "laptops.md", "text": "You may borrow a laptop for up to 7 days!"},
        {"id": "x3", "source": "faq.md", "text": "Members may borrow one device at a time."},
    ]
    path = workspace.root / "chunks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    chunking.add(workspace, "small", path)
    item = workspace.store.item("a")
    label = ChunkLabel(
        "small", ("x1", "x2"), "ambiguous", "stands twice", chunking.fingerprint(item)
    )
    workspace.save(chunking.labelled(item, label, "small"))


def test_a_keyword_is_proposed_anew_only_where_its_passage_held_it(lending: Workspace) -> None:
    made(lending)
    item = lending.store.item("b")
    text, words = lending.corpus.document("laptops.md").text, "borrow a laptop for up to 7 days"
    span = (text.index(words), text.index(words) + len(words))

    own = walk.replaced(lending, replace(item, keyword="two dollars"), 0, "laptops.md", span)
    assert (own.evidences[0].phrase, own.keyword) == (words, "two dollars")
    assert walk.replaced(lending, item, 0, "laptops.md", span).keyword in words


async def test_reworded_and_lost_evidence_is_walked_through_and_taken_or_given_up(
    sit: Sit, lending: Workspace
) -> None:
    edits = {
        "You may borrow a laptop for up to 7 days": "Seven days it is",
        "A laptop that comes back late costs 2 dollars a day.": "Be kind.",
    }
    await asyncio.to_thread(made, lending, edits)
    async with sit((120, 40)) as sat:
        await sat.press("D")
        assert "what moved   1 of 2" in sat.text
        assert "borrow a laptop for up to 7 days" in sat.text
        assert "✗ lost" in sat.text
        assert "▌ 1 laptops.md › How long" in sat.text, "the section that was quoted comes first"
        await sat.press("slash")
        await sat.type("seven days")
        await sat.press("enter", "enter")

        (first, second) = await sat.ask(lambda ws: ws.store.items())
        assert first.evidences[0].phrase.startswith("Seven days it is")
        assert first.status == "ready"
        assert "what moved   1 of 1" in sat.text
        await sat.press("l")
        second = await sat.ask(lambda ws: ws.store.item(second.id))
        assert (second.status, second.answerable, second.evidences) == ("draft", None, ())
        assert "2 done. Everything stands where the items say." in sat.text

        await sat.press("z")
        assert "what moved   1 of 1" in sat.text
        assert (await sat.ask(lambda ws: ws.store.item(second.id))).status == "ready"


async def test_evidence_that_moved_is_one_key_to_take(sit: Sit, lending: Workspace) -> None:
    await asyncio.to_thread(made, lending, {"## How long": "## Loan period"})
    async with sit((80, 24)) as sat:
        await sat.press("D")
        assert "↷ moved" in sat.text
        await sat.press("enter")

        item = await sat.ask(lambda ws: ws.store.item("a"))
        assert item.evidences[0].heading == "Loan period"
        assert "Everything stands" in sat.text


async def test_an_absence_that_is_disputed_is_confirmed_or_answered(
    sit: Sit, lending: Workspace
) -> None:
    await asyncio.to_thread(answered, lending)
    async with sit((120, 40)) as sat:
        await sat.press("D")
        assert "drones.md › Drones answers" in sat.text
        await sat.press("enter")

        item = await sat.ask(lambda ws: ws.store.item("drone"))
        assert item.answerable is True
        assert item.evidences[0].phrase == "Members may borrow a drone on Mondays."


async def test_chunks_that_a_remap_was_not_sure_of_are_chosen(sit: Sit, lending: Workspace) -> None:
    await asyncio.to_thread(unsure, lending)
    async with sit((120, 40)) as sat:
        await sat.press("D")
        assert "ambiguous: stands twice" in sat.text
        assert "laptops.md › x1" in sat.text
        await sat.press("2", "enter")

        item = await sat.ask(lambda ws: ws.store.item("a"))
        assert [(one.chunks, one.status) for one in item.labels] == [(("x2",), "chosen")]


async def test_several_chunks_are_taken_together_and_others_are_searched(
    sit: Sit, lending: Workspace
) -> None:
    await asyncio.to_thread(unsure, lending)
    async with sit((120, 40)) as sat:
        await sat.press("D", "plus")
        assert "taken together: x1, …" in sat.text
        await sat.press("slash")
        await sat.type("one device")
        await sat.pilot.pause(0.3)
        await sat.settle()
        assert "passages  1 found for “one device”" in sat.text
        await sat.press("enter", "enter")

        item = await sat.ask(lambda ws: ws.store.item("a"))
        assert [(one.chunks, one.status) for one in item.labels] == [(("x1", "x3"), "chosen")]
        assert "1 done. Everything stands where the items say." in sat.text
        await sat.press("z")
        assert "ambiguous: stands twice" in sat.text


async def test_chunks_in_a_script_without_spaces_are_found(sit: Sit, lending: Workspace) -> None:
    def chunked(workspace: Workspace) -> None:
        path = workspace.root / "chunks.jsonl"
        texts = ("The desk opens at 8:00.", "តុបើកម៉ោង 8 ព្រឹក ដល់ម៉ោង 5 ល្ងាច។ ថ្ងៃសៅរ៍បើកម៉ោង 10។")
        rows = [
            {"id": f"k{number}", "source": "km.md", "text": text}
            for number, text in enumerate(texts)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        chunking.add(workspace, "small", path)

    await asyncio.to_thread(chunked, lending)

    found = await asyncio.to_thread(walk.near, lending, "ថ្ងៃសៅរ៍បើកម៉ោងប៉ុន្មានដែរ")
    assert [passage.section.heading for passage in found] == ["k1"]
    proposed = await asyncio.to_thread(walk.near, lending, "ព្រឹក", ["k0"])
    assert [passage.section.heading for passage in proposed] == ["k0", "k1"]


async def test_none_of_the_proposed_chunks_lets_those_count_that_hold_the_evidence(
    sit: Sit, lending: Workspace
) -> None:
    await asyncio.to_thread(unsure, lending)
    async with sit((80, 24)) as sat:
        await sat.press("D", "l")

        assert not (await sat.ask(lambda ws: ws.store.item("a"))).labels
        assert not await sat.ask(lambda ws: ws.waiting())
        assert "Everything stands" in sat.text


async def test_what_is_passed_over_stays_as_it_is(sit: Sit, lending: Workspace) -> None:
    await asyncio.to_thread(made, lending, {"## How long": "## Loan period"})
    async with sit((100, 30)) as sat:
        await sat.press("D", "s")

        assert "1 left as they are" in sat.text
        assert "l lost" not in sat.text
        assert (await sat.ask(lambda ws: ws.store.item("a"))).evidences[0].heading == "How long"


async def test_a_key_pressed_twice_takes_one_step(sit: Sit, lending: Workspace) -> None:
    edits = {"## How long": "## Loan period", "## Late returns": "## Fees"}
    await asyncio.to_thread(made, lending, edits)
    async with sit((100, 30)) as sat:
        await sat.press("D")
        assert "1 of 2" in sat.text
        await sat.pilot.press("enter", "enter")
        await sat.settle()

        changes = await sat.ask(lambda ws: ws.store.revisions())
        assert [change.subject for change in changes if change.reason].count("a") == 1


async def test_nothing_moved_says_so(sit: Sit) -> None:
    async with sit((40, 10)) as sat:
        await sat.press("D")
        assert "Everything stands" in sat.text
        await sat.press("enter", "l", "s", "escape")
        assert "to look at" in sat.text

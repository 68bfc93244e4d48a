"""What a curator types is looked through before it is stored."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from curate.model.items import Item
from curate.workspace.wording import PersonalData
from curate.workspace.workspace import Workspace
from tests.conftest import Curate
from tests.desk import Harmless, add, stubbed

if TYPE_CHECKING:
    from tests.conftest import Sat

Sit = Callable[..., AbstractAsyncContextManager["Sat"]]


@pytest.fixture
def desk(lending: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A lending desk with one ready item, which the command line finds."""
    monkeypatch.setattr(Workspace, "anonymiser", Harmless())
    monkeypatch.setenv("CURATE_WORKSPACE", str(lending.root))
    add(lending, "when is it due back?", "laptops.md", "up to 7 days", "how-long-1")
    return lending


def bytes_of(root: Path) -> bytes:
    return b"".join(path.read_bytes() for path in root.glob("curate.db*"))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"question": "Sokha asks when it is due"}, "question"),
        ({"note": "as Sokha told"}, "note"),
        ({"reference": "ask Sokha"}, "reference"),
        ({"must_include": ("Sokha",)}, "must include"),
        ({"tags": ("Sokha",)}, "tags"),
        ({"kind": "as Sokha asks"}, "kind"),
    ],
)
def test_new_words_with_personal_data_are_refused_by_kind_and_field_and_never_quoted(
    desk: Workspace, change: dict[str, object], field: str
) -> None:
    item = desk.store.item("how-long-1")
    with pytest.raises(PersonalData) as refused:
        desk.save(replace(item, **change))  # type: ignore[arg-type]
    assert refused.value.found == f"PERSON in {field}"
    assert "Sokha" not in refused.value.message + refused.value.hint
    assert desk.store.item("how-long-1") == item


def test_only_new_words_are_looked_through(desk: Workspace) -> None:
    item = desk.store.item("how-long-1")
    kept = desk.save(replace(item, note="as Sokha told"), as_is=True)
    assert desk.save(replace(kept, split="holdout", keyword="7")).note == "as Sokha told"


def test_words_of_the_log_were_anonymised_when_they_came_in(desk: Workspace) -> None:
    draft = replace(desk.draft(desk.store.candidate(1)), original="Sokha?", question="Sokha?")
    assert desk.save(draft, candidate=1).question == "Sokha?"
    with pytest.raises(PersonalData):
        desk.save(desk.fresh("is Sokha there?"))


def test_no_model_is_asked_where_nothing_was_typed(
    desk: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Harmless, "scan", None)
    item = desk.store.item("how-long-1")
    start = desk.corpus.document("laptops.md").text.index("2 dollars")
    desk.save(desk.attach(replace(item, split="holdout"), "laptops.md", start, start + 9))


def test_what_stands_in_the_documents_may_be_typed(desk: Workspace) -> None:
    page = desk.root / "docs" / "desk.md"
    page.write_text("# Desk\n\nWrite to sokha@mail.example.org or ask Sokha Chan.\n", "utf-8")
    desk.corpus.sync()
    item = desk.store.item("how-long-1")
    saved = desk.save(replace(item, note="sokha@mail.example.org knows", must_include=("Sokha",)))
    assert saved.must_include == ("Sokha",)


@pytest.mark.parametrize("option", ["--question", "--note", "--reason", "--reference"])
def test_set_refuses_what_looks_personal_and_leaves_no_trace_of_it(
    desk: Workspace, curate: Curate, option: str
) -> None:
    ran = curate("items", "set", "how-long-1", option, "Sokha wants it back")
    assert ran.code == 1
    assert f"PERSON in {option[2:]}" in ran.err
    assert "--as-is" in ran.err
    assert "Sokha" not in ran.out + ran.err
    assert b"Sokha wants" not in bytes_of(desk.root)


def test_set_keeps_it_where_it_is_wanted(desk: Workspace, curate: Curate) -> None:
    given = ("--note", "Sokha wants it", "--reason", "Sokha said so")
    assert curate("items", "set", "how-long-1", *given, "--as-is").code == 0
    assert desk.store.item("how-long-1").note == "Sokha wants it"


@pytest.mark.parametrize(
    "command",
    [
        ("items", "reject", "c1"),
        ("items", "merge", "c1", "c2"),
        ("items", "split", "c1", "1"),
        ("chunks", "label", "how-long-1"),
        ("check", "--allow", "how-long-1", "person"),
    ],
)
def test_reasons_are_looked_through_everywhere(
    desk: Workspace, curate: Curate, command: tuple[str, ...]
) -> None:
    ran = curate(*command, "--reason", "for Sokha")
    assert ran.code == 1
    assert "PERSON in reason" in ran.err
    assert b"for Sokha" not in bytes_of(desk.root)


def only(workspace: Workspace) -> Item:
    (item,) = workspace.store.items()
    return item


async def test_the_screens_ask_and_show_again_what_was_typed(sit: Sit, lending: Workspace) -> None:
    async with sit(workspace=stubbed(lending)) as sat:
        await sat.press("enter", "enter", "n")
        await sat.type("Sokha said")
        await sat.press("enter")
        assert "PERSON in note" in sat.text
        assert (await sat.ask(only)).note == ""

        await sat.press("escape")
        assert "Sokha said" in sat.text
        await sat.press("enter", "1")
        await sat.press("home", *["delete"] * 5)
        await sat.type("they")
        await sat.press("enter")
        assert (await sat.ask(only)).note == "they said"


async def test_the_screens_keep_it_where_that_is_confirmed(sit: Sit, lending: Workspace) -> None:
    async with sit(workspace=stubbed(lending)) as sat:
        await sat.press("enter", "enter", "e")
        await sat.type(" Sokha")
        await sat.press("enter", "2")
        assert (await sat.ask(only)).question.endswith("week? Sokha")


async def test_keys_that_came_after_refused_words_decide_nothing(
    sit: Sit, lending: Workspace
) -> None:
    async with sit(workspace=stubbed(lending)) as sat:
        await sat.press("enter", "enter", "n")
        await sat.type("Sokha")
        await sat.pilot.press("enter", "w")
        await sat.settle()
        assert "PERSON in note" in sat.text
        assert (await sat.ask(only)).status == "draft"


@pytest.mark.parametrize("keys", [("x",), ("enter", "x")])
async def test_a_reason_of_ones_own_is_looked_through_too(
    sit: Sit, lending: Workspace, keys: tuple[str, ...]
) -> None:
    async with sit(workspace=stubbed(lending)) as sat:
        await sat.press(*keys, "e")
        await sat.type("Sokha")
        await sat.press("enter")
        assert "PERSON in reason" in sat.text
        assert (await sat.ask(lambda ws: ws.store.candidate(1))).status == "open"

        await sat.press("1")
        await sat.type(" again")
        await sat.press("enter", "2")
        decided = await sat.ask(lambda ws: ws.store.revisions("c1")[0])
        assert (decided.action, decided.reason) == ("rejected", "Sokha again")

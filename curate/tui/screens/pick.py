"""Choosing an item by typing a part of it."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from curate.model.items import Item
from curate.text import one_line
from curate.tui.desk import Desk
from curate.tui.errands import WorkScreen
from curate.tui.widgets import signs
from curate.tui.widgets.virtual_list import VirtualList
from curate.workspace.workspace import Workspace


class PickItem(WorkScreen[str | None], ModalScreen[str | None]):
    """Asks for an item; what is like `near` comes first. None when it was left with Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "back"),
        Binding("down", "move(1)", "down", show=False, priority=True),
        Binding("up", "move(-1)", "up", show=False, priority=True),
    ]

    def __init__(self, desk: Desk, title: str, near: str = "") -> None:
        super().__init__(desk)
        self._title = title
        self._near = near

    def compose(self) -> ComposeResult:
        """Lay out the field and the list."""
        with Vertical(classes="dialog -tall"):
            yield Static(Content(self._title), classes="dialog--title")
            yield Input(placeholder="a word of its question, id or source", compact=True)
            yield VirtualList(self._draw, empty="no item like that", id="items")
            yield Static(Content("⏎ choose   ↑↓ move   Esc back"), classes="dialog--keys")

    def on_mount(self) -> None:
        """Show the whole set."""
        self._look("")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._look(event.value)

    def _look(self, text: str) -> None:
        near = self._near

        def run(workspace: Workspace) -> list[Item]:
            there = (i for i in workspace.store.items() if i.status in ("draft", "ready"))
            return alike(list(there), text, near)

        self.fetch("items", run, self._show)

    def _show(self, items: list[Item]) -> None:
        rows = self.query_one(VirtualList)
        rows.show([item.id for item in items], {item.id: item for item in items})

    def _draw(self, item: Item, width: int) -> Content:
        name = Content.styled(one_line(item.id), "bold").truncate(28, ellipsis=True, pad=True)
        return Content.assemble(name, " ", signs.spoken_line(item.question))

    def action_move(self, by: int) -> None:
        """Move in the list without leaving the field."""
        self.query_one(VirtualList).action_move(by)

    @on(Input.Submitted)
    def _chosen(self) -> None:
        self.query_one(VirtualList).action_select()

    @on(VirtualList.Opened)
    def _opened(self, event: VirtualList.Opened) -> None:
        self.dismiss(event.key)


def alike(items: list[Item], text: str, near: str = "") -> list[Item]:
    """Return the items that hold every word of `text`, those that share words with `near` first."""
    wanted = text.casefold().split()
    words = set(near.casefold().split())

    def haystack(item: Item) -> str:
        sources = " ".join(evidence.source for evidence in item.evidences)
        return f"{item.id} {item.question} {sources}".casefold()

    found = [item for item in items if all(word in haystack(item) for word in wanted)]
    return sorted(found, key=lambda i: (-len(words & set(i.question.casefold().split())), i.id))

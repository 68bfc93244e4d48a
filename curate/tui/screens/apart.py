"""Taking a candidate apart: which of its askings ask something else."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from curate.model.records import Candidate, Record
from curate.tui.desk import Desk
from curate.tui.errands import WorkScreen
from curate.tui.widgets import signs
from curate.tui.widgets.virtual_list import VirtualList


class TakeApart(WorkScreen[tuple[int, ...] | None], ModalScreen[tuple[int, ...] | None]):
    """Asks which records of a candidate shall be one of their own; None when left with Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "mark"),
        Binding("enter", "done", "done"),
        Binding("escape", "leave", "back"),
    ]

    def __init__(self, desk: Desk, candidate: Candidate) -> None:
        super().__init__(desk)
        self._candidate = candidate
        self._chosen: set[int] = set()

    def compose(self) -> ComposeResult:
        """Lay out the askings."""
        with Vertical(classes="dialog -tall"):
            yield Static(Content("Which of these ask something else?"), classes="dialog--title")
            yield VirtualList(self._draw, empty="reading …", id="records")
            keys = "Space mark   ⏎ take the marked ones out   ↑↓ move   Esc back"
            yield Static(Content(keys), classes="dialog--keys")

    def on_mount(self) -> None:
        """Read the askings."""
        self.query_one(VirtualList).focus()
        candidate = self._candidate.id
        self.fetch("records", lambda ws: ws.store.records(candidate), self._show)

    def _show(self, records: list[Record]) -> None:
        listing = self.query_one(VirtualList)
        listing.show([record.id for record in records], {record.id: record for record in records})

    def _draw(self, record: Record, width: int) -> Content:
        sign = ("✚ ", "bold $text-accent") if record.id in self._chosen else "  "
        return Content.assemble(sign, signs.spoken_line(record.question.text))

    def action_mark(self) -> None:
        """Mark the asking, or take the mark off, and move on."""
        listing = self.query_one(VirtualList)
        if listing.key is not None:
            self._chosen ^= {listing.key}
            listing.action_move(1)
            listing.redraw()

    def action_done(self) -> None:
        """Take the marked ones out; all of them would leave nothing behind."""
        if 0 < len(self._chosen) < self.query_one(VirtualList).count:
            self.dismiss(tuple(sorted(self._chosen)))
        else:
            self.notify("Mark some of them, not all.", markup=False)

    def action_leave(self) -> None:
        """Change nothing."""
        self.dismiss(None)

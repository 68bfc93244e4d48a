"""Putting candidates together that ask the same, and taking one apart that does not."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.getters import query_one

from curate.model.records import Candidate
from curate.tui.desk import Desk
from curate.tui.screens.apart import TakeApart
from curate.tui.screens.narrowing import NarrowingScreen
from curate.tui.widgets import signs
from curate.tui.widgets.virtual_list import VirtualList


class GroupingScreen(NarrowingScreen):
    """A screen that lists candidates, of which some can be marked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "mark", tooltip="Mark, to put together", show=False, id="mark"),
        Binding("m", "merge", "put together", tooltip="Put the marked ones together", id="merge"),
        Binding("S", "split", "take apart", tooltip="Take a candidate apart", id="split"),
    ]

    listing = query_one("#candidates", VirtualList)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.marked: set[int] = set()

    @property
    def candidate(self) -> Candidate | None:
        """The candidate under the cursor."""
        raise NotImplementedError

    def acknowledge(self, what: str) -> None:
        """Say what was stored."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done with the row under the cursor and the marked ones."""
        if action in {"mark", "merge", "split"}:
            candidate = self.candidate if self.is_mounted else None
            if candidate is None or candidate.status != "open":
                return False
            if action == "merge":
                return bool(self.marked - {candidate.id})
            return action == "mark" or candidate.size > 1
        return super().check_action(action, parameters)

    def action_mark(self) -> None:
        """Mark the candidate, or take the mark off, and move on."""
        candidate = self.candidate
        if candidate is not None:
            self.marked ^= {candidate.id}
            self.listing.action_move(1)
            self.listing.redraw()
            self.refresh_bindings()

    def action_merge(self) -> None:
        """Put the marked candidates together with the one under the cursor."""
        candidate = self.candidate
        if candidate is None:
            return
        others = sorted(self.marked - {candidate.id})

        def then(now: Candidate) -> None:
            self.marked.clear()
            self._regrouped(f"put together, {signs.askings(now)}")

        self.decide(lambda: (lambda ws: ws.merge(candidate.id, others), then))

    def action_split(self) -> None:
        """Let some askings of the candidate be one of their own."""
        candidate = self.candidate
        if candidate is None:
            return

        def chosen(records: tuple[int, ...] | None) -> None:
            if records:
                self.decide(
                    lambda: (
                        lambda ws: ws.split(candidate.id, records),
                        lambda made: self._regrouped(f"taken apart, {signs.askings(made)}"),
                    )
                )

        self.app.push_screen(TakeApart(self.desk, candidate), chosen)

    def _regrouped(self, what: str) -> None:
        self.desk.sitting.stamp += 1
        self.acknowledge(what)
        self.look()

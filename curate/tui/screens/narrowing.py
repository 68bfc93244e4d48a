"""Choosing what a list of candidates holds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.reactive import reactive

from curate.tui import desk as desk_
from curate.tui.desk import Values
from curate.tui.filters import DAYS, MORE, PRESETS, Filter, week
from curate.tui.screens.ask import Choose
from curate.tui.screens.titled import TitledScreen


class NarrowingScreen(TitledScreen):
    """A screen that lists candidates, and what it lists can be chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "filter", "filter", tooltip="Filter by whatever is known", id="filter"),
    ]

    narrowed: reactive[Filter] = reactive(Filter(), repaint=False, bindings=True, init=False)

    def look(self) -> None:
        """Read what is listed."""
        raise NotImplementedError

    def action_filter(self) -> None:
        """Choose what is listed."""

        def chosen(value: str | None) -> None:
            if value == "free":
                self._narrow(self.narrowed.told(value, ""))
            elif value == "seed":
                self._narrow(self.narrowed.told(value, week(self.desk.workspace.now())))
            elif value == "days":
                self._narrow_by("days", DAYS)
            elif value in dict(MORE):
                self.fetch("values", desk_.values, partial(self._offer, value))
            elif value is not None:
                self._narrow(self.narrowed.chosen(value))

        self.app.push_screen(Choose("Show", (*PRESETS, *MORE), chosen=self.narrowed.preset), chosen)

    def _offer(self, key: str, found: Values) -> None:
        known = {"lang": found.langs, "source": found.sources, "tag": found.tags}[key]
        self._narrow_by(key, [(value, value) for value in known])

    def _narrow_by(self, key: str, known: Sequence[tuple[str, str]]) -> None:
        def chosen(value: str | None) -> None:
            if value is not None and (key != "days" or value.isdecimal()):
                self._narrow(self.narrowed.told(key, value))

        self.app.push_screen(
            Choose(dict(MORE)[key].rstrip(" …").capitalize(), known, other="another"), chosen
        )

    def _narrow(self, narrowed: Filter) -> None:
        self.narrowed = narrowed
        self.look()

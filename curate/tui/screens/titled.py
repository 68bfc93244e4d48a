"""A whole screen: it has a title, and says there what is being waited for."""

from __future__ import annotations

from textual.getters import query_one

from curate.tui.errands import WorkScreen
from curate.tui.widgets.bars import TitleBar


class TitledScreen(WorkScreen[None]):
    """A screen with a title bar."""

    title_bar = query_one(TitleBar)

    def watch_busy(self, busy: str) -> None:
        """Say what is being waited for."""
        self.title_bar.busy = busy

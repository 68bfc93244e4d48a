"""A screen that ends once, however fast the keys come."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import Screen, ScreenResultType


class OnceScreen(Screen[ScreenResultType]):
    """A screen that is left but once: of two keys that both end it, the second finds it gone and
    would take the screen below with it.
    """

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave with `result`, unless that has happened."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()

"""An error, shown until it is read."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from curate.text import display
from curate.tui.screens.ask import Dialog


class Trouble(Dialog[None]):
    """Says what went wrong and the way out; Enter, Escape or Space closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,escape,space", "dismiss", "read", key_display="⏎"),
    ]

    def __init__(self, message: str, hint: str = "", title: str = "✗ That did not work") -> None:
        super().__init__()
        self._message = message
        self._hint = hint
        self._title = title

    def compose(self) -> ComposeResult:
        """Lay out message and hint."""
        with Vertical(classes="dialog -trouble"):
            yield Static(Content(self._title), classes="dialog--title")
            yield Static(Content(display(self._message)), id="trouble-message")
            if self._hint:
                yield Static(Content(display(self._hint)), id="trouble-hint")
            yield Static(Content("⏎ read"), classes="dialog--keys")

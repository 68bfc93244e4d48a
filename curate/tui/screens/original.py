"""What was logged, as it was logged, until the next key; and marking what is personal in a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from curate.model.events import RawText
from curate.text import display
from curate.tui import spans
from curate.tui.screens.ask import Dialog
from curate.tui.widgets.passage import PassageView


class Original(Dialog[None]):
    """Shows an original until the next key, whichever it is."""

    def __init__(self, raw: RawText) -> None:
        super().__init__()
        self._raw = raw

    def compose(self) -> ComposeResult:
        """Lay out the text."""
        with Vertical(classes="dialog -secret"):
            yield Static(Content("As it was logged; that you look is on record"),
                         classes="dialog--title")  # fmt: skip
            with VerticalScroll(can_focus=False):
                yield Static(Content(display(self._raw.reveal())), id="original")
            yield Static(Content("any key hides it"), classes="dialog--keys")

    def on_key(self, event: events.Key) -> None:
        """Hide it."""
        event.stop()
        event.prevent_default()
        self.dismiss()

    def on_click(self) -> None:
        """Hide it."""
        self.dismiss()


@dataclass(frozen=True, slots=True)
class Personal:
    """A piece of text that is personal, what it is, and whether it always is."""

    text: RawText
    entity: str
    always: bool


class MarkPersonal(Dialog[Personal | None]):
    """Asks which words are personal; None when left with Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "personal('PERSON')", "a name"),
        Binding("2", "personal('PHONE_NUMBER')", "a phone number"),
        Binding("3", "personal('EMAIL_ADDRESS')", "an email address"),
        Binding("d", "always", "a name here always"),
        Binding("escape", "leave", "back"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Lay out the text."""
        with Vertical(classes="dialog -tall"):
            yield Static(Content("Which words are personal?"), classes="dialog--title")
            yield PassageView(id="words")
            yield Static(
                Content(
                    "j k word   [ ] { } less or more   v with the arrows\n"
                    "⏎ or 1 a name   2 a phone number   3 an email address\n"
                    "d a name, and on the list of those that always are   Esc back"
                ),
                classes="dialog--keys",
            )

    def on_mount(self) -> None:
        """Select the first word."""
        view = self.query_one(PassageView)
        words = spans.words(self._text, 0, len(self._text))
        view.show("", self._text, (0, len(self._text)), words, words[0] if words else None)
        view.focus()

    @on(PassageView.Taken)
    def _taken(self, event: PassageView.Taken) -> None:
        event.stop()
        self.action_personal("PERSON")

    @on(PassageView.Selected)
    def _selected(self, event: PassageView.Selected) -> None:
        event.stop()

    def action_personal(self, entity: str) -> None:
        """Say what the selection is."""
        self._answer(entity, always=False)

    def action_always(self) -> None:
        """Say that the selection is a name wherever it stands."""
        self._answer("PERSON", always=True)

    def _answer(self, entity: str, *, always: bool) -> None:
        view = self.query_one(PassageView)
        if view.selection_span is not None:
            start, end = view.selection_span
            words = self._text[start:end].strip(" .,;:!?\"'()[]“”")
            if words:
                self.dismiss(Personal(RawText(words), entity, always))

    def action_leave(self) -> None:
        """Change nothing."""
        self.dismiss(None)

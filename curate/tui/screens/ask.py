"""Dialogs that ask for one thing: a text, or one of a few answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from curate.text import display, sanitise
from curate.tui.screens.once import OnceScreen


class _Lines(TextArea):
    """A field of several lines in which Enter means done, as it does everywhere else here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+j,shift+enter", "line", "new line", show=False),
    ]

    class Done(Message):
        """Enter: the text is finished."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    finished = False

    def on_key(self, event: events.Key) -> None:
        """Enter ends it, and leaves the keys after it to who comes next. It is no priority binding:
        that would overtake letters that are still on their way.
        """
        if self.finished:
            event.prevent_default()
        elif event.key == "enter":
            event.prevent_default()
            event.stop()
            self.finished = True
            self.post_message(self.Done(self.text))

    def action_line(self) -> None:
        """Begin a new line."""
        self.insert("\n")


class Dialog(OnceScreen[ScreenResultType], ModalScreen[ScreenResultType]):
    """A dialog over what was there."""


class Ask(Dialog[str | None]):
    """Asks for a text; None when it was left with Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "back")]

    def __init__(self, title: str, value: str = "", hint: str = "") -> None:
        super().__init__()
        self._title = title
        self._value = value
        self._hint = hint

    def compose(self) -> ComposeResult:
        """Lay out the field."""
        with Vertical(classes="dialog"):
            yield Static(Content(self._title), classes="dialog--title")
            yield _Lines(sanitise(self._value), id="ask", soft_wrap=True, compact=True)
            if self._hint:
                yield Static(Content(display(self._hint)), classes="dialog--hint")
            yield Static(Content("⏎ done   ^j new line   Esc back"), classes="dialog--keys")

    def on_mount(self) -> None:
        """Put the cursor behind the text."""
        field = self.query_one(_Lines)
        field.move_cursor(field.document.end)
        field.focus()

    def on_key(self, event: events.Key) -> None:
        """A letter that was typed before the field stood belongs into it."""
        if self.focused is None and event.is_printable and event.character:
            event.stop()
            self.query_one(_Lines).insert(event.character)

    @on(_Lines.Done)
    def _finish(self, event: _Lines.Done) -> None:
        self.dismiss(sanitise(event.text).strip())


class Choose(Dialog[str | None]):
    """Asks for one of a few answers by digit, or by arrow and Enter; None when left by Escape.

    With `other`, a text of one's own can be typed instead; `typed` is one that was.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "back"),
        Binding("e", "type", "other"),
    ]

    def __init__(
        self,
        title: str,
        options: Sequence[tuple[str, str]],
        *,
        other: str = "",
        chosen: str = "",
        typed: str = "",
    ) -> None:
        super().__init__()
        self._typed_before = typed
        self._title = title
        self._options = options
        self._other = other
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        """Lay out the answers."""
        with Vertical(classes="dialog"):
            yield Static(Content(self._title), classes="dialog--title")
            yield OptionList(
                *(
                    Option(
                        Content.assemble(
                            (f" {index} ", "bold $accent") if index < 10 else "   ", display(label)
                        )
                    )
                    for index, (_value, label) in enumerate(self._options, 1)
                ),
                compact=True,
            )
            if self._other:
                yield Input(
                    self._typed_before,
                    placeholder=self._other,
                    select_on_focus=False,
                    compact=True,
                    classes="-hidden",
                )
            keys = "1-9 or ⏎ choose" + ("   e other" if self._other else "") + "   Esc back"
            yield Static(Content(keys), classes="dialog--keys")

    def on_mount(self) -> None:
        """Put the cursor on what holds now."""
        values = [value for value, _label in self._options]
        answers = self.query_one(OptionList)
        answers.highlighted = values.index(self._chosen) if self._chosen in values else 0
        answers.focus()
        if self._typed_before:
            self.action_type()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Typing is offered only where it is allowed."""
        return action != "type" or bool(self._other)

    def on_key(self, event: events.Key) -> None:
        """A digit chooses at once, also one that was typed before the dialog stood."""
        if isinstance(self.focused, Input) or event.character is None:
            return
        if event.character.isdecimal() and 0 < int(event.character) <= len(self._options):
            event.stop()
            self.dismiss(self._options[int(event.character) - 1][0])

    def action_type(self) -> None:
        """Type an answer of one's own."""
        field = self.query_one(Input)
        field.remove_class("-hidden")
        field.focus()

    def action_back(self) -> None:
        """Leave the field, else the dialog."""
        if isinstance(self.focused, Input):
            self.query_one(Input).add_class("-hidden")
            self.query_one(OptionList).focus()
        else:
            self.dismiss(None)

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._options[event.option_index][0])

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        if value := sanitise(event.value).strip():
            self.dismiss(value)

"""The line on top that says where one is, and the lines below that say what to press."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from textual.binding import Binding
from textual.content import Content
from textual.keys import format_key
from textual.reactive import reactive
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget


class TitleBar(Widget):
    """One line: where one is on the left, how things stand on the right.

    What does not fit is left out from the left; a wait always shows.
    """

    where: reactive[Content] = reactive(Content(""))
    state: reactive[Content] = reactive(Content(""))
    busy: reactive[str] = reactive("")

    def render(self) -> Content:
        """Return the line at the present width."""
        width = self.size.width
        right = Content.assemble((self.busy, "bold $text-warning")) if self.busy else self.state
        right = Content.assemble(right, " ")
        left = Content.assemble((" curate ", "bold $primary"), " ", self.where)
        room = width - right.cell_length
        if room < 8:
            return right.truncate(width)
        return Content.assemble(left.truncate(room - 1, ellipsis=True, pad=True), " ", right)


class KeyBar(Widget):
    """The keys that work right now, wrapped to as many lines as they need.

    Textual's own footer has one line and cuts off what does not fit; here a key that works is
    always on screen. Clicking a key does the same as pressing it. Binding ids in `first` lead.
    """

    auto_links = False

    def __init__(self, first: Sequence[str] = ()) -> None:
        super().__init__()
        # What closes the help is there only while that takes most of the room.
        self._first = {name: index for index, name in enumerate(("help.close", *first))}
        self._keys = Content("")

    def on_mount(self) -> None:
        """Follow the bindings of the screen."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, _screen: Screen[object]) -> None:
        # Most moves of a cursor change no key, and a layout draws the whole screen anew.
        before, self._keys = self._keys, self._wrapped()
        if self._keys != before:
            lines = self._keys.plain.count("\n") != before.plain.count("\n")
            self.refresh(layout=lines)

    def on_resize(self) -> None:
        """Wrap again."""
        self._keys = self._wrapped()
        self.refresh(layout=True)

    def render(self) -> Content:
        """Return the keys, wrapped."""
        return self._keys

    def _wrapped(self) -> Content:
        width = max(10, self.size.width or self.app.size.width)
        lines: list[Content] = []
        line = Content(" ")
        for entry in self._entries():
            if line.cell_length > 1 and line.cell_length + entry.cell_length + 1 > width:
                lines.append(line)
                line = Content(" ")
            line = Content.assemble(line, entry, "  ")
        lines.append(line)
        return Content("\n").join(lines)

    def _entries(self) -> list[Content]:
        shown: list[Binding] = []
        focused = self.screen.focused
        for _node, binding, enabled, _tooltip in self.screen.active_bindings.values():
            display = format_key(binding.key)
            character = display if len(display) == 1 and "+" not in binding.key else None
            taken = focused is not None and focused.check_consume_key(binding.key, character)
            if binding.show and enabled and not taken:
                shown.append(binding)
        last = len(self._first)
        shown.sort(key=lambda binding: self._first.get(binding.id or "", last))
        entries = []
        for group, members in groupby(shown, lambda b: b.group or b.action):
            bindings = list(members)
            keys = " ".join(dict.fromkeys(self.app.get_key_display(b) for b in bindings))
            label = group.description if isinstance(group, Binding.Group) else ""
            click = Style.from_meta({"@click": f"app.simulate_key({bindings[0].key!r})"})
            entries.append(
                Content.assemble(
                    (keys, "bold $footer-key-foreground"),
                    (f" {label or bindings[0].description}", "$footer-description-foreground"),
                ).stylize(click)
            )
        return entries

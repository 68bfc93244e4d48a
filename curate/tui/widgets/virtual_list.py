"""A list of any length: it holds ids, asks for the rows it shows, and keeps those in a cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

PAGE = 100
"""Rows asked for at once."""
CACHED = 2000
"""Rows kept; the rest is asked for again when it is scrolled back to."""

Draw = Callable[[Any, int], Content]
"""Makes one line of a row, given the cells it may use."""


class VirtualList(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows under a cursor, at any number of them.

    `show` gives it the ids. For rows it has not got it posts `Wanted`; whoever hears that fetches
    them off the UI thread and calls `supply`. Rows are kept by id, so a late answer does no harm.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "down", show=False, id="list.down"),
        Binding("up,k", "move(-1)", "up", show=False, id="list.up"),
        Binding("pagedown", "page(1)", "page down", show=False),
        Binding("pageup", "page(-1)", "page up", show=False),
        Binding("home", "jump(0)", "first", show=False),
        Binding("end", "jump(-1)", "last", show=False),
    ]

    DEFAULT_CSS = """
    VirtualList {
        height: 1fr;
        overflow-x: hidden;
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"list--row", "list--cursor", "list--waiting"}

    cursor: reactive[int] = reactive(0, repaint=False)

    class Wanted(Message):
        """Rows that are shown and not there."""

        def __init__(self, sender: VirtualList, keys: tuple[Any, ...]) -> None:
            super().__init__()
            self.list = sender
            self.keys = keys

        @property
        def control(self) -> VirtualList:
            """The list that asks."""
            return self.list

    class Moved(Message):
        """The cursor stands on another row; `key` is None in an empty list."""

        def __init__(self, sender: VirtualList, key: Any) -> None:
            super().__init__()
            self.list = sender
            self.key = key

        @property
        def control(self) -> VirtualList:
            """The list whose cursor moved."""
            return self.list

        def can_replace(self, message: Message) -> bool:
            """A burst of moves is one move."""
            return isinstance(message, VirtualList.Moved) and message.list is self.list

    class Opened(Message):
        """Enter or a second click on a row."""

        def __init__(self, sender: VirtualList, key: Any) -> None:
            super().__init__()
            self.list = sender
            self.key = key

        @property
        def control(self) -> VirtualList:
            """The list it happened in."""
            return self.list

    def __init__(self, draw: Draw, *, empty: str = "", id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._draw = draw
        self._empty = empty
        self._keys: Sequence[Any] = ()
        self._rows: LRUCache[Any, Any] = LRUCache(CACHED)
        self._asked: set[int] = set()

    # ------------------------------------------------------------------ what it shows

    def show(self, keys: Sequence[Any], *, cursor: int = 0, forget: bool = True) -> None:
        """Show these ids, the cursor on the row `cursor`; `forget` the rows known so far."""
        self._keys = keys
        self._asked.clear()
        if forget:
            self._rows.clear()
        self.virtual_size = Size(self.scrollable_content_region.width, len(keys))
        self.set_reactive(VirtualList.cursor, self.validate_cursor(cursor))
        self._follow()
        self.refresh()
        self.post_message(self.Moved(self, self.key))

    def supply(self, rows: Mapping[Any, Any]) -> None:
        """Take rows that were asked for."""
        for key, row in rows.items():
            self._rows[key] = row
        self._asked.clear()
        self.refresh()

    def say(self, empty: str) -> None:
        """Set the line that stands where there are no rows."""
        self._empty = empty
        self.refresh()

    def row(self, key: Any) -> Any:
        """Return the row of an id, or None while it is not there."""
        return self._rows.get(key)

    @property
    def key(self) -> Any:
        """The id under the cursor, or None in an empty list."""
        return self._keys[self.cursor] if 0 <= self.cursor < len(self._keys) else None

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self._keys)

    # ------------------------------------------------------------------ moving

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(len(self._keys) - 1, cursor))

    def watch_cursor(self, before: int, after: int) -> None:
        """Redraw the two rows concerned and follow the cursor."""
        self.refresh_line(before)
        self.refresh_line(after)
        self._follow()
        self.post_message(self.Moved(self, self.key))

    def _follow(self) -> None:
        height = self.scrollable_content_region.height
        if height <= 0:
            return
        top = self.scroll_offset.y
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, force=True)

    def action_move(self, by: int) -> None:
        """Move the cursor by rows."""
        self.cursor += by

    def action_page(self, by: int) -> None:
        """Move the cursor by screenfuls."""
        self.cursor += by * max(1, self.scrollable_content_region.height - 1)

    def action_jump(self, index: int) -> None:
        """Move the cursor to the first (0) or last (-1) row."""
        self.cursor = index if index >= 0 else len(self._keys) - 1

    def action_select(self) -> None:
        """Open the row under the cursor."""
        if self.key is not None:
            self.post_message(self.Opened(self, self.key))

    def on_click(self, event: events.Click) -> None:
        """Move to a clicked row; open it when it was under the cursor already."""
        index = self.scroll_offset.y + event.y
        if index >= len(self._keys):
            return
        if index == self.cursor:
            self.action_select()
        self.cursor = index

    def on_resize(self) -> None:
        """Keep the cursor in view, and nothing wider than the screen."""
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._keys))
        self._follow()

    # ------------------------------------------------------------------ drawing

    def render_line(self, y: int) -> Strip:
        """Draw one line of the screen, from the cache alone."""
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        base = self.get_visual_style("list--row")
        if index >= len(self._keys):
            if index == 0 and self._empty:
                return self._strip(Content(f"   {self._empty}"), width, "list--waiting")
            return Strip.blank(width, base.rich_style)
        here = index == self.cursor
        row = self._rows.get(self._keys[index])
        if row is None:
            self._want(index)
            line = Content("   …")
        else:
            line = Content.assemble(" ▌ " if here else "   ", self._draw(row, max(1, width - 4)))
        if here:
            return self._strip(line, width, "list--cursor")
        return self._strip(line, width, "list--row" if row is not None else "list--waiting")

    def _strip(self, line: Content, width: int, component: str) -> Strip:
        style = self.get_visual_style("list--row", component)
        strips = Visual.to_strips(self, line.truncate(width), width, 1, style)
        strip = strips[0] if strips else Strip.blank(width, style.rich_style)
        return strip.adjust_cell_length(width, style.rich_style)

    def _want(self, index: int) -> None:
        page = index // PAGE
        if page in self._asked:
            return
        self._asked.add(page)
        keys = tuple(self._keys[page * PAGE : (page + 1) * PAGE])
        # Drawing is done in the screen's name, and what a screen sends does not go beyond it.
        self.call_later(self._ask_for, keys)

    def _ask_for(self, keys: tuple[Any, ...]) -> None:
        self.post_message(self.Wanted(self, keys))

"""A list of any length: it holds ids, asks for the rows it shows, and keeps those in a cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.theme import Theme

PAGE = 100
"""Rows asked for at once."""
CACHED = 2000
"""Rows kept; the rest is asked for again when it is scrolled back to."""

DRAWN = 400
"""Rows kept as they were drawn: a few screenfuls, so that scrolling draws only what is new."""

NONE: Mapping[Any, Any] = MappingProxyType({})
"""No rows."""

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
        self._held: Mapping[Any, Any] = NONE
        self._asked: set[int] = set()
        self._drawn: LRUCache[tuple[Any, int, bool], Strip] = LRUCache(DRAWN)
        self._styles: dict[str, Style] = {}

    # ------------------------------------------------------------------ what it shows

    def show(
        self,
        keys: Sequence[Any],
        rows: Mapping[Any, Any] = NONE,
        *,
        cursor: int = 0,
        forget: bool = True,
    ) -> None:
        """Show these ids, the cursor on the row `cursor`. `rows` are there already, and are not
        asked for; `forget` those that were supplied.
        """
        self._keys = keys
        self._held = rows
        self._asked.clear()
        self._drawn.clear()
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
            self._rows.discard(key)  # else what the cache has would stand
            self._rows[key] = row
        self._asked = {page for page in self._asked if self._lacks(page)}
        top = round(self.scroll_offset.y)
        if any(key in rows for key in self._keys[top : top + self.size.height]):
            self.redraw()

    def redraw(self) -> None:
        """Draw all rows anew: something that they tell has changed."""
        self._drawn.clear()
        self.refresh()

    def on_mount(self) -> None:
        """Follow the theme."""
        self.app.theme_changed_signal.subscribe(self, self._rethemed)

    def _rethemed(self, _theme: Theme) -> None:
        self._styles.clear()
        self.redraw()

    def notify_style_update(self) -> None:
        """Draw all rows in the new style."""
        self._drawn.clear()
        super().notify_style_update()

    def say(self, empty: str) -> None:
        """Set the line that stands where there are no rows."""
        self._empty = empty
        self.refresh()

    def row(self, key: Any) -> Any:
        """Return the row of an id, or None while it is not there."""
        return self._held[key] if key in self._held else self._rows.get(key)

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
        self._look_ahead(1 if after > before else -1)
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
        key = self._keys[index]
        row = self.row(key)
        if row is None:
            self._want(index // PAGE)
            return self._strip(Content("   …"), width, "list--cursor" if here else "list--waiting")
        strip = self._drawn.get((key, width, here))
        if strip is None:
            line = Content.assemble(" ▌ " if here else "   ", self._draw(row, max(1, width - 4)))
            strip = self._strip(line, width, "list--cursor" if here else "list--row")
            self._drawn[key, width, here] = strip
        return strip

    def _strip(self, line: Content, width: int, component: str) -> Strip:
        style = self.get_visual_style("list--row", component)
        # One line that fits needs no folding: this is what drawing a screenful costs most.
        parts = line.truncate(width, ellipsis=True).render(style, "", self._style)
        strip = Strip([Segment(text, (style + own).rich_style) for text, own in parts])
        return strip.adjust_cell_length(width, style.rich_style)

    def _style(self, style: str | Style) -> Style:
        if isinstance(style, Style):
            return style
        known = self._styles.get(style)
        if known is None:
            known = self._styles[style] = Style.parse(style)
        return known

    def _look_ahead(self, step: int) -> None:
        """Ask for the rows that the cursor moves towards before it is there."""
        page = self.cursor // PAGE + step
        if self._lacks(page):
            self._want(page)

    def _lacks(self, page: int) -> bool:
        first = page * PAGE  # the ids may have become fewer since it was asked for
        return 0 <= first < len(self._keys) and self.row(self._keys[first]) is None

    def _want(self, page: int) -> None:
        if page in self._asked:
            return
        self._asked.add(page)
        keys = tuple(self._keys[page * PAGE : (page + 1) * PAGE])
        # Drawing is done in the screen's name, and what a screen sends does not go beyond it.
        self.call_later(self._ask_for, keys)

    def _ask_for(self, keys: tuple[Any, ...]) -> None:
        self.post_message(self.Wanted(self, keys))

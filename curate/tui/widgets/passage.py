"""A document's text, with a selection that is moved, widened and narrowed by keys or mouse."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from curate.text import display
from curate.tui import spans
from curate.tui.spans import Span
from curate.tui.widgets.layout import Layout, fold, next_cluster

_WORDS = Binding.Group("narrow/widen", compact=True)
_SENTENCES = Binding.Group("sentence", compact=True)


def _key(
    key: str, action: str, label: str, name: str, group: Binding.Group | None = None
) -> Binding:
    return Binding(key, action, label, show=group is not None, id=name, group=group)


_GUTTER = 1
_SPARE = 2


class PassageView(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a window of a document; a sentence of it is selected, and Enter takes the selection.

    The selection is marked by `▐` and `▌` as well as by colour; lines where evidence already
    taken begins carry a `✓` in the gutter.
    """

    ALLOW_SELECT = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "take", tooltip="Take the selection as evidence", id="take"),
        _key("j", "sentence(1)", "next sentence", "sentence.next", _SENTENCES),
        _key("k", "sentence(-1)", "previous sentence", "sentence.previous", _SENTENCES),
        _key("left_square_bracket", "end(-1)", "narrow by a word", "narrow", _WORDS),
        _key("right_square_bracket", "end(1)", "widen by a word", "widen", _WORDS),
        _key("left_curly_bracket", "start(1)", "widen at the start by a word", "widen.start"),
        _key("right_curly_bracket", "start(-1)", "narrow at the start", "narrow.start"),
        _key("left_parenthesis", "whole(-1)", "narrow by a sentence", "narrow.sentence"),
        _key("right_parenthesis", "whole(1)", "widen by a sentence", "widen.sentence"),
        _key("v", "free", "select freely with the arrows", "free"),
        Binding("tab", "swap", "other end", show=False, tooltip="Move the other end"),
        Binding("escape", "leave", "end selection", tooltip="End free selection"),
        Binding("down", "line(1)", "down", show=False),
        Binding("up", "line(-1)", "up", show=False),
        Binding("left", "character(-1)", "left", show=False),
        Binding("right", "character(1)", "right", show=False),
        Binding("pagedown", "screenful(1)", "page down", show=False),
        Binding("pageup", "screenful(-1)", "page up", show=False),
        Binding("home", "edge(0)", "beginning", show=False),
        Binding("end", "edge(-1)", "end", show=False),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "passage--text", "passage--selection", "passage--taken", "passage--heading",
        "passage--hit", "passage--caret", "passage--gutter",
    }  # fmt: skip

    selection_span: reactive[Span | None] = reactive(None, repaint=False)
    free: reactive[bool] = reactive(False, repaint=False, bindings=True)

    class Selected(Message):
        """Another span is selected."""

        def __init__(self, sender: PassageView, span: Span | None) -> None:
            super().__init__()
            self.view = sender
            self.span = span

        @property
        def control(self) -> PassageView:
            """The view it happened in."""
            return self.view

        def can_replace(self, message: Message) -> bool:
            """A burst of moves is one move."""
            return isinstance(message, PassageView.Selected) and message.view is self.view

    class Taken(Message):
        """Enter: the selected span is wanted."""

        def __init__(self, sender: PassageView, span: Span) -> None:
            super().__init__()
            self.view = sender
            self.span = span

        @property
        def control(self) -> PassageView:
            """The view it happened in."""
            return self.view

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.source = ""
        self._text = ""
        self._window: Span = (0, 0)
        self._sentences: Sequence[Span] = ()
        self._taken: tuple[Span, ...] = ()
        self._hits: frozenset[str] = frozenset()
        self._layout = Layout("", (0, 0), 1, ())
        self._empty = ""
        self._caret_at_end = True
        self._drag: int | None = None

    # ------------------------------------------------------------------ what it shows

    def show(
        self,
        source: str,
        text: str,
        window: Span,
        sentences: Sequence[Span],
        selected: Span | None,
        hits: Collection[str] = (),
    ) -> None:
        """Show `text[window]` of the document `source`, with `selected` selected and in view.

        `sentences` are the spans that `j` and `k` walk; words in `hits` (lower case) stand out.
        """
        self.source = source
        self._text = text
        self._window = window
        self._sentences = sentences
        self._hits = frozenset(hits)
        self._empty = ""
        self.free = False
        self._fold()
        self.set_reactive(PassageView.selection_span, selected)
        self.post_message(self.Selected(self, selected))
        self.scroll_to(y=0, animate=False, force=True)
        self._follow()
        self.refresh()

    def clear(self, empty: str = "") -> None:
        """Show nothing but the line `empty`."""
        self.show("", "", (0, 0), (), None)
        self._empty = empty
        self.refresh()

    def mark(self, taken: Sequence[Span]) -> None:
        """Mark the spans of this document that are evidence already."""
        self._taken = tuple(taken)
        self.refresh()

    @property
    def window(self) -> Span:
        """The part of the document that is shown."""
        return self._window

    @property
    def document(self) -> str:
        """The whole text of the document shown, empty when there is none."""
        return self._text

    def _fold(self) -> None:
        width = self.scrollable_content_region.width or self.size.width
        self._layout = fold(self._text, self._window, width - _GUTTER - _SPARE)
        self.virtual_size = Size(width, len(self._layout.lines) if self._text else 0)

    def on_resize(self) -> None:
        """Fold to the new width; what is selected stays selected and in view."""
        self._fold()
        self._follow()
        self.refresh()

    def watch_selection_span(self, before: Span | None, after: Span | None) -> None:
        """Show the new selection and tell about it."""
        if (before is None) != (after is None):
            self.refresh_bindings()
        self._follow()
        self.refresh()
        self.post_message(self.Selected(self, after))

    def watch_free(self) -> None:
        """The caret comes or goes."""
        self.refresh()

    def _follow(self) -> None:
        span, height = self.selection_span, self.scrollable_content_region.height
        if span is None or height <= 0 or not self._layout.lines:
            return
        first, last = self._layout.line_of(span[0]), self._layout.line_of(max(span[1] - 1, 0))
        if self.free:
            first = last = last if self._caret_at_end else first
        top = self.scroll_offset.y
        if first < top or last - first >= height:
            # A line of context above, so that a reader sees where he is.
            self.scroll_to(y=max(0, first - 1), animate=False, force=True)
        elif last >= top + height:
            self.scroll_to(y=last - height + 2, animate=False, force=True)

    # ------------------------------------------------------------------ moving

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done with what is shown."""
        if action in {"swap", "leave", "character"}:
            return self.free
        if action in {"take", "end", "start", "whole", "free"}:
            return self.selection_span is not None
        return bool(self._text)

    def action_take(self) -> None:
        """Say that the selection is wanted."""
        if self.selection_span is not None:
            self.free = False
            self.post_message(self.Taken(self, self.selection_span))

    def action_sentence(self, by: int) -> None:
        """Select the next or previous sentence."""
        self.free = False
        self.selection_span = spans.step(self._sentences, self.selection_span, by)

    def action_line(self, by: int) -> None:
        """Move the free end by a line, else go to the next or previous sentence."""
        if not self.free:
            self.action_sentence(by)
            return
        caret = self._caret
        line = self._layout.line_of(caret) + by
        if 0 <= line < len(self._layout.lines):
            self._move_caret(self._layout.offset_at(line, self._layout.column_of(caret)))

    def action_character(self, by: int) -> None:
        """Move the free end by one character."""
        self._move_caret(next_cluster(self._text, self._caret, by, self._window))

    def action_end(self, by: int) -> None:
        """Widen (1) or narrow (-1) by a word at the end."""
        if (span := self.selection_span) is not None:
            self.selection_span = (
                spans.widen_end(self._text, span, self._window[1])
                if by > 0
                else spans.narrow_end(self._text, span)
            )

    def action_start(self, by: int) -> None:
        """Widen (1) or narrow (-1) by a word at the start."""
        if (span := self.selection_span) is not None:
            self.selection_span = (
                spans.widen_start(self._text, span, self._window[0])
                if by > 0
                else spans.narrow_start(self._text, span)
            )

    def action_whole(self, by: int) -> None:
        """Widen (1) or narrow (-1) by a sentence."""
        if (span := self.selection_span) is not None:
            move = spans.widen_sentence if by > 0 else spans.narrow_sentence
            self.selection_span = move(self._sentences, span)

    def action_free(self) -> None:
        """Begin or end free selection."""
        self._caret_at_end = True
        self.free = not self.free

    def action_leave(self) -> None:
        """End free selection; what is selected stays."""
        self.free = False

    def action_swap(self) -> None:
        """Move the other end from now on."""
        self._caret_at_end = not self._caret_at_end
        self._follow()
        self.refresh()

    def action_screenful(self, by: int) -> None:
        """Scroll by a screenful."""
        height = max(1, self.scrollable_content_region.height - 1)
        self.scroll_to(y=self.scroll_offset.y + by * height, animate=False, force=True)

    def action_edge(self, sentence: int) -> None:
        """Select the first (0) or last (-1) sentence."""
        if self._sentences:
            self.free = False
            self.selection_span = self._sentences[sentence]

    @property
    def _caret(self) -> int:
        span = self.selection_span or self._window[:1] * 2
        return span[1] if self._caret_at_end else span[0]

    def _move_caret(self, to: int) -> None:
        start, end = self.selection_span or (to, to)
        anchor = start if self._caret_at_end else end
        if to == anchor:
            return
        self._caret_at_end = to > anchor
        self.selection_span = (min(anchor, to), max(anchor, to))

    # ------------------------------------------------------------------ mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin a drag."""
        if self._text:
            self._drag = self._offset(event)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Select from where the button went down to here."""
        if self._drag is not None and (to := self._offset(event)) != self._drag:
            self.free = False
            self.selection_span = (min(self._drag, to), max(self._drag, to))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """End a drag; without one, select the sentence under the pointer."""
        if self._drag is None:
            return
        if self._offset(event) == self._drag and self._sentences:
            self.free = False
            index = spans.sentence_at(self._sentences, self._drag)
            self.selection_span = self._sentences[index]
        self._drag = None
        self.release_mouse()

    def _offset(self, event: events.MouseEvent) -> int:
        line = self.scroll_offset.y + event.y - self.gutter.top
        return self._layout.offset_at(line, event.x - self.gutter.left - _GUTTER)

    # ------------------------------------------------------------------ drawing

    def render_line(self, y: int) -> Strip:
        """Draw one screen line."""
        width = self.scrollable_content_region.width
        base = self.get_visual_style("passage--text")
        index = self.scroll_offset.y + y
        if not self._text:
            line = Content(f" {self._empty}" if y == 0 else "")
        elif index < len(self._layout.lines):
            line = self._line(index)
        else:
            line = Content("")
        strips = Visual.to_strips(self, line.truncate(width), width, 1, base)
        strip = strips[0] if strips else Strip.blank(width, base.rich_style)
        return strip.adjust_cell_length(width, base.rich_style)

    def _line(self, index: int) -> Content:
        start, end = self._layout.lines[index]
        raw = self._text[start:end]
        body = Content(display(raw))

        def at(offset: int) -> int:
            return len(display(self._text[start : max(start, min(end, offset))]))

        def stylise(span: Span, component: str) -> None:
            nonlocal body
            if span[0] < end and span[1] > start:
                style = self.get_visual_style(component)
                body = body.stylize(style, at(span[0]), at(span[1]))

        if raw.startswith("#"):
            body = body.stylize(self.get_visual_style("passage--heading"))
        for first, last in spans.words(self._text, start, end):
            if self._text[first:last].strip(".,;:!?()\"'*_`").lower() in self._hits:
                stylise((first, last), "passage--hit")
        gutter = " "
        span = self.selection_span
        for taken in self._taken:
            stylise(taken, "passage--taken")
            if start <= taken[0] < end and taken != span:
                gutter = "✓"
        if span is not None and span[1] > start and span[0] < end:
            stylise(span, "passage--selection")
            sign = "✓" if span in self._taken else "▐"
            if span[1] <= end:
                body = self._mark_end(body, at(span[1]))
            if span[0] > start:
                body = self._mark_start(body, at(span[0]), sign)
            else:
                gutter = sign if span[0] == start else "▐"
        if self.free and start <= self._caret <= end:
            caret = at(self._caret) + (0 if not self._caret_at_end else -1)
            style = self.get_visual_style("passage--caret")
            body = body.stylize(style, max(0, caret), max(0, caret) + 1)
        edge = self.get_visual_style("passage--gutter")
        return Content.assemble((gutter, edge), body)

    def _mark_start(self, body: Content, at: int, sign: str) -> Content:
        """A space before the selection makes room for its mark; the text never moves for it."""
        if body.plain[at - 1].isspace():
            edge = self.get_visual_style("passage--gutter")
            return Content.assemble(body[: at - 1], (sign, edge), body[at:])
        return body

    def _mark_end(self, body: Content, at: int) -> Content:
        edge = self.get_visual_style("passage--gutter")
        rest = body[at:]
        if rest.plain[:1].isspace():
            rest = rest[1:]
        return Content.assemble(body[:at], ("▌", edge), rest)

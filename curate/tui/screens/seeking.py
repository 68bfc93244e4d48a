"""Finding the passage that answers: suggestions, a search, a document to read in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.getters import query_one
from textual.reactive import reactive
from textual.widgets import Input, Static

from curate.model.documents import Passage
from curate.text import one_line, sanitise, whereabouts
from curate.tui import desk as desk_
from curate.tui.desk import Desk, Opened, Page
from curate.tui.screens.editing import EditingScreen
from curate.tui.widgets import question as question_
from curate.tui.widgets import signs
from curate.tui.widgets.bars import KeyBar, TitleBar
from curate.tui.widgets.field import SearchField
from curate.tui.widgets.itembar import ItemBar
from curate.tui.widgets.passage import PassageView
from curate.tui.widgets.virtual_list import VirtualList


class SeekingScreen(EditingScreen):
    """A screen of two panes: what is asked in `#left`, the documents in `#right`."""

    FIRST_KEYS: ClassVar[tuple[str, ...]] = ()
    """The keys that are told first, by their ids."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "passage(0)", "passage", key_display="1-9", tooltip="Passage 1", id="passage"),
        *(
            Binding(str(n), f"passage({n - 1})", "passage", show=False, tooltip=f"Passage {n}")
            for n in range(2, 10)
        ),
        Binding("slash", "search", "search", tooltip="Search the documents", id="search"),
        Binding("o", "whole", "document", tooltip="The whole document", show=False, id="whole"),
    ]

    passages: reactive[tuple[Passage, ...]] = reactive((), repaint=False, bindings=True)

    item_bar = query_one(ItemBar)
    view = query_one("#view", PassageView)
    listing = query_one("#passages", VirtualList)
    field = query_one("#search", SearchField)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.asked = ""
        self.searched: list[str] = []
        self.page: Page | None = None
        self._before: Page | None = None

    def compose(self) -> ComposeResult:
        """Lay out the panes."""
        yield TitleBar()
        with Vertical(id="body"):
            with Vertical(id="left"):
                yield Static(id="question")
                yield Static(id="gist")
                with VerticalScroll(id="details", can_focus=False):
                    yield Static(id="told")
            with Vertical(id="right"):
                yield SearchField("search the documents")
                yield VirtualList(self._draw, empty="nothing found", id="passages")
                yield Static(id="place")
                yield PassageView(id="view")
        yield ItemBar()
        yield KeyBar(first=self.FIRST_KEYS)

    def show_opened(self, opened: Opened, nothing: str) -> None:
        """Show a case with its passages and the page that was opened; `nothing` where none is."""
        self.case = opened.case
        self.show_passages(opened.passages, "")
        if opened.page is not None:
            self.show_page(opened.page)
        else:
            self.view.clear(nothing)
            self.place()

    def clear_documents(self) -> None:
        """Forget what was found, and show that something is looked for."""
        for name in ("passages", "page"):
            self.forget(name)
        self.passages = ()
        self.asked, self.searched, self.page, self._before = "", [], None, None
        self.field.value = ""
        self.remove_class("-searching", "-details")
        self.view.clear("looking …")
        self.place()
        self.view.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only the passages that are there."""
        if action == "passage" and parameters:
            return int(str(parameters[0])) < len(self.passages)
        if action == "whole":
            return self.page is not None
        return super().check_action(action, parameters)

    def show_documents(self) -> None:
        """Bring the pane of the documents to the front where there is room for one only."""
        if self.has_class("-details"):
            self.remove_class("-details")
            self.view.focus()

    def leave_search(self) -> bool:
        """Go one step back out of a search; False when there is none."""
        if self.focused is self.field:
            self.view.focus()
            if not self.asked:
                self.remove_class("-searching")
        elif self.has_class("-searching"):
            self.remove_class("-searching")
            self.field.value = ""
            self.suggest()
        else:
            return False
        return True

    # ------------------------------------------------------------------ what is shown

    def suggest(self) -> None:
        """Show what may answer the question again, and the page that was open before a search."""
        self.forget("page")
        self.asked = ""
        if self._before is not None:
            self.show_page(self._before)
        case = self.case
        if case is not None:
            self.fetch(
                "passages",
                lambda ws: desk_.suggested(ws, case),
                lambda found: self.show_passages(found, ""),
            )

    def show_passages(self, passages: Sequence[Passage], query: str) -> None:
        """List passages, found for a query or suggested."""
        self.asked = query
        self.passages = tuple(passages)
        self.listing.show(range(len(passages)), dict(enumerate(passages)))
        words = f"found for “{one_line(query)}”" if query else "suggested"
        self.query_one("#right").border_title = Content(f"passages  {len(passages)} {words}")

    def searched_found(self, passages: Sequence[Passage], query: str) -> None:
        """List what a search found, and show the first of it."""
        self.show_passages(passages, query)
        if passages:
            self.turn_to(0)

    def turn_to(self, index: int) -> None:
        """Show a passage of the list."""
        passage = self.passages[index]
        self.listing.cursor = index
        self.fetch("page", lambda ws: desk_.page_of(ws, passage), self.show_page)

    def show_page(self, page: Page) -> None:
        """Show a page of a document, its best sentence selected."""
        self.page = page
        words = self.asked or (self.case.item.question if self.case else "")
        hits = {w.strip(".,;:!?\"'()").casefold() for w in words.split()}
        self.view.show(
            page.source,
            page.text,
            page.window,
            page.sentences,
            page.best,
            {word for word in hits if len(word) > 3},
        )
        self.mark()
        self.place()
        self.refresh_bindings()

    def place(self) -> None:
        """Say where in the documents one is."""
        page = self.page
        place = self.query_one("#place", Static)
        if page is None:
            place.update(Content(""))
            return
        name = whereabouts(page.source, page.heading)
        note = "" if page.heading or not page.text else "  whole document"
        place.update(Content.assemble((f" {name}", "bold $text-primary"), (note, "$quiet")))

    def mark(self) -> None:
        """Mark what is evidence already."""
        if self.case is not None and self.page is not None:
            source = self.page.source
            self.view.mark(
                [(e.start, e.end) for e in self.case.item.evidences if e.source == source]
            )

    def _draw(self, passage: Passage, width: int) -> Content:
        section = passage.section
        index = self.passages.index(passage)
        number = f"{index + 1} " if index < 9 else "  "
        name = whereabouts(section.source, section.heading)
        ranks = question_.logged_ranks(self.case, section) if self.case else ()
        line = Content.assemble((number, "bold $text-accent"), name)
        if ranks:
            line = line.append(signs.quiet(f"   logged rank {ranks[0]}"))
        if index == 0 and not self.asked:
            line = Content.assemble(line, ("   ★", "$text-accent"))
        return line

    # ------------------------------------------------------------------ finding

    def action_passage(self, index: int) -> None:
        """Turn to a passage of the list."""
        self.show_documents()
        if index < len(self.passages):
            self.turn_to(index)

    @on(VirtualList.Opened, "#passages")
    def _clicked(self, event: VirtualList.Opened) -> None:
        self.turn_to(event.key)

    @on(VirtualList.Moved, "#passages")
    def _moved(self, event: VirtualList.Moved) -> None:
        event.stop()

    def action_search(self) -> None:
        """Search the documents."""
        self.show_documents()
        if not self.has_class("-searching"):
            self._before = self.page
        self.add_class("-searching")
        self.set_focus(self.field)
        self.field.select_on_focus = True

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        query = sanitise(event.value).strip()
        if not self.has_class("-searching"):
            return
        if not query:
            self.forget("passages")
            self.suggest()
            return
        self.fetch(
            "passages",
            lambda ws: ws.corpus.search(query),
            lambda found: self.searched_found(found, query),
        )

    @on(Input.Submitted, "#search")
    def _searched_for(self, event: Input.Submitted) -> None:
        if query := sanitise(event.value).strip():
            self.searched.append(query)
        self.view.focus()

    def action_whole(self) -> None:
        """Show the whole document, or the section again."""
        page, selected = self.page, self.view.selection_span
        if page is None:
            return
        if self.view.window == (0, len(page.text)):
            span = selected or page.window
            self.fetch("page", lambda ws: desk_.page_at(ws, page.source, span), self.show_page)
        else:
            self.fetch("page", lambda ws: desk_.whole(ws, page.source, selected), self.show_page)

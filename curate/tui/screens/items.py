"""The items of the set, to look at and to open."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Input, Static

from curate.model.items import Item
from curate.text import one_line, sanitise, whereabouts
from curate.tui import returned as returned_
from curate.tui import routes
from curate.tui.desk import Desk
from curate.tui.returned import Returned
from curate.tui.screens.ask import Choose
from curate.tui.screens.failing import FailingScreen
from curate.tui.screens.pick import alike
from curate.tui.widgets import entries, signs
from curate.tui.widgets.bars import KeyBar, TitleBar
from curate.tui.widgets.field import SearchField
from curate.tui.widgets.virtual_list import VirtualList
from curate.workspace.workspace import Workspace

if TYPE_CHECKING:
    from curate.store.deciding import Undone


FILTERS = (
    ("all", "all items"),
    ("moved", "moved in the documents"),
    ("failed", "failed in the last scored run"),
    ("draft", "drafts"),
    ("ready", "ready"),
    ("holdout", "in the holdout"),
    ("retired", "retired"),
)
"""Which items can be listed, and in words."""


class ItemsScreen(FailingScreen):
    """Every item with its status, split and grade."""

    HELP = """\
## Items

The set as it stands. **Enter** opens an item to change it; every change is kept and can be undone.
What moved in the documents is marked `⟲`, what failed in the last scored run `✗` with what is
likely wrong.

- `f` lists drafts, items that moved, items that failed, the holdout
- `c` confirms what a failure is called, or takes that back; `1`-`7` call it something else
- `D` walks through what moved
"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open", tooltip="Open the item", id="open"),
        Binding("slash", "search", "search", tooltip="Search the items", id="search"),
        Binding("f", "filter", "filter", tooltip="List some of them", id="filter"),
        Binding("D", "drift", "what moved", tooltip="Walk through what moved", id="drift"),
        Binding("z", "undo", "undo", tooltip="Undo the last decision", id="undo"),
        Binding("E", "check", "export", tooltip="Check and export", id="check"),
        Binding("escape", "back", "back", tooltip="One step back", id="back"),
    ]

    listing = query_one("#items", VirtualList)
    field = query_one("#search", SearchField)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._items: list[Item] = []
        self._back: dict[str, Returned] = {}
        self._chosen = "all"
        self._seen = -1

    def compose(self) -> ComposeResult:
        """Lay out the list and the detail."""
        yield TitleBar()
        yield Static(id="columns")
        yield SearchField("search the items")
        yield VirtualList(self._draw, empty="reading …", id="items")
        yield Static(id="detail")
        yield KeyBar()

    def on_mount(self) -> None:
        """Name the screen."""
        self.title_bar.where = Content("items")
        self.query_one("#columns", Static).update(
            Content.assemble(("   status       split      evidence          question", "$quiet"))
        )
        self.listing.focus()

    def on_screen_resume(self) -> None:
        """Look again when something was decided meanwhile."""
        if self._seen != self.desk.sitting.stamp:
            self._seen = self.desk.sitting.stamp
            self.fetch("items", lambda ws: ws.store.items(), self._read)
            self.look_back()

    def _read(self, items: list[Item]) -> None:
        self._items = items
        self._show()

    def watch_returned(self, returned: tuple[Returned, ...]) -> None:
        """Mark what came back."""
        self._back = {one.item.id: one for one in returned}
        self._show()

    @property
    def back(self) -> Returned | None:
        """What came back under the cursor."""
        return self._back.get(self.listing.key)

    def acknowledge(self, what: str) -> None:
        """Say what was stored."""
        self.query_one("#detail").border_title = signs.stored(self.desk.workspace, what)

    def _listed(self, item: Item) -> bool:
        match self._chosen:
            case "moved":
                return item.id in self._back and bool(self._back[item.id].moved)
            case "failed":
                return item.id in self._back and self._back[item.id].failure is not None
            case "holdout":
                return item.split == "holdout"
            case "all":
                return True
        return item.status == self._chosen

    def _show(self) -> None:
        here = self.listing.key
        listed = [item for item in self._items if self._listed(item)]
        found = alike(listed, sanitise(self.field.value))
        shown = "" if self._chosen == "all" else f"   {dict(FILTERS)[self._chosen]}"
        self.title_bar.where = Content.assemble("items", signs.quiet(shown))
        holdout = sum(item.split == "holdout" for item in self._items)
        ready = sum(item.status == "ready" for item in self._items)
        if self._chosen == "failed":
            self.title_bar.state = Content(returned_.counts(self.returned))
        else:
            held = f"{holdout} in the holdout"
            self.title_bar.state = Content.assemble(
                f"{len(self._items)} items   {ready} ready   ",
                (f"✗ {held}", "bold $text-error") if ready and not holdout else held,
            )
        keys = [item.id for item in found]
        self.listing.say("no item like that" if self._items else "the set is empty so far")
        rows = {item.id: item for item in found}
        self.listing.show(keys, rows, cursor=keys.index(here) if here in rows else 0)
        self.refresh_bindings()

    def _draw(self, item: Item, width: int) -> Content:
        grade = (
            signs.grade(item.evidences[0])
            if item.evidences
            else Content("⊘ none" if item.answerable is False else "–")
        )
        if back := self._back.get(item.id):
            grade = entries.trouble(back, brief=True)
        return Content.assemble(
            signs.status(item).truncate(12, pad=True),
            " ",
            signs.split(item).truncate(10, pad=True),
            " ",
            grade.truncate(17, ellipsis=True, pad=True),
            " ",
            signs.spoken_line(item.question),
        ).truncate(width, ellipsis=True)

    @on(VirtualList.Moved, "#items")
    def _moved(self, event: VirtualList.Moved) -> None:
        item: Item | None = self.listing.row(event.key)
        detail = self.query_one("#detail", Static)
        self.refresh_bindings()
        if item is None:
            detail.update(Content(""))
            return
        lines = [
            Content.assemble((one_line(item.id), "bold"), "   ", signs.saved(item)),
            signs.spoken_line(item.question),
        ]
        for evidence in item.evidences[:2]:
            place = whereabouts(evidence.source, evidence.heading)
            lines.append(
                Content.assemble(signs.quiet(f"{place}  "), f"“{one_line(evidence.phrase)}”")
            )
        back = self._back.get(item.id)
        if back is not None and back.failure is not None:
            lines += entries.failure_lines(back.failure)
        if item.keyword:
            lines.append(Content.assemble(signs.quiet("keyword "), one_line(item.keyword)))
        width = max(1, self.size.width - 4)
        detail.update(Content("\n").join(line.truncate(width, ellipsis=True) for line in lines))

    # ------------------------------------------------------------------ keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done."""
        if action == "open":
            return self.is_mounted and self.listing.key is not None
        return super().check_action(action, parameters)

    def action_open(self) -> None:
        """Open the item."""
        if self.listing.key is not None:
            self.post_message(routes.ReviewItem(self.listing.key))

    @on(VirtualList.Opened, "#items")
    def _opened(self) -> None:
        self.action_open()

    def action_search(self) -> None:
        """Search the items."""
        self.add_class("-searching")
        self.set_focus(self.field)

    @on(Input.Changed, "#search")
    def _typed(self) -> None:
        self._show()

    @on(Input.Submitted, "#search")
    def _searched(self) -> None:
        self.listing.focus()

    def action_filter(self) -> None:
        """Choose which items are listed."""

        def chosen(value: str | None) -> None:
            if value is not None:
                self._chosen = value
                self._show()

        self.app.push_screen(Choose("List", FILTERS, chosen=self._chosen), chosen)

    def action_drift(self) -> None:
        """Walk through what moved in the documents."""
        self.post_message(routes.WalkDrift())

    def action_undo(self) -> None:
        """Take back the last decision."""

        def then(undone: Undone) -> None:
            self.desk.sitting.stamp += 1
            self.notify(signs.undone(undone), markup=False)
            self.on_screen_resume()

        self.decide(lambda: (Workspace.undo, then))

    def action_check(self) -> None:
        """Check the set and export it."""
        self.post_message(routes.CheckSet())

    def action_back(self) -> None:
        """Leave the search, else the screen."""
        if self.has_class("-searching"):
            self.remove_class("-searching")
            self.field.value = ""
            self.listing.focus()
        elif self._chosen != "all":
            self._chosen = "all"
            self._show()
        else:
            self.decide(self._leave)

    def _leave(self) -> None:
        self.dismiss()

"""The queue of the inbox: what came back, candidates by priority, the one under the cursor."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress

from textual import on
from textual.content import Content
from textual.reactive import reactive
from textual.timer import Timer
from textual.widgets import Static

from curate.model.records import Candidate, Record
from curate.text import one_line
from curate.tui import desk as desk_
from curate.tui.desk import Desk, Glance
from curate.tui.filters import Filter
from curate.tui.returned import Returned
from curate.tui.screens.failing import FailingScreen
from curate.tui.screens.grouping import GroupingScreen
from curate.tui.sitting import Queue
from curate.tui.widgets import entries, signs
from curate.tui.widgets import question as question_
from curate.tui.widgets.virtual_list import VirtualList
from curate.workspace.workspace import Workspace

_SETTLE = 0.08
"""Seconds the cursor rests before the detail is fetched."""
_FIRST = 200
"""Ids that are asked for before all of them are: a screenful and some to move in."""


class QueueScreen(FailingScreen, GroupingScreen):
    """A screen that lists what there is to look at, any number of it."""

    text: reactive[str] = reactive("", repaint=False, bindings=True)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.seen = -1
        self.resume: int | None = None
        self._resting: Timer | None = None
        self._glance: Glance | None = None
        self._settled_in = False
        self._told_lines = -1
        self._ids: array[int] = array("q")
        self._shown: tuple[Filter, str] | None = None
        self._sort: tuple[object, ...] = ()
        self._rest: Callable[[], None] | None = None

    def on_resize(self) -> None:
        """Name the columns at the new width."""
        self.query_one("#columns", Static).update(entries.columns(self.size.width - 4))

    # ------------------------------------------------------------------ reading

    def look(self) -> None:
        """Read what is listed."""
        self.seen = self.desk.sitting.stamp
        narrowed, text = self.narrowed, self.text

        def first(ids: array[int]) -> None:
            if len(ids) < _FIRST:
                self._show(ids)
            elif fresh and self.resume is None:
                # Of a million ids the first are on the screen before the rest is asked for.
                if self.open_only:
                    self.desk.sitting.fill(ids)
                self._rest = rest
                self.lay(ids, None, cursor=0)
            else:
                rest()

        def rest() -> None:
            if self._shown == (narrowed, text):
                self.fetch("ids", everything, lambda ids: self._show(ids, forget=not fresh))

        def everything(workspace: Workspace) -> array[int]:
            return desk_.listed(workspace, narrowed, text)

        fresh = self._shown != (narrowed, text)
        self._shown = (narrowed, text)
        self.forget("ids")
        self.fetch("first", lambda ws: desk_.listed(ws, narrowed, text, _FIRST), first)
        if self._settled_in:
            self.fetch("glance", desk_.glance, self._glanced, aside=True)

    def look_again(self) -> None:
        """Read what is listed, and whether what came back needs a person still."""
        self.look()
        if self.returned:
            self.look_back()

    def _show(self, ids: array[int], *, forget: bool = True) -> None:
        sitting = self.desk.sitting
        here = self.resume or self.listing.key
        self.resume = None
        if self.open_only:
            sitting.fill(ids)
            ids = sitting.ids
        self.listing.say(self._nothing())
        self.lay(ids, here, forget=forget)
        if not ids or len(ids) >= _FIRST:
            self._settle_in()
        self.refresh_bindings()

    def lay(
        self,
        ids: array[int],
        here: int | str | None,
        *,
        cursor: int | None = None,
        forget: bool = True,
    ) -> None:
        """List candidates below what came back, the cursor on the row `here`; where that is gone,
        where it was.
        """
        self._ids = ids
        plain = self.narrowed == Filter() and not self.text
        front = {one.item.id: one for one in self.returned if plain and one.waits}
        keys = Queue(tuple(front), ids)
        index = self.listing.cursor if cursor is None else cursor
        with suppress(ValueError):
            index = index if here is None else keys.index(here)
        self.listing.show(keys, front, cursor=index, forget=forget)

    def watch_returned(self) -> None:
        """Put what came back on top."""
        self.lay(self._ids, self.listing.key, forget=False)
        self.status()
        self.refresh_bindings()

    @property
    def open_only(self) -> bool:
        """Whether the candidates to look at are listed, and the sitting goes through them."""
        return self.narrowed.status == "open"

    def _nothing(self) -> str:
        if self.text or self.narrowed != Filter():
            return "nothing like that: Esc shows everything to look at"
        pace = self.desk.sitting.pace(self.desk.workspace.now())
        done = f"{pace}. " if pace else ""
        return f"Nothing left to look at. {done}E checks and exports."

    def _glanced(self, found: Glance) -> None:
        self._glance = found
        self.status()

    def status(self) -> None:
        """Say how the sitting stands."""
        if self._glance is not None:
            now = self.desk.workspace.now()
            rate = self.desk.sitting.rate(now)
            self.title_bar.state = entries.standing(self._glance, self.returned, rate, now)

    def _settle_in(self) -> None:
        """Bring the documents up to date, and reckon the title, once there is something to see."""
        if not self._settled_in:
            self._settled_in = True
            self.fetch(
                "sync", lambda ws: ws.ready_corpus(), lambda _done: self.look_back(), aside=True
            )
            self.fetch("glance", desk_.glance, self._glanced, aside=True)

    @on(VirtualList.Wanted, "#candidates")
    def _wanted(self, event: VirtualList.Wanted) -> None:
        keys = tuple(key for key in event.keys if isinstance(key, int))

        def run(workspace: Workspace) -> list[Candidate]:
            return workspace.store.candidates(keys)

        def then(found: list[Candidate]) -> None:
            self.listing.supply({candidate.id: candidate for candidate in found})
            rest, self._rest = self._rest, None
            if rest is not None:
                self.set_timer(_SETTLE, rest)
                return
            self._settle_in()
            self._rested()
            self.refresh_bindings()

        self.fetch(f"rows {keys[0]}", run, then)

    # ------------------------------------------------------------------ showing

    def watch_narrowed(self) -> None:
        """Say what is listed."""
        self.where()

    def where(self) -> None:
        """Say which workspace this is, and what is listed of it."""
        where = Content.styled(one_line(self.desk.workspace.root.resolve().name), "bold")
        if words := self.narrowed.words():
            where = where.append(signs.quiet(f"   filter: {one_line(words)}"))
        self.title_bar.where = where

    def draw(self, row: Candidate | Returned, width: int) -> Content:
        """Return a row in a line."""
        if isinstance(row, Returned):
            return entries.back(row, width)
        return entries.candidate(row, width, self.desk.workspace.who, marked=row.id in self.marked)

    @on(VirtualList.Moved, "#candidates")
    def _moved(self) -> None:
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(_SETTLE, self._rested)
        row = self.listing.row(self.listing.key)
        sort: tuple[object, ...] = (type(row), bool(self.marked))
        if isinstance(row, Candidate):
            sort += (row.status, row.size > 1, self.marked == {row.id})
        elif isinstance(row, Returned):
            sort += (row.failure is None,)
        if sort != self._sort:
            # Which keys work is the same for all rows of a sort, and costs more than a move.
            self._sort = sort
            self.refresh_bindings()

    def _rested(self) -> None:
        candidate, back = self.candidate, self.back
        if back is not None:
            self._tell(entries.back_detail(back))
        elif self.listing.key is None:
            self._tell(())
        if candidate is None:
            return
        self._detail(candidate, ())
        self.fetch(
            "detail",
            lambda ws: ws.store.records(candidate.id),
            lambda records: self._detail(candidate, tuple(records)),
        )

    def _detail(self, candidate: Candidate, records: tuple[Record, ...]) -> None:
        self._tell(question_.glimpse(candidate, records, self.desk.workspace.who))

    def _tell(self, lines: Sequence[Content]) -> None:
        width = max(1, self.size.width - 4)
        told = Content("\n").join(line.truncate(width, ellipsis=True) for line in lines)
        # A layout draws the whole screen anew, and most details are as long as the one before.
        layout, self._told_lines = len(lines) != self._told_lines, len(lines)
        self.query_one("#detail", Static).update(told, layout=layout)

    @property
    def candidate(self) -> Candidate | None:
        """The candidate under the cursor."""
        row = self.listing.row(self.listing.key)
        return row if isinstance(row, Candidate) else None

    @property
    def back(self) -> Returned | None:
        """What came back under the cursor."""
        row = self.listing.row(self.listing.key)
        return row if isinstance(row, Returned) else None

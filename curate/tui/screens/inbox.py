"""The inbox: candidates in order of priority, with the reasons for it."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.getters import query_one
from textual.reactive import reactive
from textual.timer import Timer
from textual.widgets import Input, Static

from curate.model.records import Candidate, Record
from curate.text import one_line, sanitise
from curate.tui import desk as desk_
from curate.tui import place, routes
from curate.tui.desk import Desk, Glance
from curate.tui.filters import Filter
from curate.tui.place import Place
from curate.tui.screens.ask import Choose
from curate.tui.screens.grouping import GroupingScreen
from curate.tui.screens.pick import PickItem
from curate.tui.screens.review import REJECTIONS
from curate.tui.widgets import question as question_
from curate.tui.widgets import signs
from curate.tui.widgets.bars import KeyBar, TitleBar
from curate.tui.widgets.field import SearchField
from curate.tui.widgets.virtual_list import VirtualList
from curate.workspace.workspace import Workspace

if TYPE_CHECKING:
    from curate.store.deciding import Undone

_SETTLE = 0.08
"""Seconds the cursor rests before the detail is fetched."""
_FIRST = 200
"""Ids that are asked for before all of them are: a screenful and some to move in."""


class InboxScreen(GroupingScreen):
    """Where a sitting begins: what to look at, and why."""

    HELP = """\
## Inbox

Candidates in order of priority: near-duplicate questions are one candidate. **Enter** opens the
review. Nothing here is final: `z` takes the last decision back, again and again.

- arrow keys, `j` `k`, Page Up, Page Down, Home and End move
- `/` searches the questions; `f` filters by reason, by what was decided, by language, log, date
  or tag, and draws this week's sample; Escape shows everything again
- `d` says that an item of the set asks the same, `x` rejects with a reason
- `s` skips: the candidate moves to the end of this sitting
- Space marks candidates and `m` puts them together with the one under the cursor; `S` takes one
  apart
- `i` shows the items, `D` what moved in the documents, `C` what the set covers, `E` checks and
  exports
"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "review", "review", tooltip="Review the candidate", id="review"),
        Binding("slash", "search", "search", tooltip="Search the questions", id="search"),
        Binding("d", "duplicate", "duplicate of", tooltip="Duplicate of an item", id="duplicate"),
        Binding("x", "reject", "reject", tooltip="Reject with a reason", id="reject"),
        Binding("s", "skip", "skip", tooltip="Skip for this sitting", id="skip"),
        Binding("r", "reopen", "reopen", tooltip="Put back into the inbox", id="reopen"),
        Binding("z", "undo", "undo", tooltip="Undo the last decision", id="undo"),
        Binding("i", "items", "items", tooltip="The items of the set", id="items"),
        Binding("D", "drift", "drift", tooltip="What moved in the documents", show=False,
                id="drift"),
        Binding("C", "coverage", "coverage", tooltip="What the set covers", show=False,
                id="coverage"),
        Binding("E", "check", "export", tooltip="Check and export", id="check"),
        Binding("q", "quit", "quit", tooltip="Quit; everything is saved", id="leave"),
        Binding("escape", "back", "all", tooltip="Clear search and filter", id="back"),
    ]  # fmt: skip

    text: reactive[str] = reactive("", repaint=False, bindings=True)

    said: reactive[str] = reactive("", repaint=False, init=False)
    """What was decided last, as it was acknowledged."""

    title_bar = query_one(TitleBar)
    field = query_one("#search", SearchField)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._resting: Timer | None = None
        self._seen = -1
        self._glance: Glance | None = None
        self._settled_in = False
        self._told_lines = -1
        self._resume: int | None = None
        self._shown: tuple[Filter, str] | None = None

    def compose(self) -> ComposeResult:
        """Lay out the list and the detail."""
        yield TitleBar()
        yield Static(id="columns")
        yield SearchField("search the questions")
        yield VirtualList(self._draw, empty="reading …", id="candidates")
        yield Static(id="detail")
        yield KeyBar(first=("review", "search", "filter", "duplicate", "reject", "skip", "reopen"))

    def on_mount(self) -> None:
        """Begin where the curator stopped."""
        self._where()
        self.listing.focus()
        self.fetch("place", lambda ws: place.read(ws.root, ws.who), self._begin)

    def _begin(self, there: Place) -> None:
        self._resume = there.candidate
        self.set_reactive(InboxScreen.narrowed, there.narrowed)
        self._where()
        self.look()

    def on_screen_resume(self) -> None:
        """Look again when something was decided meanwhile."""
        if self._seen not in (-1, self.desk.sitting.stamp):
            self.look()
        elif self._deciding_open and self.listing.count:
            # Skipping changes the order without a decision.
            self.listing.show(self.desk.sitting.ids, cursor=self.listing.cursor, forget=False)
        self._status()

    def on_resize(self) -> None:
        """Name the columns at the new width."""
        self._columns()

    # ------------------------------------------------------------------ reading

    def look(self) -> None:
        """Read what is listed."""
        self._seen = self.desk.sitting.stamp
        narrowed, text = self.narrowed, self.text

        def first(ids: array[int]) -> None:
            if len(ids) < _FIRST:
                self._show(ids)
                return
            # Of a million ids the first are on the screen before the rest is asked for.
            if fresh and self._resume is None:
                self.listing.show(ids)
            self.set_timer(_SETTLE, rest)

        def rest() -> None:
            if self._shown == (narrowed, text):
                self.fetch("ids", everything, self._show)

        def everything(workspace: Workspace) -> array[int]:
            return desk_.listed(workspace, narrowed, text)

        fresh = self._shown != (narrowed, text)
        self._shown = (narrowed, text)
        self.forget("ids")
        self.fetch("first", lambda ws: desk_.listed(ws, narrowed, text, _FIRST), first)
        if self._settled_in:
            self.fetch("glance", desk_.glance, self._glanced)

    def _show(self, ids: array[int]) -> None:
        sitting = self.desk.sitting
        here, before = self._resume or self.listing.key, self.listing.cursor
        self._resume = None
        if self._deciding_open:
            sitting.fill(ids)
            ids = sitting.ids
        try:
            index = ids.index(here) if here is not None else before
        except ValueError:
            index = before
        self.listing.say(self._nothing())
        self.listing.show(ids, cursor=index)
        if not ids:
            self._settle_in()
        self.refresh_bindings()

    @property
    def _deciding_open(self) -> bool:
        return self.narrowed.status == "open"

    def _nothing(self) -> str:
        if self.text or self.narrowed != Filter():
            return "nothing like that: Esc shows everything to look at"
        pace = self.desk.sitting.pace(self.desk.workspace.now())
        done = f"{pace}. " if pace else ""
        return f"Nothing left to look at. {done}E checks and exports."

    def _glanced(self, found: Glance) -> None:
        self._glance = found
        self._status()

    def _status(self) -> None:
        found = self._glance
        if found is None:
            return
        now = self.desk.workspace.now()
        parts = [f"{found.open} to look at", f"{found.today} done today"]
        if rate := self.desk.sitting.rate(now):
            parts.append(rate)
        state = Content("   ").join([Content(part) for part in parts])
        if found.overdue:
            state = state.append(Content.styled("   ✗ purge overdue", "$text-error"))
        elif found.next_expiry is not None:
            days = max(0, (found.next_expiry - now).days)
            state = state.append(signs.quiet(f"   purge in {days} d"))
        self.title_bar.state = state

    def _settle_in(self) -> None:
        """Bring the documents up to date, and reckon the title, once there is something to see."""
        if not self._settled_in:
            self._settled_in = True
            self.fetch("sync", lambda ws: ws.ready_corpus(), lambda _done: None)
            self.fetch("glance", desk_.glance, self._glanced)

    @on(VirtualList.Wanted, "#candidates")
    def _wanted(self, event: VirtualList.Wanted) -> None:
        keys = event.keys

        def run(workspace: Workspace) -> list[Candidate]:
            return workspace.store.candidates(keys)

        def then(found: list[Candidate]) -> None:
            self.listing.supply({candidate.id: candidate for candidate in found})
            self._settle_in()
            self._rested()
            self.refresh_bindings()

        self.fetch(f"rows {keys[0]}", run, then)

    # ------------------------------------------------------------------ showing

    def watch_busy(self, busy: str) -> None:
        """Say what is being waited for."""
        self.title_bar.busy = busy

    def watch_said(self) -> None:
        """Acknowledge a decision."""
        self.query_one("#detail").border_title = Content.assemble(
            ("✓ ", "$text-success"), self.said
        )

    def watch_narrowed(self) -> None:
        """Say what is listed."""
        self._where()

    def _where(self) -> None:
        where = Content.styled(one_line(self.desk.workspace.root.resolve().name), "bold")
        if words := self.narrowed.words():
            where = where.append(signs.quiet(f"   filter: {one_line(words)}"))
        self.title_bar.where = where

    def _columns(self) -> None:
        why = self._why(self.size.width - 4)
        self.query_one("#columns", Static).update(
            Content.assemble((f"   {'why':<{why}} question", "$quiet"))
        )

    @staticmethod
    def _why(width: int) -> int:
        return max(6, min(38, width * 2 // 5))

    def _draw(self, candidate: Candidate, width: int) -> Content:
        why = self._why(width)
        asked = f"{candidate.size:>5}" if width > 40 else ""
        room = max(1, width - why - 1 - len(asked))
        reasons = signs.reasons_line(candidate.reasons)
        if theirs := signs.looked_at(candidate, self.desk.workspace.who):
            reasons = Content.assemble(theirs, " ", reasons)
        if candidate.id in self.marked:
            reasons = Content.assemble(("✚ ", "bold $text-accent"), reasons)
        reasons = reasons.truncate(why, ellipsis=True, pad=True)
        question = signs.spoken_line(candidate.question)
        return Content.assemble(
            reasons, " ", question.truncate(room, ellipsis=True, pad=True), (asked, "$quiet")
        )

    @on(VirtualList.Moved, "#candidates")
    def _moved(self) -> None:
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(_SETTLE, self._rested)
        self.refresh_bindings()

    def _rested(self) -> None:
        candidate = self.candidate
        if candidate is None:
            if self.listing.key is None:
                self._tell(Content(""))
            return
        self._detail(candidate, ())
        self.fetch(
            "detail",
            lambda ws: ws.store.records(candidate.id),
            lambda records: self._detail(candidate, tuple(records)),
        )

    def _detail(self, candidate: Candidate, records: tuple[Record, ...]) -> None:
        width = max(1, self.size.width - 4)
        lines = question_.glimpse(candidate, records, self.desk.workspace.who)
        told = Content("\n").join(line.truncate(width, ellipsis=True) for line in lines)
        self._tell(told)

    def _tell(self, told: Content) -> None:
        # A layout draws the whole screen anew, and most details are as long as the one before.
        lines = told.plain.count("\n")
        self.query_one("#detail", Static).update(told, layout=lines != self._told_lines)
        self._told_lines = lines

    @property
    def candidate(self) -> Candidate | None:
        """The candidate under the cursor."""
        found: Candidate | None = self.listing.row(self.listing.key)
        return found

    # ------------------------------------------------------------------ deciding

    def action_review(self) -> None:
        """Open the candidate."""
        candidate = self.candidate
        if candidate is None:
            return
        if candidate.status == "duplicate" and candidate.item:
            self.post_message(routes.ReviewItem(candidate.item))
        else:
            self._remember(candidate.id)
            self.post_message(routes.ReviewCandidate(candidate.id))

    def _remember(self, candidate: int) -> None:
        here = Place(candidate, self.narrowed)
        self.fetch("remember", lambda ws: place.write(ws.root, ws.who, here), lambda _done: None)

    @on(VirtualList.Opened, "#candidates")
    def _opened(self) -> None:
        self.action_review()

    def action_reject(self) -> None:
        """Reject the candidate with a reason."""
        candidate = self.candidate
        if candidate is None:
            return

        def reasoned(reason: str | None) -> None:
            if reason is not None:
                self._decide(
                    candidate,
                    lambda ws: ws.decide(candidate.id, "rejected", reason=reason),
                )

        self.app.push_screen(
            Choose("Why is it not worth a case?", REJECTIONS, other="another reason"), reasoned
        )

    def action_duplicate(self) -> None:
        """Say that an item asks the same already."""
        candidate = self.candidate
        if candidate is None:
            return

        def picked(item: str | None) -> None:
            if item is not None:
                self._decide(
                    candidate,
                    lambda ws: ws.decide(candidate.id, "duplicate", item=item),
                )

        self.app.push_screen(PickItem(self.desk, "Duplicate of", candidate.question), picked)

    def action_reopen(self) -> None:
        """Put a decided candidate back into the inbox."""
        candidate = self.candidate
        if candidate is not None:
            self._decide(candidate, lambda ws: ws.decide(candidate.id, "open"))

    def _decide(self, candidate: Candidate, run: Callable[[Workspace], Candidate]) -> None:
        def then(now: Candidate) -> None:
            sitting = self.desk.sitting
            sitting.drop(candidate.id)
            if now.status != "open":
                sitting.rejected += 1
            sitting.stamp += 1
            self.acknowledge(now.status)
            self.look()

        self.decide(lambda: (run, then))

    def acknowledge(self, what: str) -> None:
        """Say what was stored, when and by whom."""
        clock = self.desk.workspace.now().astimezone().strftime("%H:%M:%S")
        self.said = f"{what}, saved {clock} by {one_line(self.desk.workspace.who)}"

    def action_skip(self) -> None:
        """Move the candidate to the end of this sitting."""
        candidate = self.candidate
        if candidate is not None:
            self.desk.sitting.skip(candidate.id)
            self.listing.show(self.desk.sitting.ids, cursor=self.listing.cursor, forget=False)

    def action_undo(self) -> None:
        """Take back the last decision."""

        def then(undone: Undone) -> None:
            self.desk.sitting.stamp += 1
            self.said = signs.undone(undone)
            self.look()

        self.decide(lambda: (Workspace.undo, then))

    # ------------------------------------------------------------------ finding

    def action_search(self) -> None:
        """Search the questions."""
        self.add_class("-searching")
        self.set_focus(self.field)

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        self.text = sanitise(event.value).strip()
        self.look()

    @on(Input.Submitted, "#search")
    def _searched(self) -> None:
        self.listing.focus()

    def action_back(self) -> None:
        """Leave the field, then clear search and filter."""
        if self.focused is self.field and self.text:
            self.listing.focus()
            return
        self.remove_class("-searching")
        self.listing.focus()
        self.marked.clear()
        self.narrowed = Filter()
        if self.field.value:
            self.field.value = ""
        else:
            self.look()

    # ------------------------------------------------------------------ going

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done with the row under the cursor."""
        if action in {"review", "reject", "duplicate", "skip", "reopen"}:
            candidate = self.candidate if self.is_mounted else None
            if candidate is None:
                return False
            if action == "review":
                return True
            return (candidate.status == "open") == (action != "reopen")
        if action == "back":
            narrowed = self.narrowed != Filter() or bool(self.marked)
            return bool(self.text) or narrowed or self.has_class("-searching")
        return super().check_action(action, parameters)

    def action_items(self) -> None:
        """Show the set."""
        self.post_message(routes.ListItems())

    def action_check(self) -> None:
        """Check the set and export it."""
        self.post_message(routes.CheckSet())

    def action_drift(self) -> None:
        """Walk through what moved in the documents."""
        self.post_message(routes.WalkDrift())

    def action_coverage(self) -> None:
        """Show what the set covers."""
        self.post_message(routes.ShowCoverage())

    def action_quit(self) -> None:
        """Quit when everything is stored, and remember where that was."""
        here = Place(self.listing.key, self.narrowed)

        def leave(workspace: Workspace) -> None:
            place.write(workspace.root, workspace.who, here)
            workspace.release()

        self.decide(lambda: (leave, lambda _done: self.app.exit(0)))

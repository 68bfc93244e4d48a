"""The inbox: candidates in order of priority, with the reasons for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Input, Static

from curate.model.records import Candidate
from curate.text import sanitise
from curate.tui import place, routes
from curate.tui.filters import Filter
from curate.tui.place import Place
from curate.tui.screens.ask import Choose
from curate.tui.screens.pick import PickItem
from curate.tui.screens.queue import QueueScreen
from curate.tui.screens.review import REJECTIONS, rejecting
from curate.tui.widgets import signs
from curate.tui.widgets.bars import KeyBar, TitleBar
from curate.tui.widgets.field import SearchField
from curate.tui.widgets.virtual_list import VirtualList
from curate.workspace.workspace import Workspace

if TYPE_CHECKING:
    from curate.store.deciding import Undone


class InboxScreen(QueueScreen):
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
- items come back on top: what they quote moved `⟲`, or they failed in the last scored run `✗`;
  Enter opens them, `c` confirms what a failure is called, `1`-`7` call it something else
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

    field = query_one("#search", SearchField)

    def compose(self) -> ComposeResult:
        """Lay out the list and the detail."""
        yield TitleBar()
        yield Static(id="columns")
        yield SearchField("search the questions")
        yield VirtualList(self.draw, empty="reading …", id="candidates")
        yield Static(id="detail")
        yield KeyBar(first=("review", "search", "filter", "duplicate", "reject", "skip", "reopen"))

    def on_mount(self) -> None:
        """Begin where the curator stopped."""
        self.where()
        self.listing.focus()
        self.fetch("place", lambda ws: place.read(ws.root, ws.who), self._begin)

    def _begin(self, there: Place) -> None:
        self.resume = there.candidate
        self.set_reactive(InboxScreen.narrowed, there.narrowed)
        self.where()
        self.look()

    def on_screen_resume(self) -> None:
        """Look again when something was decided meanwhile."""
        if self.seen not in (-1, self.desk.sitting.stamp):
            self.look_again()
        elif self.open_only and self.listing.count:
            # Skipping changes the order without a decision.
            self.lay(self.desk.sitting.ids, None, forget=False)
        self.status()

    # ------------------------------------------------------------------ deciding

    def action_review(self) -> None:
        """Open the candidate, or what came back."""
        candidate, back = self.candidate, self.back
        if back is not None:
            item = back.item.id
            self.post_message(routes.WalkDrift(item) if back.moved else routes.ReviewItem(item))
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
        if self.candidate is not None:
            self._ask_reason(self.candidate, "")

    def _ask_reason(self, candidate: Candidate, typed: str) -> None:
        def reasoned(reason: str | None) -> None:
            if reason is not None:
                self.decide_worded(
                    lambda as_is: (rejecting(candidate.id, reason, as_is), self._decided),
                    lambda: self._ask_reason(candidate, reason),
                )

        title, other = "Why is it not worth a case?", "another reason"
        self.app.push_screen(Choose(title, REJECTIONS, other=other, typed=typed), reasoned)

    def action_duplicate(self) -> None:
        """Say that an item asks the same already."""
        candidate = self.candidate
        if candidate is None:
            return

        def picked(item: str | None) -> None:
            if item is not None:
                self._decide(lambda ws: ws.decide(candidate.id, "duplicate", item=item))

        self.app.push_screen(PickItem(self.desk, "Duplicate of", candidate.question), picked)

    def action_reopen(self) -> None:
        """Put a decided candidate back into the inbox."""
        candidate = self.candidate
        if candidate is not None:
            self._decide(lambda ws: ws.decide(candidate.id, "open"))

    def _decide(self, run: Callable[[Workspace], Candidate]) -> None:
        self.decide(lambda: (run, self._decided))

    def _decided(self, now: Candidate) -> None:
        sitting = self.desk.sitting
        sitting.drop(now.id)
        if now.status != "open":
            sitting.rejected += 1
        sitting.stamp += 1
        self.acknowledge(now.status)
        self.look()

    def acknowledge(self, what: str) -> None:
        """Say what was stored, when and by whom."""
        self._say(signs.stored(self.desk.workspace, what))

    def _say(self, words: Content) -> None:
        self.query_one("#detail").border_title = words

    def action_skip(self) -> None:
        """Move the candidate to the end of this sitting."""
        candidate = self.candidate
        if candidate is not None:
            self.desk.sitting.skip(candidate.id)
            self.lay(self.desk.sitting.ids, None, forget=False)

    def action_undo(self) -> None:
        """Take back the last decision."""

        def then(undone: Undone) -> None:
            self.desk.sitting.stamp += 1
            self._say(Content.assemble(("✓ ", "$text-success"), signs.undone(undone)))
            self.look_again()

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
            if action == "review":
                return candidate is not None or (self.is_mounted and self.back is not None)
            if candidate is None:
                return False
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
        candidate = self.candidate
        here = Place(candidate.id if candidate else None, self.narrowed)

        def leave(workspace: Workspace) -> None:
            place.write(workspace.root, workspace.who, here)
            workspace.release()

        self.decide(lambda: (leave, lambda _done: self.app.exit(0)))

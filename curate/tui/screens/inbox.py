"""The inbox: candidates in order of priority, with the reasons for it."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
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
from curate.tui import routes
from curate.tui.desk import Desk
from curate.tui.errands import WorkScreen
from curate.tui.screens.ask import Choose
from curate.tui.screens.pick import PickItem
from curate.tui.screens.review import REJECTIONS
from curate.tui.widgets import signs
from curate.tui.widgets.bars import KeyBar, TitleBar
from curate.tui.widgets.field import SearchField
from curate.tui.widgets.virtual_list import VirtualList
from curate.workspace.workspace import Workspace

if TYPE_CHECKING:
    from curate.store.deciding import Undone

FILTERS = (
    ("open", "to look at: everything"),
    ("open:thumbs-down", "to look at: thumbs-down"),
    ("open:refused", "to look at: refused"),
    ("open:low score", "to look at: low score"),
    ("open:asked", "to look at: asked more than once"),
    ("open:never covered", "to look at: section never covered"),
    ("done", "done: made into items"),
    ("rejected", "rejected"),
    ("duplicate", "duplicates of an item"),
)

_SETTLE = 0.08
"""Seconds the cursor rests before the detail is fetched."""


@dataclass(frozen=True, slots=True)
class Glance:
    """What the title line tells about the workspace."""

    open: int
    done: int
    next_expiry: datetime | None
    overdue: int


def glance(workspace: Workspace) -> Glance:
    """Return the figures of the title line."""
    counts = workspace.store.counts()
    days = sorted(counts.expiring)
    expiry = datetime.fromisoformat(days[0]).astimezone() if days else None
    return Glance(
        counts.candidates.get("open", 0), counts.candidates.get("done", 0), expiry, counts.overdue
    )


class InboxScreen(WorkScreen[None]):
    """Where a sitting begins: what to look at, and why."""

    HELP = """\
## Inbox

Candidates in order of priority: near-duplicate questions are one candidate. **Enter** opens the
review. Nothing here is final: `z` takes the last decision back, again and again.

- arrow keys, `j` `k`, Page Up, Page Down, Home and End move
- `/` searches the questions, `f` filters by reason or by what was decided
- `d` says that an item of the set asks the same, `x` rejects with a reason
- `s` skips: the candidate moves to the end of this sitting
"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "review", "review", tooltip="Review the candidate", id="review"),
        Binding("slash", "search", "search", tooltip="Search the questions", id="search"),
        Binding("f", "filter", "filter", tooltip="Filter by reason or status", id="filter"),
        Binding("d", "duplicate", "duplicate of", tooltip="Duplicate of an item", id="duplicate"),
        Binding("x", "reject", "reject", tooltip="Reject with a reason", id="reject"),
        Binding("s", "skip", "skip", tooltip="Skip for this sitting", id="skip"),
        Binding("r", "reopen", "reopen", tooltip="Put back into the inbox", id="reopen"),
        Binding("z", "undo", "undo", tooltip="Undo the last decision", id="undo"),
        Binding("i", "items", "items", tooltip="The items of the set", id="items"),
        Binding("E", "check", "export", tooltip="Check and export", id="check"),
        Binding("q", "quit", "quit", tooltip="Quit; everything is saved", id="leave"),
        Binding("escape", "back", "all", tooltip="Clear search and filter", id="back"),
    ]

    chosen: reactive[str] = reactive("open", repaint=False, bindings=True, init=False)
    text: reactive[str] = reactive("", repaint=False, bindings=True)

    said: reactive[str] = reactive("", repaint=False, init=False)
    """What was decided last, as it was acknowledged."""

    title_bar = query_one(TitleBar)
    listing = query_one("#candidates", VirtualList)
    field = query_one("#search", SearchField)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._resting: Timer | None = None
        self._seen = -1
        self._glance: Glance | None = None

    def compose(self) -> ComposeResult:
        """Lay out the list and the detail."""
        yield TitleBar()
        yield Static(id="columns")
        yield SearchField("search the questions")
        yield VirtualList(self._draw, empty="reading …", id="candidates")
        yield Static(id="detail")
        yield KeyBar()

    def on_mount(self) -> None:
        """Look for what there is, and bring the documents up to date."""
        self._where()
        self.listing.focus()
        self.fetch("sync", lambda ws: ws.ready_corpus(), lambda _done: None)

    def on_screen_resume(self) -> None:
        """Look again when something was decided meanwhile."""
        if self._seen != self.desk.sitting.stamp:
            self._look()
        elif self._deciding_open and self.listing.count:
            # Skipping changes the order without a decision.
            self.listing.show(self.desk.sitting.ids, cursor=self.listing.cursor, forget=False)
        self._status()

    def on_resize(self) -> None:
        """Name the columns at the new width."""
        self._columns()

    # ------------------------------------------------------------------ reading

    def _look(self) -> None:
        self._seen = self.desk.sitting.stamp
        status, _, reason = self.chosen.partition(":")
        text = self.text
        self.fetch(
            "ids",
            lambda ws: ws.store.candidate_ids(status=status, text=text, reason=reason),
            self._show,
        )
        self.fetch("glance", glance, self._glanced)

    def _show(self, ids: array[int]) -> None:
        sitting = self.desk.sitting
        here, before = self.listing.key, self.listing.cursor
        if self._deciding_open:
            sitting.fill(ids)
            ids = sitting.ids
        index = ids.index(here) if here in ids else before
        self.listing.say(self._nothing())
        self.listing.show(ids, cursor=index)
        self.refresh_bindings()

    @property
    def _deciding_open(self) -> bool:
        return self.chosen.partition(":")[0] == "open"

    def _nothing(self) -> str:
        if self.text or self.chosen != "open":
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
        parts = [f"{found.open} to look at", f"{found.done} done"]
        if pace := self.desk.sitting.pace(self.desk.workspace.now()):
            parts[1:] = [pace]
        state = Content("   ").join([Content(part) for part in parts])
        if found.overdue:
            state = state.append(Content.styled("   ✗ purge overdue", "$text-error"))
        elif found.next_expiry is not None:
            days = max(0, (found.next_expiry - self.desk.workspace.now()).days)
            state = state.append(signs.quiet(f"   purge in {days} d"))
        self.title_bar.state = state

    @on(VirtualList.Wanted, "#candidates")
    def _wanted(self, event: VirtualList.Wanted) -> None:
        keys = event.keys

        def run(workspace: Workspace) -> list[Candidate]:
            return workspace.store.candidates(keys)

        def then(found: list[Candidate]) -> None:
            self.listing.supply({candidate.id: candidate for candidate in found})
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

    def watch_chosen(self) -> None:
        """Say what is listed."""
        self._where()

    def _where(self) -> None:
        where = Content.styled(one_line(self.desk.workspace.root.resolve().name), "bold")
        if self.chosen != "open":
            where = where.append(signs.quiet(f"   filter: {dict(FILTERS)[self.chosen]}"))
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
        reasons = signs.reasons_line(candidate.reasons).truncate(why, ellipsis=True, pad=True)
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
        candidate = self._candidate
        if candidate is None:
            if self.listing.key is None:
                self.query_one("#detail", Static).update(Content(""))
            return
        self._detail(candidate, ())
        self.fetch(
            "detail",
            lambda ws: ws.store.records(candidate.id),
            lambda records: self._detail(candidate, tuple(records)),
        )

    def _detail(self, candidate: Candidate, records: tuple[Record, ...]) -> None:
        facts = " · ".join(
            filter(None, [one_line(candidate.lang), signs.askings(candidate), candidate.status])
        )
        lines = [Content.assemble(signs.spoken_line(candidate.question, "bold"))]
        lines.append(signs.quiet(facts))
        if candidate.item:
            word = "duplicate of" if candidate.status == "duplicate" else "item"
            lines[1] = lines[1].append(signs.quiet(f" · {word} {one_line(candidate.item)}"))
        if candidate.note:
            lines[1] = lines[1].append(signs.quiet(f" · {one_line(candidate.note)}"))
        record = next((r for r in records if r.id == candidate.record), None)
        if record is not None:
            if record.answer is not None:
                word = "refused  " if record.refused else "answered "
                lines.append(
                    Content.assemble((word, "$quiet"), signs.spoken_line(record.answer.text))
                )
            votes = signs.feedback_lines(vote for r in records for vote in r.feedback)
            if votes:
                lines.append(Content("  ").join(votes[:4]))
            if record.chunks:
                lines.append(
                    Content.assemble(("retrieved ", "$quiet"), signs.chunk_line(record.chunks[0]))
                )
        width = max(1, self.size.width - 4)
        self.query_one("#detail", Static).update(
            Content("\n").join(line.truncate(width, ellipsis=True) for line in lines)
        )

    @property
    def _candidate(self) -> Candidate | None:
        found: Candidate | None = self.listing.row(self.listing.key)
        return found

    # ------------------------------------------------------------------ deciding

    def action_review(self) -> None:
        """Open the candidate."""
        candidate = self._candidate
        if candidate is None:
            return
        if candidate.status == "duplicate" and candidate.item:
            self.post_message(routes.ReviewItem(candidate.item))
        else:
            self.post_message(routes.ReviewCandidate(candidate.id))

    @on(VirtualList.Opened, "#candidates")
    def _opened(self) -> None:
        self.action_review()

    def action_reject(self) -> None:
        """Reject the candidate with a reason."""
        candidate = self._candidate
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
        candidate = self._candidate
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
        candidate = self._candidate
        if candidate is not None:
            self._decide(candidate, lambda ws: ws.decide(candidate.id, "open"))

    def _decide(self, candidate: Candidate, run: Callable[[Workspace], Candidate]) -> None:
        def then(now: Candidate) -> None:
            sitting = self.desk.sitting
            sitting.drop(candidate.id)
            if now.status != "open":
                sitting.rejected += 1
            sitting.stamp += 1
            clock = self.desk.workspace.now().astimezone().strftime("%H:%M:%S")
            self.said = f"{now.status}, saved {clock} by {one_line(self.desk.workspace.who)}"
            self._look()

        self.decide(lambda: (run, then))

    def action_skip(self) -> None:
        """Move the candidate to the end of this sitting."""
        candidate = self._candidate
        if candidate is not None:
            self.desk.sitting.skip(candidate.id)
            self.listing.show(self.desk.sitting.ids, cursor=self.listing.cursor, forget=False)

    def action_undo(self) -> None:
        """Take back the last decision."""

        def then(undone: Undone) -> None:
            self.desk.sitting.stamp += 1
            self.said = signs.undone(undone)
            self._look()

        self.decide(lambda: (Workspace.undo, then))

    # ------------------------------------------------------------------ finding

    def action_search(self) -> None:
        """Search the questions."""
        self.add_class("-searching")
        self.set_focus(self.field)

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        self.text = sanitise(event.value).strip()
        self._look()

    @on(Input.Submitted, "#search")
    def _searched(self) -> None:
        self.listing.focus()

    def action_filter(self) -> None:
        """Choose what is listed."""

        def chosen(value: str | None) -> None:
            if value is not None:
                self.chosen = value
                self._look()

        self.app.push_screen(Choose("Show", FILTERS, chosen=self.chosen), chosen)

    def action_back(self) -> None:
        """Leave the field, then clear search and filter."""
        if self.focused is self.field and self.text:
            self.listing.focus()
            return
        self.remove_class("-searching")
        self.listing.focus()
        self.chosen = "open"
        if self.field.value:
            self.field.value = ""
        else:
            self._look()

    # ------------------------------------------------------------------ going

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done with the row under the cursor."""
        if action in {"review", "reject", "duplicate", "skip", "reopen"}:
            candidate = self._candidate if self.is_mounted else None
            if candidate is None:
                return False
            if action == "review":
                return True
            return (candidate.status == "open") == (action != "reopen")
        if action == "back":
            return bool(self.text) or self.chosen != "open" or self.has_class("-searching")
        return True

    def action_items(self) -> None:
        """Show the set."""
        self.post_message(routes.ListItems())

    def action_check(self) -> None:
        """Check the set and export it."""
        self.post_message(routes.CheckSet())

    def action_quit(self) -> None:
        """Quit when everything is stored."""
        self.decide(lambda: self.app.exit(0))

"""What moved: the old passage on the left, where it may stand now on the right, one key to take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from curate.model.items import Finding, Item
from curate.text import display, one_line, whereabouts
from curate.tui import walk
from curate.tui.desk import Case, Desk, Opened
from curate.tui.screens.editing import Edit
from curate.tui.screens.seeking import SeekingScreen
from curate.tui.walk import Step
from curate.tui.widgets import signs
from curate.tui.widgets.passage import PassageView
from curate.workspace.workspace import Workspace

_KINDS: dict[str, tuple[walk.Kind, ...]] = {
    "lost": ("evidence", "chunks"),
    "unanswerable": ("evidence", "absence"),
    "skip": ("evidence", "absence", "chunks"),
    "whole": ("evidence", "absence"),
    "more": ("chunks",),
}
"""What can be done where."""
_PAUSE = 0.2
"""Seconds without a letter after which chunks are searched."""


class DriftScreen(SeekingScreen):
    """Walks through evidence that moved or is lost, absences that are disputed, and chunks that a
    remap was not sure of.
    """

    HELP = """\
## What moved

The documents or the chunks changed. The old passage is on the left; the likeliest new place is
selected on the right. **Enter** takes it and goes on to the next.

- another place: `1`-`9`, or `/` and a few words; `j` `k` `[` `]` move and fit the selection
- `l` says that it is lost: the item becomes a draft without this evidence
- chunks are taken in the same way; `+` takes one and goes on to another, where only several of them
  hold the evidence; `l` says none of those proposed, so that the chunks that hold it count
- `u` says that the documents do not answer it (any more)
- `s` goes on and changes nothing; `z` takes the last decision back
"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("plus", "more", "one more", tooltip="Take this chunk and another", id="more"),
        Binding("l", "lost", "lost", tooltip="It stands nowhere any more", id="lost"),
        Binding("u", "unanswerable", "unanswerable", tooltip="The documents do not say", id="no"),
        Binding("s", "skip", "next", tooltip="Go on, change nothing", id="skip"),
        Binding("z", "undo", "undo", tooltip="Undo the last decision", id="undo"),
        Binding("escape", "back", "back", tooltip="One step back", id="back"),
    ]

    FIRST_KEYS = ("take", "more", "lost", "no", "skip")

    def __init__(self, desk: Desk, *, item: str = "") -> None:
        super().__init__(desk)
        self._first = item
        self._steps: list[Step] = []
        self._index = 0
        self._done = 0
        self._together: list[str] = []
        self._typing: Timer | None = None

    def on_mount(self) -> None:
        """Look for what moved."""
        self.listing.can_focus = False
        self.title_bar.where = Content("what moved")
        self.query_one("#left").border_title = Content("before")
        self.query_one("#right").border_title = Content("now")
        self.item_bar.border_title = Content("item")
        self.view.clear("looking through the documents …")
        self.view.focus()
        self._look()

    def _look(self) -> None:
        self.fetch("steps", walk.steps, self._found)

    def _found(self, steps: list[Step]) -> None:
        self._steps = steps
        if self._first:
            ids = [step.item for step in steps]
            self._index = ids.index(self._first) if self._first in ids else 0
            self._first = ""
        self._index = min(self._index, max(0, len(steps) - 1))
        self._open()

    # ------------------------------------------------------------------ steps

    @property
    def step(self) -> Step | None:
        """What is looked at, None at the end."""
        return self._steps[self._index] if self._index < len(self._steps) else None

    def _open(self) -> None:
        self.case = None
        self.findings = ()
        self._together = []
        self.clear_documents()
        step = self.step
        if step is None:
            said = f"{self._done} done. " if self._done else ""
            left = len(self._steps)
            self.view.clear(
                f"{said}{left} left as they are: Esc, then D, begins with them again."
                if left
                else f"{said}Everything stands where the items say."
            )
            self.show_passages((), "")
            return
        self.fetch("case", lambda ws: walk.opened(ws, step), self._opened)

    def _opened(self, opened: Opened) -> None:
        self.show_opened(opened, "nothing is like it: / searches, l says that it is lost")
        self.refresh_bindings()

    def _go_on(self, item: Item | None = None) -> None:
        """Go on; what is left of the item counts its evidence anew."""
        if item is None:
            self._index += 1
            self._open()
            return
        self._done += 1
        others = [step for step in self._steps if step.item != item.id]
        if len(others) + 1 == len(self._steps):
            self._steps = others
            self._open()
        else:
            self.case = None  # a key that was pressed meanwhile was meant for this one
            self._look()

    def turn_to(self, index: int) -> None:
        """Show a passage of the list; a chunk is there already."""
        if self.step is not None and self.step.kind == "chunks":
            self.listing.cursor = index
            self.show_page(walk.chunk_page(self.passages[index]))
        else:
            super().turn_to(index)

    def suggest(self) -> None:
        """Show what was proposed again."""
        step, case = self.step, self.case
        if step is None or case is None or step.kind != "chunks":
            super().suggest()
            return
        self.fetch(
            "passages",
            lambda ws: walk.proposed(ws, step, case.item),
            lambda found: self.searched_found(found, ""),
        )

    @on(Input.Changed, "#search")
    def _chunks_typed(self, event: Input.Changed) -> None:
        """Search the chunks where chunks are looked for."""
        if self.step is None or self.step.kind != "chunks":
            return
        event.prevent_default()
        if self._typing is not None:
            self._typing.stop()
        if self.has_class("-searching"):
            # A search reads the whole file of chunks.
            self._typing = self.set_timer(_PAUSE, lambda: self._look_near(event.value.strip()))

    def _look_near(self, words: str) -> None:
        if words:
            self.fetch(
                "passages",
                lambda ws: walk.near(ws, words),
                lambda found: self.searched_found(found, words),
            )
        else:
            self.suggest()

    # ------------------------------------------------------------------ deciding

    @on(PassageView.Taken)
    def _take(self, event: PassageView.Taken) -> None:
        step, source, span = self.step, event.view.source, event.span
        if step is None:
            return
        if step.kind == "chunks":
            chunks = [*self._together, self.page.heading] if self.page else self._together
            self._choose(step, chunks, "chosen by hand")
        elif step.kind == "absence":
            self._change(lambda ws, item: ws.attach(item, source, *span), "the documents changed")
        else:
            self._change(
                lambda ws, item: walk.replaced(ws, item, step.number, source, span),
                "the documents changed",
            )

    def _choose(self, step: Step, chunks: Sequence[str], reason: str) -> None:
        def plan() -> tuple[Callable[[Workspace], Item], Callable[[Item], None]] | None:
            if self.step is not step or self.case is None:
                return None
            return lambda ws: ws.choose(step.item, chunks, reason=reason), self._chosen

        self.decide(plan)

    def action_more(self) -> None:
        """Take this chunk, and go on to another that belongs to it."""
        if self.page is not None and self.page.heading not in self._together:
            self._together.append(self.page.heading)
            self.watch_case(self.case)

    def _chosen(self, item: Item) -> None:
        self.desk.sitting.stamp += 1
        self._go_on(item)

    def _change(self, edit: Edit, reason: str) -> None:
        self.change(edit, reason, after=self._went_well)

    def _went_well(self) -> None:
        if self.case is not None:
            self._go_on(self.case.item)

    def action_lost(self) -> None:
        """Say that the passage is nowhere any more."""
        step = self.step
        if step is None:
            return
        if step.kind == "chunks":
            self._choose(step, (), "none of those proposed")
        else:
            self._change(lambda _ws, item: walk.lost(item, step.number), "evidence lost")

    def action_unanswerable(self) -> None:
        """Say that the documents do not answer it, with the proof of absence as it is now."""
        searched = tuple(self.searched)
        self._change(lambda ws, item: ws.unanswerable(item, searched), "the documents changed")

    def action_skip(self) -> None:
        """Go on and change nothing."""
        self.decide(self._go_on)

    def action_undo(self) -> None:
        """Take back the last decision."""

        def then(_undone: object) -> None:
            self.desk.sitting.stamp += 1
            self._look()

        self.decide(lambda: (Workspace.undo, then))

    # ------------------------------------------------------------------ what is shown

    def watch_case(self, case: Case | None) -> None:
        """Show the item, and what was quoted before."""
        if not self.is_mounted:
            return
        step = self.step
        self.item_bar.item = _as_it_stands(case.item, step) if case and step else None
        question = signs.spoken(case.item.question, "bold") if case else Content("")
        self.query_one("#question", Static).update(question)
        told = self._told(step) if step and case else Content("")
        self.query_one("#told", Static).update(told)
        self.query_one("#gist", Static).update(Content(one_line(told.plain)))
        self.title_bar.where = Content.assemble(
            ("what moved", "bold"),
            signs.quiet(f"   {self._index + 1} of {len(self._steps)}") if step else "",
        )
        if case is not None:
            self.title_bar.state = Content("   ").join(
                [Content(one_line(case.item.id)), signs.saved(case.item)]
            )

    def mark(self) -> None:
        """Mark nothing: what is evidence already stands elsewhere by now."""

    def _told(self, step: Step) -> Content:
        lines = [Content.styled(display(step.why), "$text-warning")]
        for evidence in step.was:
            place = whereabouts(evidence.source, evidence.heading)
            lines += [
                Content.assemble(("\nquoted from ", "$quiet"), place),
                Content.assemble("“", (display(evidence.phrase), "bold"), "”"),
            ]
        if step.chunks:
            lines.append(signs.quiet(f"\nproposed {', '.join(map(one_line, step.chunks))}"))
        if self._together:
            together = ", ".join(map(one_line, self._together))
            lines.append(Content.styled(f"\ntaken together: {together}, …", "$text-success"))
        return Content("\n").join(lines)

    def watch_findings(self, findings: tuple[Finding, ...]) -> None:
        """Show what is wrong with the item."""
        if self.is_mounted:
            self.item_bar.findings = findings

    # ------------------------------------------------------------------ going

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done with this step."""
        if action in _KINDS:
            step = self.step
            return step is not None and step.kind in _KINDS[action]
        return super().check_action(action, parameters)

    def action_back(self) -> None:
        """Leave the search, else the screen."""
        if not self.leave_search():
            self.decide(self._leave)

    def _leave(self) -> None:
        self.dismiss()


def _as_it_stands(item: Item, step: Step) -> Item:
    """Return an item with the grade that its evidence has now, to be shown."""
    if step.now is None or step.number >= len(item.evidences):
        return item
    evidences = list(item.evidences)
    evidences[step.number] = replace(evidences[step.number], grade=step.now.grade)
    return replace(item, evidences=tuple(evidences))

"""One candidate or item: its question on the left, the documents on the right, the item below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from curate.model.items import Finding
from curate.model.records import Candidate, Claim
from curate.text import one_line
from curate.tui import desk as desk_
from curate.tui import routes
from curate.tui.desk import Case, Desk, Opened
from curate.tui.screens.ask import Choose
from curate.tui.screens.personal import PersonalScreen
from curate.tui.screens.pick import PickItem
from curate.tui.widgets import question as question_
from curate.tui.widgets import signs
from curate.tui.widgets.passage import PassageView
from curate.workspace.workspace import Workspace

if TYPE_CHECKING:
    from curate.store.deciding import Undone

REJECTIONS = (
    ("not a question", "not a question"),
    ("out of scope", "out of scope for the documents"),
    ("unclear", "nobody can tell what is asked"),
    ("personal", "cannot be told without personal data"),
    ("already covered", "already covered by the set"),
)


def rejecting(candidate: int, reason: str, as_is: bool) -> Callable[[Workspace], Candidate]:
    """Return what rejects a candidate for a reason; one that was typed is looked through first,
    unless it shall be stored `as_is`.
    """

    def run(workspace: Workspace) -> Candidate:
        if not as_is and reason not in dict(REJECTIONS):
            workspace.vet(reason)
        return workspace.decide(candidate, "rejected", reason=reason)

    return run


def _claim(candidate: int, workspace: Workspace) -> Claim:
    """Leave the candidate before to others, and claim this one."""
    workspace.release()
    return workspace.claim(candidate)


class ReviewScreen(PersonalScreen):
    """The place where an item is made: choose a passage, take a span, save."""

    HELP = """\
## Review

The best sentence of the likeliest passage is selected. **Enter** takes it: source, heading,
evidence and keyword fill themselves. **w** saves and opens the next candidate.

- another sentence: `j` `k`; a shorter or longer selection: `[` `]` by a word at its end, `{` `}`
  at its start, `(` `)` by a sentence; `v` selects freely with the arrows, Tab changes ends
- another passage: `1`-`9`, or `/` and a few words
- not in the documents: `u`, kept with what was searched as proof
- `p` marks words as personal: they are taken out everywhere, for good; `U` puts back what was
  taken out; `r` shows the original until the next key, which is on record; `N` puts neutral words
  for placeholders
- every key stores at once; `z` takes the last decision back, without limit
- Escape goes one step back and loses nothing
"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "save", "save+next", tooltip="Save and open the next", id="save"),
        Binding("u", "unanswerable", "unanswerable", tooltip="The documents do not say", id="no"),
        Binding("plus", "more", "one more", tooltip="Take as another evidence", id="more"),
        Binding("x", "reject", "reject", tooltip="Reject with a reason", id="reject"),
        Binding("s", "skip", "skip", tooltip="Skip for this sitting", id="skip"),
        Binding("z", "undo", "undo", tooltip="Undo the last decision", id="undo"),
        Binding("tab", "other_pane", "other pane", tooltip="Question or passage", id="pane"),
        Binding("d", "duplicate", "duplicate of", tooltip="Duplicate of an item", show=False,
                id="duplicate"),
        Binding("g", "go", "go to item", tooltip="Go to an item", show=False, id="go"),
        Binding("E", "check", "check", tooltip="Check and export", show=False, id="check"),
        Binding("escape", "back", "back", tooltip="One step back", id="back"),
    ]  # fmt: skip

    FIRST_KEYS = ("take", "save", "sentence.next", "sentence.previous", "narrow", "widen",
                  "passage", "search", "no", "holdout", "wording", "keyword", "more")  # fmt: skip

    def __init__(self, desk: Desk, *, candidate: int | None = None, item: str = "") -> None:
        super().__init__(desk)
        self._wanted = candidate
        self._wanted_item = item
        self._ahead: Opened | None = None
        self._going_on = False
        self._passed: set[int] = set()

    def on_mount(self) -> None:
        """Open what was asked for."""
        self.listing.can_focus = False
        self.query_one("#left").border_title = Content("question")
        self.query_one("#right").border_title = Content("passages")
        self.item_bar.border_title = Content("item")
        self.view.focus()
        if self._wanted is not None:
            self._open_candidate(self._wanted)
        else:
            self._open_item(self._wanted_item)

    # ------------------------------------------------------------------ opening

    def _open_candidate(self, candidate: int, *, going_on: bool = False) -> None:
        """Open a candidate and claim it; `going_on`, pass over what somebody else looks at."""
        self._blank()
        self._wanted, self._going_on = candidate, going_on
        self.fetch("claim", partial(_claim, candidate), self._claimed)
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead.case.candidate and ahead.case.candidate.id == candidate:
            self._opened(ahead)
        else:
            self.fetch("case", lambda ws: desk_.open_candidate(ws, candidate), self._opened)

    def _claimed(self, claim: Claim) -> None:
        candidate = self._wanted
        if claim.by == self.desk.workspace.who or candidate is None:
            return
        self.notify(f"{one_line(claim.by)} looks at this one just now", markup=False)
        if not self._going_on:
            return
        self._passed.add(candidate)
        following = self.desk.sitting.after(candidate)
        if following is None or following in self._passed:
            self.leave()
        else:
            self._open_candidate(following, going_on=True)

    def _open_item(self, item: str) -> None:
        self._blank()
        self._wanted = None
        self.fetch("case", lambda ws: desk_.open_item(ws, item), self._opened)

    def _blank(self) -> None:
        for name in ("case", "lint", "ahead"):
            self.forget(name)
        self.case = None
        self.findings = ()
        self.clear_documents()

    def _opened(self, opened: Opened) -> None:
        self.show_opened(opened, "nothing in the documents is like this question: / searches")
        self._lint()
        self._look_ahead()

    def _look_ahead(self) -> None:
        """Read the next candidate already, so that saving goes straight on to it."""
        following = self._following(self.case) if self.case else None
        if following is not None:
            candidate = following

            def keep(opened: Opened) -> None:
                self._ahead = opened

            self.fetch("ahead", lambda ws: desk_.open_candidate(ws, candidate), keep, aside=True)

    # ------------------------------------------------------------------ what is shown

    def watch_case(self, case: Case | None) -> None:
        """Show the question, what was told, and the item."""
        if not self.is_mounted:
            return
        self.item_bar.item = case.item if case else None
        self.query_one("#question", Static).update(
            signs.spoken(case.item.question, "bold") if case else Content("opening …")
        )
        self.query_one("#told", Static).update(question_.told(case) if case else Content(""))
        self.query_one("#gist", Static).update(question_.gist(case) if case else Content(""))
        self._title()
        self.mark()

    def watch_findings(self, findings: tuple[Finding, ...]) -> None:
        """Show what is wrong with the item."""
        if self.is_mounted:
            self.item_bar.findings = findings

    def _title(self) -> None:
        case = self.case
        if case is None:
            return
        item = case.item
        where = Content.styled(one_line(item.id) or "new", "bold")
        if case.candidate is not None:
            sitting = self.desk.sitting
            index = sitting.index(case.candidate.id)
            if index >= 0:
                where = Content.assemble(
                    signs.quiet(f"{index + 1} of {len(sitting.ids)}   "), where
                )
        self.title_bar.where = where
        self.title_bar.state = Content("   ").join([signs.split(item), signs.saved(item)])

    @on(PassageView.Selected)
    def _selected(self, event: PassageView.Selected) -> None:
        span = event.span
        offer = self.view.document[span[0] : span[1]][:200] if span else ""
        self.item_bar.offer = one_line(offer)

    # ------------------------------------------------------------------ deciding

    @on(PassageView.Taken)
    def _take(self, event: PassageView.Taken) -> None:
        self._quote(event.view.source, event.span, more=False)

    def action_more(self) -> None:
        """Take the selection as one more evidence."""
        if self.view.selection_span is not None:
            self._quote(self.view.source, self.view.selection_span, more=True)

    def _quote(self, source: str, span: tuple[int, int], *, more: bool) -> None:
        self.change(lambda ws, item: ws.attach(item, source, *span, more=more))

    def action_unanswerable(self) -> None:
        """Say that the documents do not answer it."""
        searched = tuple(self.searched)
        self.change(lambda ws, item: ws.unanswerable(item, searched))

    # ------------------------------------------------------------------ finishing

    def action_save(self) -> None:
        """Save the item as ready and open the next candidate."""
        self.decide(self._plan_save)

    def _plan_save(self) -> None:
        case = self.case
        if case is None:
            return
        if case.item.answerable is None:
            self.notify(
                "Nothing is decided yet: ⏎ takes the selection, u says that the documents do "
                "not answer it, x rejects, s skips.",
                title="Not saved",
                markup=False,
            )
            return
        if case.item.status == "ready":
            self._finished(case)
            return
        following = self._following(case)

        def after() -> None:
            if self.case is not None and self.case.item.status == "ready":
                self._finished(case, following)
            else:
                self.notify(
                    "Kept as a draft: something is missing, see the item below.", markup=False
                )

        self.change(lambda ws, item: ws.settle(item), after=after)

    def _following(self, case: Case) -> int | None:
        return self.desk.sitting.after(case.candidate.id) if case.candidate else None

    def _finished(self, case: Case, following: int | None = None) -> None:
        if case.candidate is not None:
            following = following or self._following(case)
            self.desk.sitting.drop(case.candidate.id)
            self.desk.sitting.finish()
        self._go_on(case, following)

    def _go_on(self, case: Case, following: int | None) -> None:
        if case.candidate is not None and following is not None:
            self._open_candidate(following, going_on=True)
        else:
            self.leave()

    def action_skip(self) -> None:
        """Look at it later in this sitting."""

        def plan() -> None:
            case = self.case
            if case is not None and case.candidate is not None:
                following = self._following(case)
                self.desk.sitting.skip(case.candidate.id)
                self._go_on(case, following)

        self.decide(plan)

    def action_reject(self) -> None:
        """Reject the candidate, or retire the item, with a reason."""
        self._ask_reason("")

    def _ask_reason(self, typed: str) -> None:
        case = self.case
        if case is None:
            return
        candidate = case.candidate

        def reasoned(reason: str | None) -> None:
            if reason is None:
                return

            def again() -> None:
                self._ask_reason(reason)

            if candidate is None:
                self.change(
                    lambda _ws, item: replace(item, status="retired"),
                    reason,
                    typed=reason not in dict(REJECTIONS),
                    again=again,
                )
                return
            number, then = candidate.id, partial(self._put_away, case)
            self.decide_worded(lambda as_is: (rejecting(number, reason, as_is), then), again)

        title = "Why is it not worth a case?" if candidate else "Why does it leave the set?"
        self.app.push_screen(
            Choose(title, REJECTIONS, other="another reason", typed=typed), reasoned
        )

    def action_duplicate(self) -> None:
        """Say that an item asks the same already."""
        case = self.case
        if case is None or case.candidate is None:
            return
        candidate = case.candidate.id

        def picked(item: str | None) -> None:
            if item is not None:
                same = partial(Workspace.decide, candidate=candidate, status="duplicate", item=item)
                self.decide(lambda: (same, partial(self._put_away, case)))

        self.app.push_screen(PickItem(self.desk, "Duplicate of", case.item.question), picked)

    def _put_away(self, case: Case, _outcome: object) -> None:
        following = self._following(case)
        if case.candidate is not None:
            self.desk.sitting.drop(case.candidate.id)
        self.desk.sitting.rejected += 1
        self.desk.sitting.stamp += 1
        self._go_on(case, following)

    def action_undo(self) -> None:
        """Take back the last decision; it is shown where it was made."""

        def then(undone: Undone) -> None:
            self._ahead = None
            self.desk.sitting.stamp += 1
            self.notify(signs.undone(undone), markup=False)
            candidates = [s for s in undone.subjects if signs.CANDIDATE.fullmatch(s)]
            case = self.case
            if candidates:
                candidate = int(candidates[0][1:])
                self.desk.sitting.reopen(candidate)
                self._open_candidate(candidate)
            elif case is not None and case.candidate and case.item.id in undone.subjects:
                self._open_candidate(case.candidate.id)
            elif undone.subjects[0] in undone.gone:
                self.leave()
            else:
                self._open_item(undone.subjects[0])

        self.decide(lambda: (Workspace.undo, then))

    # ------------------------------------------------------------------ going

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done now."""
        case = self.case
        if action in {"save", "unanswerable", "reject"}:
            return case is not None
        if action in {"skip", "duplicate"}:
            return case is not None and case.candidate is not None
        if action == "more":
            return case is not None and bool(case.item.evidences) and self.page is not None
        if action == "other_pane":
            return not self.has_class("-wide") and self.focused is not self.field
        return super().check_action(action, parameters)

    def open_again(self, case: Case) -> None:
        """Open the candidate or the item anew, after its texts changed."""
        if case.candidate is not None:
            self._open_candidate(case.candidate.id)
        else:
            self._open_item(case.item.id)

    def action_other_pane(self) -> None:
        """Change between the passage and what was told, where there is no room for both."""
        self.toggle_class("-details")
        details = self.query_one("#details")
        details.can_focus = self.has_class("-details")
        (details if details.can_focus else self.view).focus()

    def action_go(self) -> None:
        """Go to an item of the set."""

        def picked(item: str | None) -> None:
            if item is not None:
                self.decide(lambda: self._open_item(item))

        self.app.push_screen(PickItem(self.desk, "Go to an item"), picked)

    def action_check(self) -> None:
        """Check the set and export it."""
        self.decide(lambda: self._post(routes.CheckSet()))

    def _post(self, message: routes.CheckSet) -> None:
        self.post_message(message)

    def action_back(self) -> None:
        """Leave the search, else the pane, else the screen."""
        if self.leave_search():
            return
        if self.has_class("-details"):
            self.action_other_pane()
        else:
            self.decide(self.leave)

    def leave(self) -> None:
        """Go back to where one came from, and leave the candidate to others."""
        candidate = self._wanted
        if candidate is not None:
            self.fetch("release", lambda ws: ws.release(candidate), lambda _done: None)
        self.dismiss()

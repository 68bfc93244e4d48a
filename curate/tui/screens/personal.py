"""The curator's hand on personal data: look at an original, take out what was missed, put back
what was none.
"""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from curate.model.events import RawText
from curate.model.items import Item
from curate.tui import desk as desk_
from curate.tui.desk import Case
from curate.tui.screens.ask import Choose
from curate.tui.screens.original import MarkPersonal, Original, Personal
from curate.tui.screens.seeking import SeekingScreen
from curate.workspace.workspace import Workspace


class PersonalScreen(SeekingScreen):
    """A screen whose case holds what people said."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "personal", "personal", tooltip="Mark words as personal", show=False,
                id="personal"),
        Binding("U", "put_back", "put back", tooltip="Put back what was taken out", show=False,
                id="putback"),
        Binding("r", "reveal", "original", tooltip="The original, until the next key", show=False,
                id="reveal"),
        Binding("N", "neutral", "neutral words", tooltip="Neutral words for placeholders",
                show=False, id="neutral"),
    ]  # fmt: skip

    def open_again(self, case: Case) -> None:
        """Open what a screen works on anew, after its texts changed."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done with this case."""
        case = self.case
        if action in {"personal", "neutral"}:
            return case is not None
        if action == "reveal":
            return case is not None and case.record is not None
        if action == "put_back":
            return case is not None and bool(desk_.redactions(case))
        return super().check_action(action, parameters)

    def action_reveal(self) -> None:
        """Show the original until the next key; the look is on record."""
        record = self.case.record if self.case else None
        if record is not None:
            identifier = record.id

            def shown(raw: RawText) -> None:
                self.app.push_screen(Original(raw))

            self.fetch("reveal", lambda ws: ws.reveal(identifier), shown)

    def action_personal(self) -> None:
        """Take words out that the anonymiser missed, for good and everywhere."""
        case = self.case
        if case is None:
            return
        subject = f"c{case.candidate.id}" if case.candidate else case.item.id

        def marked(answer: Personal | None) -> None:
            if answer is None:
                return

            def run(workspace: Workspace) -> None:
                workspace.redact(subject, answer.text, answer.entity)
                if answer.always:
                    workspace.report_miss(answer.text)

            self._reworded(case, run, "taken out everywhere, for good")

        self.app.push_screen(MarkPersonal(desk_.said(case)), marked)

    def action_put_back(self) -> None:
        """Put back what was taken out although it was not personal."""
        case = self.case
        if case is None:
            return
        options = [
            (one.placeholder, f"{one.placeholder}, found by {one.by}")
            for one in desk_.redactions(case)
        ]

        def chosen(placeholder: str | None) -> None:
            if placeholder is not None:
                self._reworded(case, lambda ws: desk_.put_back(ws, case, placeholder), "put back")

        self.app.push_screen(Choose("Put back what was taken out", options), chosen)

    def _reworded(self, case: Case, run: desk_.Run, what: str) -> None:
        def then(_done: object) -> None:
            self.desk.sitting.stamp += 1
            self.notify(what, markup=False)
            self.open_again(case)

        self.decide(lambda: (run, then))

    def action_neutral(self) -> None:
        """Use neutral words where placeholders stand in the item."""

        def edit(workspace: Workspace, item: Item) -> Item:
            return workspace.neutral(item)

        self.change(edit)

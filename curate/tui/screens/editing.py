"""Changing the item that a screen works on: every change is stored at once, none is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.reactive import reactive

from curate.model.items import KINDS, Conflict, Finding, Item
from curate.text import one_line
from curate.tui.desk import Case, Clash
from curate.tui.errands import Planned
from curate.tui.screens.ask import Ask, Choose
from curate.tui.screens.titled import TitledScreen
from curate.tui.widgets import question as question_
from curate.workspace.workspace import Workspace

Edit = Callable[[Workspace, Item], Item]
"""Returns the item as it shall be; runs in a thread."""


class EditingScreen(TitledScreen):
    """A screen with an item in hand, and an action for every field of it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h", "holdout", "holdout", tooltip="Holdout or tuning", id="holdout"),
        Binding("e", "wording", "wording", tooltip="Change the wording", id="wording"),
        Binding("K", "keyword", "keyword", tooltip="Propose the next keyword", id="keyword"),
        Binding("equals_sign", "type_keyword", "keyword", tooltip="Type a keyword", show=False,
                id="keyword.type"),
        Binding("ampersand", "mode", "any/all", tooltip="One evidence is enough, or all are needed",
                show=False, id="mode"),
        Binding("n", "note", "note", tooltip="Write a note", show=False, id="note"),
        Binding("t", "tags", "tags", tooltip="Set the tags", show=False, id="tags"),
        Binding("m", "must", "must include", tooltip="What an answer must include", show=False,
                id="must"),
        Binding("M", "must_not", "must not include", tooltip="What an answer must not include",
                show=False, id="mustnot"),
        Binding("a", "reference", "answer", tooltip="Write a reference answer", show=False,
                id="reference"),
        Binding("c", "kind", "kind", tooltip="Set the kind of question", show=False, id="kind"),
    ]  # fmt: skip

    case: reactive[Case | None] = reactive(None, repaint=False, bindings=True)
    findings: reactive[tuple[Finding, ...]] = reactive((), repaint=False)
    """What is wrong with the item as it was stored last."""

    def change(
        self,
        edit: Edit,
        reason: str = "",
        after: Callable[[], None] | None = None,
        *,
        typed: bool = False,
        again: Callable[[], None] | None = None,
        as_is: bool = False,
    ) -> None:
        """Change the item as it is when its turn comes, store it, and show it as stored.

        New words that seem to hold personal data, of the reason where that was `typed`, are not
        stored unless they shall be `as_is`; `again` asks for them once more.
        """

        def plan(as_is: bool) -> Planned | None:
            case = self.case
            if case is None:
                return None
            item = case.item
            candidate = case.candidate.id if case.candidate else None

            def run(workspace: Workspace) -> Item | Clash:
                mine = edit(workspace, item)
                if typed and not as_is:
                    workspace.vet(reason)
                try:
                    return workspace.save(mine, candidate=candidate, reason=reason, as_is=as_is)
                except Conflict as conflict:
                    return Clash(mine, conflict.theirs)

            def then(outcome: Item | Clash) -> None:
                if isinstance(outcome, Clash):
                    self._clash(outcome)
                    return
                self.desk.sitting.stamp += 1
                self._stored(case, outcome)
                if after is not None:
                    after()

            return run, then

        self.decide_worded(plan, again or (lambda: None), as_is=as_is)

    def _stored(self, case: Case, item: Item) -> None:
        if self.case is not None and self.case.candidate == case.candidate:
            self.case = replace(self.case, item=item)
            self._lint()

    def _clash(self, clash: Clash) -> None:
        def chosen(answer: str | None) -> None:
            if self.case is None:
                return
            if answer == "mine":
                self.case = replace(self.case, item=clash.theirs)
                mine = replace(clash.mine, revision=clash.theirs.revision)
                why = "kept over a change made meanwhile"
                self.change(lambda _ws, _item: mine, why, as_is=True)
            else:
                self.case = replace(self.case, item=clash.theirs)

        who = one_line(clash.theirs.changed_by) or "somebody"
        self.app.push_screen(
            Choose(
                f"{who} changed this item meanwhile",
                (
                    ("theirs", f"take theirs: {question_.summary(clash.theirs)}"),
                    ("mine", f"keep mine: {question_.summary(clash.mine)}"),
                ),
            ),
            chosen,
        )

    def _lint(self) -> None:
        case = self.case
        if case is None or not case.item.revision or case.item.answerable is None:
            self.findings = ()
            return
        item = case.item

        def shown(findings: list[Finding]) -> None:
            self.findings = tuple(findings)

        self.fetch("lint", lambda ws: ws.lint(item), shown, aside=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done with the item."""
        item = self.case.item if self.case else None
        if action in {"holdout", "wording", "note", "tags", "must", "must_not", "reference",
                      "type_keyword", "kind"}:  # fmt: skip
            return item is not None
        if action == "keyword":
            return item is not None and bool(item.evidences)
        if action == "mode":
            return item is not None and len(item.evidences) > 1
        return super().check_action(action, parameters)

    def action_holdout(self) -> None:
        """Move the item to the other split; out of the holdout only with a reason."""
        case = self.case
        if case is None:
            return
        if case.item.split == "tuning":
            self.change(lambda _ws, item: replace(item, split="holdout"))
        elif case.item.status == "ready":
            self._ask_why("")
        else:
            self.change(lambda _ws, item: replace(item, split="tuning"))

    def _ask_why(self, before: str) -> None:
        def asked(reason: str | None) -> None:
            if reason:
                self.change(
                    lambda _ws, item: replace(item, split="tuning"),
                    reason,
                    typed=True,
                    again=lambda: self._ask_why(reason),
                )

        self.app.push_screen(Ask("Why does it leave the holdout?", before), asked)

    def action_keyword(self) -> None:
        """Propose the next keyword from the evidence."""

        def edit(workspace: Workspace, item: Item) -> Item:
            words = [w for e in item.evidences for w in workspace.corpus.keywords(e, item.question)]
            words = list(dict.fromkeys(words))
            if not words:
                return item
            index = words.index(item.keyword) + 1 if item.keyword in words else 0
            return replace(item, keyword=words[index % len(words)])

        self.change(edit)

    def action_mode(self) -> None:
        """One evidence is enough, or all are needed."""
        self.change(
            lambda _ws, item: replace(
                item, evidence_mode="any" if item.evidence_mode == "all" else "all"
            )
        )

    def _ask(
        self,
        title: str,
        value: str,
        write: Callable[[Item, str], Item],
        hint: str = "",
        typed: str | None = None,
    ) -> None:
        def asked(answer: str | None) -> None:
            if answer is not None and answer != value:
                self.change(
                    lambda _ws, item: write(item, answer),
                    again=lambda: self._ask(title, value, write, hint, typed=answer),
                )

        self.app.push_screen(Ask(title, value if typed is None else typed, hint), asked)

    def action_wording(self) -> None:
        """Change the wording of the question; the original is kept beside it."""
        if self.case is not None:
            item = self.case.item

            def write(item: Item, text: str) -> Item:
                return replace(item, question=text) if text else item

            hint = f"asked: {item.original}" if item.original else ""
            self._ask("Wording of the question", item.question, write, hint)

    def action_type_keyword(self) -> None:
        """Type a keyword."""
        if self.case is not None:
            self._ask(
                "A word the answer must hold",
                self.case.item.keyword,
                lambda item, text: replace(item, keyword=text),
            )

    def action_note(self) -> None:
        """Write a note."""
        if self.case is not None:
            self._ask("Note", self.case.item.note, lambda item, text: replace(item, note=text))

    def action_tags(self) -> None:
        """Set the tags."""
        if self.case is not None:
            self._ask(
                "Tags, with commas",
                ", ".join(self.case.item.tags),
                lambda item, text: replace(item, tags=_listed(text)),
            )

    def action_must(self) -> None:
        """Say what an answer must include."""
        if self.case is not None:
            self._ask(
                "What a right answer must include, with commas",
                ", ".join(self.case.item.must_include),
                lambda item, text: replace(item, must_include=_listed(text)),
                "Compared letter by letter, upper and lower case too.",
            )

    def action_must_not(self) -> None:
        """Say what an answer must not include."""
        if self.case is not None:
            self._ask(
                "What a right answer must not include, with commas",
                ", ".join(self.case.item.must_not_include),
                lambda item, text: replace(item, must_not_include=_listed(text)),
                "Compared letter by letter, upper and lower case too.",
            )

    def action_kind(self) -> None:
        """Say what kind of question it is."""
        if self.case is None:
            return

        def chosen(kind: str | None) -> None:
            if kind is not None:
                self.change(lambda _ws, item: replace(item, kind=kind))

        options = [(kind, kind) for kind in KINDS]
        self.app.push_screen(
            Choose("Kind of question", options, other="another", chosen=self.case.item.kind), chosen
        )

    def action_reference(self) -> None:
        """Write a reference answer."""
        if self.case is not None:
            self._ask(
                "Reference answer",
                self.case.item.reference,
                lambda item, text: replace(item, reference=text),
            )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part for raw in text.split(",") if (part := raw.strip())))

"""Saying what a failure of the last scored run is: one key for the proposal, one for each other."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.reactive import reactive

from curate.model.evaluation import Failure
from curate.tui import returned as returned_
from curate.tui.returned import LABELS, Returned
from curate.tui.screens.titled import TitledScreen
from curate.workspace.workspace import Workspace

_TIPS = [f"Call the failure {label}: {words}" for label, words in LABELS]


class FailingScreen(TitledScreen):
    """A screen that lists items that came back, among others."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "confirm", "confirm", tooltip="Confirm what the failure is", id="confirm"),
        Binding("1", "call(0)", "failure", key_display=f"1-{len(LABELS)}",
                tooltip=_TIPS[0], id="call"),
        *(
            Binding(str(n), f"call({n - 1})", "failure", show=False, tooltip=tip)
            for n, tip in enumerate(_TIPS[1:], 2)
        ),
    ]  # fmt: skip

    returned: reactive[tuple[Returned, ...]] = reactive((), repaint=False, init=False)
    """What came back when it was looked for last."""

    @property
    def back(self) -> Returned | None:
        """What came back under the cursor."""
        raise NotImplementedError

    def acknowledge(self, what: str) -> None:
        """Say what was stored."""
        raise NotImplementedError

    def look_back(self) -> None:
        """Look for what came back."""

        def found(back: tuple[Returned, ...]) -> None:
            self.returned = back

        self.fetch("returned", returned_.returned, found, aside=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the labels where something failed."""
        if action in {"confirm", "call"}:
            back = self.back if self.is_mounted else None
            return back is not None and back.failure is not None
        return super().check_action(action, parameters)

    def action_confirm(self) -> None:
        """Confirm the label that is proposed, or take the confirmation back."""
        failure = self.back.failure if self.back else None
        if failure is not None:
            self._call(failure, "" if failure.confirmed else failure.label)

    def action_call(self, index: int) -> None:
        """Call the failure something else."""
        failure = self.back.failure if self.back else None
        if failure is not None:
            self._call(failure, LABELS[index][0])

    def _call(self, failure: Failure, label: str) -> None:
        def run(workspace: Workspace) -> list[Failure]:
            store = workspace.store
            store.confirm_failure(failure.run, failure.item, label, by=workspace.who)
            return store.failures()

        def then(failures: list[Failure]) -> None:
            self.acknowledge(f"{failure.item}: {label or 'not confirmed'}")
            self.returned = returned_.called(self.returned, failures)

        self.decide(lambda: (run, then))

"""Work off the UI thread: what a screen wants from the workspace, and how the answer comes back.

The UI thread never touches the store, the index or the anonymiser. A screen sends an errand to a
thread; the answer comes as a message that carries its errand. Reading: the newest errand of a
name counts, older answers are dropped. Deciding: one after the other, nothing is dropped, and
each is planned only when its turn has come, so that fast fingers never act on a stale item.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from textual.message import Message
from textual.reactive import reactive
from textual.screen import ScreenResultType

from curate.config import FILE
from curate.model.errors import CurateError
from curate.store.files import Busy
from curate.text import one_line
from curate.tui.desk import Desk
from curate.tui.screens.ask import Choose
from curate.tui.screens.once import OnceScreen
from curate.tui.screens.trouble import Trouble
from curate.workspace.wording import PersonalData
from curate.workspace.workspace import Workspace

T = TypeVar("T")

PATIENCE = 120.0
"""Seconds to wait for a locked database or a full disk before that is called an error."""
RETRY = 0.25
SLOW = 0.5
"""Seconds after which a screen says that it is working."""


@dataclass(frozen=True, slots=True)
class Errand:
    """Something to do on the workspace: `run` in a thread, then `then` on the UI thread."""

    name: str
    serial: int
    run: Callable[[Workspace], Any]
    then: Callable[[Any], None]
    decision: bool = False
    aside: bool = False


class Reply(Message, bubble=False):
    """What an errand brought back: a value, or the error a user may meet."""

    def __init__(self, errand: Errand, value: Any, error: CurateError | None = None) -> None:
        super().__init__()
        self.errand = errand
        self.value = value
        self.error = error


class Held(Message, bubble=False):
    """Somebody else, or a full disk, is in the way; the errand keeps trying."""

    def __init__(self, errand: Errand, seconds: int, why: str) -> None:
        super().__init__()
        self.errand = errand
        self.seconds = seconds
        self.why = why


Planned = tuple[Callable[[Workspace], Any], Callable[[Any], None]]
"""What to run, and what to do with the outcome."""
Plan = Callable[[], Planned | None]
"""Says, when its turn has come, what to run and what to do with the outcome; None for nothing."""
Worded = Callable[[bool], Planned | None]
"""The same for words that somebody typed; told whether they are to be stored as they are."""


class WorkScreen(OnceScreen[ScreenResultType]):
    """A screen that has its work done by threads, and says so while it takes long."""

    busy: reactive[str] = reactive("", repaint=False)
    """What is being waited for, empty when nothing is."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self._serials: dict[str, int] = {}
        self._pending: dict[tuple[str, int], Errand] = {}
        self._plans: deque[Plan] = deque()
        self._deciding = False
        self._serial = 0

    # ------------------------------------------------------------------ sending

    def fetch(
        self,
        name: str,
        run: Callable[[Workspace], T],
        then: Callable[[T], None],
        *,
        aside: bool = False,
    ) -> None:
        """Read something. A later errand of the same name makes this one's answer stale; nobody
        waits for what is read `aside`, however long it takes.
        """
        self._serials[name] = self._serial + 1
        self._send(Errand(name, self._serial + 1, run, then, aside=aside))

    def decide(self, plan: Plan) -> None:
        """Queue a decision; `plan` is called when all earlier ones are stored."""
        self._plans.append(plan)
        self._next()

    def decide_worded(
        self, plan: Worded, again: Callable[[], None], *, as_is: bool = False
    ) -> None:
        """Queue a decision that stores what was typed. Where that seems to hold personal data,
        nothing is stored: it is asked whether to write it `again` or to keep it as it is.
        """

        def guarded() -> Planned | None:
            planned = plan(as_is)
            if planned is None:
                return None
            run, then = planned

            def look(workspace: Workspace) -> Any:
                try:
                    return run(workspace)
                except PersonalData as doubt:
                    return doubt

            def told(outcome: Any) -> None:
                if isinstance(outcome, PersonalData):
                    self._plans.clear()
                    self._ask_about(outcome, keep, again)
                else:
                    then(outcome)

            return look, told

        def keep() -> None:
            self.decide_worded(plan, again, as_is=True)

        self.decide(guarded)

    def _ask_about(
        self, doubt: PersonalData, keep: Callable[[], None], again: Callable[[], None]
    ) -> None:
        title = (
            f"Not saved: personal data found: {doubt.found}\n"
            f"What is no name here belongs into `allow` of {FILE}."
        )
        answers = (("again", "write it otherwise"), ("keep", "keep it as it is"))
        self.app.push_screen(
            Choose(title, answers), lambda answer: keep() if answer == "keep" else again()
        )

    def forget(self, name: str) -> None:
        """Make the answer of any errand of this name stale."""
        self._serials[name] = self._serial + 1

    @property
    def settled(self) -> bool:
        """True when nothing is under way."""
        return not self._pending and not self._plans and not self._deciding

    def _next(self) -> None:
        while self._plans and not self._deciding:
            planned = self._plans.popleft()()
            if planned is not None:
                self._deciding = True
                self._send(Errand("decision", self._serial + 1, *planned, decision=True))

    def _send(self, errand: Errand) -> None:
        self._serial = errand.serial
        self._pending[errand.name, errand.serial] = errand
        if not errand.aside:
            self.set_timer(SLOW, lambda: self._slow(errand))
        workspace = self.desk.workspace

        def work() -> None:
            begun = time.monotonic()
            while True:
                try:
                    value = errand.run(workspace)
                except Busy as error:
                    waited = time.monotonic() - begun
                    if waited < PATIENCE:
                        self.post_message(Held(errand, round(waited), error.message))
                        time.sleep(RETRY)
                        continue
                    self.post_message(Reply(errand, None, error))
                except CurateError as error:
                    self.post_message(Reply(errand, None, error))
                else:
                    self.post_message(Reply(errand, value))
                return

        # The app's worker, not the screen's: leaving a screen never stops a decision.
        self.app.run_worker(work, name=errand.name, group="errands", thread=True)

    def _slow(self, errand: Errand) -> None:
        if (errand.name, errand.serial) in self._pending and not self.busy:
            self.busy = "⧖ saving …" if errand.decision else "⧖ reading …"

    # ------------------------------------------------------------------ answers

    def on_held(self, message: Held) -> None:
        """Say what is in the way; the path before its name says nothing new here."""
        why = one_line(message.why).rpartition("/")[2]
        self.busy = f"⧖ waiting {message.seconds} s: {why}"

    def on_reply(self, message: Reply) -> None:
        """Hand an answer to who wanted it, unless it is stale."""
        errand = message.errand
        self._pending.pop((errand.name, errand.serial), None)
        if all(pending.aside for pending in self._pending.values()):
            self.busy = ""
        if errand.decision:
            self._deciding = False
        elif self._serials.get(errand.name) != errand.serial:
            return
        if message.error is None:
            errand.then(message.value)
        else:
            # What was planned after a decision that failed was planned for another world.
            self._plans.clear()
            self.failed(errand, message.error)
        self._next()

    def failed(self, errand: Errand, error: CurateError) -> None:
        """Show an error until it is read."""
        self.app.push_screen(Trouble(error.message, error.hint))

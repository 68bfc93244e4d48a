"""The application: one workspace, its screens, keys and themes; and how it ends."""

from __future__ import annotations

import logging
import resource
import traceback
from collections.abc import Iterable
from functools import partial
from typing import ClassVar
from weakref import WeakKeyDictionary

from rich.text import Text
from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES
from textual.worker import WorkerFailed

from curate import config
from curate.model.errors import CurateError, Exit
from curate.tui import routes
from curate.tui.desk import Desk
from curate.tui.screens.check import CheckScreen
from curate.tui.screens.coverage import CoverageScreen
from curate.tui.screens.drift import DriftScreen
from curate.tui.screens.inbox import InboxScreen
from curate.tui.screens.items import ItemsScreen
from curate.tui.screens.review import ReviewScreen
from curate.tui.sitting import Sitting
from curate.tui.themes import DEFAULTS, THEMES
from curate.workspace.workspace import Workspace

_KEYS = {"enter": "⏎", "escape": "Esc", "tab": "Tab", "space": "Space"}


class CurateApp(App[int]):
    """The terminal application over one workspace."""

    TITLE = "curate"
    CSS_PATH = "curate.tcss"
    NOTIFICATION_TIMEOUT = 3.0
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "help", tooltip="Keys and help for here", id="help"),
        Binding("escape", "hide_help", "close help", tooltip="Close the help", priority=True,
                id="help.close"),
        Binding("pagedown", "scroll_help(1)", "scroll help", tooltip="More of the help",
                priority=True, show=False, id="help.down"),
        Binding("pageup", "scroll_help(-1)", "scroll help", tooltip="Back in the help",
                priority=True, show=False, id="help.up"),
        Binding("ctrl+q", "quit", "quit", show=False, id="quit"),
    ]  # fmt: skip

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.workspace = workspace
        self.HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (100, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-tall")]
        self.desk = Desk(workspace, Sitting(workspace.now()))
        self._aimed: WeakKeyDictionary[events.Key, MessagePump] = WeakKeyDictionary()
        for theme in THEMES:
            self.register_theme(theme)
        wanted = workspace.settings.screen.theme
        known = {theme.name for theme in THEMES} | BUILTIN_THEMES.keys()
        if wanted not in known:
            raise CurateError(
                f"{config.FILE}: `screen.theme` names no theme",
                f"Known: {', '.join(sorted(known))}.",
                Exit.USAGE,
            )
        self.theme = wanted
        self.set_keymap(workspace.settings.screen.keys)

    def on_mount(self) -> None:
        """Open the inbox."""
        self.push_screen(InboxScreen(self.desk))

    async def on_event(self, event: events.Event) -> None:
        """Count the keys, for the keys per item, and note what each was aimed at."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            self.desk.sitting.keys += 1
            self._aimed[event] = self.focused or self.screen
        await super().on_event(event)

    def on_key(self, event: events.Key) -> None:
        """A key is for what has the focus when its turn comes: one that was typed before a dialog
        or a field had come up goes there, and sets nothing off here.
        """
        target = self.focused or self.screen
        if self._aimed.pop(event, target) is not target:
            event.prevent_default()
            self.desk.sitting.keys -= 1
            self.post_message(events.Key(event.key, event.character))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our own colours for themes that are not ours."""
        return dict(DEFAULTS)

    # ------------------------------------------------------------------ going places

    def on_review_candidate(self, message: routes.ReviewCandidate) -> None:
        """Open a candidate in the review screen."""
        self.push_screen(ReviewScreen(self.desk, candidate=message.candidate))

    def on_review_item(self, message: routes.ReviewItem) -> None:
        """Open an item in the review screen."""
        self.push_screen(ReviewScreen(self.desk, item=message.item))

    def on_list_items(self, _message: routes.ListItems) -> None:
        """Show the set."""
        self.push_screen(ItemsScreen(self.desk))

    def on_check_set(self, _message: routes.CheckSet) -> None:
        """Check the set."""
        self.push_screen(CheckScreen(self.desk))

    def on_walk_drift(self, message: routes.WalkDrift) -> None:
        """Walk through what moved."""
        self.push_screen(DriftScreen(self.desk, item=message.item))

    def on_show_coverage(self, _message: routes.ShowCoverage) -> None:
        """Show what the set covers."""
        self.push_screen(CoverageScreen(self.desk))

    # ------------------------------------------------------------------ help

    def action_help(self) -> None:
        """Show or hide the keys and the help for where the focus is."""
        if self.screen.query("HelpPanel"):
            self.action_hide_help()
        else:
            self.action_show_help_panel()
            self.call_after_refresh(self.screen.refresh_bindings)

    def action_hide_help(self) -> None:
        """Hide the help; where one is stays as it was."""
        self.action_hide_help_panel()
        self.call_after_refresh(self.screen.refresh_bindings)

    def action_scroll_help(self, pages: int) -> None:
        """Scroll the help, and the keys below it."""
        for part in self.screen.query("HelpPanel #widget-help, HelpPanel KeyPanel"):
            part.scroll_relative(y=pages * part.size.height, animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape and the pages are the help's as long as it is shown."""
        if action in ("hide_help", "scroll_help"):
            return bool(self.screen_stack and self.screen.query("HelpPanel"))
        return super().check_action(action, parameters)

    def get_key_display(self, binding: Binding) -> str:
        """Return how a key is written on the screen."""
        return binding.key_display or _KEYS.get(binding.key) or super().get_key_display(binding)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer everything that has a key here, and what Textual offers, but no screenshot:
        it would write what is on the screen to a file that anybody may read.
        """
        seen = set()
        for node, binding, enabled, _tooltip in screen.active_bindings.values():
            name = (binding.tooltip or binding.description).capitalize()
            if enabled and name and binding.id and binding.action not in seen:
                seen.add(binding.action)
                call = partial(self.run_action, binding.action, node)
                yield SystemCommand(name, f"Key {self.get_key_display(binding)}", call)
        for command in super().get_system_commands(screen):
            if command.title != "Screenshot":
                yield command

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        """Nothing: what is on the screen is never written to a file."""

    # ------------------------------------------------------------------ ending

    def _fatal_error(self) -> None:
        """Say where the code broke, without a single value: values are what people asked."""
        error: BaseException | None = self._exception
        if isinstance(error, WorkerFailed):
            error = error.error
        lines = ["curate stopped: a fault in the program. Decisions shown as saved are saved."]
        while error is not None:
            lines.append(type(error).__qualname__)
            lines += [
                f"  {frame.filename}:{frame.lineno} {frame.name}"
                for frame in traceback.extract_tb(error.__traceback__)
            ]
            error = error.__cause__ or error.__context__
        self._exit_renderables[:] = [Text("\n".join(lines), no_wrap=True, overflow="ignore")]
        self._close_messages_no_wait()

    def panic(self, *_renderables: object) -> None:
        """End like any other fault: what a renderable error would print is not ours to know."""
        self._fatal_error()


def run(workspace: Workspace) -> int:
    """Open the application on `workspace` and return the process's exit code.

    Raises `CurateError` before the screen is taken when the environment would write screens or
    keys to a file, when the settings name an unknown theme, or when the database cannot be used.
    """
    if leaks := config.debug_leaks():
        raise CurateError(
            f"{', '.join(leaks)} would write what is on the screen to a file",
            f"Unset it: `env {' '.join(f'-u {name}' for name in leaks)} curate open`.",
            Exit.PRIVACY,
        )
    # A core dump would hold what was on the screen.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    logging.getLogger("asyncio").setLevel(logging.CRITICAL + 1)
    workspace.store.counts()
    app = CurateApp(workspace)
    app.run()
    return app.return_code or 0

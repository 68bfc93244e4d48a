"""What is wrong with the set, and its export."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.getters import query_one
from textual.reactive import reactive
from textual.widgets import Static

from curate.model.errors import CurateError
from curate.model.items import Finding
from curate.text import display, one_line
from curate.tui import routes
from curate.tui.desk import Desk
from curate.tui.errands import Errand
from curate.tui.screens.titled import TitledScreen
from curate.tui.widgets import signs
from curate.tui.widgets.bars import KeyBar, TitleBar
from curate.tui.widgets.virtual_list import VirtualList
from curate.workspace.upkeep.exporting import Exported, Refused


class CheckScreen(TitledScreen):
    """Findings by item, errors first; and the export, which errors stop."""

    HELP = """\
## Check and export

Errors stop the export, warnings do not. **Enter** opens the item a finding is about. `E` writes
the next version: the same set gives the same files and no new version.
"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open item", tooltip="Open the item", id="open"),
        Binding("E", "export", "export", tooltip="Write the next version", id="export"),
        Binding("r", "again", "check again", tooltip="Check again", id="again"),
        Binding("escape", "back", "back", tooltip="One step back", id="back"),
    ]

    findings: reactive[tuple[Finding, ...] | None] = reactive(None, repaint=False, bindings=True)

    listing = query_one("#findings", VirtualList)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._seen = -1

    def compose(self) -> ComposeResult:
        """Lay out the list and the outcome."""
        yield TitleBar()
        yield Static(id="columns")
        yield VirtualList(self._draw, empty="checking …", id="findings")
        yield Static(id="detail")
        yield KeyBar()

    def on_mount(self) -> None:
        """Name the screen."""
        self.title_bar.where = Content("check and export")
        self.query_one("#columns", Static).update(
            Content.assemble(("   item                       finding", "$quiet"))
        )
        self.listing.focus()

    def on_screen_resume(self) -> None:
        """Check again when something was decided meanwhile."""
        if self._seen != self.desk.sitting.stamp:
            self.action_again()

    def action_again(self) -> None:
        """Check the set."""
        self._seen = self.desk.sitting.stamp
        self.listing.say("checking …")
        self.fetch("check", lambda ws: ws.check(), self._checked)

    def _checked(self, findings: list[Finding]) -> None:
        self.findings = tuple(findings)
        errors = sum(finding.severity == "error" for finding in findings)
        warnings = sum(finding.severity == "warning" for finding in findings)
        self.title_bar.state = Content.assemble(
            (f"✗ {errors} errors", "$text-error") if errors else ("✓ no errors", "$text-success"),
            f"   {warnings} warnings",
        )
        self.listing.say("✓ nothing wrong: E exports")
        self.listing.show(range(len(findings)), dict(enumerate(findings)))

    def _draw(self, finding: Finding, width: int) -> Content:
        sign = signs.SEVERITIES[finding.severity]
        name = Content(one_line(finding.item) or "the set").truncate(24, ellipsis=True, pad=True)
        return Content.assemble(sign, name, " ", one_line(finding.message))

    @on(VirtualList.Moved, "#findings")
    def _moved(self, event: VirtualList.Moved) -> None:
        finding: Finding | None = self.listing.row(event.key)
        if finding is not None:
            self._say(Content(display(finding.message)))

    def _say(self, content: Content) -> None:
        self.query_one("#detail", Static).update(content)

    # ------------------------------------------------------------------ keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done."""
        if action == "open":
            return bool(self.findings)
        if action == "export":
            return self.findings is not None
        return True

    def action_open(self) -> None:
        """Open the item of the finding under the cursor."""
        finding: Finding | None = self.listing.row(self.listing.key)
        if finding is not None and finding.item:
            self.post_message(routes.ReviewItem(finding.item))

    @on(VirtualList.Opened, "#findings")
    def _opened(self) -> None:
        self.action_open()

    def action_export(self) -> None:
        """Write the next version."""
        self._say(Content("exporting …"))

        def then(done: Exported) -> None:
            root = self.desk.workspace.root
            where = done.directory
            shown = where.relative_to(root) if where.is_relative_to(root) else where
            counts = ", ".join(f"{number} {name}" for name, number in done.counts.items())
            word = "written to" if done.new else "unchanged, already in"
            self._say(
                Content.assemble(
                    (f"✓ v{done.number:04} ", "bold $text-success"),
                    f"{word} ",
                    (one_line(str(shown)), "bold"),
                    f"\n{counts}",
                )
            )

        self.decide(lambda: (lambda ws: ws.export(), then))

    def failed(self, errand: Errand, error: CurateError) -> None:
        """Show what stands in the way of an export as findings."""
        if isinstance(error, Refused):
            self._checked(list(error.findings))
        self._say(Content.assemble(("✗ ", "$text-error"), display(error.message)))
        super().failed(errand, error)

    def action_back(self) -> None:
        """Leave the screen."""
        self.decide(self._leave)

    def _leave(self) -> None:
        self.dismiss()

"""What the set covers of the documents and of what people ask, and what to curate next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from curate.coverage import Coverage, Covered, Share
from curate.text import one_line, whereabouts
from curate.tui.desk import Desk
from curate.tui.screens.titled import TitledScreen
from curate.tui.widgets import signs
from curate.tui.widgets.bars import KeyBar, TitleBar

_BAR = 16
_BARE = 40
"""Sections without an item that are shown, those asked most often first."""


class CoverageScreen(TitledScreen):
    """Figures to read; nothing is decided here."""

    HELP = """\
## Coverage

What to curate next comes first: then documents, sections that no item quotes, and the set beside
what people ask, as long as their questions are kept. Arrow keys, Page Up, Page Down scroll.
"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "again", "count again", tooltip="Count again", id="again"),
        Binding("j", "scroll(1)", "down", show=False),
        Binding("k", "scroll(-1)", "up", show=False),
        Binding("escape", "back", "back", tooltip="One step back", id="back"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._seen = -1

    def compose(self) -> ComposeResult:
        """Lay out the figures."""
        yield TitleBar()
        with VerticalScroll(id="figures"):
            yield Static(Content("counting …"), id="coverage")
        yield KeyBar()

    def on_mount(self) -> None:
        """Name the screen."""
        self.title_bar.where = Content("coverage")
        self.query_one("#figures").focus()

    def on_screen_resume(self) -> None:
        """Count again when something was decided meanwhile."""
        if self._seen != self.desk.sitting.stamp:
            self.action_again()

    def action_again(self) -> None:
        """Count."""
        self._seen = self.desk.sitting.stamp
        self.fetch("coverage", lambda ws: ws.coverage(), self._show)

    def _show(self, found: Coverage) -> None:
        self.title_bar.state = Content(
            f"{found.items} items   {found.questions} questions kept   {found.refused} refused"
        )
        lines = Content("\n").join(_lines(found))
        self.query_one("#coverage", Static).update(lines[1:])

    def action_scroll(self, by: int) -> None:
        """Scroll by a line."""
        self.query_one("#figures").scroll_relative(y=by, animate=False)

    def action_back(self) -> None:
        """Leave the screen."""
        self.dismiss()


def _lines(found: Coverage) -> Iterable[Content]:
    yield _title("curate next")
    for suggestion in found.suggestions:
        yield Content.assemble(
            "  ", (one_line(suggestion.what), "bold"), "  ", signs.quiet(one_line(suggestion.why))
        )
    if not found.suggestions:
        yield signs.quiet("  nothing stands out")
    yield _title("documents: sections with an item, items, questions that led here")
    for document in found.documents:
        yield _document(document)
    bare = len(found.wanted) + len(found.unasked)
    yield _title(f"{bare} of {len(found.sections)} sections without an item")
    for place in found.wanted[:_BARE]:
        yield Content.assemble(
            f"  {place.asked:>5} ",
            whereabouts(place.source, place.heading),
        )
    if found.unasked:
        yield signs.quiet(f"  {len(found.unasked)} not asked in the retention window")
    for title, shares in (
        ("kinds", found.kinds),
        ("languages", found.langs),
        ("answerability", found.answerability),
    ):
        yield _title(f"{title}: of the set, of what people ask")
        for share in shares:
            yield _share(share)
    yield _title("splits")
    for split, counts in found.splits.items():
        told = ", ".join(f"{number} {name}" for name, number in counts.items()) or "none"
        yield Content(f"  {split:<10} {told}")
    if found.labels:
        yield _title("failed in the last scored run")
        for label, number in found.labels.items():
            yield Content(f"  {number:>5} {one_line(label)}")


def _title(words: str) -> Content:
    return Content.assemble(("\n" + words, "bold $primary"))


def _document(one: Covered) -> Content:
    part = one.covered / one.sections if one.sections else 0.0
    return Content.assemble(
        "  ",
        _bar(part),
        f" {one.covered:>3}/{one.sections:<3} {one.items:>4} {one.asked:>5}  ",
        one_line(one.source),
    )


def _share(one: Share) -> Content:
    asked = f"{one.of_traffic:>6.0%}" if one.of_traffic is not None else "     –"
    return Content.assemble(
        "  ", _bar(one.of_items), f" {one.of_items:>5.0%} {asked}  ", one_line(one.name)
    )


def _bar(part: float) -> Content:
    full = round(part * _BAR)
    return Content.assemble(("█" * full, "$primary"), ("░" * (_BAR - full), "$quiet"))

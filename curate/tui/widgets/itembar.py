"""The item being made: what it holds, what it lacks, what is wrong with it."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from curate.model.items import Finding, Item
from curate.text import one_line, whereabouts
from curate.tui.widgets import signs


class ItemBar(Widget):
    """A few lines at the bottom of the review screen, filling as one chooses."""

    item: reactive[Item | None] = reactive(None, layout=True)
    findings: reactive[tuple[Finding, ...]] = reactive((), layout=True)
    offer: reactive[str] = reactive("", layout=True)
    """What Enter would take, while nothing is taken."""

    def render(self) -> Content:
        """Return the item in lines."""
        item = self.item
        if item is None:
            return Content("")
        lines = [self._answer(item), self._facts(item), *self._wrong()]
        width = max(1, self.size.width)
        return Content("\n").join(line.truncate(width, ellipsis=True) for line in lines)

    def _answer(self, item: Item) -> Content:
        label = signs.quiet
        if item.answerable is False:
            tempting = [
                whereabouts(source, heading)
                for source, heading, _score in (item.absence.nearest if item.absence else ())
            ]
            near = f"  tempting: {', '.join(tempting[:3])}" if tempting else ""
            return Content.assemble(
                ("⊘ unanswerable", "bold $text-warning"), label("  the documents do not say"), near
            )
        if not item.evidences:
            offer = f"  ⏎ takes “{self.offer}”" if self.offer else ""
            return Content.assemble(("no evidence yet", "bold $text-warning"), label(offer))
        joint = " and " if item.evidence_mode == "all" else " or "
        parts: list[Content] = []
        for evidence in item.evidences:
            place = whereabouts(evidence.source, evidence.heading)
            parts.append(
                Content.assemble(
                    signs.grade(evidence),
                    label("  in "),
                    place,
                    "  ",
                    (f"“{one_line(evidence.phrase)}”", "bold"),
                )
            )
        if len(parts) == 1:
            return parts[0]
        return Content("\n").join(
            [parts[0], *(Content.assemble((joint, "$text-accent"), part) for part in parts[1:])]
        )

    def _facts(self, item: Item) -> Content:
        label = signs.quiet
        parts: list[Content] = []
        if item.keyword or item.answerable:
            inside = any(item.keyword.lower() in e.phrase.lower() for e in item.evidences)
            mark = (
                Content.styled(" ✓ in evidence", "$text-success")
                if item.keyword and inside
                else Content.styled(" ✗ not in evidence", "$text-error")
                if item.keyword
                else Content.styled("none ✗", "$text-error")
            )
            parts.append(Content.assemble(label("keyword "), one_line(item.keyword), mark))
        answerable = {True: "yes", False: "no", None: "not decided"}[item.answerable]
        parts.append(Content.assemble(label("answerable "), answerable))
        if item.kind:
            parts.append(Content.assemble(label("kind "), one_line(item.kind)))
        if item.tags:
            parts.append(Content.assemble(label("tags "), one_line(", ".join(item.tags))))
        if item.must_include:
            must = one_line(", ".join(item.must_include))
            parts.append(Content.assemble(label("must include "), must))
        if item.reference:
            parts.append(Content.assemble(label("reference "), one_line(item.reference)))
        if item.note:
            parts.append(Content.assemble(label("note "), one_line(item.note)))
        return Content("   ").join(parts)

    def _wrong(self) -> list[Content]:
        if not self.findings:
            return []
        order = list(signs.SEVERITIES)
        shown = sorted(self.findings, key=lambda finding: order.index(finding.severity))
        words = " · ".join(one_line(finding.message) for finding in shown)
        return [Content.assemble(signs.SEVERITIES[shown[0].severity], words)]

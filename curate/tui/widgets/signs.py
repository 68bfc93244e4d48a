"""How a question, a grade, a split are written: always a sign or a word, with the colour."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from curate.model.documents import Evidence, Grade
from curate.model.evaluation import Failure
from curate.model.items import Item, Severity
from curate.model.records import Candidate, Feedback, RetrievedChunk
from curate.text import display, one_line, whereabouts

if TYPE_CHECKING:
    from curate.store.deciding import Undone
    from curate.workspace.workspace import Workspace

CANDIDATE = re.compile(r"c[0-9]+")
_PLACEHOLDER = re.compile(r"<[A-Z][A-Z_]*_\d+>")

GRADES: dict[Grade, tuple[str, str]] = {
    "verbatim": ("✓ verbatim", "$text-success"),
    "normalised": ("≈ normalised", "$text-warning"),
    "ambiguous": ("? ambiguous", "$text-warning"),
    "moved": ("↷ moved", "$text-warning"),
    "lost": ("✗ lost", "$text-error"),
}


SEVERITIES: dict[Severity, tuple[str, str]] = {
    "error": ("✗ ", "bold $text-error"),
    "warning": ("! ", "$text-warning"),
    "note": ("· ", "$quiet"),
}


def spoken(text: str, style: str = "") -> Content:
    """Return log text as it may be shown, its placeholders standing out."""
    content = Content(display(text))
    if style:
        content = content.stylize(style)
    for match in _PLACEHOLDER.finditer(content.plain):
        content = content.stylize("italic $text-accent", *match.span())
    return content


def spoken_line(text: str, style: str = "") -> Content:
    """Return log text on one line, as it may be shown."""
    return spoken(one_line(text), style)


def quiet(text: str) -> Content:
    """Return text of ours that stands back."""
    return Content.styled(text, "$quiet")


def reasons_line(reasons: Sequence[str]) -> Content:
    """Return a candidate's reasons; the sign says what kind the strongest one is."""
    strongest = reasons[0] if reasons else ""
    sign, style = next((look for word, look in _REASONS if word in strongest), ("·", "$quiet"))
    return Content.assemble((sign, style), " ", one_line(", ".join(reasons)))


_REASONS = (
    ("asks the same", ("=", "$text-accent")),
    ("thumbs-down", ("▼", "$text-error")),
    ("refused", ("⊘", "$text-warning")),
    ("evidence", ("⟲", "$text-accent")),
    ("low score", ("▾", "$text-warning")),
    ("asked", ("≡", "$text-primary")),
)


def grade(evidence: Evidence) -> Content:
    """Return an evidence's grade in a sign, a word and a colour."""
    words, style = GRADES[evidence.grade]
    return Content.styled(words, style)


def split(item: Item) -> Content:
    """Return an item's split."""
    return (
        Content.styled("◆ holdout", "$text-accent")
        if item.split == "holdout"
        else Content.styled("◇ tuning", "$text-primary")
    )


def status(item: Item) -> Content:
    """Return an item's status."""
    words, style = {
        "draft": ("… draft", "$text-warning"),
        "ready": ("✓ ready", "$text-success"),
        "retired": ("– retired", "$quiet"),
        "withdrawn": ("✗ withdrawn", "$text-error"),
    }[item.status]
    return Content.styled(words, style)


def saved(item: Item) -> Content:
    """Return an item's status, and when (in local time) and by whom it was stored."""
    if item.changed_at is None:
        return quiet("not saved yet")
    clock = item.changed_at.astimezone().strftime("%H:%M:%S")
    return Content.assemble(status(item), f", saved {clock} by {one_line(item.changed_by)}")


def stored(workspace: Workspace, what: str) -> Content:
    """Return what was stored just now, with the local time and by whom."""
    clock = workspace.now().astimezone().strftime("%H:%M:%S")
    words = f"{one_line(what)}, saved {clock} by {one_line(workspace.who)}"
    return Content.assemble(("✓ ", "$text-success"), words)


def failure(one: Failure) -> Content:
    """Return how an item failed in the last scored run, and who says so."""
    said = f"confirmed by {one_line(one.by)}" if one.confirmed else "proposed"
    return Content.assemble(
        ("✗ failed ", "$text-error"),
        one_line(one.confirmed or one.label),
        quiet(f" {said}  "),
        one_line(one.why),
    )


def day(moment: datetime | None) -> str:
    """Return a day as it is written here, or a dash."""
    return moment.astimezone().strftime("%Y-%m-%d") if moment else "–"


def feedback_lines(feedback: Iterable[Feedback]) -> list[Content]:
    """Return votes and comments, one line for those that say the same."""
    counted = Counter((v.rating or 0, v.by, v.reason or "", v.comment or "") for v in feedback)
    lines = []
    for (rating, by, reason, comment), number in counted.most_common():
        sign, style = {-1: ("▼", "$text-error"), 1: ("▲", "$text-success")}.get(
            rating, ("·", "$quiet")
        )
        words = " ".join(filter(None, [reason, f"“{comment}”" if comment else ""]))
        who = "" if by == "user" else f" ({by})"
        often = str(number) if number > 1 else ""
        lines.append(Content.assemble((sign + often, style), f"{who} ", spoken_line(words)))
    return lines


def chunk_line(chunk: RetrievedChunk) -> Content:
    """Return a logged chunk on one line: rank, where from, score."""
    place = whereabouts(chunk.source, chunk.heading)
    name = place or one_line(chunk.id or "unnamed")
    score = f"  {chunk.score:.2f}" if chunk.score is not None else ""
    return Content.assemble((f"{chunk.rank} ", "$quiet"), name, (score, "$quiet"))


def askings(candidate: Candidate) -> str:
    """Return how often a candidate was asked."""
    return "asked once" if candidate.size == 1 else f"asked {candidate.size} times"


def looked_at(candidate: Candidate, who: str) -> Content | None:
    """Return who else looks at a candidate just now, or None."""
    if candidate.claim is None or candidate.claim.by == who:
        return None
    return Content.styled(f"✎ {one_line(candidate.claim.by)}", "$text-warning")


def undone(what: Undone) -> str:
    """Return what an undo took back."""
    subjects = ", ".join(
        f"candidate {s[1:]}" if CANDIDATE.fullmatch(s) else one_line(s) for s in what.subjects
    )
    return f"Undone: {one_line(what.action)} of {subjects}"

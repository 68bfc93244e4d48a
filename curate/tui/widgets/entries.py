"""The lines of the inbox: a candidate, an item that came back, and how the sitting stands."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from textual.content import Content

from curate.model.evaluation import Failure
from curate.model.records import Candidate
from curate.text import one_line, whereabouts
from curate.tui.desk import Glance
from curate.tui.returned import LABELS, Returned
from curate.tui.widgets import signs

_NUMBERS = 5
"""Cells for how often something was asked."""


def columns(width: int) -> Content:
    """Return the names of the columns."""
    return Content.assemble((f"   {'why':<{_why(width)}} question", "$quiet"))


def _why(width: int) -> int:
    return max(6, min(38, width * 2 // 5))


def candidate(one: Candidate, width: int, who: str, *, marked: bool) -> Content:
    """Return a candidate in a line: why it is there, its question, how often that was asked."""
    reasons = signs.reasons_line(one.reasons)
    if theirs := signs.looked_at(one, who):
        reasons = Content.assemble(theirs, " ", reasons)
    if marked:
        reasons = Content.assemble(("✚ ", "bold $text-accent"), reasons)
    return _line(reasons, signs.spoken_line(one.question), str(one.size), width)


def back(one: Returned, width: int) -> Content:
    """Return an item that came back in a line."""
    return _line(trouble(one), signs.spoken_line(one.item.question), "item", width)


def _line(why: Content, question: Content, number: str, width: int) -> Content:
    first = _why(width)
    number = f"{number:>{_NUMBERS}}" if width > 40 else ""
    room = max(1, width - first - 1 - len(number))
    return Content.assemble(
        why.truncate(first, ellipsis=True, pad=True),
        " ",
        question.truncate(room, ellipsis=True, pad=True),
        (number, "$quiet"),
    )


def trouble(one: Returned, *, brief: bool = False) -> Content:
    """Return in a few words, or in one, why an item came back."""
    if one.moved and brief:
        return Content.styled(f"⟲ {one.moved}", "$text-warning")
    if one.moved:
        sources = ", ".join(dict.fromkeys(e.source for e in one.item.evidences))
        return Content.styled(f"⟲ {_MOVED.get(one.moved, one.moved)} {sources}", "$text-warning")
    if one.failure is not None:
        label = one.failure.confirmed or f"{one.failure.label}?"
        return Content.styled(f"✗ {one_line(label)}", "$text-error")
    return Content("")


_MOVED = {"answered?": "answered now?", "chunks": "chunks unsure:", "moved": "evidence moved:"}
_MOVED |= {grade: f"evidence {grade}:" for grade in ("lost", "ambiguous", "normalised")}


def back_detail(one: Returned) -> list[Content]:
    """Return an item that came back in a few lines: why, and what can be done."""
    item = one.item
    lines = [
        signs.spoken_line(item.question, "bold"),
        Content.assemble(signs.quiet(f"item {one_line(item.id)} · "), trouble(one)),
    ]
    for evidence in item.evidences[:1]:
        place = whereabouts(evidence.source, evidence.heading)
        lines.append(Content.assemble(signs.quiet(f"{place}  "), f"“{one_line(evidence.phrase)}”"))
    if one.failure is not None:
        lines += failure_lines(one.failure)
    elif one.moved:
        lines.append(signs.quiet("⏎ shows where it may stand now"))
    return lines


def failure_lines(failure: Failure) -> list[Content]:
    """Return how an item failed, what that is called, and the keys that call it so."""
    called = failure.confirmed or failure.label
    lines = [signs.failure(failure)]
    names = [
        Content.assemble(
            (f"{number} ", "bold $text-accent"), (label, "bold" if label == called else "$quiet")
        )
        for number, (label, _words) in enumerate(LABELS, 1)
    ]
    half = (len(names) + 1) // 2
    lines += [Content("  ").join(names[:half]), Content("  ").join(names[half:])]
    return lines


def standing(found: Glance, returned: Sequence[Returned], rate: str, now: datetime) -> Content:
    """Return how the sitting stands: what is left, what was done, what must not be overlooked."""
    parts = [Content(f"{found.open} to look at")]
    if waiting := sum(one.waits for one in returned):
        parts.append(Content.styled(f"⟲ {waiting} back", "$text-warning"))
    parts.append(Content(f"{found.today} done today"))
    if rate:
        parts.append(Content(rate))
    if found.unheld:
        parts.append(Content.styled("✗ 0 holdout", "bold $text-error"))
    if found.overdue:
        parts.append(Content.styled("✗ purge overdue", "$text-error"))
    elif found.next_expiry is not None:
        days = max(0, (found.next_expiry - now).days)
        parts.append(signs.quiet(f"purge in {days} d"))
    return Content("   ").join(parts)

"""What the pages of an evaluation show, as blocks for `curate.report`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from curate import report
from curate.cli import scored

if TYPE_CHECKING:
    from curate.evaluate.intervals import Interval
    from curate.evaluate.sweeping import Row


def write(path: Path, page: str) -> None:
    """Write a page where the user wants it."""
    scored.write(path, page.encode())


def sweep(rows: Sequence[Row], name: str) -> str:
    """Return the page of a sweep: both errors and the passes over the minimum score."""
    columns: tuple[tuple[str, list[Interval | None]], ...] = (
        ("passes", [row.passes for row in rows]),
        ("answerable refused", [row.answerable_refused for row in rows]),
        ("unanswerable answered", [row.unanswerable_answered for row in rows]),
    )
    lines = tuple(
        report.Series(
            title,
            tuple(
                report.Point(row.minimum, part.value, part.low, part.high)
                for row, part in zip(rows, parts, strict=True)
                if part is not None
            ),
        )
        for title, parts in columns
    )
    ticks = tuple((row.minimum, f"{row.minimum:g}") for row in rows[:: max(1, len(rows) // 10)])
    table = report.Table(
        ("min score", *(title for title, _ in columns), "how"),
        tuple(
            (
                f"{row.minimum:g}",
                *(_part(parts[place]) for _, parts in columns),
                row.how + (f": {', '.join(row.unsure)}" if row.unsure else ""),
            )
            for place, row in enumerate(rows)
        ),
        numeric=("min score", *(title for title, _ in columns)),
    )
    blocks: list[report.Block] = [
        report.Lines("Shares of items by minimum score", lines, "minimum score", ticks=ticks),
        table,
        report.Text("Scores mean nothing in another set-up: sweep each one anew."),
    ]
    return report.page("Refusal threshold", blocks, under=name)


def _part(part: Interval | None) -> str:
    if part is None:
        return "-"
    return f"{scored.short(part.value)} ({scored.short(part.low)}-{scored.short(part.high)})"

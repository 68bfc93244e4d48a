"""`curate corpus coverage`: what the set covers, as text, JSON or a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curate.cli import output
from curate.cli.context import Shared, json_option, shared_options

if TYPE_CHECKING:
    from curate import report
    from curate.coverage import Coverage, Share

_ROWS = 15
_CHART = 30


@click.command("coverage")
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page with charts."
)
@json_option
@shared_options
@click.pass_obj
def coverage(shared: Shared, html: Path | None, as_json: bool) -> None:
    """Show what the set covers, and what to curate next.

    Questions are those that are kept: the log of the retention window.
    """
    with shared.open() as workspace:
        workspace.ready_corpus()
        found = workspace.coverage()
        name = workspace.root.resolve().name
    if html:
        from curate.cli import pages

        pages.write(html, page(found, name))
        output.say(f"written: {html}", quiet=shared.quiet)
    if as_json:
        output.data(found)
    elif not html:
        _show(found)


def _show(found: Coverage) -> None:
    output.line(f"items: {found.items}, questions kept: {found.questions}")
    if found.suggestions:
        output.line()
        output.line("curate next:")
        for suggestion in found.suggestions:
            output.line(f"  {suggestion.what} ({suggestion.why})")
    output.line()
    rows = [(d.source, d.items, f"{d.covered}/{d.sections}", d.asked) for d in found.documents]
    output.table([(*row[1:], row[0]) for row in rows], ("items", "sections", "asked", "document"))
    if found.wanted:
        output.line()
        output.line(f"asked, and no item: {len(found.wanted)} of {len(found.sections)} sections")
        for place in found.wanted[:_ROWS]:
            output.line(f"  {place.asked:>5}  {place.source} › {place.heading}")
    if found.unasked:
        output.line()
        output.line(f"no item, and not asked in the retention window: {_by_document(found)}")
    for title, shares in _groups(found):
        output.line()
        output.table(
            [(s.items, f"{s.of_items:.0%}", _traffic(s), s.name) for s in shares],
            ("items", "of set", "of traffic", title),
        )
    output.line()
    for split, counts in found.splits.items():
        told = ", ".join(f"{number} {name}" for name, number in counts.items()) or "none"
        output.line(f"{split}: {told}")
    if found.labels:
        told = ", ".join(f"{number} {label}" for label, number in found.labels.items())
        output.line(f"failed in the last scored run: {told}")


def _by_document(found: Coverage) -> str:
    counts = Counter(place.source for place in found.unasked).most_common()
    shown = ", ".join(f"{source} ({number})" for source, number in counts[:_ROWS])
    more = f" and {len(counts) - _ROWS} more documents" if len(counts) > _ROWS else ""
    return f"{len(found.unasked)} of {len(found.sections)} sections: {shown}{more}"


def _groups(found: Coverage) -> tuple[tuple[str, Sequence[Share]], ...]:
    return (
        ("kind", found.kinds),
        ("language", found.langs),
        ("answerability", found.answerability),
    )


def _traffic(share: Share) -> str:
    return "" if share.of_traffic is None else f"{share.of_traffic:.0%}"


def page(found: Coverage, name: str) -> str:
    """Return the page: figures, charts, and the tables behind them."""
    from curate import report

    covered = sum(place.items > 0 for place in found.sections)
    blocks: list[report.Block] = [
        report.Tiles(
            (
                report.Tile("items", str(found.items)),
                report.Tile("sections covered", f"{covered}/{len(found.sections)}"),
                report.Tile("questions kept", str(found.questions)),
                report.Tile("refused", str(found.refused)),
                report.Tile("thumbs-down", str(found.down)),
            )
        ),
        report.Heading("Curate next"),
        report.Table(("what", "why"), tuple((s.what, s.why) for s in found.suggestions)),
        report.Heading("Documents"),
        report.Bars(
            "Share of sections that an item quotes",
            tuple(
                report.Bar(d.source, d.covered / d.sections, note=f"{d.covered}/{d.sections}")
                for d in found.documents[:_CHART]
            ),
            most=1.0,
        ),
        report.Table(
            ("document", "sections", "covered", "items", "asked"),
            tuple(
                (d.source, str(d.sections), str(d.covered), str(d.items), str(d.asked))
                for d in found.documents
            ),
            numeric=("sections", "covered", "items", "asked"),
        ),
        *_shares_shown(found),
        report.Heading("Splits"),
        report.Bars(
            "Items",
            tuple(
                report.Bar(f"{split}, {kind}", number)
                for split, counts in found.splits.items()
                for kind, number in counts.items()
            ),
        ),
    ]
    if found.labels:
        bars = tuple(report.Bar(label, number) for label, number in found.labels.items())
        blocks += [report.Heading("Failures"), report.Bars("In the last scored run", bars)]
    blocks += [
        report.Heading("Sections without an item"),
        report.Table(
            ("document", "heading", "asked", "thumbs-down", "refused"),
            tuple(
                (p.source, p.heading, str(p.asked), str(p.down), str(p.refused))
                for p in found.wanted
            ),
            numeric=("asked", "thumbs-down", "refused"),
        ),
        report.Heading("... and not asked in the retention window"),
        report.Table(("document", "heading"), tuple((p.source, p.heading) for p in found.unasked)),
    ]
    return report.page(f"Coverage of {name}", blocks)


def _shares_shown(found: Coverage) -> list[report.Block]:
    from curate import report

    blocks: list[report.Block] = []
    for title, shares in _groups(found):
        bars: list[report.Bar] = []
        for share in shares:
            bars.append(report.Bar(f"{share.name}: set", share.of_items, note=str(share.items)))
            if share.of_traffic is not None:
                bars.append(report.Bar(f"{share.name}: asked", share.of_traffic))
        blocks += [
            report.Heading(title.capitalize()),
            report.Bars("Share of the set beside that of what people ask", tuple(bars), most=1.0),
        ]
    return blocks

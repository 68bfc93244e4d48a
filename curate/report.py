"""Self-contained HTML pages: words, tables and charts in one file that asks for nothing more.

Charts are inline SVG written here: what is drawn are bars and lines with intervals, which no
plotting library draws without a script, a font or megabytes. A page has no script, and its
content security policy forbids every request. All text is escaped.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from curate.text import display


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within the page."""

    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph; `tone` is empty, `good` or `bad`."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure of a row of figures: its name, its value as shown, and a word about it."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Tiles:
    """A row of figures."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; cells are text. Columns named in `numeric` are set to the right."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    caption: str = ""
    numeric: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a chart, with the interval around its value and a word after it."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """Horizontal bars on one scale from 0 to `most` (by default the greatest end)."""

    title: str
    bars: tuple[Bar, ...]
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a line with the interval around it."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """A named line; its points run from left to right."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines over one axis, values from 0 to `most`; `ticks` name places on the axis."""

    title: str
    series: tuple[Series, ...]
    axis: str = ""
    most: float = 1.0
    ticks: tuple[tuple[float, str], ...] = ()


Block = Heading | Text | Tiles | Table | Bars | Lines


def page(title: str, blocks: Sequence[Block], *, under: str = "") -> str:
    """Return a whole HTML page: `title`, a line `under` it, then the blocks in order.

    The same blocks give the same page, byte for byte.
    """
    body = "\n".join(_block(block) for block in blocks)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>{_esc(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1>{_esc(title)}</h1>
<p class="under">{_esc(under)}</p>
{body}
</main>
</body>
</html>
"""


_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --line: #d9d9e0;
  --paper: #fcfcfd; --band: #f0f0f3; --a: #0b68cb; --b: #c2410c; --c: #4d7c0f; --d: #7e22ce;
  --good: #2b7a3e; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --soft: #b0b4ba; --line: #363a3f;
  --paper: #111113; --band: #212225; --a: #70b8ff; --b: #ff977d; --c: #a8d672; --d: #d19dff;
  --good: #71d083; --bad: #ff9592; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Noto Sans", "Noto Sans Khmer", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
.under { color: var(--soft); margin: .2rem 0 1.4rem; } .good { color: var(--good); }
.bad { color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr));
  gap: .7rem; }
.tile { background: var(--band); border-radius: .5rem; padding: .7rem .9rem; }
.tile b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: .85rem; display: block; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
th, td { text-align: left; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; overflow-wrap: anywhere; }
th { font-weight: 600; } .n { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
figure { margin: 1rem 0; } figcaption { color: var(--soft); margin-bottom: .3rem; }
svg { width: 100%; height: auto; display: block; } svg text { fill: var(--ink); font-size: 13px; }
svg .soft { fill: var(--soft); } svg .grid { stroke: var(--line); } svg .bar { fill: var(--a); }
svg .span { stroke: var(--ink); stroke-width: 1.5; }
.s0 { stroke: var(--a); } .s1 { stroke: var(--b); } .s2 { stroke: var(--c); }
.s3 { stroke: var(--d); }
.f0 { fill: var(--a); } .f1 { fill: var(--b); } .f2 { fill: var(--c); } .f3 { fill: var(--d); }
"""


def _esc(text: str) -> str:
    return html.escape(display(text))


def _block(block: Block) -> str:
    match block:
        case Heading():
            return f"<h2>{_esc(block.text)}</h2>"
        case Text():
            tone = f' class="{block.tone}"' if block.tone in ("good", "bad") else ""
            return f"<p{tone}>{_esc(block.text)}</p>"
        case Tiles():
            return f'<div class="tiles">{"".join(map(_tile, block.tiles))}</div>'
        case Table():
            return _table(block)
        case Bars():
            return _bars(block)
        case Lines():
            return _lines(block)


def _tile(tile: Tile) -> str:
    return (
        f'<div class="tile"><span>{_esc(tile.name)}</span><b>{_esc(tile.value)}</b>'
        f"<span>{_esc(tile.note)}</span></div>"
    )


def _table(table: Table) -> str:
    right = {place for place, name in enumerate(table.head) if name in table.numeric}

    number = ' class="n"'

    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(
            f"<{tag}{number if place in right else ''}>{_esc(cell)}</{tag}>"
            for place, cell in enumerate(row)
        )

    caption = f"<caption>{_esc(table.caption)}</caption>" if table.caption else ""
    rows = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in table.rows)
    return (
        f'<div class="wide"><table>{caption}<thead><tr>{cells("th", table.head)}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


_WIDTH, _NAMES, _NOTES, _ROW = 760, 200, 150, 26


def _bars(chart: Bars) -> str:
    most = chart.most or max((max(bar.value, bar.high or 0) for bar in chart.bars), default=1) or 1
    room = _WIDTH - _NAMES - _NOTES
    drawn = []
    for row, bar in enumerate(chart.bars):
        y = row * _ROW
        end = room * min(bar.value / most, 1)
        words = f"{bar.label}: {bar.note}"
        part = [
            _words(_NAMES - 8, y + 17, _cut(bar.label, 30), "end"),
            f'<rect class="bar" x="{_NAMES}" y="{y + 5}" width="{end:.1f}" height="16" rx="2"/>',
        ]
        if bar.low is not None and bar.high is not None:
            low, high = (_NAMES + room * min(value / most, 1) for value in (bar.low, bar.high))
            part.append(
                f'<line class="span" x1="{low:.1f}" x2="{high:.1f}" y1="{y + 13}" y2="{y + 13}"/>'
            )
        part.append(_words(_NAMES + room + 8, y + 17, _cut(bar.note, 24), "start", "soft"))
        drawn.append(f"<g><title>{_esc(words)}</title>{''.join(part)}</g>")
    return _figure(chart.title, "\n".join(drawn), len(chart.bars) * _ROW + 4)


_LEFT, _TOP, _HIGH = 44, 12, 220
_Scale = Callable[[float], float]


def _lines(chart: Lines) -> str:
    xs = [point.x for series in chart.series for point in series.points]
    first, last = (min(xs), max(xs)) if xs else (0.0, 1.0)
    room = _WIDTH - _LEFT - 20

    def x(value: float) -> float:
        return _LEFT + (room * (value - first) / (last - first) if last > first else room / 2)

    def y(value: float) -> float:
        return _TOP + _HIGH * (1 - min(max(value / chart.most, 0), 1))

    drawn = []
    for step in range(5):
        value = chart.most * step / 4
        drawn.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - 20}" y1="{y(value):.1f}" '
            f'y2="{y(value):.1f}"/>' + _words(_LEFT - 6, y(value) + 4, f"{value:g}", "end", "soft")
        )
    for place, name in chart.ticks:
        drawn.append(_words(x(place), _TOP + _HIGH + 18, name, "middle", "soft"))
    for number, series in enumerate(chart.series):
        drawn.append(_line(series, number % 4, x, y))
    if chart.axis:
        drawn.append(_words(_LEFT + room / 2, _TOP + _HIGH + 38, chart.axis, "middle", "soft"))
    below = _TOP + _HIGH + 62
    for number, series in enumerate(chart.series):
        left = _LEFT + number * 230
        drawn.append(
            f'<rect class="f{number % 4}" x="{left}" y="{below - 10}" width="12" height="12"/>'
            + _words(left + 18, below, _cut(series.name, 28))
        )
    return _figure(chart.title, "\n".join(drawn), below + 10)


def _line(series: Series, number: int, x: _Scale, y: _Scale) -> str:
    path = " ".join(f"{x(point.x):.1f},{y(point.y):.1f}" for point in series.points)
    drawn = [f'<polyline class="s{number}" fill="none" stroke-width="2" points="{path}"/>']
    for point in series.points:
        at = f"{x(point.x):.1f}"
        span = ""
        words = f"{series.name}: {point.y:.2f} at {point.x:g}"
        if point.low is not None and point.high is not None:
            span = (
                f'<line class="s{number}" stroke-opacity="0.45" x1="{at}" x2="{at}" '
                f'y1="{y(point.low):.1f}" y2="{y(point.high):.1f}"/>'
            )
            words += f" ({point.low:.2f} to {point.high:.2f})"
        drawn.append(
            f'<g><title>{_esc(words)}</title>{span}<circle class="f{number}" cx="{at}" '
            f'cy="{y(point.y):.1f}" r="3.5"/></g>'
        )
    return "".join(drawn)


def _words(x: float, y: float, text: str, anchor: str = "start", look: str = "") -> str:
    kind = f' class="{look}"' if look else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_esc(text)}</text>'


def _figure(title: str, drawn: str, height: float) -> str:
    return (
        f"<figure><figcaption>{_esc(title)}</figcaption>\n"
        f'<svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{_esc(title)}">\n'
        f"{drawn}\n</svg></figure>"
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"

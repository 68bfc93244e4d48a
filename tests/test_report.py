"""Pages that stand alone: the same bytes, everything escaped, nothing fetched, nothing run."""

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from curate import report

EVIL = "<script>alert(1)</script> & \x1b[31m \u202e \"'"
BLOCKS: tuple[report.Block, ...] = (
    report.Heading(EVIL),
    report.Text(EVIL, "bad"),
    report.Tiles((report.Tile(EVIL, EVIL, EVIL),)),
    report.Table((EVIL, "n"), ((EVIL, "1"),), EVIL, ("n",)),
    report.Bars(EVIL, (report.Bar(EVIL, 3, 1, 5, EVIL), report.Bar("none", 0))),
    report.Lines(
        EVIL,
        (
            report.Series(EVIL, (report.Point(0, 0.2, 0.1, 0.4), report.Point(1, 0.8))),
            report.Series("one point", (report.Point(0.5, 2.0),)),
            report.Series("none", ()),
        ),
        axis=EVIL,
        ticks=((0, EVIL), (1, "1")),
    ),
)


class Elements(HTMLParser):
    """Collects what a page is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def elements(page: str) -> Elements:
    found = Elements()
    found.feed(page)
    return found


def test_the_same_blocks_give_the_same_page() -> None:
    assert report.page("t", BLOCKS) == report.page("t", BLOCKS)


def test_all_text_is_escaped_and_nothing_in_it_is_obeyed() -> None:
    page = report.page(EVIL, BLOCKS, under=EVIL)

    assert "<script" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "script" not in elements(page).tags


def test_a_page_has_no_script_and_names_nothing_to_fetch() -> None:
    found = elements(report.page("t", BLOCKS))

    assert not {"script", "img", "iframe", "object", "embed"} & set(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    links = [value for name, value in found.attributes if name in ("src", "href")]
    assert links == ["data:,"]
    assert (
        "content",
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
    ) in found.attributes


def test_charts_are_well_formed_and_say_their_values() -> None:
    page = report.page("t", BLOCKS)
    charts = [ET.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]  # noqa: S314 - ours

    assert len(charts) == 2
    assert all(chart.get("role") == "img" and chart.get("aria-label") for chart in charts)
    titles = [title.text or "" for chart in charts for title in chart.iter("title")]
    assert any(title.endswith("0.20 at 0 (0.10 to 0.40)") for title in titles)


def test_bars_and_lines_stay_within_their_frame() -> None:
    page = report.page("t", BLOCKS)

    numbers = [float(n) for n in re.findall(r' (?:x|x1|x2|cx|width)="([-\d.]+)"', page)]
    assert min(numbers) >= 0
    assert max(numbers) <= 760


def test_empty_charts_and_tables_are_drawn_all_the_same() -> None:
    page = report.page("t", (report.Bars("b", ()), report.Lines("l", ()), report.Table(("a",), ())))

    assert page.count("<svg") == 2


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def shown(page: Path, tmp_path: Path) -> tuple[str, list[str]]:
    """Open a page in a real browser: what it logs, and the addresses that the page asks for."""
    log = tmp_path / "net.json"
    done = subprocess.run(
        [
            *(str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *("--disable-background-networking", "--enable-logging=stderr"),
            f"--user-data-dir={tmp_path / 'profile'}",
            f"--log-net-log={log}",
            f"--screenshot={tmp_path / 'page.png'}",
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    events = [event.get("params", {}) for event in json.loads(log.read_bytes())["events"]]
    # the browser's own requests have no page as their initiator
    asked = [e["url"] for e in events if e.get("initiator", "not an origin") != "not an origin"]
    return done.stderr, asked


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
def test_a_real_browser_shows_the_page_without_an_error_or_a_request(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(report.page(EVIL, BLOCKS), encoding="utf-8")
    said, asked = shown(page, tmp_path)

    assert (tmp_path / "page.png").stat().st_size > 5000
    assert "CONSOLE" not in said
    assert asked == []
    page.write_text('<img src="http://127.0.0.1:9/x.png">', encoding="utf-8")
    assert shown(page, tmp_path)[1] == ["http://127.0.0.1:9/x.png"]  # it would be seen

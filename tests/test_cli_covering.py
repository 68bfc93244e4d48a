"""`curate corpus coverage`, and its page in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from curate.model.documents import Evidence
from curate.model.items import Item
from curate.triage import Matcher
from curate.workspace.workspace import Workspace
from tests.conftest import Curate
from tests.events import NOW, Clock, question, vote
from tests.test_report import CHROMIUM, shown


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "ws"
    Workspace.create(root, Clock())
    docs = root / "docs"
    docs.mkdir()
    (docs / "loans.md").write_text("# Loans\n\nIntro.\n\n## How long\n\nTwo weeks.\n")
    (docs / "fees.html").write_text("<h1>Fees &lt;b&gt;</h1><p>Ten cents.")
    with Workspace.open(root, Clock(), "anna") as opened:
        opened.store.save(
            [
                question("a", "How long may I keep it?"),
                question("b", "ORD-18422 late?", lang="km"),
                vote("v", "a"),
            ],
            matcher=Matcher(),
            received=NOW,
        )
        quoted = Evidence("loans.md", "Loans", "Intro.", 9, 15, "", "verbatim")
        made = Item("loans-1", 0, "?", answerable=True, evidences=(quoted,), status="ready")
        opened.store.save_item(made, by="anna", now=NOW, expected=0, action="make")
    monkeypatch.setenv("CURATE_WORKSPACE", str(root))
    return root


def test_what_a_sync_does_not_read_is_named_and_counted(workspace: Path, curate: Curate) -> None:
    for number in range(10):
        (workspace / "docs" / f"{number}.adoc").write_text("= A\n")
        (workspace / "docs" / f"{number}.png").write_bytes(b"x")
    ran = curate("corpus", "sync")
    assert ran.code == 0
    assert "not read: 0.adoc, 1.adoc" in ran.err
    assert "7.adoc and 2 more: AsciiDoc" in ran.err
    assert "left alone: 10 .png: no pattern" in ran.err
    assert curate("corpus", "sync", "--json").json["left"] == [[".png", 10]]


def test_text_and_json_tell_the_same(workspace: Path, curate: Curate) -> None:
    told = curate("corpus", "coverage", "--json").json
    assert [d["source"] for d in told["documents"]] == ["fees.html", "loans.md"]
    asked = {p["heading"]: (p["items"], p["asked"], p["down"]) for p in told["sections"]}
    assert asked == {"Fees <b>": (0, 0, 0), "Loans": (1, 0, 0), "How long": (0, 2, 1)}
    assert told["suggestions"][0]["what"] == "an item on loans.md › How long"
    text = curate("corpus", "coverage").out
    assert "items: 1, questions kept: 2" in text
    assert "an item on loans.md › How long (asked 2 times, 1 thumbs-down" in text
    assert "identifier" in text
    assert text.index("curate next:") < text.index("document")
    assert "    2  loans.md › How long" in text
    assert "not asked in the retention window: 1 of 3 sections: fees.html (1)" in text


def test_the_page_says_it_and_asks_for_nothing(
    workspace: Path, curate: Curate, tmp_path: Path
) -> None:
    page = tmp_path / "coverage.html"
    assert curate("corpus", "coverage", "--html", page).code == 0
    html = page.read_text(encoding="utf-8")
    assert "Fees &lt;b&gt;" in html
    assert html.count("<svg") >= 5
    assert "http" not in html.replace("http-equiv", "")


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
def test_a_real_browser_shows_the_page_without_an_error_or_a_request(
    workspace: Path, curate: Curate, tmp_path: Path
) -> None:
    page = tmp_path / "coverage.html"
    curate("corpus", "coverage", "--html", page)
    said, asked = shown(page, tmp_path)
    assert (tmp_path / "page.png").stat().st_size > 5000
    assert "CONSOLE" not in said
    assert asked == []

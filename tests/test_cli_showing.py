"""An item and a candidate read from top to bottom, and no terminal obeys what they hold."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from curate.cli import showing
from curate.model.documents import Evidence
from curate.model.items import Absence, Finding, Item
from curate.model.records import Turn

WHEN = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
QUOTED = Evidence("a.md", "Pumps", "free for everyone", 30, 47, "sha256:0", "verbatim")
ITEM = Item(
    "pumps-1",
    2,
    "is the pump free?",
    answerable=True,
    evidences=(QUOTED,),
    keyword="free",
    must_include=("free", "door"),
    history=(Turn("user", "where is the pump?"),),
    original="pump free??",
    kind="paraphrase",
    status="ready",
    changed_at=WHEN,
    changed_by="sok",
)


def test_an_item_says_everything_once_and_nothing_that_is_empty(
    capsys: pytest.CaptureFixture[str],
) -> None:
    showing.item(ITEM, [Finding("pumps-1", "echo", "warning", "it repeats its passage")])

    assert capsys.readouterr().out.splitlines() == [
        "pumps-1  ready · tuning · paraphrase",
        "revision 2 by sok, 2026-11-20 09:30Z",
        "  user:      where is the pump?",
        "  question   is the pump free?",
        "  asked as   pump free??",
        "  evidence   a.md › Pumps (verbatim)",
        "             “free for everyone”",
        "  keyword    free",
        "  must say   free",
        "             door",
        "",
        "warning: it repeats its passage [echo]",
    ]


def test_an_unanswerable_item_shows_what_was_sought_and_what_tempts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    absence = Absence(("is it free?", "pump price"), (("a.md", "Hours", 0.4321),), "sha256:0")
    showing.item(replace(ITEM, answerable=False, evidences=(), absence=absence), [])

    shown = capsys.readouterr().out
    assert "  answer     unanswerable\n" in shown
    assert "  sought     is it free?\n             pump price\n" in shown
    assert "  tempting   a.md › Hours 0.43\n" in shown


def test_no_terminal_obeys_what_an_item_holds(capsys: pytest.CaptureFixture[str]) -> None:
    showing.item(replace(ITEM, question="is it\x1b[31m free?\x07\r\n\x9b2J", note="a\nb"), [])

    shown = capsys.readouterr().out
    assert not {"\x1b", "\x07", "\r", "\x9b"} & set(shown)
    assert "  note       a b\n" in shown

"""Tables fit the terminal, and lose nothing."""

from __future__ import annotations

import sys

import pytest

from curate.cli import output

HEAD = ("item", "what")
ROWS = [
    ("opening-hours-on-holidays-1", "moved to another heading since"),
    ("late-1", "ថ្ងៃសុក្របើកដល់ម៉ោងប៉ុន្មាន"),
    ("code-1", "0123456789012345678901234567890123456789"),
]


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    output.table(ROWS, HEAD)
    return capsys.readouterr().out.splitlines()


def test_a_row_is_a_line_where_no_terminal_reads(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys)
    assert len(lines) == 4
    assert lines[1] == "opening-hours-on-holidays-1  moved to another heading since"


@pytest.mark.parametrize("columns", [50, 60])
def test_on_a_terminal_no_line_is_wider_and_no_word_of_a_name_is_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = printed(capsys)
    assert max(map(output._width, lines)) <= columns
    assert lines[1].startswith("opening-hours-on-holidays-1  moved to another")
    assert "".join("".join(lines).split()).endswith(ROWS[2][1])


def test_a_name_is_whole_though_the_terminal_is_too_narrow(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "20")
    assert printed(capsys)[1].startswith("opening-hours-on-holidays-1  moved to another")

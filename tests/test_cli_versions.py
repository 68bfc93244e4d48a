"""`export` and `versions` as they are typed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from curate.export.targets import TARGETS
from curate.workspace.workspace import Workspace
from tests.conftest import Curate
from tests.desk import Harmless, add


@pytest.fixture
def desk(lending: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A lending desk with two ready items, which the command line finds."""
    monkeypatch.setattr(Workspace, "anonymiser", Harmless())
    monkeypatch.setenv("CURATE_WORKSPACE", str(lending.root))
    add(lending, "when is it due back?", "laptops.md", "up to 7 days", "how-long-1")
    add(lending, "what if i am late?", "laptops.md", "2 dollars a day", "late-1")
    return lending


@pytest.fixture
def two(desk: Workspace, curate: Curate) -> Workspace:
    """Two versions: in the second a keyword is another, an item came and one went to holdout."""
    assert curate("export").code == 0
    desk.save(replace(desk.store.item("late-1"), keyword="dollars"))
    desk.save(replace(desk.store.item("how-long-1"), split="holdout"))
    add(desk, "is the bag mine too?", "faq.md", "The laptop bag is part", "bag-1")
    assert curate("export").code == 0
    return desk


def test_formats_stand_beside_and_what_they_lose_is_told(
    desk: Workspace, curate: Curate, tmp_path: Path
) -> None:
    desk.save(replace(desk.store.item("late-1"), must_include=("2",)))
    ran = curate(
        "export", "--format", "golden", "--format", "trec", "--to", tmp_path / "out"
    )  # fmt: skip
    assert ran.code == 2  # no chunk set is known
    assert "curate chunks add" in ran.err
    ran = curate("export", "--format", "golden", "--format", "ragas", "--to", tmp_path / "out")
    assert ran.code == 0
    assert "golden: must-include and must-not-include are left out: late-1" in ran.err
    assert {"golden.jsonl", "ragas.jsonl", "questions.json"} <= {
        path.name for path in (tmp_path / "out").iterdir()
    }


def test_formats_are_listed_without_a_workspace(curate: Curate) -> None:
    ran = curate("export", "--format", "help")
    assert ran.code == 0
    assert all(name in ran.out for name in TARGETS)


def test_a_draft_has_no_number(desk: Workspace, curate: Curate) -> None:
    ran = curate("export", "--draft")
    assert ran.code == 0
    assert ran.out.startswith("draft written: 2 items")
    assert curate("versions", "list", "--json").json == []
    assert curate("export", "--draft", "--version", "1").code == 2


def test_an_old_version_is_called_by_number_or_name(
    two: Workspace, curate: Curate, tmp_path: Path
) -> None:
    assert curate("versions", "tag", "1", "baseline").code == 0
    for wanted in ("1", "v0001", "baseline"):
        ran = curate("export", "--version", wanted, "--to", tmp_path / wanted, "--json")
        assert ran.json["number"] == 1
        assert len(json.loads((tmp_path / wanted / "questions.json").read_bytes())) == 2
    assert curate("export", "--version", "7").code == 2
    assert curate("export", "--version", "nonsense").code == 2


def test_a_name_is_one_versions_until_it_is_moved(two: Workspace, curate: Curate) -> None:
    assert curate("versions", "tag", "1", "released").code == 0
    taken = curate("versions", "tag", "2", "released")
    assert (taken.code, "version 1" in taken.err) == (2, True)
    assert curate("versions", "tag", "latest", "released", "--move").code == 0
    first, second = curate("versions", "list", "--json").json
    assert (first["names"], second["names"]) == ([], ["released"])
    assert (first["items"], second["items"]) == (2, 3)
    for name in ("3", "v0003", "latest", "draft", "now", "../x", ""):
        assert curate("versions", "tag", "1", name).code == 2


def test_the_difference_is_told_item_by_item(two: Workspace, curate: Curate) -> None:
    text = curate("versions", "diff", "1", "latest")
    assert text.code == 0
    assert "+ bag-1" in text.out
    assert "~ late-1  keyword" in text.out
    assert "> how-long-1  tuning -> holdout" in text.out
    told = curate("versions", "diff", "1", "2", "--format", "json").json
    assert [one["id"] for one in told["added"]] == ["bag-1"]
    assert told["moved"] == [
        {"id": "how-long-1", "field": "split", "before": "tuning", "after": "holdout"}
    ]
    page = curate("versions", "diff", "1", "2", "--format", "markdown").out
    assert page.startswith("## Evaluation set: 1 to 2\n")
    assert curate("versions", "diff", "2", "now").out == "no difference\n"


def test_directories_are_compared_and_verified_without_a_workspace(
    two: Workspace, curate: Curate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    exports = two.root / "exports"
    monkeypatch.delenv("CURATE_WORKSPACE")
    monkeypatch.chdir(tmp_path)
    assert "+ bag-1" in curate("versions", "diff", exports / "v0001", exports / "v0002").out
    assert curate("versions", "verify", exports / "v0001", exports / "latest").code == 0
    (exports / "v0001" / "questions.json").write_bytes(b"[]\n")
    ran = curate("versions", "verify", exports / "v0001", exports / "v0002", "--json")
    assert ran.code == 1
    assert {f["code"] for f in ran.json[str(exports / "v0001")]} >= {"file-changed"}
    assert ran.json[str(exports / "v0002")] == []
    assert curate("versions", "verify", tmp_path).code == 4


def test_versions_are_listed_with_names(two: Workspace, curate: Curate) -> None:
    curate("versions", "tag", "1", "baseline")
    rows = curate("versions", "list").out.splitlines()
    assert rows[1].startswith("v0001")
    assert "baseline" in rows[1]


def test_where_the_files_went_is_printed_and_what_an_earlier_version_left_there_is_told(
    desk: Workspace, curate: Curate, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    ran = curate("export", "--to", out, "--format", "golden")
    assert ran.out.splitlines()[-2:] == [str(desk.root / "exports/v0001"), str(out)]
    assert "another version" not in ran.err

    desk.save(replace(desk.store.item("late-1"), keyword="dollars"))
    ran = curate("export", "--to", out)
    assert "of another version still" in ran.err
    assert "golden.jsonl" in ran.err
    again = curate("export", "--to", out, "--json").json
    assert again["to"] == str(out)
    assert "golden.jsonl" in again["stale"]

    assert "another version" not in curate("export", "--to", out, "--format", "golden").err

"""An export keeps its promises, or verify says where not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curate.export.questions import HOLDOUT, QUESTIONS, TUNING, encode
from curate.export.verify import contract, intact, verify
from curate.export.versions import MANIFEST, WITHDRAWN, build
from curate.export.writing import publish
from curate.model.documents import Evidence
from curate.model.errors import CurateError
from curate.model.items import Item

ITEM = Item(
    "how-long",
    3,
    "when is it due",
    answerable=True,
    evidences=(Evidence("laptops.md", "How long", "up to 7 days", 0, 12, "", "verbatim"),),
    keyword="7",
    status="ready",
)


@pytest.fixture
def version(tmp_path: Path) -> Path:
    made = build(
        [
            ITEM,
            replace(ITEM, id="held", question="a held one", split="holdout"),
            Item("no-sale", 1, "can i buy one", answerable=False, status="ready"),
        ],
        number=1,
        parent=None,
        root="docs",
        corpus="sha256:c",
        policy="sha256:p",
        tool="curate",
    )
    publish(tmp_path / "v0001", made.files)
    return tmp_path / "v0001"


def codes(directory: Path) -> set[tuple[str, str]]:
    return {(finding.item, finding.code) for finding in verify(directory)}


def edit(path: Path, change: Callable[[Any], object]) -> None:
    value = json.loads(path.read_bytes())
    change(value)
    path.write_bytes(encode(value))


def test_a_fresh_version_verifies(version: Path) -> None:
    assert verify(version) == []


def test_one_changed_byte_is_found_in_every_file(version: Path) -> None:
    for name in (QUESTIONS, TUNING, HOLDOUT):
        data = (version / name).read_bytes()
        (version / name).write_bytes(data.replace(b"due", b"duE").replace(b"held", b"helD"))
        assert (name, "file-changed") in codes(version)
        (version / name).write_bytes(data)
    assert verify(version) == []


def test_an_intact_version_is_read_whole_and_a_changed_one_not_at_all(version: Path) -> None:
    assert intact(version) == {path.name: path.read_bytes() for path in version.iterdir()}
    assert list(intact(version))[-1] == MANIFEST
    (version / HOLDOUT).write_bytes(b"[]\n")
    with pytest.raises(CurateError, match=r"questions\.holdout\.json"):
        intact(version)


def test_a_missing_and_an_unknown_file_are_named(version: Path) -> None:
    (version / TUNING).unlink()
    (version / "extra.txt").write_bytes(b"")
    assert codes(version) == {(TUNING, "file-missing"), ("extra.txt", "file-unknown")}


def test_a_link_is_no_file(version: Path, tmp_path: Path) -> None:
    (version / TUNING).rename(tmp_path / "moved")
    (version / TUNING).symlink_to(tmp_path / "moved")
    assert (TUNING, "file-missing") in codes(version)


def test_a_manifest_that_points_outside_is_not_followed(version: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"")
    edit(version / MANIFEST, lambda m: m["files"].update({"../outside": {}}))
    assert ("../outside", "file-missing") in codes(version)


def test_a_manifest_that_counts_or_names_wrong_is_found(version: Path) -> None:
    edit(version / MANIFEST, lambda m: m["counts"].update(items=9))
    edit(version / MANIFEST, lambda m: m["items"].pop("held"))
    edit(version / MANIFEST, lambda m: m.update(digest="sha256:0"))
    assert codes(version) == {
        (MANIFEST, "counts-wrong"),
        (MANIFEST, "items-wrong"),
        (MANIFEST, "digest-wrong"),
    }


def test_holdout_in_the_tuning_file_is_found(version: Path) -> None:
    (version / TUNING).write_bytes((version / QUESTIONS).read_bytes())
    assert (TUNING, "split-wrong") in codes(version)


def test_a_withdrawn_id_in_the_set_is_found(version: Path) -> None:
    (version / WITHDRAWN).write_bytes(encode(["gone", "how-long"]))
    assert codes(version) == {("how-long", "withdrawn")}


def test_a_directory_without_a_manifest_is_no_export(tmp_path: Path) -> None:
    with pytest.raises(CurateError, match=r"manifest\.json"):
        verify(tmp_path)
    (tmp_path / MANIFEST).write_bytes(b"[" * 100_000)
    with pytest.raises(CurateError, match="broken"):
        verify(tmp_path)


def test_a_questions_file_that_is_no_array_is_found(version: Path) -> None:
    (version / QUESTIONS).write_bytes(b"{}")
    assert (QUESTIONS, "not-an-array") in codes(version)


GOOD = {
    "id": "a",
    "question": "q",
    "answerable": True,
    "source": "s.md",
    "heading": "",
    "evidence": "e",
    "keyword": "k",
}


@pytest.mark.parametrize(
    "change",
    [
        {"id": ""},
        {"id": 7},
        {"question": " "},
        {"answerable": "true"},
        {"holdout": False},
        {"source": ""},
        {"heading": None},
        {"evidence": ""},
        {"evidence": "\ufeff"},
        {"evidence": " e"},
        {"keyword": ""},
        {"answerable": False},
        {"mustInclude": "x"},
        {"mustNotInclude": [1]},
        {"history": [{"role": "user"}]},
        {"evidences": []},
        {"evidences": [{"source": "s.md", "heading": "", "evidence": "other"}]},
        {"evidences": [{"source": "s.md", "heading": "", "evidence": ""}]},
        {
            "evidences": [{"source": "s.md", "heading": "", "evidence": "e"}],
            "evidenceMode": "most",
        },
    ],
)
def test_every_break_of_the_contract_is_found(change: dict[str, Any]) -> None:
    assert contract([GOOD]) == []
    assert contract([GOOD | change]) != []


def test_duplicate_ids_and_things_that_are_no_records_are_found() -> None:
    found = contract([GOOD, GOOD, 3])
    assert [(f.item, f.code) for f in found] == [("#3", "record"), ("a", "id-duplicate")]

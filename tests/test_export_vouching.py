"""What an export wrote in other formats is listed with its digest, and verified."""

from __future__ import annotations

import json
from importlib.resources import files as resources
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest

from curate.export.questions import digest
from curate.export.verify import verify
from curate.export.versions import TARGETS, build
from curate.export.vouching import VOUCHED, inside, promised, vouch, walk
from curate.export.writing import mirror, publish
from curate.model.items import Item

CODE = "sha256:" + "a" * 64
FORMATS = {"ragas.jsonl": b"{}\n", "beir/qrels/tuning.tsv": b"q d 1\n"}


@pytest.fixture
def version(tmp_path: Path) -> Path:
    """A version with two formats, as an export leaves it."""
    made = build(
        [Item("no-sale", 1, "can i buy one", answerable=False, status="ready")],
        number=1,
        parent=None,
        root="docs",
        corpus="sha256:c",
        policy="sha256:p",
        tool="curate",
    )
    directory = tmp_path / "v0001"
    publish(directory, made.files)
    mirror(vouch(directory / TARGETS, FORMATS, made.digest), directory / TARGETS, 0o077)
    return directory


def said(directory: Path) -> set[tuple[str, str, str]]:
    return {(found.severity, found.item, found.code) for found in verify(directory)}


def test_every_file_is_listed_with_its_digest_and_the_version_it_is_of(tmp_path: Path) -> None:
    made = vouch(tmp_path, FORMATS, CODE)
    assert list(made)[-1] == VOUCHED
    told = json.loads(made[VOUCHED])["files"]
    assert set(told) == set(FORMATS)
    assert told["ragas.jsonl"] == {"digest": digest(b"{}\n"), "bytes": 3, "version": CODE}
    rules = (resources("curate.export") / "schemas" / "targets.schema.json").read_text("utf-8")
    jsonschema.validate(json.loads(made[VOUCHED]), json.loads(rules))


def test_what_was_promised_before_stays_promised(tmp_path: Path) -> None:
    mirror(vouch(tmp_path, FORMATS, CODE), tmp_path, 0o077)
    later = "sha256:" + "b" * 64
    mirror(vouch(tmp_path, {"golden.jsonl": b"[]"}, later), tmp_path, 0o077)
    found = promised(tmp_path) or {}
    assert {name: one.version for name, one in found.items()} == {
        "beir/qrels/tuning.tsv": CODE,
        "golden.jsonl": later,
        "ragas.jsonl": CODE,
    }


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b'{"files": []}', b'{"files": {"a": 1}}', b"[" * 9999,
        b'{"files": {"a": {"digest": "", "bytes": 1e999, "version": ""}}}',
    ],
)  # fmt: skip
def test_a_broken_list_promises_nothing(tmp_path: Path, data: bytes) -> None:
    assert promised(tmp_path) is None
    (tmp_path / VOUCHED).write_bytes(data)
    assert promised(tmp_path) is None


def test_a_version_with_its_formats_verifies_without_a_word(version: Path) -> None:
    assert verify(version) == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_that_was_tampered_with_is_named(version: Path, name: str) -> None:
    path = version / TARGETS / name
    path.write_bytes(path.read_bytes().replace(b"}", b"]").replace(b"1", b"2"))
    assert said(version) == {("error", f"{TARGETS}/{name}", "file-changed")}
    path.unlink()
    assert said(version) == {("error", f"{TARGETS}/{name}", "file-missing")}


def test_what_nothing_vouches_for_is_still_told(version: Path) -> None:
    (version / TARGETS / "beir" / "more.tsv").write_bytes(b"")
    (version / TARGETS / "own").mkdir()
    (version / "notes.txt").write_bytes(b"")
    assert said(version) == {
        ("warning", f"{TARGETS}/beir/more.tsv", "file-unknown"),
        ("warning", f"{TARGETS}/own", "file-unknown"),
        ("warning", "notes.txt", "file-unknown"),
    }
    (version / TARGETS / VOUCHED).unlink()
    assert ("warning", TARGETS, "file-unknown") in said(version)


def test_formats_of_an_older_version_in_a_copy_are_told(version: Path) -> None:
    mirror(vouch(version, {"golden.jsonl": b"[]"}, CODE), version, 0o077)
    assert said(version) == {("warning", "golden.jsonl", "target-stale")}


def test_a_list_that_is_broken_or_points_outside_is_an_error(version: Path) -> None:
    path = version / TARGETS / VOUCHED
    told = json.loads(path.read_bytes())
    (version.parent / "outside").write_bytes(b"")
    told["files"]["../../outside"] = {"digest": digest(b""), "bytes": 0, "version": CODE}
    path.write_text(json.dumps(told))
    assert said(version) == {("error", f"{TARGETS}/../../outside", "file-missing")}
    path.write_text("{")
    assert ("error", f"{TARGETS}/{VOUCHED}", "targets-broken") in said(version)


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_name_that_no_file_can_have_is_missing(version: Path, name: str) -> None:
    promise = {"digest": digest(b""), "bytes": 0, "version": CODE}
    for path in (version / TARGETS / VOUCHED, version / "manifest.json"):
        told = json.loads(path.read_bytes())
        told["files"][name] = promise
        path.write_text(json.dumps(told))
    assert {code for _, _, code in said(version)} == {"file-missing"}


def test_paths_are_written_in_one_way() -> None:
    assert inside("beir/qrels/a.tsv")
    for name in ("", ".", "..", "/a", "a/../b", "./a", "a//b", "a/"):
        assert not inside(name)


def test_a_link_to_a_directory_is_one_unknown_thing(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a").write_bytes(b"")
    (tmp_path / "here").symlink_to("there")
    assert list(walk(tmp_path, frozenset({"here/a", "there/a"}))) == ["here"]

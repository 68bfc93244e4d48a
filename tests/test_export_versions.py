"""What a version is made of."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files as resources
from typing import Any

import jsonschema  # type: ignore[import-untyped]

from curate.export.questions import QUESTIONS, digest
from curate.export.versions import MANIFEST, Build, build, name
from curate.model.documents import Evidence
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
OTHER = Item("no-sale", 1, "can i buy one", answerable=False, split="holdout", status="ready")
DRAFT = Item("draft-1", 1, "and?")


def built(*items: Item, number: int = 1, corpus: str = "sha256:" + "c" * 64) -> Build:
    return build(
        items,
        number=number,
        parent=number - 1 or None,
        root="docs",
        corpus=corpus,
        policy="sha256:p",
        tool="curate 0.1.0",
    )


def manifest(made: Build) -> Any:
    return json.loads(made.files[MANIFEST])


def test_the_manifest_vouches_for_every_other_file() -> None:
    made = built(ITEM, OTHER, DRAFT)
    told = manifest(made)
    assert told["files"] == {
        file: {"digest": digest(data), "bytes": len(data)}
        for file, data in made.files.items()
        if file != MANIFEST
    }
    assert list(made.files)[-1] == MANIFEST


def test_the_manifest_tells_number_parent_counts_corpus_policy_tool_and_revisions() -> None:
    told = manifest(built(ITEM, OTHER, DRAFT, number=2))
    assert (told["number"], told["parent"]) == (2, 1)
    assert manifest(built(ITEM))["parent"] is None
    assert told["counts"] == {
        "items": 2,
        "answerable": 1,
        "unanswerable": 1,
        "tuning": 1,
        "holdout": 1,
    }
    assert told["corpus"] == {"root": "docs", "digest": "sha256:" + "c" * 64}
    assert (told["policy"], told["tool"]) == ("sha256:p", "curate 0.1.0")
    assert told["items"] == {"how-long": 3, "no-sale": 1}


def test_the_same_items_make_the_same_bytes_in_any_order_at_any_time() -> None:
    later = replace(ITEM, changed_at=datetime(2026, 1, 1, tzinfo=UTC), changed_by="dara")
    assert built(ITEM, OTHER).files == built(OTHER, later, DRAFT).files


def test_the_digest_knows_an_unchanged_set_by_its_content_alone() -> None:
    one = built(ITEM, OTHER)
    assert one.digest == built(ITEM, OTHER, number=7, corpus="sha256:other").digest
    assert one.digest == built(replace(ITEM, note="thought again", revision=9), OTHER).digest
    assert one.digest != built(replace(ITEM, keyword="days"), OTHER).digest
    assert one.digest != built(ITEM, replace(OTHER, split="tuning")).digest
    assert one.digest == digest(one.files[QUESTIONS])


def test_a_version_keeps_the_items_it_exported() -> None:
    assert built(OTHER, DRAFT, ITEM).items == (ITEM, OTHER)


def test_a_build_shows_no_text_in_its_repr() -> None:
    assert "when is it due" not in repr(built(ITEM))


def test_further_files_are_vouched_for_too() -> None:
    made = build(
        [ITEM],
        number=1,
        parent=None,
        root="docs",
        corpus="",
        policy="",
        tool="",
        more={"remap.json": b"{}\n"},
    )
    assert manifest(made)["files"]["remap.json"]["bytes"] == 3


def test_a_directory_is_named_by_its_number() -> None:
    assert (name(1), name(12345)) == ("v0001", "v12345")


def test_the_schemas_in_the_package_hold_for_what_is_exported() -> None:
    made = built(ITEM, OTHER)
    schemas = resources("curate.export") / "schemas"
    for file, schema in ((QUESTIONS, "questions"), (MANIFEST, "manifest")):
        rules = json.loads((schemas / f"{schema}.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(rules)
        validator = jsonschema.Draft202012Validator(rules)
        told = json.loads(made.files[file])
        validator.validate(told)
        assert not validator.is_valid([{"id": "x"}] if file == QUESTIONS else {"number": 1})


def test_the_manifest_names_what_read_the_documents_that_are_quoted() -> None:
    known = {"laptops.md": "markdown-it-py 4.0.0", "else.rst": "docutils 0.23, rst 1"}
    told = manifest(
        build(
            [ITEM, OTHER],
            number=1,
            parent=None,
            root="docs",
            corpus="sha256:" + "c" * 64,
            policy="p",
            tool="t",
            extractors=known,
        )
    )
    assert told["corpus"]["extractors"] == {"laptops.md": "markdown-it-py 4.0.0"}

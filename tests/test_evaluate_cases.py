"""Reading the set: what a harness's file says, and what is refused by name."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from curate.evaluate import cases
from curate.model.errors import CurateError

FEE = {
    "id": "fee",
    "question": "What does it cost?",
    "answerable": True,
    "source": "membership.md",
    "heading": "Membership fee",
    "evidence": " 10\n US dollars ",
    "keyword": "10",
}
RUST = {"id": "rust", "question": "Is Rust taught?", "answerable": False, "holdout": True}


def write(path: Path, items: Any) -> Path:
    path.write_text(json.dumps(items), encoding="utf-8")
    return path


def test_a_plain_questions_file_is_read(tmp_path: Path) -> None:
    found = cases.read(write(tmp_path / "questions.json", [FEE, RUST]))

    fee, rust = found.cases
    assert fee.golds == (cases.Gold("membership.md", "Membership fee", "10 US dollars"),)
    assert (fee.split, rust.split, rust.answerable) == ("tuning", "holdout", False)
    assert fee.cluster == "fee"
    assert [case.id for case in found.of("holdout").cases] == ["rust"]


def test_the_digest_is_the_files_and_the_manifest_beside_it_tells_the_version(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "questions.json", [FEE])
    digest = "sha256:" + sha256(path.read_bytes()).hexdigest()
    files = {"questions.json": {"digest": digest}, "questions.tuning.json": {"digest": "sha256:t"}}
    write(tmp_path / "manifest.json", {"number": 3, "files": files})

    found = cases.read(path)

    assert (found.digest, found.version) == (digest, 3)
    assert found.known == {digest, "sha256:t"}


def test_a_manifest_that_does_not_know_the_file_is_not_its_version(tmp_path: Path) -> None:
    write(tmp_path / "manifest.json", {"number": 3, "files": {}})

    assert cases.read(write(tmp_path / "questions.json", [FEE])).version is None


def test_our_further_keys_are_read(tmp_path: Path) -> None:
    item = FEE | {
        "evidences": [
            {"source": "a.md", "heading": "A", "evidence": "one"},
            {"source": "b.md", "heading": "B", "evidence": "two"},
        ],
        "evidenceMode": "all",
        "mustInclude": ["10"],
        "mustNotInclude": ["12"],
        "history": [{"role": "user", "content": "hello"}],
        "kind": "follow-up",
        "lang": "en",
        "relevantChunkIds": {"a#1": 2, "b#2": 1},
    }
    (case,) = cases.read(write(tmp_path / "questions.json", [item])).cases

    assert [gold.source for gold in case.golds] == ["a.md", "b.md"]
    assert (case.mode, case.must_include, case.must_not_include) == ("all", ("10",), ("12",))
    assert case.history[0].content == "hello"
    assert case.chunks == {"a#1": 2.0, "b#2": 1.0}


def test_labelled_queries_alone_are_a_set(tmp_path: Path) -> None:
    labelled = [{"id": "q1", "query": "what?", "relevantChunkIds": ["c1", "c2"]}]
    (case,) = cases.read(write(tmp_path / "labels.json", labelled)).cases

    assert case.answerable
    assert case.question == "what?"
    assert case.chunks == {"c1": 1.0, "c2": 1.0}


def test_labels_are_added_to_questions_and_must_know_them(tmp_path: Path) -> None:
    questions = write(tmp_path / "questions.json", [FEE, RUST])
    labels = [{"id": "fee", "query": "?", "relevantChunkIds": ["m#1"]}]
    found = cases.read(questions, write(tmp_path / "labels.json", labels))

    assert found.cases[0].chunks == {"m#1": 1.0}
    strange = [{"id": "nobody", "query": "?", "relevantChunkIds": ["m#1"]}]
    with pytest.raises(CurateError, match="nobody"):
        cases.read(questions, write(tmp_path / "strange.json", strange))


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"question": "no id", "answerable": False}, "item 2 has no id"),
        (FEE, "`fee` stands there twice"),
        ({"id": "x", "question": " ", "answerable": False}, "`x` has no question"),
        ({"id": "x", "question": "?"}, "`x` is answerable but has neither"),
        ({"id": "x", "question": "?", "answerable": "yes"}, "`x` does not say whether"),
        (FEE | {"id": "x", "evidence": " \n"}, "`x` has evidence"),
        (FEE | {"id": "x", "evidenceMode": "some"}, "`x` has an evidenceMode"),
        (FEE | {"id": "x", "mustInclude": "10"}, "`x` has a mustInclude"),
        (FEE | {"id": "x", "history": [{"role": "user"}]}, "`x` has evidence, chunk ids or a hi"),
    ],
)
def test_items_that_cannot_be_used_are_named(tmp_path: Path, item: Any, said: str) -> None:
    if item == {"id": "x", "question": "?"}:
        item = item | {"answerable": True}

    with pytest.raises(CurateError) as caught:
        cases.read(write(tmp_path / "questions.json", [FEE, item]))

    assert said in caught.value.message


@pytest.mark.parametrize("content", [b"[", b"{}", b"[]", b"\xff\xfe", b"[" * 200_000])
def test_what_is_no_set_of_questions_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "questions.json"
    path.write_bytes(content)

    with pytest.raises(CurateError, match=r"questions\.json"):
        cases.read(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CurateError, match="No such file"):
        cases.read(tmp_path / "questions.json")

"""Originals are sealed at the door, and readable for their days only."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from curate.ingest.originals import unpack
from curate.model.errors import CurateError
from curate.model.events import QuestionEvent
from curate.workspace.custody import originals
from curate.workspace.workspace import Workspace
from tests import people
from tests.events import DAY, NOW, Clock


@pytest.fixture
def workspace(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    with people.make(tmp_path / "ws", clock, "Zorvath") as opened:
        yield opened


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return people.log(
        tmp_path / "log.jsonl",
        *(people.said("jane", n) for n in range(3)),
        people.said("omar", 9, days=13.5),
        people.said("mei", 10, days=15),
        people.voted("lida", "jane", 1),
    )


def test_no_raw_text_lies_anywhere_and_each_event_has_its_sealed_original(
    workspace: Workspace, log: Path
) -> None:
    people.read(workspace, log)

    assert people.holding(workspace.root, "Zorvath", "canary.example", "req-jane") == {}
    assert people.holding(workspace.root, "canary-title") == {}
    # The question of 15 days ago was too old to be sealed; the vote has a comment.
    assert len(workspace.originals.keys()) == 5
    opened = [
        unpack(text) for text in workspace.originals.open(workspace.originals.keys()).values()
    ]
    questions = [event.question.reveal() for event in opened if isinstance(event, QuestionEvent)]
    assert "canary-question-jane-0 about thing 0 of Zorvath" in questions


def test_reading_again_seals_nothing_again(workspace: Workspace, log: Path) -> None:
    people.read(workspace, log)
    before = workspace.originals.raw.get(workspace.originals.keys(), workspace.originals.first)
    report = people.read(workspace, log)
    after = workspace.originals.raw.get(workspace.originals.keys(), workspace.originals.first)

    assert report.duplicates == 6
    assert after == before


def test_a_changed_event_never_keeps_its_original_longer(
    workspace: Workspace, tmp_path: Path, clock: Clock
) -> None:
    undated = {"request_id": "r", "question": "Zorvath?"}
    log = people.log(tmp_path / "log.jsonl", undated)
    people.read(workspace, log)
    clock.now = NOW + 10 * DAY
    people.log(log, undated | {"answer": "no"})
    assert people.read(workspace, log).questions_updated == 1

    [sealed] = workspace.originals.raw.get(workspace.originals.keys(), NOW.date()).values()
    assert sealed.day == NOW.date()


def test_an_original_is_gone_from_every_read_when_its_days_are_over_purged_or_not(
    workspace: Workspace, log: Path, clock: Clock
) -> None:
    people.read(workspace, log)
    keys = workspace.originals.keys()
    clock.now = NOW + 13 * DAY
    assert len(workspace.originals.open(keys)) == 4
    clock.now = NOW + 14 * DAY
    assert workspace.originals.open(keys) == {}
    with pytest.raises(CurateError, match="not kept any more"):
        workspace.originals.one(keys[0])


def test_a_copy_of_everything_but_the_destroyed_keys_opens_nothing(
    workspace: Workspace, log: Path, clock: Clock, tmp_path: Path
) -> None:
    people.read(workspace, log)
    keys = workspace.originals.keys()
    copy = tmp_path / "copy"
    shutil.copytree(workspace.root, copy)
    clock.now = NOW + 15 * DAY
    assert workspace.purge().status == "clean"
    shutil.rmtree(copy / "keys")
    shutil.copytree(workspace.root / "keys", copy / "keys")
    with people.reopen(copy, Clock(NOW)) as stolen:
        assert stolen.originals.keys() == keys
        assert stolen.originals.open(keys) == {}
        with pytest.raises(CurateError, match="not kept any more"):
            stolen.originals.one(keys[0])


def test_a_killed_run_leaves_no_orphans_to_the_one_after_the_next(
    workspace: Workspace, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        def die(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        patch.setattr(type(workspace.store), "save", die)
        with pytest.raises(KeyboardInterrupt):
            people.read(workspace, log)
    assert len(workspace.originals.keys()) == 5
    assert workspace.store.counts().records == 0
    assert people.read(workspace, people.log(log, people.said("omar", 1))).questions_new == 1
    assert len(workspace.originals.keys()) == 1


def test_where_originals_are_never_kept_none_is(tmp_path: Path, clock: Clock, log: Path) -> None:
    toml = '[retention]\nstore_raw = "never"\n'
    with people.make(tmp_path / "never", clock, "Zorvath", toml=toml) as workspace:
        people.read(workspace, log)
        assert workspace.originals.keys() == []
        assert not list((workspace.root / "keys").glob("*.key"))
        with pytest.raises(CurateError, match="not kept here"):
            workspace.originals.one(b"key")


def test_turning_originals_off_destroys_those_that_are_there(
    workspace: Workspace, log: Path, clock: Clock
) -> None:
    people.read(workspace, log)
    workspace.close()
    (workspace.root / "curate.toml").write_text('[retention]\nstore_raw = "never"\n')
    with people.reopen(workspace.root, clock) as again:
        receipt = again.purge()
        assert receipt.status == "clean"
        assert receipt.counts["raw"] == 5
        assert not list((again.root / "keys").glob("*.key"))


def test_keys_are_private_and_marked_as_not_to_be_backed_up(
    workspace: Workspace, log: Path
) -> None:
    people.read(workspace, log)
    keys = workspace.root / "keys"

    assert (keys / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806")
    for path in workspace.root.rglob("*"):
        if "docs" not in path.parts and path.name not in (".gitignore", "curate.toml"):
            assert path.stat().st_mode & 0o077 == 0, path


def test_tag_keys_of_an_older_program_are_moved_out_of_the_way(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.mkdir()
    (keys / "2026-09-01.key").write_bytes(b"k" * 32)

    tags = originals.prepare(keys)

    assert (tags / "2026-09-01.key").read_bytes() == b"k" * 32
    assert not list(keys.glob("*.key"))
    (keys / "2026-11-29.key").write_bytes(b"d" * 32)
    assert originals.prepare(keys) == tags
    assert (keys / "2026-11-29.key").exists()

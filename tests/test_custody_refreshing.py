"""What is there is anonymised again when the anonymiser has changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curate.workspace.custody import refreshing
from curate.workspace.workspace import Workspace
from tests import people
from tests.events import DAY, NOW, Clock


@pytest.fixture
def workspace(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    """Read in with an anonymiser that knows one name, open with one that knows another two."""
    root, log = tmp_path / "ws", tmp_path / "log.jsonl"
    with people.make(root, clock, "Zorvath") as opened:
        people.read(
            opened,
            people.log(
                log,
                people.said("omar", 1, question="did Zorvath tell Quillonby?"),
                people.said("omar", 2, question="what is open?"),
                people.said("omar", 3, 13.9, question="is Quillonby or Zorvath in?"),
                people.voted("mei", "omar", 1) | {"comment": "Quillonby knows"},
                people.said("jane", 4, question="who is Brixanter?"),
            ),
        )
        opened.restore(_id(opened, "<PERSON_1> tell"), "<PERSON_1>")
        people.read(opened, people.log(log, people.said("omar", 5, question="Zorvath, Quillonby?")))
    with people.reopen(root, clock, "Quillonby", "Brixanter") as again:
        yield again


def _id(workspace: Workspace, text: str) -> int:
    [candidate] = workspace.store.candidates(workspace.store.candidate_ids("", text=text))
    return candidate.record


def test_what_would_change_is_shown_and_nothing_is_changed(workspace: Workspace) -> None:
    before = [one.question.text for one in _records(workspace)]

    found = refreshing.refresh(workspace, apply=False)

    assert (found.stale, found.receipt) == (5, None)
    changed = {one.before.text: one for one in found.changes}
    one = changed["<PERSON_1>, Quillonby?"]
    assert one.after.text == "Zorvath, <PERSON_1>?"
    assert (one.gained, one.lost) == ({}, {})
    assert changed["who is Brixanter?"].gained == {"PERSON": 1}
    assert [one.question.text for one in _records(workspace)] == before


def test_applied_it_holds_and_corrections_by_hand_stay(workspace: Workspace) -> None:
    by_hand = _id(workspace, "did Zorvath")
    found = refreshing.refresh(workspace, apply=True)

    assert found.by_hand == (by_hand,)
    assert found.receipt is not None
    assert found.receipt.status == "clean"
    texts = {one.question.text for one in _records(workspace)}
    assert "Zorvath, <PERSON_1>?" in texts
    assert "who is <PERSON_1>?" in texts
    assert "did Zorvath tell Quillonby?" in texts
    again = refreshing.refresh(workspace, apply=False)
    assert (again.stale, again.changes, again.by_hand) == (2, (), (by_hand,))
    assert again.flagged == (_id(workspace, "is Quillonby"),)
    workspace.close()
    assert people.holding(workspace.root, "Brixanter") == {}


def test_without_an_original_a_record_is_scanned_and_flagged(
    workspace: Workspace, clock: Clock
) -> None:
    clock.now = NOW + 20 * DAY
    by_hand = {_id(workspace, "did Zorvath")}

    found = refreshing.refresh(workspace, apply=True)

    assert found.changes == ()
    holding = {
        one.id
        for one in _records(workspace)
        if {"Quillonby", "Brixanter"} & set(one.question.text.replace("?", "").split())
    }
    assert set(found.flagged) == holding - by_hand


def _records(workspace: Workspace) -> list:  # type: ignore[type-arg]
    return [
        record
        for number in workspace.store.candidate_ids("")
        for record in workspace.store.records(number)
    ]

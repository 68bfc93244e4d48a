"""A curator corrects what the anonymiser made; what was taken out never comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curate.model.errors import CurateError, Exit
from curate.model.events import RawText
from curate.model.records import Clean, Record
from curate.store.erasing import Literal
from curate.workspace.custody import redacting
from curate.workspace.workspace import Workspace
from tests import people
from tests.conftest import Curate
from tests.events import DAY, NOW, Clock


@pytest.fixture
def workspace(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    with people.make(tmp_path / "ws", clock, "Zorvath", "Room Nine") as opened:
        opened.corpus.sync()
        question = "did Zorvath tell Ana Kovač that Room Nine is free?"
        people.read(
            opened,
            people.log(
                tmp_path / "log.jsonl",
                people.said("omar", 1, question=question, answer="ask Ana Kovač, or Room Nine"),
                people.voted("mei", "omar", 1) | {"comment": "Ana Kovač knows"},
            ),
        )
        yield opened


def only(workspace: Workspace) -> Record:
    [candidate] = workspace.store.candidates(workspace.store.candidate_ids(""))
    [record] = workspace.store.records(candidate.id)
    return record


def test_an_original_is_shown_once_it_is_on_record(workspace: Workspace) -> None:
    record = only(workspace)

    shown = workspace.reveal(record.id)

    assert shown.reveal().startswith("did Zorvath tell")
    [entry] = workspace.store.audits()
    assert (entry.by, entry.action, entry.subject) == ("anna", "reveal", f"r{record.id}")
    assert "Zorvath" not in repr(entry) + repr(shown)


def test_an_original_that_is_over_is_not_shown(workspace: Workspace, clock: Clock) -> None:
    record = only(workspace)
    clock.now = NOW + 14 * DAY
    with pytest.raises(CurateError, match="not kept any more"):
        workspace.reveal(record.id)
    clock.now = NOW + 90 * DAY
    with pytest.raises(CurateError, match="has expired"):
        workspace.reveal(record.id)
    assert workspace.store.audits() == []


def test_what_was_taken_out_wrongly_is_put_back_and_only_the_corrected_text_is_stored(
    workspace: Workspace,
) -> None:
    record = only(workspace)
    assert record.question.text == "did <PERSON_1> tell Ana Kovač that <PERSON_2> is free?"

    after = workspace.restore(record.id, "<PERSON_2>")

    assert after.question.text == "did <PERSON_1> tell Ana Kovač that Room Nine is free?"
    [left] = after.question.redactions
    assert (left.placeholder, left.at) == ("<PERSON_1>", 4)
    assert [entry.action for entry in workspace.store.audits()] == ["put back"] * 2
    workspace.close()
    assert people.holding(workspace.root, "Zorvath") == {}
    with pytest.raises(CurateError, match="does not tell"):
        workspace.restore(record.id, "<PERSON_7>")


def test_what_was_missed_is_taken_out_of_the_record_its_votes_and_every_byte(
    workspace: Workspace,
) -> None:
    record = only(workspace)

    receipt = workspace.redact(f"c{record.candidate}", RawText("ana  kovač"))

    assert receipt.status == "clean"
    after = only(workspace)
    assert after.question.text == "did <PERSON_1> tell <PERSON_3> that <PERSON_2> is free?"
    assert [(one.placeholder, one.at) for one in after.question.redactions] == [
        ("<PERSON_1>", 4),
        ("<PERSON_3>", 20),
        ("<PERSON_2>", 36),
    ]
    original = workspace.reveal(record.id).reveal()
    assert [original[one.start : one.end] for one in after.question.redactions] == [
        "Zorvath",
        "Ana Kovač",
        "Room Nine",
    ]
    assert after.feedback[0].comment == "<PERSON_3> knows"
    workspace.close()
    assert people.holding(workspace.root, "Kovač") == {}


def test_an_item_loses_it_in_every_revision_and_every_version(workspace: Workspace) -> None:
    document = workspace.corpus.document("a.md").text
    start = document.index("free for everyone")
    item = workspace.fresh("does Ana Kovač pump?", "pump-1")
    item = workspace.attach(item, "a.md", start, start + 4)
    item = workspace.save(workspace.settle(item))
    item = workspace.save(replace(item, note="Ana Kovač"))
    workspace.export()

    receipt = workspace.redact("pump-1", RawText("Ana Kovač"))

    assert receipt.status == "clean"
    assert workspace.store.item("pump-1").question == "does <PERSON_1> pump?"
    for _ in range(3):
        workspace.undo("pump-1")
    with pytest.raises(CurateError, match="no change"):
        workspace.undo("pump-1")
    assert "Kova" not in repr(workspace.store.revisions("pump-1"))
    version = workspace.store.version(1)
    assert version.erased == ("pump-1",)
    assert version.items[0].question == "does <PERSON_1> pump?"
    workspace.close()
    split = f"exports/v0001/questions.{version.items[0].split}.json"
    # The record, which is another subject, still has it; and so have the files outside the store.
    held = {"curate.db", "exports/v0001/questions.json", split}
    assert set(people.holding(workspace.root, "Kovač")) == held


def test_a_redaction_names_an_entity_and_a_text(workspace: Workspace) -> None:
    with pytest.raises(CurateError) as caught:
        workspace.redact("pump-1", RawText("x"), "IBAN")
    assert caught.value.code == Exit.USAGE
    with pytest.raises(CurateError, match="no text"):
        workspace.redact("pump-1", RawText(" "))


def test_a_missed_name_goes_on_the_deny_list(workspace: Workspace) -> None:
    workspace.report_miss(RawText("Ana  Kovač"))
    workspace.report_miss(RawText("ana kovač"))

    assert workspace.settings.privacy.deny == ("Ana Kovač",)
    path = workspace.root / "deny.txt"
    assert path.stat().st_mode & 0o777 == 0o600
    assert "Kova" not in repr(workspace.store.audits())


@given(
    st.lists(st.sampled_from(["Ana", "Zorvath", "is", "here", "🌵", "ana"]), max_size=12),
    st.sampled_from(["Ana", "is", "Ana is"]),
)
def test_redactions_by_hand_keep_every_span_right(words: list[str], wanted: str) -> None:
    original = " ".join(words)
    before = people.Names("Zorvath").clean(original)
    record = _record(before)

    made = redacting.taken_out(record, Literal.of(wanted), "PERSON")

    if made is None:
        assert before.text not in Literal.of(wanted)
        return
    after = made.question
    assert after.text not in Literal.of(wanted)
    rebuilt, end = "", 0
    for one in after.redactions:
        assert after.text[one.at :].startswith(one.placeholder)
        rebuilt += original[end : one.start] + one.placeholder
        end = one.end
    assert rebuilt + original[end:] == after.text


def _record(clean: Clean) -> Record:
    return Record(
        1, "log", None, NOW, NOW, clean, None, (), None, None, (), (), "en", "sha256:0", 1
    )


# ---------------------------------------------------------------------------- accepted findings


def test_a_finding_that_is_let_stand_does_so_for_that_wording_only(
    workspace: Workspace, curate: Curate, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = workspace.corpus.document("a.md").text
    start = document.index("free for everyone")
    item = workspace.attach(
        workspace.fresh("is Zorvath pumping?", "pump-1"), "a.md", start, start + 4
    )
    item = workspace.save(workspace.settle(item), as_is=True)
    assert "personal-data" in [one.code for one in workspace.check()]
    with pytest.raises(CurateError, match="for a reason"):
        workspace.accept("pump-1", "PERSON", " ")

    workspace.accept("pump-1", "PERSON", "the pump's brand")

    codes = [one.code for one in workspace.check()]
    assert "personal-data" not in codes
    assert "personal-data-accepted" in codes
    [accepted] = workspace.store.accepted()
    assert (accepted.by, accepted.reason, accepted.stands) == ("anna", "the pump's brand", True)
    item = workspace.save(replace(item, note="seen"))
    assert workspace.store.accepted()[0].stands
    workspace.save(replace(item, question="is Zorvath or Room Nine pumping?"), as_is=True)
    assert not workspace.store.accepted()[0].stands
    assert "personal-data" in [one.code for one in workspace.check()]
    assert json.dumps([one.detail for one in workspace.store.audits()]) == '["PERSON"]'

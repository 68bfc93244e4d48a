"""A person who asks to be forgotten is, and a piece of text that was missed is, too."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from curate.model.errors import CurateError, Exit
from curate.model.events import RawText
from curate.model.items import Item
from curate.model.records import Turn
from curate.store.store import Store
from curate.workspace.upkeep import exporting
from curate.workspace.workspace import Workspace
from tests import people
from tests.conftest import Curate
from tests.events import NOW, Clock

JANE = RawText("Jane@canary.example")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with people.make(tmp_path / "ws", Clock(), "Zorvath") as opened:
        opened.corpus.sync()
        yield opened


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return people.log(
        tmp_path / "outside" / "log.jsonl",
        *(people.said("jane", n, n + 0.5) for n in range(3)),
        *(people.said("omar", n, n + 0.5) for n in range(3)),
        people.voted("jane", "omar", 1),
        people.voted("omar", "jane", 1),
        people.voted("mei", "omar", 2),
    )


def made(workspace: Workspace, who: str) -> Item:
    """An item made from the first question of `who`, changed once, ready and exported."""
    [candidate] = workspace.store.candidates(
        workspace.store.candidate_ids(text=f"canary-question-{who}-0")
    )
    item = replace(workspace.draft(candidate), history=(Turn("user", f"canary-history-{who}-0"),))
    document = workspace.corpus.document("a.md").text
    start = document.index("free for everyone")
    item = workspace.attach(item, "a.md", start, start + 4)
    item = workspace.save(workspace.settle(item), candidate=candidate.id)
    return workspace.save(replace(item, note=f"canary-note-{who}"), reason=f"canary-why-{who}")


def canaries(who: str) -> list[str]:
    kinds = ("question", "answer", "history", "chunk", "title", "comment", "note", "why")
    return [f"canary-{kind}-{who}" for kind in kinds]


def test_everything_a_person_said_is_gone_and_nothing_of_others(
    workspace: Workspace, log: Path
) -> None:
    people.read(workspace, log)
    mine, theirs = made(workspace, "jane"), made(workspace, "omar")

    erasure = workspace.forget(JANE)

    assert erasure.receipt.status == "clean"
    counts = erasure.receipt.counts
    assert (counts["records"], counts["votes"], counts["items"], counts["raw"]) == (3, 2, 1, 5)
    assert (erasure.withdrawn, erasure.exports) == ((mine.id,), ())
    workspace.close()
    assert people.holding(workspace.root, *canaries("jane")) == {}
    with people.reopen(workspace.root, Clock()) as again:
        assert again.store.counts().records == 3
        assert len(again.originals.keys()) == 4
        assert again.store.item(theirs.id).note == "canary-note-omar"
        assert again.store.item(mine.id).status == "withdrawn"
        assert again.store.receipts("forget") == [erasure.receipt]


def test_an_old_log_read_again_brings_nothing_back(workspace: Workspace, log: Path) -> None:
    people.read(workspace, log)
    workspace.forget(JANE)

    report = people.read(workspace, log)

    assert report.suppressed == 4
    assert report.questions_new == report.questions_updated == 0
    assert workspace.store.counts().records == 3
    # Her votes and questions stay out; a vote on her question waits for it in vain.
    assert len(workspace.originals.keys()) == 5
    assert workspace.store.counts().waiting_votes == 1


def test_who_is_forgotten_before_their_log_is_read_never_comes_in(
    workspace: Workspace, log: Path
) -> None:
    assert workspace.forget(JANE).receipt.counts["records"] == 0
    people.log(log, people.said("jane", 1, 89), people.said("jane", 2, 1))

    assert people.read(workspace, log).suppressed == 2
    assert workspace.originals.keys() == []


def test_what_would_go_is_told_and_nothing_of_it_goes(workspace: Workspace, log: Path) -> None:
    people.read(workspace, log)
    item = made(workspace, "jane")
    before = {path: path.read_bytes() for path in workspace.root.rglob("*.key")}

    foreseen = workspace.foresee(JANE)

    assert (foreseen.records, foreseen.originals, foreseen.items) == (3, 5, (item.id,))
    assert foreseen.votes == 2
    assert workspace.store.counts().records == 6
    assert before == {path: path.read_bytes() for path in workspace.root.rglob("*.key")}
    counts = workspace.forget(JANE).receipt.counts
    assert (counts["records"], counts["votes"], counts["items"]) == (3, foreseen.votes, 1)
    assert not workspace.foresee(JANE)


def test_what_would_go_of_a_text_is_counted_too(
    workspace: Workspace, log: Path, curate: Curate
) -> None:
    people.read(workspace, log)
    asked = ("--workspace", workspace.root, "forget", "--text", "--dry-run")

    told = curate(*asked, "--json", stdin=b"canary-question-jane-1")
    nothing = curate(*asked, stdin=b"canary-question-nobody")

    assert (told.code, told.json["records"], told.json["items"]) == (1, 1, [])
    assert nothing.code == 0
    assert workspace.store.counts().records == 6


def test_forgetting_again_finds_nothing_and_is_no_error(workspace: Workspace, log: Path) -> None:
    people.read(workspace, log)
    made(workspace, "jane")
    workspace.forget(JANE)

    again = workspace.forget(JANE)

    assert again.receipt.status == "clean"
    assert not any(again.receipt.counts.values())


def test_an_item_that_others_asked_for_too_stays(workspace: Workspace, tmp_path: Path) -> None:
    same = {"question": "is the pump at the door free?", "answer": "", "history": []}
    people.read(
        workspace,
        people.log(
            tmp_path / "log.jsonl", people.said("jane", 1) | same, people.said("omar", 1) | same
        ),
    )
    [candidate] = workspace.store.candidates(workspace.store.candidate_ids())
    assert candidate.size == 2
    item = workspace.save(workspace.draft(candidate), candidate=candidate.id)

    assert workspace.forget(JANE).withdrawn == ()
    assert workspace.store.item(item.id).question == same["question"]


def test_an_item_is_found_after_its_candidate_let_go_of_it(workspace: Workspace, log: Path) -> None:
    people.read(workspace, log)
    item = made(workspace, "jane")
    [candidate] = workspace.store.candidates(workspace.store.candidate_ids("done"))
    workspace.decide(candidate.id, "open")
    workspace.save(replace(workspace.store.item(item.id), cluster=""))

    assert workspace.forget(JANE).withdrawn == (item.id,)


def test_no_undo_brings_text_back_and_none_is_in_the_way(workspace: Workspace, log: Path) -> None:
    people.read(workspace, log)
    other = workspace.save(workspace.fresh("is the pump free?", "pump-1"))
    item = made(workspace, "jane")
    workspace.forget(JANE)

    with pytest.raises(CurateError, match="was withdrawn"):
        workspace.undo(item.id)
    assert workspace.undo().subjects == (other.id,)
    assert all(
        "canary" not in json.dumps([one.before, one.after, one.reason])
        for one in workspace.store.revisions()
    )


def test_a_version_that_held_it_is_never_written_again(
    workspace: Workspace, log: Path, tmp_path: Path
) -> None:
    people.read(workspace, log)
    item = made(workspace, "jane")
    copy = tmp_path / "copy"
    first = workspace.export(copy)

    erasure = workspace.forget(JANE)

    assert erasure.exports == (first.directory, copy)
    for directory in erasure.exports:
        assert json.loads((directory / "withdrawn.json").read_bytes()) == [item.id]
    assert people.holding(workspace.root, *canaries("jane")).keys() == {
        "exports/v0001/questions.json",
        "exports/v0001/questions.tuning.json",
    } or people.holding(workspace.root, *canaries("jane")).keys() == {
        "exports/v0001/questions.json",
        "exports/v0001/questions.holdout.json",
    }
    assert workspace.store.version(1).erased == (item.id,)
    shutil.rmtree(first.directory)
    with pytest.raises(CurateError, match=item.id) as caught:
        exporting.again(workspace, 1)
    assert caught.value.code == Exit.PRIVACY


def test_the_exit_code_is_1_until_no_export_holds_it(
    workspace: Workspace, log: Path, curate: Curate, tmp_path: Path
) -> None:
    people.read(workspace, log)
    made(workspace, "jane")
    workspace.export(tmp_path / "copy")
    workspace.close()
    command = ("--workspace", workspace.root, "--now", NOW.isoformat(), "forget")

    ran = curate(*command, stdin=b"jane@canary.example\n")
    assert ran.code == 1
    assert "v0001" in ran.out
    assert str(tmp_path / "copy") in ran.out
    assert "jane" not in ran.out + ran.err
    shutil.rmtree(workspace.root / "exports" / "v0001")
    again = curate(*command, "--json", stdin=b"jane@canary.example\n")
    assert again.code == 1
    assert again.json["exports"] == [str(tmp_path / "copy")]
    shutil.rmtree(tmp_path / "copy")
    assert curate(*command, stdin=b"jane@canary.example\n").code == 0


def test_backups_that_are_still_there_are_named(
    workspace: Workspace, log: Path, curate: Curate, tmp_path: Path
) -> None:
    people.read(workspace, log)
    workspace.close()
    at = ("--workspace", workspace.root, "--now", NOW.isoformat())
    kept, gone = tmp_path / "kept.db", tmp_path / "gone.db"
    assert curate(*at, "backup", kept).code == 0
    assert curate(*at, "backup", gone).code == 0
    gone.unlink()

    ran = curate(*at, "forget", stdin=b"jane@canary.example\n")
    assert ran.code == 0
    assert f"{NOW:%Y-%m-%d %H:%M} {kept}" in ran.out
    assert str(gone) not in ran.out
    assert "copies that curate did not make" in ran.err
    told = curate(*at, "forget", "--json", stdin=b"jane@canary.example\n").json
    assert [one["path"] for one in told["backups"]] == [str(kept)]


def test_a_user_id_is_never_an_argument(workspace: Workspace, curate: Curate) -> None:
    workspace.close()
    ran = curate("--workspace", workspace.root, "forget", "jane@canary.example")

    assert ran.code == 2
    assert "jane" not in ran.out + ran.err
    assert curate("--workspace", workspace.root, "forget", stdin=b"\n").code == 2


# ---------------------------------------------------------------------------- text


def test_a_text_that_was_missed_goes_wherever_it_stands(
    workspace: Workspace, tmp_path: Path
) -> None:
    log = people.log(
        tmp_path / "log.jsonl",
        people.said("omar", 1, question="where does Ana  Kovač live?"),
        people.said("omar", 2, question="what is open?"),
        people.said("omar", 3, question="who is Zorvath?"),
    )
    people.read(workspace, log)
    one = workspace.save(workspace.fresh("ask ANA KOVAČ about pumps", "pumps-1"))
    two = workspace.save(replace(workspace.fresh("is it free?", "pumps-2"), note="ana kovač said"))
    two = workspace.save(replace(two, note="said"), reason="Ana Kovač asked")

    erasure = workspace.forget_text(RawText("Ana Kovač"))

    assert erasure.receipt.status == "clean"
    counts = erasure.receipt.counts
    assert (counts["records"], counts["items"], counts["places"]) == (1, 1, 2)
    assert erasure.withdrawn == (one.id,)
    assert workspace.store.item(two.id).note == "said"
    assert workspace.undo("pumps-2").subjects == ("pumps-2",)
    assert workspace.store.item(two.id).note == "<REMOVED> said"
    workspace.close()
    assert people.holding(workspace.root, "Kova", "KOVA", "kova") == {}


def test_an_original_that_holds_it_goes_though_its_record_is_clean(
    workspace: Workspace, log: Path
) -> None:
    people.read(workspace, log)
    assert len(workspace.originals.keys()) == 9

    counts = workspace.forget_text(RawText("zorvath")).receipt.counts

    assert (counts["raw"], counts["records"]) == (6, 0)
    assert workspace.store.counts().records == 6


def test_what_the_documents_say_stays(workspace: Workspace, log: Path) -> None:
    people.read(workspace, log)
    item = made(workspace, "omar")

    assert workspace.forget_text(RawText("free for")).withdrawn == ()
    assert workspace.store.item(item.id).evidences == item.evidences


@pytest.mark.parametrize("text", ["", " a ", "\n"])
def test_a_text_that_everything_holds_is_refused(workspace: Workspace, text: str) -> None:
    with pytest.raises(CurateError, match="shorter than 2"):
        workspace.forget_text(RawText(text))


# ---------------------------------------------------------------------------- killed


FORGET = """
import os, sys
from datetime import datetime
from pathlib import Path
from curate.model.events import RawText
from curate.workspace.workspace import Workspace
now = datetime.fromisoformat(sys.argv[2])
step = sys.argv[3]
room, _, name = step.rpartition(".")
import importlib
owner = importlib.import_module(room.partition(":")[0])
for part in room.partition(":")[2].split("."):
    owner = getattr(owner, part) if part else owner
real = getattr(owner, name)
def dying(*args, **kwargs):
    real(*args, **kwargs)
    os.kill(os.getpid(), 9)
setattr(owner, name, dying)
with Workspace.open(Path(sys.argv[1]), lambda: now, "anna") as workspace:
    workspace.forget(RawText("jane@canary.example"))
"""


@pytest.mark.parametrize(
    "step",
    [
        "curate.store.store:Store.suppress",
        "curate.store.raw:Raw.delete",
        "curate.store.erasing:.erase",
        "curate.store.files:.rewrite",
        "curate.store.retention:.file",
        "curate.export.withdrawing:.withdraw",
    ],
)
def test_killed_at_any_step_a_second_run_finishes(
    workspace: Workspace, log: Path, step: str
) -> None:
    people.read(workspace, log)
    item = made(workspace, "jane")
    workspace.export()
    workspace.close()
    killed = subprocess.run(
        [sys.executable, "-c", FORGET, workspace.root, NOW.isoformat(), step], check=False
    )
    assert killed.returncode == -9
    with people.reopen(workspace.root, Clock()) as again:
        erasure = again.forget(JANE)
        assert erasure.receipt.status == "clean"
        assert erasure.withdrawn == (item.id,)
        assert [path.name for path in erasure.exports] == ["v0001"]
        assert people.read(again, log).suppressed == 4
        shutil.rmtree(again.root / "exports")
    assert people.holding(workspace.root, *canaries("jane")) == {}
    with Store.open(workspace.root / "curate.db", now=Clock()) as store:
        assert store.counts().records == 3


@pytest.mark.parametrize(
    ("logged", "asked"),
    [
        ("the grindelwa\u0308lder kettle", "grindelwälder"),
        ("in the FRÖBENSTRASSEX", "fröbenstraßex"),
        ("near nor\u200bdfjell hut", "nordfjell"),
        ("that gad\u00adgetron thing", "gadgetron"),
        ("a \uff46\uff4c\uff55\uff46\uff46\uff4c\uff45 of them", "fluffle"),
        ("my kludge’s hinge", "kludge's"),
        ('the "zonk" hinge', '"zonk"'),
    ],
)
@pytest.mark.parametrize("where", ["question", "history"])
def test_a_text_is_found_in_every_form(
    workspace: Workspace, tmp_path: Path, logged: str, asked: str, where: str
) -> None:
    said = people.said("kim", 0, 1.0)
    said |= (
        {"question": logged}
        if where == "question"
        else {
            "history": [{"role": "user", "content": logged}, {"role": "assistant", "content": "ok"}]
        }
    )
    people.read(workspace, people.log(tmp_path / "kim.jsonl", said))
    assert workspace.store.counts().records == 1

    assert workspace.forget_text(RawText(asked)).receipt.counts["records"] == 1
    assert workspace.store.counts().records == 0


@pytest.mark.parametrize("text", ["\u200b\u200b\u200b\u200b", "\u00ad \u200b \u00ad"])
def test_a_text_nobody_can_see_is_refused(workspace: Workspace, text: str) -> None:
    with pytest.raises(CurateError, match="shorter than"):
        workspace.forget_text(RawText(text))
    with pytest.raises(CurateError, match="no text was given"):
        workspace.redact("c1", RawText(text), "PERSON")


def test_without_the_keys_nobody_is_called_forgotten(
    workspace: Workspace, log: Path, curate: Curate
) -> None:
    people.read(workspace, log)
    workspace.close()
    shutil.rmtree(workspace.root / "keys" / "tags")
    for _ in range(2):
        ran = curate("--workspace", workspace.root, "forget", stdin=JANE.reveal().encode())
        assert ran.code == Exit.UNVERIFIED, ran.out
        assert "keys of the tags are gone" in ran.out


def test_what_a_judge_said_goes_with_who_is_forgotten(workspace: Workspace, log: Path) -> None:
    people.read(workspace, log)
    (workspace.root / "judge").mkdir()
    (workspace.root / "judge" / "reply.json").write_text("{}", encoding="utf-8")

    assert workspace.forget(JANE).receipt.counts["judgements"] == 1
    assert list((workspace.root / "judge").iterdir()) == []

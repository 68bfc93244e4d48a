"""One version after the other, whole or not at all, and the same bytes for ever."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from curate.export import targets, verify, writing
from curate.model.errors import CurateError, Exit
from curate.model.records import Redaction
from curate.workspace.upkeep import exporting
from curate.workspace.workspace import Workspace
from tests.desk import Harmless, add, stubbed


@pytest.fixture
def desk(lending: Workspace) -> Workspace:
    """A lending desk with two items that are ready."""
    stubbed(lending)
    add(lending, "when is it due back?", "laptops.md", "up to 7 days", "how-long-1")
    add(lending, "what if i am late?", "laptops.md", "2 dollars a day", "late-1")
    return lending


def held(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def stamps(directory: Path) -> dict[str, tuple[int, int]]:
    return {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in directory.rglob("*")}


class TestTheSameSet:
    def test_an_intact_version_is_left_alone(self, desk: Workspace) -> None:
        first = exporting.export(desk)
        before = stamps(first.directory)
        second = exporting.export(desk)
        assert (first.number, first.new) == (1, True)
        assert (second.number, second.new) == (1, False)
        assert second.counts == first.counts
        assert stamps(first.directory) == before
        assert len(desk.store.versions()) == 1

    def test_a_missing_version_is_written_again_byte_for_byte(
        self, desk: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = exporting.export(desk)
        before = held(made.directory)
        made.directory.rename(desk.root / "elsewhere")
        (desk.root / "docs" / "more.md").write_text("# More\n\nNothing yet.\n")
        desk.corpus.sync()
        monkeypatch.setattr(exporting, "_tool", lambda: "curate 99")
        assert not exporting.export(desk).new
        assert held(made.directory) == before

    def test_a_changed_version_is_never_overwritten(self, desk: Workspace) -> None:
        made = exporting.export(desk)
        (made.directory / "questions.json").write_bytes(b"[]\n")
        with pytest.raises(CurateError, match="another version"):
            exporting.export(desk)
        assert (made.directory / "questions.json").read_bytes() == b"[]\n"

    def test_a_changed_set_is_the_next_version(self, desk: Workspace) -> None:
        exporting.export(desk)
        desk.save(replace(desk.store.item("late-1"), keyword="dollars"))
        made = exporting.export(desk)
        assert (made.number, made.new) == (2, True)
        assert json.loads((made.directory / "manifest.json").read_bytes())["parent"] == 1
        assert (desk.root / "exports" / "latest").readlink() == Path("v0002")


class TestAnOldVersion:
    def test_comes_again_byte_for_byte_and_latest_stays(
        self, desk: Workspace, tmp_path: Path
    ) -> None:
        first = exporting.export(desk)
        before = held(first.directory)
        desk.save(replace(desk.store.item("late-1"), keyword="dollars"))
        exporting.export(desk)
        first.directory.rename(desk.root / "elsewhere")
        again = exporting.again(desk, 1, tmp_path / "out")
        assert held(again.directory) == held(tmp_path / "out") == before
        assert (desk.root / "exports" / "latest").readlink() == Path("v0002")
        assert verify.verify(again.directory) == []

    def test_is_refused_by_id_once_text_was_erased(
        self, desk: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        exporting.export(desk)
        kept = replace(desk.store.version(1), erased=("late-1",))
        monkeypatch.setattr(desk.store, "version", lambda number: kept)
        with pytest.raises(CurateError, match="late-1") as caught:
            exporting.again(desk, 1, tmp_path / "out")
        assert caught.value.code == Exit.PRIVACY
        assert not (tmp_path / "out").exists()

    def test_is_refused_by_id_where_personal_data_is_known_by_now(
        self, desk: Workspace, tmp_path: Path
    ) -> None:
        desk.save(replace(desk.store.item("late-1"), reference="ask Dara"))
        exporting.export(desk)

        class Wiser(Harmless):
            def scan(self, texts: Sequence[str]) -> list[tuple[Redaction, ...]]:
                return super().scan([text.replace("Dara", "Sokha") for text in texts])

        desk._anonymiser = Wiser()  # type: ignore[assignment]
        with pytest.raises(CurateError, match="late-1") as caught:
            exporting.again(desk, 1, tmp_path / "out")
        assert caught.value.code == Exit.PRIVACY
        assert "Dara" not in str(caught.value)

    def test_is_refused_when_it_would_come_out_otherwise(
        self, desk: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = exporting.export(desk)
        made.directory.rename(desk.root / "elsewhere")
        kept = replace(desk.store.version(1), digest="sha256:" + "0" * 64)
        monkeypatch.setattr(desk.store, "version", lambda number: kept)
        with pytest.raises(CurateError, match="otherwise"):
            exporting.again(desk, 1)
        assert not made.directory.exists()


class TestADraft:
    def test_has_no_number_and_makes_no_version(self, desk: Workspace) -> None:
        made = exporting.draft(desk)
        assert made.directory == desk.root / "exports" / "draft"
        assert json.loads((made.directory / "manifest.json").read_bytes())["number"] is None
        assert verify.verify(made.directory) == []
        assert desk.store.versions() == []
        assert not (desk.root / "exports" / "latest").exists()

    def test_is_replaced_as_a_whole_beside_versions(self, desk: Workspace) -> None:
        exporting.draft(desk, formats=["ragas"])
        exporting.export(desk)
        desk.save(replace(desk.store.item("late-1"), keyword="dollars"))
        made = exporting.draft(desk)
        assert "dollars" in (made.directory / "questions.json").read_text()
        assert not (made.directory / "targets").exists()
        assert sorted(path.name for path in made.directory.parent.iterdir()) == [
            "draft",
            "latest",
            "v0001",
        ]

    def test_leaves_out_what_fails_and_says_so(self, desk: Workspace) -> None:
        desk.save(replace(desk.store.item("late-1"), reference="Sokha knows"), as_is=True)
        made = exporting.draft(desk)
        assert made.counts["items"] == 1
        assert [f.item for f in made.warnings if f.severity == "error"] == ["late-1"]
        assert b"Sokha" not in (made.directory / "questions.json").read_bytes()


class TestFormats:
    def test_stand_beside_the_version_and_in_the_copy(
        self, desk: Workspace, tmp_path: Path
    ) -> None:
        made = exporting.export(desk, tmp_path / "out", formats=["ragas", "huggingface"])
        version = held(made.directory)
        assert {"targets/ragas.jsonl", "targets/huggingface/tuning.jsonl"} <= set(version)
        copy = held(tmp_path / "out")
        assert copy["ragas.jsonl"] == version["targets/ragas.jsonl"]
        assert copy["manifest.json"] == version["manifest.json"]
        assert verify.verify(made.directory) == verify.verify(tmp_path / "out") == []
        modes = {path.stat().st_mode & 0o077 for path in made.directory.rglob("*")}
        assert modes == {0}

    def test_never_change_what_the_version_is_known_by(self, desk: Workspace) -> None:
        before = held(exporting.export(desk).directory)
        made = exporting.export(desk, formats=["questions", "golden"])
        assert not made.new
        assert before.items() < held(made.directory).items()
        assert verify.verify(made.directory) == []

    def test_of_the_version_before_are_told_in_a_copy(
        self, desk: Workspace, tmp_path: Path
    ) -> None:
        exporting.export(desk, tmp_path / "out", formats=["ragas", "golden"])
        desk.save(replace(desk.store.item("late-1"), keyword="dollars"))
        exporting.export(desk, tmp_path / "out", formats=["golden"])
        told = {(f.item, f.code) for f in verify.verify(tmp_path / "out")}
        assert told == {("ragas.jsonl", "target-stale"), ("ragas.tuning.jsonl", "target-stale")}

    def test_say_what_they_cannot_hold(self, desk: Workspace) -> None:
        item = replace(desk.fresh("can i buy one?", "no-sale-1"), split="tuning")
        desk.save(desk.settle(desk.unanswerable(item), "ready"))
        made = exporting.export(desk, formats=["golden"])
        assert made.lost == ("golden: unanswerable items are left out: no-sale-1",)

    def test_one_that_cannot_be_made_stops_everything_before_it_begins(
        self, desk: Workspace
    ) -> None:
        for name in ("nonsense", "trec"):  # trec labels chunks, and there is no chunk set
            with pytest.raises(CurateError, match=name):
                exporting.export(desk, formats=["ragas", name])
        assert desk.store.versions() == []

    def test_every_one_that_needs_no_chunks_is_written_for_a_draft(self, desk: Workspace) -> None:
        names = set(targets.TARGETS) - {"labelled", "beir", "trec", "parquet"}
        made = exporting.draft(desk, formats=sorted(names))
        assert len(held(made.directory)) > len(names)

    def test_a_link_below_the_copy_is_not_followed(self, desk: Workspace, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "out" / "huggingface").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(CurateError, match="in the way"):
            exporting.export(desk, tmp_path / "out", formats=["huggingface"])
        assert list((tmp_path / "elsewhere").iterdir()) == []


# ---------------------------------------------------------------------------- several at once

CHILD = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from curate.workspace.upkeep import exporting
from curate.workspace.workspace import Workspace
from tests.desk import stubbed

root, mine, die = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with Workspace.open(root, lambda: datetime(2026, 11, 30, tzinfo=UTC), mine) as workspace:
    stubbed(workspace).store.versions()
    workspace.corpus.digest()
    if die:
        import os, signal
        from curate.export import writing
        left = [die]
        def counted(step):
            def stepped(*arguments):
                left[0] -= 1
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)
                return step(*arguments)
            return stepped
        for name in ("_write", "_sync", "point_latest"):
            setattr(writing, name, counted(getattr(writing, name)))
    print("ready", flush=True)
    sys.stdin.readline()
    made = exporting.export(workspace)
    print(made.number, made.new, flush=True)
"""


def child(root: Path, who: str, die: int = 0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(root), who, str(die)],
        cwd=Path(__file__).parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def go(*children: subprocess.Popen[str]) -> list[str]:
    for one in children:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in children:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    return [one.communicate()[0].strip() for one in children]


def test_two_exports_of_one_set_at_once_are_one_version(desk: Workspace) -> None:
    told = go(child(desk.root, "dara-k"), child(desk.root, "sok"))
    assert sorted(told) == ["1 False", "1 True"]
    assert len(desk.store.versions()) == 1
    assert verify.verify(desk.root / "exports" / "v0001") == []


def test_an_export_that_is_overtaken_takes_the_next_number(
    desk: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    build, overtaking = exporting._build, [True]

    def overtaken(workspace: Workspace, wanted: object) -> object:
        if overtaking.pop() if overtaking else False:
            with Workspace.open(desk.root, desk.now, "sok") as other:
                exporting.export(stubbed(other))
                other.save(replace(other.store.item("late-1"), keyword="dollars"))
        return build(workspace, wanted)  # type: ignore[arg-type]

    monkeypatch.setattr(exporting, "_build", overtaken)
    made = exporting.export(desk)
    assert (made.number, made.new) == (2, True)
    first, second = desk.store.versions()
    assert (first.by, second.by, second.parent) == ("sok", "dara-k", 1)
    for version in (first, second):
        assert verify.stands(
            desk.root / "exports" / f"v{version.number:04}", version.number, version.digest
        )


def test_a_killed_export_leaves_nothing_half_written(desk: Workspace) -> None:
    exports = desk.root / "exports"
    died = 0
    for step in (1, 3, 5, 6, 7, 8):
        one = child(desk.root, "dara-k", step)
        go(one)
        died += one.returncode == -signal.SIGKILL
        for found in exports.glob("v*"):
            assert verify.verify(found) == []
        if (exports / "latest").is_symlink():
            assert verify.verify(exports / "latest") == []
    assert died >= 4
    made = exporting.export(desk)
    assert made.number == 1
    assert verify.verify(made.directory) == []
    assert sorted(path.name for path in exports.iterdir()) == ["latest", "v0001"]
    assert len(desk.store.versions()) == 1


def test_the_disk_refusing_stores_no_version(
    desk: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "_write", full)
    with pytest.raises(CurateError, match="No space"):
        exporting.export(desk)
    assert desk.store.versions() == []
    assert list((desk.root / "exports").iterdir()) == []

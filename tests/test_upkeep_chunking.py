"""Chunk sets, and the chunks that answer each item."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from curate.export import verify
from curate.model.errors import CurateError
from curate.workspace.upkeep import chunking, exporting, rechunking
from curate.workspace.workspace import Workspace
from tests.conftest import Curate
from tests.desk import Harmless, add, stubbed


@pytest.fixture
def desk(lending: Workspace) -> Workspace:
    stubbed(lending)
    add(lending, "when is it due back?", "laptops.md", "borrow a laptop for up to 7 days", "how-1")
    add(lending, "what if i am late?", "laptops.md", "costs 2 dollars a day", "late-1")
    add(lending, "how many at a time?", "faq.md", "one device at a time", "many-1")
    return lending


def pieces(desk: Workspace, size: int, prefix: str, root: str = "") -> list[dict[str, object]]:
    """The documents cut into windows of so many characters."""
    return [
        {"id": f"{prefix}{number}-{at}", "source": f"{root}{source}", "text": text[at : at + size]}
        for number, source in enumerate(desk.corpus.sources())
        for text in [desk.corpus.document(source).text]
        for at in range(0, len(text), size)
        if text[at : at + size].strip()
    ]


def lines(path: Path, rows: Iterable[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def big(desk: Workspace, tmp_path: Path) -> Path:
    return lines(tmp_path / "big.jsonl", pieces(desk, 1000, "b"))


@pytest.fixture
def small(desk: Workspace, tmp_path: Path) -> Path:
    return lines(tmp_path / "small.jsonl", pieces(desk, 90, "s"))


def questions(directory: Path) -> dict[str, list[str]]:
    made = json.loads((directory / "questions.json").read_bytes())
    return {one["id"]: one.get("relevantChunkIds", []) for one in made}


class TestASet:
    def test_is_kept_and_checked_as_it_is_added(self, desk: Workspace, big: Path) -> None:
        made, checked = chunking.add(desk, "whole", big)
        assert (made.name, made.chunks) == ("whole", 3)
        assert [one.held for one in checked.gold] == ["contained"] * 3
        assert (checked.unsound, checked.foreign) == ((), ())
        kept = chunking.file(desk, made)
        assert kept.read_bytes() == big.read_bytes()
        assert kept.stat().st_mode & 0o077 == 0
        assert [path.name for path in kept.parent.iterdir()] == ["whole.jsonl"]

    def test_evidence_cut_in_two_is_found(self, desk: Workspace, small: Path) -> None:
        _, checked = chunking.add(desk, "small", small)
        held = {one.item: one for one in checked.gold}
        cut = [one for one in held.values() if one.held == "straddling"]
        assert cut
        assert all(len(one.ids) == 2 for one in cut)
        assert checked.unsound == tuple(cut)

    def test_sources_under_another_root_are_named_as_here(
        self, desk: Workspace, tmp_path: Path
    ) -> None:
        path = lines(tmp_path / "far.jsonl", pieces(desk, 1000, "f", "/srv/build/docs/"))
        made, checked = chunking.add(desk, "far", path)
        assert [one.held for one in checked.gold] == ["contained"] * 3
        assert b"/srv/" not in chunking.file(desk, made).read_bytes()

    def test_exports_of_libraries_are_read(self, desk: Workspace, tmp_path: Path) -> None:
        rows = pieces(desk, 1000, "c")
        chroma = {
            "ids": [row["id"] for row in rows],
            "documents": [row["text"] for row in rows],
            "metadatas": [{"source": row["source"]} for row in rows],
        }
        path = tmp_path / "chroma.json"
        path.write_text(json.dumps(chroma), encoding="utf-8")
        _, checked = chunking.add(desk, "chroma", path)
        assert [one.ids for one in checked.gold] == [("c2-0",), ("c2-0",), ("c0-0",)]

    def test_a_name_stands_for_the_same_chunks(
        self, desk: Workspace, big: Path, small: Path
    ) -> None:
        chunking.add(desk, "a", big)
        chunking.add(desk, "a", big)
        with pytest.raises(CurateError, match="called a"):
            chunking.add(desk, "a", small)
        assert chunking.file(desk, chunking.named(desk, "a")).read_bytes() == big.read_bytes()
        for name in ("", "../a", "a/b", ".a", "x" * 65):
            with pytest.raises(CurateError, match="name"):
                chunking.add(desk, name, big)

    def test_another_corpus_is_refused_and_strange_chunks_are_told(
        self, desk: Workspace, big: Path, tmp_path: Path
    ) -> None:
        text = "Nothing of this stands anywhere here."
        stranger: dict[str, object] = {"id": "x", "source": "x.md", "text": text}
        with pytest.raises(CurateError, match="other documents"):
            chunking.add(desk, "x", lines(tmp_path / "x.jsonl", [stranger]))
        rows = [*(json.loads(line) for line in big.read_text().splitlines()), stranger]
        _, checked = chunking.add(desk, "x", lines(tmp_path / "y.jsonl", rows))
        assert checked.foreign == ("x",)

    @pytest.mark.parametrize(
        ("row", "what"),
        [
            ({"id": "a", "source": "faq.md"}, "line 2"),
            ({"id": "b0-0", "source": "faq.md", "text": "x"}, "line 2"),
            ({"id": "a", "source": "faq.md", "text": " "}, "line 2: has no text"),
        ],
    )
    def test_a_bad_line_is_named_in_the_users_own_file(
        self, desk: Workspace, tmp_path: Path, row: dict[str, object], what: str
    ) -> None:
        text = "Members may borrow one device"
        first: dict[str, object] = {"id": "b0-0", "source": "faq.md", "text": text}
        path = lines(tmp_path / "bad.jsonl", [first, row])
        with pytest.raises(CurateError, match=rf"bad\.jsonl.*{what}"):
            chunking.add(desk, "bad", path)
        assert desk.store.chunk_sets() == []
        assert list((desk.root / "chunks").iterdir()) == []

    def test_a_changed_copy_is_not_used(self, desk: Workspace, big: Path) -> None:
        made, _ = chunking.add(desk, "a", big)
        (desk.root / "chunks" / "a.jsonl").write_text("{}\n")
        with pytest.raises(CurateError, match="changed"):
            chunking.file(desk, made)


class TestExports:
    def test_carry_the_ids_of_the_current_set(
        self, desk: Workspace, big: Path, tmp_path: Path
    ) -> None:
        chunking.add(desk, "whole", big)
        made = exporting.export(desk, tmp_path / "out", formats=["labelled", "trec", "beir"])
        assert questions(made.directory) == {
            "how-1": ["b2-0"],
            "late-1": ["b2-0"],
            "many-1": ["b0-0"],
        }
        labelled = json.loads((tmp_path / "out" / "labelled.json").read_bytes())
        assert labelled[0] == {
            "id": "how-1",
            "query": "when is it due back?",
            "relevantChunkIds": ["b2-0"],
        }
        assert (tmp_path / "out" / "beir" / "corpus.jsonl").read_bytes().count(b"\n") == 3
        manifest = json.loads((made.directory / "manifest.json").read_bytes())
        assert [one["name"] for one in manifest["chunkSets"]] == ["whole"]
        assert verify.verify(made.directory) == []

    def test_tell_what_no_chunk_answers_alone(self, desk: Workspace, small: Path) -> None:
        chunking.add(desk, "small", small)
        made = exporting.export(desk)
        assert {one.code for one in made.warnings if one.code.startswith("chunk")} == {
            "chunk-straddling"
        }

    def test_carry_the_way_from_the_parents_set_to_their_own(
        self, desk: Workspace, big: Path, small: Path
    ) -> None:
        chunking.add(desk, "whole", big)
        first = exporting.export(desk)
        assert not (first.directory / "remap.json").exists()
        chunking.add(desk, "small", small)
        second = exporting.export(desk)
        assert (second.number, second.new) == (2, True)
        told = json.loads((second.directory / "remap.json").read_bytes())
        assert told["items"]["many-1"]["old"] == ["b0-0"]
        assert told["items"]["many-1"]["new"] == questions(second.directory)["many-1"]
        assert told["old"]["path"] == "whole.jsonl"
        assert verify.verify(second.directory) == []
        before = {p.name: p.read_bytes() for p in second.directory.iterdir()}
        second.directory.rename(desk.root / "elsewhere")
        exporting.export(desk)
        assert {p.name: p.read_bytes() for p in second.directory.iterdir()} == before
        assert sorted(p.name for p in (desk.root / "chunks").iterdir()) == [
            "small.jsonl",
            "whole.jsonl",
        ]

    def test_of_old_versions_keep_their_ids(
        self, desk: Workspace, big: Path, small: Path, tmp_path: Path
    ) -> None:
        chunking.add(desk, "whole", big)
        first = exporting.export(desk)
        before = (first.directory / "questions.json").read_bytes()
        chunking.add(desk, "small", small)
        exporting.export(desk)
        exporting.again(desk, 1, tmp_path / "out", formats=["labelled"])
        assert (tmp_path / "out" / "questions.json").read_bytes() == before
        assert b"b2-0" in (tmp_path / "out" / "labelled.json").read_bytes()


class TestLabels:
    def test_of_a_person_count_until_the_evidence_is_another(
        self, desk: Workspace, big: Path
    ) -> None:
        chunking.add(desk, "whole", big)
        with pytest.raises(CurateError, match="no chunk nonsense"):
            chunking.choose(desk, "how-1", ["nonsense"])
        chunking.choose(desk, "how-1", ["b0-0", "b2-0"], reason="both say so")
        assert questions(exporting.export(desk).directory)["how-1"] == ["b0-0", "b2-0"]
        item = desk.store.item("how-1")
        start = desk.corpus.document("laptops.md").text.index("up to 7 days")
        desk.save(desk.attach(item, "laptops.md", start, start + 12))
        assert questions(exporting.export(desk).directory)["how-1"] == ["b2-0"]

    def test_are_taken_back_by_undo_or_by_none(self, desk: Workspace, big: Path) -> None:
        chunking.add(desk, "whole", big)
        chunking.choose(desk, "how-1", ["b0-0"])
        chunking.choose(desk, "how-1", [])
        assert desk.store.item("how-1").labels == ()
        desk.undo("how-1")
        assert [one.chunks for one in desk.store.item("how-1").labels] == [("b0-0",)]


class TestRemap:
    @pytest.fixture
    def two(self, desk: Workspace, big: Path, small: Path) -> Workspace:
        chunking.add(desk, "whole", big)
        chunking.add(desk, "small", small)
        return desk

    def test_labels_what_is_sure_and_lets_the_rest_wait(self, two: Workspace) -> None:
        old, new = chunking.named(two, "whole"), chunking.named(two, "small")
        items = two.store.items()
        found = rechunking.carry(two, old, new, items)
        assert found.unresolved == ()
        doubtful = [
            replace(one, status="lost", new=(), reason="gone") if one.id == "late-1" else one
            for one in found.items
        ]
        done = rechunking.apply(two, doubtful, new)
        assert (done.labelled, done.waiting, done.unknown) == (
            ("how-1", "many-1"),
            ("late-1",),
            (),
        )
        [waiting] = chunking.waiting(two)
        assert (waiting.item.id, waiting.label.status, waiting.label.reason) == (
            "late-1",
            "lost",
            "gone",
        )
        made = exporting.export(two)
        assert questions(made.directory)["late-1"] == []
        assert [(one.item, one.code) for one in made.warnings if one.item == "late-1"] == [
            ("late-1", "chunk-lost")
        ]
        assert sorted(two.undo().subjects) == ["how-1", "late-1", "many-1"]
        assert chunking.waiting(two) == ()

    def test_every_evidence_of_an_item_is_carried(self, two: Workspace) -> None:
        item = two.store.item("late-1")
        start = two.corpus.document("faq.md").text.index("one device at a time")
        item = two.save(
            replace(two.attach(item, "faq.md", start, start + 20, more=True), evidence_mode="all")
        )
        old, new = chunking.named(two, "whole"), chunking.named(two, "small")
        found = rechunking.carry(two, old, new, [item])
        assert [one.id for one in found.items] == ["late-1", "late-1/2"]
        assert [one.old for one in found.items] == [("b2-0",), ("b0-0",)]
        rechunking.apply(two, found.items, new)
        [label] = two.store.item("late-1").labels
        assert {chunk[:2] for chunk in label.chunks} == {"s0", "s2"}

    def test_what_is_no_item_here_is_told(self, two: Workspace) -> None:
        old, new = chunking.named(two, "whole"), chunking.named(two, "small")
        [one] = rechunking.carry(two, old, new, [two.store.item("many-1")]).items
        done = rechunking.apply(two, [replace(one, id="stranger")], new)
        assert (done.labelled, done.unknown) == ((), ("stranger",))


class TestTheCommands:
    @pytest.fixture(autouse=True)
    def here(self, desk: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Workspace, "anonymiser", Harmless())
        monkeypatch.setenv("CURATE_WORKSPACE", str(desk.root))

    def test_add_list_check_and_label(
        self, desk: Workspace, curate: Curate, big: Path, small: Path
    ) -> None:
        assert curate("chunks", "check").code == 2
        ran = curate("chunks", "add", "whole", big)
        assert (ran.code, ran.out.splitlines()) == (0, ["whole: 3 chunks", "3 contained"])
        assert curate("chunks", "check").code == 0
        assert curate("chunks", "add", "small", small).code == 0
        ran = curate("chunks", "check")
        assert ran.code == 1
        assert "straddling" in ran.out
        assert curate("chunks", "check", "whole").code == 0
        told = curate("chunks", "check", "--json").json
        assert told["chunks"]["name"] == "small"
        assert {one["item"] for one in told["items"]} == {"how-1", "late-1", "many-1"}
        assert [one["name"] for one in curate("chunks", "list", "--json").json] == [
            "whole",
            "small",
        ]
        assert curate("chunks", "label", "how-1", "nonsense").code == 2
        assert curate("chunks", "label", "how-1", "s2-90", "--reason", "read it").code == 0

    def test_remap_of_sets_labels_the_items(
        self, desk: Workspace, curate: Curate, big: Path, small: Path, tmp_path: Path
    ) -> None:
        curate("chunks", "add", "whole", big)
        curate("export")
        curate("chunks", "add", "small", small)
        out = tmp_path / "remap.json"
        ran = curate("remap", "whole", "small", "--apply", "--out", out, "--json")
        assert ran.code == 0
        assert ran.json["applied"]["labelled"] == ["how-1", "late-1", "many-1"]
        assert set(json.loads(out.read_bytes())["items"]) == {"how-1", "late-1", "many-1"}
        assert all(one.labels for one in desk.store.items())
        assert curate("remap", "whole", "nonsense").code == 2

    def test_remap_of_files_needs_no_workspace(
        self,
        desk: Workspace,
        curate: Curate,
        big: Path,
        small: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.delenv("CURATE_WORKSPACE")
        monkeypatch.chdir(tmp_path)
        said = {"kept": "one device", "gone": "two devices and more"}
        gold = lines(
            tmp_path / "gold.jsonl",
            (
                {"id": name, "source": "faq.md", "evidence": text, "relevantChunkIds": ["b0-0"]}
                for name, text in said.items()
            ),
        )
        full = tmp_path / "map.jsonl"
        ran = curate("remap", big, small, "--gold", gold, "--map", full, "--out", "remap.json")
        assert ran.code == 1
        assert "gone" in ran.out
        assert full.read_bytes().count(b"\n") == 3
        made = json.loads(Path("remap.json").read_bytes())
        assert made["items"]["kept"]["status"] in ("kept", "split")
        array = tmp_path / "small.json"
        rows = [json.loads(line) for line in small.read_text(encoding="utf-8").splitlines()]
        array.write_text(json.dumps(rows), encoding="utf-8")
        again = curate("remap", big, array, "--gold", gold, "--json")
        assert again.json["summary"] == made["summary"]
        nodes = lines(
            tmp_path / "nodes.jsonl",
            (
                {"id_": r["id"], "text": r["text"], "metadata": {"file_path": r["source"]}}
                for r in rows
            ),
        )
        told = [
            curate("remap", big, nodes, "--gold", gold, "--out", tmp_path / f"{name}.json").code
            for name in ("a", "b")
        ]
        assert told == [1, 1]
        assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
        (tmp_path / "empty.jsonl").touch()
        empty = curate("remap", big, tmp_path / "empty.jsonl")
        assert (empty.code, "empty.jsonl holds no chunks" in empty.err) == (2, True)
        assert curate("remap", big, small, "--apply").code == 2

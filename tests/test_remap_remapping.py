"""The remap as a whole: the file it writes, what it refuses, what it warns of."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from curate.model.errors import CurateError, Exit
from curate.remap.remapping import remap
from tests.chunking import Chunking, chunks, label, paragraphs, windows


@pytest.fixture
def chunking(tmp_path: Path) -> Chunking:
    return Chunking(tmp_path)


def corpus(documents: int, size: int, overlap: int, stem: str) -> list[dict[str, Any]]:
    """The same documents every time, cut as asked."""
    return [
        row
        for number in range(documents)
        for row in chunks(
            f"{number}.md",
            *windows(" ".join(paragraphs(number, 6)), size, overlap),
            stem=f"{stem}{number}",
        )
    ]


def test_the_file_has_every_part(chunking: Chunking) -> None:
    old, new = corpus(3, 300, 60, "o"), corpus(3, 500, 0, "n")
    words = old[1]["text"].split()[12:18]
    result = chunking.remap(old, new, [label(" ".join(words), "o0:2", source="0.md")])
    out = chunking.directory / "remap.json"
    result.write(out)
    written = json.loads(out.read_text(encoding="utf-8"))
    assert list(written) == [
        "version", "old", "new", "modes", "thresholds", "out_of_order", "warnings",
        "chunk_summary", "sources", "chunks", "items", "summary",
    ]  # fmt: skip
    assert written["modes"]["old"] == {"overlap": True, "context_line": False}
    assert written["modes"]["new"]["overlap"] is False
    assert written["sources"][0] == {
        "old": "0.md", "new": "0.md", "how": "path", "same_text": True,
    }  # fmt: skip
    assert list(written["chunks"]) == [row["id"] for row in old]
    assert written["summary"]["kept"] + written["summary"]["split"] == 1
    link = written["chunks"]["o0:1"]["to"][0]
    assert link["new_id"] == "n0:1"
    assert link["coverage"] == 1.0
    assert 0.4 < link["share"] < 0.8
    assert written["items"]["q"]["evidence_ok"] == "strict"
    assert written["old"] == {
        "path": "old.jsonl",
        "xxh3": written["old"]["xxh3"],
        "chunks": len(old),
    }
    assert len(written["old"]["xxh3"]) == 32


def test_the_same_input_gives_the_same_bytes(chunking: Chunking) -> None:
    old, new = corpus(4, 300, 60, "o"), corpus(4, 500, 0, "n")
    labels = [
        label(row["text"][20:60], row["id"], source=row["source"], name=row["id"]) for row in old
    ]
    written = []
    for name in ("one.json", "two.json"):
        chunking.remap(old, new, labels).write(chunking.directory / name)
        written.append((chunking.directory / name).read_bytes())
    assert written[0] == written[1]


def test_only_gold_chunks_are_written_unless_all_are_wanted(chunking: Chunking) -> None:
    old, new = corpus(3, 300, 60, "o"), corpus(3, 500, 0, "n")
    gold = [label(old[0]["text"][10:50], "o0:1", source="0.md")]
    for everything, expected in ((False, ["o0:1"]), (True, [row["id"] for row in old])):
        out = chunking.directory / "remap.json"
        chunking.remap(old, new, gold, everything=everything).write(out)
        assert list(json.loads(out.read_text())["chunks"]) == expected


def test_the_map_has_a_line_for_every_old_chunk(chunking: Chunking) -> None:
    old, new = corpus(3, 300, 60, "o"), corpus(3, 500, 0, "n")
    out = chunking.directory / "map.jsonl"
    result = chunking.remap(old, new, everything=False, map_out=out)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["old_id"] for line in lines] == [row["id"] for row in old]
    for number, line in enumerate(lines):
        move = result.move(number)
        assert (line["status"], line["survives"]) == (move.status, move.survives)
        assert {to["new_id"]: to["coverage"] for to in line["to"]} == pytest.approx(
            {to.new_id: to.coverage for to in move.to}, abs=1e-3
        )


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        (["One boat lies at the pier."], ["One boat lies at the pier."], "kept"),
        (["One boat lies at the pier. Two oars hang in the shed."],
         ["One boat lies at the pier.", "Two oars hang in the shed."], "split"),
        (["One boat lies at the pier."],
         ["One boat lies at the pier. Two oars hang in the shed."], "merged"),
        (["One boat lies at the pier.", "  "], ["Nothing of it is here any more, sorry."], "lost"),
    ],
)  # fmt: skip
def test_a_chunk_has_the_status(
    chunking: Chunking, old: list[str], new: list[str], status: str
) -> None:
    result = chunking.remap(chunks("a.md", *old, stem="o"), chunks("a.md", *new, stem="n"))
    assert result.move(len(old) - 1).status == status


def test_a_chunk_in_a_renamed_file_moved(chunking: Chunking) -> None:
    text = paragraphs(1, 2)
    result = chunking.remap(chunks("a.md", *text), chunks("b/c.md", *text))
    assert [result.move(number).status for number in range(2)] == ["moved", "moved"]


def test_short_and_bare_chunks_are_found_by_their_whole_text(chunking: Chunking) -> None:
    text = paragraphs(2, 3)
    old = [*chunks("a.md", text[0], "- - -", text[1]), *chunks("b.md", text[2], "Tip: row.")]
    new = [*chunks("c.md", "Tip: row.", stem="n"), *chunks("a.md", text[0], "- - -", stem="m"),
           *chunks("b.md", text[2], stem="k")]  # fmt: skip
    result = chunking.remap(old, new)
    assert [to.new_id for to in result.move(1).to] == ["m:2"]
    assert [to.new_id for to in result.move(4).to] == ["n:1"]


def test_a_short_chunk_that_went_into_a_larger_one_is_found(chunking: Chunking) -> None:
    text = paragraphs(2, 3)
    old = [*chunks("a.md", text[0], "Tip: row slowly."), *chunks("b.md", text[1])]
    new = [*chunks("a.md", text[0], stem="n"), *chunks("b.md", f"{text[1]} Tip: row slowly.")]
    result = chunking.remap(old, new)
    assert [(to.new_id, to.coverage) for to in result.move(1).to] == [("b.md:1", 1.0)]
    assert result.move(1).status == "moved"


def test_a_chunk_that_went_to_several_places_is_ambiguous(chunking: Chunking) -> None:
    text = paragraphs(2, 3)
    old = chunks("a.md", text[0], "Made by the build tool, not by hand.")
    new = [
        *chunks("a.md", text[0], stem="n"),
        *chunks("b.md", f"Made by the build tool, not by hand. {text[1]}"),
        *chunks("c.md", f"Made by the build tool, not by hand. {text[2]}"),
    ]
    move = chunking.remap(old, new).move(1)
    assert move.status == "ambiguous"
    assert [to.new_id for to in move.to] == ["b.md:1", "c.md:1"]


def test_unresolved_gold_makes_the_exit_code_one(chunking: Chunking) -> None:
    old = chunks("a.md", "One boat lies at the pier.", "Two oars hang in the shed.")
    kept = chunking.remap(old, old, [label("oars hang", "a.md:2")])
    lost = chunking.remap(old, old[:1], [label("oars hang", "a.md:2")])
    assert (kept.exit, lost.exit) == (Exit.DONE, Exit.FOUND)
    assert [item.id for item in lost.unresolved] == ["q"]


def test_shuffled_chunks_are_said_to_be_and_nothing_is_applied(chunking: Chunking) -> None:
    old, new = corpus(6, 300, 60, "o"), corpus(6, 200, 0, "n")
    labels = [
        label(row["text"][20:60], row["id"], source=row["source"], name=row["id"])
        for row in old[::3]
    ]
    random.Random(1).shuffle(new)  # noqa: S311
    result = chunking.remap(old, new, labels)
    assert result.out_of_order > 0.3
    assert "out of order" in result.warnings[0]
    assert {item.status for item in result.items} <= {"ambiguous", "lost"}


def test_a_position_field_puts_shuffled_chunks_in_order(chunking: Chunking) -> None:
    old, new = corpus(6, 300, 60, "o"), corpus(6, 200, 0, "n")
    for row in new:
        row["chunk_index"] = int(row["id"].split(":")[1])
    gold = [label(old[4]["text"][20:60], old[4]["id"], source=old[4]["source"])]
    straight = chunking.remap(old, new, gold).items
    random.Random(1).shuffle(new)  # noqa: S311
    result = chunking.remap(old, new, gold)
    assert result.items == straight
    assert not result.warnings


def test_moved_sections_are_no_shuffle(chunking: Chunking) -> None:
    text = paragraphs(5, 9)
    result = chunking.remap(chunks("a.md", *text), chunks("a.md", *text[5:], *text[:5], stem="n"))
    assert not result.warnings


@pytest.mark.parametrize("everything", [True, False])
def test_another_corpus_is_refused(chunking: Chunking, everything: bool) -> None:
    old = corpus(8, 300, 0, "o")
    new = [
        {**row, "text": " ".join(paragraphs(900 + number, 1))}
        for number, row in enumerate(corpus(8, 300, 0, "n"))
    ]
    with pytest.raises(CurateError, match="another corpus"):
        chunking.remap(
            old, new, [label(old[0]["text"][:40], "o0:1", source="0.md")], everything=everything
        )


def test_deleted_gold_documents_are_lost_and_not_another_corpus(chunking: Chunking) -> None:
    old = corpus(8, 300, 0, "o")
    new = [row for row in corpus(8, 400, 0, "n") if row["source"] != "0.md"]
    result = chunking.remap(
        old, new, [label(old[0]["text"][:40], "o0:1", source="0.md")], everything=False
    )
    assert result.items[0].status == "lost"


def test_blank_chunks_and_unknown_ids_are_warned_of(chunking: Chunking) -> None:
    old = chunks("a.md", "One boat lies at the pier.", " \n", "")
    result = chunking.remap(old, old, [label("One boat", "gone")])
    assert "2 chunks without text (the first is a.md:2)" in result.warnings[0]
    assert "1 items name chunk ids" in result.warnings[-1]


def test_nothing_is_left_behind_when_a_file_can_t_be_written(chunking: Chunking) -> None:
    old = chunks("a.md", "One boat lies at the pier.")
    result = chunking.remap(old, old)
    with pytest.raises(CurateError, match="can't be written"):
        result.write(chunking.directory / "none" / "remap.json")
    target = chunking.directory / "remap.json"
    target.mkdir()
    with pytest.raises(CurateError, match="can't be written"):
        result.write(target)
    assert not [path for path in chunking.directory.iterdir() if path.name.endswith(".part")]


def test_a_long_repetitive_text_is_not_swallowed_as_overlap(chunking: Chunking) -> None:
    old = chunks("a.md", *("a" * 500 for _ in range(200)), stem="o")
    new = chunks("a.md", *("a" * 700 for _ in range(140)), stem="n")
    result = chunking.remap(old, new)
    assert len(result.links.new) < 2000


def test_gold_without_a_source_is_found_by_its_chunk(chunking: Chunking) -> None:
    old, new = corpus(3, 300, 60, "o"), corpus(3, 500, 0, "n")
    gold = {"id": "q", "evidence": old[7]["text"][20:60], "relevantChunkIds": [old[7]["id"]]}
    full = chunking.remap(old, new, [gold]).items
    assert full == chunking.remap(old, new, [gold], everything=False).items
    assert full[0].status in ("kept", "split")


def test_any_id_is_written_as_the_json_it_is(chunking: Chunking) -> None:
    ids = ['a",', '","', ",", "\\", 'b\\","', "\n\u1780"]
    old = [{**row, "id": name} for row, name in zip(corpus(1, 200, 0, "o"), ids, strict=False)]
    assert len(old) == len(ids)
    result = chunking.remap(old, old, [])
    path = chunking.directory / "map.jsonl"
    result.write_map(path)
    written = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [row["old_id"] for row in written] == ids
    assert [row["to"][0]["new_id"] for row in written] == ids


def test_a_remap_without_labels_maps_every_chunk(chunking: Chunking) -> None:
    old = corpus(2, 300, 60, "o")
    result = remap(chunking.write("o.jsonl", old), chunking.write("n.jsonl", old), None)
    assert result.everything
    assert sum(result.chunk_summary.values()) == len(old)
    assert result.items == ()

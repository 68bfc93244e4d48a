"""Chunk files and labels: every line checked, what is wrong named by file and line."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from curate.model.errors import CurateError, Exit
from curate.remap.reading import leads, read_chunks, read_labels, read_more, sample
from curate.remap.remapping import silent
from tests.chunking import Chunking, chunks

GOOD = {"id": "c1", "source": "a.md", "text": "One line."}


def read(path: Path, wanted: set[str] | None = None, gold: set[str] | None = None) -> list[str]:
    return read_chunks(path, wanted=wanted, gold_ids=gold or (), progress=silent, stage="").ids


@pytest.mark.parametrize("wanted", [None, {"other.md"}], ids=["all", "gold only"])
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"id": "c2", "source": "a.md"}, "missing required field `text`"),
        ({"id": "c2", "text": "x"}, "missing required field `source`"),
        ({"source": "a.md", "text": "x"}, "missing required field `id`"),
        ({"id": 7, "source": "a.md", "text": "x"}, "Expected `str`, got `int`"),
        ([1], "Expected `object`"),
    ],
)
def test_a_bad_line_is_named(
    tmp_path: Path, line: object, says: str, wanted: set[str] | None
) -> None:
    path = tmp_path / "chunks.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n\n{json.dumps(line)}\n")
    with pytest.raises(CurateError, match=r"chunks\.jsonl, line 3") as caught:
        read(path, wanted)
    assert says in caught.value.message
    assert caught.value.code is Exit.USAGE
    assert "One line" not in caught.value.message


def test_a_cut_off_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "chunks.jsonl"
    path.write_text(json.dumps(GOOD) + '\n{"id": "c2", "sou')
    with pytest.raises(CurateError, match="line 2"):
        read(path)


@pytest.mark.parametrize("wanted", [None, {"other.md"}], ids=["all", "gold only"])
def test_an_id_that_stands_twice_is_refused(tmp_path: Path, wanted: set[str] | None) -> None:
    rows = [GOOD, {**GOOD, "id": "c2"}, {**GOOD, "source": "b.md"}]
    path = Chunking(tmp_path).write("chunks.jsonl", rows)
    with pytest.raises(CurateError, match=r"line 3: the chunk id of line 1 again") as caught:
        read(path, wanted)
    assert caught.value.hint


def test_a_file_without_chunks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "chunks.jsonl"
    path.write_text("\n")
    with pytest.raises(CurateError, match="no chunks"):
        read(path)


def test_a_missing_file_is_an_environment_error(tmp_path: Path) -> None:
    with pytest.raises(CurateError, match="can't be read") as caught:
        read(tmp_path / "none.jsonl")
    assert caught.value.code is Exit.ENVIRONMENT


def test_only_wanted_sources_and_gold_ids_are_kept(tmp_path: Path) -> None:
    rows = [*chunks("a.md", "One.", "Two."), *chunks("b.md", "Three."), *chunks("c.md", "Four.")]
    path = Chunking(tmp_path).write("chunks.jsonl", rows)
    assert read(path, {"a.md"}, {"c.md:1"}) == ["a.md:1", "a.md:2", "c.md:1"]


def test_more_sources_are_added_later(tmp_path: Path) -> None:
    rows = [*chunks("a.md", "One."), *chunks("b.md", "Two."), *chunks("c.md", "Three.")]
    path = Chunking(tmp_path).write("chunks.jsonl", rows)
    some = read_chunks(path, wanted={"b.md"}, progress=silent, stage="")
    read_more(some, {"c.md"}, context=False)
    assert (some.ids, some.bodies, some.total) == (["b.md:1", "c.md:1"], [b"two.", b"three."], 3)


def test_gzip_byte_order_marks_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "chunks.jsonl.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + json.dumps(GOOD).encode() + b"\r\n"))
    assert read(path) == ["c1"]


def test_a_line_longer_than_a_block_is_read_whole(tmp_path: Path) -> None:
    rows = [GOOD, {"id": "big", "source": "b.md", "text": "word " * 4_000_000}, {**GOOD, "id": "c"}]
    path = Chunking(tmp_path).write("chunks.jsonl", rows)
    big = read_chunks(path, wanted=None, progress=silent, stage="")
    assert big.ids == ["c1", "big", "c"]
    assert len(big.bodies[1]) == 16_000_000


def test_progress_ends_at_the_whole(tmp_path: Path) -> None:
    path = Chunking(tmp_path).write("chunks.jsonl", [GOOD])
    seen: list[tuple[str, int, int]] = []
    read_chunks(path, wanted=None, progress=lambda *step: seen.append(step), stage="reading")
    size = path.stat().st_size
    assert seen[-1] == ("reading", size, size)


def test_leads_are_the_folded_lengths_of_the_first_lines() -> None:
    assert leads("Port > Boats\n\nBoats are kept here.\nAll winter.") == (10, 27)
    assert leads("one line only") == ()


def test_the_sample_of_a_large_file_comes_from_all_over_it(tmp_path: Path) -> None:
    texts = ["word " * 40 for _ in range(60_000)]
    path = Chunking(tmp_path).write("chunks.jsonl", chunks("a.md", *texts))
    runs = sample(path)
    assert len(runs) == 4
    assert all(len(run) == 500 for run in runs)


def test_labels_are_read_from_jsonl_and_from_an_array(tmp_path: Path) -> None:
    row = {"id": "q", "source": "a.md", "evidence": "x", "relevantChunkIds": ["c1", "c1"], "k": 1}
    lines = Chunking(tmp_path).write("gold.jsonl", [row])
    array = tmp_path / "questions.json"
    array.write_text(json.dumps([row], indent=2))
    assert read_labels(lines) == read_labels(array)
    assert read_labels(lines)[0].chunks == ("c1",)


def test_a_label_without_evidence_is_a_label(tmp_path: Path) -> None:
    path = Chunking(tmp_path).write(
        "gold.jsonl", [{"id": "q", "query": "Where?", "relevantChunkIds": ["c1"]}]
    )
    assert read_labels(path)[0].evidence == ""


@pytest.mark.parametrize(
    ("second", "says"),
    [
        ({"id": "q"}, "line 2: the id of line 1 again"),
        ({"query": "Where?"}, "line 2: .*`id`"),
        ({"id": "r", "relevantChunkIds": "c1"}, "line 2: .*`array`"),
    ],
)
def test_a_bad_label_is_named(tmp_path: Path, second: dict[str, object], says: str) -> None:
    path = Chunking(tmp_path).write("gold.jsonl", [{"id": "q"}, second])
    with pytest.raises(CurateError, match=says):
        read_labels(path)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CurateError, match="pipe: is no file"):
        read_labels(tmp_path / "pipe")

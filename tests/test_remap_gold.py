"""Gold chunks of an item, from its evidence and a chunk set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from curate.model.documents import Evidence
from curate.remap.gold import ChunkSet, GoldChunks
from curate.remap.remapping import silent
from tests.chunking import Chunking, Row, chunks

DOCUMENT = """# Boats

The rowing boats are kept in the shed. Rent is 4 euros.

## Oars

Oars hang on the **left wall**. Rent is 4 euros.
"""


def chunk_set(directory: Path, rows: Sequence[Row]) -> ChunkSet:
    return ChunkSet.read(Chunking(directory).write("chunks.jsonl", rows), silent)


def evidence(phrase: str, nth: int = 1, source: str = "a.md") -> Evidence:
    start = -1
    for _ in range(nth):
        start = DOCUMENT.find(phrase, start + 1)
    return Evidence(source, "", phrase, start, start + len(phrase), "sha256:0", "verbatim")


BOATS = "# Boats\n\nThe rowing boats are kept in the shed. Rent is 4 euros."
OARS = "## Oars\n\nOars hang on the **left wall**. Rent is 4 euros."


def test_a_chunk_contains_it(tmp_path: Path) -> None:
    found = chunk_set(tmp_path, chunks("a.md", BOATS, OARS)).gold(evidence("in the shed"))
    assert found == GoldChunks(("a.md:1",), "contained")


def test_windows_that_overlap_hold_it_twice(tmp_path: Path) -> None:
    texts = [DOCUMENT[:64], DOCUMENT[20:110], DOCUMENT[80:]]
    found = chunk_set(tmp_path, chunks("a.md", *texts)).gold(evidence("are kept in the"))
    assert found == GoldChunks(("a.md:1", "a.md:2"), "contained")


def test_chunks_that_cut_it_hold_it_together(tmp_path: Path) -> None:
    texts = [DOCUMENT[:40], DOCUMENT[40:]]
    found = chunk_set(tmp_path, chunks("a.md", *texts)).gold(evidence("boats are kept in the shed"))
    assert found == GoldChunks(("a.md:1", "a.md:2"), "straddling", "it is cut into 2 chunks")


@pytest.mark.parametrize(("nth", "gold"), [(1, "a.md:1"), (2, "a.md:2")])
def test_the_document_tells_which_repeat_is_meant(tmp_path: Path, nth: int, gold: str) -> None:
    found = chunk_set(tmp_path, chunks("a.md", BOATS, OARS)).gold(
        evidence("Rent is 4 euros", nth), DOCUMENT
    )
    assert found == GoldChunks((gold,), "contained")


def test_surroundings_tell_repeats_apart_when_a_chunker_dropped_some(tmp_path: Path) -> None:
    rows = chunks("a.md", BOATS, OARS, "An ad was added: Rent is 4 euros.")
    found = chunk_set(tmp_path, rows).gold(evidence("Rent is 4 euros", 2), DOCUMENT)
    assert found == GoldChunks(("a.md:2",), "contained")


def test_a_repeat_without_its_document_is_said_to_be_one(tmp_path: Path) -> None:
    found = chunk_set(tmp_path, chunks("a.md", BOATS, OARS)).gold(evidence("Rent is 4 euros"))
    assert (found.ids, found.held) == (("a.md:1", "a.md:2"), "repeated")


def test_markup_the_chunker_dropped_is_no_hindrance(tmp_path: Path) -> None:
    rows = chunks("a.md", BOATS, "Oars\nOars hang on the left wall. Rent is 4 euros.")
    found = chunk_set(tmp_path, rows).gold(evidence("on the **left wall**"))
    assert found == GoldChunks(("a.md:2",), "contained", "found without its markup")


def test_context_lines_are_not_the_document(tmp_path: Path) -> None:
    rows = chunks(
        "a.md",
        *(f"Port > Winter storage\n\n{text}" for text in ("One boat.", "Two oars.", "Six ropes.")),
    )
    found = chunk_set(tmp_path, rows).gold(evidence("Two oars"))
    assert found == GoldChunks(("a.md:2",), "contained")


def test_text_that_only_repeated_context_holds_is_told(tmp_path: Path) -> None:
    rows = chunks(
        "a.md",
        *(f"Port > Winter storage\n\n{text}" for text in ("One boat.", "Two oars.", "Six ropes.")),
    )
    found = chunk_set(tmp_path, rows).gold(evidence("storage Two oars"))
    assert (found.ids, found.held) == (("a.md:2",), "context")


def test_what_no_chunk_holds_is_absent(tmp_path: Path) -> None:
    here = chunk_set(tmp_path, chunks("a.md", BOATS))
    assert here.gold(evidence("Oars hang")).held == "absent"
    assert here.gold(evidence("Oars hang", source="b.md")) == GoldChunks(
        (), "absent", "no chunk of b.md in the set"
    )


def test_chunks_of_other_documents_are_foreign(tmp_path: Path) -> None:
    rows = [*chunks("a.md", BOATS, OARS), *chunks("b.md", "Trains leave at noon.")]
    assert chunk_set(tmp_path, rows).foreign({"a.md": DOCUMENT}) == ("b.md:1",)


def test_added_context_makes_no_chunk_foreign(tmp_path: Path) -> None:
    rows = chunks("a.md", *(f"Port > Boats\n\n{text}" for text in (BOATS, OARS, "Oars hang")))
    assert chunk_set(tmp_path, rows).foreign({"a.md": DOCUMENT}) == ()

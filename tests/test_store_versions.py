from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from curate.model.errors import CurateError
from curate.model.items import ChunkLabel, ChunkSet, Item, Version
from curate.store.store import Store
from tests.events import DAY, NOW
from tests.test_store_deciding import FULL


def version(number: int, *items: Item) -> Version:
    parent = number - 1 or None
    return Version(number, parent, "sha256:22", NOW, "anna", items, "sha256:33", "sha256:44")


def test_a_version_keeps_what_its_manifest_says(store: Store) -> None:
    made = replace(version(1, FULL), tool="curate 0.0.9", root="handbook")
    store.add_version(made, nothing)
    assert store.version(1) == made


def test_the_places_a_version_was_copied_to_are_remembered(store: Store, tmp_path: Path) -> None:
    store.mirrored(tmp_path / "b", 1, now=NOW)
    store.mirrored(tmp_path / "a", 1, now=NOW)
    store.mirrored(tmp_path / "b", 2, now=NOW)
    assert store.mirrors() == [tmp_path / "a", tmp_path / "b"]


def nothing() -> None:
    pass


def test_a_version_comes_back_with_its_items_as_they_were(store: Store) -> None:
    first = version(1, FULL, Item("a-1", 3, "?"))
    store.add_version(first, nothing)
    store.save_item(FULL, by="anna", now=NOW, expected=0, action="make")
    store.add_version(version(2), nothing)
    assert store.version(1) == first
    assert store.version(2).items == ()
    assert [(one.number, one.parent, one.items) for one in store.versions()] == [
        (1, None, ()),
        (2, 1, ()),
    ]
    counts = store.counts()
    assert (counts.versions, counts.last_version) == (2, NOW)
    with pytest.raises(CurateError, match="no version 3"):
        store.version(3)


@pytest.mark.parametrize("number", [1, 3])
def test_only_the_next_number_is_taken(store: Store, number: int) -> None:
    store.add_version(version(1), nothing)
    with pytest.raises(CurateError, match="cannot follow version 1"):
        store.add_version(version(number), nothing)
    assert len(store.versions()) == 1


@pytest.mark.parametrize("error", [CurateError("no room"), OSError("no room")])
def test_nothing_is_stored_when_publishing_fails(store: Store, error: Exception) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error), match="no room"):
        store.add_version(version(1, FULL), fail)
    assert store.versions() == []
    store.add_version(version(1, FULL), nothing)


def test_the_store_can_be_read_while_publishing(store: Store) -> None:
    seen: list[list[Version]] = []
    store.add_version(version(1, FULL), lambda: seen.append(store.versions()))
    assert seen == [[]]


def test_ids_of_exported_items_are_not_proposed_again(store: Store) -> None:
    store.add_version(version(1, FULL), nothing)
    assert store.new_item_id("loans") == "loans-2"


def test_a_version_keeps_the_gold_of_its_chunk_set_and_its_further_files(store: Store) -> None:
    chunks = ChunkSet("heading-500", "sha256:c", 12, NOW, "anna")
    store.add_chunk_set(chunks)
    made = replace(
        version(1, FULL),
        chunks=chunks,
        gold={"loans-1": ("c1", "c2")},
        more={"remap.json": b"{}\n"},
    )
    store.add_version(made, nothing)
    assert store.version(1) == made
    [head] = store.versions()
    assert (head.chunks, head.gold, head.more) == (chunks, made.gold, {})


def test_a_chunk_sets_name_stands_for_the_same_chunks_for_ever(store: Store) -> None:
    first = ChunkSet("a", "sha256:a", 1, NOW, "anna")
    second = ChunkSet("b", "sha256:b", 2, NOW + DAY, "anna")
    store.add_chunk_set(first)
    store.add_chunk_set(second)
    assert store.chunk_sets() == [first, second]
    again = replace(first, at=NOW + 2 * DAY, by="ben")
    store.add_chunk_set(again)
    assert store.chunk_sets() == [second, again]
    with pytest.raises(CurateError, match="called a"):
        store.add_chunk_set(replace(first, digest="sha256:other"))


def test_a_version_is_called_by_names(store: Store) -> None:
    store.add_version(version(1), nothing)
    store.add_version(version(2), nothing)
    store.call_version(1, "released", by="anna", now=NOW)
    store.call_version(1, "released", by="anna", now=NOW)
    with pytest.raises(CurateError, match="version 1"):
        store.call_version(2, "released", by="anna", now=NOW)
    store.call_version(2, "released", by="ben", now=NOW, move=True)
    assert store.version_names() == {"released": 2}
    with pytest.raises(CurateError, match="version 7"):
        store.call_version(7, "x", by="anna", now=NOW)


def test_an_item_keeps_its_labels(store: Store) -> None:
    label = ChunkLabel("a", ("c1", "c2"), "ambiguous", "it was edited", "sha256:e")
    item = replace(FULL, labels=(label,))
    saved = store.save_item(item, by="anna", now=NOW, expected=0, action="make")
    assert store.item("loans-1") == saved
    assert saved.labels == (label,)

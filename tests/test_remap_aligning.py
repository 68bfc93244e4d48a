"""Blocks two texts share: true, increasing, and most of what an edit left."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from curate.remap.aligning import align, common_prefix, common_suffix
from tests.chunking import paragraphs

TEXTS = st.text(alphabet="abc ", max_size=400).map(str.encode)


@given(TEXTS, TEXTS)
def test_blocks_hold_the_same_text_and_increase_on_both_sides(old: bytes, new: bytes) -> None:
    at_old = at_new = 0
    for block in align(old, new):
        assert block.length > 0
        assert block.old >= at_old
        assert block.new >= at_new
        at_old, at_new = block.old + block.length, block.new + block.length
        assert old[block.old : at_old] == new[block.new : at_new]


@given(TEXTS)
def test_a_text_is_one_block_of_itself(text: bytes) -> None:
    assert [block.length for block in align(text, text)] == ([len(text)] if text else [])


@given(TEXTS, TEXTS, st.integers(0, 20), st.integers(0, 20))
def test_common_ends_are_as_long_as_can_be(old: bytes, new: bytes, a: int, x: int) -> None:
    one, other = old[a:], new[x:]
    prefix = common_prefix(old, a, len(old), new, x, len(new)) if one and other else 0
    suffix = common_suffix(old, a, len(old), new, x, len(new)) if one and other else 0
    short = min(len(one), len(other))
    assert prefix == next((n for n in range(short) if one[n] != other[n]), short)
    assert suffix == next((n for n in range(short) if one[-1 - n] != other[-1 - n]), short)


def test_edits_leave_the_rest_aligned() -> None:
    rng = random.Random(7)  # noqa: S311
    old = "".join(paragraphs(1, 60)).replace(" ", "")
    new = old
    for _ in range(40):
        at = rng.randrange(len(new))
        new = new[:at] + rng.choice(["", "inserted words", "x"]) + new[at + rng.randrange(12) :]
    found = align(old.encode(), new.encode())
    assert sum(block.length for block in found) > 0.93 * len(old)


def test_unlike_texts_share_no_blocks_by_chance() -> None:
    old, new = "".join(paragraphs(1, 2)).encode(), "".join(paragraphs(2, 2)).encode()
    assert sum(block.length for block in align(old, new)) < 0.1 * len(old)


def test_a_repeated_run_stays_beside_the_stronger_of_its_neighbours() -> None:
    run = b"bookaboatwiththemaster:version"
    strong = b"thenwriteyournameintothebigredbookonthetableandtakethekeysandtheoars"
    old = b"to-go-out-on-weekdays,dothis;" + run + b"4.1" + strong
    new = b"at-all-times,dothis:" + run + b"9.2nothingelse!on-weekdays:" + run + b"9.2" + strong
    (block,) = [
        block
        for block in align(old, new)
        if block.old <= old.find(run) + 5 < block.old + block.length
    ]
    assert block.new + old.find(run) - block.old == new.rfind(run)


def test_a_large_document_of_many_edits_is_aligned() -> None:
    text = "".join(paragraphs(9, 4000))
    words = text.split()
    for at in range(5, len(words), 40):
        words[at] = "edited"
    found = align("".join(text.split()).encode(), "".join(words).encode())
    assert sum(block.length for block in found) > 0.9 * len("".join(words))

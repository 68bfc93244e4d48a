"""Gold carried over: kept, split, moved, ambiguous, lost, and never silently wrong."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.chunking import Chunking, Row, chunks, label, paragraphs

BOAT = "The rowing boats are kept in the shed behind the pier all winter long."
OARS = "Oars hang on the left wall, and life jackets lie sorted by size below them."
KEYS = "Ask the harbour master for the shed keys at least one day before you come."
ROPE = "Coil every rope clockwise, and never leave a wet one on the wooden floor."


@pytest.fixture
def chunking(tmp_path: Path) -> Chunking:
    return Chunking(tmp_path)


@dataclass(frozen=True)
class Case:
    name: str
    old: list[dict[str, Any]]
    new: list[dict[str, Any]]
    label: Row
    status: str
    ids: tuple[str, ...]


def old(*texts: str, source: str = "a.md") -> list[dict[str, Any]]:
    return chunks(source, *texts, stem="o" if source == "a.md" else f"o{source}")


def new(*texts: str, source: str = "a.md") -> list[dict[str, Any]]:
    return chunks(source, *texts, stem="n" if source == "a.md" else f"n{source}")


CASES = [
    Case(
        "only the ids changed",
        old(BOAT, OARS),
        new(BOAT, OARS),
        label("life jackets", "o:2"),
        "kept",
        ("n:2",),
    ),
    Case(
        "a chunk is cut beside the evidence",
        old(f"{BOAT} {OARS}"),
        new(BOAT, OARS),
        label("Oars hang", "o:1"),
        "kept",
        ("n:2",),
    ),
    Case(
        "a chunk is cut inside the evidence",
        old(f"{BOAT} {OARS}"),
        new(f"{BOAT} Oars hang on", OARS.removeprefix("Oars hang on ")),
        label("Oars hang on the left wall", "o:1"),
        "split",
        ("n:1", "n:2"),
    ),
    Case(
        "windows overlap in the new set",
        old(BOAT, OARS, KEYS),
        new(f"{BOAT} {OARS}", f"{OARS} {KEYS}", f"{KEYS} {ROPE}"),
        label("sorted by size", "o:2"),
        "kept",
        ("n:1", "n:2"),
    ),
    Case(
        "the same words stand under two headings, and one is gold",
        old(f"## Boats\n{BOAT} Fee: 4 euros.", f"## Oars\n{OARS} Fee: 4 euros."),
        new(f"## Boats\n{BOAT}", "Fee: 4 euros.\n## Oars", f"{OARS} Fee: 4 euros."),
        label("4 euros", "o:2"),
        "kept",
        ("n:3",),
    ),
    Case(
        "the gold chunk says it twice",
        old(f"{BOAT} Fee: 4 euros. {OARS} Fee: 4 euros."),
        new(f"{BOAT} Fee: 4 euros.", f"{OARS} Fee: 4 euros."),
        label("Fee: 4 euros", "o:1"),
        "ambiguous",
        ("n:1", "n:2"),
    ),
    Case(
        "the gold chunk says it twice and one place was edited",
        old(f"{BOAT} Fee: 4 euros. {OARS} Fee: 4 euros."),
        new(f"{BOAT} Fee: 9 euros. {OARS}", "Fee: 4 euros."),
        label("Fee: 4 euros", "o:1"),
        "ambiguous",
        ("n:2",),
    ),
    Case(
        "the file was renamed",
        old(BOAT, OARS),
        new(BOAT, OARS, source="port/b.md"),
        label("life jackets", "o:2"),
        "moved",
        ("nport/b.md:2",),
    ),
    Case(
        "a section went to another file",
        [*old(BOAT, OARS), *old(KEYS, source="b.md")],
        [*new(BOAT), *new(f"{KEYS}\n\n{OARS}", source="b.md")],
        label("life jackets", "o:2"),
        "moved",
        ("nb.md:1",),
    ),
    Case(
        "a copy elsewhere is no move",
        [*old(BOAT, OARS), *old(f"{KEYS} {OARS}", source="b.md")],
        [*new(BOAT, ROPE), *new(f"{KEYS} {OARS}", source="b.md")],
        label("life jackets lie sorted by size", "o:2"),
        "lost",
        (),
    ),
    Case(
        "text that went to two places",
        old(BOAT, OARS),
        [*new(BOAT), *new(f"{OARS} B", source="b.md"), *new(f"{OARS} C", source="c.md")],
        label("life jackets lie sorted by size", "o:2"),
        "ambiguous",
        ("nb.md:1", "nc.md:1"),
    ),
    Case(
        "the evidence was deleted",
        old(f"{BOAT} The spare key is under the blue bucket."),
        new(BOAT),
        label("under the blue bucket", "o:1"),
        "lost",
        (),
    ),
    Case(
        "a number in it changed",
        old(f"{BOAT} Rent is 14 euros an hour. {OARS}"),
        new(f"{BOAT} Rent is 19 euros an hour. {OARS}"),
        label("Rent is 14 euros an hour", "o:1"),
        "ambiguous",
        ("n:1",),
    ),
    Case(
        "a negation was put into it",
        old(f"{BOAT} Dogs may ride along in summer. {OARS}"),
        new(f"{BOAT} Dogs may not ride along in summer. {OARS}"),
        label("Dogs may ride along", "o:1"),
        "ambiguous",
        ("n:1",),
    ),
    Case(
        "a negation was put right before it",
        old(f"{BOAT} Dogs may ride along in summer. {OARS}"),
        new(f"{BOAT} Dogs may never ride along in summer. {OARS}"),
        label("ride along in summer", "o:1"),
        "ambiguous",
        ("n:1",),
    ),
    Case(
        "an operator in it changed",
        old(f"{BOAT} `if wind < 5: sail()` {OARS}"),
        new(f"{BOAT} `if wind > 5: sail()` {OARS}"),
        label("if wind < 5: sail()", "o:1"),
        "ambiguous",
        ("n:1",),
    ),
    Case(
        "two lines of code differ by an operator only",
        old(f"`if wind < 5: sail()` {BOAT}", f"`if wind > 5: sail()` {OARS}"),
        new(f"`if wind < 5: sail()` {BOAT}", f"`if wind > 5: sail()` {OARS}"),
        label("if wind > 5: sail()", "o:2"),
        "kept",
        ("n:2",),
    ),
    Case(
        "markup was stripped",
        old(f"### Keys\n\nAsk the **harbour master** for [the keys](keys.md). {BOAT}"),
        new("Keys", f"Ask the harbour master for the keys. {BOAT}"),
        label("the **harbour master** for [the keys](keys.md)", "o:1"),
        "kept",
        ("n:2",),
    ),
    Case(
        "a link was put into it",
        old(f"Ask the harbour master for the keys. {BOAT}"),
        new(f"Ask the harbour master for [the keys](lost.md). {BOAT}"),
        label("master for the keys", "o:1"),
        "ambiguous",
        ("n:1",),
    ),
    Case(
        "the target of a link in it changed",
        old(f"Ask for [the keys](keys.md) early. {BOAT}"),
        new(f"Ask for [the keys](locks.md) early. {BOAT}"),
        label("for [the keys](keys.md) early", "o:1"),
        "ambiguous",
        ("n:1",),
    ),
    Case(
        "identical files were renamed, and nothing tells which is which",
        [*old(BOAT, OARS), *old(BOAT, OARS, source="b.md")],
        [*new(BOAT, OARS, source="x.md"), *new(BOAT, OARS, source="y.md")],
        label("life jackets lie sorted by size", "o:2"),
        "ambiguous",
        ("nx.md:2", "ny.md:2"),
    ),
    Case(
        "two files swapped their names",
        [*old(BOAT, OARS), *old(KEYS, ROPE, source="b.md")],
        [*new(KEYS, ROPE), *new(BOAT, OARS, source="b.md")],
        label("life jackets lie sorted by size", "o:2"),
        "moved",
        ("nb.md:2",),
    ),
    Case(
        "the label was typed without its markup",
        old(f"Ask the **harbour master** for keys. {BOAT}", OARS),
        new(f"Ask the **harbour master** for keys. {BOAT}", OARS),
        label("the harbour master for keys", "o:1"),
        "kept",
        ("n:1",),
    ),
    Case(
        "the label was typed without markup, and only punctuation tells its place",
        old(f"{BOAT} * **Pier**: closed. The pier is long.", OARS),
        new(BOAT, "* **Pier**: closed.", f"The pier is long. {OARS}"),
        label("* Pier:", "o:1"),
        "kept",
        ("n:2",),
    ),
    Case(
        "the label was typed with other words",
        old(f"{BOAT} Ask the harbour master for the spare keys.", OARS),
        new(BOAT, "Ask the harbour master for the spare keys.", OARS),
        label("asks the harbor master for spare keys", "o:1"),
        "ambiguous",
        ("n:2",),
    ),
    Case(
        "accents and ligatures are composed otherwise",
        old(f"{BOAT} Le cafe\u0301 est \ufb01ni a\u0300 neuf heures."),
        new(BOAT, "Le caf\u00e9 est fini \u00e0 neuf heures."),
        label("caf\u00e9 est fini", "o:1"),
        "kept",
        ("n:2",),
    ),
    Case(
        "quotes, dashes, case and no-break spaces differ",
        old(f"{BOAT} THE \u201cNORTH PIER\u201d IS SHUT\u00a0\u2013 use the south one."),
        new(BOAT, 'The "North Pier" is shut - use the south one.'),
        label("THE \u201cNORTH PIER\u201d IS SHUT", "o:1"),
        "kept",
        ("n:2",),
    ),
    Case(
        "Khmer gained zero-width spaces",
        old("ទូកទាំងអស់ត្រូវទុកនៅក្នុងឃ្លាំង។សូមសុំកូនសោពីមេកំពង់ផែមុនមួយថ្ងៃ។"),
        new(
            "ទូក\u200bទាំងអស់\u200bត្រូវទុកនៅក្នុងឃ្លាំង។",
            "សូម\u200bសុំ\u200bកូនសោពីមេកំពង់ផែមុនមួយថ្ងៃ។",
        ),
        label("សុំកូនសោពីមេកំពង់ផែ", "o:1"),
        "kept",
        ("n:2",),
    ),
    Case(
        "Chinese has no spaces",
        old("小船冬天都放在码头后面的棚子里。请提前一天向港务长借钥匙。"),
        new("小船冬天都放在码头后面的棚子里。", "请提前一天向港务长借钥匙。"),
        label("向港务长借钥匙", "o:1"),
        "kept",
        ("n:2",),
    ),
    Case(
        "line ends and indents differ",
        old(f"```\r\n  row = 2\r\n  sit = 3\r\n```\r\n{BOAT}"),
        new("```\nrow = 2\nsit = 3\n```", BOAT),
        label("row = 2\r\n  sit = 3", "o:1"),
        "kept",
        ("n:1",),
    ),
    Case(
        "chunks are a few letters long",
        chunks("a.md", "Pier 7.", "Pier 8.", "No.", stem="o"),
        chunks("a.md", "Pier 7. Pier 8.", "No.", stem="n"),
        label("Pier 8", "o:2"),
        "kept",
        ("n:1",),
    ),
    Case(
        "a chunk holds no letter",
        old(BOAT, "* * *", OARS),
        new(f"{BOAT}", "* * *", OARS),
        label("* * *", "o:2"),
        "kept",
        ("n:2",),
    ),
    Case(
        "the gold id is not in OLD",
        old(BOAT, OARS),
        new(f"{BOAT} {OARS}"),
        label("life jackets", "gone"),
        "ambiguous",
        ("n:1",),
    ),
    Case(
        "the gold chunks are merged and there is no evidence",
        old(BOAT, OARS),
        new(f"{BOAT}\n\n{OARS}"),
        label("", "o:1", "o:2"),
        "merged",
        ("n:1",),
    ),
    Case(
        "the gold chunk is split and there is no evidence",
        old(f"{BOAT} {OARS}"),
        new(BOAT, OARS),
        label("", "o:1"),
        "ambiguous",
        ("n:1", "n:2"),
    ),
    Case(
        "the evidence is a heading that the new chunker drops",
        old(f"## Winter storage\n\n{BOAT}"),
        new(BOAT),
        label("## Winter storage", "o:1"),
        "lost",
        (),
    ),
    Case(
        "an insertion repeats what stands before the evidence",
        old(f"## Boats\n\n{BOAT}\n\n## Oars\n\n{OARS}"),
        new(f"## Boats\n\n{BOAT}\n\n## Ropes\n\n{ROPE}", f"## Oars\n\n{OARS}"),
        label(f"## Oars\n\n{OARS}", "o:1"),
        "kept",
        ("n:2",),
    ),
    Case(
        "every new chunk begins with its heading",
        [
            {**row, "heading": "Port > Boats"}
            for row in old(f"# Boats\n\n{BOAT} {OARS}", f"{KEYS} {ROPE}")
        ],
        [
            {**row, "heading": "Port > Boats"}
            for row in new(*(f"Port > Boats\n\n{text}" for text in (BOAT, OARS, KEYS, ROPE)))
        ],
        label("life jackets", "o:1"),
        "kept",
        ("n:2",),
    ),
    Case(
        "both sets put context before overlapping windows",
        old(*(f"Port > Boats\n\n{a} {b}" for a, b in ((BOAT, OARS), (OARS, KEYS), (KEYS, ROPE)))),
        new(*(f"Port > Boats\n\n{text}" for text in (BOAT, OARS, KEYS, ROPE))),
        label("shed keys", "o:2"),
        "kept",
        ("n:3",),
    ),
    Case(
        "chunk_index orders what the file does not",
        [{**row, "chunk_index": at} for at, row in zip((1, 0), old(OARS, BOAT), strict=True)],
        new(f"{BOAT} Oars", OARS.removeprefix("Oars ")),
        label("all winter long. Oars hang", "o:1", "o:2"),
        "split",
        ("n:1", "n:2"),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gold_is_carried_when(case: Case, chunking: Chunking) -> None:
    item = chunking.item(case.old, case.new, case.label)
    assert (item.status, item.new) == (case.status, case.ids), item.reason


def test_what_needs_a_person_says_why(chunking: Chunking) -> None:
    for case in CASES:
        item = chunking.remap(case.old, case.new, [case.label]).items[0]
        assert bool(item.reason) or item.status not in ("ambiguous", "lost"), case.name


def test_a_span_counts_the_characters_of_the_folded_source(chunking: Chunking) -> None:
    item = chunking.item(old(f"Café {BOAT}"), new(f"Café {BOAT}"), label("rowing boats", "o:1"))
    folded = f"Café {BOAT}".replace(" ", "").lower()
    assert item.span is not None
    assert folded[slice(*item.span)] == "rowingboats"


def test_repeats_in_a_changed_document_go_by_their_surroundings(chunking: Chunking) -> None:
    before = [f"{text} See the manual." for text in paragraphs(3, 8)]
    after = [*before[:3], "A note was added here.", *before[3:]]
    item = chunking.item(old(*before), new(*after), label("See the manual", "o:6"))
    assert (item.status, item.new) == ("kept", ("n:7",))


def test_repeats_whose_surroundings_all_changed_are_ambiguous(chunking: Chunking) -> None:
    text = paragraphs(4, 6)
    item = chunking.item(
        old(f"{text[0]} Yes. {text[1]}", text[2]),
        new(f"{text[3]} Yes. {text[4]}", f"{text[5]} Yes.", text[2]),
        label("Yes.", "o:1"),
    )
    assert item.status in ("ambiguous", "lost")

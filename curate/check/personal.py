"""Personal data in the texts of an item: what counts as found, and what is the team's own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from curate.model.items import Item
from curate.model.records import Redaction
from curate.text import strip_space

Scan = Callable[[Sequence[str]], Sequence[tuple[Redaction, ...]]]
"""Personal data by the strictest settings, for each text."""
Stands = Callable[[str], bool]
"""Whether a text stands verbatim in some document."""


@dataclass(frozen=True, slots=True)
class Said:
    """A text of an item: the name of its field, and whether that field quotes the documents."""

    name: str
    text: str = field(repr=False)
    quotes: bool = False


def said(item: Item) -> Iterator[Said]:
    """Yield every text of an item that is exported."""
    yield Said("id", item.id.replace("-", " "))
    yield Said("question", item.question)
    yield from (Said("history", turn.content) for turn in item.history)
    yield Said("reference", item.reference, quotes=True)
    yield Said("standalone", item.standalone)
    for evidence in item.evidences:
        yield Said("source", evidence.source, quotes=True)
        yield Said("heading", evidence.heading, quotes=True)
        yield Said("evidence", evidence.phrase, quotes=True)
    yield Said("keyword", item.keyword, quotes=True)
    yield from (Said("must include", text, quotes=True) for text in item.must_include)
    yield from (Said("must not include", text, quotes=True) for text in item.must_not_include)
    yield from (Said("tags", tag) for tag in item.tags)


def personal(texts: Sequence[Said], scan: Scan, stands: Stands) -> Iterator[tuple[int, str, bool]]:
    """Yield what personal data is found in texts: the index of the text, the entity, and whether it
    is the team's own, published in its documents.

    A field that quotes the documents is their own where it stands there as a whole. Of other text
    only what no user shares by chance: several words, a number or an address that stand verbatim.
    """
    for index, (one, hits) in enumerate(zip(texts, scan([t.text for t in texts]), strict=True)):
        whole = bool(hits) and one.quotes and stands(one.text)
        for hit in hits:
            piece = strip_space(one.text[hit.start : hit.end])
            telling = len(piece.split()) > 1 or any(c.isdigit() or c == "@" for c in piece)
            yield index, hit.entity, whole or (telling and stands(piece))


def in_words(found: Mapping[str, Collection[str]]) -> str:
    """Return what was found, entities by the name of the field, in words; the text is not told."""
    return "; ".join(f"{', '.join(sorted(kinds))} in {name}" for name, kinds in found.items())

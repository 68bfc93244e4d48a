"""Where an item's evidence stands in the chunks it was labelled with."""

from __future__ import annotations

from dataclasses import dataclass

from rapidfuzz import fuzz

from curate.remap.folding import fold, letters, letters_only, unmarked, without_markup
from curate.remap.reading import Label
from curate.remap.stitching import Corpus

STRICT, UNMARKED, LETTERS, ALIKE = "strict", "unmarked", "letters", "alike"
_ALIKE = 75.0
_MOST_PLACES = 500


@dataclass(frozen=True, slots=True)
class Place:
    """A span of a corpus's folded text, and the chunks that hold the whole of it."""

    start: int
    end: int
    chunks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Located:
    """Where evidence stands.

    `how` is `strict`, `unmarked` (all but markup agrees), `letters` (only its letters and digits
    agree), `alike` (similar words) or empty when it was not found. `in_gold` is False when it
    stands only outside the gold chunks.
    """

    places: tuple[Place, ...]
    how: str
    in_gold: bool


def locate(label: Label, gold: list[int], corpus: Corpus) -> Located:
    """Find every place of `label`'s evidence in its gold chunks (numbers in document order)."""
    evidence = fold(label.evidence)
    documents = sorted({corpus.document_of_chunk(chunk) for chunk in gold})
    for how, search in ((STRICT, _strict), (UNMARKED, _unmarked), (LETTERS, _letters)):
        spans = [
            span
            for document in documents
            for span in search(evidence, _stretch(document, gold, corpus), corpus)
        ]
        places = _in_gold(spans, gold, corpus)
        if places:
            return Located(tuple(places), how, True)
    alike = [place for document in documents for place in _alike(evidence, document, gold, corpus)]
    if alike:
        return Located(tuple(alike), ALIKE, True)
    elsewhere = corpus.numbers.get(label.source)
    if elsewhere is not None and elsewhere not in documents:
        documents.append(elsewhere)
    spans = [
        span
        for document in documents
        for span in _strict(evidence, _stretch(document, [], corpus), corpus)
    ]
    places = [Place(start, end, corpus.holders(start, end)) for start, end in spans]
    return Located(tuple(places), STRICT if places else "", False)


def _stretch(document: int, gold: list[int], corpus: Corpus) -> tuple[int, int]:
    """Return the stretch of a document that its gold chunks cover, or all of it without any."""
    members = [chunk for chunk in gold if corpus.document_of_chunk(chunk) == document]
    if not members:
        return int(corpus.bases[document]), int(corpus.bases[document + 1])
    return (
        min(int(corpus.starts[chunk]) for chunk in members),
        max(int(corpus.ends[chunk]) for chunk in members),
    )


def _strict(evidence: bytes, stretch: tuple[int, int], corpus: Corpus) -> list[tuple[int, int]]:
    first, last = stretch
    text = corpus.text(first, last) if first < last else b""
    return [(first + at, first + at + len(evidence)) for at in find_all(text, evidence)]


def _unmarked(evidence: bytes, stretch: tuple[int, int], corpus: Corpus) -> list[tuple[int, int]]:
    first, last = stretch
    needle = unmarked(evidence)
    if not letters_only(needle) or first >= last:
        return []
    spans = without_markup(corpus.text(first, last)).find_all(needle)
    return [(first + start, first + end) for start, end in spans]


def _letters(evidence: bytes, stretch: tuple[int, int], corpus: Corpus) -> list[tuple[int, int]]:
    first, last = stretch
    needle = letters_only(unmarked(evidence))
    if len(needle) < 3 or first >= last:
        return []
    text = corpus.text(first, last)
    sketch = letters(text)
    spans = sketch.find_all(needle) or sketch.find_all(letters_only(evidence))
    bare = letters(evidence)
    before = evidence[: bare.places[0]]
    after = evidence[bare.ends[-1] :]
    return [
        (first + start - _ending(before, text[:start]), first + end + _beginning(after, text[end:]))
        for start, end in spans
    ]


def _ending(wanted: bytes, text: bytes) -> int:
    """Return how much of the end of `wanted` the text ends with."""
    return next((n for n in range(len(wanted), 0, -1) if text.endswith(wanted[-n:])), 0)


def _beginning(wanted: bytes, text: bytes) -> int:
    """Return how much of the beginning of `wanted` the text begins with."""
    return next((n for n in range(len(wanted), 0, -1) if text.startswith(wanted[:n])), 0)


def _alike(evidence: bytes, document: int, gold: list[int], corpus: Corpus) -> list[Place]:
    """Return the most similar stretch of the gold chunks of `document`, if similar enough."""
    members = [chunk for chunk in gold if corpus.document_of_chunk(chunk) == document]
    if len(evidence) < 8:
        return []
    needle = evidence.decode("utf-8", "replace")
    best: Place | None = None
    best_score = _ALIKE
    for chunk in members:
        start, end = int(corpus.starts[chunk]), int(corpus.ends[chunk])
        text = corpus.text(start, end).decode("utf-8", "replace")
        if not text or len(text) * 2 < len(needle):
            continue
        found = fuzz.partial_ratio_alignment(needle, text, score_cutoff=best_score)
        if found is not None and found.score > best_score:
            best_score = found.score
            left = start + len(text[: found.dest_start].encode())
            right = start + len(text[: found.dest_end].encode())
            best = Place(left, right, corpus.holders(left, right))
    return [best] if best else []


def find_all(text: bytes, needle: bytes) -> list[int]:
    """Return the places of `needle` in `text`, overlapping ones too, the first 500 at most."""
    places: list[int] = []
    at = text.find(needle) if needle else -1
    while at >= 0 and len(places) < _MOST_PLACES:
        places.append(at)
        at = text.find(needle, at + 1)
    return places


def _in_gold(spans: list[tuple[int, int]], gold: list[int], corpus: Corpus) -> list[Place]:
    """Return the spans that gold chunks hold: a single one, or else several together."""
    wanted = set(gold)
    places = [Place(start, end, corpus.holders(start, end)) for start, end in spans]
    within = [place for place in places if wanted.intersection(place.chunks)]
    if within:
        return within
    return [
        place
        for place in places
        if wanted.issuperset(touched := corpus.touched(place.start, place.end)) and touched
    ]

"""The chunks of a chunk set that hold an item's evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from curate.model.documents import Evidence
from curate.remap.folding import fold, letters, letters_only, unmarked, without_markup
from curate.remap.locating import find_all
from curate.remap.reading import Progress, read_chunks, sample
from curate.remap.stitching import Corpus, Modes, modes, stitch

Held = Literal["contained", "straddling", "repeated", "context", "absent"]

_AROUND = 48  # folded bytes on each side that tell repeats apart


@dataclass(frozen=True, slots=True)
class GoldChunks:
    """The chunks that hold an evidence, in document order, and how.

    `contained`: each of them holds all of it. `straddling`: none does, only together, which is
    a finding about the chunker. `repeated`: it stands in several places and nothing tells which
    is meant. `context`: only the context lines the chunker added hold it. `absent`: no chunk
    holds it. `reason` is a sentence for all but plainly contained evidence.
    """

    ids: tuple[str, ...]
    held: Held
    reason: str = ""


class ChunkSet:
    """A chunking of the corpus, stitched into documents."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    @classmethod
    def read(cls, path: Path, progress: Progress) -> ChunkSet:
        """Read a chunk file. Raises CurateError naming file and line, as `read_chunks` does."""
        how = modes(sample(path))
        chunks = read_chunks(
            path,
            wanted=None,
            context=how.context_line,
            progress=progress,
            stage="reading chunks",
        )
        return cls(stitch(chunks, how, keep_bodies=True))

    @property
    def size(self) -> int:
        """How many chunks there are."""
        return self._corpus.chunks.total

    @property
    def digest(self) -> str:
        """The digest of the chunk file."""
        return self._corpus.chunks.digest

    @property
    def modes(self) -> Modes:
        """Whether its windows overlap, and whether it puts context before each text."""
        return self._corpus.modes

    def gold(self, evidence: Evidence, document: str = "") -> GoldChunks:
        """Return the chunks that hold `evidence`; `document` is the text its span counts in.

        White space, case, quotes and dashes don't matter. Where the chunker dropped markup, the
        evidence is found without it. The document tells which of several repeats is meant.
        """
        corpus = self._corpus
        number = corpus.numbers.get(evidence.source)
        if number is None:
            return GoldChunks((), "absent", f"no chunk of {evidence.source} in the set")
        base, text = int(corpus.bases[number]), corpus.texts[number]
        phrase = fold(evidence.phrase)
        spans = [(at, at + len(phrase)) for at in find_all(text, phrase)]
        reason = ""
        if not spans:
            spans = without_markup(text).find_all(unmarked(phrase)) if phrase else []
            spans = spans or letters(text).find_all(letters_only(unmarked(phrase)))
            reason = "found without its markup" if spans else ""
        if not spans:
            return self._in_context(number, phrase)
        if len(spans) > 1:
            spans = _meant(spans, text, evidence, document) or spans
        answers = [corpus.holders(base + start, base + end) for start, end in spans]
        together = [
            corpus.touched(base + start, base + end)
            for (start, end), whole in zip(spans, answers, strict=True)
            if not whole
        ]
        ids = self._ids({chunk for answer in [*answers, *together] for chunk in answer})
        if len(spans) > 1:
            return GoldChunks(ids, "repeated", f"it stands in {len(spans)} places")
        if together:
            return GoldChunks(ids, "straddling", f"it is cut into {len(ids)} chunks")
        return GoldChunks(ids, "contained", reason)

    def foreign(self, documents: Mapping[str, str]) -> tuple[str, ...]:
        """Return the ids of chunks whose text stands in none of `documents` (source -> text).

        Texts are compared by their letters and digits, so that markup a chunker dropped or
        context it added in a line of its own is no difference.
        """
        corpus = self._corpus
        folded = {source: letters_only(fold(text)) for source, text in documents.items()}
        foreign = []
        for number, source in enumerate(corpus.sources):
            home = folded.get(source, b"")
            for chunk in range(int(corpus.firsts[number]), int(corpus.firsts[number + 1])):
                forms = self._forms(chunk)
                if not any(form in home for form in forms) and not any(
                    form in text for form in forms for text in folded.values()
                ):
                    foreign.append(corpus.id(chunk))
        return tuple(foreign)

    def _forms(self, chunk: int) -> list[bytes]:
        """Return the letters of a chunk's text: all, without markup, without its first lines."""
        corpus = self._corpus
        row = int(corpus.rows[chunk])
        body = corpus.chunks.bodies[row]
        leads = corpus.chunks.leads[row] if corpus.chunks.leads else ()
        return [letters_only(body), letters_only(unmarked(body))] + [
            letters_only(body[lead:]) for lead in leads
        ]

    def _in_context(self, number: int, phrase: bytes) -> GoldChunks:
        corpus = self._corpus
        first, last = int(corpus.firsts[number]), int(corpus.firsts[number + 1])
        holders = {
            chunk
            for chunk in range(first, last)
            if phrase and phrase in corpus.chunks.bodies[int(corpus.rows[chunk])]
        }
        if holders:
            return GoldChunks(self._ids(holders), "context", "only added context holds it")
        return GoldChunks((), "absent", "no chunk holds it")

    def _ids(self, chunks: set[int]) -> tuple[str, ...]:
        return tuple(self._corpus.id(chunk) for chunk in sorted(chunks))


def _meant(
    spans: list[tuple[int, int]], text: bytes, evidence: Evidence, document: str
) -> list[tuple[int, int]]:
    """Return the one span whose surroundings are those of the evidence, or nothing.

    As many places in the chunks as in the document: the same one counted from the beginning.
    """
    if not document:
        return []
    before = fold(document[: evidence.start])
    whole = fold(document)
    phrase = fold(evidence.phrase)
    places = find_all(whole, phrase)
    if len(places) == len(spans) and len(before) in places:
        return [spans[places.index(len(before))]]
    after = fold(document[evidence.end : evidence.end + 4 * _AROUND])
    scores = [
        _shared_end(before, text[max(0, start - _AROUND) : start])
        + _shared_end(after[:_AROUND][::-1], text[end : end + _AROUND][::-1])
        for start, end in spans
    ]
    best = max(scores)
    return [spans[scores.index(best)]] if scores.count(best) == 1 and best >= 16 else []


def _shared_end(one: bytes, other: bytes) -> int:
    """Return how many bytes two texts share at their ends."""
    count = 0
    while count < min(len(one), len(other)) and one[-1 - count] == other[-1 - count]:
        count += 1
    return count

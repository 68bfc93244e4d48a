"""Ranked search over sections: the words of a question, their kin, and its meaning as a whole."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from curate.corpus.features import Features
from curate.corpus.meaning import Meaning, directions
from curate.corpus.outline import Outline
from curate.corpus.pieces import pieces
from curate.corpus.words import SPACELESS, stem, words
from curate.model.documents import Passage, Section
from curate.model.records import RetrievedChunk

# BM25 (Robertson and Zaragoza, 2009) with its usual constants, a little less length damping.
_K1 = 1.2
_B = 0.5
_TITLE = 2  # a word of the path, heading or trail counts as often as this in the text
_KIN = 0.3  # cosine from which another word stands in for a word of the query
_MEANING = 0.5  # how much meaning counts beside words
_WHOLE = 0.4  # ... and of that the section as a whole, beside its best sentence
_LIKE = 0.78  # likeness from which an unknown word is taken for a misspelling
_SHORTEST = 5  # letters of a word that may be a misspelling
_RETRIEVED = 0.05  # what the assistant's first retrieved section is worth
_LAYS_DOWN = re.compile(
    r"\b(?:must|use|can|will|not|only|need|should|default|instead|to)\b", re.IGNORECASE
)
_LINK = re.compile(r"\]\([^()\s]*\)|\]\[")
_EXACT = re.compile(r"\d|`")
_WORD = re.compile(r"[^\W\d_]+")

Scores = NDArray[np.float64]
Kinship = NDArray[np.float32]


Said = tuple[str, float]
"""A piece of what is asked, and how much it counts beside the question's 1."""


class _Term(NamedTuple):
    """A query's term: its weight, the word it was said as, and its number if it occurs."""

    weight: float
    word: str
    number: int | None


class Ranker:
    """Ranks the sections of a set of documents."""

    def __init__(self, documents: Iterable[tuple[Outline, Sequence[Features]]]) -> None:
        self._sections: list[Section] = []
        self._spans: list[tuple[tuple[int, int], ...]] = []
        features: list[Features] = []
        for outline, known in documents:
            self._sections.extend(outline.sections)
            self._spans.extend(outline.sentences)
            features.extend(known)
        self._says = np.asarray([_says_something(section) for section in self._sections], bool)
        titles = [_title(section) for section in self._sections]
        self._count(features, titles)
        self._embed(features, titles)

    def _count(self, features: Sequence[Features], titles: Sequence[str]) -> None:
        said: dict[str, Counter[str]] = {}
        rows: list[int] = []
        columns: list[int] = []
        counts: list[int] = []
        numbers: dict[str, int] = {}
        lengths = np.zeros(len(features))
        for row, (known, title) in enumerate(zip(features, titles, strict=True)):
            held: Counter[str] = Counter()
            for word, count in known.words.items():
                held[stem(word)] += count
                said.setdefault(stem(word), Counter())[word] += count
            for word in words(title):
                held[stem(word)] += _TITLE
                said.setdefault(stem(word), Counter())[word] += 1
            for term, count in held.items():
                rows.append(row)
                columns.append(numbers.setdefault(term, len(numbers)))
                counts.append(count)
            lengths[row] = held.total()
        self._numbers = numbers
        self._words = sorted({word for forms in said.values() for word in forms})
        self._vocabulary = frozenset(self._words)
        order = np.argsort(np.asarray(columns, np.int64), kind="stable")
        self._rows = np.asarray(rows, np.int64)[order]
        frequency = np.asarray(counts, np.float64)[order]
        self._bounds = np.searchsorted(
            np.asarray(columns, np.int64)[order], np.arange(len(numbers) + 1)
        )
        damping = _K1 * (1 - _B + _B * lengths / max(1.0, lengths.mean() if len(lengths) else 1.0))
        self._weights = frequency / (frequency + damping[self._rows])
        # A term is compared by its commonest form; sorted so that ties never depend on order.
        forms = [
            min(said[term].items(), key=lambda form: (-form[1], form[0]))[0] for term in numbers
        ]
        self._forms = forms

    def _embed(self, features: Sequence[Features], titles: Sequence[str]) -> None:
        flat = [sentence for known in features for sentence in known.sentences]
        per_section = np.asarray([len(known.sentences) for known in features], np.int64)
        self._owner = np.repeat(np.arange(len(features)), per_section)
        self._first = np.cumsum(per_section) - per_section
        self._meaning = Meaning(flat)
        sums = self._meaning.sums(flat)
        title_sums = self._meaning.sums(list(pieces().encode(titles)))
        whole = np.zeros_like(title_sums)
        np.add.at(whole, self._owner, sums)
        self._whole = directions(whole)
        self._each = directions(sums + title_sums[self._owner])
        self._bare = directions(sums)
        self._kinds = directions(self._meaning.sums(list(pieces().encode(self._forms)), even=True))
        self._kinds[np.asarray([not _has_kin(form) for form in self._forms], bool)] = 0

    def frequency(self, word: str) -> float:
        """Return the share of sections that hold all the terms of `word`, at most."""
        counts = [
            self._bounds[number + 1] - self._bounds[number] if number is not None else 0
            for number in (self._numbers.get(stem(part)) for part in words(word))
        ]
        return float(min(counts, default=0)) / max(1, len(self._sections))

    def rank(
        self, said: Sequence[Said], k: int, chunks: Sequence[RetrievedChunk] = ()
    ) -> list[Passage]:
        """Return the best `k` sections, best first; fewer when fewer have anything to do with it.

        The score is the share of the question's words found, kin words counting less, plus the
        likeness in meaning, plus a little for what the assistant retrieved. It does not depend
        on the other sections, so it can be compared from one sync to the next.
        """
        said = [(self._respelled(text), weight) for text, weight in said]
        terms = self._terms(said)
        if not terms:
            return []
        kin = self._kin(terms)
        found = self._found(terms, kin)
        towards = self._towards(said)
        alike = self._alike(towards)
        scores = (found + _MEANING * alike + self._retrieved(chunks)) * self._says
        best = np.lexsort((np.arange(len(scores)), -scores))[:k]
        return [
            Passage(
                self._sections[n],
                float(scores[n]),
                self._best(int(n), terms, kin),
                "words" if found[n] >= _MEANING * alike[n] else "meaning",
            )
            for n in best
            if scores[n] > 0
        ]

    # ------------------------------------------------------------------ words

    def _respelled(self, text: str) -> str:
        return _WORD.sub(lambda match: self._spelling(match.group()), text)

    def _spelling(self, word: str) -> str:
        lower = word.lower()
        if (
            len(word) < _SHORTEST
            or lower in self._vocabulary
            or SPACELESS.search(word)
            or pieces().known(lower)
        ):
            return word
        near = process.extractOne(
            lower,
            self._words,
            scorer=DamerauLevenshtein.normalized_similarity,
            score_cutoff=_LIKE,
        )
        return near[0] if near else word

    def _terms(self, said: Sequence[Said]) -> list[_Term]:
        terms: dict[str, _Term] = {}
        for text, weight in said:
            for word in words(text):
                term = stem(word)
                if term not in terms or terms[term].weight < weight:
                    terms[term] = _Term(weight, word, self._numbers.get(term))
        return list(terms.values())

    def _found(self, terms: Sequence[_Term], kinship: Kinship) -> Scores:
        total = np.zeros(len(self._sections))
        most = 0.0
        for term, kin in zip(terms, kinship, strict=True):
            gain = np.zeros(len(self._sections))
            holding = np.zeros(len(self._sections))
            for number in np.flatnonzero(kin):
                span = slice(self._bounds[number], self._bounds[number + 1])
                rows = self._rows[span]
                gain[rows] = np.maximum(gain[rows], kin[number] * self._weights[span])
                holding[rows] = np.maximum(holding[rows], kin[number])
            worth = term.weight * self._rarity(float(holding.sum())) * pieces().rarity(term.word)
            total += worth * gain
            most += worth
        return total / most if most else total

    def _kin(self, terms: Sequence[_Term]) -> Kinship:
        """Return, for each term, how well each term of the corpus stands in for it, 0 to 1."""
        vectors = self._meaning.sums(list(pieces().encode([t.word for t in terms])), even=True)
        vectors[np.asarray([not _has_kin(term.word) for term in terms], bool)] = 0
        likeness = directions(vectors) @ self._kinds.T
        likeness[likeness < _KIN] = 0
        for row, term in enumerate(terms):
            if term.number is not None:
                likeness[row, term.number] = 1
        return np.asarray(likeness, np.float32)

    def _rarity(self, holding: float) -> float:
        return math.log(1 + (len(self._sections) - holding + 0.5) / (holding + 0.5))

    # ------------------------------------------------------------------ meaning

    def _towards(self, said: Sequence[Said]) -> NDArray[np.float32]:
        sums = self._meaning.sums(list(pieces().encode([text for text, _ in said])))
        weights = np.asarray([weight for _, weight in said], np.float32)
        return directions((sums * weights[:, None]).sum(0))

    def _alike(self, towards: NDArray[np.float32]) -> Scores:
        best = np.zeros(len(self._sections))
        if len(self._owner):
            each = (self._each @ towards).astype(np.float64)
            best[:] = np.maximum.reduceat(each, self._first)  # no section is without a sentence
        return np.asarray((1 - _WHOLE) * best + _WHOLE * (self._whole @ towards))

    def _best(self, number: int, terms: Sequence[_Term], kin: Kinship) -> tuple[int, int]:
        """Return the sentence likeliest to answer.

        What the title says already tells no sentence from another, so its words do not count.
        Beyond the words, sentences that lay something down, with a number or code, and not a mere
        pointer elsewhere, come first.
        """
        section = self._sections[number]
        about = {stem(word) for word in words(_title(section))}
        worth = np.asarray(
            [
                term.weight * self._rarity(self.frequency(term.word) * len(self._sections))
                if stem(term.word) not in about
                else 0.0
                for term in terms
            ]
        )
        worth /= max(1.0, worth.sum())

        def value(place: int) -> tuple[float, int]:
            start, end = spans[place]
            text = section.text[start - section.start : end - section.start]
            stems = {stem(word) for word in words(text)}
            held = kin[:, sorted(self._numbers[s] for s in stems if s in self._numbers)]
            said = float(worth @ held.max(1)) if held.size else 0.0
            return said + _cues(text), -place

        spans = self._spans[number]
        return spans[max(range(len(spans)), key=value)]

    # ------------------------------------------------------------------ the assistant's own choice

    def _retrieved(self, chunks: Sequence[RetrievedChunk]) -> Scores:
        bonus = np.zeros(len(self._sections))
        if not chunks:
            return bonus
        for row, section in enumerate(self._sections):
            for chunk in chunks:
                if chunk.source and _same_source(chunk.source, section.source):
                    here = chunk.heading and chunk.heading.strip("# ") in (
                        section.heading,
                        " > ".join([*section.trail, section.heading]),
                    )
                    worth = _RETRIEVED * (1 if here else 0.3) / math.sqrt(max(1, chunk.rank))
                    bonus[row] = max(bonus[row], worth)
        return bonus


def _cues(text: str) -> float:
    pointer = _LINK.search(text) is not None
    return (
        0.1 * min(1.0, len(text) / 120)
        + 0.1 * (_LAYS_DOWN.search(text) is not None)
        + 0.05 * (_EXACT.search(_LINK.sub("", text)) is not None)
        - 0.1 * pointer
    )


def _says_something(section: Section) -> bool:
    """Say whether anything stands below the heading: a bare title answers nothing."""
    _, _, below = section.text.strip().partition("\n")
    return not section.heading or bool(below.strip("=-~ \t\r\n"))


def _title(section: Section) -> str:
    path = section.source.rpartition(".")[0] or section.source
    return " ".join([re.sub(r"[/._-]+", " ", path), *section.trail, section.heading])


def _same_source(logged: str, source: str) -> bool:
    logged, source = logged.strip("/"), source.strip("/")
    return logged == source or logged.endswith("/" + source) or source.endswith("/" + logged)


@lru_cache(maxsize=100_000)
def _has_kin(word: str) -> bool:
    """Say whether other words may stand in for it: numbers and characters stand for themselves."""
    return word.isalpha() and len(word) > 2 and not SPACELESS.search(word)

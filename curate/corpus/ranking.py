"""Ranked search over sections: BM25 over stemmed terms, titles and bodies."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from curate.corpus.outline import Outline
from curate.corpus.words import terms
from curate.model import Passage, Section

_K1 = 1.2
_B = 0.75
_TITLE = 2


class Ranker:
    """Ranks the sections of a set of outlines."""

    def __init__(self, outlines: Iterable[Outline]) -> None:
        self._sections: list[Section] = []
        self._sentences: list[tuple[tuple[int, int], ...]] = []
        for outline in outlines:
            self._sections.extend(outline.sections)
            self._sentences.extend(outline.sentences)
        self._postings: dict[str, dict[int, int]] = {}
        self._lengths: list[int] = []
        for number, section in enumerate(self._sections):
            counts = Counter(terms(section.text))
            for term in terms(" ".join([section.source, *section.trail, section.heading])):
                counts[term] += _TITLE
            self._lengths.append(counts.total())
            for term, count in counts.items():
                self._postings.setdefault(term, {})[number] = count
        self._average = sum(self._lengths) / len(self._lengths) if self._lengths else 1.0

    def frequency(self, word: str) -> float:
        """Return the share of sections that hold all the terms of `word`, at most."""
        counts = [len(self._postings.get(term, ())) for term in terms(word)]
        return min(counts, default=0) / max(1, len(self._sections))

    def rank(self, query: Mapping[str, float], k: int) -> list[Passage]:
        """Return the best `k` sections for weighted terms; fewer when fewer hold any."""
        scores: dict[int, float] = defaultdict(float)
        for term, weight in query.items():
            postings = self._postings.get(term, {})
            idf = self._idf(term)
            for number, count in postings.items():
                norm = _K1 * (1 - _B + _B * self._lengths[number] / self._average)
                scores[number] += weight * idf * count * (_K1 + 1) / (count + norm)
        best = sorted(scores, key=lambda number: (-scores[number], number))[:k]
        return [Passage(self._sections[n], scores[n], self._best(n, query), "words") for n in best]

    def _idf(self, term: str) -> float:
        holding = len(self._postings.get(term, ()))
        return math.log(1 + (len(self._sections) - holding + 0.5) / (holding + 0.5))

    def _best(self, number: int, query: Mapping[str, float]) -> tuple[int, int]:
        section, sentences = self._sections[number], self._sentences[number]
        return max(sentences, key=lambda span: self._worth(section, span, query))

    def _worth(self, section: Section, span: tuple[int, int], query: Mapping[str, float]) -> float:
        text = section.text[span[0] - section.start : span[1] - section.start]
        return sum(query[term] * self._idf(term) for term in set(terms(text)) if term in query)


def weighted(texts: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Return the terms of several texts, each term with the greatest weight it has in one."""
    query: dict[str, float] = {}
    for text, weight in texts:
        for term in terms(text):
            query[term] = max(weight, query.get(term, 0.0))
    return query

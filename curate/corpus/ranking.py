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

from curate.corpus.encoder import encoder
from curate.corpus.features import Features
from curate.corpus.meaning import Meaning, directions
from curate.corpus.outline import Outline
from curate.corpus.pieces import pieces
from curate.corpus.postings import Kinship, Postings, Scores
from curate.corpus.words import SPACELESS, stem, words
from curate.model.documents import Passage, Section
from curate.model.records import RetrievedChunk

_TITLE = 2  # a word of the path, heading or trail counts as often as this in the text
_KIN = 0.3  # cosine from which another word stands in for a word of the query
# How much counts beside the words found in a section. Chosen on three documentations and checked
# on a fourth, each in turn; any of them may be half or twice as much at little loss.
_MEANING = 0.3  # likeness by static vectors
_WHOLE = 0.4  # ... and of that the section as a whole, beside its best sentence
_SENSE = 0.6  # likeness by the encoder's vectors
_PAGE = 0.4  # the words found in the whole document
_PAGE_MEANING = 0.2  # its likeness by static vectors
_MOST = 1 + _PAGE  # what all the words are worth; the score is a share of that
_LOG = 0.85  # what a section of a change log is worth
_LOGS = {"changelog", "changes", "history", "news", "releasenotes", "releases", "whatsnew"}
_LIKE = 0.78  # likeness from which an unknown word is taken for a misspelling
_SHORTEST = 5  # letters of a word that may be a misspelling
_RETRIEVED = 0.05  # what the assistant's first retrieved section is worth
_LAYS_DOWN = re.compile(
    r"\b(?:must|use|can|will|not|only|need|should|default|instead|to)\b", re.IGNORECASE
)
_LIMITS = re.compile(
    r"\b(?:by default|instead|only|must|cannot|will not|unless|however|but)\b", re.IGNORECASE
)
_DOES = re.compile(  # a question that a command, an option or a setting answers
    r"\b(?:how (?:do|can|to|does)|what do i|command|option|flag|syntax|set|turn off|disable|enable"
    r"|switch|which (?:variable|key))\b",
    re.IGNORECASE,
)
_CODE = 0.2  # what code in a sentence is worth to such a question
_ECHO = -0.2  # what a sentence is worth that the question says itself
_NEW = 0.4  # the share of a sentence's words from which it is no echo
_LINK = re.compile(r"\]\([^()\s]*\)|\]\[")
_EXACT = re.compile(r"\d|`")
_WORD = re.compile(r"[^\W\d_]+")

Said = tuple[str, float]
"""A piece of what is asked, and how much it counts beside the question's 1."""


class _Term(NamedTuple):
    """A query's term: its weight, the word it was said as, and its number if it occurs."""

    weight: float
    word: str
    number: int | None


class _Sentence(NamedTuple):
    """The numbers of a sentence's terms, what its form is worth, and whether it shows code."""

    numbers: NDArray[np.int64]
    form: float
    code: bool


class Ranker:
    """Ranks the sections of a set of documents."""

    def __init__(self, documents: Iterable[tuple[Outline, Sequence[Features]]]) -> None:
        self._sections: list[Section] = []
        self._spans: list[tuple[tuple[int, int], ...]] = []
        features: list[Features] = []
        page: list[int] = []
        for number, (outline, known) in enumerate(documents):
            self._sections.extend(outline.sections)
            self._spans.extend(outline.sentences)
            features.extend(known)
            page += [number] * len(known)
        self._page = np.asarray(page, np.int64)
        self._sentences: dict[int, list[_Sentence]] = {}
        self._usual = np.asarray([_usual(section) for section in self._sections], np.float64)
        titles = [_title(section) for section in self._sections]
        self._count(features, titles)
        self._embed(features, titles)

    def _count(self, features: Sequence[Features], titles: Sequence[str]) -> None:
        said: dict[str, Counter[str]] = {}
        numbers: dict[str, int] = {}
        texts: list[Counter[int]] = []
        pages: list[Counter[int]] = [Counter() for _ in range(self._pages())]
        for known, title, page in zip(features, titles, self._page, strict=True):
            held: Counter[int] = Counter()
            for word, count in known.words.items():
                term = stem(word)
                held[numbers.setdefault(term, len(numbers))] += count
                said.setdefault(term, Counter())[word] += count
            pages[page].update(held)
            for word in words(title):
                term = stem(word)
                held[numbers.setdefault(term, len(numbers))] += _TITLE
                said.setdefault(term, Counter())[word] += 1
            texts.append(held)
        self._numbers = numbers
        self._words = sorted({word for forms in said.values() for word in forms})
        self._vocabulary = frozenset(self._words)
        self._in_sections = Postings(texts, len(numbers))
        self._in_pages = Postings(pages, len(numbers))
        # A term is compared by its commonest form; sorted so that ties never depend on order.
        forms = [
            min(said[term].items(), key=lambda form: (-form[1], form[0]))[0] for term in numbers
        ]
        self._forms = forms

    def _pages(self) -> int:
        return int(self._page[-1]) + 1 if len(self._page) else 0

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
        page = np.zeros((self._pages(), whole.shape[1]), np.float32)
        np.add.at(page, self._page, self._whole)
        self._whole_page = directions(page)
        self._sense = np.asarray([known.vector for known in features], np.float32)
        self._kinds = directions(self._meaning.sums(list(pieces().encode(self._forms)), even=True))
        self._kinds[np.asarray([not _has_kin(form) for form in self._forms], bool)] = 0

    def frequency(self, word: str) -> float:
        """Return the share of sections that hold all the terms of `word`, at most."""
        counts = [
            self._in_sections.holding(number) if number is not None else 0
            for number in (self._numbers.get(stem(part)) for part in words(word))
        ]
        return min(counts, default=0) / max(1, len(self._sections))

    def rank(
        self, said: Sequence[Said], k: int, chunks: Sequence[RetrievedChunk] = ()
    ) -> list[Passage]:
        """Return the best `k` sections, best first; fewer when fewer have anything to do with it.

        The score is the share of the question's words found in the section and on its page, kin
        words counting less, plus the likeness in meaning of both, plus a little for what the
        assistant retrieved. It hardly depends on other pages, so it can be compared from one
        sync to the next.
        """
        said = [(self._respelled(text), weight) for text, weight in said]
        terms = self._terms(said)
        if not terms or not self._sections:
            return []
        kin = self._kin(terms)
        does = _DOES.search(said[0][0]) is not None
        worths = [
            term.weight * self._rarity(self._in_sections.spread(row)) * pieces().rarity(term.word)
            for term, row in zip(terms, kin, strict=True)
        ]
        by_words = (
            self._in_sections.found(kin, worths)
            + _PAGE * self._in_pages.found(kin, worths)[self._page]
        )
        by_meaning = self._alike(self._towards(said)) + _SENSE * self._sensed(said)
        scores = (by_words + by_meaning + self._retrieved(chunks)) * self._usual / _MOST
        best = np.lexsort((np.arange(len(scores)), -scores))[:k]
        return [
            Passage(
                self._sections[n],
                float(scores[n]),
                self._best(int(n), terms, kin, does=does),
                "words" if by_words[n] >= by_meaning[n] else "meaning",
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
        section = (1 - _WHOLE) * best + _WHOLE * (self._whole @ towards)
        page = (self._whole_page @ towards)[self._page]
        return np.asarray(_MEANING * section + _PAGE_MEANING * page, np.float64)

    def _sensed(self, said: Sequence[Said]) -> Scores:
        rows = encoder().encode([text for text, _ in said])
        weights = np.asarray([weight for _, weight in said], np.float32)
        towards = directions((rows * weights[:, None]).sum(0))
        return np.asarray(self._sense @ towards, np.float64)

    def _best(
        self, number: int, terms: Sequence[_Term], kin: Kinship, *, does: bool
    ) -> tuple[int, int]:
        """Return the sentence likeliest to answer.

        What the title says already tells no sentence from another, so its words do not count.
        Beyond the words, sentences that lay something down, with a number or code, and not a mere
        pointer elsewhere, come first; for a question how something is done, those with code. An
        echo of the question comes last.
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

        if number not in self._sentences:
            self._sentences[number] = self._read(section, self._spans[number])
        sentences = self._sentences[number]
        asked = [term.number for term in terms if term.weight >= 1 and term.number is not None]

        def value(place: int) -> tuple[float, int]:
            numbers, form, code = sentences[place]
            held = kin[:, numbers]
            found = float(worth @ held.max(1)) if held.size else 0.0
            new = 1 - np.isin(numbers, asked).mean() if len(numbers) else 1.0
            telling = (_CODE if does and code else 0.0) + (_ECHO if new < _NEW else 0.0)
            return found + form + telling, -place

        spans = self._spans[number]
        return spans[max(range(len(spans)), key=value)]

    def _read(self, section: Section, spans: Sequence[tuple[int, int]]) -> list[_Sentence]:
        found = []
        for start, end in spans:
            text = section.text[start - section.start : end - section.start]
            fenced = section.text.count("```", 0, start - section.start) % 2 == 1
            stems = {stem(word) for word in words(text)}
            numbers = sorted(self._numbers[s] for s in stems if s in self._numbers)
            code = fenced or "`" in _LINK.sub("", text)
            found.append(_Sentence(np.asarray(numbers, np.int64), _form(text), code))
        return found

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


def _form(text: str) -> float:
    pointer = _LINK.search(text) is not None
    return (
        0.1 * min(1.0, len(text) / 120)
        + 0.1 * (_LAYS_DOWN.search(text) is not None)
        + 0.05 * (_LIMITS.search(text) is not None)
        + 0.05 * (_EXACT.search(_LINK.sub("", text)) is not None)
        - 0.1 * pointer
    )


def _usual(section: Section) -> float:
    """Return what a section is worth whatever is asked: a bare title answers nothing, and what a
    change log says is mostly said elsewhere as it is now.
    """
    _, _, below = section.text.strip().partition("\n")
    if section.heading and not below.strip("=-~ \t\r\n"):
        return 0.0
    path = re.sub(r"[-_']", "", section.source.rpartition(".")[0] or section.source).lower()
    return 1.0 if _LOGS.isdisjoint(path.split("/")) else _LOG


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

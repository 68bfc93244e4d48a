"""Where a phrase stands now: the ladder from verbatim down to lost."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from rapidfuzz import fuzz

from curate.corpus.documents import Document
from curate.corpus.outline import Outline
from curate.model.documents import Evidence, Grade
from curate.text import JS_SPACE, fold_space, strip_space

SURE = 32
"""Bytes of a phrase that is taken for moved wherever it stands alone in the corpus."""
SHORTEST = 12
"""Bytes of a phrase that is looked for in other documents at all."""
REWORDED = 80.0
"""Likeness from 0 to 100 (rapidfuzz' partial ratio) from which a passage is shown as reworded."""

_SPACE = f"[{JS_SPACE}]+"
_QUOTES = str.maketrans("‘’‚‛“”„‟«»‹›`´′″", '\'\'\'\'""""""""\'\'\'"')  # noqa: RUF001
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-")  # noqa: RUF001
_MARKUP = frozenset("*_~`[]()#|<>\\'\"")
_LINK = re.compile(r"\]\([^()\s]*(?:\s+\"[^\"]*\")?\)|\]\[[^\]]*\]")


class Place(NamedTuple):
    """A span in a document."""

    source: str
    start: int
    end: int


class Locator:
    """Finds phrases in a set of documents. Holds the folded forms it has made."""

    def __init__(self, documents: Mapping[str, Document], outlines: Mapping[str, Outline]) -> None:
        self._documents = documents
        self._outlines = outlines
        self._folded: dict[tuple[str, bool], str] = {}

    def locate(self, evidence: Evidence) -> Evidence:
        """Return `evidence` with the grade, span, heading and source it has now.

        - `verbatim`: by the harness's rule (white space folded) under its heading, or at its
          very span; `normalised`: in its document, but for white space, quotes, dashes, letter
          case, invisible characters or Markdown signs; `moved`: verbatim in one place under
          another heading, or in one other document if long enough not to be chance.
        - `ambiguous`: several places, or one that was reworded; the span is the likeliest.
        - `lost`: none; the evidence is as it was.
        """
        document = self._documents.get(evidence.source)
        if document is not None:
            text = document.text
            if text[evidence.start : evidence.end] == evidence.phrase and (
                document.digest == evidence.digest
                or self._heading(evidence.source, evidence.start) == evidence.heading
            ):
                return self._graded(
                    evidence, Place(evidence.source, evidence.start, evidence.end), "verbatim"
                )
            here = [Place(evidence.source, *span) for span in occurrences(text, evidence.phrase)]
            if here:
                return self._of_several(evidence, here, "verbatim", "moved")
            for bare in (False, True):
                here = list(self._alike(evidence.source, evidence.phrase, bare))
                if here:
                    return self._of_several(evidence, here, "normalised", "normalised")
        return (
            self._elsewhere(evidence) or self._reworded(evidence) or replace(evidence, grade="lost")
        )

    def _of_several(
        self, evidence: Evidence, places: list[Place], same: Grade, other: Grade
    ) -> Evidence:
        under = [p for p in places if self._heading(p.source, p.start) == evidence.heading]
        if len(under) == 1:
            return self._graded(evidence, under[0], same)
        if not under and len(places) == 1:
            return self._graded(evidence, places[0], other)
        nearest = min(under or places, key=lambda p: (abs(p.start - evidence.start), p.start))
        return self._graded(evidence, nearest, "ambiguous")

    def _elsewhere(self, evidence: Evidence) -> Evidence | None:
        size = len(evidence.phrase.encode("utf-8", "surrogatepass"))
        if size < SHORTEST:
            return None
        others = [source for source in self._documents if source != evidence.source]
        places = [
            Place(source, *span)
            for source in others
            for span in occurrences(self._documents[source].text, evidence.phrase)
        ]
        alike = not places
        if alike and size >= SURE:
            places = [p for source in others for p in self._alike(source, evidence.phrase, False)]
        if not places:
            return None
        under = [
            p
            for p in places
            if evidence.heading and self._heading(p.source, p.start) == evidence.heading
        ]
        best = (under or places)[0]
        sure = len(places) == 1 and (size >= SURE or bool(under)) and not alike
        return self._graded(evidence, best, "moved" if sure else "ambiguous")

    def _reworded(self, evidence: Evidence) -> Evidence | None:
        document = self._documents.get(evidence.source)
        phrase = fold_space(strip_space(evidence.phrase)).lower()
        if document is None or len(phrase) < SHORTEST:
            return None
        best: tuple[float, Place] | None = None
        outline = self._outlines[evidence.source]
        for section, sentences in zip(outline.sections, outline.sentences, strict=True):
            text = section.text.lower()
            if len(text) != len(section.text):  # a lower-case form of another length
                text = section.text
            found = fuzz.partial_ratio_alignment(phrase, text, score_cutoff=REWORDED)
            if found is None or found.dest_start == found.dest_end:
                continue
            start, end = section.start + found.dest_start, section.start + found.dest_end
            touched = [s for s in sentences if s[0] < end and start < s[1]]
            if touched:  # whole sentences: where rewording begins is anybody's guess
                start, end = touched[0][0], touched[-1][1]
            if best is None or found.score > best[0]:
                best = (found.score, Place(evidence.source, start, end))
        return self._graded(evidence, best[1], "ambiguous") if best else None

    def _alike(self, source: str, phrase: str, bare: bool) -> Iterator[Place]:
        wanted = _fold(phrase, bare=bare)
        if not wanted:
            return
        text = self._documents[source].text
        key = (source, bare)
        if key not in self._folded:
            self._folded[key] = _fold(text, bare=bare)
        folded = self._folded[key]
        at = folded.find(wanted)
        origins = _origins(text, bare=bare) if at >= 0 else []
        while at >= 0:
            yield Place(source, origins[at], origins[at + len(wanted) - 1] + 1)
            at = folded.find(wanted, at + len(wanted))

    def _heading(self, source: str, position: int) -> str:
        outline = self._outlines[source]
        return outline.sections[outline.at(position)].heading if outline.sections else ""

    def _graded(self, evidence: Evidence, place: Place, grade: Grade) -> Evidence:
        document = self._documents[place.source]
        return replace(
            evidence,
            source=place.source,
            heading=self._heading(place.source, place.start),
            phrase=document.text[place.start : place.end],
            start=place.start,
            end=place.end,
            digest=document.digest,
            grade=grade,
        )


def occurrences(text: str, phrase: str) -> list[tuple[int, int]]:
    """Return the spans of `text` that equal `phrase` by the harness's rule, in order."""
    words = [re.escape(word) for word in re.split(_SPACE, strip_space(phrase)) if word]
    if not words:
        return []
    return [match.span() for match in re.finditer(_SPACE.join(words), text)]


class _Folding(dict[int, str]):
    """What each character becomes. White space, invisible characters and, if `bare`, Markdown's
    signs become nothing; letter case, compatibility forms, quotes and dashes become one.
    """

    def __init__(self, *, bare: bool) -> None:
        self._bare = bare

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if self._bare and char in _MARKUP:
            folded = ""
        else:
            plain = unicodedata.normalize("NFKD", char.translate(_DASHES).translate(_QUOTES))
            folded = "".join(
                c for c in plain if unicodedata.category(c) not in ("Cf", "Cc", "Zs", "Zl", "Zp")
            ).casefold()
        self[code] = folded
        return folded


_STRICT = _Folding(bare=False)
_BARE = _Folding(bare=True)


def _fold(text: str, *, bare: bool) -> str:
    return _visible(text, bare=bare).translate(_BARE if bare else _STRICT)


def _origins(text: str, *, bare: bool) -> list[int]:
    """Return, for each character of the folded text, where it stood."""
    folding = _BARE if bare else _STRICT
    return [
        position
        for position, char in enumerate(_visible(text, bare=bare))
        for _ in folding[ord(char)]
    ]


def _visible(text: str, *, bare: bool) -> str:
    """Return `text` with link targets blanked when `bare`; offsets stay the same."""
    return _LINK.sub(lambda match: " " * len(match.group()), text) if bare else text

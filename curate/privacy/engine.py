"""Presidio's analyser with our recognisers, cut off from the network and silenced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import tldextract
import tldextract.tldextract
from presidio_analyzer import (
    AnalyzerEngine,
    EntityRecognizer,
    RecognizerRegistry,
    RecognizerResult,
)
from presidio_analyzer.context_aware_enhancers import ContextAwareEnhancer
from presidio_analyzer.nlp_engine import NlpArtifacts, NoOpNlpEngine, SpacyNlpEngine

from curate.config import PrivacySettings
from curate.model.errors import CurateError
from curate.model.records import Clean, Redaction
from curate.privacy import emails, names
from curate.privacy.cues import CueRecognizer
from curate.privacy.emails import EmailRecognizer
from curate.privacy.operators import KNOWN_SURROGATES, Operator, check, surrogates
from curate.privacy.phones import PhoneRecognizer
from curate.privacy.rampart import Rampart
from curate.privacy.silence import silence
from curate.privacy.terms import DenyRecognizer, Terms
from curate.privacy.words import Piece, wordlist

LANGUAGE = "en"
"""One engine serves every language: the recognisers are told by script and words, not by it."""

_CARRIED = 200
"""How many of a record's findings are looked for in its other texts: every one costs a search."""


class NameArtifacts(NlpArtifacts):
    """Presidio's artifacts of a text, with the names model's scores from a batch run; None where
    the model was not asked, since no word could be a name.
    """

    def __init__(self, empty: NlpArtifacts, scores: list[Piece] | None) -> None:
        super().__init__([], empty.tokens, [], [], empty.nlp_engine, LANGUAGE, [])
        self.names = scores


class NoEnhancer(ContextAwareEnhancer):
    """Leaves every score as it is: our recognisers look at the words beside a finding themselves,
    and Presidio's default copies all results of a text for nothing.
    """

    def __init__(self) -> None:
        super().__init__(0.0, 0.0, 0, 0)

    def enhance_using_context(
        self,
        text: str,
        raw_results: list[RecognizerResult],
        nlp_artifacts: NlpArtifacts,
        recognizers: list[EntityRecognizer],
        context: list[str] | None = None,
    ) -> list[RecognizerResult]:
        """Return the results."""
        return raw_results


class NameRecognizer(EntityRecognizer):
    """Finds personal names with the Rampart model and the word rule."""

    def __init__(self, model: Rampart, allowed: Terms, *, strict: bool) -> None:
        super().__init__([names.ENTITY], name="rampart", supported_language=LANGUAGE)
        self._model = model
        self._allowed = allowed
        self._strict = strict
        self._limit = names.STRICT_LIMIT if strict else names.LIMIT

    def load(self) -> None:
        """Nothing to load: the model is handed in."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """Return a result for every name; uses the batch's scores where they are at hand."""
        if isinstance(nlp_artifacts, NameArtifacts):
            scores = nlp_artifacts.names
        else:
            [scores] = self.scores([text])
        found = names.handles(text)
        if scores is not None:
            found += names.find(text, scores, self._limit, self._allowed.spans(text))
        return [RecognizerResult(names.ENTITY, name.start, name.end, name.score) for name in found]

    def scores(self, texts: Sequence[str]) -> list[list[Piece] | None]:
        """Return what the model says of each text, in one batch; None where it is not asked."""
        asked = [
            index
            for index, text in enumerate(texts)
            if names.worth_judging(text, strict=self._strict)
        ]
        scores: list[list[Piece] | None] = [None] * len(texts)
        found = self._model.names([texts[index] for index in asked])
        for index, pieces in zip(asked, found, strict=True):
            scores[index] = pieces
        return scores


@dataclass(frozen=True, slots=True)
class Found:
    """Personal text in a text: its span, kind, score from 0 to 1, and the recogniser's name."""

    start: int
    end: int
    entity: str
    score: float
    by: str


class Engine:
    """The loaded model and the two analysers: at the door, and the stricter second scan."""

    def __init__(self, settings: PrivacySettings) -> None:
        check(settings)
        _shut_off()
        self._model = Rampart()
        self._nothing = NoOpNlpEngine(models=[{"lang_code": LANGUAGE, "model_name": "none"}])
        self._nothing.load()
        self._entities = list(settings.entities)
        self._allowed = Terms(settings.allow)
        # The second scan knows the program's own stand-ins.
        self._stand_ins = Terms(
            [
                known
                for entity in settings.entities
                for known in surrogates(entity, KNOWN_SURROGATES, settings.seed)
            ]
            if settings.operator == "surrogate"
            else []
        )
        self._denied = Terms(settings.deny)
        self._more: list[EntityRecognizer] = []
        if settings.profile == "thorough":
            from curate.privacy.thorough import ThoroughRecognizer

            self._more.append(ThoroughRecognizer())
        self._names = NameRecognizer(self._model, self._allowed, strict=False)
        self._strict_names = NameRecognizer(self._model, self._allowed, strict=True)
        self.door = self._analyzer(settings, strict=False)
        self.gate = self._analyzer(settings, strict=True)

    def _analyzer(self, settings: PrivacySettings, *, strict: bool) -> AnalyzerEngine:
        recognizers: list[EntityRecognizer] = [
            self._strict_names if strict else self._names,
            CueRecognizer(),
            DenyRecognizer(self._denied),
            EmailRecognizer(),
            PhoneRecognizer(settings.phone_regions, strict=strict),
            *self._more,
        ]
        return AnalyzerEngine(
            registry=RecognizerRegistry(recognizers, supported_languages=[LANGUAGE]),
            nlp_engine=self._nothing,
            supported_languages=[LANGUAGE],
            context_aware_enhancer=NoEnhancer(),
        )

    def find(self, texts: Sequence[str], *, strict: bool) -> list[list[Found]]:
        """Return what is personal in each text, in order, without overlaps."""
        analyzer = self.gate if strict else self.door
        empty = self._nothing.process_text("", LANGUAGE)
        every = (self._strict_names if strict else self._names).scores(texts)
        return [
            self._settle(
                text,
                analyzer.analyze(
                    text, LANGUAGE, self._entities, nlp_artifacts=NameArtifacts(empty, scores)
                ),
                self._stand_ins.spans(text) if strict else (),
            )
            for text, scores in zip(texts, every, strict=True)
        ]

    def again(self, record: Sequence[tuple[str, list[Found]]]) -> list[list[Found]]:
        """Return what is found in each text of a record, with what the others were found to hold.

        Whole words, in any case; an ordinary word that is a name here (Will, Rose) only as it is
        written there, with its capital.
        """
        values = {
            text[one.start : one.end]: one
            for text, found in record
            for one in found
            if one.entity != emails.ENTITY  # found wherever it stands
        }
        terms = [(Terms([value]), value, one) for value, one in islice(values.items(), _CARRIED)]
        result = []
        for text, found in record:
            more = [
                Found(start, end, one.entity, one.score, "again")
                for known, value, one in terms
                for start, end in known.spans(text)
                if not any(own.start <= start and end <= own.end for own in found)
                and (not _ordinary(value) or text[start:end] == value != value.lower())
            ]
            result.append(self._joined(text, [*found, *more]) if more else found)
        return result

    def replace(self, text: str, found: Sequence[Found], operator: Operator) -> Clean:
        """Return `text` with everything found replaced by its placeholder; the rest is as it was.

        `found` is in order, without overlaps.
        """
        pieces: list[str] = []
        redactions: list[Redaction] = []
        done = length = 0
        for one in found:
            stands = operator.placeholder(one.entity, text[one.start : one.end])
            length += one.start - done
            redactions.append(
                Redaction(one.start, one.end, one.entity, stands, length, one.score, one.by)
            )
            pieces += (text[done : one.start], stands)
            length += len(stands)
            done = one.end
        return Clean("".join((*pieces, text[done:])), tuple(redactions))

    def _settle(
        self, text: str, results: list[RecognizerResult], stand_ins: Sequence[tuple[int, int]]
    ) -> list[Found]:
        """Resolve overlaps: an address or number beats a name in it, else the surer is kept
        and widened, so that nothing any recogniser found shows.
        """
        return self._joined(
            text,
            [
                Found(result.start, result.end, result.entity_type, result.score, _by(result))
                for result in results
                if not any(a <= result.start and result.end <= b for a, b in stand_ins)
            ],
        )

    def _joined(self, text: str, found: list[Found]) -> list[Found]:
        if not found:
            return []
        allowed = self._allowed.spans(text)
        found = [
            one
            for one in found
            if one.by == "deny" or not any(a <= one.start and one.end <= b for a, b in allowed)
        ]
        found.sort(key=lambda one: (one.start, -one.end))
        settled: list[Found] = []
        for one in found:
            if settled and one.start < settled[-1].end:
                last = settled[-1]
                lead = max(last, one, key=lambda f: (f.entity != names.ENTITY, f.score, -f.start))
                settled[-1] = Found(
                    last.start, max(last.end, one.end), lead.entity, lead.score, lead.by
                )
            else:
                settled.append(one)
        return settled


def _by(result: RecognizerResult) -> str:
    metadata = result.recognition_metadata or {}
    return str(metadata.get(RecognizerResult.RECOGNIZER_NAME_KEY, ""))


def _ordinary(value: str) -> bool:
    plain = value.lower()
    return plain in wordlist("common") or plain in wordlist("stop") or len(value) < 3


def _shut_off() -> None:
    """Take away every way to the network, and what importing Presidio has given its loggers."""
    silence()
    offline = tldextract.TLDExtract(cache_dir=None, suffix_list_urls=(), fallback_to_snapshot=True)
    tldextract.tldextract.TLD_EXTRACTOR = offline
    setattr(SpacyNlpEngine, "_download_spacy_model_if_needed", staticmethod(_no_download))  # noqa: B010 - mypy


def _no_download(model_name: str) -> None:
    raise CurateError(
        f"the spaCy model {model_name} is not installed", "Install it with pip; nothing downloads."
    )

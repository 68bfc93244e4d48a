"""Words that say a name is coming, in English and in Khmer."""

from __future__ import annotations

import re

from presidio_analyzer import EntityRecognizer, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts

from curate.privacy.words import wordlist

ENTITY = "PERSON"

_KHMER = "\u1780-\u17d3\u17d7\u17dc\u17dd\u200b\u200c\u200d"
# Titles and "named"; the longest first, since some begin with others.
_KHMER_CUES = (
    "ឈ្មោះរបស់ខ្ញុំគឺ",
    "ឈ្មោះរបស់ខ្ញុំ",
    "ឈ្មោះខ្ញុំគឺ",
    "ឈ្មោះខ្ញុំ",
    "ខ្ញុំឈ្មោះ",
    "មានឈ្មោះថា",
    "ឈ្មោះថា",
    "មានឈ្មោះ",
    "មាននាម",
    "ឈ្មោះគឺ",
    "ឈ្មោះ",
    "នាមត្រកូល",
    "នាមខ្លួន",
    "ឯកឧត្តម",
    "លោកជំទាវ",
    "លោកស្រី",
    "លោកគ្រូ",
    "អ្នកគ្រូ",
    "អ្នកស្រី",
    "អ្នកនាង",
    "អ្នកឧកញ៉ា",
    "ឧកញ៉ា",
    "កញ្ញា",
    "យុវជន",
    "លោកតា",
    "លោកយាយ",
    "លោក",
    "វេជ្ជបណ្ឌិត",
    "បណ្ឌិត",
    "សាស្ត្រាចារ្យ",
)
_KHMER_WEAK = ("ខ្ញុំ", "បង", "ប្អូន", "ពូ", "មីង", "អ៊ុំ", "ឪពុក", "ម្ដាយ", "ប្រពន្ធ", "ប្ដី")
_KHMER_CUE = re.compile(
    rf"(?:{'|'.join(_KHMER_CUES)})[\s:៖]{{0,2}}([{_KHMER}]+(?: [{_KHMER}]+)?"
    r"|[A-Za-z]+(?: [A-Za-z]+)?)"
)
_KHMER_TOKEN = re.compile(rf"[{_KHMER}]+")
"""Runs of Khmer letters; words are not spaced, but names usually stand between spaces."""

_KHMER_STOP = re.compile(
    "^(?:តើ|បាន|ជា|គឺ|នៅ|ដែល|និង|ថា|មាន|ត្រូវ|អាច|សូម|ចង់|ដល់|មិន|ហើយ|ឬ|របស់|ខ្ញុំ|អ្នក|គាត់|នេះ|នោះ|អ្វី|ណា"
    "|ប៉ុន្មាន|ពេល|ថ្ងៃ|ខែ|ឆ្នាំ|ទេ|ឱ្យ|អោយ|ទៅ|មក|ពី|ក្នុង|លើ|ដោយ|សម្រាប់|អំពី|ទិញ|លក់|ផលិតផល|គ្រឿង|ឯកសារ|ហាង|ក្រុមហ៊ុន)"
)


class CueRecognizer(EntityRecognizer):
    """Finds Khmer-script names by the words before them and by the list of common ones."""

    def __init__(self) -> None:
        super().__init__([ENTITY], name="cue", supported_language="en")

    def load(self) -> None:
        """Nothing to load."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """Return a result for every name in Khmer script."""
        if not any("\u1780" <= char <= "\u17ff" for char in text):
            return []
        return [RecognizerResult(ENTITY, start, end, score) for start, end, score in khmer(text)]


def khmer(text: str) -> list[tuple[int, int, float]]:
    """Return `(start, end, score)` of the names that follow a Khmer cue or stand in the list."""
    found: list[tuple[int, int, float]] = []
    for match in _KHMER_CUE.finditer(text):
        name = match.group(1)
        length = 0
        for part in re.finditer(r"\S+", name):
            if _KHMER_STOP.match(part.group()):
                break
            length = part.end()
        if length:
            found.append((match.start(1), match.start(1) + length, 0.8))
    known = wordlist("khmer")
    tokens = [(m.start(), m.end(), _bare(m.group())) for m in _KHMER_TOKEN.finditer(text)]
    for start, end, token in tokens:
        for weak in _KHMER_WEAK:
            if token.startswith(weak) and token[len(weak) :] in known:
                found.append((start + len(weak), end, 0.7))
    index = 0
    while index < len(tokens):
        last = index
        while (
            last + 1 < len(tokens)
            and tokens[last][2] in known
            and tokens[last + 1][2] in known
            and text[tokens[last][1] : tokens[last + 1][0]] == " "
        ):
            last += 1
        if last > index:
            found.append((tokens[index][0], tokens[last][1], 0.9))
        elif tokens[index][2] in known and _follows_weak(text, tokens[index][0]):
            found.append((*tokens[index][:2], 0.7))
        index = last + 1
    return found


def _bare(token: str) -> str:
    return token.replace("\u200b", "").replace("\u200c", "").replace("\u200d", "")


def _follows_weak(text: str, start: int) -> bool:
    return text[:start].rstrip().endswith(_KHMER_WEAK)

"""How much the anonymiser misses, and how much it takes too much, on labelled texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from curate.config import ENTITIES
from curate.model.errors import CurateError, Exit
from curate.model.records import Clean
from curate.privacy.anonymise import Anonymiser

SAMPLES = Path(__file__).parent / "samples"
"""Labelled texts that ship with the program, invented for it: questions, and probes that hold
ids, prices, dates and words that look like names.
"""

_UNSURE = "AMBIG"
_TOKEN = re.compile(r"[^\W_]+")
_BATCH = 512


@dataclass(frozen=True, slots=True)
class Span:
    """A labelled piece of a text, in code points."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text and the personal data in it, as a person labelled it."""

    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Hits:
    """Counts of one entity; a hit is any overlap of a finding and a label of that entity."""

    labelled: int = 0
    hit: int = 0
    found: int = 0
    right: int = 0

    @property
    def recall(self) -> float | None:
        """Share of the labels that were hit, from 0 to 1; None without labels."""
        return self.hit / self.labelled if self.labelled else None

    @property
    def precision(self) -> float | None:
        """Share of the findings that hit a label, from 0 to 1; None without findings."""
        return self.right / self.found if self.found else None


@dataclass(frozen=True, slots=True)
class Score:
    """What the anonymiser made of one file.

    `leaks` counts the texts in which a labelled word of two or more letters or digits survives,
    of `personal` texts with any label; `damaged` those of all `texts` that lose a letter or digit
    outside the labels.
    """

    name: str
    texts: int
    personal: int
    leaks: int
    damaged: int
    entities: dict[str, Hits] = field(default_factory=dict)

    @property
    def leak(self) -> float | None:
        """Leaking texts among those with personal data, from 0 to 1; None without any."""
        return self.leaks / self.personal if self.personal else None


def samples() -> tuple[Path, ...]:
    """Return the labelled files that ship with the program."""
    return tuple(sorted(SAMPLES.glob("*.jsonl")))


def measure(path: Path, anonymiser: Anonymiser, *, lower: bool = False) -> Score:
    """Score `anonymiser` on a file of `{"id", "text", "spans": [{"start", "end", "label"}]}` lines.

    Labels other than Presidio's PERSON, PHONE_NUMBER and EMAIL_ADDRESS are ignored, but AMBIG
    counts neither as a miss nor as damage. With `lower` the texts are put into lower case first.
    Raises `CurateError`, naming the line, for a file that is not so.
    """
    texts = list(_read(path, lower=lower))
    cleaned: list[Clean] = []
    for at in range(0, len(texts), _BATCH):
        cleaned += anonymiser.clean_many([one.text for one in texts[at : at + _BATCH]])
    return score(path.stem, texts, cleaned)


def score(name: str, texts: Sequence[Labelled], cleaned: Sequence[Clean]) -> Score:
    """Compare what was found with what was labelled."""
    leaks = damaged = personal = 0
    counts = {entity: [0, 0, 0, 0] for entity in ENTITIES}
    for labelled, clean in zip(texts, cleaned, strict=True):
        found = [
            Span(one.start, one.end, one.entity)
            for one in clean.redactions
            if one.entity in ENTITIES
        ]
        covered = {at for one in found for at in range(one.start, one.end)}
        labels = [span for span in labelled.spans if span.label in ENTITIES]
        unsure = [span for span in labelled.spans if span.label == _UNSURE]
        meant = {at for span in (*labels, *unsure) for at in range(span.start, span.end)}
        personal += bool(labels)
        leaks += any(_survives(labelled.text, span, covered) for span in labels)
        damaged += any(labelled.text[at].isalnum() for at in covered - meant)
        for span in labels:
            counts[span.label][0] += 1
            counts[span.label][1] += _meets(span, found)
        for one in found:
            right = _meets(one, labels)
            if right or not any(_overlap(one, span) for span in unsure):
                counts[one.label][2] += 1
                counts[one.label][3] += right
    entities = {entity: Hits(*numbers) for entity, numbers in counts.items() if any(numbers)}
    return Score(name, len(texts), personal, leaks, damaged, entities)


def _survives(text: str, span: Span, covered: set[int]) -> bool:
    return any(
        len(token.group()) > 1
        and not all(span.start + at in covered for at in range(*token.span()))
        for token in _TOKEN.finditer(text[span.start : span.end])
    )


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _meets(one: Span, others: Sequence[Span]) -> bool:
    return any(one.label == other.label and _overlap(one, other) for other in others)


def _read(path: Path, *, lower: bool) -> Iterator[Labelled]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        raise CurateError(
            f"{path} cannot be read as UTF-8 text", "Name a file of labelled JSON lines.",
            Exit.USAGE,
        ) from None  # fmt: skip
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _labelled(json.loads(line), lower=lower)
            except (ValueError, KeyError, TypeError):
                raise CurateError(
                    f"{path}, line {number}: no labelled text",
                    'Write {"id", "text", "spans": [{"start", "end", "label"}]}, offsets inside'
                    " the text.",
                    Exit.USAGE,
                ) from None


def _labelled(entry: Any, *, lower: bool) -> Labelled:
    text = entry["text"]
    if not isinstance(text, str):
        raise TypeError
    spans = tuple(Span(one["start"], one["end"], one["label"]) for one in entry["spans"])
    if not all(0 <= span.start < span.end <= len(text) for span in spans):
        raise ValueError
    return Labelled(_lower(text) if lower else text, spans)


def _lower(text: str) -> str:
    """Return `text` in lower case, every offset as it was."""
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)

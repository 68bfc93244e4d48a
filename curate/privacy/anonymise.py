"""The door: text goes in, clean text and what was replaced in it come out."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING

from curate import weights
from curate.config import PrivacySettings
from curate.model.records import Clean, Redaction
from curate.privacy import words
from curate.privacy.silence import silence
from curate.text import sanitise

if TYPE_CHECKING:
    from curate.privacy.engine import Engine, Found
    from curate.privacy.operators import Operator

RECOGNISERS = 3
"""Raised whenever the recognisers find something else in the same text."""

# Longer texts are analysed in overlapping pieces, so that the work grows with their length only.
_PIECE, _SHARED = 4000, 200
_REMEMBERED = 20_000


class Anonymiser:
    """Replaces personal text by placeholders. Cheap to make; the model loads with the first text.

    `known` are strings that pass unchanged as a whole, such as the paths and headings of the
    team's own documents. May be used by several threads; they take turns.
    """

    def __init__(self, settings: PrivacySettings, known: Collection[str] = ()) -> None:
        self._settings = settings
        self._known = frozenset(text.strip() for text in known)
        self._turn = threading.RLock()
        self._memory: OrderedDict[tuple[bool, str], list[Found]] = OrderedDict()

    @property
    def settings(self) -> PrivacySettings:
        """What it was told to replace."""
        return self._settings

    @property
    def known(self) -> frozenset[str]:
        """What passes unchanged as a whole."""
        return self._known

    @cached_property
    def policy(self) -> str:
        """`sha256:` over the settings, the recognisers' version, the lists and the model."""
        facts = {
            "settings": asdict(self._settings),
            "recognisers": RECOGNISERS,
            "lists": words.digest(),
            "model": {
                "onnx/model_q4.onnx": weights.DIGESTS[weights.NAMES],
                "vocab.txt": weights.DIGESTS[weights.NAMES_VOCABULARY],
            },
        }
        data = json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()
        return "sha256:" + hashlib.sha256(data).hexdigest()

    @cached_property
    def _engine(self) -> Engine:
        silence()
        from curate.privacy.engine import Engine

        return Engine(self._settings)

    def clean_many(self, texts: Sequence[str]) -> list[Clean]:
        """Return the clean texts, placeholders numbered from 1 in each text."""
        return [cleaned for [cleaned] in self.clean_records([[text] for text in texts])]

    def clean_records(self, records: Sequence[Sequence[str]]) -> list[list[Clean]]:
        """Return the clean texts of each record.

        Within a record the same value, whatever its case and spacing, has the same placeholder,
        and what was found in one text is also replaced where another holds it.
        All texts of all records are analysed as one batch, equal texts once.
        """
        with self._turn:
            self._analyse((text for record in records for text in record), strict=False)
            return [self._clean_record(record) for record in records]

    def scan(self, texts: Sequence[str]) -> list[tuple[Redaction, ...]]:
        """Return what a stricter second look finds: lower thresholds, every recogniser on.

        For the check before an export. `at` and `placeholder` are as if it were replaced.
        """
        with self._turn:
            self._analyse(texts, strict=True)
            return [
                self._replace(
                    text, self._found(text, strict=True), self._operator([text])
                ).redactions
                for text in texts
            ]

    def _clean_record(self, record: Sequence[str]) -> list[Clean]:
        found = [self._found(text, strict=False) for text in record]
        if not any(found):
            return [Clean(text) for text in record]
        operator = self._operator(record)
        if len(set(record)) > 1:
            found = self._engine.again(
                [
                    ("" if self._passes(text) else text, own)
                    for text, own in zip(record, found, strict=True)
                ]
            )
        return [self._replace(*both, operator) for both in zip(record, found, strict=True)]

    def _replace(self, text: str, found: Sequence[Found], operator: Operator) -> Clean:
        return self._engine.replace(text, found, operator) if found else Clean(text)

    def _operator(self, texts: Sequence[str]) -> Operator:
        from curate.privacy.operators import operator

        return operator(self._settings, texts)

    def _found(self, text: str, *, strict: bool) -> list[Found]:
        return [] if self._passes(text) else self._memory[strict, text]

    def _passes(self, text: str) -> bool:
        return not text or text.isspace() or text.strip() in self._known

    def _analyse(self, texts: Iterable[str], *, strict: bool) -> None:
        """See to it that everything found in `texts` is remembered."""
        wanted = dict.fromkeys(text for text in texts if not self._passes(text))
        for text in wanted:
            if (strict, text) in self._memory:
                self._memory.move_to_end((strict, text))
        new = [text for text in wanted if (strict, text) not in self._memory]
        if new:
            pieces = [(text, start) for text in new for start in _starts(text)]
            results = self._engine.find(
                [sanitise(text[start : start + _PIECE]) for text, start in pieces], strict=strict
            )
            gathered: dict[str, list[Found]] = {text: [] for text in new}
            for (text, start), found in zip(pieces, results, strict=True):
                _gather(gathered[text], found, start)
            self._memory.update({(strict, text): found for text, found in gathered.items()})
        while len(self._memory) > max(_REMEMBERED, len(wanted)):
            self._memory.popitem(last=False)


def _starts(text: str) -> range:
    return range(0, max(1, len(text) - _SHARED), _PIECE - _SHARED)


def _gather(into: list[Found], found: Sequence[Found], offset: int) -> None:
    from curate.privacy.engine import Found

    for one in found:
        moved = Found(one.start + offset, one.end + offset, one.entity, one.score, one.by)
        last = into[-1] if into else None
        if last and moved.start < last.end:
            into[-1] = Found(last.start, max(last.end, moved.end), last.entity, last.score, last.by)
        else:
            into.append(moved)

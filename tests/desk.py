"""A lending desk with items in its set, and an anonymiser that costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from curate.model.items import Item
from curate.model.records import Clean, Redaction
from curate.workspace.workspace import Workspace

_WORDS = {"PERSON": "Sokha", "EMAIL_ADDRESS": "sokha@mail.example.org"}


class Harmless:
    """An anonymiser that knows one name and one address, so that no model is loaded."""

    policy = "sha256:" + "5" * 64

    def clean_records(self, records: Sequence[Sequence[str]]) -> list[list[Clean]]:
        return [[self._clean(text) for text in record] for record in records]

    def _clean(self, text: str) -> Clean:
        found = [hit for hits in self.scan([text]) for hit in hits]
        for hit in found:
            text = text.replace(_WORDS[hit.entity], hit.placeholder)
        return Clean(text, tuple(found))

    def scan(self, texts: Sequence[str]) -> list[tuple[Redaction, ...]]:
        return [
            tuple(
                Redaction(at, at + len(word), entity, f"<{entity}_1>", at, 1.0, "test")
                for entity, word in _WORDS.items()
                if (at := text.find(word)) >= 0
            )
            for text in texts
        ]


def stubbed(workspace: Workspace) -> Workspace:
    workspace._anonymiser = Harmless()  # type: ignore[assignment]
    return workspace


def add(workspace: Workspace, question: str, source: str, phrase: str, slug: str) -> Item:
    start = workspace.corpus.document(source).text.index(phrase)
    item = workspace.attach(workspace.fresh(question, slug), source, start, start + len(phrase))
    return workspace.save(replace(workspace.settle(item, "ready"), split="tuning"))

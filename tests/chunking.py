"""Made-up documents, cut into chunks, for the tests of the remap."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curate.remap.items import CarriedItem
from curate.remap.remapping import remap
from curate.remap.report import Remap

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Chunking:
    """A directory in which chunk files and labels are written and remapped."""

    directory: Path

    def write(self, name: str, rows: Iterable[Row]) -> Path:
        """Write a JSONL file and return its path."""
        path = self.directory / name
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def remap(
        self,
        old: Sequence[Row],
        new: Sequence[Row],
        labels: Sequence[Row] = (),
        *,
        everything: bool = True,
        map_out: Path | None = None,
    ) -> Remap:
        """Remap `labels` from the chunks `old` to `new`."""
        return remap(
            self.write("old.jsonl", old),
            self.write("new.jsonl", new),
            self.write("gold.jsonl", labels) if labels else None,
            everything=everything,
            map_out=map_out,
        )

    def item(self, old: Sequence[Row], new: Sequence[Row], label: Row) -> CarriedItem:
        """Carry one label, both ways, and return what became of it."""
        full = self.remap(old, new, [label]).items[0]
        gold_only = self.remap(old, new, [label], everything=False).items[0]
        assert full == gold_only
        return full


def chunks(source: str, *texts: str, stem: str = "", **fields: Any) -> list[dict[str, Any]]:
    """Return chunk rows of a source; their ids are the stem (or the source) and a number."""
    return [
        {"id": f"{stem or source}:{number}", "source": source, "text": text, **fields}
        for number, text in enumerate(texts, 1)
    ]


def label(evidence: str, *gold: str, source: str = "a.md", name: str = "q") -> dict[str, Any]:
    """Return a gold label."""
    return {"id": name, "source": source, "evidence": evidence, "relevantChunkIds": list(gold)}


def paragraphs(seed: int, count: int) -> list[str]:
    """Return `count` paragraphs of invented words, none like another."""
    rng = random.Random(seed)  # noqa: S311
    letters = "etaoinshrdlcum"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 8))) for _ in range(600)]
    return [
        " ".join(rng.choices(words, k=rng.randint(18, 40))).capitalize() + "." for _ in range(count)
    ]


def windows(text: str, size: int, overlap: int) -> list[str]:
    """Cut `text` into windows of about `size` characters at spaces, each repeating `overlap`."""
    pieces, at = [], 0
    while True:
        end = len(text) if at + size >= len(text) else text.rfind(" ", at, at + size)
        pieces.append(text[at:end].strip())
        if end == len(text):
            return pieces
        at = text.rfind(" ", at, end - overlap) if overlap else end

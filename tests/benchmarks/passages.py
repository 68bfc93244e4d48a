"""How often the right passage is among the first suggested, beside plain BM25 in the same run.

    python tests/benchmarks/passages.py [DIR]

DIR holds `docs/` and `questions.json` (the flat shape of an export; `history` is used, and
`tempting` on unanswerable questions names the page that should show up). Without DIR: the demo's
documents and answer key. A question counts at the rank of the first section that holds one of its
evidences by the harness's rule. Only the question and its history are used.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import bm25s

from curate.config import CorpusSettings
from curate.corpus.corpus import Corpus
from curate.model.documents import Passage, Section
from curate.model.records import Turn
from curate.text import contains

FIRST = (1, 3, 5, 10)


@dataclass(frozen=True)
class Question:
    """A question, where its answer stands, or which page tempts."""

    text: str
    history: tuple[Turn, ...]
    evidences: tuple[tuple[str, str], ...]
    tempting: str = ""


def questions(path: Path) -> list[Question]:
    """Read a questions.json or the demo's answer key."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    return [_question(entry) for entry in (raw["items"] if isinstance(raw, dict) else raw)]


def _question(entry: dict[str, Any]) -> Question:
    evidences = entry.get("evidences") or ([entry] if entry["answerable"] else [])
    tempting = entry.get("tempting") or ""
    return Question(
        entry["question"],
        tuple(Turn(turn["role"], turn["content"]) for turn in entry.get("history", [])),
        tuple((e["source"], e.get("evidence") or e["phrase"]) for e in evidences),
        tempting if isinstance(tempting, str) else tempting.get("source", ""),
    )


def right(section: Section, question: Question) -> bool:
    """Say whether a section holds an evidence of a question."""
    return any(
        section.source == source and contains(section.text, phrase)
        for source, phrase in question.evidences
    )


def table(
    name: str, asked: Sequence[Question], find: Callable[[Question], Sequence[Section]]
) -> None:
    """Print a method's shares."""
    answerable = [question for question in asked if question.evidences]
    tempted = [question for question in asked if question.tempting]
    ranks = []
    for question in answerable:
        found = find(question)
        ranks.append(next((i for i, s in enumerate(found) if right(s, question)), len(found) + 99))
    shares = "  ".join(f".first {k}: {sum(r < k for r in ranks) / len(ranks):.2f}" for k in FIRST)
    tempts = [any(s.source == q.tempting for s in find(q)[:5]) for q in tempted]
    tail = f"  tempting page in 5: {sum(tempts)}/{len(tempts)}" if tempts else ""
    sys.stdout.write(f"{name:<12} {shares}{tail}\n")


def sentences(corpus: Corpus, asked: Sequence[Question], found: dict[str, list[Passage]]) -> None:
    """Print how often the preselected sentence of the right passage holds the evidence."""
    held = shown = 0
    for question in asked:
        passage = next((p for p in found[question.text] if right(p.section, question)), None)
        if passage is not None:
            start, end = passage.best
            best = corpus.document(passage.section.source).text[start:end]
            shown += 1
            held += any(contains(best, phrase) for _, phrase in question.evidences)
    if shown:
        sys.stdout.write(f"sentence     holds the evidence in {held} of {shown} right passages\n")


def measure(documents: Path, key: Path) -> None:
    """Print both methods' figures for a folder of documents and its questions."""
    asked = questions(key)
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Corpus(documents, CorpusSettings(), Path(scratch) / "index.db")
        begun = time.process_time()
        report = corpus.sync()
        synced = time.process_time()
        corpus.search("warm")
        loaded = time.process_time()
        everything = [s for source in corpus.sources() for s in corpus.sections(source)]
        depth = max(FIRST)
        found = {q.text: corpus.suggest(q.text, history=q.history, k=depth) for q in asked}
        each = (time.process_time() - loaded) / len(asked)
        sys.stdout.write(
            f"{len(asked)} questions, {len(report.added)} documents, {report.sections} sections; "
            f"sync {synced - begun:.2f} s, load {loaded - synced:.2f} s, "
            f"question {each * 1000:.0f} ms of CPU\n"
        )
        plain = bm25s.BM25()
        plain.index(
            bm25s.tokenize([s.text for s in everything], stopwords="en", show_progress=False),
            show_progress=False,
        )

        def by_words(question: Question) -> list[Section]:
            tokens = bm25s.tokenize([question.text], stopwords="en", show_progress=False)
            k = min(depth, len(everything))
            numbers, _ = plain.retrieve(tokens, k=k, show_progress=False)
            return [everything[int(number)] for number in numbers[0]]

        table("plain BM25", asked, by_words)
        table("curate", asked, lambda question: [p.section for p in found[question.text]])
        sentences(corpus, asked, found)


def main() -> None:
    """Measure the folder named on the command line, or the demo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    folder = parser.parse_args().folder
    if folder is not None:
        measure(folder / "docs", folder / "questions.json")
        return
    with as_file(files("curate.demo")) as demo:
        measure(demo / "docs", demo / "answer_key.json")


if __name__ == "__main__":
    main()

"""The documents as one thing: synced, searched, quoted from."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from curate.config import CorpusSettings
from curate.corpus import extracting, index
from curate.corpus.documents import (
    Document,
    Found,
    Left,
    SyncReport,
    Unreadable,
    digest,
    ending,
    read,
    walk,
)
from curate.corpus.extracted import Broken
from curate.corpus.index import Entry
from curate.corpus.keywords import propose
from curate.corpus.words import SPACELESS
from curate.model.documents import Evidence, Occurrence, Passage, Section
from curate.model.errors import CurateError, Exit
from curate.model.records import RetrievedChunk, Turn
from curate.text import fold_space, strip_space

if TYPE_CHECKING:
    from curate.corpus.locating import Locator
    from curate.corpus.ranking import Ranker

Progress = Callable[[int, int], object]
"""Told how much is done of how much."""

_HISTORY = 0.4  # how much a word said earlier counts beside one of the question
_ANSWER = 0.3


@dataclass(frozen=True)
class _Snapshot:
    """The index in memory; never changed, so every thread may read it."""

    entries: dict[str, Entry]
    stamp: tuple[int, int, int]

    @cached_property
    def ranker(self) -> Ranker:
        from curate.corpus.features import unpack
        from curate.corpus.ranking import Ranker

        return Ranker((entry.outline, unpack(entry.features)) for entry in self.entries.values())

    @cached_property
    def locator(self) -> Locator:
        from curate.corpus.locating import Locator

        return Locator(
            {source: entry.document for source, entry in self.entries.items()},
            {source: entry.outline for source, entry in self.entries.items()},
        )

    @cached_property
    def folded(self) -> tuple[str, ...]:
        return tuple(fold_space(entry.document.text) for entry in self.entries.values())


class Corpus:
    """The documents under `root` that the settings include, through an index file.

    Everything but `sync` answers from the documents as last synced, by whatever process. A
    missing or damaged index is made anew on first use. Safe for use from several threads.
    Sources are paths below the root; unknown ones raise `CurateError`.
    """

    def __init__(self, root: Path, settings: CorpusSettings, index: Path) -> None:
        self.root = root
        self._settings = settings
        self._index = index
        self._lock = threading.RLock()
        self._state: _Snapshot | None = None

    # ------------------------------------------------------------------ the documents

    def sync(self, progress: Progress | None = None) -> SyncReport:
        """Bring the index up to the files as they are now, and say what was found.

        Only new and changed documents are parsed, and only sections that begin otherwise than any
        of their document did before are encoded, which takes some 15 ms each. `progress` is told
        how many files of how many are done. Raises `CurateError` when the root is missing or the
        index cannot be written.
        """
        with self._lock:
            try:
                known = index.load(self._index)
                return self._sync(known, progress)
            except index.Unusable:
                index.discard(self._index)
                return self._sync({}, progress)

    def _sync(self, known: dict[str, Entry], progress: Progress | None) -> SyncReport:
        entries: dict[str, Entry] = {}
        unreadable: list[Unreadable] = []
        left: Counter[str] = Counter()
        walked = list(walk(self.root, self._settings))
        for number, found in enumerate(walked, 1):
            if progress:
                progress(number, len(walked))
            if isinstance(found, Left):
                if reason := extracting.foreign(found.source):
                    unreadable.append(Unreadable(found.source, reason))
                else:
                    left[ending(found.source)] += 1
                continue
            data = read(found) if isinstance(found, Found) else found
            entry = data if isinstance(data, Unreadable) else _entry(found.source, data, known)
            if isinstance(entry, Unreadable):
                unreadable.append(entry)
            else:
                entries[found.source] = entry
        changed = {s: entry for s, entry in entries.items() if known.get(s) is not entry}
        removed = tuple(sorted(known.keys() - entries.keys()))
        if changed or removed or not self._index.exists():
            index.save(self._index, changed, removed)
        entries = dict(sorted(entries.items()))
        stamp = index.stamp(self._index)
        if self._state is None or self._state.stamp != stamp:
            self._state = _Snapshot(entries, stamp)
        return SyncReport(
            added=tuple(sorted(changed.keys() - known.keys())),
            changed=tuple(sorted(changed.keys() & known.keys())),
            removed=removed,
            unchanged=tuple(sorted(entries.keys() - changed.keys())),
            unreadable=tuple(unreadable),
            left=tuple(sorted(left.items(), key=lambda one: (-one[1], one[0]))),
            sections=sum(len(entry.outline.sections) for entry in entries.values()),
        )

    def _now(self) -> _Snapshot:
        with self._lock:
            stamp = index.stamp(self._index)
            if self._state is None or self._state.stamp != stamp or not stamp[0]:
                try:
                    self._state = _Snapshot(index.load(self._index), stamp)
                except index.Unusable:
                    self._state = None
                    self.sync()
            if self._state is None:
                raise AssertionError("a sync leaves a snapshot")
            return self._state

    def digest(self) -> str:
        """Return one digest over all sources and their documents' digests."""
        whole = hashlib.sha256()
        for source, entry in self._now().entries.items():
            whole.update(f"{source}\0{entry.document.digest}\n".encode())
        return f"sha256:{whole.hexdigest()}"

    def sources(self) -> tuple[str, ...]:
        """Return the documents' sources, in order."""
        return tuple(self._now().entries)

    def document(self, source: str) -> Document:
        """Return a document as last synced."""
        return self._entry(source).document

    def extractors(self) -> dict[str, str]:
        """Return what turned each document into text, by source; see `Document.extractor`."""
        return {source: entry.document.extractor for source, entry in self._now().entries.items()}

    def sections(self, source: str) -> tuple[Section, ...]:
        """Return a document's sections, in order."""
        return self._entry(source).outline.sections

    def headings(self) -> frozenset[str]:
        """Return all headings of all documents."""
        return frozenset(
            section.heading
            for entry in self._now().entries.values()
            for section in entry.outline.sections
            if section.heading
        )

    def sentences(self, section: Section) -> tuple[tuple[int, int], ...]:
        """Return the spans, in code points of the document, that one key can choose: sentences,
        list items, table rows, lines of code.
        """
        outline = self._entry(section.source).outline
        if section in outline.sections:
            return outline.sentences[outline.sections.index(section)]
        return tuple(
            span
            for spans in outline.sentences
            for span in spans
            if section.start <= span[0] and span[1] <= section.end
        )

    def _entry(self, source: str) -> Entry:
        try:
            return self._now().entries[source]
        except KeyError:
            raise CurateError(
                f"no document {source} in the corpus",
                "`curate corpus sync` takes in new files; the settings say which.",
                Exit.USAGE,
            ) from None

    # ------------------------------------------------------------------ finding

    def search(self, query: str, k: int = 10) -> list[Passage]:
        """Return the best `k` passages for a typed query, best first."""
        return self._now().ranker.rank([(query, 1.0)], k)

    def suggest(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        answer: str = "",
        chunks: Sequence[RetrievedChunk] = (),
        k: int = 10,
    ) -> list[Passage]:
        """Return the `k` passages likeliest to answer a logged question, best first.

        `history` is what was said before it, `answer` and `chunks` what the assistant made of
        it; they help, and none of them is needed.
        """
        said = [(question, 1.0), *((turn.content, _HISTORY) for turn in history)]
        if answer:
            said.append((answer, _ANSWER))
        return self._now().ranker.rank(said, k, chunks)

    # ------------------------------------------------------------------ evidence

    def evidence(self, source: str, start: int, end: int) -> Evidence:
        """Return the evidence at a span of a document, without white space at its ends.

        Raises `CurateError` when the span is outside the document or blank.
        """
        entry = self._entry(source)
        text = entry.document.text
        if not 0 <= start < end <= len(text):
            raise CurateError(
                f"{source} has no span {start}:{end}; it is {len(text)} characters long",
                "Offsets count characters from 0.",
                Exit.USAGE,
            )
        chosen = text[start:end]
        phrase = strip_space(chosen)
        if not phrase:
            raise CurateError(
                f"the span {start}:{end} of {source} is blank", "Choose some text.", Exit.USAGE
            )
        start += chosen.index(phrase)
        section = entry.outline.sections[entry.outline.at(start)]
        return Evidence(
            source=source,
            heading=section.heading,
            phrase=phrase,
            start=start,
            end=start + len(phrase),
            digest=entry.document.digest,
            grade="verbatim",
        )

    def locate(self, evidence: Evidence) -> Evidence:
        """Return the evidence with the grade, span, heading and source it has in the documents
        as last synced; the ladder is `Locator.locate`'s.
        """
        return self._now().locator.locate(evidence)

    def occurrences(self, source: str, phrase: str) -> list[Occurrence]:
        """Return every place of a phrase in a document, in order, by the harness's rule: white
        space folded, and within a longer word, too.
        """
        from curate.corpus.locating import occurrences

        entry = self._entry(source)
        text, outline = entry.document.text, entry.outline
        found: list[Occurrence] = []
        for start, end in occurrences(text, phrase):
            first, last = start, end
            while _joined(text[first - 1 : first], text[first : first + 1]):
                first -= 1
            while _joined(text[last - 1 : last], text[last : last + 1]):
                last += 1
            words = fold_space(text[first:last])
            heading = outline.sections[outline.at(start)].heading
            found.append(Occurrence(heading, start, end, words, (first, last) == (start, end)))
        return found

    def passage(self, evidence: Evidence) -> str:
        """Return the text of the section that holds the evidence now, or nothing when lost."""
        now = self.locate(evidence)
        if now.grade == "lost":
            return ""
        outline = self._entry(now.source).outline
        return outline.sections[outline.at(now.start)].text

    def keywords(self, evidence: Evidence, question: str = "") -> tuple[str, ...]:
        """Return words that a right answer would have to hold, best first; each stands in the
        evidence, and what `question` says already comes last.
        """
        return propose(evidence.phrase, self._now().ranker.frequency, question)

    def stands(self, text: str) -> bool:
        """Say whether `text` stands in some document verbatim, white space folded, and not as a
        part of a longer word.
        """
        wanted = fold_space(strip_space(text))
        return bool(wanted) and any(_holds(folded, wanted) for folded in self._now().folded)


def _entry(source: str, data: bytes, known: Mapping[str, Entry]) -> Entry | Unreadable:
    """Return the entry of a file: the one before where neither file nor reader changed."""
    reader = extracting.reader(source)
    if isinstance(reader, Unreadable):
        return reader
    file, before = digest(data), known.get(source)
    if before and before.file == file and before.document.extractor == reader.extractor:
        return before
    from curate.corpus.features import extract, vectors
    from curate.corpus.outline import outline

    try:
        extracted = reader.extract(data)
    except Broken as broken:
        return Unreadable(source, str(broken))
    text = extracted.text
    made = outline(source, text, extracted.parsed)
    document = Document(source, text, digest(text), reader.extractor)
    reckoned = vectors(before.outline, before.features) if before else {}
    return Entry(document, made, extract(text, made, reckoned), file)


def _holds(text: str, wanted: str) -> bool:
    at = text.find(wanted)
    while at >= 0:
        after = at + len(wanted)
        if not (
            _joined(text[at - 1 : at], wanted[0]) or _joined(wanted[-1], text[after : after + 1])
        ):
            return True
        at = text.find(wanted, at + 1)
    return False


def _joined(left: str, right: str) -> bool:
    """Say whether two neighbours belong to one word, as far as the script shows it."""
    return left.isalnum() and right.isalnum() and not SPACELESS.match(left + right)

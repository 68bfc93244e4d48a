"""An item's gold, carried over: the evidence ladder. What is not sure is said, never guessed."""

from __future__ import annotations

from dataclasses import dataclass

from curate.remap.landing import Lander, Landing
from curate.remap.links import Links
from curate.remap.locating import ALIKE, Located, locate
from curate.remap.reading import Label
from curate.remap.stitching import Corpus


@dataclass(frozen=True, slots=True)
class CarriedItem:
    """What became of an item's gold.

    `status` is kept, split, merged, moved, ambiguous or lost; only the first four may be applied
    without a person. `evidence_ok` is strict, markup (only markup differs), edited or missing.
    `new` are ids in document order; for an ambiguous item they are proposals. `span` counts
    characters of the source's folded text (no white space), or None.
    """

    id: str
    status: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    source: str
    heading: str
    evidence_ok: str
    span: tuple[int, int] | None
    reason: str


@dataclass(frozen=True, slots=True)
class Carrier:
    """Carries labels from one corpus to another: their evidence where it went, else by links."""

    old: Corpus
    new: Corpus
    links: Links
    lander: Lander
    numbers: dict[str, int]
    """Old chunk ids -> chunk numbers, for the ids the labels name."""

    def carry(self, label: Label) -> CarriedItem:
        """Return what became of `label`."""
        gold = [self.numbers[name] for name in label.chunks if name in self.numbers]
        doubts = []
        if len(gold) < len(label.chunks):
            doubts.append(f"{len(label.chunks) - len(gold)} of its chunk ids are not in OLD")
        elif not gold:
            doubts.append("it names no chunk")
        if not label.evidence.strip():
            return self._by_chunks(label, gold, doubts)
        located = locate(label, gold, self.old)
        if not located.places:
            return self._unlocated(label, gold, doubts)
        if not located.in_gold and gold:
            doubts.append("its evidence stands outside the chunks it names")
        if located.how == ALIKE:
            doubts.append("its evidence is not in its chunks word for word")
        landings = [self.lander.land(place) for place in located.places]
        return self._sum_up(label, located, landings, doubts)

    # ---------------------------------------------------------------- without a place

    def _by_chunks(self, label: Label, gold: list[int], doubts: list[str]) -> CarriedItem:
        chunks = self._linked(gold)
        if not chunks:
            self.lander.astray.extend(
                (int(self.old.starts[chunk]), int(self.old.ends[chunk])) for chunk in gold
            )
        if not gold:
            doubts.append("there is no evidence to go by")
        elif len(chunks) > 1:
            doubts.append("without evidence, no telling which of the chunks answers")
        statuses = {int(self.links.status[chunk]) for chunk in gold}
        if not chunks:
            status = "lost"
            doubts.append("nothing of its chunks is left")
        elif doubts:
            status = "ambiguous"
        elif self._source_changed(label, gold, chunks[0]):
            status = "moved"
        else:
            status = "merged" if statuses & {2} or len(gold) > 1 else "kept"
        return self._item(label, status, chunks, "missing", None, doubts)

    def _unlocated(self, label: Label, gold: list[int], doubts: list[str]) -> CarriedItem:
        chunks = self._linked(gold)
        doubts.append("its evidence is not in OLD")
        status = "ambiguous" if chunks else "lost"
        return self._item(label, status, chunks, "missing", None, doubts)

    def _linked(self, gold: list[int]) -> list[int]:
        firsts = self.links.firsts
        linked = {
            int(self.links.new[at])
            for chunk in gold
            for at in range(int(firsts[chunk]), int(firsts[chunk + 1]))
        }
        return sorted(linked)

    def _source_changed(self, label: Label, gold: list[int], chunk: int) -> bool:
        source = self.new.sources[self.new.document_of_chunk(chunk)]
        was = {self.old.sources[self.old.document_of_chunk(g)] for g in gold} or {label.source}
        return source not in was

    # ---------------------------------------------------------------- summing up

    def _sum_up(
        self, label: Label, located: Located, landings: list[Landing], doubts: list[str]
    ) -> CarriedItem:
        found = [landing for landing in landings if landing.found]
        if not found:
            doubts.append("its text is gone")
            return self._item(label, "lost", [], "missing", None, doubts)
        answers = []
        split = False
        unedited = [landing for landing in found if landing.evidence_ok != "edited"]
        for landing in unedited or found:
            for start, end in landing.others or [(landing.start, landing.end)]:
                chunks, together = self._holding(start, end)
                split = split or together
                answers.append(chunks)
        if any(answer != answers[0] for answer in answers[1:]):
            doubts.append("its words stand in several places")
        if len(found) < len(landings):
            doubts.append("one of the places of its words is gone")
        for landing in found:
            doubts += [doubt for doubt in landing.doubts if doubt not in doubts]
        chunks = sorted({chunk for answer in answers for chunk in answer})
        grades = ("edited", "missing", "markup", "strict")
        evidence_ok = min((landing.evidence_ok for landing in unedited or found), key=grades.index)
        if not chunks:
            status = "lost"
            doubts.append("no chunk holds its text")
        elif doubts:
            status = "ambiguous"
        elif any(landing.moved for landing in found):
            status = "moved"
        else:
            status = "split" if split else "kept"
        first = (unedited or found)[0]
        start, end = first.others[0] if first.others else (first.start, first.end)
        return self._item(label, status, chunks, evidence_ok, (start, end), doubts)

    def _holding(self, start: int, end: int) -> tuple[list[int], bool]:
        """Return the chunks that hold all of the span, or else those that do together."""
        whole = self.new.holders(start, end)
        return (list(whole), False) if whole else (list(self.new.touched(start, end)), True)

    def _item(
        self,
        label: Label,
        status: str,
        chunks: list[int],
        evidence_ok: str,
        span: tuple[int, int] | None,
        doubts: list[str],
    ) -> CarriedItem:
        source = heading = ""
        if chunks:
            source = self.new.sources[self.new.document_of_chunk(chunks[0])]
            heading = self.new.heading(chunks[0])
        reason = "; ".join(doubts)
        if not reason and evidence_ok == "markup":
            reason = "only its markup changed"
        return CarriedItem(
            id=label.id,
            status=status,
            old=label.chunks,
            new=tuple(self.new.id(chunk) for chunk in chunks),
            source=source,
            heading=heading,
            evidence_ok=evidence_ok,
            span=self._characters(span) if span and chunks else None,
            reason=reason,
        )

    def _characters(self, span: tuple[int, int]) -> tuple[int, int]:
        document = self.new.document_of(span[0])
        base = int(self.new.bases[document])
        text = self.new.texts[document]
        return (
            len(text[: span[0] - base].decode("utf-8", "ignore")),
            len(text[: span[1] - base].decode("utf-8", "ignore")),
        )

"""Where a place of evidence went: along the chain, found anew, or gone; and how sure that is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from curate.remap.aligning import Block
from curate.remap.folding import letters_only, only_markup_lost
from curate.remap.locating import Place, find_all
from curate.remap.moves import Chain
from curate.remap.stitching import Corpus

_ROOM = 40  # bytes of equal surroundings that make a repeated phrase trustworthy
_CLEAR_ROOM = 160  # ... where the same phrase was added elsewhere in the document
_UNIQUE = 2000  # bytes of surroundings that are compared to tell repeats apart
_SURE_TEXT = 32  # bytes of text that is only found once by chance
_LEAST_TEXT = 12
_REWORDED = 80.0

_NEGATION = re.compile(
    r"not|n't|never|cannot|without|except|unless|不|没|未|无|非|មិន|គ្មាន|ไม่|nicht|kein|не"
)


@dataclass(slots=True)
class Landing:
    """Where one place of the evidence went: a span of the new corpus, and how sure that is."""

    start: int = 0
    end: int = 0
    evidence_ok: str = "missing"
    doubts: list[str] = field(default_factory=list)
    moved: bool = False
    others: list[tuple[int, int]] = field(default_factory=list)

    @property
    def found(self) -> bool:
        """Whether it is anywhere."""
        return self.end > self.start or bool(self.others)


@dataclass(frozen=True, slots=True)
class Lander:
    """Finds where places of the old corpus are in the new one, along a chain of shared text.

    `astray` collects the spans of the old corpus that were looked for and not found in their
    document.
    """

    old: Corpus
    new: Corpus
    chain: Chain
    astray: list[tuple[int, int]] = field(default_factory=list)
    _letters: dict[int, bytes] = field(default_factory=dict, repr=False)

    def land(self, place: Place) -> Landing:
        """Return where `place` went, with what makes that doubtful."""
        pieces = self.chain.lift(place.start, place.end)
        document = self.old.document_of(place.start)
        text = self.old.text(place.start, place.end)
        pieces = self._one_document(pieces)
        if not pieces:
            return self._gone(place, text)
        landing = self._whole(place, text, pieces) or self._span(place, pieces)
        found = self.new.text(landing.start, landing.end)
        landing.moved = (
            self.new.sources[self.new.document_of(landing.start)] != self.old.sources[document]
        )
        if found == text:
            landing.evidence_ok = "strict"
        elif only_markup_lost(text, found):
            landing.evidence_ok = "markup"
        else:
            covered = sum(piece.length for piece in pieces)
            if covered * 3 < len(text) and _alike(text, found) < _REWORDED:
                return self._gone(place, text)
            landing.evidence_ok = "edited"
            landing.doubts.append("its evidence was edited")
            return landing
        self._doubt_repeats(place, landing)
        self._doubt_negation(place, landing)
        return landing

    def _one_document(self, pieces: list[Block]) -> list[Block]:
        """Return the pieces in the document that holds most of them, increasing there."""
        if len(pieces) < 2:
            return pieces
        sizes: dict[int, int] = {}
        for piece in pieces:
            document = self.new.document_of(piece.new)
            sizes[document] = sizes.get(document, 0) + piece.length
        best = max(sizes, key=lambda document: (sizes[document], -document))
        pieces = [piece for piece in pieces if self.new.document_of(piece.new) == best]
        longest = max(range(len(pieces)), key=lambda at: (pieces[at].length, -at))
        kept = [pieces[longest]]
        for piece in reversed(pieces[:longest]):
            if self._follows(piece, kept[0]):
                kept.insert(0, piece)
        for piece in pieces[longest + 1 :]:
            if self._follows(kept[-1], piece):
                kept.append(piece)
        return kept

    @staticmethod
    def _follows(first: Block, then: Block) -> bool:
        gap_old = then.old - first.old - first.length
        gap_new = then.new - first.new - first.length
        return 0 <= gap_new <= 2 * gap_old + 200

    def _whole(self, place: Place, text: bytes, pieces: list[Block]) -> Landing | None:
        """Return where the text stands unchanged at the offset of one of its pieces.

        An insertion beside a phrase can be aligned as one inside it: where text repeats, an edit
        may slide.
        """
        for piece in sorted(pieces, key=lambda piece: -piece.length):
            start = piece.new - (piece.old - place.start)
            document = self.new.document_of(piece.new)
            if (
                start >= self.new.bases[document]
                and start + len(text) <= self.new.bases[document + 1]
                and self.new.text(start, start + len(text)) == text
            ):
                return Landing(start, start + len(text))
        return None

    def _span(self, place: Place, pieces: list[Block]) -> Landing:
        """Return the span of the new text that `pieces` and the edits at their ends cover."""
        first, last = pieces[0], pieces[-1]
        start, end = first.new, last.new + last.length
        missing = first.old - place.start
        if missing:
            edge = self._edge_before(first)
            start = max(edge, start - 2 * missing - 16) if edge >= 0 else max(start - missing, 0)
        missing = place.end - last.old - last.length
        if missing:
            edge = self._edge_after(last)
            end = min(edge, end + 2 * missing + 16) if edge >= 0 else end + missing
        document = self.new.document_of(first.new)
        start = max(start, int(self.new.bases[document]))
        end = min(end, int(self.new.bases[document + 1]))
        return Landing(start, end)

    def _edge_before(self, piece: Block) -> int:
        """Return where the text matched before `piece` ends in the new document."""
        base = int(self.new.bases[self.new.document_of(piece.new)])
        before = self.chain.lift(max(0, piece.old - 600), piece.old)
        for block in reversed(before):
            if base <= block.new and block.new + block.length <= piece.new:
                return block.new + block.length
        return -1

    def _edge_after(self, piece: Block) -> int:
        limit = int(self.new.bases[self.new.document_of(piece.new) + 1])
        end = piece.new + piece.length
        for block in self.chain.lift(piece.old + piece.length, piece.old + piece.length + 600):
            if end <= block.new < limit:
                return block.new
        return -1

    def _gone(self, place: Place, text: bytes) -> Landing:
        """Look for text that was not lifted: in what is new, then reworded in its old place."""
        self.astray.append((place.start, place.end))
        spots = self.chain.spare.find_all(text) if len(text) >= _LEAST_TEXT else []
        if len(spots) == 1 and len(text) >= _SURE_TEXT:
            landing = Landing(*spots[0], evidence_ok="strict", moved=True)
            document = self.new.document_of(spots[0][0])
            if len(find_all(self.new.texts[document], text)) == 1:
                return landing
            landing.doubts.append("its text is new in more than one place")
            return landing
        if spots:
            return Landing(
                evidence_ok="strict",
                moved=True,
                others=spots,
                doubts=[
                    "its place is gone; the same words are new elsewhere"
                    if len(spots) == 1
                    else "its place is gone; the same words are new in several places"
                ],
            )
        gap = self._gap(place)
        if gap is not None:
            found = self.new.text(*gap)
            score, left, right = _best_part(text, found)
            if score >= _REWORDED:
                return Landing(
                    gap[0] + left,
                    gap[0] + right,
                    evidence_ok="edited",
                    doubts=["its evidence was reworded"],
                )
        return Landing()

    def _gap(self, place: Place) -> tuple[int, int] | None:
        """Return the new text between what was matched before and after `place`, if short."""
        document = self.old.document_of(place.start)
        low, high = int(self.old.bases[document]), int(self.old.bases[document + 1])
        before = self.chain.lift(max(low, place.start - 2000), place.start)
        after = self.chain.lift(place.end, min(high, place.end + 2000))
        if not before and not after:
            return None
        if before:
            start = before[-1].new + before[-1].length
            there = self.new.document_of(before[-1].new)
        else:
            there = self.new.document_of(after[0].new)
            start = max(int(self.new.bases[there]), after[0].new - 2000)
        end = min(start + 4000, int(self.new.bases[there + 1]))
        for block in after:
            if start <= block.new <= end:
                end = block.new
                break
        return (start, end) if start < end else None

    # ---------------------------------------------------------------- doubts

    def _doubt_repeats(self, place: Place, landing: Landing) -> None:
        """Doubt a phrase the new document repeats, unless equal, unique surroundings place it."""
        number = self.new.document_of(landing.start)
        pair = self.chain.pairs.get(self.old.document_of(place.start))
        if pair and pair.same_text and pair.new == number:
            return
        if number not in self._letters:
            self._letters[number] = letters_only(self.new.texts[number])
        document = self._letters[number]
        found = letters_only(self.new.text(landing.start, landing.end)) or document
        if document.find(found) == document.rfind(found):
            return
        left, right = self._surroundings(place, landing)
        around = letters_only(self.new.text(left, right))
        room = len(around) - len(found)
        if room < _ROOM:
            landing.doubts.append("its words stand there more than once")
        elif document.find(around) != document.rfind(around):
            landing.doubts.append("its surroundings stand there more than once")
        elif room < _CLEAR_ROOM and self._is_added(
            self.new.text(landing.start, landing.end), number
        ):
            landing.doubts.append("the same words were added there")

    def _surroundings(self, place: Place, landing: Landing) -> tuple[int, int]:
        """Return the span around a landing in which nothing but punctuation changed."""
        first, last = self.chain.rows(place.start, place.end)
        left, right = landing.start, landing.end
        if first < last:
            left = min(left, self.chain.block(first).new)
            after = self.chain.block(last - 1)
            right = max(right, after.new + after.length)
        while first > 0 and landing.start - left < _UNIQUE:
            if not self._is_bare(self.chain.block(first - 1), self.chain.block(first)):
                break
            first -= 1
            left = self.chain.block(first).new
        while last < self.chain.size and right - landing.end < _UNIQUE:
            after = self.chain.block(last)
            if not self._is_bare(self.chain.block(last - 1), after):
                break
            last += 1
            right = after.new + after.length
        return max(left, landing.start - _UNIQUE), min(right, landing.end + _UNIQUE)

    def _is_bare(self, block: Block, then: Block) -> bool:
        """Say whether no letter stands between two blocks, on either side."""
        gap_old = block.old + block.length, then.old
        gap_new = block.new + block.length, then.new
        return (
            0 <= gap_new[1] - gap_new[0] <= _ROOM
            and gap_old[1] - gap_old[0] <= _ROOM
            and self.old.document_of(block.old) == self.old.document_of(then.old)
            and self.new.document_of(block.new) == self.new.document_of(then.new)
            and not letters_only(self.old.text(*gap_old))
            and not letters_only(self.new.text(*gap_new))
        )

    def _is_added(self, text: bytes, document: int) -> bool:
        """Say whether text that is new in the document holds `text` too."""
        low, high = int(self.new.bases[document]), int(self.new.bases[document + 1])
        return any(low <= start < high for start, _ in self.chain.spare.find_all(text))

    def _run(self, place: Place) -> Block:
        """Return the block of the chain that holds the whole place, or an empty one."""
        for piece in self.chain.lift(place.start, place.end):
            at = self.chain.block_at(piece.old)
            if at.old <= place.start and place.end <= at.old + at.length:
                return at
        return Block(place.start, 0, 0)

    def _doubt_negation(self, place: Place, landing: Landing) -> None:
        """Doubt a phrase right before or after which a negation was put in or taken out."""
        run = self._run(place)
        if not run.length:
            return
        if run.old > place.start - 4:
            gap = self._small_gap_before(run)
            if gap and _negations(gap[0]) != _negations(gap[1]):
                landing.doubts.append("a negation beside it changed")
        if run.old + run.length < place.end + 4:
            gap = self._small_gap_after(run)
            if gap and _negations(gap[0]) != _negations(gap[1]):
                landing.doubts.append("a negation beside it changed")

    def _small_gap_before(self, run: Block) -> tuple[bytes, bytes] | None:
        start = self._edge_before(run)
        before = self.chain.lift(max(0, run.old - 600), run.old)
        if start < 0 or not before or run.new - start > 60:
            return None
        end = before[-1].old + before[-1].length
        if run.old - end > 60 or self.old.document_of(end) != self.old.document_of(run.old):
            return None
        return self.old.text(end, run.old), self.new.text(start, run.new)

    def _small_gap_after(self, run: Block) -> tuple[bytes, bytes] | None:
        end = self._edge_after(run)
        old_end, new_end = run.old + run.length, run.new + run.length
        after = self.chain.lift(old_end, old_end + 600)
        if end < 0 or not after or end - new_end > 60 or after[0].old - old_end > 60:
            return None
        if self.old.document_of(after[0].old) != self.old.document_of(run.old):
            return None
        return self.old.text(old_end, after[0].old), self.new.text(new_end, end)


def _negations(text: bytes) -> list[str]:
    return sorted(_NEGATION.findall(text.decode("utf-8", "ignore")))


def _alike(text: bytes, found: bytes) -> float:
    return fuzz.ratio(text.decode("utf-8", "replace"), found.decode("utf-8", "replace"))


def _best_part(text: bytes, found: bytes) -> tuple[float, int, int]:
    """Return how alike the most similar part of `found` is (0 to 100), and where it is."""
    if len(letters_only(text)) < 6 or len(found) * 2 < len(text):
        return 0.0, 0, 0
    needle, hay = text.decode("utf-8", "replace"), found.decode("utf-8", "replace")
    best = fuzz.partial_ratio_alignment(needle, hay)
    if best is None:
        return 0.0, 0, 0
    return best.score, len(hay[: best.dest_start].encode()), len(hay[: best.dest_end].encode())

"""Which retrieved chunks are right: by the evidence they hold, or by their ids.

By evidence is the harness's rule: same source, and the chunk's text holds the evidence once runs
of white space are folded on both sides; so one set compares any chunkings. By id is exact within
one chunking, and fiction outside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from curate.evaluate import metrics
from curate.evaluate.cases import Case
from curate.evaluate.runs import Hit, Reply
from curate.text import fold_space

Rule = Literal["evidence", "chunks"]
Texts = Mapping[str, str]
"""Chunk texts by id, for runs that do not carry them."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What the ranks of one reply hold, for `metrics`.

    `found` has the rank of each piece of gold where it first appears, or None. Alternatives (an
    evidence mode of `any`) are one piece of gold. `held` says whether what was retrieved, at
    whatever rank, suffices to answer. `unread` counts chunks without a text or a source.
    """

    right: tuple[float, ...]
    gains: tuple[float, ...]
    ideal: tuple[float, ...]
    found: tuple[int | None, ...]
    held: bool
    unread: int = 0

    @property
    def rank(self) -> int | None:
        """The rank of the first right chunk, or None."""
        return metrics.first_rank(self.right)


def scorable(case: Case, rule: Rule) -> bool:
    """Say whether `case` has gold of the kind that `rule` needs."""
    return case.answerable and bool(case.golds if rule == "evidence" else case.chunks)


def look(case: Case, reply: Reply | None, rule: Rule, texts: Texts) -> Retrieved:
    """Return what was retrieved for a scorable case; a missing reply retrieved nothing.

    A chunk that is retrieved twice counts where it comes first.
    """
    hits = reply.hits if reply else ()
    if rule == "chunks":
        return _by_id(case, hits)
    return _by_evidence(case, hits, texts)


def _by_id(case: Case, hits: tuple[Hit, ...]) -> Retrieved:
    gains: list[float] = []
    found: dict[str, int] = {}
    for rank, hit in enumerate(hits, 1):
        new = hit.id in case.chunks and hit.id not in found
        gains.append(case.chunks[hit.id] if new else 0.0)
        if new:
            found[hit.id] = rank
    return Retrieved(
        tuple(gains),
        tuple(gains),
        tuple(case.chunks.values()),
        tuple(found.get(chunk) for chunk in case.chunks),
        len(found) == len(case.chunks) if case.mode == "all" else bool(found),
    )


def _by_evidence(case: Case, hits: tuple[Hit, ...], texts: Texts) -> Retrieved:
    right = [0.0] * len(hits)
    first: list[int | None] = [None] * len(case.golds)
    seen: set[str] = set()
    unread = 0
    for rank, hit in enumerate(hits, 1):
        body = text_of(hit, texts)
        if body is None or not hit.source:
            unread += 1
        elif not hit.id or hit.id not in seen:
            for place, gold in enumerate(case.golds):
                if gold.source == hit.source and _holds(body, gold.phrase):
                    right[rank - 1] = 1.0
                    first[place] = first[place] or rank
        seen.add(hit.id)
    if case.mode == "any":
        first = [min((rank for rank in first if rank), default=None)]
    at = {rank for rank in first if rank}
    gains = [float(rank in at) for rank in range(1, len(hits) + 1)]
    # gold that one chunk holds together is one thing to find
    missing = sum(rank is None for rank in first)
    ideal = (1.0,) * (len(at) + missing)
    return Retrieved(tuple(right), tuple(gains), ideal, tuple(first), missing == 0, unread)


def text_of(hit: Hit, texts: Texts) -> str | None:
    """Return a chunk's text, from the run or from the chunk set, or None."""
    return hit.text if hit.text is not None else texts.get(hit.id)


def _holds(body: str, folded: str) -> bool:
    """`curate.text.contains`, for an evidence that is folded and stripped already."""
    return folded in body or (
        all(word in body for word in folded.split(" ")) and folded in fold_space(body)
    )

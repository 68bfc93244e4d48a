"""Whether an answer passes, by rules a machine can check, and what went wrong where it does not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from curate.evaluate.cases import Case
from curate.evaluate.retrieval import Retrieved, Texts, text_of
from curate.evaluate.runs import Reply
from curate.text import fold_space

Label = Literal[
    "",
    "retrieval miss",
    "bad chunk",
    "generation",
    "refusal",
    "stale document",
    "contradictory documents",
    "no reply",
]
"""What to call a failure. The last document two are mended in the documents, `no reply` in the
assistant; all are proposals until a person confirms them."""

RETRIEVAL = "retrieval"
GENERATION = "generation"
REFUSED = "refused, though it retrieved the evidence"
ANSWERED = "answered, though it should have refused"
SILENT = "no reply"
UNFOUND = "passes, though the evidence was not retrieved"
"""No failure, and no success of the retrieval: another passage told it, or the model knew it."""

_CITATION = re.compile(r"\[(\d+(?:\s*,\s*\d+)*)\]")


@dataclass(frozen=True, slots=True)
class Verdict:
    """How an answer fares. `passed` is None where the run has no answers.

    `why` is in words, `diagnosis` one of this module's constants or empty, `keyword` and `cited`
    None where they do not apply, `misses` the assertions that fail, `missing:` or `banned:` first.
    """

    passed: bool | None
    why: str
    diagnosis: str = ""
    label: Label = ""
    refused: bool | None = None
    keyword: bool | None = None
    cited: bool | None = None
    misses: tuple[str, ...] = field(default=(), repr=False)


def judge(
    case: Case,
    reply: Reply | None,
    retrieved: Retrieved | None,
    refusals: Sequence[str],
    texts: Texts,
    *,
    answered: bool,
) -> Verdict:
    """Return the verdict on the reply to one case.

    `retrieved` is None where the case has no gold to look for. `answered` says whether the run
    has answers; where it has none only the retrieval is judged.
    """
    if reply is None or reply.error:
        why = reply.error if reply else "the run has no reply to it"
        return Verdict(False if answered else None, why, SILENT, "no reply")
    if not answered:
        if retrieved is None or retrieved.rank is not None:
            return Verdict(None, "")
        return Verdict(None, "not retrieved", RETRIEVAL, _miss(case, reply, texts))
    refused = was_refused(reply, refusals)
    answer = reply.answer or ""
    if not case.answerable:
        if refused:
            return Verdict(True, "refused", refused=True)
        if not answer:
            return Verdict(False, "no answer", SILENT, "no reply", refused=False)
        return Verdict(False, "should have refused", ANSWERED, "refusal", refused=False)
    held = retrieved is not None and retrieved.held
    misses = assertions(case, answer)
    if refused:
        if held:
            return Verdict(False, REFUSED, REFUSED, "refusal", True, False, False, misses)
        why = "refused; the evidence was not retrieved"
        label = _miss(case, reply, texts)
        return Verdict(False, why, RETRIEVAL, label, True, False, False, misses)
    if not case.golds and not case.keyword:
        return Verdict(None, "the set says nothing of its answer", refused=False)
    keyword = case.keyword.lower() in answer.lower()
    named = cited_sources(reply)
    cited = _cites(case, named)
    if keyword and cited and not misses:
        if retrieved is None or held:
            return Verdict(True, "ok", "", "", False, keyword, cited, misses)
        return Verdict(True, UNFOUND, UNFOUND, "", False, keyword, cited, misses)
    reasons = [] if keyword else [f"lacks the keyword `{case.keyword}`"]
    if not cited:
        shown = ", ".join(dict.fromkeys(name for name in named if name)) or "nothing"
        reasons.append(f"cites {shown}")
    reasons += misses
    diagnosis = GENERATION if held else RETRIEVAL
    label = _wrong(case, reply, misses, texts, held=held)
    return Verdict(
        keyword and cited, "; ".join(reasons), diagnosis, label, False, keyword, cited, misses
    )


def was_refused(reply: Reply, refusals: Sequence[str]) -> bool:
    """Return what the reply says of itself, else whether its answer holds a refusal phrase."""
    if reply.refused is not None:
        return reply.refused
    answer = fold_space(reply.answer or "").replace("’", "'").lower()
    return any(phrase.lower() in answer for phrase in refusals)


def assertions(case: Case, answer: str) -> tuple[str, ...]:
    """Return the assertions that fail on `answer`, case-sensitive."""
    missing = [f"missing:{text}" for text in case.must_include if text not in answer]
    return (*missing, *(f"banned:{text}" for text in case.must_not_include if text in answer))


def cited_sources(reply: Reply) -> tuple[str, ...]:
    """Return the sources an answer cites, in order, empty strings for numbers out of range.

    `[n]` counts from 1 through the reply's sources, or through what it retrieved.
    """
    listed = reply.sources
    if listed is None:
        listed = tuple(hit.source for hit in reply.hits)
    by_id = {hit.id: hit.source for hit in reply.hits if hit.id} if reply.cited else {}
    numbers: list[int | str] = [
        int(number)
        for match in _CITATION.finditer(reply.answer or "")
        for number in match[1].split(",")
    ]
    return tuple(
        by_id.get(entry, entry)
        if isinstance(entry, str)
        else (listed[entry - 1] if 1 <= entry <= len(listed) else "")
        for entry in (*numbers, *reply.cited)
    )


def _cites(case: Case, named: Sequence[str]) -> bool:
    wanted = {gold.source for gold in case.golds}
    if not wanted:
        return bool(named)
    return wanted <= set(named) if case.mode == "all" else not wanted.isdisjoint(named)


def _wrong(case: Case, reply: Reply, misses: Sequence[str], texts: Texts, *, held: bool) -> Label:
    """Name a wrong answer: a banned phrase that the documents themselves hold is their fault."""
    banned = [miss.removeprefix("banned:") for miss in misses if miss.startswith("banned:")]
    bodies = [text_of(hit, texts) or "" for hit in reply.hits]
    if any(phrase in body for phrase in banned for body in bodies):
        return "contradictory documents" if held else "stale document"
    return "generation" if held else _miss(case, reply, texts)


def _miss(case: Case, reply: Reply, texts: Texts) -> Label:
    """Name a miss: a bad chunk where retrieved chunks hold only a part of the evidence."""
    for gold in case.golds:
        for hit in reply.hits:
            if hit.source == gold.source and _cut(text_of(hit, texts) or "", gold.phrase):
                return "bad chunk"
    return "retrieval miss"


def _cut(body: str, phrase: str) -> bool:
    """Whether a chunk ends within the evidence, or begins in it, with half of it or more."""
    folded = fold_space(body).strip()
    least = max(len(phrase) // 2, 4)
    return phrase not in folded and any(
        folded.endswith(phrase[:size].rstrip()) or folded.startswith(phrase[-size:].lstrip())
        for size in range(least, len(phrase))
    )

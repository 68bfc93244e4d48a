"""An item, or a candidate and what was logged of it, as text to be read from top to bottom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from curate.cli import output
from curate.text import one_line, whereabouts

if TYPE_CHECKING:
    from curate.corpus.corpus import Corpus
    from curate.model.documents import Evidence, Passage
    from curate.model.items import Finding, Item
    from curate.model.records import Candidate, Feedback, Record, RetrievedChunk, Turn

_LABEL = 11


def candidate(
    found: Candidate, records: Sequence[Record], corpus: Corpus, passages: Sequence[Passage]
) -> None:
    """Print a candidate, the records it is made of, and the passages that may answer it."""
    item = f" · {found.item}" if found.item else ""
    claim = f" · {found.claim.by} looks at it" if found.claim else ""
    output.line(f"c{found.id}  {found.status}{item} · {found.lang or 'no language'}{claim}")
    _field("question", found.question)
    _field("why", " · ".join(found.reasons))
    _field("note", found.note)
    for record in records:
        _record(record)
    if passages:
        output.line("\nmay answer it:")
    for number, passage in enumerate(passages, 1):
        start, end = passage.best
        section = passage.section
        output.line(
            f"{number:3}  {whereabouts(section.source, section.heading)}"
            f"  {passage.score:.2f} by {passage.why}"
        )
        output.line(f"     {one_line(corpus.document(section.source).text[start:end])}")


def _record(record: Record) -> None:
    asked = _at(record.asked_at or record.received_at)
    ends = f"expires {record.expires_at:%Y-%m-%d}"
    output.line(f"\nasked {asked} · {record.source} · record {record.id} · {ends}")
    _turns(record.history)
    _field("question", record.question.text)
    _field("searched", record.standalone.text if record.standalone else "")
    _field("answer", record.answer.text if record.answer else "")
    _field("", "refused" if record.refused else "")
    _fields("retrieved", map(_chunk, record.chunks))
    _fields("feedback", map(_vote, record.feedback))
    took = f"{record.latency_ms:.0f} ms" if record.latency_ms is not None else ""
    tokens = [str(n) for n in (record.tokens_in, record.tokens_out) if n is not None]
    _field("cost", " · ".join([*([took] if took else []), *[f"{n} tokens" for n in tokens]]))


def item(found: Item, findings: Sequence[Finding]) -> None:
    """Print an item and what is wrong with it."""
    facts = (found.status, found.split, found.kind, found.lang, *found.tags)
    changed = f" by {found.changed_by}, {_at(found.changed_at)}" if found.changed_at else ""
    output.line(f"{found.id}  {' · '.join(fact for fact in facts if fact)}")
    output.line(f"revision {found.revision}{changed}")
    _turns(found.history)
    _field("question", found.question)
    _field("asked as", found.original if found.original != found.question else "")
    _field("searched", found.standalone)
    _field("answer", {False: "unanswerable", None: "undecided"}.get(found.answerable, ""))
    word = "all of" if found.evidence_mode == "all" else "any of"
    _fields(
        word if len(found.evidences) > 1 else "evidence",
        (line for quoted in found.evidences for line in _quoted(quoted)),
    )
    if found.absence is not None:
        _fields("sought", found.absence.queries)
        _fields(
            "tempting",
            (f"{whereabouts(source, heading)}  {score:.2f}"
             for source, heading, score in found.absence.nearest),
        )  # fmt: skip
    _field("keyword", found.keyword)
    _fields("must say", found.must_include)
    _fields("must not", found.must_not_include)
    _field("reference", found.reference)
    for told in found.labels:
        _field(f"in {told.chunk_set}", f"{told.status}: {', '.join(told.chunks) or told.reason}")
    _field("note", found.note)
    if findings:
        output.line("")
    for finding in findings:
        output.line(f"{finding.severity}: {finding.message} [{finding.code}]")


def _field(label: str, text: str) -> None:
    if text:
        output.line(f"  {label:<{_LABEL}}{one_line(text)}")


def _turns(history: Sequence[Turn]) -> None:
    for turn in history:
        _field(f"{turn.role}:", turn.content)


def _fields(label: str, texts: Iterable[str]) -> None:
    """Print several texts, one to a line, the label before the first."""
    for text in texts:
        _field(label, text)
        label = ""


def _quoted(evidence: Evidence) -> tuple[str, str]:
    place = whereabouts(evidence.source, evidence.heading)
    return f"{place}  ({evidence.grade})", f"“{evidence.phrase}”"


def _chunk(chunk: RetrievedChunk) -> str:
    score = "" if chunk.score is None else f"  {chunk.score:.2f}"
    return f"{chunk.rank}. {whereabouts(chunk.source, chunk.heading) or chunk.id or '?'}{score}"


def _vote(vote: Feedback) -> str:
    thumb = {1: "up", -1: "down"}.get(vote.rating or 0, "no vote")
    when = f" {_at(vote.at)}" if vote.at else ""
    said = " · ".join(text for text in (vote.reason, vote.comment) if text)
    return f"{thumb} by {vote.by}{when}{': ' + said if said else ''}"


def _at(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M}Z"

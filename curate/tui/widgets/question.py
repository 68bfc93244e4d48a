"""What is known of a question besides its words: answer, feedback, chunks, history."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from curate.model.documents import Section
from curate.model.items import Item
from curate.model.records import Candidate, Record
from curate.text import one_line
from curate.tui.desk import Case, redactions
from curate.tui.widgets import signs


def told(case: Case) -> Content:
    """Return what the log tells about a case, in paragraphs."""
    lines: list[Content] = []
    candidate, record = case.candidate, case.record
    if case.item.original and case.item.original != case.item.question:
        lines.append(Content.assemble(signs.quiet("asked   "), signs.spoken(case.item.original)))
    if candidate is not None:
        facts = [one_line(candidate.lang), signs.askings(candidate)]
        if candidate.last_asked is not None:
            facts.append(f"last {signs.day(candidate.last_asked)}")
        lines.append(signs.quiet(" · ".join(filter(None, facts))))
        if candidate.reasons:
            lines.append(signs.reasons_line(candidate.reasons))
    if found := redactions(case):
        taken = ", ".join(f"{one.placeholder} ({one_line(one.by)})" for one in found)
        lines.append(Content.assemble(("taken out ", "$quiet"), signs.spoken_line(taken)))
    if case.failure is not None:
        lines.append(signs.failure(case.failure))
    if record is None:
        if candidate is None and not case.records:
            lines.append(signs.quiet("an item of the set; what was logged is not kept with it"))
        lines += _history(case)
        return Content("\n").join(lines)
    if record.answer is not None:
        word = "refused " if record.refused else "answered"
        lines.append(Content.assemble((f"\n{word}\n", "$quiet"), signs.spoken(record.answer.text)))
    elif record.refused:
        lines.append(Content.assemble(("\nrefused", "$quiet")))
    votes = signs.feedback_lines(vote for r in case.records for vote in r.feedback)
    if votes:
        lines += [Content.assemble(("\nfeedback", "$quiet")), *votes]
    if record.chunks:
        lines.append(Content.assemble(("\nretrieved", "$quiet")))
        lines += [signs.chunk_line(chunk) for chunk in record.chunks]
    lines += _history(case)
    others = [r for r in case.records if r.id != record.id]
    if others:
        lines.append(Content.assemble((f"\nother askings {len(others)}", "$quiet")))
        wordings = dict.fromkeys(r.question.text for r in others)
        lines += [Content.assemble("· ", signs.spoken_line(text)) for text in list(wordings)[:8]]
    return Content("\n").join(lines)


def gist(case: Case) -> Content:
    """Return the answer and the votes on one line, for where there is no room for more."""
    record = case.record
    if record is None:
        return signs.failure(case.failure) if case.failure else Content("")
    parts: list[Content] = []
    if record.history:
        parts.append(Content.styled("↩ follow-up", "$text-accent"))
    votes = signs.feedback_lines(vote for r in case.records for vote in r.feedback)
    parts += votes[:1]
    if record.answer is not None:
        word = "refused " if record.refused else "answered "
        parts.append(Content.assemble((word, "$quiet"), signs.spoken_line(record.answer.text)))
    return Content("  ").join(parts)


def glimpse(candidate: Candidate, records: Sequence[Record], who: str) -> list[Content]:
    """Return a candidate in a few lines, as far as its records are there."""
    facts = [one_line(candidate.lang), signs.askings(candidate), candidate.status]
    if candidate.item:
        word = "duplicate of" if candidate.status == "duplicate" else "item"
        facts.append(f"{word} {one_line(candidate.item)}")
    facts.append(one_line(candidate.note))
    told = signs.quiet(" · ".join(filter(None, facts)))
    if theirs := signs.looked_at(candidate, who):
        told = Content.assemble(told, "   ", theirs)
    lines = [signs.spoken_line(candidate.question, "bold"), told]
    record = next((r for r in records if r.id == candidate.record), None)
    if record is None:
        return lines
    if record.answer is not None:
        word = "refused  " if record.refused else "answered "
        lines.append(Content.assemble((word, "$quiet"), signs.spoken_line(record.answer.text)))
    votes = signs.feedback_lines(vote for r in records for vote in r.feedback)
    if votes:
        lines.append(Content("  ").join(votes[:4]))
    if record.chunks:
        lines.append(Content.assemble(("retrieved ", "$quiet"), signs.chunk_line(record.chunks[0])))
    return lines


def _history(case: Case) -> list[Content]:
    history = case.record.history if case.record else case.item.history
    if not history:
        return []
    lines = [Content.assemble(("\nhistory", "$quiet"))]
    for turn in history:
        who = "user  " if turn.role == "user" else "reply "
        lines.append(Content.assemble((who, "$text-primary"), signs.spoken(turn.content)))
    return lines


def logged_ranks(case: Case, section: Section) -> tuple[int, ...]:
    """Return the ranks at which the assistant had retrieved from a section, best first."""
    if case.record is None:
        return ()
    ranks = []
    for chunk in case.record.chunks:
        source = chunk.source or (chunk.id or "").partition("#")[0]
        same = source == section.source or source.endswith(f"/{section.source}")
        if same and (not chunk.heading or chunk.heading.strip() == section.heading):
            ranks.append(chunk.rank)
    return tuple(sorted(ranks))


def summary(item: Item) -> str:
    """Return an item in a line, enough to tell two versions apart."""
    if item.answerable is None:
        answer = "undecided"
    elif item.answerable:
        answer = " + ".join(f"“{one_line(e.phrase)}”" for e in item.evidences)
    else:
        answer = "unanswerable"
    parts = [answer, f"keyword {one_line(item.keyword)}" if item.keyword else "", item.split]
    return f"{one_line(item.question)} — " + ", ".join(filter(None, parts))

"""What a curator corrects in what the anonymiser made: out again, or in after all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from curate.config import ENTITIES
from curate.ingest.originals import unpack
from curate.model.custody import Audit, Receipt
from curate.model.errors import CurateError, Exit
from curate.model.events import QuestionEvent, RawText
from curate.model.records import Clean, Record, Redaction, RetrievedChunk, Turn
from curate.store.erasing import Literal
from curate.store.rewording import Wording
from curate.text import fold_search

if TYPE_CHECKING:
    from curate.workspace.workspace import Workspace

BY_HAND = "curator"
"""The recogniser that a redaction by hand names."""

_PLACEHOLDER = re.compile(r"<([A-Z][A-Z_]*)_([0-9]+)>")


def redact(workspace: Workspace, subject: str, text: RawText, entity: str = "PERSON") -> Receipt:
    """Replace a text that the anonymiser missed by a placeholder, for good; return the receipt.

    `subject` is an item's id, or `c12` for all records of candidate 12 and the item made from it.
    In an item every revision and every stored version loses the text too, so that no undo and no
    old export brings it back.
    """
    if entity not in ENTITIES:
        raise CurateError(
            f"there is no entity of that name; there are {', '.join(ENTITIES)}", "", Exit.USAGE
        )
    if not fold_search(text.reveal()).strip():
        raise CurateError("no text was given to redact", "Select some.", Exit.USAGE)
    literal = Literal.of(text.reveal())
    match = re.fullmatch(r"c([0-9]+)", subject)
    if match is None:
        return _redact_item(workspace, subject, literal, entity)
    candidate = workspace.store.candidate(int(match[1]))
    wordings = []
    for record in workspace.store.records(candidate.id):
        made = taken_out(record, literal, entity)
        if made is not None:
            wordings.append(made)
    receipt = workspace.store.reword(
        wordings, kind="redaction", by=workspace.who, subject=subject, literal=literal
    )
    if candidate.item and candidate.status != "duplicate":
        receipt = _redact_item(workspace, candidate.item, literal, entity)
    return receipt


def _redact_item(workspace: Workspace, item: str, literal: Literal, entity: str) -> Receipt:
    current = workspace.store.item(item)
    texts = [current.question, current.original, *(turn.content for turn in current.history)]
    placeholder = _next(texts, entity)
    return workspace.store.redact_item(
        item, literal, placeholder, by=workspace.who, now=workspace.now()
    )


def restore(workspace: Workspace, record: int, placeholder: str) -> Record:
    """Put back what a placeholder stands for, everywhere in a record; only the corrected text is
    stored. Returns the record as it stands then.

    Needs the sealed original. Raises `CurateError` when that is gone, or when nothing of that
    placeholder is told.
    """
    current = workspace.store.record(record)
    event = original(workspace, record, "put back")
    said = {"question": event.question, "standalone": event.standalone, "answer": event.answer}
    value = None
    for name, raw in said.items():
        clean: Clean | None = getattr(current, name)
        for found in clean.redactions if clean and raw else ():
            if found.placeholder == placeholder and raw is not None:
                value = raw.reveal()[found.start : found.end]
    if value is None:
        raise CurateError(
            f"record {record} does not tell what {placeholder} was",
            "Only what stood in its question or answer can be put back.",
            Exit.USAGE,
        )
    workspace.store.reword(
        [put_back(current, placeholder, value)],
        kind="put back",
        by=workspace.who,
        subject=f"r{record}",
        literal=None,
    )
    return workspace.store.record(record)


def original(workspace: Workspace, record: int, action: str) -> QuestionEvent:
    """Return what a record's event said, as it was logged. The look is on record before.

    Raises `CurateError` when the record or its original is gone.
    """
    key = workspace.store.key(record)
    packed = workspace.originals.one(key)
    workspace.store.audit(Audit(workspace.now(), workspace.who, action, f"r{record}"))
    event = unpack(packed)
    if not isinstance(event, QuestionEvent):
        raise CurateError("that original is of a vote", "", Exit.USAGE)
    return event


# ---------------------------------------------------------------------------- pure


def taken_out(record: Record, literal: Literal, entity: str) -> Wording | None:
    """Return a record's texts with `literal` replaced by a placeholder of its own, or None when
    it is not in them.
    """
    texts = [clean.text for clean in (record.question, record.standalone, record.answer) if clean]
    texts += [turn.content for turn in record.history]
    texts += [text for chunk in record.chunks for text in _texts(chunk)]
    if not any(text in literal for text in texts):
        return None
    placeholder = _next(texts, entity)

    def plain(text: str) -> str:
        return literal.replaced(text, placeholder)

    return _worded(record, lambda clean: _without(clean, literal, placeholder, entity), plain)


def put_back(record: Record, placeholder: str, value: str) -> Wording:
    """Return a record's texts with `value` where the placeholder stood."""

    def clean(text: Clean) -> Clean:
        return _with(text, placeholder, value)

    return _worded(record, clean, lambda text: text.replace(placeholder, value))


def _worded(
    record: Record, clean: Callable[[Clean], Clean], plain: Callable[[str], str]
) -> Wording:
    return Wording(
        record=record.id,
        question=clean(record.question),
        standalone=record.standalone and clean(record.standalone),
        answer=record.answer and clean(record.answer),
        history=tuple(Turn(turn.role, plain(turn.content)) for turn in record.history),
        chunks=tuple(
            replace(
                chunk,
                id=chunk.id and plain(chunk.id),
                source=chunk.source and plain(chunk.source),
                heading=chunk.heading and plain(chunk.heading),
            )
            for chunk in record.chunks
        ),
        words=plain,
    )


def _texts(chunk: RetrievedChunk) -> Iterable[str]:
    return (text for text in (chunk.id, chunk.source, chunk.heading) if text)


def _next(texts: Iterable[str], entity: str) -> str:
    """A placeholder that is not used yet."""
    used = [
        int(match[2])
        for text in texts
        for match in _PLACEHOLDER.finditer(text)
        if match[1] == entity
    ]
    return f"<{entity}_{max(used, default=0) + 1}>"


def _without(clean: Clean, literal: Literal, placeholder: str, entity: str) -> Clean:
    """Replace a text; what was replaced before keeps its place in the original."""
    kept = sorted(clean.redactions, key=lambda one: one.at)
    made, found, end = "", list[Redaction](), 0
    hits = literal.spans(clean.text)
    for first, last in hits:
        start = len(made) + first - end
        made += clean.text[end:first] + placeholder
        end = last
        found.append(
            Redaction(
                _origin(kept, first),
                _origin(kept, last),
                entity,
                placeholder,
                start,
                1.0,
                BY_HAND,
            )
        )
    made += clean.text[end:]

    def moved(at: int) -> int:
        return at + sum(len(placeholder) - (last - first) for first, last in hits if last <= at)

    swallowed = [
        one
        for one in kept
        if any(first < one.at + len(one.placeholder) and one.at < last for first, last in hits)
    ]
    stay = [replace(one, at=moved(one.at)) for one in kept if one not in swallowed]
    return Clean(made, tuple(sorted([*stay, *found], key=lambda one: one.at)))


def _origin(kept: Iterable[Redaction], at: int) -> int:
    """Where in the original an offset of the anonymised text is."""
    shift = sum(
        (one.end - one.start) - len(one.placeholder)
        for one in kept
        if one.at + len(one.placeholder) <= at
    )
    return at + shift


def _with(clean: Clean, placeholder: str, value: str) -> Clean:
    made, at_end, kept = "", 0, list[Redaction]()
    for one in sorted(clean.redactions, key=lambda found: found.at):
        made += clean.text[at_end : one.at]
        at_end = one.at + len(one.placeholder)
        if one.placeholder == placeholder:
            made += value
        else:
            kept.append(replace(one, at=len(made)))
            made += one.placeholder
    return Clean(made + clean.text[at_end:], tuple(kept))

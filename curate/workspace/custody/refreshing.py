"""Anonymising again what is there, after the settings or the model changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curate.ingest import originals as packing
from curate.ingest.door import spoken
from curate.model.custody import Receipt
from curate.model.events import FeedbackEvent, QuestionEvent, RawText
from curate.model.records import Clean, Record
from curate.store.clusters import pieces
from curate.store.rewording import Stale, VoteWording, Wording
from curate.workspace.custody.redacting import BY_HAND

if TYPE_CHECKING:
    from curate.workspace.workspace import Workspace

_BATCH = 256


@dataclass(frozen=True, slots=True)
class Change:
    """What anonymising a record again would change in it: the question before and after, and how
    many redactions of each entity its question and answer would gain or lose.
    """

    record: int
    before: Clean
    after: Clean
    gained: dict[str, int]
    lost: dict[str, int]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh would do, or did.

    `stale` counts records of another policy than today's. Of these, `changes` read otherwise now,
    `flagged` have no original any more and hold what is found today, `by_hand` were corrected by
    a curator and are left alone. `receipt` tells of the change when it was applied.
    """

    policy: str
    stale: int
    changes: tuple[Change, ...]
    flagged: tuple[int, ...]
    by_hand: tuple[int, ...]
    receipt: Receipt | None = None


def refresh(workspace: Workspace, *, apply: bool) -> Refreshed:
    """Anonymise every record of another policy again from its sealed original, and scan those
    without one. Nothing is changed unless `apply`.
    """
    policy = workspace.anonymiser.policy
    stale = workspace.store.stale(policy)
    corrected = {
        entry.subject
        for entry in workspace.store.audits(1_000_000)
        if entry.action in ("put back", "redaction")
    }
    changes: list[Change] = []
    wordings: list[Wording] = []
    flagged: list[int] = []
    by_hand: list[int] = []
    for some in pieces(stale, _BATCH):
        free = []
        for one in some:
            named = {f"r{one.record.id}", f"c{one.record.candidate}"}
            if named & corrected or _by_hand(one.record):
                by_hand.append(one.record.id)
            else:
                free.append(one)
        keys = [key for one in free for key in (one.key, *(vote.key for vote in one.votes))]
        opened = workspace.originals.open(keys)
        there = [one for one in free if one.key in opened]
        for one, made in zip(there, _again(workspace, there, opened, policy), strict=True):
            wordings.append(made)
            if _differs(one.record, made):
                changes.append(_change(one.record, made))
        gone = [one.record for one in free if one.key not in opened]
        flagged += _flagged(workspace, gone)
    receipt = None
    if apply and wordings:
        receipt = workspace.store.reword(
            wordings, kind="refresh", by=workspace.who, subject="", literal=None
        )
    return Refreshed(policy, len(stale), tuple(changes), tuple(flagged), tuple(by_hand), receipt)


def _by_hand(record: Record) -> bool:
    cleans = (record.question, record.standalone, record.answer)
    return any(one.by == BY_HAND for clean in cleans if clean for one in clean.redactions)


def _again(
    workspace: Workspace, there: Sequence[Stale], opened: dict[bytes, RawText], policy: str
) -> Iterator[Wording]:
    said: list[list[str]] = []
    questions: list[QuestionEvent] = []
    votes: list[list[tuple[int, FeedbackEvent]]] = []
    for one in there:
        event = packing.unpack(opened[one.key])
        assert isinstance(event, QuestionEvent)  # noqa: S101 - a record's key seals a question
        questions.append(event)
        mine = []
        for vote in one.votes:
            if vote.key in opened:
                told = packing.unpack(opened[vote.key])
                if isinstance(told, FeedbackEvent):
                    mine.append((vote.id, told))
        votes.append(mine)
        events: list[QuestionEvent | FeedbackEvent] = [event, *(told for _, told in mine)]
        said.append([text.reveal() for each in events for text in packing.texts(each)])
    cleaned = workspace.anonymiser.clean_records(said) if said else []
    for one, event, mine, record in zip(there, questions, votes, cleaned, strict=True):
        parts = iter(record)
        texts = packing.clean_texts(event, parts)
        words = []
        for identifier, told in mine:
            clean = packing.clean_words(told, parts)
            comment = clean.comment.text if clean.comment else None
            words.append(VoteWording(identifier, comment, clean.reason))
        yield Wording(
            one.record.id,
            texts.question,
            texts.standalone,
            texts.answer,
            texts.history,
            texts.chunks,
            votes=tuple(words),
            policy=policy,
            lang=spoken(texts.question),
        )


def _differs(record: Record, made: Wording) -> bool:
    def plain(one: Record | Wording) -> list[object]:
        cleans = (one.question, one.standalone, one.answer)
        chunks = [(chunk.id, chunk.source, chunk.heading) for chunk in one.chunks]
        return [*(clean and clean.text for clean in cleans), list(one.history), chunks]

    was = [(vote.comment, vote.reason) for vote in record.feedback]
    now = [(vote.comment, vote.reason) for vote in made.votes]
    return plain(record) != plain(made) or not set(now) <= set(was)


def _change(record: Record, made: Wording) -> Change:
    before, after = _tally(record), _tally(made)
    return Change(
        record.id, record.question, made.question, dict(after - before), dict(before - after)
    )


def _tally(one: Record | Wording) -> Counter[str]:
    cleans = (one.question, one.standalone, one.answer)
    return Counter(found.entity for clean in cleans if clean for found in clean.redactions)


def _flagged(workspace: Workspace, records: Sequence[Record]) -> list[int]:
    texts = []
    for record in records:
        cleans = (record.question, record.standalone, record.answer)
        said = [clean.text for clean in cleans if clean]
        said += [turn.content for turn in record.history]
        said += [vote.comment for vote in record.feedback if vote.comment]
        texts.append(said)
    cleaned = workspace.anonymiser.clean_records(texts) if texts else []
    return [
        record.id
        for record, found in zip(records, cleaned, strict=True)
        if any(clean.redactions for clean in found)
    ]

"""The door: raw events go in, anonymised ones under keyed tags come out. Nothing raw passes."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from curate.ingest.originals import Original, clean_texts, clean_words, pack, texts
from curate.model.events import Event, FeedbackEvent, QuestionEvent, RawText
from curate.model.records import Clean, CleanFeedback, CleanQuestion
from curate.text import language

USER, EVENT, CONTENT, ALIAS = "user", "event", "content", "alias"
"""The domains of the tags."""

_PLACEHOLDER = re.compile(r"<[A-Z_]+_[0-9]+>")


class Tags(Protocol):
    """Keyed tags, as the privacy room makes them."""

    def tag(self, domain: str, value: str, when: datetime) -> bytes:
        """Return the tag of `value` under the key of the epoch of `when`."""

    def live(self, domain: str, value: str) -> tuple[bytes, ...]:
        """Return the tags of `value` under every key that is still kept, newest first."""

    def every(self, domain: str, value: str, when: datetime) -> tuple[bytes, ...]:
        """Return the tag that `tag` gives, and after it those under the other keys."""


class Saved(Protocol):
    """What became of a batch, as the store counts it."""

    @property
    def questions_new(self) -> int:
        """Questions stored for the first time."""

    @property
    def questions_updated(self) -> int:
        """Questions whose content had changed."""

    @property
    def feedback_new(self) -> int:
        """Votes stored for the first time."""

    @property
    def feedback_updated(self) -> int:
        """Votes that had changed."""

    @property
    def feedback_joined(self) -> int:
        """Votes that found their question."""

    @property
    def feedback_waiting(self) -> int:
        """Votes whose question has not come yet."""

    @property
    def duplicates(self) -> int:
        """Events that were stored already."""

    @property
    def suppressed(self) -> int:
        """Events of users who had themselves erased."""


CleanRecords = Callable[[Sequence[Sequence[str]]], list[list[Clean]]]
"""Anonymises records of several texts each, with the same placeholder for the same value."""

Seen = Callable[[Sequence[tuple[bytes, ...]]], list[bytes | None]]
"""Returns, for each event's keys, the content tag stored under any of them, or None."""


def fold_user(user: str) -> str:
    """Return a user id as it is tagged: the same whatever its case and Unicode form."""
    return unicodedata.normalize("NFKC", user).casefold().strip()


@dataclass(frozen=True, slots=True)
class Keyed:
    """A raw event and the text its key is made from; `names` are the ids it is found by, or, of a
    vote, those it points at.
    """

    event: Event
    itself: str = field(repr=False)
    names: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Passage:
    """What came through the door; `unchanged` events were there already and did not.

    `originals` are what the events said before, to be sealed.
    """

    events: tuple[CleanQuestion | CleanFeedback, ...]
    unchanged: int
    originals: tuple[Original, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """Events on their way through the door: `said` is what they say, to be anonymised."""

    events: tuple[tuple[Keyed, tuple[bytes, ...], bytes], ...]
    unchanged: int
    said: list[list[str]] = field(repr=False)


class Door:
    """Gives events their keyed tags and has their texts anonymised, before anything is written.

    `now` is when they are received; tags belong to the epoch of an event's time, or of `now` where
    that is earlier. `refusals` are phrases by which an answer is known to refuse.
    """

    def __init__(
        self,
        *,
        tag: Tags,
        seen: Seen,
        now: datetime,
        policy: str,
        refusals: Sequence[str],
        joins: Mapping[str, str],
    ) -> None:
        self._tags = tag
        self._seen = seen
        self._now = now
        self._policy = policy
        self._joins = joins
        self._refusals = tuple(_folded(phrase) for phrase in refusals if phrase.strip())
        self._ordinals: Counter[bytes] = Counter()
        self._last: Keyed | None = None
        self._inside: dict[bytes, bytes] = {}

    def begin_log(self) -> None:
        """Begin another log: equal questions without id and time are counted anew."""
        self._ordinals.clear()

    def keyed(self, event: Event) -> Keyed:
        """Say what makes `event` the one it is: its id, or else its place in time and its text.

        Call it for every event in the order of the log: a vote without a target is about the
        question in its own row, and equal questions without id and time differ by their number.
        """
        if isinstance(event, QuestionEvent):
            self._last = self._keyed_question(event)
            return self._last
        asked = self._joins.get(event.source, event.source)
        names = tuple(alias(asked, name.reveal()) for name in event.targets)
        last = self._last
        if (
            not names
            and last
            and (last.event.source, last.event.line)
            == (
                event.source,
                event.line,
            )
        ):
            names = last.names[:1]
        if event.source_id is not None:
            itself = _joined("vote", event.source, event.source_id.reveal())
        else:
            itself = _joined("vote on", *names[:1], _shown(event.user), event.by, _time(event))
        return Keyed(event, itself, names)

    def _keyed_question(self, event: QuestionEvent) -> Keyed:
        if event.source_id is not None:
            itself = _joined("question", event.source, event.source_id.reveal())
        else:
            itself = _joined(
                "question at",
                event.source,
                _shown(event.session),
                _time(event),
                event.question.reveal(),
            )
            if event.at is None:
                text = self._tags.tag("ordinal", itself, self._now)
                self._ordinals[text] += 1
                itself = _joined(itself, str(self._ordinals[text]))
        names = tuple(alias(event.source, name.reveal()) for name in event.aliases) or (itself,)
        if event.session is not None:
            names += (alias(event.source, event.session.reveal()),)
        return Keyed(event, itself, names)

    def keys(self, one: Keyed) -> tuple[bytes, ...]:
        """Return every key that an event may be stored under, the one for new events first."""
        return self._every(EVENT, one.itself, one.event)

    def let_in(self, batch: Sequence[Keyed]) -> Batch:
        """Take in the events of `batch` that are new or changed, in their order."""
        keys = [self.keys(one) for one in batch]
        fresh: list[tuple[Keyed, tuple[bytes, ...], bytes]] = []
        stored = self._seen(keys) if batch else []
        said: list[list[str]] = []
        for one, own, content in zip(batch, keys, stored, strict=True):
            saying = [text.reveal() for text in texts(one.event)]
            contents = self._every(CONTENT, _content(one, saying, self._policy), one.event)
            before = self._inside.get(own[0], content)
            if before in contents or (before is not None and _is_summary(one.event)):
                continue
            self._inside[own[0]] = contents[0]
            fresh.append((one, own, contents[0]))
            said.append(saying)
        return Batch(tuple(fresh), len(batch) - len(fresh), said)

    def let_out(self, batch: Batch, cleaned: Sequence[Sequence[Clean]]) -> Passage:
        """Return the events of a batch with their anonymised texts, ready to be saved."""
        events = tuple(
            self._finished(one, own, content, iter(record))
            for (one, own, content), record in zip(batch.events, cleaned, strict=True)
        )
        originals = tuple(
            Original(own, event.user, self._when(one.event), pack(one.event))
            for (one, own, _), event, record in zip(batch.events, events, batch.said, strict=True)
            if record
        )
        return Passage(events, batch.unchanged, originals)

    def forget(self, batch: Batch) -> None:
        """Let go of what a batch that has been saved says: the store knows it now."""
        for _, own, content in batch.events:
            if self._inside.get(own[0]) == content:
                del self._inside[own[0]]

    # ------------------------------------------------------------------ tags

    def _when(self, event: Event) -> datetime:
        return min(event.at or self._now, self._now)

    def _one(self, domain: str, value: str, event: Event) -> bytes:
        return self._tags.tag(domain, value, self._when(event))

    def _every(self, domain: str, value: str, event: Event) -> tuple[bytes, ...]:
        return self._tags.every(domain, value, self._when(event))

    # ------------------------------------------------------------------ finishing

    def _finished(
        self, one: Keyed, keys: tuple[bytes, ...], content: bytes, cleaned: Iterator[Clean]
    ) -> CleanQuestion | CleanFeedback:
        event = one.event
        user = fold_user(event.user.reveal()) if event.user else ""
        tagged_user = self._one(USER, user, event) if user else None
        if isinstance(event, FeedbackEvent):
            words = clean_words(event, cleaned)
            return CleanFeedback(
                source=event.source,
                line=event.line,
                keys=keys,
                content=content,
                targets=tuple(self._every(ALIAS, name, event) for name in one.names),
                user=tagged_user,
                at=event.at,
                received_at=self._now,
                rating=event.rating,
                reason=words.reason,
                comment=words.comment,
                by=event.by,
            )
        said = clean_texts(event, cleaned)
        return CleanQuestion(
            source=event.source,
            line=event.line,
            keys=keys,
            content=content,
            aliases=tuple(self._one(ALIAS, name, event) for name in one.names),
            user=tagged_user,
            asked_at=event.at,
            received_at=self._now,
            question=said.question,
            standalone=said.standalone,
            history=said.history,
            answer=said.answer,
            refused=self._refused(event.refused, said.answer),
            chunks=said.chunks,
            title=said.title,
            latency_ms=event.latency_ms,
            tokens_in=event.tokens_in,
            tokens_out=event.tokens_out,
            lang=spoken(said.question),
            policy=self._policy,
        )

    def _refused(self, logged: bool | None, answer: Clean | None) -> bool | None:
        if logged is not None or answer is None:
            return logged
        said = _folded(answer.text)
        return any(phrase in said for phrase in self._refusals)


def spoken(question: Clean) -> str:
    """Return the language of an anonymised question; its placeholders speak none."""
    return language(_PLACEHOLDER.sub("", question.text))


def _content(one: Keyed, said: Sequence[str], policy: str) -> str:
    """Return everything an event says and what anonymises it, for a tag that tells changes."""
    event = one.event
    facts: list[object] = [policy, one.itself, one.names, said, _shown(event.user), _time(event)]
    if isinstance(event, FeedbackEvent):
        facts += [event.rating, event.by]
    else:
        facts += [event.refused, event.latency_ms, [chunk.score for chunk in event.chunks]]
        facts += [event.tokens_in, event.tokens_out]
        facts += [bool(event.standalone), bool(event.answer), _shown(event.session)]
    return json.dumps(facts)


def alias(source: str, log_id: str) -> str:
    """Return the text that `ALIAS` tags are made of, for an id of a source's log."""
    return _joined(source, log_id)


def _is_summary(event: Event) -> bool:
    return isinstance(event, FeedbackEvent) and event.summary


def _joined(*parts: str) -> str:
    return "\x1f".join(parts)


def _shown(text: RawText | None) -> str:
    return text.reveal() if text is not None else ""


def _time(event: Event) -> str:
    return event.at.isoformat() if event.at else ""


def _folded(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").casefold().split())

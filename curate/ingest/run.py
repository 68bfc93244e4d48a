"""The stage itself: read a log into events, anonymise them, hand them over in batches."""

from __future__ import annotations

import io
import itertools
import re
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO

from msgspec import structs

from curate.config import SourceSettings
from curate.ingest import formats, reading, rows
from curate.ingest.door import Batch, Door, Keyed, Saved, Seen, Tags
from curate.ingest.events import (
    Fault,
    Part,
    Place,
    Progress,
    Recognised,
    StreamItem,
    Sweep,
    Turn,
    Unchanged,
    Unfinished,
    Unusable,
)
from curate.ingest.originals import Seal
from curate.ingest.ratings import Scale, UnknownNumber, UnknownWord
from curate.ingest.reading import Log
from curate.ingest.resuming import Ledger
from curate.ingest.row import Row
from curate.ingest.rows import Found
from curate.ingest.traces import Traces
from curate.ingest.values import raw
from curate.model.errors import CurateError, Exit
from curate.model.events import (
    Checkpoint,
    Event,
    FeedbackEvent,
    QuestionEvent,
    Reached,
    Rejected,
    Watermark,
)
from curate.model.plain import Json
from curate.model.records import Clean, CleanFeedback, CleanQuestion

AD_HOC = "log"
"""The name of the source of a path given by hand, so that one event in two files is one."""

BATCH = 256
MOST_LINES = 1_000
"""How many rejected line numbers are kept per file; the counts go on."""

_HEAD_ROWS = 200
_HEAD_BYTES = 1024 * 1024
_STEP = 1024 * 1024
_STRIDE = 64
_MOST_NUMBERS = 12

UNKNOWN_WORD = "a rating that is no known word; say which mean a thumb down with --down"


# ---------------------------------------------------------------------------- reading


def read(
    path: Path | str | BinaryIO,
    source: SourceSettings | None = None,
    name: str = "",
    traces: Traces | None = None,
    ledger: Ledger | None = None,
) -> Iterator[StreamItem]:
    """Open one log (a path, `-` for standard input, a binary stream) and return its items.

    `name` is what messages call it. Opening happens at once: `CurateError` for what cannot be
    opened, before anything is read. Give the same `traces` to several logs whose traces may be
    spread over them, and yield from `traces.finish()` after the last. With a `ledger`, a file is
    read on from where it was left; yield from `ledger.finish()` after everything else.
    """
    source = source or SourceSettings(name=AD_HOC)
    told = _Told.by(source)
    log = Log(path, name)
    log.columns = frozenset(one for told in source.map.values() for one in told.split("|"))
    found = None
    if isinstance(path, Path | str) and reading.is_sqlite(log.head()):
        from curate.ingest import database

        found = database.open_webui(Path(path))
    rows_ = rows.rows(log) if found is None else found
    return _read(log, rows_, source, told, traces, ledger)


def read_query(
    url: str, sql: str, source: SourceSettings | None = None, traces: Traces | None = None
) -> Iterator[StreamItem]:
    """Run `sql` on the database at `url` and return its rows' items; see `database.query`."""
    from curate.ingest import database

    source = source or SourceSettings(name=AD_HOC)
    return read_rows(database.query(url, sql), "the query's result", source, traces)


def read_rows(
    found: Iterator[Row | Rejected],
    name: str,
    source: SourceSettings,
    traces: Traces | None,
    beyond: set[str] | None = None,
) -> Iterator[StreamItem]:
    """Return the items of rows that come from elsewhere than a file; messages call them `name`.

    Give rows that come in several goes the same set of scores `beyond` their scale.
    """
    log = Log(io.BytesIO(), name)
    return _read(log, found, source, _Told.by(source), traces, beyond=beyond)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a source's settings tell of its log."""

    scale: Scale
    template: re.Pattern[str] | None

    @classmethod
    def by(cls, source: SourceSettings) -> _Told:
        scale = Scale.of(source.down, source.up)
        if not source.template:
            return cls(scale, None)
        try:
            template = re.compile(source.template, re.DOTALL)
        except re.error:
            template = re.compile("")
        if not template.groups:
            raise CurateError(
                f"the `template` of source `{source.name}` is no regular expression with a group",
                r"Write it around the question, as in 'Question: (?P<question>.*?)\s*Answer:'.",
                Exit.USAGE,
            )
        return cls(scale, template)

    def asked(self, event: QuestionEvent) -> QuestionEvent:
        """Return the event with its question taken out of the prompt glued around it."""
        match = self.template.search(event.question.reveal()) if self.template else None
        if match is None:
            return event
        text = raw(match["question"] if "question" in match.re.groupindex else match[1])
        return structs.replace(event, question=text) if text else event


def _read(
    log: Log,
    stream: Iterator[Found],
    source: SourceSettings,
    told: _Told,
    traces: Traces | None,
    ledger: Ledger | None = None,
    beyond: set[str] | None = None,
) -> Iterator[StreamItem]:
    waiting = traces or Traces()
    with log:
        name = source.name or AD_HOC
        track = ledger.begin(log.file, name, source) if ledger and log.file else None
        if track and track.start.unchanged:
            yield Unchanged(log.name)
            return
        head, size = [], 0
        for row in stream:
            head.append(row)
            size += row.size if isinstance(row, Row) else 0
            if len(head) >= _HEAD_ROWS or size >= _HEAD_BYTES:
                break
        first = [row.value for row in head if isinstance(row, Row)]
        form = formats.recognise(source, first)
        known = dict(form.map())
        yield Recognised(log.name, form.format, known, partial(form.unread, first))
        if track and track.start.offset:
            log.seek(track.start.offset, track.start.line)
            head, stream = [], rows.rest(log)
        whole = False
        scale = told.scale if source.down or source.up or form.scale is None else form.scale
        faults = _Faults(log.name)
        place = Place(name, 0, scale, beyond=set() if beyond is None else beyond)
        if scale.closed:
            _look_through(form.read, first, place)
        if form.quickly is not None and told.template is None:
            log.quickly = form.quickly(name)
        step = 0
        for count, row in enumerate(itertools.chain(head, stream)):
            resumable = track is not None and not whole and log.resumable and count >= len(head)
            if isinstance(row, list):
                yield from row
                if track and resumable and log.ended and row[-1].line == log.number:
                    yield track.at(log.consumed, log.number)
            elif track and resumable and not count % _STRIDE:
                yield track.at(log.begun, row.line - 1)
            if log.done - step > _STEP:
                step = log.done
                yield Progress(log.name, step, log.total)
            if isinstance(row, list):
                continue
            if isinstance(row, Rejected):
                if track and log.resumable and not log.ended and row.line == log.number:
                    yield Unfinished(log.name, row.line)
                    log.put_back()
                    continue
                yield row
                continue
            place.line, value, place.size, place.plain, place.repaired = row
            try:
                for piece in form.read(value, place):
                    if isinstance(piece, Part | Turn):
                        whole = True
                        own = f"{place.source}\x1f{form.format}\x1f{piece.trace}"
                        event = told.asked(piece.event)
                        part = replace(piece, trace=own, event=event, file=log.name)
                        yield from waiting.add(part)
                    elif isinstance(piece, QuestionEvent) and not piece.question:
                        yield Rejected(log.name, row.line, "a question without its text")
                    elif isinstance(piece, QuestionEvent):
                        # Such questions are told apart by their number in the log.
                        whole = whole or (piece.source_id is None and piece.at is None)
                        yield told.asked(piece) if told.template is not None else piece
                    elif isinstance(piece, FeedbackEvent):
                        yield piece
                    else:
                        yield from faults.of(row.line, piece)
            except (Unusable, UnknownNumber, UnknownWord) as fault:
                yield from faults.of(row.line, fault)
            except RecursionError:
                yield Rejected(log.name, row.line, "nested too deep")
        if traces is None:
            yield from waiting.finish()
        yield from faults.rest()
        if dict(form.map()) != known:
            yield Recognised(log.name, form.format, dict(form.map()), grown=True)
        if track is not None:
            if log.resumable and not whole:
                yield track.at(log.consumed, log.number - (not log.ended))
            else:
                track.whole()
        yield Progress(log.name, log.done, log.total)


def _look_through(read: formats.RowReader, rows: Sequence[Json], place: Place) -> None:
    """Find the scores `beyond` the scale before the first of them is rated."""
    for row in rows:
        with suppress(Unusable, UnknownNumber, UnknownWord, RecursionError):
            deque(read(row, place), maxlen=0)


class _Faults:
    """What is no event. Ratings that are bare numbers of unknown polarity come last, together with
    all values seen.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._lines: list[int] = []
        self._values: set[str] = set()

    def of(self, line: int, fault: Fault) -> Iterator[Rejected]:
        if isinstance(fault, UnknownNumber):
            self._lines.append(line)
            if len(self._values) < _MOST_NUMBERS:
                self._values.add(fault.value)
        else:
            why = UNKNOWN_WORD if isinstance(fault, UnknownWord) else str(fault)
            yield Rejected(self._file, line, why)

    def rest(self) -> Iterator[Rejected]:
        seen = ", ".join(sorted(self._values, key=float))
        reason = (
            f"a bare number as rating (seen: {seen}), whose meaning is never guessed: "
            "say which mean a thumb down, as in --down 0 or --down '<=2'"
        )
        for line in self._lines:
            yield Rejected(self._file, line, reason)


# ---------------------------------------------------------------------------- running


Promise = Callable[[], list[list[Clean]]]
"""Waits for the anonymised texts of a batch of records and returns them."""

Submit = Callable[[Sequence[Sequence[str]]], Promise]
"""Begins to anonymise records of several texts each, the same placeholder for the same value."""

Withdraw = Callable[[Sweep, Collection[bytes]], int]
"""Takes back the stored votes of a sweep that are not under one of these keys; returns how many."""

Save = Callable[[Sequence[CleanQuestion | CleanFeedback], Sequence[Reached]], Saved]
"""Stores a batch, and how far the logs have been read with it, in one transaction."""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did, in counts; never a word of the log.

    `rejected_lines` holds, per file, the first `MOST_LINES` line numbers (record numbers in a
    JSON array or document), `reasons` how often each reason came up, `maps` and `formats` how
    each file was read. `unchanged` files had nothing new in them, `unfinished` last lines wait
    for their end. `feedback_withdrawn` votes were deleted where they came from. Of `chunks_unnamed`
    questions no retrieved chunk had an id or a source.
    """

    questions_new: int = 0
    questions_updated: int = 0
    feedback_new: int = 0
    feedback_updated: int = 0
    feedback_joined: int = 0
    feedback_waiting: int = 0
    feedback_withdrawn: int = 0
    duplicates: int = 0
    expired: int = 0
    suppressed: int = 0
    rejected: int = 0
    rejected_lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    reasons: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    maps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    questions_read: int = 0
    feedback_read: int = 0
    unchanged: int = 0
    unfinished: int = 0
    chunks_unnamed: int = 0


_COUNTED = (
    "questions_new",
    "questions_updated",
    "feedback_new",
    "feedback_updated",
    "feedback_joined",
    "feedback_waiting",
    "duplicates",
    "suppressed",
)


def run(
    events: Iterable[StreamItem],
    *,
    clean: Submit,
    tag: Tags,
    seen: Seen,
    save: Save,
    now: datetime,
    limit: datetime,
    limits: Mapping[str, datetime] | None = None,
    policy: str = "",
    refusals: Sequence[str] = (),
    joins: Mapping[str, str] | None = None,
    seal: Seal | None = None,
    withdraw: Withdraw = lambda *_: 0,
    ahead: Callable[[], int] = lambda: 0,
    progress: Callable[[int, int | None], None] | None = None,
    batch: int = BATCH,
) -> IngestReport:
    """Anonymise `events` and save them, a batch at a time; return what became of them.

    Nothing raw is handed to `save`; `seal`, called before it, is given what the batch said. An
    event older than `limit` (by its time or, where that is missing or later than `now`, by
    `now`) is counted and not kept; `limits` has the later ones of some sources. `joins` names the
    source whose questions the votes of another are about. An event whose
    content is already stored is neither anonymised nor saved again, so running twice, also after
    a kill, comes to the same as running once. While batches are anonymised elsewhere, `ahead`
    says how many may be on their way; they are saved in their order. `withdraw` is called when
    the votes of a sweep have all been read and saved, and none of them was rejected: that one is
    not gone.
    """
    tally = _Tally()
    door = Door(tag=tag, seen=seen, now=now, policy=policy, refusals=refusals, joins=joins or {})
    waiting: list[Keyed] = []
    under_way: deque[tuple[Batch, Promise, tuple[Reached, ...]]] = deque()
    reached: dict[tuple[str, str], Reached] = {}
    swept: set[bytes] | None = None
    doubtful = 0
    limits = {name: max(limit, one) for name, one in (limits or {}).items()}

    def hand_over() -> None:
        inside = door.let_in(waiting)
        waiting.clear()
        under_way.append((inside, clean(inside.said), tuple(reached.values())))
        reached.clear()
        tally.counts["duplicates"] += inside.unchanged
        while len(under_way) > ahead():
            settle()

    def settle() -> None:
        inside, promise, marks = under_way.popleft()
        passage = door.let_out(inside, promise())
        if seal is not None and passage.originals:
            seal(passage.originals)
        if passage.events or marks:
            tally.saved(save(passage.events, marks))
        door.forget(inside)

    for item in events:
        if isinstance(item, QuestionEvent | FeedbackEvent):
            tally.read(item)
            keyed = door.keyed(item)
            if swept is not None and isinstance(item, FeedbackEvent):
                swept.update(door.keys(keyed))
            if min(item.at or now, now) < limits.get(item.source, limit):
                tally.counts["expired"] += 1
                continue
            waiting.append(keyed)
            if len(waiting) >= batch:
                hand_over()
        elif isinstance(item, Progress):
            if progress is not None:
                progress(item.done, item.total)
        elif isinstance(item, Sweep):
            if item.ended and swept is not None and tally.counts["rejected"] == doubtful:
                hand_over()
                while under_way:
                    settle()
                tally.counts["feedback_withdrawn"] += withdraw(item, swept)
            swept, doubtful = None if item.ended else set(), tally.counts["rejected"]
        elif isinstance(item, Checkpoint):
            reached[item.source, item.file] = item
        elif isinstance(item, Watermark):
            reached[item.source, item.stream] = item
        else:
            if isinstance(item, Recognised) and not item.grown:
                door.begin_log()
            tally.note(item)
    hand_over()
    while under_way:
        settle()
    return tally.report()


def survey(events: Iterable[StreamItem]) -> IngestReport:
    """Read `events` through and return what they are, keeping and writing nothing."""
    tally = _Tally()
    for item in events:
        if isinstance(item, QuestionEvent | FeedbackEvent):
            tally.read(item)
        elif not isinstance(item, Progress | Sweep | Checkpoint | Watermark):
            tally.note(item)
    return tally.report()


class _Tally:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.lines: dict[str, list[int]] = {}
        self.reasons: dict[str, Counter[str]] = {}
        self.maps: dict[str, Mapping[str, str]] = {}
        self.formats: dict[str, str] = {}

    def read(self, event: Event) -> None:
        asked = isinstance(event, QuestionEvent)
        self.counts["questions_read" if asked else "feedback_read"] += 1
        if isinstance(event, QuestionEvent) and event.chunks:
            named = any(chunk.id or chunk.source for chunk in event.chunks)
            self.counts["chunks_unnamed"] += not named

    def note(self, item: Rejected | Recognised | Unchanged | Unfinished) -> None:
        if isinstance(item, Recognised):
            self.maps[item.file] = item.map
            self.formats[item.file] = item.format
            return
        if isinstance(item, Unchanged | Unfinished):
            self.counts["unchanged" if isinstance(item, Unchanged) else "unfinished"] += 1
            return
        self.counts["rejected"] += 1
        lines = self.lines.setdefault(item.source, [])
        if len(lines) < MOST_LINES:
            lines.append(item.line)
        self.reasons.setdefault(item.source, Counter())[item.reason] += 1

    def saved(self, saved: Saved) -> None:
        for name in _COUNTED:
            self.counts[name] += getattr(saved, name)

    def report(self) -> IngestReport:
        return IngestReport(
            rejected_lines={file: tuple(sorted(lines)) for file, lines in self.lines.items()},
            reasons={file: dict(found) for file, found in self.reasons.items()},
            maps=self.maps,
            formats=self.formats,
            **self.counts,
        )

"""How a log would be read, shown before anything is: format, map, examples, and what would not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from curate.ingest.door import CleanRecords
from curate.ingest.events import Progress, Recognised, StreamItem
from curate.ingest.run import IngestReport, survey
from curate.model.events import Event, FeedbackEvent, QuestionEvent, RawText

SAMPLES = 3
"""How many events are shown of each log."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One event as it would be kept: its fields by name, anonymised, ids left out."""

    line: int
    kind: str
    fields: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Explanation:
    """How logs would be read. `report` has counts, formats and maps; nothing was written.

    `unread` has, for each log that a field map reads, the paths that it does not; anonymised, since
    a key may be a name.
    """

    samples: tuple[Sample, ...]
    report: IngestReport
    unread: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)


def explain(
    items: Iterable[StreamItem],
    clean: CleanRecords,
    count: int = SAMPLES,
    bare: Iterable[StreamItem] = (),
) -> Explanation:
    """Read `items` through and return what they are, with the first `count` events of each log.

    `bare` are the items as they are without the template of their source, so that a sample can
    show the prompt a question was taken from.
    """
    kept: list[Event] = []
    unread: dict[str, tuple[str, ...]] = {}

    def watched() -> Iterator[StreamItem]:
        left = count
        for item in items:
            if isinstance(item, Recognised) and not item.grown:
                left = count
                unread[item.file] = item.unread
            elif left and isinstance(item, QuestionEvent | FeedbackEvent):
                kept.append(item)
                left -= 1
            if not isinstance(item, Progress):
                yield item

    report = survey(watched())
    prompts = _prompts(bare, kept)
    texts = [
        {
            **({"prompt": prompt} if (prompt := prompts.get((e.source, e.line))) else {}),
            **dict(_texts(e)),
        }
        for e in kept
    ]
    cleaned = clean([[text.reveal() for text in record.values()] for record in texts])
    shown = clean(list(unread.values()))
    samples = [
        Sample(
            event.line,
            "question" if isinstance(event, QuestionEvent) else "feedback",
            {
                **{name: one.text for name, one in zip(record, found, strict=True)},
                **dict(_facts(event)),
            },
        )
        for event, record, found in zip(kept, texts, cleaned, strict=True)
    ]
    return Explanation(
        tuple(samples),
        report,
        {
            file: tuple(one.text for one in paths)
            for file, paths in zip(unread, shown, strict=True)
            if paths
        },
    )


def _prompts(bare: Iterable[StreamItem], kept: list[Event]) -> dict[tuple[str, int], RawText]:
    """Return what stood around the questions that a template took out of their prompts."""
    asked = {(e.source, e.line): e.question for e in kept if isinstance(e, QuestionEvent)}
    found: dict[tuple[str, int], RawText] = {}
    for item in bare:
        if isinstance(item, QuestionEvent):
            place = (item.source, item.line)
            if place in asked and asked.pop(place) != item.question:
                found[place] = item.question
            if not asked:
                break
    return found


def _texts(event: Event) -> Iterator[tuple[str, RawText]]:
    if isinstance(event, FeedbackEvent):
        named = [("reason", event.reason), ("comment", event.comment)]
    else:
        named = [("question", event.question), ("standalone", event.standalone)]
        named += [("answer", event.answer), ("title", event.title)]
        named += [
            (f"history {number} {turn.role}", turn.content)
            for number, turn in enumerate(event.history, 1)
        ]
        for chunk in event.chunks:
            named += [(f"chunk {chunk.rank} id", chunk.id), (f"chunk {chunk.rank}", chunk.source)]
            named.append((f"chunk {chunk.rank} heading", chunk.heading))
    return ((name, text) for name, text in named if text)


def _facts(event: Event) -> Iterator[tuple[str, str]]:
    facts = {"time": event.at.isoformat() if event.at else "none, so it counts as now"}
    if isinstance(event, FeedbackEvent):
        meanings = {-1: "down", 0: "neutral", 1: "up", None: "taken back"}
        return iter({**facts, "rating": meanings[event.rating], "by": event.by}.items())
    known = {
        "id": event.source_id,
        "session": event.session,
        "user": event.user,
    }
    facts["kept as tags"] = ", ".join(name for name, value in known.items() if value) or "nothing"
    if event.history:
        facts["needs history"] = "yes"
    return iter(facts.items())

"""How a log would be read, shown before anything is: format, map, examples, and what would not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from curate.ingest.door import CleanRecords
from curate.ingest.events import Progress, Recognised, StreamItem
from curate.ingest.fields import Unread
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

    `unread` has, for each log that a field map reads, the paths that it does not, anonymised where
    few rows have the key, since that may be a name; `nowhere` the fields whose told path leads to
    nothing.
    """

    samples: tuple[Sample, ...]
    report: IngestReport
    unread: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    nowhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


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
    sampled: dict[_Place, int] = {}
    unread: dict[str, Unread] = {}

    def watched() -> Iterator[StreamItem]:
        left = count
        asked: Counter[str] = Counter()
        for item in items:
            if isinstance(item, QuestionEvent):
                asked[item.source] += 1
            if isinstance(item, Recognised) and not item.grown:
                left = count
                unread[item.file] = item.unread()
            elif left and isinstance(item, QuestionEvent | FeedbackEvent):
                kept.append(item)
                if isinstance(item, QuestionEvent):
                    sampled[item.source, asked[item.source]] = len(kept) - 1
                left -= 1
            if not isinstance(item, Progress):
                yield item

    report = survey(watched())
    texts = [dict(_texts(event)) for event in kept]
    for number, prompt in _prompts(bare, sampled):
        if texts[number].get("question") != prompt:
            texts[number] = {"prompt": prompt, **texts[number]}
    cleaned = clean([[text.reveal() for text in record.values()] for record in texts])
    rare = clean([one.rare for one in unread.values()])
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
            file: (*one.usual, *(path.text for path in paths))
            for (file, one), paths in zip(unread.items(), rare, strict=True)
            if one.usual or paths
        },
        {file: one.nowhere for file, one in unread.items() if one.nowhere},
    )


_Place = tuple[str, int]
"""A source, and the number of a question in it: the same with and without its template."""


def _prompts(
    bare: Iterable[StreamItem], sampled: Mapping[_Place, int]
) -> Iterator[tuple[int, RawText]]:
    """Yield the number of each sampled question of a source with a template, and what the log has
    in its place.
    """
    asked: Counter[str] = Counter()
    left = len(sampled)
    for item in bare if left else ():
        if isinstance(item, QuestionEvent):
            asked[item.source] += 1
            number = sampled.get((item.source, asked[item.source]))
            if number is not None:
                yield number, item.question
                left -= 1
            if not left:
                return


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
    if event.refused is not None:
        facts["refused"] = "yes" if event.refused else "no"
    if event.latency_ms is not None:
        facts["latency"] = f"{event.latency_ms:g} ms"
    if event.tokens_in is not None or event.tokens_out is not None:
        facts["tokens"] = f"{_count(event.tokens_in)} in, {_count(event.tokens_out)} out"
    return iter(facts.items())


def _count(number: int | None) -> str:
    return "?" if number is None else str(number)

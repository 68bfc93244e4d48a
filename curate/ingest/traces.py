"""Questions put together from parts that stand on several lines or in several files."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from curate.ingest import tables
from curate.ingest.events import ROOT, Part, Turn
from curate.model.events import QuestionEvent, RawText, Rejected

MOST_TRACES = 20_000
MOST_BYTES = 64 * 1024 * 1024
"""How much may wait for its other parts; past it, the trace that waited longest goes on."""

MOST_ALIASES = 64
"""How many ids of a trace feedback may point at: those of the parts that know most."""

_MERGED = (
    "session", "user", "standalone", "answer", "title", "latency_ms", "tokens_in", "tokens_out",
    "refused", "at",
)  # fmt: skip


MOST_TURNS = 5_000
"""After how many messages of a conversation the next question is reckoned to begin another."""


class Traces:
    """Parts waiting for the others of their trace, and messages for those of their conversation, in
    bounded memory.
    """

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, list[Part | Turn]] = OrderedDict()
        self._bytes = 0

    def add(self, part: Part | Turn) -> Iterator[QuestionEvent | Rejected]:
        """Take in a part; yield the questions that had to make room for it."""
        long = len(self._waiting.get(part.trace, ())) >= MOST_TURNS
        if long and isinstance(part, Turn) and part.role == "user":
            yield from self._out(self._waiting.pop(part.trace))
        self._waiting.setdefault(part.trace, []).append(part)
        self._bytes += part.size
        while len(self._waiting) > MOST_TRACES or (
            self._bytes > MOST_BYTES and len(self._waiting) > 1
        ):
            yield from self._out(self._waiting.popitem(last=False)[1])

    def finish(self) -> Iterator[QuestionEvent | Rejected]:
        """Yield what is left, in the order in which it began."""
        while self._waiting:
            yield from self._out(self._waiting.popitem(last=False)[1])

    def _out(self, waited: list[Part | Turn]) -> Iterator[QuestionEvent | Rejected]:
        self._bytes -= sum(one.size for one in waited)
        turns = [one for one in waited if isinstance(one, Turn)]
        parts = [one for one in waited if isinstance(one, Part)]
        if parts:
            yield _whole(parts)
        for found in tables.joined(turns):
            yield found if isinstance(found, Rejected) else _whole(found)


def _whole(parts: list[Part]) -> QuestionEvent | Rejected:
    latest = datetime.max.replace(tzinfo=UTC)
    parts = sorted(parts, key=lambda part: (-part.weight, part.event.at or latest))
    asking = next((p.event for p in parts if p.weight >= ROOT and p.event.question), None)
    if asking is None:
        root = parts[0].weight >= ROOT
        why = "a trace without the text of its question" if root else "a trace without its root"
        return Rejected(parts[0].file, parts[0].event.line, why)
    events = [part.event for part in parts]
    values: dict[str, Any] = {
        name: next((v for event in events if (v := getattr(event, name)) is not None), None)
        for name in _MERGED
    }
    aliases: dict[RawText, None] = {}
    for event in (asking, *events):
        aliases.update(dict.fromkeys(event.aliases))
    if values["standalone"] == asking.question:
        values["standalone"] = None
    return replace(
        asking,
        aliases=tuple(aliases)[:MOST_ALIASES],
        history=next((event.history for event in (asking, *events) if event.history), ()),
        chunks=next((event.chunks for event in events if event.chunks), ()),
        repaired=any(event.repaired for event in events),
        **values,
    )

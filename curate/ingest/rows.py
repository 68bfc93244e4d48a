"""A log's bytes as rows: JSON lines, JSON arrays and documents, and tables of cells.

What the form of a log is, is judged by its first bytes, never by its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal

import ijson  # type: ignore[import-untyped]
from ijson.common import ObjectBuilder  # type: ignore[import-untyped]

from curate.ingest import cells, jsontext, reading
from curate.ingest.reading import Damaged, Log
from curate.ingest.row import TOO_LONG, Row
from curate.model.events import QuestionEvent, Rejected
from curate.model.plain import Json

PAGES = (
    "data",
    "events",
    "feedback_data",
    "hits.hits",
    "traces",
    "runs",
    "observations",
    "scores",
    "messages",
    "results",
    "items",
    "records",
    "rows",
    "logs",
)
"""Where a page of an API, saved to disk, keeps its list of records."""

_WRAPPED = ("resourceSpans", "resourceLogs")
_ESCAPED = re.compile(rb"\\[ubf]")  # a character that may need replacing
# In UTF-8, what `text.sanitise` replaces and JSON allows; of surrogates UTF-8 knows nothing.
_UNPLAIN = re.compile(
    rb"\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]|\xf3\xa0[\x80\x81]"
)
_LISTS = ("data", "events", "feedback_data", "traces", "observations", "scores")
PAGE_KEYS = frozenset((*_LISTS, "hits"))
"""The keys by one of which a line that is a page of records is known."""

# CloudWatch's S3 export and `aws logs tail` put the time before the message.
_TIMED = re.compile(rb"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9:]+)?)\s+(?=\{)")

# Loggers write the time, the level and their name before it.
_LOGGED = re.compile(
    rb'([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]+(?:Z|[+-][0-9:]+)?)?[^{]{1,200}(?=\{")'
)

_TOGETHER = 64
_DEEPEST = 1_000
_BUFFER = 512 * 1024
_WORD = 64
_NO_NUMBER = re.compile(rb"([\[:,]\s*)(?:NaN|-?Infinity)(?=\s*[,\]}])")


Found = Row | Rejected | list[QuestionEvent]
"""What a log yields: of lines that `Log.quickly` reads at once, the events, some together."""

_Form = Callable[[Log, bytes], Iterator[Found]]


def rows(log: Log) -> Iterator[Found]:
    """Yield the rows of `log`, and a `Rejected` for each line or record that is none."""
    head = log.head()
    if reading.is_parquet(head):
        from curate.ingest import frames

        yield from frames.rows(log)
        return
    if reason := reading.unreadable(head):
        yield Rejected(log.name, 1, reason)
        return
    recoded = reading.encoding_of(head) == "utf-16"
    if recoded:
        log.stream = log.recoded("utf-16")
        head = log.head()
    form = _form(head)
    log.resumable = form is _lines and log.file is not None and not log.compressed and not recoded
    yield from form(log, head)


def rest(log: Log) -> Iterator[Found]:
    """Yield the rows of the lines from where the log stands."""
    return _lines(log, b"")


def _form(head: bytes) -> _Form:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"[") and text[1:].lstrip()[:1] in (b"{", b"[", b"]", b""):
        return _array
    first, end, _ = text.partition(b"\n")
    if _LOGGED.match(first):
        return _lines
    if text.startswith(b"{"):
        return _document if end and _unfinished(first) else _lines
    if any(part.lstrip().startswith(b"{") or _TIMED.match(part) for part in text.split(b"\n")):
        return _lines
    return cells.table


def _unfinished(line: bytes) -> bool:
    """Say whether a first line is the beginning of a JSON object that goes on below."""
    return line.rstrip().endswith((b"{", b"[", b",")) and not line.rstrip().endswith(b"},")


# ---------------------------------------------------------------------------- lines


def _lines(log: Log, _: bytes) -> Iterator[Found]:
    events: list[QuestionEvent] = []
    try:
        for line in log.lines():
            quickly = log.quickly
            # Most lines are ASCII without a backslash: these are not worth a call.
            if (
                quickly is not None
                and line
                and ((line.isascii() and 92 not in line and 127 not in line) or _is_plain(line))
            ):
                event = quickly(line, log.number)
                if event is not None:
                    events.append(event)
                    if len(events) == _TOGETHER:
                        yield events
                        events = []
                    continue
            if events:
                yield events
                events = []
            if line is None:
                yield Rejected(log.name, log.number, TOO_LONG)
            elif line and not line.isspace():
                for found in _line(log, log.number, line):
                    if log.ended or not log.damage or not isinstance(found, Rejected):
                        yield found
        if events:
            yield events
    except Damaged as damage:
        log.resumable = False
        if events:
            yield events
        yield Rejected(log.name, log.number + log.ended, str(damage))


def _line(log: Log, number: int, line: bytes) -> Iterator[Row | Rejected]:
    plain = _is_plain(line)
    repaired = False
    try:
        value = jsontext.fast(line)
    except ValueError:
        plain = False
        before = _TIMED.match(line) or _LOGGED.match(line)
        text = line[before.end() if before else 0 :].decode("utf-8", "replace")
        repaired = "\ufffd" in text
        try:
            value = jsontext.lenient(text)
        except jsontext.Broken as broken:
            yield Rejected(log.name, number, str(broken))
            return
        if before and before[1] and isinstance(value, dict):
            value = {"@timestamp": before[1].decode(), **value}
    if not isinstance(value, dict):
        yield Rejected(log.name, number, "JSON, but not an object")
        return
    page = _page(value)
    if page is None:
        yield Row(number, value, len(line), plain, repaired)
        return
    for record in page:
        if isinstance(record, dict):
            yield Row(number, record, len(line) // len(page), False, repaired)
        else:
            yield Rejected(log.name, number, "a page whose records are not objects")


def _is_plain(line: bytes) -> bool:
    """Say whether a line that is JSON holds no character that needs replacing."""
    # Numbers, not bytes: what is sought as bytes is sought as a number first, in vain.
    if 92 in line and _ESCAPED.search(line):
        return False
    if line.isascii():
        return 127 not in line
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    if 0xC2 in line or 0xE2 in line or 0xF3 in line or 127 in line:
        return not _UNPLAIN.search(line)
    return True


def _page(value: Json) -> list[object] | None:
    """Return the records of a page of an API on one line, or None for anything else."""
    if len(value) > 8 or PAGE_KEYS.isdisjoint(value):
        return None
    for name in _LISTS:
        inner = value.get(name)
        if isinstance(inner, list) and (not inner or isinstance(inner[0], dict)):
            return inner
    hits = value.get("hits")
    if isinstance(hits, dict) and isinstance(hits.get("hits"), list):
        inner = hits["hits"]
        return inner if isinstance(inner, list) else None
    return None


# ---------------------------------------------------------------------------- documents


def _array(log: Log, _: bytes) -> Iterator[Row | Rejected]:
    return _items(log, ("item",), "")


def _document(log: Log, head: bytes) -> Iterator[Row | Rejected]:
    found = ""
    try:
        for place, event, _ in ijson.parse(head):
            if place.count(".") > 2:
                break  # a page has its list further up
            if event == "start_array" and place in (*PAGES, *_WRAPPED):
                found = place
                break
    except ijson.JSONError:
        pass  # the head ends in the middle of the document
    path = (*found.split("."), "item") if found else ()
    return _items(log, path, found if found in _WRAPPED else "")


def _items(log: Log, path: tuple[str, ...], wrap: str) -> Iterator[Row | Rejected]:
    """Yield the objects at `path` of a document of any size, each wrapped in a list under the
    key `wrap` if one is given.
    """
    stream = _Limited(log)
    number = 0
    try:
        for value in _values(stream, path):
            number += 1
            size, stream.since = stream.since, 0
            if isinstance(value, dict):
                yield Row(number, {wrap: [value]} if wrap else value, size, False, stream.repaired)
            else:
                yield Rejected(log.name, number, "JSON, but not an object")
        log.check_whole()
    except (ijson.JSONError, ValueError):
        why = log.damage or "the JSON breaks off here; the rest is not read"
        yield Rejected(log.name, number + 1, why)
    except Damaged as damage:
        yield Rejected(log.name, number + 1, str(damage))


def _values(stream: _Limited, path: tuple[str, ...]) -> Iterator[object]:
    """Yield the values at `path` of the document in `stream`, `item` standing for any place of a
    list. Raises `Damaged` where it is nested deeper than the standard library would read it.
    """
    # Not ijson.items: it keeps the whole path of every level, which deep nesting turns into
    # gigabytes.
    around: list[str | None] = []  # the key each open container is at; None for a list
    built: ObjectBuilder | None = None
    depth = 0
    for event, value in ijson.basic_parse(stream, buf_size=_BUFFER, multiple_values=True):
        if event == "number" and type(value) is Decimal:
            value = float(value)
        opening = event in ("start_map", "start_array")
        closing = event in ("end_map", "end_array")
        depth += opening - closing
        if depth > _DEEPEST:
            raise Damaged("nested too deep; the rest is not read")
        if built is not None:
            built.event(event, value)
            if closing and depth == len(around):
                yield built.value
                built = None
        elif event == "map_key":
            around[-1] = value
        elif closing:
            around.pop()
        elif tuple("item" if key is None else key for key in around) == path:
            if opening:
                built = ObjectBuilder()
                built.event(event, value)
            else:
                yield value
        elif opening:
            around.append(None if event == "start_array" else "")


class _Limited:
    """The log's bytes as valid UTF-8 and JSON: NaN and Infinity, which Python writes into lists,
    become null. Refuses a record of more than the longest line.
    """

    def __init__(self, log: Log) -> None:
        self._stream = log.recoded("utf-8-sig")
        self.since = 0
        self.repaired = False

    def read(self, size: int) -> bytes:
        """Return the next bytes, a few more than `size` where a word would be cut."""
        if not size:  # how ijson asks what it is reading
            return b""
        block = self._stream.read1(size)
        most = len(block) + _WORD
        while block[-1:].isalpha() and len(block) < most:
            more = self._stream.read(1)
            if not more:
                break
            block += more
        if b"NaN" in block or b"Infinity" in block:
            block = _NO_NUMBER.sub(rb"\1null", block)
        self.repaired = self.repaired or b"\xef\xbf\xbd" in block
        self.since += len(block)
        if self.since > reading.MAX_LINE:
            raise Damaged("a record longer than 16 MiB; the rest is not read")
        return block

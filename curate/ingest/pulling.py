"""Observations and scores out of Langfuse's API, a window of time after the other.

A window is asked for page by page. Once it has been read to its end its watermark says so, and the
next begins there, or rather a little before: a trace may go on past the end of a window or come
late, and votes are changed and deleted. The API does not say when a vote was changed, so those of
the last days are read again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Self
from urllib.parse import urlsplit

import urllib3

from curate.config import ApiKeys, SourceSettings
from curate.ingest import jsontext
from curate.ingest.events import StreamItem, Sweep
from curate.ingest.resuming import Ledger
from curate.ingest.row import Row
from curate.ingest.traces import Traces
from curate.ingest.values import moment
from curate.model.errors import CurateError, Exit
from curate.model.events import Rejected, Watermark
from curate.model.plain import Json

WINDOW = timedelta(days=1)
PAGE = 100
"""How many records are asked for at once."""

TRIES = 6
LONGEST_WAIT = 120.0
"""Seconds that are waited at most before a page is asked for again."""

_LARGEST = 64 * 1024 * 1024
_TIMEOUT = urllib3.Timeout(connect=10, read=60)
_AGAIN = (408, 425, 429, 500, 502, 503, 504)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Stream:
    """One list of the API: its path, its own parameters, and how late what it holds may come;
    votes are also changed and deleted, for as long as the source says.
    """

    name: str
    path: str
    fields: str
    since: str
    until: str
    late: timedelta = timedelta()
    votes: bool = False


STREAMS = (
    Stream(
        "observations",
        "/api/public/v2/observations",
        "core,basic,io",
        "fromStartTime",
        "toStartTime",
        timedelta(hours=1),
    ),
    Stream(
        "scores",
        "/api/public/v3/scores",
        "details,subject",
        "fromTimestamp",
        "toTimestamp",
        votes=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Pull:
    """A project of Langfuse at `url`: what came since the last pull, or since `oldest`."""

    url: str
    keys: ApiKeys = field(repr=False)
    source: SourceSettings
    now: datetime
    oldest: datetime
    sleep: Callable[[float], None] = time.sleep

    def under(self, source: SourceSettings) -> Self:
        """Return the same input under other settings."""
        return replace(self, source=source)

    def items(self, traces: Traces, ledger: Ledger | None) -> Iterator[StreamItem]:
        """Yield the items of every window; without a `ledger`, those of the newest page only.

        Raises `CurateError` for an address or keys that are refused, and one to be tried again
        later (exit code 75) when the server does not answer as it should; what was read is kept.
        """
        from curate.ingest import run

        api = _Api(self.url, self.keys, self.sleep)
        source = replace(self.source, format="langfuse")
        name = source.name or run.AD_HOC
        reached = ledger.watermarks(name) if ledger is not None else {}
        beyond: set[str] = set()
        for stream in STREAMS:
            title = f"{self.url} {stream.name}"
            if ledger is None:
                page = api.page(stream, {})
                yield from run.read_rows(_rows(iter([page]), title), title, source, traces)
                continue
            begin = _moment(reached.get(stream.name)) or self.oldest
            late = stream.late or timedelta(days=source.overlap_days)
            since = max(begin - late, self.oldest)
            while begin < self.now:
                end = min(begin + WINDOW, self.now)
                window = {stream.since: since.isoformat(), stream.until: end.isoformat()}
                rows = _rows(api.pages(stream, window), title)
                if stream.votes:
                    yield Sweep(name, since, end)
                    yield from run.read_rows(rows, title, source, None, beyond)
                    yield Sweep(name, since, end, ended=True)
                    since = end
                else:
                    # A window's traces are put together by themselves: its watermark covers them.
                    again: set[int] = set()
                    rows = _noting(rows, begin, again)
                    found = run.read_rows(rows, title, source, None, beyond)
                    # What is wrong with what is read again was told before.
                    yield from (
                        i for i in found if not isinstance(i, Rejected) or i.line not in again
                    )
                    since = max(end - late, self.oldest)
                yield Watermark(name, stream.name, end.isoformat(), self.now)
                begin = end


class _Api:
    """Langfuse at an address, asked patiently. Neither keys nor answers get into messages."""

    def __init__(self, url: str, keys: ApiKeys, sleep: Callable[[float], None]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise CurateError(
                "the address of Langfuse is not one",
                "Write it like https://cloud.langfuse.com, without keys in it.",
                Exit.USAGE,
            )
        if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
            raise CurateError(
                f"{parts.hostname} would be given the keys unencrypted",
                "Use https; only this machine itself may be asked by http.",
                Exit.PRIVACY,
            )
        self._host = parts.hostname
        self._base = url.rstrip("/")
        self._sleep = sleep
        self._wait = 0.0
        self._headers = urllib3.make_headers(basic_auth=f"{keys.public}:{keys.secret}")
        self._pool = urllib3.PoolManager(timeout=_TIMEOUT, retries=False, maxsize=1)

    def pages(self, stream: Stream, window: Mapping[str, str]) -> Iterator[Json]:
        """Yield the pages of a window, following the cursor."""
        cursor, seen = "", set[str]()
        while True:
            page = self.page(stream, {**window, **({"cursor": cursor} if cursor else {})})
            yield page
            meta = page.get("meta")
            cursor = str((meta.get("cursor") or "") if isinstance(meta, dict) else "")
            if not cursor:
                return
            if cursor in seen:
                raise self._later(stream, "its pages go round in a circle")
            seen.add(cursor)

    def page(self, stream: Stream, asked: Mapping[str, str]) -> Json:
        """Return one page, asked for again with growing patience while that may help."""
        why = ""
        for attempt in range(TRIES):
            if attempt:
                self._sleep(self._wait)
            self._wait = 2.0**attempt
            try:
                status, data = self._get(stream, asked)
            except urllib3.exceptions.HTTPError as error:
                why = f"no answer ({type(error).__name__})"
                continue
            if status == 200:
                if (page := _page(data)) is not None:
                    return page
                why = "a page that is broken"
            elif status in _AGAIN:
                why = f"status {status}"
            else:
                raise self._refused(stream, status)
        raise self._later(stream, why)

    def _get(self, stream: Stream, asked: Mapping[str, str]) -> tuple[int, bytes]:
        response = self._pool.request(
            "GET",
            self._base + stream.path,
            fields={"fields": stream.fields, "limit": str(PAGE), **asked},
            headers=self._headers,
            redirect=False,
            preload_content=False,
        )
        try:
            told = response.headers.get("Retry-After", "")
            if told.isdigit():
                self._wait = min(float(told), LONGEST_WAIT)
            return response.status, response.read(_LARGEST, decode_content=True)
        finally:
            response.release_conn()

    def _refused(self, stream: Stream, status: int) -> CurateError:
        hints = {
            401: "Check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY.",
            403: "Give the keys the right to read the project.",
            404: "Check the address; it must have the lists v2/observations and v3/scores.",
        }
        hint = hints.get(status, "Check the address; redirects are not followed.")
        return CurateError(f"{self._host} refused its {stream.name}: status {status}", hint)

    def _later(self, stream: Stream, why: str) -> CurateError:
        return CurateError(
            f"{self._host} did not give its {stream.name}: {why}",
            "What was read is kept; run it again to go on from there.",
            Exit.DEFERRED,
        )


def _page(data: bytes) -> Json | None:
    try:
        page = jsontext.lenient(data.decode("utf-8", "replace"))
    except jsontext.Broken:
        return None
    return page if isinstance(page, dict) and isinstance(page.get("data"), list) else None


def _rows(pages: Iterator[Json], name: str) -> Iterator[Row | Rejected]:
    number = 0
    for page in pages:
        for record in page["data"]:
            number += 1
            if isinstance(record, dict):
                yield Row(number, record)
            else:
                yield Rejected(name, number, "JSON, but not an object")


def _noting(
    rows: Iterator[Row | Rejected], begin: datetime, again: set[int]
) -> Iterator[Row | Rejected]:
    """Yield `rows`, noting in `again` the numbers of those that began before `begin`."""
    for row in rows:
        if isinstance(row, Row) and (at := moment(row.value.get("startTime"))) and at < begin:
            again.add(row.line)
        yield row


def _moment(value: str | None) -> datetime | None:
    return datetime.fromisoformat(value).astimezone(UTC) if value else None

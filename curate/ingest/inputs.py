"""What can be read in: a log file, the result of a query. Each gives the stage its items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, Self

from curate.config import SourceSettings
from curate.ingest.events import StreamItem
from curate.ingest.resuming import Ledger
from curate.ingest.traces import Traces
from curate.model.events import Rejected


class Input(Protocol):
    """One thing to read, under the settings of its source."""

    @property
    def source(self) -> SourceSettings:
        """How it is read, and what its events are called."""

    def under(self, source: SourceSettings) -> Self:
        """Return the same input under other settings."""

    def items(self, traces: Traces, ledger: Ledger | None) -> Iterator[StreamItem]:
        """Yield its items; questions whose other parts may be in another input go to `traces`.

        With a `ledger` it goes on where it was left, and says how far it has come.
        """


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file, or standard input where there is no path.

    One that is only `listed`, because a glob matches it, may be none that can be read.
    """

    path: Path | None
    source: SourceSettings
    listed: bool = False

    def under(self, source: SourceSettings) -> Self:
        """Return the same input under other settings."""
        return replace(self, source=source)

    def items(self, traces: Traces, ledger: Ledger | None) -> Iterator[StreamItem]:
        """Yield the file's items. Raises `Unopened` for what cannot be opened; where it is but
        listed, it is rejected instead, so that the others are read.
        """
        from curate.ingest import reading, run

        try:
            found = run.read(self.path or "-", self.source, traces=traces, ledger=ledger)
        except reading.Unopened as error:
            if not self.listed:
                raise
            yield Rejected(str(self.path), 1, f"not read: it {error.why}")
            return
        yield from found


@dataclass(frozen=True, slots=True)
class Query:
    """The result of one query on a team's own database, at an SQLAlchemy URL."""

    url: str = field(repr=False)
    sql: str
    source: SourceSettings

    def under(self, source: SourceSettings) -> Self:
        """Return the same input under other settings."""
        return replace(self, source=source)

    def items(self, traces: Traces, ledger: Ledger | None) -> Iterator[StreamItem]:
        """Yield the items of the result's rows. Raises `CurateError` as `database.query` does."""
        from curate.ingest import run

        yield from run.read_query(self.url, self.sql, self.source, traces)


def items(inputs: Iterable[Input], ledger: Ledger | None = None) -> Iterator[StreamItem]:
    """Read inputs one after the other; a trace may be spread over several."""
    traces = Traces()
    for one in inputs:
        yield from one.items(traces, ledger)
    yield from traces.finish()
    if ledger is not None:
        yield from ledger.finish()

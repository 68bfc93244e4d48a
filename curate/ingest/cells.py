"""Tables as rows: CSV and its kin, as spreadsheets and databases write them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import Any

from curate.ingest import reading
from curate.ingest.fields import KNOWN, folded
from curate.ingest.reading import Damaged, Log
from curate.ingest.row import NOT_JSON, TOO_LONG, Row
from curate.model.events import Rejected

DELIMITERS = ",;\t|"

_NO_CELL = ("", "-")  # Kibana writes a dash where there is no value


def table(log: Log, head: bytes) -> Iterator[Row | Rejected]:
    """Yield the rows of a table that begins with `head`, under the names of its first line."""
    csv.field_size_limit(reading.MAX_LINE)
    cells = _Cells(log)
    text = _decoded_head(head)
    delimiter = _declared(text)
    if delimiter:
        next(cells, None)
    else:
        delimiter = _delimiter(text)
    form: dict[str, Any] = {"delimiter": delimiter, "skipinitialspace": delimiter != "\t"}
    table = csv.reader(cells, strict=True, **form)
    names: list[str] = []
    while True:
        cells.begin()
        line = cells.start
        try:
            record = next(table)
        except StopIteration:
            break
        except _TooLong:
            yield Rejected(log.name, line, TOO_LONG)
            continue
        except csv.Error:
            if not cells.single():
                yield Rejected(log.name, line, "a quotation mark that is never closed")
                cells.again()
                continue
            record = next(csv.reader(cells.row, **form))
        except Damaged as damage:
            yield Rejected(log.name, cells.number + 1, str(damage))
            break
        if not any(record):
            continue
        if not names:
            names = [name.strip() for name in record]
            if len(names) == 1 and not _known(names) and log.columns.isdisjoint(names):
                yield Rejected(log.name, line, "neither JSON nor a table with a known header")
                yield from (Rejected(log.name, at, NOT_JSON) for at in _rest(cells))
                break
            continue
        if len(record) > len(names) and any(record[len(names) :]):
            yield Rejected(log.name, line, "a row with more cells than the header")
            continue
        cells_ = zip(names, record, strict=False)
        value = {name: cell for name, cell in cells_ if name and cell not in _NO_CELL}
        yield Row(line, value, sum(map(len, record)), False, cells.repaired)


def _rest(cells: _Cells) -> Iterator[int]:
    for text in cells:
        if text.strip():
            yield cells.number


class _TooLong(csv.Error):
    pass


class _Cells(Iterator[str]):
    """The log's lines as text for the csv module.

    A line that is no UTF-8 is Windows-1252, as long as no line before it proved the file to be
    UTF-8; then it is repaired.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._lines = log.lines()
        self._utf8 = False
        self.row: list[str] = []
        self._size = 0
        self._back: list[str] = []
        self._budget = reading.MAX_LINE
        self.number = 0
        self.start = 1
        self.repaired = False

    def begin(self) -> None:
        """Begin a row at the next line."""
        self.row, self._size = [], 0
        self.start = self.number + 1
        self.repaired = False

    def single(self) -> bool:
        """Say whether the row is one line whose quotation marks close."""
        return len(self.row) == 1 and self.row[0].count('"') % 2 == 0

    def again(self) -> None:
        """Read the lines after the first of the row once more, as rows of their own."""
        if self._size <= self._budget:
            self._budget -= self._size
            self._back += reversed(self.row[1:])
            self.number = self.start

    def __next__(self) -> str:
        text = self._back.pop() if self._back else self._decoded(self._next())
        self.number += 1
        self.row.append(text)
        self._size += len(text)
        if self._size > reading.MAX_LINE:
            raise _TooLong
        return text

    def _next(self) -> bytes | None:
        line = next(self._lines)
        if self._log.damage and not self._log.ended:
            raise Damaged(self._log.damage)  # a row that was cut would look like a whole one
        return line

    def _decoded(self, line: bytes | None) -> str:
        if line is None:
            self.number += 1
            raise _TooLong
        try:
            text = line.decode()
            self._utf8 = self._utf8 or not line.isascii()
        except UnicodeDecodeError:
            self.repaired = self._utf8
            text = line.decode("utf-8" if self._utf8 else "cp1252", "replace")
        return text.replace("\x00", "\ufffd") + "\n"


def _decoded_head(head: bytes) -> str:
    text = head.removeprefix(b"\xef\xbb\xbf")
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace")


def _declared(text: str) -> str:
    """Return the delimiter of Excel's `sep=;` line, or an empty string."""
    first = text.split("\n", 1)[0].strip().strip('"')
    return first[4] if len(first) == 5 and first.lower().startswith("sep=") else ""


def _delimiter(text: str) -> str:
    def score(delimiter: str) -> tuple[int, int]:
        try:
            header = next(csv.reader(text.split("\n"), delimiter=delimiter))
        except (csv.Error, StopIteration):
            return (0, 0)
        return (_known(header), len(header))

    return max(DELIMITERS, key=score)


def _known(names: Iterable[str]) -> int:
    return sum(folded(name) in KNOWN for name in names)

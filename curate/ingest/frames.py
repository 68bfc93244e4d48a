"""Data frames in Parquet as rows, by pyarrow, which comes with the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

try:
    import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import pyarrow.parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
except ImportError:
    from curate.model.errors import CurateError

    raise CurateError(
        "Parquet files cannot be read: pyarrow is not installed",
        "Install the extra: pip install 'curate[parquet]'.",
    ) from None

from curate.ingest.reading import Log
from curate.ingest.row import Row
from curate.ingest.values import plain
from curate.model.events import Rejected

_BATCH = 200


def rows(log: Log) -> Iterator[Row | Rejected]:
    """Yield the rows of a Parquet file, numbered from 1, a batch of them in memory at a time."""
    if log.file is None:
        yield Rejected(log.name, 1, "a Parquet file can only be read as a file, by its path")
        return
    number = 0
    try:
        frame = pyarrow.parquet.ParquetFile(log.file)
        for batch in frame.iter_batches(batch_size=_BATCH):
            for value in _microseconds(batch).to_pylist():
                number += 1
                # An empty cell says nothing; a frame has one for every name of any row.
                told = {str(k): plain(inner) for k, inner in value.items() if inner is not None}
                yield Row(number, told)
    except (pyarrow.ArrowException, OSError):
        yield Rejected(log.name, number + 1, "the Parquet file is damaged; the rest is not read")


def _microseconds(batch: Any) -> Any:
    """Return the batch without nanoseconds, which no datetime holds."""
    fields = [
        pyarrow.field(field.name, pyarrow.timestamp("us", field.type.tz))
        if pyarrow.types.is_timestamp(field.type)
        else field
        for field in batch.schema
    ]
    return batch.cast(pyarrow.schema(fields), safe=False)

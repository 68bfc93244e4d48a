"""Data frames in Parquet say what the same rows say as JSON lines."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from curate.config import SourceSettings
from curate.ingest.events import Recognised, StreamItem
from curate.ingest.run import read
from curate.model.events import FeedbackEvent, QuestionEvent, Rejected
from curate.model.plain import Json

pyarrow: Any = pytest.importorskip("pyarrow")
parquet: Any = pytest.importorskip("pyarrow.parquet")
DATA = Path(__file__).parent / "data" / "ingest"


def write(path: Path, rows: list[Json]) -> Path:
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    parquet.write_table(pyarrow.table(columns), path)
    return path


def rows(name: str) -> list[Json]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines() if line.strip()]


def events(items: list[StreamItem]) -> list[QuestionEvent | FeedbackEvent]:
    return [item for item in items if isinstance(item, QuestionEvent | FeedbackEvent)]


@pytest.mark.parametrize(
    "name",
    [
        "langfuse_observations.jsonl",
        "langfuse_scores.jsonl",
        "langsmith_runs.jsonl",
        "langsmith_feedback.jsonl",
        "phoenix_spans.jsonl",
        "phoenix_annotations.jsonl",
    ],
)
def test_a_frame_is_read_as_its_rows_are(tmp_path: Path, name: str) -> None:
    cells = [
        {
            key: json.dumps(value) if isinstance(value, dict | list) else value
            for key, value in row.items()
        }
        for row in rows(name)
    ]
    path = write(tmp_path / "frame.parquet", cells)

    found, lines = list(read(path)), list(read(DATA / name))

    assert found[0].format == lines[0].format  # type: ignore[union-attr]
    asked = [event for event in events(lines) if isinstance(event, QuestionEvent)]
    assert [e for e in events(found) if isinstance(e, QuestionEvent)] == asked
    assert len(events(found)) == len(events(lines))


def test_times_to_the_nanosecond_nested_lists_and_decimals_are_read(tmp_path: Path) -> None:
    at = 1_772_704_800_123_456_789
    table = pyarrow.table(
        {
            "request_id": ["r1"],
            "question": ["is it open?"],
            "ts": pyarrow.array([at], pyarrow.timestamp("ns")),
            "chunks": [[{"id": "k1", "source": "hours.md", "score": 0.5}]],
            "latency_ms": pyarrow.array([Decimal("12.50")]),
        }
    )
    parquet.write_table(table, tmp_path / "f")

    [question] = events(list(read(tmp_path / "f", SourceSettings(name="f"))))

    assert isinstance(question, QuestionEvent)
    assert question.at == datetime(2026, 3, 5, 10, 0, 0, 123_456, tzinfo=UTC)
    assert question.chunks[0].score == 0.5
    assert question.latency_ms == 12.5


def test_a_damaged_frame_is_rejected_and_named_by_its_row(tmp_path: Path) -> None:
    path = write(tmp_path / "f", [{"question": f"q{n}?", "id": str(n)} for n in range(9)])
    path.write_bytes(path.read_bytes()[:-20])

    [recognised, rejected, *_] = list(read(path))

    assert isinstance(recognised, Recognised)
    assert isinstance(rejected, Rejected)
    assert "damaged" in rejected.reason


def test_a_frame_in_a_stream_is_named_as_what_it_is() -> None:
    found = list(read(io.BytesIO(b"PAR1" + bytes(100))))

    assert [item.reason for item in found if isinstance(item, Rejected)] == [
        "a Parquet file can only be read as a file, by its path"
    ]

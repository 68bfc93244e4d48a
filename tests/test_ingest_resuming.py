"""A log that is read again and again: only what is new, whatever became of the file."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from curate.config import SourceSettings
from curate.ingest import inputs, run
from curate.ingest.inputs import LogFile
from curate.ingest.resuming import Ledger
from curate.ingest.run import IngestReport
from curate.model.errors import CurateError
from curate.model.events import Checkpoint, Reached
from curate.model.records import CleanFeedback, CleanQuestion
from tests.test_ingest_run import Saved, Shelf, Tags

NOW = datetime(2026, 3, 10, tzinfo=UTC)
SOURCE = SourceSettings(name="app", path="logs/*")


@dataclass
class Desk:
    """A workspace in memory: what was stored, and how far."""

    shelf: Shelf = field(default_factory=Shelf)
    points: dict[tuple[str, str], Checkpoint] = field(default_factory=dict)
    facts: str = ""
    source: SourceSettings = SOURCE

    def save(
        self, batch: Sequence[CleanQuestion | CleanFeedback], marks: Sequence[Reached]
    ) -> Saved:
        saved = self.shelf.save(batch)
        self.points |= {(m.source, m.file): m for m in marks if isinstance(m, Checkpoint)}
        return saved

    def ingest(self, *paths: Path, batch: int = 256) -> IngestReport:
        ledger = Ledger(list(self.points.values()), tag=Tags(), now=NOW, facts=self.facts)
        moved = ledger.moved(self.source, "app", paths)
        files = [LogFile(path, self.source) for path in (*moved, *paths)]
        return run.run(
            inputs.items(files, ledger),
            clean=self.shelf.begin,
            tag=Tags(),
            seen=self.shelf.seen,
            save=self.save,
            now=NOW,
            limit=NOW - timedelta(days=90),
            batch=batch,
        )

    @property
    def asked(self) -> list[str]:
        return sorted(question.question.text for question in self.shelf.questions)


def line(number: int, **more: object) -> str:
    row = {"request_id": f"r{number}", "question": f"q{number}?", "ts": "2026-03-01T10:00:00Z"}
    return json.dumps({**row, **more}) + "\n"


def lines(*numbers: int) -> str:
    return "".join(map(line, numbers))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "app.jsonl"
    path.write_text(lines(1, 2))
    return path


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def test_only_appended_lines_are_read_and_lines_keep_their_numbers(log: Path) -> None:
    desk = Desk()
    desk.ingest(log)
    append(log, lines(3) + "nonsense\n")

    again = desk.ingest(log)

    assert (again.questions_read, again.questions_new) == (1, 1)
    assert again.rejected_lines == {str(log): (4,)}
    assert desk.ingest(log).unchanged == 1
    assert desk.asked == ["q1?", "q2?", "q3?"]


def test_a_half_written_last_line_waits_for_its_end(log: Path) -> None:
    desk = Desk()
    half, rest = lines(3)[:20], lines(3)[20:]
    append(log, half)

    first = desk.ingest(log)
    append(log, rest + "nonsense\n")
    second = desk.ingest(log)

    assert (first.questions_new, first.rejected, first.unfinished) == (2, 0, 1)
    assert (second.questions_read, second.rejected_lines) == (1, {str(log): (4,)})


def test_a_whole_last_line_without_its_line_feed_is_read(log: Path) -> None:
    desk = Desk()
    append(log, lines(3).rstrip("\n"))

    first = desk.ingest(log)
    append(log, "\n" + lines(4) + "nonsense\n")
    second = desk.ingest(log)

    assert (first.questions_new, second.questions_read) == (3, 1)
    assert second.rejected_lines == {str(log): (5,)}


def test_a_log_rotated_by_renaming_loses_nothing_and_repeats_nothing(log: Path) -> None:
    desk = Desk()
    desk.ingest(log)
    append(log, lines(3))
    log.rename(log.with_suffix(".jsonl.1"))
    log.write_text(lines(4))

    again = desk.ingest(log)

    assert (again.questions_read, again.questions_new) == (2, 2)
    assert desk.asked == ["q1?", "q2?", "q3?", "q4?"]
    append(log.with_suffix(".jsonl.1"), lines(5))
    assert desk.ingest(log).questions_read == 1


def test_a_log_rotated_within_its_glob_is_read_once(log: Path) -> None:
    desk = Desk()
    desk.ingest(log)
    rotated = log.with_name("app.1.jsonl")
    log.rename(rotated)
    log.write_text(lines(3))

    again = desk.ingest(rotated, log)

    assert (again.questions_read, again.unchanged) == (1, 1)


def test_a_log_copied_and_cut_off_is_read_from_its_start(log: Path) -> None:
    desk = Desk()
    desk.ingest(log)
    log.with_name("app.copy").write_text(log.read_text())
    with log.open("r+") as file:
        file.truncate(0)
    append(log, lines(3))

    again = desk.ingest(log, log.with_name("app.copy"))

    assert (again.questions_new, again.duplicates) == (1, 2)


def test_a_log_cut_off_and_grown_beyond_what_it_was_is_read_from_its_start(log: Path) -> None:
    desk = Desk()
    desk.ingest(log)
    with log.open("r+") as file:
        file.truncate(0)
    append(log, lines(3, 4, 5, 6))

    assert desk.ingest(log).questions_new == 4


def test_a_log_that_grew_anew_from_the_same_beginning_is_read_from_its_start(log: Path) -> None:
    start = "\n" * 5000
    log.write_text(start + lines(1, 2))
    desk = Desk()
    desk.ingest(log)
    log.write_text(start + line(3, note="x" * 300))

    assert desk.ingest(log).questions_new == 1


def test_another_file_of_the_same_inode_is_read_from_its_start(log: Path) -> None:
    desk = Desk()
    desk.ingest(log)
    inode = log.stat().st_ino
    log.write_text(lines(7, 8, 9))

    assert log.stat().st_ino == inode
    assert desk.ingest(log).questions_new == 3


def test_a_log_replaced_by_renaming_is_read_from_its_start(log: Path) -> None:
    desk = Desk()
    desk.ingest(log)
    new = log.with_suffix(".new")
    new.write_text(lines(1, 2, 3))
    new.replace(log)

    again = desk.ingest(log)

    assert (again.questions_new, again.duplicates) == (1, 2)


def test_other_settings_or_another_policy_read_a_log_from_its_start(log: Path) -> None:
    desk = Desk()
    desk.ingest(log)
    desk.source = SourceSettings(name="app", path="logs/*", down=("0",))
    assert desk.ingest(log).questions_read == 2
    desk.facts = "another policy"
    assert desk.ingest(log).questions_read == 2
    assert desk.ingest(log).questions_read == 0


def test_a_kill_between_batches_goes_on_where_the_last_batch_ended(log: Path) -> None:
    log.write_text(lines(*range(1000)))
    desk = Desk(Shelf(fail_after=2))
    with pytest.raises(CurateError):
        desk.ingest(log, batch=300)
    desk.shelf.fail_after = None

    again = desk.ingest(log)

    assert 400 <= again.questions_read < 1000
    assert len(desk.asked) == 1000


def test_equal_questions_without_id_and_time_are_counted_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "app.jsonl"
    path.write_text('{"question": "open?"}\n')
    desk = Desk()
    desk.ingest(path)
    append(path, '{"question": "open?"}\n')

    assert desk.ingest(path).questions_new == 1
    assert desk.ingest(path).unchanged == 1


def test_a_trace_in_parts_is_put_together_again_when_a_part_is_appended(tmp_path: Path) -> None:
    path = tmp_path / "observations.jsonl"
    root = {
        "id": "o1", "trace_id": "t1", "type": "SPAN", "start_time": "2026-03-01 10:00:00",
        "is_root_observation": True, "input": "is it open?", "output": "yes",
    }  # fmt: skip
    found = {
        "id": "o2", "trace_id": "t1", "type": "RETRIEVER", "start_time": "2026-03-01 10:00:01",
        "parent_observation_id": "o1", "input": "open",
        "output": [{"page_content": "x", "metadata": {"source": "hours.md"}}],
    }  # fmt: skip
    path.write_text(json.dumps(root) + "\n")
    desk = Desk()
    desk.ingest(path)
    append(path, json.dumps(found) + "\n")

    assert desk.ingest(path).questions_updated == 1
    [question] = desk.shelf.questions
    assert question.chunks[0].source == "hours.md"
    assert desk.ingest(path).unchanged == 1


@pytest.mark.parametrize("kind", ["table", "archive", "array"])
def test_what_cannot_be_cut_at_a_line_is_read_whole_when_it_changed(
    tmp_path: Path, kind: str
) -> None:
    def write(*numbers: int) -> None:
        rows = [json.loads(line(number)) for number in numbers]
        texts = {
            "table": "request_id,question,ts\n"
            + "".join(f"{row['request_id']},{row['question']},{row['ts']}\n" for row in rows),
            "archive": lines(*numbers),
            "array": json.dumps(rows),
        }
        data = texts[kind].encode()
        path.write_bytes(gzip.compress(data) if kind == "archive" else data)

    path = tmp_path / "app"
    desk = Desk()
    write(1, 2)
    desk.ingest(path)
    write(1, 2, 3)

    again = desk.ingest(path)

    assert (again.questions_read, again.questions_new) == (3, 1)
    os.utime(path)
    assert desk.ingest(path).questions_read == 3
    assert desk.ingest(path).unchanged == 1

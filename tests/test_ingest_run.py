"""The whole stage: counted, idempotent, anonymised before anything is handed on."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from curate.config import REFUSALS, SourceSettings
from curate.ingest.door import fold_user
from curate.ingest.events import Recognised, StreamItem
from curate.ingest.run import IngestReport, Promise, read, run, survey
from curate.model.errors import CurateError
from curate.model.events import Reached
from curate.model.plain import Json
from curate.model.records import Clean, CleanFeedback, CleanQuestion, Redaction

NOW = datetime(2026, 3, 10, tzinfo=UTC)
LIMIT = NOW - timedelta(days=90)
NAME = "Dara Sok"


@dataclass
class Tags:
    """Tags of two epochs, the later one from March on."""

    asked: list[tuple[str, str]] = field(default_factory=list)

    def tag(self, domain: str, value: str, when: datetime) -> bytes:
        self.asked.append((domain, value))
        return self._of("new" if when >= datetime(2026, 3, 1, tzinfo=UTC) else "old", domain, value)

    def live(self, domain: str, value: str) -> tuple[bytes, ...]:
        return (self._of("new", domain, value), self._of("old", domain, value))

    def every(self, domain: str, value: str, when: datetime) -> tuple[bytes, ...]:
        return tuple(dict.fromkeys((self.tag(domain, value, when), *self.live(domain, value))))

    def _of(self, epoch: str, domain: str, value: str) -> bytes:
        return hashlib.sha256(f"{epoch}\0{domain}\0{value}".encode()).digest()[:16]


@dataclass(frozen=True)
class Saved:
    questions_new: int = 0
    questions_updated: int = 0
    feedback_new: int = 0
    feedback_updated: int = 0
    feedback_joined: int = 0
    feedback_waiting: int = 0
    duplicates: int = 0
    suppressed: int = 0


@dataclass
class Shelf:
    """What a store does, in memory."""

    rows: dict[bytes, CleanQuestion | CleanFeedback] = field(default_factory=dict)
    cleaned: list[Sequence[str]] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    fail_after: int | None = None

    def clean(self, records: Sequence[Sequence[str]]) -> list[list[Clean]]:
        self.cleaned += records
        return [[self._clean(text) for text in record] for record in records]

    def _clean(self, text: str) -> Clean:
        at = text.find(NAME)
        if at < 0:
            return Clean(text)
        redaction = Redaction(at, at + len(NAME), "PERSON", "<PERSON_1>", at, 1.0, "test")
        return Clean(text.replace(NAME, "<PERSON_1>"), (redaction,))

    def begin(self, records: Sequence[Sequence[str]]) -> Promise:
        result = self.clean(records)
        return lambda: result

    def find(self, keys: Iterable[bytes]) -> CleanQuestion | CleanFeedback | None:
        return next((self.rows[key] for key in keys if key in self.rows), None)

    def seen(self, many: Sequence[tuple[bytes, ...]]) -> list[bytes | None]:
        return [found.content if (found := self.find(keys)) else None for keys in many]

    def save(
        self, batch: Sequence[CleanQuestion | CleanFeedback], marks: Sequence[Reached] = ()
    ) -> Saved:
        if self.fail_after is not None and len(self.batches) >= self.fail_after:
            raise CurateError("the disk is full")
        self.batches.append(len(batch))
        counts: dict[str, int] = {}
        for event in batch:
            old = self.find(event.keys)
            kind = "questions" if isinstance(event, CleanQuestion) else "feedback"
            name = f"{kind}_{'updated' if old else 'new'}"
            counts[name] = counts.get(name, 0) + 1
            self.rows[old.keys[0] if old else event.keys[0]] = event
        return Saved(**counts)

    @property
    def questions(self) -> list[CleanQuestion]:
        return [row for row in self.rows.values() if isinstance(row, CleanQuestion)]

    @property
    def votes(self) -> list[CleanFeedback]:
        return [row for row in self.rows.values() if isinstance(row, CleanFeedback)]


def items(rows: Sequence[Json | str], name: str = "f") -> Iterable[StreamItem]:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    return read(io.BytesIO("\n".join(lines).encode()), SourceSettings(name="log"), name)


def ingest(
    shelf: Shelf,
    events: Iterable[StreamItem],
    *,
    now: datetime = NOW,
    batch: int = 256,
    policy: str = "p",
) -> IngestReport:
    return run(
        events,
        clean=shelf.begin,
        tag=Tags(),
        seen=shelf.seen,
        save=shelf.save,
        now=now,
        limit=now - timedelta(days=90),
        policy=policy,
        refusals=REFUSALS,
        batch=batch,
    )


ASKED: Json = {
    "ts": "2026-02-27T08:00:00Z",
    "request_id": "r1",
    "session_id": "s1",
    "user": "User-1",
    "question": f"may {NAME} keep the key?",
    "answer": f"{NAME} may.",
    "rewritten": f"Is {NAME} allowed?",
    "history": [{"role": "user", "content": f"it is {NAME}"}],
    "conversation_title": f"{NAME}",
    "chunks": [{"id": f"{NAME}#1", "source": f"{NAME}.md", "heading": NAME, "score": 0.5}],
}
DOWN: Json = {
    "ts": "2026-03-02T08:00:00Z",
    "request_id": "r1",
    "rating": "down",
    "comment": f"ask {NAME}",
    "reason": f"as {NAME} said",
}


def test_everything_is_anonymised_in_one_record_before_it_is_saved() -> None:
    shelf = Shelf()

    ingest(shelf, items([ASKED, DOWN]))

    (question,), (vote,) = shelf.questions, shelf.votes
    assert question.question.text == "may <PERSON_1> keep the key?"
    assert question.answer == Clean(
        "<PERSON_1> may.", question.answer.redactions if question.answer else ()
    )
    assert question.standalone is not None
    assert [turn.content for turn in question.history] == ["it is <PERSON_1>"]
    assert question.title is not None
    (chunk,) = question.chunks
    assert (chunk.id, chunk.source, chunk.heading, chunk.score) == (
        "<PERSON_1>#1", "<PERSON_1>.md", "<PERSON_1>", 0.5,
    )  # fmt: skip
    assert vote.comment is not None
    assert vote.reason == "as <PERSON_1> said"
    assert [len(record) for record in shelf.cleaned] == [8, 2]
    for row in shelf.rows.values():
        assert NAME not in str([getattr(row, name) for name in row.__dataclass_fields__])


def test_ids_leave_as_tags_of_the_epoch_of_the_event() -> None:
    shelf, tags = Shelf(), Tags()

    ingest(shelf, items([ASKED, DOWN]))

    (question,), (vote,) = shelf.questions, shelf.votes
    asked_at, voted_at = datetime(2026, 2, 27, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC)
    assert question.user == tags.tag("user", fold_user("USER-1"), asked_at)
    assert question.keys[0] == tags._of("old", "event", "question\x1flog\x1fr1")
    assert len(question.keys) == 2
    assert question.aliases == tuple(
        tags.tag("alias", f"log\x1f{name}", asked_at) for name in ("r1", "s1")
    )
    assert set(question.aliases) & set(vote.targets[0])
    assert vote.targets[0][0] == tags.tag("alias", "log\x1fr1", voted_at)
    assert vote.received_at == NOW


def test_reading_again_changes_nothing_and_anonymises_nothing() -> None:
    shelf = Shelf()
    first = ingest(shelf, items([ASKED, DOWN]))
    cleaned = len(shelf.cleaned)

    again = ingest(shelf, items([ASKED, DOWN]), now=NOW + timedelta(days=1))

    assert (first.questions_new, first.feedback_new, first.duplicates) == (1, 1, 0)
    assert (again.questions_new, again.feedback_new, again.duplicates) == (0, 0, 2)
    assert len(shelf.cleaned) == cleaned


def test_changed_content_or_another_policy_is_an_update() -> None:
    shelf = Shelf()
    ingest(shelf, items([ASKED, DOWN]))

    changed = ingest(shelf, items([{**ASKED, "answer": "No."}, DOWN]))
    other = ingest(shelf, items([{**ASKED, "answer": "No."}, DOWN]), policy="q")

    assert (changed.questions_updated, changed.duplicates) == (1, 1)
    assert (other.questions_updated, other.feedback_updated) == (1, 1)


def test_the_same_event_twice_in_a_batch_is_one() -> None:
    report = ingest(Shelf(), items([ASKED, ASKED]))

    assert (report.questions_new, report.duplicates) == (1, 1)


def test_one_event_in_two_files_is_one() -> None:
    shelf = Shelf()

    report = ingest(shelf, [*items([ASKED], "a"), *items([ASKED], "b")])

    assert (report.questions_new, report.duplicates) == (1, 1)


def test_questions_without_an_id_are_told_apart_by_time_session_and_text() -> None:
    row = {name: ASKED[name] for name in ("ts", "session_id", "question")}
    rows = [
        row,
        row,
        {**row, "question": "other"},
        {**row, "ts": "2026-03-05"},
        {**row, "session_id": 2},
    ]

    report = ingest(Shelf(), items(rows))

    assert (report.questions_new, report.duplicates) == (4, 1)


def test_equal_questions_without_id_and_time_all_count_and_once_only() -> None:
    shelf = Shelf()
    rows: list[Json] = [{"question": "a"}, {"question": "b"}, {"question": "a"}]

    first = ingest(shelf, items(rows))
    again = ingest(shelf, [*items(rows), *items(rows)])
    more = ingest(shelf, items([*rows, {"question": "a"}]))

    assert first.questions_new == 3
    assert (again.questions_new, again.duplicates) == (0, 6)
    assert (more.questions_new, more.duplicates) == (1, 3)


def test_a_vote_in_the_row_of_a_question_without_id_finds_it() -> None:
    shelf = Shelf()
    rows = [{"question": "a", "feedback": "👎"}, {"question": "a", "feedback": "👍"}]

    ingest(shelf, items(rows))

    for question, vote in zip(shelf.questions, shelf.votes, strict=True):
        assert question.aliases[0] in vote.targets[0]
    assert len({question.aliases for question in shelf.questions}) == 2


def test_what_is_older_than_the_limit_is_counted_and_not_kept() -> None:
    shelf = Shelf()
    old = (LIMIT - timedelta(seconds=1)).isoformat()
    rows: list[Json] = [
        {**ASKED, "ts": old},
        {**DOWN, "ts": old},
        {**ASKED, "ts": LIMIT.isoformat()},
    ]

    report = ingest(shelf, items(rows))

    assert (report.expired, report.questions_new) == (2, 1)


def test_a_time_in_the_future_counts_as_now() -> None:
    shelf = Shelf()

    report = ingest(shelf, items([{**ASKED, "ts": "2106-01-01"}]))

    (question,) = shelf.questions
    assert report.questions_new == 1
    assert question.keys[0] == Tags()._of("new", "event", "question\x1flog\x1fr1")


def test_refusals_are_flags_of_the_log_or_phrases_of_the_assistant() -> None:
    shelf = Shelf()
    rows: list[Json] = [
        {"request_id": "1", "question": "a", "answer": "Sorry, I couldn\u2019t  find that."},
        {"request_id": "2", "question": "b", "answer": "Yes."},
        {"request_id": "3", "question": "c"},
        {"request_id": "4", "question": "d", "answer": "Yes.", "refused": True},
    ]

    ingest(shelf, items(rows))

    assert [question.refused for question in shelf.questions] == [True, False, None, True]


def test_the_language_is_that_of_the_question_without_placeholders() -> None:
    shelf = Shelf()

    ingest(shelf, items([{"request_id": "1", "question": f"តើ{NAME}អាចយកបានទេ"}]))

    assert shelf.questions[0].lang == "km"


def test_batches_are_whole_and_a_failure_loses_no_more_than_one() -> None:
    rows: list[Json] = [{**ASKED, "request_id": f"r{n}"} for n in range(100)]
    shelf = Shelf(fail_after=3)

    with pytest.raises(CurateError):
        ingest(shelf, items(rows), batch=10)
    kept = len(shelf.rows)
    shelf.fail_after = None
    report = ingest(shelf, items(rows), batch=10)

    assert kept == 30
    assert (report.questions_new, report.duplicates) == (70, 30)
    assert len(shelf.questions) == 100
    assert max(shelf.batches) == 10


def test_rejected_lines_maps_and_formats_are_reported_by_file() -> None:
    report = ingest(Shelf(), [*items(["nonsense", ASKED, "{"], "a"), *items([ASKED, "x"], "b")])

    assert report.rejected == 3
    assert report.rejected_lines == {"a": (1, 3), "b": (2,)}
    assert report.reasons["a"] == {"not JSON": 2}
    assert report.maps["a"]["question"] == "question"
    assert report.formats == {"a": "generic", "b": "generic"}


def test_a_survey_reads_and_writes_nothing() -> None:
    report = survey(items(["nonsense", ASKED, DOWN]))

    assert (report.rejected, report.questions_read, report.feedback_read) == (1, 1, 1)


def test_progress_is_told_in_bytes(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(ASKED) + "\n")
    told: list[tuple[int, int | None]] = []
    shelf = Shelf()

    run(
        read(path),
        clean=shelf.begin,
        tag=Tags(),
        seen=shelf.seen,
        save=shelf.save,
        now=NOW,
        limit=LIMIT,
        progress=lambda done, total: told.append((done, total)),
    )

    size = path.stat().st_size
    assert told[-1] == (size, size)


def test_a_path_given_by_hand_is_of_the_source_log(tmp_path: Path) -> None:
    path = tmp_path / "any.jsonl"
    path.write_text(json.dumps(ASKED))
    shelf = Shelf()

    ingest(shelf, read(str(path)))

    assert shelf.questions[0].source == "log"


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(CurateError, match="no log format"):
        list(read(io.BytesIO(b"{}"), replace(SourceSettings(name="x"), format="morse")))


def test_the_first_item_says_how_the_log_is_read() -> None:
    first = next(iter(items([ASKED])))

    assert isinstance(first, Recognised)
    assert first.map["question"] == "question"


def test_a_vote_that_names_only_a_session_is_about_a_question_of_it() -> None:
    shelf = Shelf()
    rows: list[Json | str] = [
        {"request_id": "r1", "session_id": "s1", "question": "open?", "ts": "2026-03-01T10:00:00Z"},
        {"session_id": "s1", "rating": "down", "ts": "2026-03-01T10:01:00Z"},
        {"request_id": "r9", "session_id": "s1", "rating": "down", "ts": "2026-03-01T10:02:00Z"},
    ]

    report = ingest(shelf, items(rows))

    assert report.rejected == 0
    (question,) = shelf.questions
    about = {bool(set(vote.targets[0]) & set(question.aliases)) for vote in shelf.votes}
    assert about == {True, False}
    assert [len(vote.targets) for vote in shelf.votes] == [1, 1]


def test_latency_and_tokens_are_kept_where_the_log_has_them() -> None:
    shelf = Shelf()
    row: Json = {
        "id": "r1",
        "question": "open?",
        "latency_ms": 12,
        "usage": {"prompt_tokens": 100, "completion_tokens": "20"},
    }

    ingest(shelf, items([row]))

    (question,) = shelf.questions
    assert (question.latency_ms, question.tokens_in, question.tokens_out) == (12, 100, 20)

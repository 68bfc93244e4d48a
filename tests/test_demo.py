"""The demo: documents, logs and answer key hold together."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import tomllib
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from curate import config, text
from curate.demo import files
from curate.model.errors import CurateError, Exit

NOW = datetime(2026, 11, 29, 21, 0, tzinfo=UTC)
DATA = Path(files.__file__).parent
DOCS = DATA / "docs"


def sections() -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for path in sorted(DOCS.rglob("*.md")):
        document = path.read_text()
        lines = document.splitlines(keepends=True)
        tokens = MarkdownIt("commonmark").parse(document)
        starts = [
            (token.map[0], inline.content)
            for token, inline in itertools.pairwise(tokens)
            if token.type == "heading_open" and token.map
        ]
        ends = [start for start, _ in starts[1:]] + [len(lines)]
        for (start, heading), end in zip(starts, ends, strict=True):
            place = (path.relative_to(DOCS).as_posix(), heading)
            assert place not in found
            found[place] = "".join(lines[start:end])
    return found


SECTIONS = sections()
KEY = files.answer_key()
PERSONAL: dict[str, Any] = json.loads((DATA / "personal.json").read_text())


def json_lines(path: Path) -> list[dict[str, Any]]:
    events = []
    for line in path.read_bytes().split(b"\n"):
        try:
            events.append(json.loads(line))
        except ValueError:
            continue
    return events


def rows(path: Path) -> list[dict[str, Any]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


LINES = json_lines(DATA / "logs" / "assistant-log.jsonl")
ROWS = rows(DATA / "logs" / "helpdesk.csv")
QUESTIONS = [line for line in LINES if line["event"] == "rag.question"]


def test_the_documents_are_a_small_handbook() -> None:
    assert len(list(DOCS.rglob("*.md"))) >= 8
    assert len(SECTIONS) >= 33


def test_the_logs_hold_about_two_hundred_questions_and_many_thumbs_down() -> None:
    down = sum(line.get("rating") == "down" for line in LINES)
    down += sum(row["feedback"] == "👎" for row in ROWS)

    assert 190 <= len(QUESTIONS) + len(ROWS) <= 260
    assert 40 <= down <= 65
    assert len({line["question"] for line in QUESTIONS} | {row["question"] for row in ROWS}) >= 90


def test_two_lines_are_broken_and_every_other_line_is_whole() -> None:
    raw = (DATA / "logs" / "assistant-log.jsonl").read_bytes().strip().split(b"\n")

    assert len(raw) - len(LINES) == 2
    assert all(None not in row.values() and None not in row for row in ROWS)


def test_an_event_is_named_once_but_for_the_line_that_was_shipped_twice() -> None:
    ids = Counter(line["request_id"] for line in QUESTIONS)

    assert [count for count in ids.values() if count > 1] == [2]
    assert max(Counter(row["message_id"] for row in ROWS).values()) == 1


def test_some_feedback_comes_early_and_some_has_lost_its_question() -> None:
    seen: set[str] = set()
    early = []
    for line in LINES:
        if line["event"] == "rag.feedback" and line["request_id"] not in seen:
            early.append(line["request_id"])
        elif line["event"] == "rag.question":
            seen.add(line["request_id"])

    assert len([name for name in early if name in seen]) == 1
    assert len([name for name in early if name not in seen]) == 1


def test_what_was_retrieved_stands_in_the_documents() -> None:
    named = [(chunk["source"], chunk["heading"]) for line in QUESTIONS for chunk in line["chunks"]]
    named += [
        (chunk["source"], chunk["heading"])
        for row in ROWS
        for chunk in json.loads(row["sources"] or "[]")
    ]

    assert set(named) <= set(SECTIONS)


def test_follow_ups_carry_their_history_and_a_rewritten_question() -> None:
    follow_ups = [line for line in QUESTIONS if line.get("history")]

    assert len(follow_ups) >= 4
    assert all(line["rewritten"] for line in follow_ups)


def test_hostile_text_is_written_as_plain_json() -> None:
    raw = (DATA / "logs" / "assistant-log.jsonl").read_bytes()
    asked = [line["question"] for line in QUESTIONS]

    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xe2\x80[\xaa-\xae]", raw)
    assert any("\x1b[31m" in question for question in asked)
    assert any("\u202e" in question for question in asked)
    assert any("[@click=app.exit]" in question for question in asked)


@pytest.mark.parametrize("kind", ["names", "phones", "emails", "user_ids"])
def test_every_planted_value_is_in_the_logs_and_none_in_the_documents(kind: str) -> None:
    logs = (DATA / "logs" / "assistant-log.jsonl").read_text()
    logs += (DATA / "logs" / "helpdesk.csv").read_text()
    documents = "".join(SECTIONS.values())

    for value in PERSONAL[kind]:
        assert value in logs
        assert value.casefold() not in documents.casefold()


def test_every_address_and_telephone_number_in_the_logs_is_listed() -> None:
    texts = [
        str(value)
        for event in [*LINES, *ROWS]
        for name, value in event.items()
        if name not in {"ts", "timestamp"}
    ]
    texts += [
        line.decode()
        for line in (DATA / "logs" / "assistant-log.jsonl").read_bytes().split(b"\n")
        if not line.startswith(b"{")
    ]
    public = PERSONAL["public"]
    emails = {*PERSONAL["emails"], *PERSONAL["user_ids"], *public["emails"]}
    phones = {*PERSONAL["phones"], *public["phones"]}

    for found in texts:
        assert set(re.findall(r"[\w.+-]+@[\w-]+\.[\w.]*\w", found)) <= emails
        assert set(re.findall(r"(?<![\w.-])[+(]?\d[\d ()-]{8,}\d", found)) <= phones


def test_the_public_names_and_addresses_stand_in_the_documents() -> None:
    documents = "".join(SECTIONS.values())

    for values in PERSONAL["public"].values():
        assert all(value in documents for value in values)


def test_the_answer_key_covers_what_a_set_must_cover() -> None:
    answerable = [item for item in KEY if item.answerable]

    assert len(answerable) >= 12
    assert len(KEY) - len(answerable) >= 4
    assert {item.split for item in answerable} == {"tuning", "holdout"}
    assert {"paraphrase", "look-alike", "identifier", "follow-up", "unanswerable"} == {
        item.kind for item in KEY
    }
    assert {"en", "km", "km-en"} == {item.lang for item in KEY}
    assert {item.evidence_mode for item in answerable if len(item.evidences) > 1} == {"any", "all"}
    assert any(item.history for item in answerable)


@pytest.mark.parametrize("item", KEY, ids=lambda item: item.log_id)
def test_a_key_item_is_a_logged_question_without_personal_data(item: files.KeyItem) -> None:
    planted = [value for kind in ("names", "phones", "emails") for value in PERSONAL[kind]]
    planted += PERSONAL["public"]["names"]
    [logged] = (
        [line for line in QUESTIONS if line["request_id"] == item.log_id]
        if item.log == "assistant"
        else [row for row in ROWS if row["message_id"] == item.log_id]
    )

    assert item.question == logged["question"]
    assert [(turn.role, turn.content) for turn in item.history] == [
        (turn["role"], turn["content"]) for turn in logged.get("history", [])
    ]
    said = " ".join([item.question, *(turn.content for turn in item.history)])
    assert not [value for value in planted if value in said]
    assert item.lang == text.language(item.question)


@pytest.mark.parametrize("item", KEY, ids=lambda item: item.log_id)
def test_a_key_item_is_true_to_the_documents(item: files.KeyItem) -> None:
    if not item.answerable:
        assert item.tempting is not None
        assert (item.tempting.source, item.tempting.heading) in SECTIONS
        assert item.queries
        return
    for evidence in item.evidences:
        holding = [
            heading
            for (source, heading), section in SECTIONS.items()
            if source == evidence.source and text.contains(section, evidence.phrase)
        ]
        assert holding == [evidence.heading]
    held = text.fold_space(" ".join(evidence.phrase for evidence in item.evidences)).lower()
    assert item.keyword
    assert item.keyword.lower() in held or item.note
    assert item.keyword.lower() in item.reference.lower()
    assert all(phrase in item.reference for phrase in item.must_include)
    assert not any(phrase in item.reference for phrase in item.must_not_include)


def test_the_newest_event_is_a_day_old_and_the_oldest_is_kept(tmp_path: Path) -> None:
    written = files.write(tmp_path, NOW)

    assert timedelta(days=1) <= NOW - written.newest < timedelta(days=2)
    assert timedelta(days=70) < NOW - written.oldest < timedelta(days=90)
    times = [datetime.fromisoformat(line["ts"]) for line in json_lines(written.logs[0])]
    times += [datetime.fromisoformat(row["timestamp"] + "+00:00") for row in rows(written.logs[1])]
    assert {time.replace(microsecond=0) for time in times} >= {written.oldest, written.newest}
    assert min(times) >= written.oldest
    assert max(times) < written.newest + timedelta(seconds=1)


def test_only_the_days_of_the_log_move(tmp_path: Path) -> None:
    written = files.write(tmp_path, NOW)

    for path in written.logs:
        before = (DATA / "logs" / path.name).read_bytes()
        after = path.read_bytes()
        assert len(before) == len(after)
        assert re.sub(rb"20\d\d-\d\d-\d\d", b"", before) == re.sub(rb"20\d\d-\d\d-\d\d", b"", after)


def test_the_documents_are_written_as_they_are(tmp_path: Path) -> None:
    written = files.write(tmp_path, NOW)

    assert {path.relative_to(tmp_path / "docs") for path in written.documents} == {
        path.relative_to(DOCS) for path in DOCS.rglob("*.md")
    }
    assert all(
        path.read_bytes() == (DOCS / path.relative_to(tmp_path / "docs")).read_bytes()
        for path in written.documents
    )


def test_the_demo_overwrites_nothing_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    mine = tmp_path / "logs" / "helpdesk.csv"
    mine.parent.mkdir()
    mine.write_text("mine")

    with pytest.raises(CurateError) as raised:
        files.write(tmp_path, NOW)

    assert raised.value.code == Exit.USAGE
    assert str(mine) in raised.value.message
    assert mine.read_text() == "mine"
    assert not (tmp_path / "docs").exists()


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where a directory should be")

    with pytest.raises(CurateError) as raised:
        files.write(tmp_path, NOW)

    assert "logs" in raised.value.message
    assert not list((tmp_path / "docs").rglob("*.md"))


def test_the_configuration_loads_and_names_the_written_logs(tmp_path: Path) -> None:
    written = files.write(tmp_path, NOW)
    (tmp_path / config.FILE).write_text(files.config())

    settings = config.load(tmp_path / config.FILE)

    assert [tmp_path / source.path for source in settings.sources] == list(written.logs)
    assert {item.log for item in KEY} <= {source.name for source in settings.sources}
    assert set(tomllib.loads(files.config())) == {"sources", "assistant"}
    refused = [line["answer"] for line in QUESTIONS if line.get("refused")]
    assert all(
        any(phrase in answer for phrase in settings.assistant.refusals) for answer in refused
    )

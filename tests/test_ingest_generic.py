"""Rows of any log through a field map."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from curate.config import SourceSettings
from curate.ingest.events import Recognised, StreamItem
from curate.ingest.run import read
from curate.model.errors import CurateError, Exit
from curate.model.events import FeedbackEvent, QuestionEvent, RawText, RawTurn, Rejected
from curate.model.plain import Json

SOURCE = SourceSettings(name="log")


def stream(rows: Sequence[Json | str], source: SourceSettings = SOURCE) -> list[StreamItem]:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    return list(read(io.BytesIO("\n".join(lines).encode()), source, "f"))


def questions(rows: Sequence[Json | str], source: SourceSettings = SOURCE) -> list[QuestionEvent]:
    return [item for item in stream(rows, source) if isinstance(item, QuestionEvent)]


def votes(rows: Sequence[Json | str], source: SourceSettings = SOURCE) -> list[FeedbackEvent]:
    return [item for item in stream(rows, source) if isinstance(item, FeedbackEvent)]


def rejected(rows: Sequence[Json | str], source: SourceSettings = SOURCE) -> dict[int, str]:
    return {i.line: i.reason for i in stream(rows, source) if isinstance(i, Rejected)}


def last_map(rows: Sequence[Json | str], source: SourceSettings = SOURCE) -> dict[str, str]:
    return dict([i for i in stream(rows, source) if isinstance(i, Recognised)][-1].map)


ASKED: Json = {
    "ts": "2026-03-01T08:00:00Z",
    "request_id": "r1",
    "session_id": "s1",
    "user": "u1",
    "question": "may I keep the key?",
    "answer": "Yes.",
    "rewritten": "Is keeping the key allowed?",
    "refused": False,
    "latency_ms": 12,
    "chunks": [{"id": "keys.md#1", "score": 0.5}],
}
DOWN: Json = {
    "ts": "2026-03-01T08:01:00Z",
    "request_id": "r1",
    "rating": "down",
    "comment": "wrong",
}


def test_a_question_row_gives_every_field() -> None:
    (event,) = questions([ASKED])

    assert event.question == RawText("may I keep the key?")
    assert event.source_id == RawText("r1")
    assert event.aliases == (RawText("r1"),)
    assert event.session == RawText("s1")
    assert event.user == RawText("u1")
    assert event.at == datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert event.answer == RawText("Yes.")
    assert event.standalone == RawText("Is keeping the key allowed?")
    assert event.refused is False
    assert event.latency_ms == 12
    assert [(chunk.id, chunk.score) for chunk in event.chunks] == [(RawText("keys.md#1"), 0.5)]


def test_a_feedback_row_points_at_its_question() -> None:
    (vote,) = votes([ASKED, DOWN])

    assert vote.targets == (RawText("r1"),)
    assert vote.rating == -1
    assert vote.comment == RawText("wrong")
    assert vote.source_id is None


def test_a_feedback_row_may_have_an_id_of_its_own() -> None:
    (vote,) = votes([ASKED, {"id": "f9", "request_id": "r1", "rating": "up"}])

    assert vote.source_id == RawText("f9")
    assert vote.targets == (RawText("r1"),)


def test_a_row_may_carry_both() -> None:
    rows: list[Json] = [
        {**ASKED, "feedback": "👎"},
        {**ASKED, "request_id": "r2", "feedback": None},
    ]

    assert [vote.targets for vote in votes(rows)] == [(RawText("r1"),)]
    assert len(questions(rows)) == 2


def test_a_null_rating_takes_the_vote_back() -> None:
    (vote,) = votes([{**DOWN, "rating": None}])

    assert vote.rating is None


def test_a_row_whose_question_and_rating_are_empty_is_no_vote() -> None:
    rows: list[Json] = [{**ASKED, "rating": "down"}, {**ASKED, "question": None, "rating": None}]

    assert [vote.rating for vote in votes(rows)] == [-1]
    assert rejected(rows) == {2: "neither a question nor a rating in it"}


def test_the_first_key_for_votes_may_come_late() -> None:
    rows: list[Json] = [{**ASKED, "request_id": f"r{n}"} for n in range(300)]
    rows += [{**ASKED, "request_id": "r300", "thumb": "down"}]
    rows += [{**ASKED, "request_id": "r301", "meta": {"vote": "down"}}]

    assert [vote.line for vote in votes(rows)] == [301, 302]
    assert last_map(rows)["rating"] == "thumb|meta.vote"


def test_the_map_found_is_reported() -> None:
    assert last_map([ASKED, DOWN]) == {
        "question": "question",
        "standalone": "rewritten",
        "answer": "answer",
        "chunks": "chunks",
        "id": "request_id",
        "session": "session_id",
        "user": "user",
        "ts": "ts",
        "rating": "rating",
        "comment": "comment",
        "refused": "refused",
        "latency_ms": "latency_ms",
    }


def test_names_are_found_in_objects_and_in_any_case() -> None:
    row = {"@timestamp": "2026-03-01", "rag": {"userQuery": "a", "requestId": 7, "aiResponse": "b"}}

    assert last_map([row]) == {
        "question": "rag.userQuery",
        "answer": "rag.aiResponse",
        "id": "rag.requestId",
        "ts": "@timestamp",
    }


def test_a_key_that_is_no_field_name_is_never_shown() -> None:
    rows: list[Json] = [{"dara@example.org": {"question": "a"}}, {"+855 12 345 678.question": "a"}]

    assert last_map(rows) == {}
    assert sorted(rejected(rows)) == [1, 2]


def test_a_map_that_is_told_wins_and_reaches_through_lists_and_json() -> None:
    source = replace(
        SOURCE, map={"question": "body.turns.0.said", "time": "when", "answer": "", "id": "a.b"}
    )
    row = {
        "body": json.dumps({"turns": [{"said": "hi"}]}),
        "when": 1772352000,
        "answer": "x",
        "a.b": 1,
    }

    (event,) = questions([row], source)

    assert event.question == RawText("hi")
    assert event.at == datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert event.answer is None
    assert event.source_id == RawText("1")


def test_an_unknown_field_in_a_map_is_refused() -> None:
    with pytest.raises(CurateError) as caught:
        stream([ASKED], replace(SOURCE, map={"qestion": "q"}))
    assert "question" in caught.value.hint


@pytest.mark.parametrize(
    "wrap",
    [
        lambda row: {"_index": "i", "_source": row},
        lambda row: {"timestamp": 1, "message": json.dumps(row)},
        lambda row: {"@timestamp": "x", "@message": json.dumps(row)},
        lambda row: {"insertId": "x", "jsonPayload": row},
        lambda row: {"log": json.dumps(row) + "\n", "stream": "stdout"},
        lambda row: {"_source": {"message": json.dumps({"jsonPayload": row})}},
    ],
)
def test_events_are_taken_out_of_their_envelopes(wrap: object) -> None:
    assert callable(wrap)
    rows = [wrap(ASKED), wrap(DOWN)]

    (event,), (vote,) = questions(rows), votes(rows)

    assert event.source_id == vote.targets[0] == RawText("r1")
    assert event.at == datetime(2026, 3, 1, 8, tzinfo=UTC)


def test_the_envelope_gives_the_time_where_the_event_has_none() -> None:
    (event,) = questions([{"timestamp": 1772352000000, "message": '{"question": "a"}'}])

    assert event.at == datetime(2026, 3, 1, 8, tzinfo=UTC)


def test_an_event_cut_by_its_shipper_is_rejected() -> None:
    assert "cut" in rejected([{"message": '{"question": "a'}])[1]


def test_lines_that_are_no_events_are_rejected_without_their_text() -> None:
    rows: list[Json | str] = [
        ASKED,
        {"level": "info", "message": "secret start"},
        "secret",
        {"a": 1},
    ]

    assert list(rejected(rows)) == [3, 2, 4] or sorted(rejected(rows)) == [2, 3, 4]
    assert "secret" not in repr(rejected(rows))


def test_ids_of_other_things_are_no_ids_of_the_event() -> None:
    flat = {"rag.question": "is it open?", "rag.request_id": "r1", "user.id": "u1"}
    nested = {"question": "is it open?", "req": {"id": "r1"}, "session": {"id": "s1"}}

    (first,), (second,) = questions([flat]), questions([nested])

    assert first.aliases == second.aliases == (RawText("r1"),)
    assert first.user == RawText("u1")
    assert second.session == RawText("s1")


def test_calls_of_a_model_logged_as_they_are_sent_are_read() -> None:
    asked = {"messages": [{"role": "user", "content": "is it open?"}]}
    said = {"choices": [{"message": {"role": "assistant", "content": "yes"}}]}

    (apart,) = questions([{"id": "1", "request": asked, "response": said}])
    (together,) = questions([{"id": "1", **asked, **said}])

    for event in (apart, together):
        assert (event.question, event.answer) == (RawText("is it open?"), RawText("yes"))


def test_the_message_of_a_log_line_is_no_question() -> None:
    rows: list[Json] = [
        {"level": "INFO", "message": "started"},
        {"severity": "x", "text": "started"},
    ]

    assert questions(rows) == []


def test_chat_messages_give_question_and_history() -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "and c?"},
    ]
    for row in ({"messages": messages}, {"input": json.dumps({"messages": messages})}):
        (event,) = questions([row])
        assert event.question == RawText("and c?")
        assert event.history == (RawTurn("user", RawText("a")), RawTurn("assistant", RawText("b")))


def test_a_question_repeated_at_the_end_of_its_history_is_not_history() -> None:
    (event,) = questions([{"question": "a", "history": [{"role": "user", "content": "a"}]}])

    assert event.history == ()


def test_bare_numbers_are_rejected_with_the_values_seen_and_the_way_out() -> None:
    rows: list[Json] = [{**DOWN, "rating": value} for value in (0, 1, 0)]

    assert votes(rows) == []
    reasons = set(rejected(rows).values())
    assert len(rejected(rows)) == 3
    assert len(reasons) == 1
    assert "(seen: 0, 1)" in reasons.pop()


def test_bare_numbers_mean_what_the_source_says() -> None:
    rows: list[Json] = [{**DOWN, "rating": value} for value in (1, 2, 3, 5)]

    assert [vote.rating for vote in votes(rows, replace(SOURCE, down=("<=2",), up=("5",)))] == [
        -1, -1, 0, 1,
    ]  # fmt: skip


def test_the_question_stands_where_its_vote_is_rejected() -> None:
    rows: list[Json] = [{**ASKED, "rating": 0}, {**ASKED, "request_id": "r2", "rating": "whatever"}]

    assert len(questions(rows)) == 2
    assert sorted(rejected(rows)) == [1, 2]


def test_a_true_thumbs_down_is_a_thumb_down() -> None:
    assert [vote.rating for vote in votes([{"request_id": "r1", "thumbs_down": True}])] == [-1]


def test_a_vote_about_nothing_is_rejected() -> None:
    assert "without the id" in rejected([{"rating": "down"}])[1]


def test_an_id_that_different_questions_share_is_no_id() -> None:
    rows: list[Json] = [{"run_id": "p1", "question": text} for text in "abc"]

    assert [event.source_id for event in questions(rows)] == [None] * 3


def test_votes_of_judges_and_annotators_are_kept_apart() -> None:
    rows: list[Json] = [{**DOWN, "feedback_source": who} for who in ("user", "admin", "eval")]

    assert [vote.by for vote in votes(rows)] == ["user", "annotator", "judge"]


def test_hostile_text_becomes_harmless() -> None:
    (event,) = questions(['{"question": "a\\u0000\\u001b[31m\\u202e\\ud83d", "answer": "\\u2028"}'])

    assert event.question == RawText("a\ufffd\ufffd[31m\ufffd\ufffd")


def test_a_log_of_ever_new_keys_is_read_on() -> None:
    rows: list[Json] = [
        {**ASKED, "request_id": f"r{n}", f"key{n}": {f"k{n}": n}} for n in range(6000)
    ]

    assert len(questions(rows)) == 6000


def test_a_template_takes_the_question_out_of_a_glued_prompt() -> None:
    source = replace(SOURCE, template=r"Question: (?P<question>.*?)\s*(Answer:|$)")
    rows: list[Json] = [
        {"question": "Context:\nkeys\n\nQuestion: may I keep it?\nAnswer:"},
        {"question": "no glue"},
    ]

    assert [event.question for event in questions(rows, source)] == [
        RawText("may I keep it?"),
        RawText("no glue"),
    ]


@pytest.mark.parametrize("template", ["(", "no group"])
def test_a_template_that_finds_nothing_is_refused(template: str) -> None:
    with pytest.raises(CurateError) as caught:
        stream([ASKED], replace(SOURCE, template=template))
    assert caught.value.code == Exit.USAGE


def test_a_table_of_one_column_is_read_where_its_name_is_told() -> None:
    log = b"frage\nis it open?\nand on sundays?\n"

    found = list(read(io.BytesIO(log), SourceSettings(map={"question": "frage"})))

    assert sum(isinstance(item, QuestionEvent) for item in found) == 2

"""Messages of conversations, one in each row, in any order."""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from curate.config import SourceSettings
from curate.ingest import traces
from curate.ingest.events import StreamItem
from curate.ingest.run import read
from curate.model.events import FeedbackEvent, QuestionEvent, RawText, Rejected
from curate.model.plain import Json


def items(rows: Sequence[Json]) -> list[StreamItem]:
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return list(read(io.BytesIO(data), SourceSettings(name="log")))


def asked(found: list[StreamItem]) -> dict[str, QuestionEvent]:
    return {q.question.reveal(): q for q in found if isinstance(q, QuestionEvent)}


def turns(question: QuestionEvent) -> list[str]:
    return [turn.content.reveal() for turn in question.history]


def reasons(found: list[StreamItem]) -> list[tuple[int, str]]:
    return [(item.line, item.reason) for item in found if isinstance(item, Rejected)]


def step(own: str, kind: str, text: str, second: int, parent: str | None = None) -> Json:
    return {
        "id": own,
        "type": kind,
        "threadId": "th-1",
        "parentId": parent,
        "output": text,
        "createdAt": f"2026-03-05T10:20:{second:02}.000Z",
    }


TWICE = (
    step("q1", "user_message", "how long is a loan?", 1),
    step("a1", "assistant_message", "7 days.", 2),
    step("q2", "user_message", "and if it breaks?", 3),
    step("a2", "assistant_message", "Tell us.", 4),
)


@pytest.mark.parametrize("rows", itertools.permutations(TWICE))
def test_a_table_in_any_order_has_the_same_answers(rows: tuple[Json, ...]) -> None:
    found = asked(items(rows))

    first, second = found["how long is a loan?"], found["and if it breaks?"]
    assert (first.answer, second.answer) == (RawText("7 days."), RawText("Tell us."))
    assert {RawText("q2"), RawText("a2")} == set(second.aliases)
    assert turns(first) == []
    assert turns(second) == ["how long is a loan?", "7 days."]


def test_an_answer_finds_its_question_through_a_step_that_comes_later() -> None:
    found = items(
        (
            step("q1", "user_message", "how long is a loan?", 1),
            step("a1", "assistant_message", "7 days.", 3, "r1"),
            step("r1", "run", "", 2, "q1"),
        )
    )

    assert asked(found)["how long is a loan?"].answer == RawText("7 days.")
    assert reasons(found) == []


def test_an_answer_finds_its_question_where_the_steps_between_are_missing() -> None:
    found = items((TWICE[0], step("a1", "assistant_message", "7 days.", 3, "r1"), *TWICE[2:]))

    assert asked(found)["how long is a loan?"].answer == RawText("7 days.")


def test_a_greeting_is_neither_an_answer_nor_history() -> None:
    found = items((step("g", "assistant_message", "Hello, I am the desk.", 0), *TWICE))

    assert turns(asked(found)["how long is a loan?"]) == []
    assert turns(asked(found)["and if it breaks?"]) == ["how long is a loan?", "7 days."]
    assert reasons(found) == []


def message(own: str, parent: str, text: str, second: int, *, user: bool, **more: object) -> Json:
    return {
        "messageId": own,
        "conversationId": "c1",
        "parentMessageId": parent,
        "isCreatedByUser": user,
        "text": text,
        "createdAt": {"$date": f"2026-03-05T10:20:{second:02}.000Z"},
        **more,
    }


ROOT = "00000000-0000-0000-0000-000000000000"
TREE = (
    message("q1", ROOT, "how long is a loan?", 1, user=True),
    message("a1", "q1", "7 days.", 2, user=False),
    message("a1b", "q1", "A week.", 3, user=False),
    message("q2", "a1b", "and if it breaks?", 4, user=True),
    message("a2", "q2", "Tell us.", 5, user=False),
    message("q2b", "a1b", "and if it is lost?", 6, user=True),
    message("q1b", ROOT, "how long may I keep it?", 7, user=True),
)


@pytest.mark.parametrize("step", [1, -1])
def test_the_history_of_an_edited_question_is_that_of_its_own_branch(step: int) -> None:
    found = asked(items(TREE[::step]))

    assert turns(found["and if it breaks?"]) == ["how long is a loan?", "A week."]
    assert turns(found["and if it is lost?"]) == ["how long is a loan?", "A week."]
    assert turns(found["how long may I keep it?"]) == []
    assert found["how long is a loan?"].answer == RawText("7 days.")


def test_of_several_answers_the_one_that_was_voted_down_counts() -> None:
    down = {"feedback": {"rating": "thumbsDown"}}

    found = asked(items((*TREE[:2], {**TREE[2], **down}, *TREE[3:])))

    assert found["how long is a loan?"].answer == RawText("A week.")


def test_an_answer_below_a_message_that_is_missing_is_not_given_to_another_question() -> None:
    found = items((TREE[0], message("a9", "q9", "Nobody.", 9, user=False)))

    assert asked(found)["how long is a loan?"].answer is None
    assert reasons(found) == [(2, "an answer without its question")]


def test_the_reason_of_a_vote_may_be_an_object_with_a_key() -> None:
    told = {"rating": "thumbsDown", "tag": {"key": "not_matched", "label": "x"}}

    found = items((TREE[0], {**TREE[1], "feedback": told}))

    (vote,) = (item for item in found if isinstance(item, FeedbackEvent))
    assert (vote.rating, vote.reason) == (-1, RawText("not_matched"))
    assert vote.at == datetime(2026, 3, 5, 10, 20, 2, tzinfo=UTC)  # that of the answer


def test_a_conversation_without_end_is_read_in_bounded_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(traces, "MOST_TURNS", 4)
    rows = [
        row
        for n in range(6)
        for row in (
            step(f"q{n}", "user_message", f"what about number {n}?", 2 * n),
            step(f"a{n}", "assistant_message", f"answer {n}", 2 * n + 1),
        )
    ]

    found = asked(items(rows))

    assert [q.answer for q in found.values()] == [RawText(f"answer {n}") for n in range(6)]

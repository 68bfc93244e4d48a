"""Chat messages and chunks in the shapes they are logged in."""

from __future__ import annotations

import json

import pytest

from curate.ingest.conversation import MAX_TURNS, answer_of, chat, history_of
from curate.model.events import RawText, RawTurn

USER = RawTurn("user", RawText("may I keep the key?"))
BOT = RawTurn("assistant", RawText("Yes."))
MESSAGES = [
    {"role": "system", "content": "Answer from the handbook."},
    {"role": "user", "content": "may I keep the key?"},
    {"role": "assistant", "content": "Yes."},
    {"role": "tool", "content": "[]"},
    {"role": "user", "content": [{"type": "text", "text": "and over night?"}]},
]


def test_the_last_user_message_is_the_question_and_what_came_before_is_history() -> None:
    found = chat(MESSAGES)

    assert found is not None
    assert found.question == RawText("and over night?")
    assert found.history == (USER, BOT)
    assert found.answer is None


@pytest.mark.parametrize(
    "value",
    [json.dumps(MESSAGES), {"messages": MESSAGES}, json.dumps({"messages": MESSAGES}), [MESSAGES]],
)
def test_messages_are_found_in_json_and_objects(value: object) -> None:
    found = chat(value)

    assert found is not None
    assert found.question == RawText("and over night?")


def test_a_message_after_the_last_question_is_its_answer() -> None:
    found = chat(MESSAGES[:3])

    assert found is not None
    assert (found.question, found.answer) == (USER.content, BOT.content)
    assert found.history == ()


def test_langchain_and_part_messages_are_read() -> None:
    constructor = {
        "id": ["langchain", "schema", "HumanMessage"],
        "kwargs": {"content": "a"},
        "lc": 1,
    }
    for message in (
        {"type": "human", "data": {"content": "a"}},
        {"type": "HumanMessage", "content": "a"},
        {**constructor, "type": "constructor"},
        {"role": "user", "parts": [{"type": "text", "content": "a"}]},
    ):
        found = chat([message])
        assert found is not None
        assert found.question == RawText("a")


def test_a_question_may_stand_beside_its_history() -> None:
    past = [["may I keep the key?", "Yes."]]
    for value in (
        {"input": "and over night?", "chat_history": past},
        {"inputs": {"question": "and over night?", "history": past}},
        {"kwargs": {"query": "and over night?", "history": past}, "args": []},
    ):
        found = chat(value)
        assert found is not None
        assert found.question == RawText("and over night?")
        assert found.history == (USER, BOT)
    arguments = chat({"args": ["and over night?"], "kwargs": {}})
    assert arguments is not None
    assert arguments.question == RawText("and over night?")


CONSTRUCTED = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "messages", "AIMessage"],
    "kwargs": {"content": "Yes.", "type": "ai"},
}


@pytest.mark.parametrize(
    "value",
    [
        "Yes.",
        json.dumps("Yes."),
        {"output": "Yes."},
        {"messages": MESSAGES[:3]},
        MESSAGES[1:3],
        {"generations": [[{"text": "Yes."}]]},
        {"generations": [[{"text": "", "message": CONSTRUCTED}]]},
        {"output": CONSTRUCTED},
        {"output": [{"type": "message", "content": [{"type": "output_text", "text": "Yes."}]}]},
        {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]},
        {"replies": ["Yes."]},
        {"role": "assistant", "content": "Yes."},
    ],
)
def test_an_answer_is_read_in_every_shape(value: object) -> None:
    assert answer_of(value) == RawText("Yes.")
    assert answer_of(json.dumps(value)) == RawText("Yes.")


def test_messages_may_be_pairs_of_role_and_text() -> None:
    found = chat(
        {"messages": [["system", "be brief"], ["human", "hi"], ["ai", "a"], ["user", "b"]]}
    )

    assert found is not None
    assert found.question == RawText("b")
    assert [turn.role for turn in found.history] == ["user", "assistant"]


@pytest.mark.parametrize("value", [[], {}, "text", None, [1], [{"role": "system", "content": "a"}]])
def test_without_a_user_there_is_no_chat(value: object) -> None:
    assert chat(value) is None


def test_history_is_messages_or_pairs() -> None:
    pairs = [["may I keep the key?", "Yes."]]
    objects = [{"question": "may I keep the key?", "answer": "Yes."}]
    tagged = [["human", "may I keep the key?"], ["ai", "Yes."]]
    for value in (MESSAGES[:3], pairs, objects, tagged, json.dumps(pairs)):
        assert history_of(value) == (USER, BOT)
    assert history_of("no history") == ()
    assert len(history_of(pairs * 100)) == MAX_TURNS

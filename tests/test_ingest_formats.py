"""Every format: recognised from its content, and read to the same question and the same vote.

The samples all tell of one question, its answer, two chunks and a thumb down.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from curate.config import SourceSettings
from curate.ingest import formats
from curate.ingest.events import Recognised, StreamItem
from curate.ingest.run import read
from curate.ingest.traces import Traces
from curate.model.errors import CurateError
from curate.model.events import FeedbackEvent, QuestionEvent, RawText, Rejected
from curate.model.plain import Json

DATA = Path(__file__).parent / "data" / "ingest"
QUESTION = "how do i open the bike shed?"
ANSWER = "Ask the porter for the code."
COMMENT = "the code is on the door"
SEARCHED = "What opens the bike shed?"
ASKED_AT = datetime(2026, 3, 5, 10, 20, 30, tzinfo=UTC)
FULL = (("sheds.md#2", "sheds.md", "Opening", 0.71), ("sheds.md#5", "sheds.md", "Codes", 0.44))


def ids(*without: str) -> tuple[tuple[object, ...], ...]:
    names = ("id", "source", "heading", "score")
    return tuple(
        tuple(None if name in without else value for name, value in zip(names, chunk, strict=True))
        for chunk in FULL
    )


ONLY_IDS = ids("source", "heading", "score")
NO_HEADING = ids("heading")
ID_AND_SCORE = ids("source", "heading")


@dataclass(frozen=True)
class Case:
    format: str
    files: tuple[str, ...]
    chunks: tuple[tuple[object, ...], ...] = ()
    searched: bool = False
    votes: tuple[tuple[int | None, str], ...] = ()
    comment: bool = True
    more: int = 0
    """How many other questions the files hold."""
    session: bool = True
    user: bool = True
    at: bool = True
    rejected: int = 0


DOWN = ((-1, "user"),)
CASES = [
    Case("langfuse", ("langfuse_ui.json",), votes=DOWN, comment=False),
    Case("langfuse", ("langfuse_ui.csv",), votes=DOWN, comment=False),
    Case("langfuse", ("langfuse_observations.jsonl", "langfuse_scores.jsonl"), FULL, True, DOWN),
    Case("langfuse", ("langfuse_traces.jsonl", "langfuse_observations.jsonl"), FULL, True),
    Case(
        "langfuse",
        ("langfuse_api_scores.json", "langfuse_api_observations.json"),
        votes=((-1, "user"), (-1, "annotator")),
    ),
    Case(
        "langsmith",
        ("langsmith_runs.jsonl", "langsmith_feedback.jsonl"),
        FULL,
        True,
        ((-1, "user"), (-1, "user")),
    ),
    Case(
        "otlp",
        ("otlp_genai_children.jsonl", "otlp_genai_feedback.jsonl", "otlp_genai_root.jsonl"),
        ID_AND_SCORE,
        True,
        DOWN,
    ),
    Case("otlp", ("otlp_openinference.jsonl",), FULL, True, DOWN),
    Case("otlp", ("otlp_openllmetry.jsonl",)),
    Case("otlp", ("otlp_vercel_ai.jsonl",)),
    Case("otlp", ("otlp_old_events.jsonl",)),
    Case("phoenix", ("phoenix_spans.jsonl", "phoenix_annotations.jsonl"), FULL, True, DOWN),
    Case("phoenix", ("phoenix_spans.csv",), FULL, True),
    Case("phoenix", ("phoenix_rest.json",), FULL, True),
    Case("openwebui", ("openwebui_chats.json",), FULL, votes=DOWN, more=1),
    Case("openwebui", ("openwebui_chat_rows.jsonl",), FULL, votes=DOWN, more=1),
    Case(
        "openwebui",
        ("openwebui_chats.json", "openwebui_feedbacks.csv"),
        FULL,
        votes=DOWN * 2,
        more=1,
    ),
    Case("mlflow", ("mlflow_traces.jsonl",), FULL, True, DOWN),
    Case("mlflow", ("mlflow_search.jsonl",), FULL, True, DOWN),
    Case(
        "dify-messages",
        ("dify_api.json",),
        NO_HEADING,
        votes=DOWN,
        comment=False,
        more=1,
        user=False,
    ),
    Case(
        "dify-messages",
        ("dify_messages.jsonl", "dify_feedbacks.jsonl"),
        NO_HEADING,
        votes=((-1, "user"), (1, "annotator")),
    ),
    Case("dify-export", ("dify_export.json",), votes=DOWN),
    Case("dify-export", ("dify_export.csv",), votes=DOWN),
    Case("helicone", ("helicone.jsonl",), votes=DOWN, comment=False, more=1),
    Case("turns", ("turns.jsonl",), FULL, votes=DOWN),
    Case("librechat", ("librechat.jsonl",), NO_HEADING, votes=DOWN),
    Case("ragflow", ("ragflow.jsonl",), NO_HEADING, votes=DOWN, more=1),
    Case(
        "chainlit-steps",
        ("chainlit_steps.jsonl", "chainlit_feedbacks.jsonl"),
        FULL,
        votes=DOWN,
        user=False,
    ),
    Case(
        "chainlit-steps",
        ("chainlit_steps.jsonl", "chainlit_feedback_new.jsonl"),
        FULL,
        votes=DOWN,
        user=False,
    ),
    Case("streamlit", ("streamlit.jsonl",), votes=((-1, "user"), (1, "user")), more=1, user=False),
    Case(
        "vercel-messages",
        ("vercel_messages.jsonl", "vercel_votes.jsonl"),
        FULL,
        votes=DOWN,
        comment=False,
        user=False,
    ),
    Case("llamaindex", ("llamaindex.jsonl",), FULL, True),
    Case("haystack", ("haystack.jsonl",), FULL, session=False, user=False, at=False),
    Case("generic", ("elastic.ndjson",), ONLY_IDS, votes=DOWN),
    Case("generic", ("elastic_search.json",), ONLY_IDS, votes=DOWN),
    Case("generic", ("cloudwatch.json",), ONLY_IDS, votes=DOWN),
    Case("generic", ("cloudwatch_insights.csv",), ONLY_IDS, votes=DOWN),
    Case("generic", ("cloudwatch_s3.gz",), ONLY_IDS, votes=DOWN),
]


def items(files: tuple[str, ...], source: SourceSettings) -> list[StreamItem]:
    traces = Traces()
    found = [item for name in files for item in read(DATA / name, source, name, traces)]
    return [*found, *traces.finish()]


def shown(text: RawText | None) -> str | None:
    return text.reveal() if text else None


@pytest.mark.parametrize("case", CASES, ids=lambda case: "+".join(case.files))
def test_a_format_is_recognised_and_read(case: Case) -> None:
    found = items(case.files, SourceSettings(name="s"))

    recognised = [item for item in found if isinstance(item, Recognised)]
    assert case.format in {item.format for item in recognised}
    assert not [item for item in found if isinstance(item, Rejected)]
    asked = [item for item in found if isinstance(item, QuestionEvent)]
    event = next(item for item in asked if shown(item.question) == QUESTION)
    assert len(asked) == 1 + case.more
    assert shown(event.answer) == ANSWER
    assert (event.session is not None) == case.session
    assert shown(event.user) == ("u-7" if case.user else None)
    assert (event.at.replace(microsecond=0) if event.at else None) == (
        ASKED_AT if case.at else None
    )
    assert shown(event.standalone) == (SEARCHED if case.searched else None)
    assert case.chunks == tuple(
        (shown(chunk.id), shown(chunk.source), shown(chunk.heading), chunk.score)
        for chunk in event.chunks
    )
    votes = [item for item in found if isinstance(item, FeedbackEvent)]
    assert [(vote.rating, vote.by) for vote in votes] == list(case.votes)
    for vote in votes[:1]:
        if vote.targets:
            assert set(vote.targets) & set(event.aliases)
    comments = {shown(vote.comment) for vote in votes} - {None}
    assert comments == ({COMMENT} if case.comment and votes else set())


@pytest.mark.parametrize("case", CASES, ids=lambda case: "+".join(case.files))
def test_a_format_may_be_forced(case: Case) -> None:
    name = case.files[0]
    (first,) = [i for i in read(DATA / name) if isinstance(i, Recognised) and not i.grown]

    forced = list(read(DATA / name, SourceSettings(name="log", format=first.format)))

    assert [i for i in forced if isinstance(i, QuestionEvent)] == [
        i for i in read(DATA / name) if isinstance(i, QuestionEvent)
    ]


def test_every_format_has_a_sample() -> None:
    tested = {
        item.format
        for path in DATA.iterdir()
        for item in read(path)
        if isinstance(item, Recognised)
    }

    assert tested == set(formats.names()) - {"auto", "jsonl", "csv"}


def test_the_history_of_a_chat_is_what_came_before() -> None:
    for name in ("openwebui_chats.json", "openwebui_feedbacks.json", "ragflow.jsonl"):
        event = next(
            item
            for item in read(DATA / name)
            if isinstance(item, QuestionEvent) and shown(item.question) == QUESTION
        )
        assert [(turn.role, shown(turn.content)) for turn in event.history] == [
            ("user", "is there a bike shed?"),
            ("assistant", "Yes."),
        ]


def test_both_exports_of_open_webui_tell_of_one_question_and_one_vote() -> None:
    found = [
        item
        for name in ("openwebui_chats.json", "openwebui_feedbacks.json", "openwebui_feedbacks.csv")
        for item in read(DATA / name)
    ]
    asked = [i for i in found if isinstance(i, QuestionEvent) and shown(i.question) == QUESTION]
    votes = [i for i in found if isinstance(i, FeedbackEvent)]

    assert {shown(event.source_id) for event in asked} == {"c-1-m-3"}
    assert {shown(vote.source_id) for vote in votes} == {"fb-1"}
    assert [vote.summary for vote in votes] == [True, False, True]


def test_a_score_and_its_column_in_the_traces_table_are_one_vote() -> None:
    votes = [
        item
        for name in ("langfuse_ui.json", "langfuse_scores.jsonl")
        for item in read(DATA / name)
        if isinstance(item, FeedbackEvent)
    ]

    assert len({vote.source_id for vote in votes}) == 1
    assert [vote.summary for vote in votes] == [True, False]


def test_a_scale_that_is_told_goes_before_the_format_s_own() -> None:
    source = SourceSettings(name="s", down=("1",), up=("0",))

    votes = [
        i for i in read(DATA / "chainlit_feedbacks.jsonl", source) if isinstance(i, FeedbackEvent)
    ]

    assert [vote.rating for vote in votes] == [1]


def test_a_map_that_is_told_makes_a_log_generic() -> None:
    source = SourceSettings(name="s", map={"question": "input"})

    first = next(iter(read(DATA / "langfuse_ui.json", source)))

    assert isinstance(first, Recognised)
    assert first.format == "generic"


@pytest.mark.parametrize(
    "keys",
    [
        '"id": "7", "conversation_id": "c", "query": "Q", "response": "A", "vote": "down"',
        '"messageId": "7", "conversationId": "c", "question": "Q", "answer": "A", "vote": "down"',
        '"request_id": "7", "request_path": "/ask", "query": "Q", "reply": "A", "vote": "down"',
        '"context": {"trace_id": "7"}, "question": "Q", "answer": "A", "rating": "down"',
        '"type": "qa", "trace_id": "7", "start_time": 1, "prompt": "Q", "output": "A",'
        ' "rating": "down"',
        '"id": "7", "timestamp": 1, "project_id": "p", "name": "n", "user_query": "Q",'
        ' "output": "A", "vote": "down"',
        '"id": "7", "type": "qa", "threadId": "t", "createdAt": 1, "question": "Q",'
        ' "output": "A", "thumbs": "down"',
        '"chat_id": "7", "model_id": "m", "question": "Q", "answer": "A", "rating": "down"',
        '"id": "7", "type": "rating", "data": {"n": 1}, "prompt": "Q", "reply": "A",'
        ' "rating": "down"',
        '"run_id": "7", "key": "k", "score": "down", "question": "Q", "answer": "A"',
        '"operation_name": "ask", "tags": {"env": "x"}, "trace_id": "7", "question": "Q",'
        ' "answer": "A", "vote": "down"',
        '"trace_id": "7", "request_metadata": {}, "question": "Q", "answer": "A", "vote": "down"',
    ],
    ids=lambda keys: keys[:30],
)
def test_an_application_s_own_log_is_taken_for_no_other_format(keys: str) -> None:
    data = "\n".join("{" + keys.replace("7", str(n)) + "}" for n in range(3))

    found = list(read(io.BytesIO(data.encode())))

    [recognised] = [item for item in found if isinstance(item, Recognised)]
    assert recognised.format == "generic"
    asked = [item for item in found if isinstance(item, QuestionEvent)]
    assert [(shown(event.question), shown(event.answer)) for event in asked] == [("Q", "A")] * 3
    votes = [item for item in found if isinstance(item, FeedbackEvent)]
    assert [vote.rating for vote in votes] == [-1] * 3


def test_steps_of_chainlit_that_say_nothing_are_passed_over() -> None:
    row = {"id": "s1", "threadId": "t", "createdAt": "2026-03-05T10:20:30Z", "parentId": None}
    rows = [
        {**row, "type": "user_message", "output": "Q"},
        {**row, "id": "s2", "type": "run", "output": "on_message", "parentId": "s1"},
        {**row, "id": "s3", "type": "llm", "output": "A draft", "parentId": "s2"},
        {**row, "id": "s4", "type": "assistant_message", "output": "A", "parentId": "s2"},
    ]

    found = list(read(io.BytesIO("\n".join(map(json.dumps, rows)).encode())))

    assert not [item for item in found if isinstance(item, Rejected)]
    [event] = [item for item in found if isinstance(item, QuestionEvent)]
    assert (shown(event.question), shown(event.answer)) == ("Q", "A")


def test_a_misspelt_format_is_refused_with_the_nearest() -> None:
    with pytest.raises(CurateError) as caught:
        list(read(DATA / "helicone.jsonl", replace(SourceSettings(name="s"), format="langfus")))
    assert "langfuse" in caught.value.hint


def test_of_answers_of_open_webui_the_one_that_was_voted_down_counts() -> None:
    def said(own: str, parent: str | None, role: str, **more: object) -> Json:
        return {"id": own, "parentId": parent, "role": role, "content": f"{own}?", **more}

    messages = {
        "m1": said("m1", None, "user"),
        "m2": said("m2", "m1", "assistant", annotation={"rating": -1}, feedbackId="f1"),
        "m3": said("m3", "m1", "assistant", annotation={"rating": 1}, feedbackId="f2"),
    }
    chat = {"id": "c1", "user_id": "u1", "chat": {"history": {"messages": messages}}}
    rows = [
        {
            "id": name,
            "type": "rating",
            "data": {"rating": rating},
            "meta": {"chat_id": "c1", "message_id": answer},
            "snapshot": {"chat": chat},
        }
        for name, answer, rating in (("f1", "m2", -1), ("f2", "m3", 1))
    ]

    for log in ([chat], rows):
        found = list(read(io.BytesIO(json.dumps(log).encode())))
        assert {i.answer for i in found if isinstance(i, QuestionEvent)} == {RawText("m2?")}


def test_a_row_that_is_nothing_to_a_format_is_rejected() -> None:
    strange = b'{"request_id": "r1", "level": "info"}\n'
    spans = (DATA / "otlp_openinference.jsonl").read_bytes()

    mixed = list(read(io.BytesIO(spans + strange)))
    forced = list(read(io.BytesIO(strange), SourceSettings(format="otlp")))

    for found in (mixed, forced):
        reasons = [item.reason for item in found if isinstance(item, Rejected)]
        assert reasons == ["not a record of the format otlp"]


def test_a_question_without_its_text_is_rejected() -> None:
    trace = {"info": {"trace_id": "tr-1", "trace_metadata": {}, "assessments": []}, "data": {}}

    found = list(read(io.BytesIO(json.dumps(trace).encode())))

    assert [i.reason for i in found if isinstance(i, Rejected)] == ["a question without its text"]
    assert not [i for i in found if isinstance(i, QuestionEvent)]


def test_the_steps_of_llamaindex_and_haystack_are_neither_questions_nor_rejected() -> None:
    asked = {"class_name": "QueryEndEvent", "span_id": "q-1", "query": "why?", "response": "So."}
    again = {**asked, "class_name": "SynthesizeEndEvent", "span_id": "s-1"}
    step = {"class_name": "LLMChatEndEvent", "span_id": "l-1", "response": "So."}
    run = {
        "operation_name": "haystack.pipeline.run",
        "tags": {"haystack.pipeline.input_data": json.dumps({"retriever": {"query": "why?"}})},
    }
    part = {"operation_name": "haystack.component.run", "tags": {"haystack.component.name": "llm"}}

    for rows in ([again, step, asked, step], [part, run]):
        log = "".join(json.dumps(row) + "\n" for row in rows).encode()
        found = list(read(io.BytesIO(log)))
        assert [i.question for i in found if isinstance(i, QuestionEvent)] == [RawText("why?")]
        assert not [i for i in found if isinstance(i, Rejected)]


@pytest.mark.parametrize("step", [1, -1])
def test_two_runs_of_haystack_with_the_same_words_are_two_questions(step: int) -> None:
    rows = []
    for source in ("a.md", "b.md"):
        found = {"documents": [{"id": source, "content": "x", "meta": {"source": source}}]}
        rows += [
            {
                "operation_name": "haystack.component.run",
                "tags": {
                    "haystack.component.name": "retriever",
                    "haystack.component.input": json.dumps({"query": "why?"}),
                    "haystack.component.output": json.dumps(found),
                },
            },
            {
                "operation_name": "haystack.pipeline.run",
                "tags": {
                    "haystack.pipeline.input_data": json.dumps({"retriever": {"query": "why?"}})
                },
            },
        ]

    log = "".join(json.dumps(row) + "\n" for row in rows[::step]).encode()
    items = [i for i in read(io.BytesIO(log)) if not isinstance(i, Recognised)]

    chunks = [i.chunks[0].source for i in items if isinstance(i, QuestionEvent)]
    assert chunks == [RawText("a.md"), RawText("b.md")][::step]
    assert not [i for i in items if isinstance(i, Rejected)]

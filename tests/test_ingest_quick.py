"""The short way says what the long way says, or nothing."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curate.config import SourceSettings
from curate.ingest import run
from curate.ingest.quick import Quick
from curate.ingest.run import read
from curate.model.events import FeedbackEvent, QuestionEvent, Rejected
from curate.model.plain import Json

USUAL: Json = {
    "ts": "2026-03-05T10:20:30.250Z",
    "request_id": "r1",
    "session_id": "s1",
    "user": "u1",
    "question": "is it open?",
    "answer": "yes",
    "chunks": [{"id": "k1", "source": "a.md", "score": 0.5}],
    "latency_ms": 12,
}


def events(
    rows: list[Json], monkeypatch: pytest.MonkeyPatch, *, quick: bool
) -> list[QuestionEvent | FeedbackEvent | Rejected]:
    data = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    with monkeypatch.context() as patched:
        if not quick:
            patched.setattr(Quick, "read", lambda *_: None)
        return [
            item
            for item in read(io.BytesIO(data), SourceSettings(name="f"), "f")
            if isinstance(item, QuestionEvent | FeedbackEvent | Rejected)
        ]


def counted(rows: list[Json], monkeypatch: pytest.MonkeyPatch) -> int:
    taken = 0
    real = Quick.read

    def watched(self: Quick, row: Json, place: Any) -> QuestionEvent | None:
        nonlocal taken
        found = real(self, row, place)
        taken += found is not None
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Quick, "read", watched)
        events(rows, monkeypatch, quick=True)
    return taken


def test_usual_lines_are_read_the_short_way_but_for_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [{**USUAL, "request_id": f"r{n}"} for n in range(50)]

    assert counted(rows, monkeypatch) == 49
    quick = events(rows, monkeypatch, quick=True)
    assert quick == events(rows, monkeypatch, quick=False)
    assert all(type(event) is QuestionEvent for event in quick)
    with pytest.raises(AttributeError):
        quick[-1].line = 3  # type: ignore[misc]


def odd() -> Iterator[Json]:
    yield {"question": '{"question": "nested?"}'}
    yield {"question": ["a"]}
    yield {"question": " spaced? "}
    yield {"question": ""}
    yield {"question": None}
    yield {"question": "q" * 40_000}
    yield {"answer": '[{"role": "assistant", "content": "no"}]'}
    yield {"answer": {"text": "no"}}
    yield {"answer": ""}
    yield {"answer": 5}
    yield {"request_id": 7}
    yield {"request_id": 2**70}
    yield {"request_id": ""}
    yield {"request_id": "x" * 600}
    yield {"request_id": None, "ts": None}
    yield {"ts": 1_772_704_800}
    yield {"ts": "yesterday"}
    yield {"ts": "2026-03-05T10:20:30.123456789Z"}
    yield {"ts": "2026-03-05T10:20:30+07:00"}
    yield {"session_id": 3}
    yield {"session_id": " "}
    yield {"user": {"$oid": "abc"}}
    yield {"user": " u1 "}
    yield {"chunks": "k1, k2"}
    yield {"chunks": None}
    yield {"latency_ms": "12.5"}
    yield {"latency_ms": -1}
    yield {"rating": "down"}
    yield {"message": '{"question": "wrapped?"}'}
    yield {"history": [{"role": "user", "content": "before?"}]}
    yield {"usage": {"prompt_tokens": 3}}
    yield {"question": "\u202ereversed \u0000"}


@pytest.mark.parametrize("change", odd(), ids=lambda change: json.dumps(change)[:40])
def test_odd_lines_come_to_the_same_either_way(
    change: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [USUAL, USUAL | {"request_id": "r2"}, USUAL | change, USUAL | change, USUAL]

    quick = events(rows, monkeypatch, quick=True)

    assert quick == events(rows, monkeypatch, quick=False)


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8),
    st.sampled_from(["a", " b ", '"c"', "[]", "{}", "0", "2026-03-05", "2026-03-05T10:00:00"]),
    st.lists(st.text(max_size=3), max_size=2),
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.fixed_dictionaries(dict.fromkeys(USUAL, VALUES)), min_size=2, max_size=6))
def test_any_lines_come_to_the_same_either_way(rows: list[Json]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        usual: list[Json] = [USUAL, USUAL]
        quick = events([*usual, *rows], monkeypatch, quick=True)
        assert quick == events([*usual, *rows], monkeypatch, quick=False)


def test_a_template_is_not_passed_by(monkeypatch: pytest.MonkeyPatch) -> None:
    data = "\n".join(json.dumps(USUAL | {"question": f"Q: open {n}? A:"}) for n in range(5))
    source = SourceSettings(name="f", template="Q: (.*) A:")

    found = [i for i in run.read(io.BytesIO(data.encode()), source) if isinstance(i, QuestionEvent)]

    assert [event.question.reveal() for event in found] == [f"open {n}?" for n in range(5)]

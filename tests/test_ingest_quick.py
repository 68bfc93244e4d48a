"""The short way says what the long way says, or nothing."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curate.config import SourceSettings
from curate.ingest import run
from curate.ingest.quick import Quick, Reader
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


def read_lines(
    data: bytes,
    monkeypatch: pytest.MonkeyPatch,
    *,
    quick: bool,
    source: SourceSettings | None = None,
) -> list[QuestionEvent | FeedbackEvent | Rejected]:
    with monkeypatch.context() as patched:
        if not quick:
            patched.setattr(Quick, "reader", lambda *_: lambda *_: None)
        return [
            item
            for item in read(io.BytesIO(data), source or SourceSettings(name="f"), "f")
            if isinstance(item, QuestionEvent | FeedbackEvent | Rejected)
        ]


def events(
    rows: list[Json], monkeypatch: pytest.MonkeyPatch, *, quick: bool
) -> list[QuestionEvent | FeedbackEvent | Rejected]:
    data = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    return read_lines(data, monkeypatch, quick=quick)


def counted(rows: list[Json], monkeypatch: pytest.MonkeyPatch) -> int:
    taken = 0
    real = Quick.reader

    def watched(self: Quick, source: str) -> Reader:
        reader = real(self, source)

        def read(line: bytes, number: int) -> QuestionEvent | None:
            nonlocal taken
            found = reader(line, number)
            taken += found is not None
            return found

        return read

    with monkeypatch.context() as patched:
        patched.setattr(Quick, "reader", watched)
        events(rows, monkeypatch, quick=True)
    return taken


HEAD = 200
"""How many rows are read before the format is known; they go the long way."""


def test_usual_lines_are_read_the_short_way_once_the_format_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [{**USUAL, "request_id": f"r{n}"} for n in range(HEAD + 50)]

    assert counted(rows, monkeypatch) == 50
    quick = events(rows, monkeypatch, quick=True)
    assert quick == events(rows, monkeypatch, quick=False)
    assert all(type(event) is QuestionEvent for event in quick)
    with pytest.raises(AttributeError):
        quick[-1].line = 3  # type: ignore[misc]


USUAL_HEAD = [USUAL | {"answer": "x" * 2**20}]
"""A row of a MiB, after which the format is known, too."""


@pytest.mark.parametrize(
    "change",
    [
        {"request_id": 7, "session_id": 8, "user": 9},
        {"request_id": None, "session_id": None, "user": None, "answer": None},
        {"ts": None},
        {"question": "បើកម៉ោងប៉ុន្មាន?", "answer": "“ja” – 8:00…"},
        {"answer": 'first line\n\tsecond "line" \\'},
        {"answer": ""},
        {"chunks": []},
        {"chunks": None},
        {"chunks": [{"source": "a.md"}, {"id": "k2", "score": 1}]},
        {"ts": "2026-03-05T10:20:30+07:00"},
        {"latency_ms": "12.5"},
    ],
    ids=lambda change: json.dumps(change)[:40],
)
def test_small_differences_stay_on_the_short_way(
    change: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [*USUAL_HEAD, USUAL | change, USUAL]

    assert counted(rows, monkeypatch) == 2
    assert events(rows, monkeypatch, quick=True) == events(rows, monkeypatch, quick=False)


def test_lines_without_id_and_time_go_the_long_way_which_counts_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [*USUAL_HEAD, *[USUAL | {"request_id": None, "ts": None}] * 2]

    assert counted(rows, monkeypatch) == 0
    assert events(rows, monkeypatch, quick=True) == events(rows, monkeypatch, quick=False)


def test_lines_of_several_shapes_are_read_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = {"request_id": "r", "question": "and on sundays?"}
    listed = USUAL | {"user_id": "u", "chunks": ["k1", "k2"]}
    tokens = bare | {"prompt_tokens": 7, "completion_tokens": 2}
    shapes = [USUAL, bare, listed, tokens]
    rows = [shapes[n % 4] for n in range(HEAD + 40)]

    assert counted(rows, monkeypatch) == 40
    assert events(rows, monkeypatch, quick=True) == events(rows, monkeypatch, quick=False)


def test_chunks_that_turn_out_otherwise_are_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    empty, flat = USUAL | {"chunks": []}, USUAL
    wider = USUAL | {"chunks": [{"id": "k", "heading": "Pumps", "page": {"no": 4}}]}
    nested = USUAL | {"chunks": [{"metadata": {"source": "a.md"}}]}
    rows = [*[empty] * HEAD, flat, flat, wider, wider, flat, nested, nested, wider, flat]

    assert counted(rows, monkeypatch) == 6
    assert events(rows, monkeypatch, quick=True) == events(rows, monkeypatch, quick=False)


@pytest.mark.parametrize(
    "line",
    [
        b'{"question": "a\\u202eb?", "request_id": "r"}',
        b'{"question": "a\xe2\x80\xaeb?", "request_id": "r"}',
        b'{"question": "a\xc2\x85b?", "request_id": "r"}',
        b'{"question": "a\x7fb?", "request_id": "r"}',
        b'{"question": "a\x01b?", "request_id": "r"}',
        b'{"question": "a\xffb?", "request_id": "r"}',
        b'{"question": "a\xed\xa0\xbdb?", "request_id": "r"}',
        b'{"question": "a?", "question": "b?", "request_id": "r"}',
        b'{"request_id": "r", "question": "b?"}',
        b'{"question": "a?", "request_id": ' + b"7" * 5_000 + b"}",
        b'{"question": "a?", "request_id": 1e400}',
        b'{"question": "a?", "request_id": NaN}',
        b'{"question": "a?", "request_id": ' + b"[" * 100_000 + b"}",
        b'{"question": "a?", "request_id": "r"} {}',
        b'{"question": "a?"',
        b"[]",
        b"plain text",
        b'  {"question": "a?", "request_id": "r"}  ',
        b'{"question": "\xe1\x9e\x80\xe2\x80\x8b?", "request_id": "r"}',
    ],
    ids=lambda line: repr(line[:40]),
)
def test_hostile_lines_come_to_the_same_either_way(
    line: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = b'{"question": "is it open?", "request_id": "r"}\n'
    data = usual * HEAD + line + b"\n" + usual

    assert read_lines(data, monkeypatch, quick=True) == read_lines(data, monkeypatch, quick=False)


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
    yield {"chunks": [{"id": None, "chunk_id": "k1", "source": "a.md"}]}
    yield {"chunks": [{"id": " k1 ", "source": "a.md\t"}, {"id": "", "source": '"a"'}]}
    yield {"chunks": [{"id": 7, "source": ["a.md"], "score": "0.5"}]}
    yield {"chunks": [{"id": "k1", "source": "a.md", "score": None}, "k2", None]}
    yield {"chunks": [{"text": {"deep": "x"}, "source": "s" * 600}]}
    yield {"message_id": "r1", "trace_id": "t1"}
    yield {"message_id": " r1"}
    yield {"events": [{"question": "in a page?"}]}
    yield {"data": "x"}
    yield {"ts": "20260305"}
    yield {"ts": "20260305T102030Z"}
    yield {"ts": "1772704800"}
    yield {"ts": " 2026-03-05T10:20:30Z"}
    yield {'k"ey': "x", "\n": "y", "ក": "z"}
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
    rows = [*USUAL_HEAD, USUAL | {"request_id": "r2"}, USUAL | change, USUAL | change, USUAL]

    quick = events(rows, monkeypatch, quick=True)

    assert quick == events(rows, monkeypatch, quick=False)


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8),
    st.sampled_from(["a", " b ", '"c"', "[]", "{}", "0", "2026-03-05", "2026-03-05T10:00:00"]),
    st.lists(st.text(max_size=3), max_size=2),
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(st.fixed_dictionaries(dict.fromkeys(USUAL, VALUES)), min_size=2, max_size=12))
def test_any_lines_come_to_the_same_either_way(rows: list[Json]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        usual: list[Json] = [*USUAL_HEAD, USUAL]
        quick = events([*usual, *rows], monkeypatch, quick=True)
        assert quick == events([*usual, *rows], monkeypatch, quick=False)


def test_a_template_is_not_passed_by(monkeypatch: pytest.MonkeyPatch) -> None:
    count = HEAD + 5
    data = "\n".join(json.dumps(USUAL | {"question": f"Q: open {n}? A:"}) for n in range(count))
    source = SourceSettings(name="f", template="Q: (.*) A:")

    found = [i for i in run.read(io.BytesIO(data.encode()), source) if isinstance(i, QuestionEvent)]

    assert [event.question.reveal() for event in found] == [f"open {n}?" for n in range(count)]


@pytest.mark.parametrize("path", ["ref", "ref|k.ref", "k.ref"])
def test_told_names_in_chunks_are_read_the_short_way_too(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = SourceSettings(name="f", map={"chunk_id": path})
    chunk = {"ref": "r", "id": "usual", "source": "a.md"}
    rows = [{**USUAL, "chunks": [{**chunk, "ref": f"r{n % 7}"}]} for n in range(HEAD + 50)]
    rows += [{**USUAL, "chunks": [{**chunk, "k": {"ref": f"r{n}"}}]} for n in range(9)]
    data = "\n".join(map(json.dumps, rows)).encode()

    short = read_lines(data, monkeypatch, quick=True, source=source)

    assert short == read_lines(data, monkeypatch, quick=False, source=source)
    ids = {
        chunk.id for event in short if isinstance(event, QuestionEvent) for chunk in event.chunks
    }
    assert len(ids) > 7

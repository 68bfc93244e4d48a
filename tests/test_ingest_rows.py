"""Bytes as rows: lines, documents, tables."""

from __future__ import annotations

import gzip
import io
import json
import os

import pytest

from curate.ingest import reading
from curate.ingest.reading import Log
from curate.ingest.row import Row
from curate.ingest.rows import rows
from curate.model.events import Rejected
from curate.model.plain import Json


def read(data: bytes | str) -> list[Row | Rejected]:
    log = Log(io.BytesIO(data.encode() if isinstance(data, str) else data), "f")
    return [row for row in rows(log) if not isinstance(row, list)]


def values(data: bytes | str) -> list[Json]:
    found = read(data)
    assert all(isinstance(row, Row) for row in found)
    return [row.value for row in found if isinstance(row, Row)]


def rejected(data: bytes | str) -> dict[int, str]:
    return {row.line: row.reason for row in read(data) if isinstance(row, Rejected)}


def test_each_json_line_is_a_row_with_its_number() -> None:
    found = read('{"a": 1}\n\n  \n{"a": 2}')

    assert [(row.line, row.value) for row in found if isinstance(row, Row)] == [
        (1, {"a": 1}),
        (4, {"a": 2}),
    ]


@pytest.mark.parametrize(
    ("before", "at"),
    [
        ("INFO:app:", None),
        ("2026-03-05 10:20:30,250 INFO app - ", "2026-03-05 10:20:30,250"),
        ("2026-03-05T10:20:30Z ", "2026-03-05T10:20:30Z"),
        ("[pid 7] ", None),
    ],
)
def test_what_a_logger_writes_before_its_json_is_passed_over(before: str, at: str | None) -> None:
    found = values(f'{before}{{"a": 1, "b": {{"c": "x, y"}}}}\n{before}{{"a": 2}}\n')

    told = {"@timestamp": at} if at else {}
    assert found == [{**told, "a": 1, "b": {"c": "x, y"}}, {**told, "a": 2}]


def test_the_tail_of_a_line_that_was_cut_is_no_row() -> None:
    assert rejected('{"a": 1}\nef", "b": {"question": "why?"}}\n') == {2: "not JSON"}


def test_a_broken_line_is_named_and_the_others_are_read() -> None:
    found = read('{"a": 1}\nServer started\n{"a": \n[1]\n{"a": 2}\n')

    assert [row.line for row in found if isinstance(row, Row)] == [1, 5]
    assert [row.line for row in found if isinstance(row, Rejected)] == [2, 3, 4]
    assert "Server" not in repr(found)


def test_line_separators_inside_strings_do_not_split() -> None:
    text = "a\u2028b\u0085c"

    assert values(json.dumps({"q": text}, ensure_ascii=False)) == [{"q": text}]


def test_invalid_utf8_is_replaced_and_marked() -> None:
    (row,) = read(b'{"q": "caf\xe9"}\n')

    assert isinstance(row, Row)
    assert row.repaired
    assert row.value == {"q": "caf\ufffd"}


def test_lenient_json_is_read() -> None:
    data = b'{"q": "raw \x01 control", "n": NaN, "i": -Infinity, "s": "\\ud83d"}'

    assert values(data) == [{"q": "raw \x01 control", "n": None, "i": None, "s": "\ud83d"}]


def test_long_integers_keep_every_digit() -> None:
    assert values('{"id": 340282366920938463463374607431768211455}') == [
        {"id": 340282366920938463463374607431768211455}
    ]
    assert values('{"n": %s}' % ("7" * 5000)) == [{"n": "7" * 5000}]


def test_the_last_of_duplicate_keys_counts() -> None:
    assert values('{"a": 1, "a": 2}') == [{"a": 2}]


def test_deep_nesting_is_rejected_and_the_next_line_read() -> None:
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000

    found = read(deep + b'\n{"a": 2}\n')

    assert rejected(deep + b"\n") == {1: "nested too deep"}
    assert isinstance(found[1], Row)


def test_a_line_over_the_limit_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_LINE", 100)

    found = read('{"a": 1}\n{"b": "%s"}\n{"a": 2}\n' % ("x" * 200))

    assert [type(row) for row in found] == [Row, Rejected, Row]


def test_a_time_before_the_json_is_kept() -> None:
    assert values('2026-11-02T09:14:03.120Z {"question": "x"}\n') == [
        {"@timestamp": "2026-11-02T09:14:03.120Z", "question": "x"}
    ]


def test_an_array_is_streamed_with_the_number_of_each_record() -> None:
    found = read('[\n  {"a": 1.5},\n  7,\n  {"a": 2}\n]')

    assert [(r.line, getattr(r, "value", None)) for r in found] == [
        (1, {"a": 1.5}),
        (2, None),
        (3, {"a": 2}),
    ]


def test_an_array_may_hold_long_integers_nan_and_lone_surrogates() -> None:
    found = values(
        '[{"id": 123456789012345678901234, "n": NaN, "i": [-Infinity, 1.5]}, {"a": ": NaN"}]'
    )

    assert found == [{"id": 123456789012345678901234, "n": None, "i": [None, 1.5]}, {"a": ": NaN"}]
    assert values('[{"s": "\\ud83d"}]')[0]["s"].encode() == b"?"


def test_nan_is_found_wherever_the_bytes_are_cut() -> None:
    items = ", ".join('{"n": NaN}' for _ in range(200_000))

    assert values(f"[{items}]") == [{"n": None}] * 200_000


def test_a_deeply_nested_document_is_not_read_into_memory() -> None:
    for data in ("[" * 100_000, '[{"a":' + "[" * 100_000):
        assert "too deep" in rejected(data)[1]


def test_an_array_that_breaks_off_keeps_what_came_before() -> None:
    found = read('[{"a": 1}, {"a": 2}, {"a"')

    assert [type(row) for row in found] == [Row, Row, Rejected]


def test_a_record_over_the_limit_stops_an_array(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_LINE", 300_000)

    found = read('[{"a": 1}, {"b": "%s"}]' % ("x" * 900_000))

    assert isinstance(found[-1], Rejected)
    assert "16 MiB" in found[-1].reason


def test_invalid_utf8_in_an_array_is_repaired() -> None:
    found = read(b'[{"q": "caf\xe9"}]')

    assert isinstance(found[0], Row)
    assert found[0].value == {"q": "caf\ufffd"}
    assert found[0].repaired


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("key", ["data", "events", "feedback_data"])
def test_the_records_of_a_page_are_rows(key: str, indent: int | None) -> None:
    page = {"limit": 20, key: [{"a": 1}, {"a": 2}], "more": False}

    assert values(json.dumps(page, indent=indent)) == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("indent", [None, 2])
def test_the_hits_of_a_search_are_rows(indent: int | None) -> None:
    page = {"took": 3, "hits": {"total": 1, "hits": [{"_source": {"a": 1}}]}}

    assert values(json.dumps(page, indent=indent)) == [{"_source": {"a": 1}}]


def test_objects_printed_over_several_lines_are_rows() -> None:
    objects = [{"question": "a", "chunks": [{"id": "x"}]}, {"question": "b", "chunks": []}]

    assert values("\n".join(json.dumps(value, indent=2) for value in objects)) == objects


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_gives_known_names(delimiter: str) -> None:
    table = delimiter.join(("id", "question", "answer")) + "\r\n"
    table += delimiter.join(("1", '"a, b; c"', "yes")) + "\r\n"

    assert values(table) == [{"id": "1", "question": "a, b; c", "answer": "yes"}]


def test_the_delimiter_may_be_declared() -> None:
    assert values("sep=;\nquestion;answer\na, b;c\n") == [{"question": "a, b", "answer": "c"}]


def test_cells_may_hold_line_breaks_and_very_long_text() -> None:
    long = "x" * 200_000
    found = read(f'id,question\n1,"two\nlines"\n2,{long}\n')

    assert [(r.line, r.value["question"]) for r in found if isinstance(r, Row)] == [
        (2, "two\nlines"),
        (4, long),
    ]


def test_a_table_may_begin_with_a_byte_order_mark() -> None:
    assert values("\ufeffquestion,answer\na,b\n") == [{"question": "a", "answer": "b"}]


def test_a_table_may_be_windows_1252_or_utf16() -> None:
    text = "question;answer\r\nWo ist das Café?;“hier”\r\n"
    expected = [{"question": "Wo ist das Café?", "answer": "“hier”"}]

    assert values(text.encode("cp1252")) == expected
    assert values(text.encode("utf-16")) == expected


def test_one_bad_byte_in_a_utf8_table_is_repaired_and_not_another_encoding() -> None:
    found = read("question,answer\nខ្មែរ,é\nb".encode() + b"\xff,c\n")

    assert isinstance(found[1], Row)
    assert found[1].value["question"] == "b\ufffd"
    assert [row.repaired for row in found if isinstance(row, Row)] == [False, True]


def test_rows_with_too_many_cells_are_rejected_and_short_ones_read() -> None:
    found = read("question,answer\na,b,c\na\na,b,\n")

    assert [type(row) for row in found] == [Rejected, Row, Row]
    assert isinstance(found[1], Row)
    assert found[1].value == {"question": "a"}


@pytest.mark.parametrize("stray", ['1,"never closed', '1,"closed" twice"', '1,"a "word" b'])
def test_a_stray_quotation_mark_spoils_its_own_row_only(stray: str) -> None:
    found = read(f'id,question\n{stray}\n2,b\n3,"two\nlines"\n4,d\n')

    assert [row.line for row in found if isinstance(row, Rejected)] == [2]
    assert [(r.line, r.value["id"]) for r in found if isinstance(r, Row)] == [
        (3, "2"),
        (4, "3"),
        (6, "4"),
    ]


def test_quotation_marks_inside_a_cell_are_read() -> None:
    found = values('question,answer\na 5" screen,b\n"a "word" in quotes",b\n"a ""word""",b\n')

    assert [row["question"] for row in found] == ['a 5" screen', 'a word" in quotes"', 'a "word"']


def test_a_table_row_over_the_limit_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_LINE", 100)
    long = '"' + "line\n" * 50 + '"'

    found = read(f"id,question\n1,{long}\n")

    assert isinstance(found[0], Rejected)


def test_one_known_column_is_a_table_and_plain_text_is_not() -> None:
    assert values("question\nwhere is it?\n") == [{"question": "where is it?"}]
    assert sorted(rejected("hello\nworld\n")) == [1, 2]


def test_a_binary_file_is_rejected_in_one_line() -> None:
    assert list(rejected(bytes(range(256)) * 100)) == [1]


def test_an_empty_file_has_no_rows() -> None:
    assert read("") == []
    assert read("\n\n") == []


def test_a_row_never_shows_what_it_holds() -> None:
    assert "secret" not in repr(read('{"question": "secret"}'))


def test_a_dash_in_a_cell_is_no_value() -> None:
    assert values("question,rating\n-,down\nis it open?,-\n") == [
        {"rating": "down"},
        {"question": "is it open?"},
    ]


DAMAGED = "the compressed file is damaged or cut off"


def packed(name: str, data: bytes) -> bytes:
    from backports import zstd

    return gzip.compress(data) if name == "gzip" else zstd.compress(data)


@pytest.mark.parametrize("count", [3, 5_000])
@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_good_rows_before_damage_are_kept_and_the_damage_is_named(name: str, count: int) -> None:
    first, second = (
        packed(name, b"".join(b'{"a": "%s"}\n' % os.urandom(20).hex().encode() for _ in range(n)))
        for n in (count, count)
    )
    bad = (b"xy", b"junk at the end " * 9, second[:10], second[:20] + b"\xff" * 30 + second[50:])

    for rest in bad:
        found = read(first + rest)
        assert [type(row) for row in found[:count]] == [Row] * count
        [damage] = found[count:]
        assert isinstance(damage, Rejected)
        assert (damage.line, damage.reason) == (count + 1, DAMAGED)


def test_a_line_that_damage_cuts_is_counted_once() -> None:
    whole = gzip.compress(b'{"a": 1}\n{"a": 2}\n')

    for last, kept in ((b'{"a": 3}', 3), (b'{"a": ', 2)):
        found = read(whole + gzip.compress(last) + b"junk")
        assert [type(row) for row in found] == [Row] * kept + [Rejected]
        assert rejected(whole + gzip.compress(last) + b"junk") == {3: DAMAGED}


def test_rows_of_a_table_that_damage_cuts_are_not_taken_for_whole() -> None:
    table = gzip.compress(b"question,answer\nis it open?,yes\nand on sun") + b"junk"

    assert [row.value for row in read(table) if isinstance(row, Row)] == [
        {"question": "is it open?", "answer": "yes"}
    ]
    assert rejected(table) == {3: DAMAGED}


def test_damage_in_an_array_is_named() -> None:
    assert rejected(gzip.compress(b'[{"a": 1}, {"a":') + b"junk") == {2: DAMAGED}

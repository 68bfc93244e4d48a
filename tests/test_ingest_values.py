"""Texts, ids, times and numbers of a log."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from curate.ingest.values import MAX_TEXT, ident, moment, number, raw, text_of, whole_ms

EXPECTED = datetime(2026, 11, 2, 9, 14, 3, 120_000, UTC)


@pytest.mark.parametrize(
    "value",
    [
        1793610843.12,
        1793610843120,
        1793610843120000,
        1793610843120000000,
        "1793610843.12",
        "1793610843120000000",
        "1793610843120",
        "2026-11-02T09:14:03.120Z",
        "2026-11-02T09:14:03.120000000Z",
        "2026-11-02 09:14:03,120",
        "2026-11-02 09:14:03.120",
        "2026-11-02T16:14:03.120+07:00",
        "2026-11-02 16:14:03.120 +0700",
        "2026-11-02 09:14:03.120 UTC",
        "Nov 2, 2026 @ 09:14:03.120",
        {"$date": "2026-11-02T09:14:03.120Z"},
        {"$date": {"$numberLong": "1793610843120"}},
    ],
)
def test_a_time_is_read_in_every_form(value: object) -> None:
    assert moment(value) == EXPECTED


@pytest.mark.parametrize(
    "value", ["Mon, 02 Nov 2026 09:14:03 GMT", "02/Nov/2026:09:14:03 +0000", 1793610843]
)
def test_times_in_whole_seconds_are_read(value: object) -> None:
    assert moment(value) == EXPECTED.replace(microsecond=0)


def test_nanoseconds_lose_nothing_above_the_microsecond() -> None:
    assert moment("1793610843120456789") == EXPECTED.replace(microsecond=120_456)


@pytest.mark.parametrize(
    ("value", "year"), [(0, 1970), ("20261102", 2026), (4_294_967_295, 2106), ("2106-02-07", 2106)]
)
def test_far_years_are_read(value: object, year: int) -> None:
    found = moment(value)

    assert found is not None
    assert found.year == year


@pytest.mark.parametrize(
    "value",
    [
        None, True, "", "soon", "11/2/2026 09:14", "99999-01-01", -5, 1e300, float("nan"), 10**30,
        "9" * 5000, [], {"a": 1}, "0001-01-01T00:00:00+14:00",
    ],
)  # fmt: skip
def test_what_is_no_certain_time_is_none(value: object) -> None:
    assert moment(value) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ("123", "123"),
        ('"in json"', "in json"),
        ('{"question": "a"}', "a"),
        ({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image"}]}, "a"),
        ({"parts": [{"type": "text", "content": "a"}]}, "a"),
        (["a", {"text": "b"}], "a\nb"),
        ("{name} says", "{name} says"),
        ("[1]", "[1]"),
        ("[]", ""),
        (None, ""),
        (5, ""),
        ({"x": "y"}, ""),
    ],
)
def test_the_text_of_a_value(value: object, text: str) -> None:
    assert text_of(value) == text


def test_raw_text_is_sanitised_and_cut() -> None:
    text = raw("  a\x00\x1b\u202e\ud83d b  ")

    assert text is not None
    assert text.reveal() == "a\ufffd\ufffd\ufffd\ufffd b"
    assert raw(" \n ") is None
    cut = raw("x" * (MAX_TEXT + 1))
    assert cut is not None
    assert len(cut.reveal()) == MAX_TEXT


def test_ids_are_texts_and_integers() -> None:
    def shown(value: object) -> str | None:
        found = ident(value)
        return found.reveal() if found else None

    assert [shown(value) for value in ("a ", 7, 7.0, 2**100, {"$oid": "ab"})] == [
        "a", "7", "7", str(2**100), "ab",
    ]  # fmt: skip
    nothing: list[object] = [True, None, "", 1.5, [], {}]
    assert [shown(value) for value in nothing] == [None] * 6


def test_numbers_are_finite() -> None:
    assert number("0.5") == 0.5
    assert number(True) is None
    assert number("NaN") is None
    assert number(10**400) is None
    assert whole_ms(-1) is None
    assert whole_ms("12") == 12

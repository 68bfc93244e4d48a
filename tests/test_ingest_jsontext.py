"""JSON as logs hold it."""

from __future__ import annotations

import json

import pytest

from curate.ingest.jsontext import Broken, embedded, fast, lenient


def test_plain_json_is_read_fast_and_the_rest_refused() -> None:
    assert fast(b'{"a": [1, 2.5, null]}') == {"a": [1, 2.5, None]}
    for odd in (
        b"NaN",
        b'"\\ud83d"',
        b'{"id": 123456789012345678901}',
        b'{"a": {"id": 123456789012345678901}}',
        b'"\x01"',
        b"\xff",
    ):
        with pytest.raises(ValueError):  # noqa: PT011 - any of them
            fast(odd)


def test_broken_json_is_told_without_its_text() -> None:
    with pytest.raises(Broken) as caught:
        lenient("a secret")
    assert str(caught.value) == "not JSON"
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("layers", [0, 1, 2, 3])
def test_json_in_json_is_decoded_three_layers_deep(layers: int) -> None:
    value: object = {"question": "a"}
    for _ in range(layers):
        value = json.dumps(value)

    assert embedded(value) == {"question": "a"}


@pytest.mark.parametrize("text", ["123", "true", "null", "{name} is what?", '"quoted" what?', ""])
def test_text_that_is_no_object_stays_text(text: str) -> None:
    assert embedded(text) == text


def test_hostile_json_in_json_stays_text() -> None:
    deep = "[" * 100_000

    assert embedded(deep) == deep

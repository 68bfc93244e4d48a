"""JSON as logs really hold it: quick when it is well-formed, lenient when it is not."""

from __future__ import annotations

import json
import re

import orjson

_LONG_NUMBER = re.compile(rb"[0-9]{20}")
_LAYERS = 3
_LONGEST_INT = 300


class Broken(Exception):
    """This is not JSON; the message says why, in words."""


def fast(data: bytes) -> object:
    """Parse plain, valid JSON. Raises `ValueError` for everything `lenient` is there for."""
    if _LONG_NUMBER.search(data):
        raise ValueError  # orjson would round an integer of more than 64 bits, and ids are such
    return orjson.loads(data)


def lenient(text: str) -> object:
    """Parse JSON with raw control characters, NaN and Infinity (read as null), lone surrogates,
    and integers of any length (absurd ones stay as text). Raises `Broken`.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise Broken("nested too deep") from None
    except ValueError:
        raise Broken("not JSON") from None


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _LONGEST_INT else digits


def _constant(_: str) -> None:
    return None


_DECODER = json.JSONDecoder(strict=False, parse_constant=_constant, parse_int=_integer)


def embedded(value: object) -> object:
    """Return what JSON-in-JSON holds: a string that starts with `{`, `[` or `"` is decoded, three
    layers deep at most. Anything else, `"123"` too, stays what it is.
    """
    for _ in range(_LAYERS):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            return value
        try:
            value = orjson.loads(value)
        except ValueError:
            try:
                value = lenient(str(value))
            except Broken:
                return value
    return value

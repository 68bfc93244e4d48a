"""JSON as logs really hold it: quick when it is well-formed, lenient when it is not."""

from __future__ import annotations

import json

import orjson

from curate.model.plain import Json

_ROUNDED = 2.0**64
_LAYERS = 3
_LONGEST_INT = 300


class Broken(Exception):
    """This is not JSON; the message says why, in words."""


def fast(data: bytes) -> object:
    """Parse plain, valid JSON. Raises `ValueError` for everything `lenient` is there for: also
    for an object with a number too great for 64 bits in it, or one level down, which may be an id.
    """
    value = orjson.loads(data)  # which rounds such an integer to a float
    if type(value) is dict and _is_rounded(value, 1):
        raise ValueError
    return value


def _is_rounded(value: Json, depth: int) -> bool:
    for inner in value.values():
        kind = type(inner)
        if kind is float:
            if inner >= _ROUNDED:
                return True
        elif kind is dict and depth and _is_rounded(inner, depth - 1):
            return True
    return False


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

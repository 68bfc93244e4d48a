"""Dotted paths into the rows of a log."""

from __future__ import annotations

import enum
from collections.abc import Callable

from curate.ingest.jsontext import embedded
from curate.model.plain import Json


class Absent(enum.Enum):
    """The one value that says: there is nothing at this path, not even a null."""

    ABSENT = 0


ABSENT = Absent.ABSENT

Getter = Callable[[Json], object]


def getter(path: str) -> Getter:
    """Return a function that takes the value at `path` out of a row, or `ABSENT`.

    `a.b.0.c` goes down objects and lists, and through JSON-in-JSON; a key that itself holds dots
    (`trace.id`) is found as well. `*` is any key or place that leads on; `a|b` is `a`, or `b`
    where `a` is absent, null or empty.
    """
    choices = [_one(choice.strip()) for choice in path.split("|")]
    if len(choices) == 1:
        return choices[0]

    def first(row: Json) -> object:
        found: object = ABSENT
        for choice in choices:
            value = choice(row)
            if value is ABSENT:
                continue
            found = value
            if value is not None and value != "":
                break
        return found

    return first


def _one(path: str) -> Getter:
    parts = tuple(path.split("."))
    if len(parts) == 1 and path != "*":
        return lambda row: row.get(path, ABSENT)
    return lambda row: walk(row, parts)


def walk(value: object, parts: tuple[str, ...]) -> object:
    """Return what is found going down from `value` along `parts`, or `ABSENT`."""
    if not parts:
        return value
    if isinstance(value, str):
        value = embedded(value)
    if isinstance(value, dict):
        if parts[0] == "*":
            return _any(list(value.values()), parts[1:])
        for length in range(len(parts), 0, -1):
            key = ".".join(parts[:length]) if length > 1 else parts[0]
            if key in value and (found := walk(value[key], parts[length:])) is not ABSENT:
                return found
    elif isinstance(value, list):
        if parts[0] == "*":
            return _any(value, parts[1:])
        if parts[0].lstrip("-").isdigit() and -len(value) <= int(parts[0]) < len(value):
            return walk(value[int(parts[0])], parts[1:])
    return ABSENT


def _any(values: list[object], parts: tuple[str, ...]) -> object:
    for value in values:
        found = walk(value, parts)
        if found is not ABSENT and found is not None:
            return found
    return ABSENT

"""The placeholders of one record."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WRITTEN = re.compile(r"<[A-Z][A-Z_]*_[0-9]+>")


class Numbering:
    """Numbers values as they come: the same value has the same placeholder.

    What already stands in `texts`, the record's own, is nobody's placeholder and is passed over:
    logs may hold the output of another anonymiser.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._taken = {written for text in texts for written in _WRITTEN.findall(text)}
        self._given: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def placeholder(self, entity: str, value: str) -> str:
        """Return the placeholder of a value, such as `<PERSON_1>`; case and spacing are one."""
        key = (entity, " ".join(value.casefold().split()))
        if key not in self._given:
            self._given[key] = self._next(entity)
        return self._given[key]

    def _next(self, entity: str) -> str:
        while True:
            self._counts[entity] = self._counts.get(entity, 0) + 1
            free = f"<{entity}_{self._counts[entity]}>"
            if free not in self._taken:
                return free

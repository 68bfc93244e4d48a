"""The placeholders of one record."""

from __future__ import annotations


class Numbering:
    """Numbers values as they come: the same value has the same placeholder."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def placeholder(self, entity: str, value: str) -> str:
        """Return the placeholder of a value, such as `<PERSON_1>`; case and spacing are one."""
        key = (entity, " ".join(value.casefold().split()))
        if key not in self._given:
            self._counts[entity] = self._counts.get(entity, 0) + 1
            self._given[key] = f"<{entity}_{self._counts[entity]}>"
        return self._given[key]

"""One curator's sitting: the queue of candidates, what was skipped, and how it goes; pure."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import overload


class Sitting:
    """What inbox and review share: which candidates are left, in which order, and the pace.

    `ids` holds candidate ids only, so a million of them take eight megabytes. Skipped ones move
    to the end, and stay there for this sitting.
    """

    def __init__(self, started: datetime) -> None:
        self.started = started
        self.ids: array[int] = array("q")
        self.skipped: list[int] = []
        self.finished = 0
        self.rejected = 0
        self.keys = 0
        self._last_keys = 0
        self.keys_per_item: list[int] = []
        self.stamp = 0

    def fill(self, ids: Iterable[int]) -> None:
        """Take a new order of candidates, keeping the skipped ones at its end."""
        fresh = ids if isinstance(ids, array) else array("q", ids)
        if self.skipped:
            late = set(self.skipped)
            here = {key for key in fresh if key in late}
            fresh = array("q", (key for key in fresh if key not in late))
            fresh.extend(key for key in self.skipped if key in here)
        self.ids = fresh

    def index(self, candidate: int) -> int:
        """Return where a candidate stands in the queue, or -1."""
        try:
            return self.ids.index(candidate)
        except ValueError:
            return -1

    def skip(self, candidate: int) -> None:
        """Move a candidate to the end of this sitting."""
        if candidate in self.skipped:
            self.skipped.remove(candidate)
        self.skipped.append(candidate)
        index = self.index(candidate)
        if index >= 0:
            self.ids.pop(index)
            self.ids.append(candidate)

    def drop(self, candidate: int) -> None:
        """Take a decided candidate out of the queue."""
        index = self.index(candidate)
        if index >= 0:
            self.ids.pop(index)

    def reopen(self, candidate: int) -> None:
        """Put a candidate whose decision was undone back, first in the queue."""
        if self.index(candidate) < 0:
            self.ids.insert(0, candidate)

    def after(self, candidate: int) -> int | None:
        """Return the candidate to look at after this one, or None when nothing else is left.

        Skipped candidates come last; the end of the queue goes on at its beginning.
        """
        if not self.ids:
            return None
        index = self.index(candidate)
        if index < 0:
            return self.ids[0]
        following = self.ids[(index + 1) % len(self.ids)]
        return None if following == candidate else following

    def finish(self) -> None:
        """Count an item as finished, with the keys pressed since the one before."""
        self.finished += 1
        self.keys_per_item.append(self.keys - self._last_keys)
        self._last_keys = self.keys

    def rate(self, now: datetime) -> str:
        """Return minutes and keys per item finished, empty while there is none."""
        if not self.finished:
            return ""
        minutes = (now - self.started).total_seconds() / 60 / self.finished
        keys = sum(self.keys_per_item) / self.finished
        return f"{minutes:.1f} min and {keys:.0f} keys each"

    def pace(self, now: datetime) -> str:
        """Return the sitting in words: items finished, rejected, minutes and keys per item."""
        done = f"{self.finished} done" if self.finished else ""
        rejected = f"{self.rejected} rejected" if self.rejected else ""
        return " · ".join(filter(None, [done, rejected, self.rate(now)]))


class Queue(Sequence[int | str]):
    """Ids of items that came back, then those of candidates, without a copy of these."""

    def __init__(self, items: tuple[str, ...], candidates: array[int]) -> None:
        self._items = items
        self._candidates = candidates

    def __len__(self) -> int:
        return len(self._items) + len(self._candidates)

    @overload
    def __getitem__(self, index: int) -> int | str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[int | str]: ...

    def __getitem__(self, index: int | slice) -> int | str | Sequence[int | str]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        front = len(self._items)
        at = index + len(self) if index < 0 else index
        return self._items[at] if at < front else self._candidates[at - front]

    def index(self, value: object, start: int = 0, stop: int | None = None) -> int:
        """Return where an id stands. Raises `ValueError` when it is not there."""
        if isinstance(value, int):
            found = len(self._items) + self._candidates.index(value)
        else:
            found = self._items.index(value)
        if not start <= found < (len(self) if stop is None else stop):
            raise ValueError(value)
        return found

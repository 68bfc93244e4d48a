"""One curator's sitting: the queue of candidates, what was skipped, and how it goes; pure."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from datetime import datetime


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

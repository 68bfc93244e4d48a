"""Where a screen wants to go; the app takes it there."""

from __future__ import annotations

from textual.message import Message


class ReviewCandidate(Message):
    """Open a candidate for review."""

    def __init__(self, candidate: int) -> None:
        super().__init__()
        self.candidate = candidate


class ReviewItem(Message):
    """Open an item for editing."""

    def __init__(self, item: str) -> None:
        super().__init__()
        self.item = item


class ListItems(Message):
    """Show the set."""


class CheckSet(Message):
    """Check the set and export it."""


class WalkDrift(Message):
    """Walk through what moved in the documents, beginning with an item or with the first one."""

    def __init__(self, item: str = "") -> None:
        super().__init__()
        self.item = item


class ShowCoverage(Message):
    """Show what the set covers."""

"""The one error a user meets, and what a process says when it ends."""

from __future__ import annotations

import enum


class Exit(enum.IntEnum):
    """What a process says when it ends."""

    DONE = 0
    FOUND = 1
    """It found something: a failing check, overdue records, an unresolved remap."""
    USAGE = 2
    PRIVACY = 3
    """Refused to protect personal data."""
    ENVIRONMENT = 4
    """Disk, lock, corruption, something unreadable."""
    UNVERIFIED = 5
    """Done, but the proof failed."""
    DEFERRED = 75
    """Try again later."""


class CurateError(Exception):
    """The one error a user meets.

    `message` names the file, line or item; `hint` names the way out; neither ever quotes log
    text. `code` is the exit code of the process.
    """

    def __init__(self, message: str, hint: str = "", code: Exit = Exit.ENVIRONMENT) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code

"""The one error a user meets, and what a process says when it ends."""

from __future__ import annotations

import difflib
import enum
from collections.abc import Iterable


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


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """Return the way out of a name that is not known: the known one likest to it, else
    `otherwise`.
    """
    near = difflib.get_close_matches(word, known, 1)
    return f"Did you mean `{near[0]}`?" if near else otherwise

"""What a vote means: words, emoji and booleans speak for themselves, bare numbers never do."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from curate.model.errors import CurateError, Exit
from curate.model.events import Author

Rating = Literal[-1, 0, 1]

_DOWN = """
down thumbsdown thumbdown thumbdowns downvote downvoted dislike disliked negative bad poor
unhelpful nothelpful useless wrong incorrect inaccurate no false n f unsatisfied dissatisfied
👎 ❌ 🙁 ☹ 😞 😠 😡 💔
"""
_UP = """
up thumbsup thumbup thumbups upvote upvoted like liked positive good great helpful useful
right correct accurate yes true y t satisfied 👍 ✅ 🙂 😀 😃 😊 ❤
"""
_NEUTRAL = ("neutral", "mixed", "ok", "okay", "meh", "😐")
_WITHDRAWN = ("", "none", "null", "nil", "na", "removed", "unset", "cleared")

_WORDS: dict[str, Rating | None] = {
    **dict.fromkeys(_DOWN.split(), -1),
    **dict.fromkeys(_UP.split(), 1),
    **dict.fromkeys(_NEUTRAL, 0),
    **dict.fromkeys(_WITHDRAWN, None),
}
_NOISE = re.compile("[\\s_:./'-]|[\ufe0e\ufe0f]|[\U0001f3fb-\U0001f3ff]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_RULE = re.compile(r"(<=|>=|<|>|==?)?\s*(.+)")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class UnknownNumber(Exception):
    """A bare number as rating whose polarity nobody has told; `value` is that number, written."""

    def __init__(self, value: str) -> None:
        super().__init__("a bare number as rating")
        self.value = value


class UnknownWord(Exception):
    """A rating that is neither a number nor a word with a known meaning."""


@dataclass(frozen=True, slots=True)
class _Rule:
    compare: str
    value: str
    number: float | None

    def holds(self, word: str, number: float | None) -> bool:
        if self.number is not None and number is not None:
            return _COMPARE[self.compare](number, self.number)
        return not self.compare and word == self.value


@dataclass(frozen=True, slots=True)
class Scale:
    """Which rating values mean a thumb down and which a thumb up.

    Where either is told, a number that neither names is neutral, or without meaning when
    `closed`; where nothing is told, no number has a meaning.
    """

    down: tuple[_Rule, ...] = ()
    up: tuple[_Rule, ...] = ()
    closed: bool = False

    @classmethod
    def of(cls, down: Sequence[str], up: Sequence[str], closed: bool = False) -> Scale:
        """Return the scale that `down` and `up` describe: values as written in the log, or
        comparisons such as `<=2`. Raises `CurateError` for a comparison without a number.
        """
        return cls(tuple(map(_rule, down)), tuple(map(_rule, up)), closed)

    def rate(self, value: object, inverted: bool = False, *, numbers: bool = True) -> Rating | None:
        """Return what `value` says, None for a vote taken back.

        `inverted` is for fields that count dislike: there a true value is a thumb down. Without
        `numbers`, no bare number has a meaning. Raises `UnknownNumber` or `UnknownWord`.
        """
        word = _word(value)
        number = float(word) if _NUMBER.fullmatch(word) else None
        if number is not None and not numbers:
            raise UnknownNumber(f"{number:g}")
        if any(rule.holds(word, number) for rule in self.down):
            return -1
        if any(rule.holds(word, number) for rule in self.up):
            return 1
        if number is not None:
            if (self.down or self.up) and not self.closed:
                return 0
            raise UnknownNumber(f"{number:g}")
        if word not in _WORDS:
            raise UnknownWord
        rating = _WORDS[word]
        if inverted and rating is not None and word in ("true", "yes", "false", "no"):
            return -1 if rating == 1 else 0
        return rating


def _word(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:g}" if abs(value) < 1e15 else str(value)
    if isinstance(value, str) and len(value) <= 64:
        stripped = value.strip()
        return stripped if _NUMBER.fullmatch(stripped) else _NOISE.sub("", stripped.casefold())
    raise UnknownWord


def _rule(written: str) -> _Rule:
    match = _RULE.fullmatch(written.strip())
    compare, value = (match[1] or "", match[2]) if match else ("", "")
    compare = "" if compare in ("=", "==") else compare
    numeric = _NUMBER.fullmatch(value.strip())
    if not value or (compare and not numeric):
        raise CurateError(
            "a value of --down or --up (`down`, `up` in the config) is no rating",
            "Write ratings as the log does, or comparisons with a number: 0, dislike, '<=2'.",
            Exit.USAGE,
        )
    return _Rule(compare, _word(value), float(value) if numeric else None)


TRACER = Scale.of(("0", "-1"), ("1",), closed=True)
"""The scale of tracers' feedback scores: 0 (or -1) is down, 1 is up, the rest must be told."""

_AUTHORS: dict[str, Author] = {
    **dict.fromkeys(("", "user", "enduser", "api", "app", "human", "customer"), "user"),
    **dict.fromkeys(
        ("admin", "annotator", "annotation", "expert", "reviewer", "curator", "console"),
        "annotator",
    ),
    **dict.fromkeys(
        ("eval", "evaluator", "llm", "llmjudge", "judge", "model", "auto", "code", "autoeval"),
        "judge",
    ),
}


def author_of(value: object) -> Author:
    """Return who voted, from the word the log has for it. An unknown word is no user's."""
    word = _NOISE.sub("", str(value or "").casefold())
    return _AUTHORS.get(word, "annotator")


def is_vote(value: object) -> bool:
    """Say whether `value` is a word, an emoji or a boolean that means a thumb by itself."""
    if not isinstance(value, bool | str):
        return False
    try:
        return _WORDS.get(_word(value)) is not None
    except UnknownWord:
        return False

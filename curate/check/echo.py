"""How much of a question is copied from its passage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

ECHO_LIMIT = 0.6
"""Above this share of letters in copied runs a question is called an echo. Of 70 questions
written in users' words over the uv documentation, 7 are above it, all of them identifiers and
exact titles."""
ECHO_EXEMPT = frozenset({"exact-title", "identifier"})
"""Kinds whose questions quote the document on purpose."""

_ASIAN_LETTER = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_RUNS = (3, 12, 5)
_WORD = re.compile(r"[^\W_]+")


def echo(question: str, passage: str) -> float:
    """Return which share of a question's letters, from 0 to 1, is copied from a passage.

    Copied are runs of 3 or more words, or as much in scripts without spaces (12 characters, 5 of
    Chinese and Japanese), that stand in the passage in the same order; case does not matter.
    """
    here, there = _units(question), _units(passage)
    copied = sum(
        _copied(asked, told, run) for asked, told, run in zip(here, there, _RUNS, strict=True)
    )
    total = sum(len(unit) for units in here for unit in units)
    return copied / total if total else 0.0


def _units(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return the words, and the letters of scripts without spaces: Khmer and its like, Chinese."""
    folded = text.casefold()
    spaced = _IDEOGRAPH.sub(" ", _ASIAN_LETTER.sub(" ", folded))
    return _WORD.findall(spaced), _ASIAN_LETTER.findall(folded), _IDEOGRAPH.findall(folded)


def _copied(here: Sequence[str], there: Sequence[str], run: int) -> int:
    known = set(_runs(there, run))
    copied: set[int] = set()
    for at, piece in enumerate(_runs(here, run)):
        if piece in known:
            copied.update(range(at, at + run))
    return sum(len(here[at]) for at in copied)


def _runs(units: Sequence[str], run: int) -> Iterable[tuple[str, ...]]:
    return (tuple(units[at : at + run]) for at in range(len(units) - run + 1))

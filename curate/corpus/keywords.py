"""Words of an evidence that a right answer would have to say."""

from __future__ import annotations

import re
from collections.abc import Callable

from curate.corpus.words import SPACELESS, STOP, stem, words

_CANDIDATE = re.compile(r"[^\s`\"'“”‘’*|<>()\[\]{},;]+")  # noqa: RUF001
_CODE = re.compile(r"`([^`\s]+)`")
_EDGES = ".,:;!?…*_=។៕。、"
_LONGEST = 60
_ECHO = 10.0  # more than any kind is worth: what the question says comes last
_PASSED = STOP | {"i.e", "e.g", "etc", "vs", "cf"}
_NUMBERS = (
    "two three four five six seven eight nine ten eleven twelve twenty thirty hundred thousand "
    "half third quarter once twice first second eleventh"
)
_COUNTED = frozenset(_NUMBERS.split())


def propose(phrase: str, frequency: Callable[[str], float], question: str = "") -> tuple[str, ...]:
    """Return keywords for `phrase`, best first: numbers, identifiers, names, then rare words.

    `frequency` tells the share of sections that hold a word. What `question` says already comes
    last: an answer that repeats it proves nothing. Every proposal stands in the phrase. Scripts
    without spaces offer only the numbers and Latin words in them.
    """
    asked = {stem(word) for word in words(question)}
    code = set(_CODE.findall(phrase))
    scored: dict[str, tuple[float, int]] = {}
    for match in _CANDIDATE.finditer(phrase):
        word = match.group() if match.group() in code else _bare(match.group())
        if not word or len(word) > _LONGEST or word.lower() in _PASSED:
            continue
        if SPACELESS.search(word) or not any(char.isalnum() for char in word):
            continue
        before = phrase[: match.start()].rstrip()
        kind = _kind(word, begins=not before or before[-1] in ".!?", code=word in code)
        echo = _ECHO if _said(word, asked) else 0.0
        value = kind + (1 - min(1.0, frequency(word))) - echo
        if word not in scored or scored[word][0] < value:
            scored[word] = (value, match.start())
    return tuple(sorted(scored, key=lambda word: (-scored[word][0], scored[word][1])))


def _said(word: str, asked: set[str]) -> bool:
    """Say whether a question with these stems names the word: as a whole, or all its parts."""
    parts = [stem(part) for part in words(word)]
    return bool(parts) and (parts[0] in asked or asked.issuperset(parts))


def _bare(word: str) -> str:
    word = word.rstrip(_EDGES + "/").lstrip(":,;!?*=")
    emphasised = word.startswith("_") and word[1:].isalpha()
    return word[1:] if emphasised else word


def _kind(word: str, *, begins: bool, code: bool) -> float:
    if any(char.isdigit() for char in word):
        return 3.0
    inner = word[1:]
    if code or re.search(r"[-_./:@=]", inner) or word.startswith("-") or inner.lower() != inner:
        return 2.0
    if word.lower() in _COUNTED:
        return 1.5
    if word[0].isupper() and not begins:
        return 1.0
    return 0.0 if len(word) > 3 else -0.5

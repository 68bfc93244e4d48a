"""Words of an evidence that a right answer would have to say."""

from __future__ import annotations

import re
from collections.abc import Callable

from curate.corpus.words import SPACELESS, STOP

_CANDIDATE = re.compile(r"[^\s`\"'“”‘’*|<>()\[\]{},;]+")  # noqa: RUF001
_EDGES = ".,:;!?…*_=។៕。、"
_LONGEST = 60


def propose(phrase: str, frequency: Callable[[str], float]) -> tuple[str, ...]:
    """Return keywords for `phrase`, best first: numbers, identifiers, names, then rare words.

    `frequency` tells the share of sections that hold a word. Every proposal stands in the
    phrase. Scripts without spaces offer only the numbers and Latin words in them.
    """
    scored: dict[str, tuple[float, int]] = {}
    for match in _CANDIDATE.finditer(phrase):
        word = match.group().rstrip(_EDGES + "/").lstrip(":,;!?*=")
        if not word or len(word) > _LONGEST or word.lower() in STOP:
            continue
        if SPACELESS.search(word) or not any(char.isalnum() for char in word):
            continue
        begins = (
            not phrase[: match.start()].rstrip() or phrase[: match.start()].rstrip()[-1] in ".!?"
        )
        value = _kind(word, begins=begins) + (1 - min(1.0, frequency(word)))
        if word not in scored or scored[word][0] < value:
            scored[word] = (value, match.start())
    return tuple(sorted(scored, key=lambda word: (-scored[word][0], scored[word][1])))


def _kind(word: str, *, begins: bool) -> float:
    if any(char.isdigit() for char in word):
        return 3.0
    inner = word[1:]
    if re.search(r"[-_./:@=]", inner) or word.startswith("-") or inner.lower() != inner:
        return 2.0
    if word[0].isupper() and not begins:
        return 1.0
    return 0.0 if len(word) > 3 else -0.5

"""Numbers as people say them: digits written as words, alone or among figures."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_DIGITS = {word: str(digit) for digit, word in enumerate(_WORDS)} | {"oh": "0", "nought": "0"}
_TIMES = {"double": 2, "triple": 3}
_WORD = rf"(?:(?:{'|'.join(_TIMES)}) )?(?:{'|'.join(_DIGITS)})"
_BETWEEN = r"(?:,? (?:and )?then |,? ?dash,? ?|[ ,.-]{1,2})"
_RUN = re.compile(rf"(?<!\w)(?:{_WORD}|\+?\d+)(?:{_BETWEEN}(?:{_WORD}|\d+)(?!\w)){{2,19}}")
_TOKEN = re.compile(rf"({'|'.join(_TIMES)})|({'|'.join(_DIGITS)})|(\d+)")
_TELLING = re.compile(rf"\b(?:{'|'.join(_DIGITS)}|then|dash)\b")


def spoken(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield `(start, end, digits)` of every run of digits of which words say a part, in folded
    text: "zero one two, 345 double six".
    """
    if not _TELLING.search(text):
        return
    for run in _RUN.finditer(text):
        if not _TELLING.search(run.group()):
            continue
        digits, times = [], 1
        for token in _TOKEN.finditer(run.group()):
            if token[1]:
                times = _TIMES[token[1]]
            else:
                digits.append((_DIGITS[token[2]] if token[2] else token[3]) * times)
                times = 1
        yield *run.span(), "".join(digits)

"""A plain view of a text for the recognisers, and the way back to the original's offsets."""

from __future__ import annotations

import functools
import unicodedata

# Removed: format characters (zero-width and soft hyphen, joiners, marks of direction).
_DASHES = dict.fromkeys("‐‑‒–—―−﹣－", "-")  # noqa: RUF001 - these are the point
_OTHER = {"’": "'", "‘": "'", "ʼ": "'", "´": "'", "`": "'", "\ufffd": ""}  # noqa: RUF001


class Folded:
    """A text in lower case with ASCII digits, dashes and spaces, invisible characters left out.

    `text` is the folded text; `span(start, end)` gives the offsets, in code points of the
    original, of a non-empty piece of it.
    """

    __slots__ = ("_origin", "text")

    def __init__(self, original: str) -> None:
        self._origin: list[int] | None = None
        if original.isascii():
            self.text = original.lower()
            return
        pieces: list[str] = []
        origin: list[int] = []
        for index, char in enumerate(original):
            plain = _plain(char)
            if plain:
                pieces.append(plain)
                origin.extend([index] * len(plain))
        self.text = "".join(pieces)
        self._origin = origin

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original offsets of `text[start:end]`."""
        if self._origin is None:
            return start, end
        return self._origin[start], self._origin[end - 1] + 1


def fold(text: str) -> str:
    """Return the folded text alone, as a term is looked up."""
    return Folded(text).text


@functools.lru_cache(maxsize=65536)
def _plain(char: str) -> str:
    if char in _DASHES:
        return "-"
    if char in _OTHER:
        return _OTHER[char]
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.digit(char))
    if category == "Zs":
        return " "
    if category == "Cf" or category == "Cs" or "\u0300" <= char <= "\u036f":
        return ""
    wide = unicodedata.normalize("NFKC", char).lower()
    return "".join(_DASHES.get(c, _OTHER.get(c, c)) for c in wide)

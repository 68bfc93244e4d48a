"""The folded form in which two chunkings are compared, and the looser forms for evidence.

Folded text is UTF-8 without white space and invisible characters, NFKC, case folded, quotes and
dashes made plain. Two texts with equal folded forms are the same text to a reader.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_LOWER = bytes.maketrans(bytes(range(65, 91)), bytes(range(97, 123)))
_ASCII = bytes(range(128))
_BLANK = b"\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f "  # what str.split() takes for white space, in ASCII
# only characters up to U+FFFF: with others in it, a regular expression's class is a slow list
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff"
)
_PLAIN = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **{
        char: "" if char.isspace() else char.casefold()
        for char in map(chr, range(0x80, 0x10000))
        if not "\ud800" <= char <= "\udfff" and (char.isspace() or char.casefold() != char)
    },
}
_ODD = re.compile(f"[{_INVISIBLE}{''.join(_PLAIN)}]")


def fold(text: str) -> bytes:
    """Return the folded form of `text`; lone surrogates become question marks."""
    if text.isascii():
        return text.encode().translate(_LOWER, _BLANK)
    text = unicodedata.normalize("NFKC", text)
    code = text.encode("utf-8", "replace")
    if _ODD.search(code.translate(None, _ASCII).decode()):  # looks at the few that are not ASCII
        text = _ODD.sub(lambda match: _PLAIN.get(match.group(), ""), text)
        code = text.encode("utf-8", "replace")
    return code.translate(_LOWER, _BLANK)


# ---------------------------------------------------------------------------- looser forms


@dataclass(frozen=True, slots=True)
class Sketch:
    """A looser form of folded text; byte `i` of it came from byte `places[i]` of the text."""

    text: bytes
    places: list[int]
    ends: list[int]

    def find_all(self, needle: bytes) -> list[tuple[int, int]]:
        """Return the spans of the folded text whose looser form is `needle`."""
        spans = []
        at = self.text.find(needle) if needle else -1
        while at >= 0:
            spans.append((self.places[at], self.ends[at + len(needle) - 1]))
            at = self.text.find(needle, at + 1)
        return spans


def letters(folded: bytes) -> Sketch:
    """Return `folded` with nothing but its letters, marks and digits.

    By Unicode category, not `\\w`, which drops the vowel signs of Khmer, Thai and Indic scripts.
    """
    kept = bytearray()
    places: list[int] = []
    ends: list[int] = []
    at = 0
    for char in folded.decode("utf-8", "replace"):
        code = char.encode()
        width = len(code) if char != "\ufffd" else 1
        if unicodedata.category(char)[0] in "LMN":
            kept += code
            places += range(at, at + width)
            ends += [at + width] * width
        at += width
    return Sketch(bytes(kept), places, ends)


class _Kept(dict[int, int | None]):
    """What str.translate keeps: letters, marks and digits, looked up once each."""

    def __missing__(self, code: int) -> int | None:
        kept = code if unicodedata.category(chr(code))[0] in "LMN" else None
        self[code] = kept
        return kept


_KEPT = _Kept()
_BARE = bytes(byte for byte in range(128) if not chr(byte).isalnum())


def letters_only(folded: bytes) -> bytes:
    """Return the text of `letters(folded)`, quickly."""
    if folded.isascii():
        return folded.translate(None, _BARE)
    return folded.decode("utf-8", "ignore").translate(_KEPT).encode()


_MARKUP = re.compile(
    rb"!?\[(?=[^\[\]]*(?:\]\(|$))"  # a link's or an image's opening, and its target, maybe cut
    rb"|\]\([^()]*(?:\([^()]*\)[^()]*)*\)"
    rb"|`+|(?<![\d*])\*+|\*+(?![\d*])|_|\\(?=[^\sa-z0-9])"
    rb"|</?(?:b|i|em|strong|code|span|p|br|u|kbd|sup|sub|div|small)/?>|</(?:a|abbr|font)>"
    rb"|<(?:a(?:href|name|class|id)|abbrtitle|(?:span|div|p)(?:style|class)|fontcolor"
    rb"|img(?:src|alt))[^<>]*>"
)
_LEADING = re.compile(rb"(?:#{1,6}|>+|[-*+](?![-\d])|\d{1,2}\.(?=[^\d]))+")


def unmarked(folded: bytes) -> bytes:
    """Return `folded` without Markdown and inline HTML markup.

    Only what marks up is dropped: operators, signs, numbers and brackets of code stay, so text
    that differs in one of them still differs here.
    """
    lead = _LEADING.match(folded)
    return _MARKUP.sub(b"", folded[lead.end() :] if lead else folded)


def without_markup(folded: bytes) -> Sketch:
    """Return `folded` without its markup, and where the rest stands in it."""
    kept = bytearray()
    places: list[int] = []
    at = 0
    for match in _MARKUP.finditer(folded):
        kept += folded[at : match.start()]
        places += range(at, match.start())
        at = match.end()
    kept += folded[at:]
    places += range(at, len(folded))
    return Sketch(bytes(kept), places, [place + 1 for place in places])


_TARGET = re.compile(rb"\]\([^()]*\)|(?:href|src)=[^>]*")


def only_markup_lost(was: bytes, now: bytes) -> bool:
    """Say whether `now` is `was` in other markup. A link that was not there is an edit."""
    return (
        unmarked(was) == unmarked(now)
        and now.count(b"[") <= was.count(b"[")
        and set(_TARGET.findall(now)) <= set(_TARGET.findall(was))
    )

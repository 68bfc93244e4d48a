"""Pure text work: cleaning at the door, showing safely, folding, offset maps."""

from __future__ import annotations

import re
import unicodedata

# JavaScript's \s (ECMA-262, WhiteSpace and LineTerminator); Python's \s differs.
JS_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_JS_RUN = re.compile(f"[{JS_SPACE}]+")

_BIDI = "\u202a-\u202e\u2066-\u2069"
_MARKS = "\u061c\u200e\u200f"
_TAGS = "\U000e0000-\U000e007f"
_AT_THE_DOOR = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_BIDI}{_TAGS}\ud800-\udfff]")
_UNSAFE = re.compile(
    f"[\x00-\x09\x0b-\x1f\x7f-\x9f{_BIDI}{_MARKS}\u200b\u2028\u2029\ufeff{_TAGS}\ud800-\udfff]"
)


def sanitise(text: str) -> str:
    """Return `text` as it may be stored: every control character but tab, LF and CR, every bidi
    control, tag character and lone surrogate becomes U+FFFD.

    Length and offsets stay the same. ZWJ, ZWNJ and ZWSP stay: emoji and Khmer need them.
    """
    return _AT_THE_DOOR.sub("\ufffd", text)


def display(text: str) -> str:
    """Return `text` as it may meet a terminal: nothing hidden, nothing obeyed.

    C0 controls become control pictures, tabs a space, ZWSP a middle dot, and C1 controls, bidi
    controls, tag characters, line separators and surrogates become visible `⟨U+202E⟩`. LF stays.
    """
    return _UNSAFE.sub(_visible, text)


def _visible(match: re.Match[str]) -> str:
    char = match.group()
    code = ord(char)
    if char == "\t":
        return " "
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if code == 0x200B:
        return "·"
    return f"⟨U+{code:04X}⟩"


def one_line(text: str) -> str:
    """Return `display(text)` on one line, runs of white space folded to one space."""
    return " ".join(display(text).split())


def whereabouts(source: str | None, heading: str | None) -> str:
    """Return where something stands on one line, `guide.md › Fees`; empty where nobody knows."""
    return " › ".join(one_line(part) for part in (source, heading) if part)


def fold_space(text: str) -> str:
    """Return `text` with every run of JavaScript white space folded to one space.

    This is the harness's whole normalisation: a chunk holds an evidence when the folded chunk
    contains the folded evidence. Case-sensitive, nothing else is folded.
    """
    return _JS_RUN.sub(" ", text)


def strip_space(text: str) -> str:
    """Return `text` without JavaScript white space at its ends."""
    return re.sub(f"^[{JS_SPACE}]+|[{JS_SPACE}]+$", "", text)


def contains(text: str, evidence: str) -> bool:
    """Say whether `text` holds `evidence` by the harness's rule. Empty evidence is never held."""
    needle = fold_space(strip_space(evidence))
    return bool(needle) and needle in fold_space(text)


_QUOTES = dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc"), "\u0027") | dict.fromkeys(
    map(ord, "\u201c\u201d\u201f"), "\u0022"
)


def fold_search(text: str) -> str:
    """Return `text` as it is looked for: without regard to case, Unicode form, invisible
    characters and the shape of quotation marks.
    """
    return text.casefold() if text.isascii() else fold_map(text)[0]


def fold_map(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return `fold_search(text)` and, for each of its characters, the span of `text` it is of."""
    folded: list[str] = []
    spans: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        cluster = unicodedata.normalize("NFKC", text[start:end]).casefold().translate(_QUOTES)
        for char in unicodedata.normalize("NFKC", cluster):
            if unicodedata.category(char) != "Cf":
                folded.append(char)
                spans.append((start, end))
        start = end
    return "".join(folded), spans


def slug(text: str) -> str:
    """Return a readable id part: lower-case letters, digits and hyphens, at most 40 long.

    Letters of every script stay, so a Khmer heading gives a Khmer slug. May be empty.
    """
    folded = unicodedata.normalize("NFKC", text).lower()
    kept = "".join(c if unicodedata.category(c)[0] in "LMN" else "-" for c in folded)
    return re.sub("-+", "-", kept).strip("-")[:40].strip("-")


def language(text: str) -> str:
    """Return a coarse language tag from the scripts in `text`: `km`, `km-en` (mixed), `th`, `zh`,
    `ja`, `ko`, `ru`, `ar`, `en` for Latin script, or `und` without letters.
    """
    if text.isascii():
        return "en" if any(map(str.isalpha, text)) else "und"
    counts: dict[str, int] = {}
    for char in text:
        if not char.isalpha():
            continue
        script = _script(ord(char))
        counts[script] = counts.get(script, 0) + 1
    if not counts:
        return "und"
    if counts.get("km") and counts.get("en", 0) >= 3:
        return "km-en"
    if counts.get("ja"):
        return "ja"
    return max(counts, key=lambda script: (counts[script], script))


_SCRIPTS = (
    (0x0400, 0x052F, "ru"),
    (0x0600, 0x06FF, "ar"),
    (0x0E00, 0x0E7F, "th"),
    (0x1780, 0x17FF, "km"),
    (0x3040, 0x30FF, "ja"),
    (0x3400, 0x9FFF, "zh"),
    (0xAC00, 0xD7AF, "ko"),
)


def _script(code: int) -> str:
    for low, high, name in _SCRIPTS:
        if low <= code <= high:
            return name
    return "en"

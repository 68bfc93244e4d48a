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

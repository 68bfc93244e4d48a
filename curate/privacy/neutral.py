"""Words that may stand where a placeholder stood.

Neutral words, not made-up names: they read as an assistant's users write, say no more than the
placeholder did, and no leak scan takes them for somebody. The words depend on the placeholder
alone, so one person keeps theirs throughout a case.
"""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(r"<([A-Z][A-Z_]*)_(\d+)>")
_ENGLISH = {
    "PERSON": ("my colleague", "my manager", "my friend", "my neighbour"),
    "EMAIL_ADDRESS": ("my e-mail address", "the other e-mail address"),
    "PHONE_NUMBER": ("my phone number", "the other phone number"),
}
_KHMER = {
    "PERSON": ("មិត្តរួមការងាររបស់ខ្ញុំ", "អ្នកគ្រប់គ្រងរបស់ខ្ញុំ", "មិត្តភក្តិរបស់ខ្ញុំ", "អ្នកជិតខាងរបស់ខ្ញុំ"),
    "EMAIL_ADDRESS": ("អាសយដ្ឋានអ៊ីមែលរបស់ខ្ញុំ", "អាសយដ្ឋានអ៊ីមែលមួយទៀត"),
    "PHONE_NUMBER": ("លេខទូរស័ព្ទរបស់ខ្ញុំ", "លេខទូរស័ព្ទមួយទៀត"),
}


def worded(text: str, lang: str = "") -> str:
    """Return `text` with neutral words for its placeholders: in Khmer where
    `lang` begins with `km`, else in English.

    A placeholder beyond the words there are, or of another kind, stays: a person words it.
    """
    words = _KHMER if lang.startswith("km") else _ENGLISH

    def replaced(match: re.Match[str]) -> str:
        known, number = words.get(match[1], ()), int(match[2])
        return known[number - 1] if 0 < number <= len(known) else match[0]

    return _PLACEHOLDER.sub(replaced, text)

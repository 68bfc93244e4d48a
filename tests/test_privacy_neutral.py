"""Neutral words for placeholders."""

from __future__ import annotations

import pytest

from curate.privacy.neutral import worded


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("<PERSON_1> said 5 days right?", "en", "my colleague said 5 days right?"),
        ("does <PERSON_2> get <PERSON_1>'s mail?", "", "does my manager get my colleague's mail?"),
        ("mail <EMAIL_ADDRESS_1> or <PHONE_NUMBER_2>", "en",
         "mail my e-mail address or the other phone number"),
        ("<PERSON_1> ខ្ចីបានទេ?", "km", "មិត្តរួមការងាររបស់ខ្ញុំ ខ្ចីបានទេ?"),
        ("<PERSON_1> ខ្ចី laptop", "km-en", "មិត្តរួមការងាររបស់ខ្ញុំ ខ្ចី laptop"),
        ("<PERSON_9> and <IBAN_1> and <PERSON_0>", "en", "<PERSON_9> and <IBAN_1> and <PERSON_0>"),
        ("nothing <here>", "en", "nothing <here>"),
    ],
)  # fmt: skip
def test_the_same_placeholder_has_the_same_words(text: str, lang: str, expected: str) -> None:
    assert worded(text, lang) == expected

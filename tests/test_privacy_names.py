import pytest

from curate.config import PrivacySettings
from curate.privacy.anonymise import Anonymiser
from curate.privacy.names import worth_judging
from curate.privacy.words import words


@pytest.fixture(scope="module")
def anonymiser() -> Anonymiser:
    return Anonymiser(PrivacySettings())


def redacted(anonymiser: Anonymiser, text: str) -> list[str]:
    [clean] = anonymiser.clean_many([text])
    return [text[r.start : r.end] for r in clean.redactions if r.entity == "PERSON"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("my name is Priya Iyer and my order is late", ["Priya Iyer"]),
        ("MY NAME IS PRIYA IYER", ["PRIYA IYER"]),
        ("this is sokha, can you check ORD-18422", ["sokha"]),
        ("is Siobhan O'Brien still working there?", ["Siobhan O'Brien"]),
        ("ask Jean-Luc Moreau's assistant", ["Jean-Luc Moreau"]),
        ("send it to José Núñez please", ["José Núñez"]),
        ("Kindly update it.\nRegards,\nBorey Ly", ["Borey Ly"]),
        ("tell mark to bring the keys", ["mark"]),
        ("Samantha Bašić wrote to me", ["Samantha Bašić"]),
        ("thanks to #SelenaGomez for this", ["SelenaGomez"]),
        ("ask @LenaMoreau about it", ["LenaMoreau"]),
        ("where is carlaaaa?", ["carlaaaa"]),
        ("i was thinking of rebeccas bike", ["rebeccas"]),
        ("a book by ALexander Novak", ["ALexander Novak"]),
        ("i asked priya k. iyer about it", ["priya k. iyer"]),
        ("ខ្ញុំឈ្មោះ មាស កុសល តើ ORD-83938 ដល់ណាហើយ?", ["មាស កុសល"]),
        ("លោក សុខ ដារ៉ា បាននិយាយ", ["សុខ ដារ៉ា"]),
        ("bong, lok Vichea Heng said yes", ["Vichea Heng"]),
    ],
)
def test_names_are_found_in_any_case_script_and_place(
    anonymiser: Anonymiser, text: str, names: list[str]
) -> None:
    assert redacted(anonymiser, text) == names


@pytest.mark.parametrize(
    "text",
    [
        "what is the grace period",
        "may i change the date to april 5",
        "will the price change in june?",
        "where is ORD-18422 and SKU A1B2-99X",
        "NullPointerException at line 204 in setHeight",
        "the handler is in /home/dara/app.py and docs/jenny.md",
        "npm i @types/node",
        "Room 101 in Block B, open on 2024-03-15",
        "jol account ot ban, tlai ponman bong",
        "how do I restart nginx on Ubuntu",
        "où est ma commande ORD-18422",
        "Phnom Penh to Siem Reap shipping",
        "thx bro, pls help asap",
        "mark my order as urgent",
        "hahahaha that was sooo late, im callin now",
        "tickets for @LenaOrchestra and @MapleHockeyClub",
    ],
)
def test_what_is_no_name_stays(anonymiser: Anonymiser, text: str) -> None:
    assert redacted(anonymiser, text) == []


def test_a_name_once_told_is_known_in_the_same_text(anonymiser: Anonymiser) -> None:
    text = "My name is Vsevolod Petrenko. When will Vsevolod get an answer?"

    assert redacted(anonymiser, text) == ["Vsevolod Petrenko", "Vsevolod"]


def test_words_leave_out_possessives_and_mark_code() -> None:
    found = words("Mary's file docs/mary.md isn't at https://x.example/mary")

    assert [word.text for word in found if not word.code] == ["Mary", "file", "isn", "at"]


def test_the_model_is_asked_unless_every_word_is_ordinary_and_nobodys_name() -> None:
    assert not worth_judging("How do you return what is broken?")
    assert not worth_judging("តម្លៃប៉ុន្មាន 012 345 678")
    assert worth_judging("How do you return it, Lena?")
    assert worth_judging("how do you tell mark about it")
    assert worth_judging("where is the Broken one")
    assert worth_judging("my name is broken")
    assert worth_judging("how do you return it, zorblax")
    assert worth_judging("what is broken", strict=True)

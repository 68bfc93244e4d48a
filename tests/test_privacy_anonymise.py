import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curate.config import PrivacySettings
from curate.model.records import Clean
from curate.privacy.anonymise import Anonymiser


@pytest.fixture(scope="module")
def anonymiser() -> Anonymiser:
    return Anonymiser(
        PrivacySettings(allow=("Calvin Klein", "help@shop.example"), deny=("Zorblax", "មុន្នី")),
        known=("guides/mary-smith.md", "Ask Mary Smith"),
    )


def rebuilt(original: str, clean: Clean) -> str:
    pieces = []
    at = 0
    for redaction in clean.redactions:
        assert at <= redaction.start < redaction.end <= len(original)
        pieces += [original[at : redaction.start], redaction.placeholder]
        at = redaction.end
    return "".join([*pieces, original[at:]])


def test_name_phone_and_email_become_placeholders_and_the_order_id_stays(
    anonymiser: Anonymiser,
) -> None:
    [clean] = anonymiser.clean_many(
        ["my name is Dara Sok, call 012 345 678 or dara at gmail dot com about ORD-18422"]
    )

    assert clean.text == (
        "my name is <PERSON_1>, call <PHONE_NUMBER_1> or <EMAIL_ADDRESS_1> about ORD-18422"
    )


def test_a_placeholder_that_stood_in_the_log_is_nobodys_and_is_not_used_again(
    anonymiser: Anonymiser,
) -> None:
    record = ["<PERSON_1> asked Priya Iyer", "call <PHONE_NUMBER_2> or 012 345 678, Mary Smith"]

    [texts] = anonymiser.clean_records([record])

    assert [clean.text for clean in texts] == [
        "<PERSON_1> asked <PERSON_2>",
        "call <PHONE_NUMBER_2> or <PHONE_NUMBER_1>, <PERSON_3>",
    ]
    assert [len(clean.redactions) for clean in texts] == [1, 2]
    assert anonymiser.scan(["my name is <PERSON_1>, call <PHONE_NUMBER_2>"]) == [()]


def test_the_same_value_has_the_same_placeholder_within_a_record_only(
    anonymiser: Anonymiser,
) -> None:
    records = [
        ["Ask  Priya Iyer", "priya  iyer told Mary Smith", "thanks MARY SMITH"],
        ["Mary Smith left"],
    ]

    texts = [[clean.text for clean in record] for record in anonymiser.clean_records(records)]

    assert texts == [
        ["Ask  <PERSON_1>", "<PERSON_1> told <PERSON_2>", "thanks <PERSON_2>"],
        ["<PERSON_1> left"],
    ]


def test_a_name_found_in_one_text_goes_from_the_others_of_its_record(
    anonymiser: Anonymiser,
) -> None:
    names = ["my name is Wyndham Quillfeather", "is WYNDHAM  quillfeather's form in?", "wyndhams"]
    [alone] = anonymiser.clean_many(["may we go? my name is May"])
    ordinary = ["my name is May", "may we go in May?", "maybe"]

    cleaned = anonymiser.clean_records([names, ordinary])

    assert [one.text for one in cleaned[0]] == [
        "my name is <PERSON_1>",
        "is <PERSON_1>'s form in?",
        "wyndhams",
    ]
    assert alone.text == "may we go? my name is <PERSON_1>"
    assert cleaned[1][1].text.startswith("may we go in ")
    assert cleaned[1][2].text == "maybe"
    for text, one in zip(names, cleaned[0], strict=True):
        assert rebuilt(text, one) == one.text


def test_a_name_in_an_allowed_term_or_a_known_string_stays_also_when_found_elsewhere(
    anonymiser: Anonymiser,
) -> None:
    record = ["my name is Mary Smith", "Ask Mary Smith", "my name is Klein", "Calvin Klein"]

    [cleaned] = anonymiser.clean_records([record])

    assert [cleaned[1].text, cleaned[3].text] == ["Ask Mary Smith", "Calvin Klein"]


def test_several_threads_may_share_one_anonymiser() -> None:
    shared = Anonymiser(PrivacySettings())
    texts = [f"my name is Mary Smith, order {number}" for number in range(64)]

    with ThreadPoolExecutor(8) as pool:
        cleaned = list(pool.map(lambda text: shared.clean_many([text])[0].text, texts))

    assert cleaned == [f"my name is <PERSON_1>, order {number}" for number in range(64)]


@pytest.mark.parametrize("text", ["", " \n", "😀😀👩‍👩‍👧", "0" * 300, "\ufffd", "‮שלום"])
def test_nothing_personal_passes_unchanged(anonymiser: Anonymiser, text: str) -> None:
    assert anonymiser.clean_many([text]) == [Clean(text)]


def test_offsets_are_code_points_of_the_original(anonymiser: Anonymiser) -> None:
    text = "😀 é ខ្ញុំ\u200b Mary Smith 👩‍👩‍👧 ០១២ ៣៤៥ ៦៧៨ is my phone\ud800"

    [clean] = anonymiser.clean_many([text])

    assert [text[r.start : r.end] for r in clean.redactions] == ["Mary Smith", "០១២ ៣៤៥ ៦៧៨"]
    assert all(clean.text.startswith(r.placeholder, r.at) for r in clean.redactions)


def test_known_strings_pass_as_a_whole_only(anonymiser: Anonymiser) -> None:
    texts = ["guides/mary-smith.md", "Ask Mary Smith", "I ask Mary Smith"]

    clean = anonymiser.clean_many(texts)

    assert [one.text for one in clean] == [*texts[:2], "I ask <PERSON_1>"]


def test_allowed_terms_stay_and_denied_terms_go(anonymiser: Anonymiser) -> None:
    [clean, khmer] = anonymiser.clean_many(
        ["calvin  KLEIN shirts from zorblax? write to help@shop.example", "សួរមុន្នីទៅ"]
    )

    assert clean.text == "calvin  KLEIN shirts from <PERSON_1>? write to help@shop.example"
    assert khmer.text == "សួរ<PERSON_1>ទៅ"


def test_a_long_text_is_anonymised_to_its_end(anonymiser: Anonymiser) -> None:
    text = "The weather stays fine today. " * 700 + "my name is Priya Iyer, a@b.example"

    [clean] = anonymiser.clean_many([text])

    assert clean.text.endswith("my name is <PERSON_1>, <EMAIL_ADDRESS_1>")
    assert rebuilt(text, clean) == clean.text


def test_many_findings_in_one_text_keep_their_places(anonymiser: Anonymiser) -> None:
    text = " ".join(f"user{number}@mail.example" for number in range(700))

    [clean] = anonymiser.clean_many([text])

    assert clean.text == " ".join(f"<EMAIL_ADDRESS_{number + 1}>" for number in range(700))
    assert rebuilt(text, clean) == clean.text


ALPHABET = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        [
            "Mary Smith",
            " 012 345 678 ",
            "a@b.example",
            "\ud800",
            "លោក សុខ ដារ៉ា",
            "\u200b",
            "ﬃ",
            "İ",
            "\n",
        ]
    ),
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(ALPHABET, max_size=6).map("".join))
def test_only_the_redacted_spans_change(anonymiser: Anonymiser, text: str) -> None:
    [clean] = anonymiser.clean_many([text])

    assert rebuilt(text, clean) == clean.text
    assert all(clean.text.startswith(r.placeholder, r.at) for r in clean.redactions)


def test_the_second_scan_finds_more_than_the_door(anonymiser: Anonymiser) -> None:
    texts = ["order 012 345 678", "grace period", "nothing at all here"]

    door = [len(clean.redactions) for clean in anonymiser.clean_many(texts)]
    gate = [len(found) for found in anonymiser.scan(texts)]

    assert door[0] == 0
    assert gate[0] == 1
    assert all(strict >= plain for strict, plain in zip(gate, door, strict=True))


def test_the_policy_follows_the_settings_and_loads_no_model() -> None:
    script = (
        "import sys\n"
        "from curate.config import PrivacySettings as P\n"
        "from curate.privacy.anonymise import Anonymiser as A\n"
        "same = A(P()).policy == A(P(), known=['x']).policy\n"
        "other = A(P()).policy != A(P(deny=('Zorblax',))).policy\n"
        "heavy = [m for m in ('presidio_analyzer', 'onnxruntime', 'numpy') if m in sys.modules]\n"
        "assert same and other and not heavy, heavy\n"
        "assert A(P()).policy.startswith('sha256:')\n"
    )

    subprocess.run([sys.executable, "-c", script], check=True)


def test_without_a_network_nothing_is_missing_and_nothing_is_said() -> None:
    script = (
        "import socket\n"
        "def refuse(*_args, **_more): raise AssertionError('network')\n"
        "socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse\n"
        "from curate.config import PrivacySettings\n"
        "from curate.privacy.anonymise import Anonymiser\n"
        "import logging; logging.basicConfig(level=0)\n"
        "a = Anonymiser(PrivacySettings())\n"
        "[c] = a.clean_many(['Mary Smith wrote to mary@shop.example, tel 012 345 678'])\n"
        "assert len(c.redactions) == 3\n"
        "import tldextract; tldextract.extract('a.example.org')\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )

    assert done.stdout + done.stderr == ""


def test_only_the_wanted_entities_are_replaced() -> None:
    only = Anonymiser(PrivacySettings(entities=("EMAIL_ADDRESS",)))

    [clean] = only.clean_many(["Mary Smith, mary@shop.example, tel 012 345 678"])

    assert clean.text == "Mary Smith, <EMAIL_ADDRESS_1>, tel 012 345 678"


def test_no_socket_is_ever_opened(anonymiser: Anonymiser, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("network")

    monkeypatch.setattr(socket.socket, "connect", refuse)

    assert anonymiser.clean_many(["Mary Smith again, m@x.example"])[0].redactions

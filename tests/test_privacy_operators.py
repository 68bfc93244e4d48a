import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from curate.config import PrivacySettings, load
from curate.model.errors import CurateError
from curate.privacy.anonymise import Anonymiser
from curate.privacy.operators import surrogates

SEED = "a secret of the team"
RECORD = ["my name is Mary Smith, call 012 345 678", "thanks, MARY  SMITH or mary@shop.example"]


def cleaned(operator: str, *, seed: str = SEED) -> list[str]:
    anonymiser = Anonymiser(PrivacySettings(operator=operator, seed=seed))
    [record] = anonymiser.clean_records([RECORD])
    for text, one in zip(RECORD, record, strict=True):
        for found in one.redactions:
            assert one.text.startswith(found.placeholder, found.at)
            assert text[found.start : found.end] not in one.text
    return [one.text for one in record]


def test_stars_have_the_length_of_what_they_stand_for() -> None:
    assert cleaned("mask") == [
        "my name is **********, call ***********",
        f"thanks, *********** or {'*' * 17}",
    ]


def test_hashes_are_the_same_for_a_value_in_any_case_and_others_under_another_seed() -> None:
    first, second = cleaned("hash")
    name = first.removeprefix("my name is ").partition(",")[0]

    assert re.fullmatch(r"<PERSON_\d+>", name)
    assert second.startswith(f"thanks, {name} or <EMAIL_ADDRESS_")
    assert name not in cleaned("hash", seed=SEED + "!")[0]


def test_a_hash_without_a_secret_is_refused() -> None:
    with pytest.raises(CurateError, match="seed"):
        cleaned("hash", seed="short")


def test_surrogates_follow_the_seed_and_are_consistent_within_a_record() -> None:
    pytest.importorskip("faker", reason="the extra `surrogates` is not installed")
    first, second = cleaned("surrogate")
    [name] = surrogates("PERSON", 1, SEED)

    assert first.startswith(f"my name is {name}, call +1 ")
    assert second.startswith(f"thanks, {name} or ")
    assert cleaned("surrogate") == [first, second]
    assert cleaned("surrogate", seed="another") != [first, second]


def test_the_second_scan_knows_the_programs_own_surrogates() -> None:
    pytest.importorskip("faker", reason="the extra `surrogates` is not installed")
    settings = PrivacySettings(operator="surrogate", seed=SEED)
    texts = cleaned("surrogate")

    assert Anonymiser(settings).scan(texts) == [(), ()]
    assert any(Anonymiser(replace(settings, operator="placeholder")).scan(texts))


def test_without_faker_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faker", None)

    with pytest.raises(CurateError) as caught:
        cleaned("surrogate", seed="no list of this seed was made yet")

    assert "curate[surrogates]" in caught.value.hint


def test_another_operator_seed_or_profile_is_another_policy() -> None:
    plain = PrivacySettings()
    others = [
        replace(plain, operator="mask"),
        replace(plain, seed=SEED),
        replace(plain, profile="thorough"),
    ]

    assert len({Anonymiser(one).policy for one in (plain, *others)}) == 4
    assert SEED not in repr(others[1])


@pytest.mark.parametrize("key", ["operator", "profile"])
def test_an_unknown_word_in_the_config_is_refused(key: str, tmp_path: Path) -> None:
    path = tmp_path / "curate.toml"
    path.write_text(f'[privacy]\n{key} = "other"\n', encoding="utf-8")

    with pytest.raises(CurateError, match=key):
        load(path)

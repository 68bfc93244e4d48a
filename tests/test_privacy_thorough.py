import sys
from importlib.util import find_spec

import pytest

from curate.config import PrivacySettings
from curate.model.errors import CurateError
from curate.privacy.anonymise import Anonymiser
from curate.privacy.thorough import MODEL

installed = pytest.mark.skipif(
    find_spec(MODEL) is None, reason="the extra `thorough` is not installed"
)


@installed
def test_the_second_model_adds_to_what_is_found_and_leaves_ids_alone() -> None:
    texts = [
        "my name is Mary Smith, order ORD-18422",
        "error E-1042 in version 10.0.19045 on Friday 12 March 2027",
        "is room B12 free, price $12.99",
    ]
    thorough = Anonymiser(PrivacySettings(profile="thorough"))

    clean = [one.text for one in thorough.clean_many(texts)]

    assert clean == ["my name is <PERSON_1>, order ORD-18422", *texts[1:]]


def test_without_the_model_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, MODEL, None)

    with pytest.raises(CurateError) as caught:
        Anonymiser(PrivacySettings(profile="thorough")).clean_many(["Mary Smith"])

    assert "curate[thorough]" in caught.value.hint

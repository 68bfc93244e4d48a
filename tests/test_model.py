"""The nouns keep personal text out of sight."""

import dataclasses
import pickle

import pytest

from curate import model

NOUNS = [
    noun
    for noun in vars(model).values()
    if isinstance(noun, type) and dataclasses.is_dataclass(noun)
]


@pytest.mark.parametrize("noun", NOUNS)
def test_every_noun_is_frozen(noun: type) -> None:
    assert noun.__dataclass_params__.frozen  # type: ignore[attr-defined]


def test_raw_text_never_shows() -> None:
    raw = model.RawText("call Dara on 012 555 014")
    event = model.QuestionEvent(source="log", line=3, question=raw, user=model.RawText("dara"))

    for shown in (repr(raw), str(raw), f"{raw}", repr(event), f"{event}"):
        assert "ara" not in shown.replace("char", "")
    assert repr(raw) == "<raw text, 24 chars>"
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(raw)
    assert not isinstance(raw, str)


def test_anonymised_text_stays_out_of_reprs() -> None:
    item = model.Item(id="fee-1", revision=1, question="SECRET", keyword="SECRET", note="SECRET")
    turn = model.Turn("user", "SECRET")
    clean = model.Clean("SECRET")

    assert "SECRET" not in repr((item, turn, clean))

"""The nouns keep personal text out of sight."""

import dataclasses
import importlib
import pickle
import pkgutil

import msgspec
import pytest
from rich.pretty import pretty_repr

import curate.model
from curate.model.events import FeedbackEvent, QuestionEvent, RawChunk, RawText, RawTurn
from curate.model.items import Item
from curate.model.records import Clean, Turn

NOUNS = [
    noun
    for module in pkgutil.iter_modules(curate.model.__path__, "curate.model.")
    for noun in vars(importlib.import_module(module.name)).values()
    if isinstance(noun, type) and dataclasses.is_dataclass(noun)
]
EVENTS = [RawText, RawTurn, RawChunk, QuestionEvent, FeedbackEvent]


@pytest.mark.parametrize("noun", NOUNS)
def test_every_noun_is_frozen(noun: type) -> None:
    assert noun.__dataclass_params__.frozen  # type: ignore[attr-defined]


@pytest.mark.parametrize("noun", EVENTS)
def test_every_event_is_frozen(noun: type[msgspec.Struct]) -> None:
    assert noun.__struct_config__.frozen


def test_raw_text_never_shows() -> None:
    raw = RawText("call Dara on 012 555 014")
    event = QuestionEvent(source="log", line=3, question=raw, user=RawText("dara"))

    for shown in (repr(raw), str(raw), f"{raw}", repr(event), f"{event}", pretty_repr(event)):
        assert "ara" not in shown.replace("char", "")
    assert repr(raw) == "<raw text, 24 chars>"
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(raw)
    for write in (msgspec.json.encode, msgspec.msgpack.encode, msgspec.to_builtins):
        with pytest.raises(TypeError, match="unsupported"):
            write(event)
    assert str not in RawText.__mro__


def test_anonymised_text_stays_out_of_reprs() -> None:
    item = Item(id="fee-1", revision=1, question="SECRET", keyword="SECRET", note="SECRET")
    turn = Turn("user", "SECRET")
    clean = Clean("SECRET")

    assert "SECRET" not in repr((item, turn, clean))

"""Only files with the known digest are read."""

from __future__ import annotations

import pytest

from curate import weights
from curate.model.errors import CurateError


@pytest.mark.parametrize("name", weights.DIGESTS)
def test_every_file_is_there_as_it_is_known(name: str) -> None:
    assert len(weights.pinned(name)) > 100_000


def test_a_file_that_is_not_the_known_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(weights.DIGESTS, weights.PIECES, "0" * 64)
    with pytest.raises(CurateError, match="not the known one"):
        weights.pinned(weights.PIECES)


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(weights.DIGESTS, "no_such_package/model.onnx", "0" * 64)
    with pytest.raises(CurateError, match="no_such_package"):
        weights.pinned("no_such_package/model.onnx")

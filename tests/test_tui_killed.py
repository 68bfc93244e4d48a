"""SIGKILL in the midst of curating: what the screen acknowledged is in the database."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.benchmarks.kill_curation import curate_and_kill


def test_every_decision_that_the_screen_acknowledged_survives_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    done = curate_and_kill(tmp_path / "desk", random.Random(1))  # noqa: S311 - dice, not secrets

    assert done.killed
    assert done.acknowledged > 1
    assert done.lost == 0
    assert done.stored <= done.acknowledged + 1

"""Exactly once: killed in the middle, then finished by two at once. (More of it is in
tests/benchmarks/ingest_kill.py.)
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.benchmarks.ingest_kill import prepare, rows, start
from tests.conftest import Curate


def stored(root: Path) -> int:
    with closing(sqlite3.connect(root / "curate.db")) as connection:
        return int(connection.execute("SELECT count(*) FROM record").fetchone()[0])


@pytest.mark.presidio
def test_an_ingest_that_was_killed_is_finished_by_two_at_once(
    tmp_path: Path, curate: Curate
) -> None:
    clean, torn = tmp_path / "clean", tmp_path / "torn"
    prepare(clean, 1500)
    shutil.copytree(clean, torn)
    killed = start(torn)
    deadline = time.monotonic() + 120
    while not stored(torn) and killed.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    part = stored(torn)

    both = [start(torn), start(torn)]
    assert curate("--workspace", clean, "ingest").code == 0
    assert [one.wait() for one in both] == [0, 0]
    assert 0 < part < len(rows(clean)[0])
    assert rows(torn) == rows(clean)
    assert [len(found) for found in rows(torn)[:2]] == [1363, 137]

"""Processes that anonymise say what one says, and end when they should."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from curate.config import PrivacySettings
from curate.model.errors import CurateError
from curate.privacy.anonymise import Anonymiser
from curate.privacy.pool import Pool

pytestmark = pytest.mark.presidio
RECORDS = [
    [f"may Dara Sok keep key {number}?", f"Ask Dara Sok on 012 555 0{number:02}."]
    for number in range(20)
]


@pytest.fixture(scope="module")
def own() -> Anonymiser:
    return Anonymiser(PrivacySettings(allow=("Dara Towers",)), ["Dara Sok's page"])


@pytest.fixture
def pool(own: Anonymiser) -> Iterator[Pool]:
    with Pool(own, workers=2, worth=0) as started:
        while not started.ahead:
            started.submit([["warm?"]])()
            time.sleep(0.05)
        yield started


def test_batches_come_back_in_their_order_as_one_process_cleans_them(
    pool: Pool, own: Anonymiser
) -> None:
    batches = [RECORDS[at : at + 5] for at in range(0, 20, 5)] + [[["Dara Sok's page"]]]

    promises = [pool.submit(batch) for batch in batches]

    assert [promise() for promise in promises] == [own.clean_records(b) for b in batches]


def test_a_process_that_was_killed_is_told_and_nothing_of_the_text(pool: Pool) -> None:
    for process, _ in pool._starting:
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()

    with pytest.raises(CurateError, match="came to an end") as caught:
        pool.submit(RECORDS)()

    assert "Dara" not in caught.value.message + caught.value.hint


def test_little_work_starts_no_process(own: Anonymiser) -> None:
    with Pool(own, workers=2, worth=100) as pool:
        for _ in range(3):
            assert pool.submit(RECORDS)() == own.clean_records(RECORDS)
        assert (pool.ahead, pool._starting) == (0, [])
    with Pool(own, workers=1, worth=0) as pool:
        for _ in range(3):
            pool.submit(RECORDS)()
        assert pool._starting == []


def test_where_no_process_can_be_started_one_does_it_all(own: Anonymiser) -> None:
    with Pool(own, workers=2, worth=0) as pool:
        pool._start()
        for process, _ in pool._starting:
            process.kill()
            process.join()

        assert [pool.submit(RECORDS)() for _ in range(2)] == [own.clean_records(RECORDS)] * 2
        assert pool.ahead == 0


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks into /proc")
def test_the_processes_end_with_the_one_that_made_them(tmp_path: Path) -> None:
    script = tmp_path / "main.py"
    script.write_text(
        "import time\n"
        "from curate.config import PrivacySettings\n"
        "from curate.privacy.anonymise import Anonymiser\n"
        "from curate.privacy.pool import Pool\n"
        "if __name__ == '__main__':\n"
        "    pool = Pool(Anonymiser(PrivacySettings()), workers=2, worth=0)\n"
        "    pool._start()\n"
        "    print(*[process.pid for process, _ in pool._starting], flush=True)\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as made:
        assert made.stdout is not None
        workers = [int(pid) for pid in made.stdout.readline().split()]
        made.kill()
    deadline = time.monotonic() + 120
    while any(_lives(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.1)

    assert len(workers) == 2
    assert not any(_lives(pid) for pid in workers)


def _lives(pid: int) -> bool:
    try:
        return not Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].startswith(" Z")
    except FileNotFoundError:
        return False

"""How long the store takes with a million candidates: `python tests/benchmarks/store_scale.py`.

An argument changes the number of candidates. Prints seconds and the process's peak memory.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from curate.store.store import Store
from curate.triage import Matcher

T = TypeVar("T")
NOW = datetime(2026, 11, 29, tzinfo=UTC)
CANDIDATE = """
    INSERT INTO candidate (id, status, priority, reasons, expires_at, note)
    VALUES (?, 'open', ?, '["asked 3 times"]', '2027-02-26T00:00:00.000000Z', '')
"""
RECORD = """
    INSERT INTO record (id, key, content, source, received_at, expires_at, question, redactions,
                        history, chunks, lang, policy, candidate)
    VALUES (?1, ?2, x'00', 'log', '2026-11-28T00:00:00.000000Z', '2027-02-26T00:00:00.000000Z',
            ?3, '{}', '[]', '[]', 'en', '', ?1)
"""


def main(number: int) -> None:
    """Fill a database and time the inbox's queries."""
    dice = random.Random(1)  # noqa: S311 - dice, not secrets
    with (
        tempfile.TemporaryDirectory() as directory,
        Store.create(Path(directory) / "curate.db", now=lambda: NOW) as store,
    ):
        with store._database.write() as connection:
            raw: Any = connection.connection.cursor()
            raw.executemany(CANDIDATE, ((n, dice.random()) for n in range(1, number + 1)))
            raw.executemany(
                RECORD,
                (
                    (n, n.to_bytes(16), f"how do I renew my library card number {n}")
                    for n in range(1, number + 1)
                ),
            )
        ids = timed("candidate_ids()", lambda: store.candidate_ids())
        middle = len(ids) // 2
        timed("candidates(50 in the middle)", lambda: store.candidates(ids[middle : middle + 50]))
        timed("candidate_ids(text=...)", lambda: store.candidate_ids(text="CARD NUMBER 99"))
        timed("candidate_ids(reason=...)", lambda: store.candidate_ids(reason="thumbs"))
        timed("counts()", store.counts)
        peak("reading")
        timed("purge() with nothing expired", lambda: store.purge(by="", matcher=Matcher()))
        peak("purging: VACUUM keeps its copy in memory, for nothing may reach a temporary file")


def peak(doing: str) -> None:
    """Print the most memory the process has had so far."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"{most:8.0f} MB peak memory after {doing}\n")


def timed(name: str, run: Callable[[], T]) -> T:
    """Run something and print how long that took."""
    began = time.perf_counter()
    result = run()
    sys.stdout.write(f"{time.perf_counter() - began:8.3f} s {name}\n")
    return result


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)

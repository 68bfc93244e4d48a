"""How fast logs are read without anonymising, against orjson parsing the same lines.

Run it with `python tests/benchmarks/ingest_reading.py`. Prints microseconds of CPU per line, the
ratio, and the peak memory; all in one process, the best of nine turns each, taken by turns.
"""

from __future__ import annotations

import io
import json
import random
import resource
import sys
import time
from collections.abc import Callable, Sequence

import orjson

from curate.ingest.run import read

WORDS = ("shed", "opens", "with", "code", "ask", "porter", "key", "room", "return", "evening")


def line(rnd: random.Random, number: int, answer: int, chunk: int) -> str:
    def words(count: int) -> str:
        return " ".join(rnd.choice(WORDS) for _ in range(count))

    return json.dumps(
        {
            "ts": "2026-03-05T10:20:30.250Z",
            "request_id": f"r-{number}",
            "session_id": "s-4",
            "user": "u-7",
            "question": words(10),
            "answer": words(answer),
            "chunks": [
                {"id": f"{n}.md#1", "source": f"{n}.md", "score": 0.5, "content": words(chunk)}
                for n in range(4 if chunk else 0)
            ],
        }
    )


def best(works: Sequence[Callable[[], object]], lines: int) -> list[float]:
    """Return the least CPU time of each, in microseconds per line."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(9):
        for work, taken in zip(works, times, strict=True):
            start = time.process_time()
            work()
            taken.append(time.process_time() - start)
    return [min(taken) / lines * 1e6 for taken in times]


def main() -> None:
    """Print one line per kind of log."""
    rnd = random.Random(1)  # noqa: S311 - words, not secrets
    kinds = (("short", 100_000, 20, 0), ("usual", 20_000, 80, 120), ("long", 5_000, 300, 600))
    for name, count, answer, chunk in kinds:
        data = "\n".join(line(rnd, n, answer, chunk) for n in range(count)).encode()

        def parse(data: bytes = data) -> None:
            for _ in map(orjson.loads, io.BytesIO(data)):
                pass

        def ours(data: bytes = data) -> None:
            for _ in read(io.BytesIO(data)):
                pass

        parsed, taken = best((parse, ours), count)
        sys.stdout.write(
            f"{name}: {len(data) // count} bytes a line, orjson {parsed:.1f} us, "
            f"read {taken:.1f} us, {taken / parsed:.1f} times\n"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"peak memory {peak} MiB\n")


if __name__ == "__main__":
    main()

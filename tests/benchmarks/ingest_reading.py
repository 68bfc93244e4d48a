"""How fast logs are read without anonymising, against orjson parsing the same lines.

Run it with `python tests/benchmarks/ingest_reading.py`. Prints microseconds of CPU per line, the
ratio, and the peak memory; all in one process, best of five.
"""

from __future__ import annotations

import io
import json
import random
import resource
import sys
import time
from collections.abc import Callable

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


def best(work: Callable[[], object], lines: int) -> float:
    times = []
    for _ in range(5):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times) / lines * 1e6


def main() -> None:
    """Print one line per kind of log."""
    rnd = random.Random(1)  # noqa: S311 - words, not secrets
    kinds = (("short", 20_000, 20, 0), ("usual", 4_000, 80, 120), ("long", 4_000, 300, 600))
    for name, count, answer, chunk in kinds:
        data = "\n".join(line(rnd, n, answer, chunk) for n in range(count)).encode()
        plain = best(lambda data=data: sum(1 for _ in map(orjson.loads, io.BytesIO(data))), count)  # type: ignore[misc]
        ours = best(lambda data=data: sum(1 for _ in read(io.BytesIO(data))), count)  # type: ignore[misc]
        sys.stdout.write(
            f"{name}: {len(data) // count} bytes a line, orjson {plain:.1f} us, "
            f"read {ours:.1f} us, {ours / plain:.1f} times\n"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"peak memory {peak} MiB\n")


if __name__ == "__main__":
    main()

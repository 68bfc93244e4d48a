"""How fast text is anonymised: ratios, all measured in this run on these cores.

usage: python tests/benchmarks/anonymising.py [TEXTS]

Invented questions, all different. CPU seconds of this process for one core; wall-clock seconds for
two processes. The bounds: in batches at 0.85 or more of the names model's own best batch rate, 1.8
times or more of Presidio's analyze() text by text with the same recognisers, two processes 1.7
times or more of one, and the first text within 5 s of CPU from a cold start.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable

from curate.config import PrivacySettings
from curate.privacy.anonymise import Anonymiser
from curate.privacy.engine import LANGUAGE, Engine
from curate.privacy.pool import Pool, cores
from curate.privacy.rampart import Rampart

BATCH = 256
ROUNDS = 2
FRAMES = (
    "hi, my name is {name} and I cannot open locker {n}",
    "how much is a stand on day {n} of the fair",
    "please tell {name} that order ORD-{n} is late, call 012 345 {n}",
    "what are the opening hours of reading room {n}?",
    "can {name} pick up parcel {n} instead of me",
    "error E-{n} when I book the hall for friday",
    "write to user{n}@mail.example about the refund",
)
NAMES = ("Sophea Chann", "priya", "Tomasz Nowak", "Ngozi Eze", "lena", "Carlos Mendez")


def questions(count: int) -> list[str]:
    """Return `count` different questions, the same in every run."""
    chance = random.Random(7)  # noqa: S311 - a benchmark
    return [
        chance.choice(FRAMES).format(name=chance.choice(NAMES), n=1000 + n) for n in range(count)
    ]


def rate(count: int, work: Callable[[], object], clock: Callable[[], float]) -> float:
    """Return texts per second."""
    began = clock()
    work()
    return count / (clock() - began)


def best_alone(texts: list[str]) -> float:
    """Return the model's best rate over several batch sizes, length-sorted by itself."""
    model = Rampart()
    model.names(texts[:8])
    return max(
        rate(
            len(texts),
            lambda size=size: [  # type: ignore[misc]
                model.names(texts[at : at + size]) for at in range(0, len(texts), size)
            ],
            time.process_time,
        )
        for size in (32, BATCH, len(texts))
    )


def batched(texts: list[str]) -> float:
    """Return the anonymiser's rate, in the batches of an ingest."""
    anonymiser = Anonymiser(PrivacySettings())
    anonymiser.clean_many(["ready, Mary?"])
    return rate(
        len(texts),
        lambda: [
            anonymiser.clean_many(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)
        ],
        time.process_time,
    )


def one_by_one(texts: list[str]) -> float:
    """Return the rate of Presidio's analyze() text by text with the same recognisers."""
    engine = Engine(PrivacySettings())
    engine.door.analyze("ready, Mary?", LANGUAGE, list(PrivacySettings().entities))
    entities = list(PrivacySettings().entities)
    return rate(
        len(texts),
        lambda: [engine.door.analyze(text, LANGUAGE, entities) for text in texts],
        time.process_time,
    )


def pooled(texts: list[str], workers: int) -> float:
    """Return the wall-clock rate with so many processes, once they run."""
    own = Anonymiser(PrivacySettings())
    size = min(BATCH, max(1, len(texts) // 8))  # enough batches for both
    with Pool(own, workers=workers, worth=0) as pool:
        while workers > 1 and not pool.ahead:
            pool.submit([["ready, Mary?"]])()
            time.sleep(0.2)
        own.clean_many(["ready, Mary?"])

        def work() -> None:
            waiting = [
                pool.submit([[text] for text in texts[at : at + size]])
                for at in range(0, len(texts), size)
            ]
            for promise in waiting:
                promise()

        return rate(len(texts), work, time.monotonic)


def cold() -> float:
    """Return the CPU seconds of a new process until its first text is anonymised."""
    script = (
        "import time\n"
        "from curate.config import PrivacySettings\n"
        "from curate.privacy.anonymise import Anonymiser\n"
        "Anonymiser(PrivacySettings()).clean_many(['my name is Mary Smith'])\n"
        "print(time.process_time())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4096
    texts = questions(count)
    print(f"{count} texts, {cores()} cores, load {os.getloadavg()[0]:.1f}")
    alone = max(best_alone(texts) for _ in range(ROUNDS))
    batch = max(batched(texts) for _ in range(ROUNDS))
    single = max(one_by_one(texts) for _ in range(ROUNDS))
    print(f"the model alone, best batches   {alone:7.0f} texts per CPU second")
    print(f"anonymiser in batches           {batch:7.0f}  {batch / alone:.2f} of the model alone")
    print(f"Presidio text by text           {single:7.0f}  {batch / single:.2f} times in batches")
    one, two = pooled(texts, 1), pooled(texts, 2)
    print(f"one process                     {one:7.0f} texts per second")
    print(f"two processes                   {two:7.0f}  {two / one:.2f} times one")
    print(f"first text, cold                {cold():7.2f} CPU seconds")


if __name__ == "__main__":
    main()

"""How fast text is anonymised: ratios, all measured in this run on these cores.

usage: python tests/benchmarks/anonymising.py [TEXTS [ROUNDS]]

Invented questions, all different. CPU seconds of this process for one core. For two processes the
best wall-clock rates of several rounds, one process on one core and two on two in turn, and beside
them what the same work costs in CPU seconds, all processes together, which others on the machine
disturb less. The bounds: in batches at 0.85 or more of the names model's own best batch rate, 1.8
times or more of Presidio's analyze() text by text with the same recognisers, two processes 1.7
times or more of one, and the first text within 5 s of CPU from a cold start.

Texts of which every word is ordinary and nobody's name do not reach the model; the line "asked"
says how many do. The weights stay as they are pinned: as int8 (de-quantised, per channel, reduced
range) they run 2.3 times as fast, but leak in 430 where these leak in 421 of 5,436 labelled texts
with personal data, take the package onnx to make, and are one more file to trust.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from curate.config import PrivacySettings
from curate.privacy.anonymise import Anonymiser
from curate.privacy.engine import LANGUAGE, Engine
from curate.privacy.names import worth_judging
from curate.privacy.pool import Pool, Promise, cores
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


def asked(texts: list[str]) -> float:
    """Return the share of texts that reach the model."""
    return sum(worth_judging(text) for text in texts) / len(texts)


def pooled(texts: list[str], workers: int) -> tuple[float, float]:
    """Return the wall-clock rate with so many processes, once they run, each on a core of its own,
    and the CPU seconds of all of them.
    """
    own = Anonymiser(PrivacySettings())
    size = min(BATCH, max(1, len(texts) // 8))  # enough batches for both
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(every)[:workers]))
    try:
        with Pool(own, workers=workers, worth=0) as pool:
            while workers > 1 and not pool.ahead:
                pool.submit([["ready, Mary?"]])()
                time.sleep(0.2)
            own.clean_many(["ready, Mary?"])
            before = spent()
            result = rate(len(texts), lambda: through(pool, texts, size), time.monotonic)
            return result, spent() - before
    finally:
        os.sched_setaffinity(0, every)


def through(pool: Pool, texts: list[str], size: int) -> None:
    """Anonymise all texts, as many batches on their way as the pool takes."""
    waiting: deque[Promise] = deque()
    for at in range(0, len(texts), size):
        waiting.append(pool.submit([[text] for text in texts[at : at + size]]))
        if len(waiting) > pool.ahead:
            waiting.popleft()()
    for promise in waiting:
        promise()


def spent() -> float:
    """Return the CPU seconds of this process and of those it started."""
    ticks = 0
    for child in multiprocessing.active_children():
        held = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(held[11]) + int(held[12])
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


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
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    texts = questions(count)
    print(f"{count} texts, {cores()} cores, load {os.getloadavg()[0]:.1f}")
    alone = max(best_alone(texts) for _ in range(ROUNDS))
    batch = max(batched(texts) for _ in range(ROUNDS))
    single = max(one_by_one(texts) for _ in range(ROUNDS))
    print(f"the model alone, best batches   {alone:7.0f} texts per CPU second")
    print(f"anonymiser in batches           {batch:7.0f}  {batch / alone:.2f} of the model alone")
    print(f"Presidio text by text           {single:7.0f}  {batch / single:.2f} times in batches")
    print(f"asked                           {100 * asked(texts):6.0f}% of the texts")
    pairs = [(pooled(texts, 1), pooled(texts, 2)) for _ in range(rounds)]
    one, two = (max(pair[which][0] for pair in pairs) for which in (0, 1))
    cost = min(pair[1][1] for pair in pairs) / min(pair[0][1] for pair in pairs)
    print(f"one process, one core           {one:7.0f} texts per second")
    print(f"two processes, two cores        {two:7.0f}  {two / one:.2f} times one")
    print(f"... in CPU seconds, together            {cost:.2f} of one's for the same work")
    print(f"first text, cold                {cold():7.2f} CPU seconds")


if __name__ == "__main__":
    main()

"""End-to-end ingest against the names model alone and against a plain Presidio loop.

Run it with `python tests/benchmarks/ingest_speed.py [COUNT]`, 100,000 questions by default, on a
machine that has nothing else to do. All of them are ingested; the other two are measured on samples
before and after that, on the same cores, and each counts with the mean of its two rates. Where the
machine has other things to do, the seconds of CPU say more than those of the clock.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from curate.config import PrivacySettings, SourceSettings
from curate.ingest.inputs import LogFile
from curate.ingest.run import BATCH
from curate.privacy.pool import cores
from curate.workspace.workspace import Workspace

MODEL_SAMPLE, LOOP_SAMPLE = 8_000, 1_500
NOW = datetime(2026, 11, 29, 21, tzinfo=UTC)
STARTS = (
    "can i", "may we", "how do i", "where do i", "when can i", "is it possible to",
    "what does it cost to", "who lets me", "do i have to", "why can't i",
)  # fmt: skip
VERBS = ("borrow", "return", "extend", "reserve", "repair", "renew", "cancel", "collect", "rent")
THINGS = (
    "ladder", "drill", "bicycle", "projector", "tent", "kayak", "mixer", "scanner", "printer",
    "camera", "tripod", "heater", "saw", "bench", "pump", "key", "locker", "card", "fee", "fine",
    "deposit", "loan", "desk", "room", "shed", "wheel", "brake", "chain", "basket", "helmet",
)  # fmt: skip
ENDS = (
    "on a sunday", "after closing time", "without a card", "for two weeks", "if it is broken",
    "when it rains", "before the holidays", "from another branch", "at the front desk",
)  # fmt: skip


def questions(count: int) -> list[str]:
    """Return distinct short questions."""
    rnd = random.Random(1)  # noqa: S311 - words, not secrets
    return [
        f"{rnd.choice(STARTS)} {rnd.choice(VERBS)} the {rnd.choice(THINGS)} and the "
        f"{rnd.choice(THINGS)} number {number} {rnd.choice(ENDS)}?"
        for number in range(count)
    ]


@dataclass(frozen=True)
class Speed:
    """Texts per second of the clock, and the milliseconds of CPU that one takes."""

    rate: float
    cpu: float

    def __add__(self, other: Speed) -> Speed:
        return Speed((self.rate + other.rate) / 2, (self.cpu + other.cpu) / 2)


def model_alone(texts: list[str]) -> Speed:
    """Return the speed of the names model in batches, a process on each core."""
    half = [texts[at :: cores()] for at in range(cores())]
    context = multiprocessing.get_context("spawn")
    with context.Pool(cores(), initializer=_ready) as pool:
        pool.map(_names, [["warm up"]] * cores())
        began = time.perf_counter()
        cpu = sum(pool.map(_names, half, chunksize=1))
        return Speed(len(texts) / (time.perf_counter() - began), cpu / len(texts) * 1e3)


def _ready() -> None:
    from curate.privacy.rampart import Rampart

    globals()["_model"] = Rampart()


def _names(texts: list[str]) -> float:
    began = time.process_time()
    for at in range(0, len(texts), BATCH):
        globals()["_model"].names(texts[at : at + BATCH])
    return time.process_time() - began


def presidio_loop(texts: list[str]) -> Speed:
    """Return the speed of `AnalyzerEngine.analyze`, text by text, same recognisers."""
    from curate.privacy.engine import Engine

    engine = Engine(PrivacySettings())
    entities = list(PrivacySettings().entities)
    engine.door.analyze("warm up", "en", entities)
    began, cpu = time.perf_counter(), time.process_time()
    for text in texts:
        engine.door.analyze(text, "en", entities)
    taken, used = time.perf_counter() - began, time.process_time() - cpu
    return Speed(len(texts) / taken, used / len(texts) * 1e3)


def workspace(root: Path) -> Workspace:
    """Return an empty workspace with one document."""
    Workspace.create(root, lambda: NOW)
    (root / "docs").mkdir()
    (root / "docs" / "a.md").write_text("# House\n\n## Pumps\n\nThe pump is free.\n")
    return Workspace.open(root, lambda: NOW, "benchmark")


def line(number: int, text: str) -> str:
    """Return one line of a log."""
    row = {"request_id": f"r{number}", "session_id": f"s{number // 3}", "question": text}
    return json.dumps({"ts": "2026-11-20T10:00:00Z", **row}) + "\n"


def ingest(root: Path, log: Path, count: int) -> Speed:
    """Return the speed at which a log of `count` texts is read into a new workspace, all told."""
    with workspace(root) as opened:
        began, cpu = time.perf_counter(), _cpu()
        opened.ingest([LogFile(log, SourceSettings(name="log"))])
        taken, used = time.perf_counter() - began, _cpu() - cpu
    return Speed(count / taken, used / count * 1e3)


def _cpu() -> float:
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(sum(resource.getrusage(one)[:2]) for one in who)


def main() -> None:
    """Print the figures and their ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    texts = questions(count)
    few, fewer = texts[:MODEL_SAMPLE], texts[:LOOP_SAMPLE]
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        log = root / "log.jsonl"
        log.write_text("".join(line(n, text) for n, text in enumerate(texts)))
        model, loop = model_alone(few), presidio_loop(fewer)
        ours = ingest(root / "one", log, count)
        model, loop = model + model_alone(few), loop + presidio_loop(fewer)
    sys.stdout.write(f"{count} questions on {cores()} cores: a second, and CPU for each\n")
    for name, speed in (("names model alone", model), ("presidio loop", loop), ("ingest", ours)):
        sys.stdout.write(f"{name:18}{speed.rate:7.0f}{speed.cpu:8.2f} ms\n")
    sys.stdout.write(
        f"by the clock {ours.rate / model.rate:.2f} of the model alone, "
        f"{ours.rate / loop.rate:.1f} times the loop; "
        f"by CPU {model.cpu / ours.cpu:.2f} and {cores() * loop.cpu / ours.cpu:.1f}\n"
    )


if __name__ == "__main__":
    main()

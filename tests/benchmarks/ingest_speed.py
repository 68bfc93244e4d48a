"""End-to-end ingest against the names model alone and against a plain Presidio loop.

Run it with `python tests/benchmarks/ingest_speed.py [COUNT] [--repeats GIB]`, on a machine that has
nothing else to do: all three are measured one after the other on the same cores. With `--repeats`
it also reads a generated log of that many GiB of repeated lines and prints the peak memory.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from curate.config import PrivacySettings, SourceSettings
from curate.ingest.inputs import LogFile
from curate.ingest.run import BATCH
from curate.privacy.pool import cores
from curate.workspace.workspace import Workspace

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


def model_alone(texts: list[str]) -> float:
    """Return texts per second of the names model in batches, a process on each core."""
    half = [texts[at :: cores()] for at in range(cores())]
    context = multiprocessing.get_context("spawn")
    with context.Pool(cores(), initializer=_ready) as pool:
        pool.map(_names, [["warm up"]] * cores())
        began = time.perf_counter()
        pool.map(_names, half, chunksize=1)
        return len(texts) / (time.perf_counter() - began)


def _ready() -> None:
    from curate.privacy.rampart import Rampart

    globals()["_model"] = Rampart()


def _names(texts: list[str]) -> None:
    for at in range(0, len(texts), BATCH):
        globals()["_model"].names(texts[at : at + BATCH])


def presidio_loop(texts: list[str]) -> float:
    """Return texts per second of `AnalyzerEngine.analyze`, text by text, same recognisers."""
    from curate.privacy.engine import Engine

    engine = Engine(PrivacySettings())
    entities = list(PrivacySettings().entities)
    engine.door.analyze("warm up", "en", entities)
    began = time.perf_counter()
    for text in texts:
        engine.door.analyze(text, "en", entities)
    return len(texts) / (time.perf_counter() - began)


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


def ingest(root: Path, log: Path) -> float:
    """Return how many seconds it takes to read a log into a new workspace."""
    with workspace(root) as opened:
        began = time.perf_counter()
        opened.ingest([LogFile(log, SourceSettings(name="log"))])
        return time.perf_counter() - began


def repeats(root: Path, gib: float) -> None:
    """Read a log of repeats and print the peak memory of all processes."""
    log = root / "repeats.jsonl"
    block = "".join(line(n, text) for n, text in enumerate(questions(10_000))).encode()
    with log.open("wb") as file:
        for _ in range(int(gib * 2**30 / len(block)) + 1):
            file.write(block)
    size = log.stat().st_size / 2**30
    seconds = ingest(root / "repeats", log)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    others = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    sys.stdout.write(
        f"{size:.2f} GiB of repeats: {seconds:.0f} s, peak {own // 1024} MiB here, "
        f"{others // 1024} MiB in each other process\n"
    )


def main() -> None:
    """Print the figures and their ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int, nargs="?", default=100_000)
    parser.add_argument("--repeats", type=float, default=0.0, metavar="GIB")
    told = parser.parse_args()
    texts = questions(told.count)
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        log = root / "log.jsonl"
        log.write_text("".join(line(n, text) for n, text in enumerate(texts)))
        sample = texts[: min(20_000, len(texts))]
        alone = model_alone(sample)
        seconds = ingest(root / "one", log)
        loop = presidio_loop(texts[: min(2_000, len(texts))])
        ours = len(texts) / seconds
        sys.stdout.write(
            f"{len(texts)} questions on {cores()} cores\n"
            f"names model alone   {alone:8.0f} a second\n"
            f"presidio, one by one {loop:7.0f} a second\n"
            f"ingest              {ours:8.0f} a second: {ours / alone:.2f} of the model alone, "
            f"{ours / loop:.1f} times the loop\n"
        )
        if told.repeats:
            repeats(root, told.repeats)


if __name__ == "__main__":
    main()

"""An ingest killed again and again comes to what one clean run comes to.

Run it with `python tests/benchmarks/ingest_kill.py [EVENTS] [KILLS]`: 20,000 events and 20 kills by
default. A process that ingests is killed with SIGKILL at a random moment, over and over, never so
late that nothing is left for the next; then two at once finish the work. Prints how far each got,
how many were interrupted at work, and whether the rows are those of a clean run.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from curate.workspace.workspace import Workspace

NOW = "2026-11-29T21:00:00Z"
AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
QUERIES = (
    "SELECT key, content, question, asked_at, expires_at, source FROM record ORDER BY key",
    "SELECT v.key, v.content, v.rating, r.key FROM vote v LEFT JOIN record r ON r.id = v.record "
    "ORDER BY v.key",
    "SELECT a.tag, r.key FROM alias a JOIN record r ON r.id = a.record ORDER BY a.tag, r.key",
)


def prepare(root: Path, events: int) -> None:
    """Make a workspace with one source: questions, and a vote on every tenth, before or after."""
    clock = lambda: datetime(2026, 11, 29, 21, tzinfo=UTC)  # noqa: E731
    Workspace.create(root, clock)
    (root / "docs").mkdir()
    (root / "docs" / "a.md").write_text("# House\n\n## Pumps\n\nThe pump is free.\n")
    toml = root / "curate.toml"
    toml.write_text(toml.read_text() + '\n[[sources]]\nname = "app"\npath = "log.jsonl"\n')
    rnd = random.Random(1)  # noqa: S311 - words, not secrets
    things = ("pump", "ladder", "drill", "tent", "kayak", "mixer", "camera", "heater")
    at = AT.isoformat()
    with (root / "log.jsonl").open("w") as log:
        for number in range(events * 10 // 11):
            text = f"may Dara Sok borrow the {rnd.choice(things)} on day {number % 40}?"
            asked = {"request_id": f"r{number}", "ts": at, "question": text, "user": f"u{number}"}
            vote = {"request_id": f"r{number}", "ts": at, "rating": "down", "user": f"u{number}"}
            rows = [asked, vote] if number % 10 == 0 else [asked]
            for row in rows if number % 20 else reversed(rows):
                log.write(json.dumps(row) + "\n")
    with Workspace.open(root, clock, "benchmark") as workspace:
        workspace.tagger.tag("event", "both workspaces have this key", AT)
        workspace.ready_corpus()


def start(root: Path) -> subprocess.Popen[bytes]:
    """Start an ingest of the workspace's source."""
    command = [sys.executable, "-m", "curate", "--workspace", str(root), "--now", NOW, "--quiet"]
    return subprocess.Popen([*command, "ingest"], stdout=subprocess.DEVNULL)


def rows(root: Path) -> list[list[tuple[object, ...]]]:
    """Return what is stored, in an order of its own."""
    with closing(sqlite3.connect(root / "curate.db")) as connection:
        return [connection.execute(query).fetchall() for query in QUERIES]


def stored(root: Path) -> int:
    """Return how many questions are stored."""
    with closing(sqlite3.connect(f"file:{root / 'curate.db'}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM record").fetchone()[0])


def interrupt(root: Path, rnd: random.Random, step: float) -> bool:
    """Ingest until some part of a `step` of questions has come, and a moment more; then kill.
    Returns whether there was still something to kill.
    """
    goal = stored(root) + rnd.uniform(0, step)
    going = start(root)
    while going.poll() is None and stored(root) < goal:
        time.sleep(0.02)
    time.sleep(rnd.uniform(0, 0.3))
    alive = going.poll() is None
    going.kill()
    going.wait()
    return alive


def main() -> None:
    """Kill, finish, compare."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    rnd = random.Random()  # noqa: S311 - moments, not secrets
    with tempfile.TemporaryDirectory() as made:
        clean, torn = Path(made) / "clean", Path(made) / "torn"
        prepare(clean, events)
        shutil.copytree(clean, torn, copy_function=shutil.copy2)
        began = time.monotonic()
        assert start(clean).wait() == 0
        whole = stored(clean)
        sys.stdout.write(f"{events} events in one clean run of {time.monotonic() - began:.1f} s\n")
        interrupted = 0
        for left in range(kills, 0, -1):
            step = 1.6 * (whole - stored(torn)) / (left + 1)
            interrupted += interrupt(torn, rnd, step)
            sys.stdout.write(f"kill {kills - left + 1}: {stored(torn)} of {whole} questions\n")
            sys.stdout.flush()
        sys.stdout.write(f"{interrupted} of {kills} interrupted at work\n")
        both = [start(torn), start(torn)]
        codes = [one.wait() for one in both]
        found, wanted = rows(torn), rows(clean)
        counts = [len(some) for some in found]
        others = [len({*some} ^ {*same}) for some, same in zip(found, wanted, strict=True)]
        same = found == wanted
        sys.stdout.write(f"two at once ended with {codes}; questions, votes, names: {counts}\n")
        words = "the same rows as the clean run" if same else f"OTHER ROWS: {others} differ"
        sys.stdout.write(words + "\n")
        sys.exit(0 if same and codes == [0, 0] and interrupted == kills else 1)


if __name__ == "__main__":
    main()

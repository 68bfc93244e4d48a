"""The memory that an ingest takes, whatever the size of the log.

Run it with `python tests/benchmarks/ingest_memory.py [GIB]`: 2 by default, on Linux. A log of that
many GiB of lines that repeat themselves is generated into the temporary directory, read in by the
program itself, and deleted. Prints the peak of each process, and the most of all of them together
at one moment, looked at ten times a second.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from curate.workspace.workspace import Workspace

NOW = "2026-11-29T21:00:00Z"
DISTINCT = 2_000
THINGS = ("pump", "ladder", "drill", "tent", "kayak", "mixer", "camera", "heater", "saw", "bench")


def line(number: int) -> str:
    """Return one line of a log, as an application writes it."""
    row = {
        "ts": "2026-11-20T10:00:00Z",
        "request_id": f"r{number}",
        "session_id": f"s{number // 3}",
        "user": f"u{number // 5}",
        "question": f"may Dara Sok borrow the {THINGS[number % 10]} number {number} on a sunday?",
        "answer": "Yes, until the evening of the next day, for a deposit of 20 dollars. " * 4,
        "chunks": [{"id": f"k{n}", "source": "lending.md", "score": 0.5} for n in range(4)],
    }
    return json.dumps(row) + "\n"


def generate(path: Path, gib: float) -> int:
    """Write the log and return how many lines it has."""
    block = "".join(map(line, range(DISTINCT))).encode()
    blocks = int(gib * 2**30 / len(block)) + 1
    with path.open("wb") as file:
        for _ in range(blocks):
            file.write(block)
    return blocks * DISTINCT


def tree(root: int) -> list[int]:
    """Return a process and all its descendants that are still there."""
    found = [root]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:  # it has just ended
                continue
    return found


def memory(process: int) -> tuple[int, int]:
    """Return what a process has resident now and has had at most, in KiB."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0, 0
    told = dict(row.split(":", 1) for row in status.splitlines())
    now, most = (told.get(name, "0").split()[0] for name in ("VmRSS", "VmHWM"))
    return int(now), int(most)


def main() -> None:
    """Generate, ingest, watch."""
    gib = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        Workspace.create(root / "work", lambda: datetime(2026, 11, 29, 21, tzinfo=UTC))
        (root / "work" / "docs").mkdir()
        (root / "work" / "docs" / "a.md").write_text("# House\n\n## Pumps\n\nThe pump is free.\n")
        lines = generate(root / "log.jsonl", gib)
        size = (root / "log.jsonl").stat().st_size / 2**30
        command = [sys.executable, "-m", "curate", "--workspace", str(root / "work"), "--now", NOW]
        began = time.monotonic()
        going = subprocess.Popen(
            [*command, "--quiet", "ingest", "--json", str(root / "log.jsonl")],
            stdout=subprocess.PIPE,
            text=True,
        )
        peaks: dict[int, int] = {}
        together = 0
        while going.poll() is None:
            seen = {process: memory(process) for process in tree(going.pid)}
            together = max(together, sum(now for now, _ in seen.values()))
            for process, (_, most) in seen.items():
                peaks[process] = max(peaks.get(process, 0), most)
            time.sleep(0.1)
        assert going.stdout is not None
        report = json.loads(going.stdout.read())
        sys.stdout.write(
            f"{size:.2f} GiB, {lines} lines: {time.monotonic() - began:.0f} s, "
            f"{report['questions_new']} new questions, {report['duplicates']} repeats\n"
        )
        for process, most in peaks.items():
            name = "the program" if process == going.pid else "a process it started"
            sys.stdout.write(f"{name}: {most // 1024} MiB at most\n")
        sys.stdout.write(f"all of them at one moment: {together // 1024} MiB at most\n")
        sys.exit(0 if going.returncode == 0 and together < 2**20 else 1)


if __name__ == "__main__":
    main()

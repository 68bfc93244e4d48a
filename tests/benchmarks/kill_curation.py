"""What a kill costs a curator: `python tests/benchmarks/kill_curation.py [ROUNDS]`.

`curate open` runs on a pseudo-terminal, sixty decisions are keyed in (take and save, unanswerable
and save, reject), and at a random moment among them the process is killed with SIGKILL. Whatever
the screen had acknowledged by then must be in the database, in order, and nothing by half.
Twenty rounds; the last line says how many decisions were lost.
"""

from __future__ import annotations

import fcntl
import os
import random
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

from curate.workspace.workspace import Workspace
from tests.events import question

VERBS = ["cancel", "renew", "extend", "transfer", "pause", "upgrade"]
THINGS = ["membership", "invoice", "laptop", "locker", "certificate", "projector"]
LINES, COLUMNS = 30, 120
PATIENCE = 120.0
"""Seconds until a screen that shows nothing counts as hung."""
DOCUMENTS = "".join(
    f"## The {thing}\n\nA {thing} is kept at the desk. To {verb} it takes {n} days.\n\n"
    for n, (verb, thing) in enumerate(zip(VERBS, THINGS, strict=True), 2)
)


@dataclass(frozen=True)
class Step:
    """A decision: the keys, what the title says once it is stored, and what is stored."""

    keys: bytes
    shows: str
    action: str
    status: str


@dataclass(frozen=True)
class Round:
    """What one round came to."""

    acknowledged: int
    stored: int
    lost: int
    killed: bool


def steps() -> list[Step]:
    """The sixty decisions, over thirty-six candidates."""
    total, found = len(VERBS) * len(THINGS), list[Step]()
    for number in range(total):
        left = total - number
        if number % 3 == 2:
            found.append(Step(b"x2", f"1 of {left - 1} ", "rejected", "rejected"))
            continue
        found += [
            Step(b"\r" if number % 3 else b"u", f"1 of {left} .*draft, saved", "make", "draft"),
            Step(b"w", f"1 of {left - 1} ", "change", "ready"),
        ]
    return found


def make(root: Path) -> None:
    """Make a workspace with a document and thirty-six candidates."""

    def clock() -> datetime:
        return datetime.now(UTC)

    Workspace.create(root, clock)
    (root / "docs").mkdir()
    (root / "docs" / "desk.md").write_text(f"# Desk\n\n{DOCUMENTS}", encoding="utf-8")
    with Workspace.open(root, clock, "curator") as workspace:
        events = [
            question(f"q{n}", f"how do i {verb} my {thing}?", received_at=clock())
            for n, (verb, thing) in enumerate(product(VERBS, THINGS))
        ]
        workspace.store.save(events, matcher=workspace.matcher, received=clock())
        workspace.corpus.sync()


class Terminal:
    """`curate open` on a pseudo-terminal, and everything it has written there."""

    def __init__(self, root: Path) -> None:
        self._master, slave = os.openpty()
        size = struct.pack("HHHH", LINES, COLUMNS, 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        # A size in the environment, left there by a test runner, goes before the terminal's own.
        told = {"COLUMNS": str(COLUMNS), "LINES": str(LINES)}
        command = [sys.executable, "-m", "curate", "--workspace", str(root), "--as", "curator"]
        self._process = subprocess.Popen(
            [*command, "open"],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, **told, "TERM": "xterm-256color", "CURATE_NOW": ""},
            start_new_session=True,
        )
        os.close(slave)
        self._written = b""

    def press(self, keys: bytes) -> int:
        """Send keys one by one; return how much was written before."""
        before = len(self._written)
        for key in keys:
            os.write(self._master, bytes([key]))
            self._read(0.03)
        return before

    def shows(self, pattern: str, since: int, until: float) -> bool:
        """Wait until something is written that matches, or time is up."""
        while True:
            if re.search(pattern, self.text(since)):
                return True
            if time.monotonic() > until or not self._read(0.02):
                return bool(re.search(pattern, self.text(since)))

    def text(self, since: int = 0) -> str:
        """What was written, without colours and cursor movements."""
        plain = re.sub(
            rb"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07]*\x07", b"", self._written[since:]
        )
        return plain.decode("utf-8", "replace").replace("\r", "\n")

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], seconds)
        if ready:
            try:
                self._written += os.read(self._master, 1 << 16)
            except OSError:  # nobody writes any more
                return False
        return self._process.poll() is None or bool(ready)

    def kill(self) -> bool:
        """Kill it, read what it had written still, and say whether it was alive."""
        alive = self._process.poll() is None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        while self._read(0.05):
            pass
        os.close(self._master)
        return alive


def curate_and_kill(root: Path, dice: random.Random) -> Round:
    """Make decisions, kill in the midst of one, and compare screen and database."""
    make(root)
    plan = steps()
    last = dice.randrange(len(plan))
    moment = dice.uniform(0.0, 0.3)
    terminal = Terminal(root)
    acknowledged = 0
    try:
        since = 0
        if not terminal.shows("retrieved", 0, time.monotonic() + PATIENCE):
            raise SystemExit(f"the inbox did not come:\n{terminal.text()[-2000:]}")
        since = terminal.press(b"\r")
        if not terminal.shows("1 of 36 ", since, time.monotonic() + PATIENCE):
            raise SystemExit(f"the review did not come:\n{terminal.text()[-2000:]}")
        for index, step in enumerate(plan):
            since = terminal.press(step.keys)
            patience = moment if index == last else PATIENCE
            if terminal.shows(step.shows, since, time.monotonic() + patience):
                acknowledged += 1
            elif index != last:
                raise SystemExit(f"decision {index} did not show:\n{terminal.text()[-2000:]}")
            if index == last:
                break
    finally:
        killed = terminal.kill()
    if acknowledged == last and re.search(plan[last].shows, terminal.text(since)):
        acknowledged += 1
    return _compare(root, plan, acknowledged, killed=killed)


def _compare(root: Path, plan: list[Step], acknowledged: int, *, killed: bool) -> Round:
    with Workspace.open(root, lambda: datetime.now(UTC), "curator") as workspace:
        acts: dict[int, tuple[str, str]] = {}
        for change in workspace.store.revisions(limit=1000):
            if change.subject.startswith("c") and change.action != "rejected":
                continue  # the candidate's part of an item's act
            status = (change.after or {}).get("status", "")
            acts[change.act] = (change.action, status)
        done = [acts[act] for act in sorted(acts)]
        broken = [
            item.id
            for item in workspace.store.items()
            if item.status == "ready"
            and workspace.store.candidate(int(item.cluster[1:])).status != "done"
        ]
    wanted = [(step.action, step.status) for step in plan]
    held = 0
    while held < min(len(done), acknowledged) and done[held] == wanted[held]:
        held += 1
    return Round(acknowledged, len(done), acknowledged - held + len(broken), killed)


def main(rounds: int) -> int:
    """Run so many rounds and return how many decisions were lost."""
    lost = 0
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as directory:
            done = curate_and_kill(Path(directory) / "desk", random.Random(number))  # noqa: S311 - dice
        lost += done.lost
        print(
            f"round {number + 1}: {done.acknowledged} acknowledged, {done.stored} stored, "
            f"{done.lost} lost",
            flush=True,
        )
    print(f"decisions lost in {rounds} kills: {lost}")
    return lost


if __name__ == "__main__":
    sys.exit(min(1, main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)))

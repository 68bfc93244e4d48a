"""The inbox at a million candidates, beside Textual's own DataTable in the same run:
`python tests/benchmarks/inbox.py [CANDIDATES]`.

Both run headless at 120x40 over the same database, each in a process of its own: the time of the
query for all ids, from the first ids that are there to the first rows on the screen, per key (down,
page down, to the end and back) at the median and the 95th percentile (on a busy machine look at
the processor's time, which no other program lengthens), and the memory that the process has more
than before it asked. A key is over when its rows are painted. The inbox asks for a first page of
ids, and for all of them once that is painted. The DataTable needs all its rows in memory; it is
given a tenth of them, with which its time and its memory grow in proportion.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from store_scale import CANDIDATE, RECORD  # type: ignore[import-not-found]
from textual import events
from textual.app import App, ComposeResult
from textual.widgets import DataTable

from curate.tui.app import CurateApp
from curate.tui.screens.inbox import InboxScreen
from curate.workspace.workspace import Workspace

NOW = datetime(2026, 11, 29, tzinfo=UTC)
SIZE = (120, 40)
PEER_SHARE = 10
"""The DataTable is given one in so many of the rows."""
KEYS = ["down"] * 100 + ["pagedown"] * 100 + ["up", "pageup"] * 20
ENDS = {"inbox": ("end", "home"), "DataTable": ("ctrl+end", "ctrl+home")}


def fill(root: Path, number: int) -> None:
    """Make a workspace with this many candidates of one question each."""
    dice = random.Random(1)  # noqa: S311 - dice, not secrets
    Workspace.create(root, lambda: NOW)
    (root / "docs").mkdir()
    (root / "docs" / "a.md").write_text("# Cards\n\nA card is renewed at the desk.\n")
    with Workspace.open(root, lambda: NOW, "anna") as workspace:
        workspace.ready_corpus()
        with workspace.store._database.write() as connection:
            raw: Any = connection.connection.cursor()
            raw.executemany(CANDIDATE, ((n, dice.random()) for n in range(1, number + 1)))
            raw.executemany(
                RECORD,
                (
                    (n, n.to_bytes(16), f"how do I renew my library card number {n}")
                    for n in range(1, number + 1)
                ),
            )


def megabytes() -> float:
    """Return the memory this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


class Watch:
    """Presses keys as a terminal does, and sees when the screen has been painted for them."""

    def __init__(self, app: App[Any], cursor: Callable[[], int], there: Callable[[], bool]) -> None:
        self._app, self._cursor, self._there = app, cursor, there
        self._paints = 0
        display = app._display

        def painted(*arguments: Any) -> None:
            display(*arguments)
            self._paints += 1

        cast(Any, app)._display = painted

    async def press(self, key: str) -> tuple[float, float]:
        """Press a key that moves the cursor; return milliseconds until its rows are painted, by the
        clock and of the processor.
        """
        before, paints = self._cursor(), self._paints
        event = events.Key(key, None)
        event.set_sender(self._app)
        began, busy = time.perf_counter(), time.process_time()
        cast(Any, self._app._driver).send_message(event)
        while self._cursor() == before or self._paints == paints or not self.quiet():
            await asyncio.sleep(0.0005)
        return (time.perf_counter() - began) * 1000, (time.process_time() - busy) * 1000

    def quiet(self) -> bool:
        """Say whether what is there has been painted."""
        return self._there() and not self._app.screen._dirty_widgets

    async def all(self, name: str) -> dict[str, float]:
        """Press all keys and return milliseconds."""
        taken = [await self.press(key) for key in (*KEYS, *ENDS[name] * 10)]
        clock, busy = ([one[part] for one in taken] for part in (0, 1))
        return {
            "key_median": statistics.median(clock),
            "key_p95": statistics.quantiles(clock, n=20)[-1],
            "cpu_p95": statistics.quantiles(busy, n=20)[-1],
        }


async def ours(root: Path) -> dict[str, float]:
    """Measure the inbox."""
    with Workspace.open(root, lambda: NOW, "anna") as workspace:
        app = CurateApp(workspace)
        marks: dict[str, float] = {}
        query = workspace.store.candidate_ids

        def asked(*arguments: Any, **named: Any) -> Any:
            marks.setdefault("before", megabytes())
            began = time.perf_counter()
            found = query(*arguments, **named)
            if not named.get("limit"):
                marks.setdefault("query", time.perf_counter() - began)
            marks.setdefault("answered", time.perf_counter())
            return found

        workspace.store.candidate_ids = asked  # type: ignore[method-assign]
        async with app.run_test(size=SIZE):
            while not isinstance(app.screen, InboxScreen):
                await asyncio.sleep(0.001)
            screen = app.screen
            watch = Watch(app, lambda: screen.listing.cursor, lambda: _shown(screen))
            while not watch.quiet():
                await asyncio.sleep(0.001)
            paint = time.perf_counter() - marks["answered"]
            while "query" not in marks or not screen.settled:
                await asyncio.sleep(0.01)
            keys = await watch.all("inbox")
            more = megabytes() - marks["before"]
    return {"query": marks["query"], "paint": paint, **keys, "memory": more}


def _shown(screen: InboxScreen) -> bool:
    """Say whether every row that fits on the screen is there."""
    listing = screen.listing
    top = round(listing.scroll_offset.y)
    keys = listing._keys[top : top + listing.size.height]
    return bool(len(keys)) and all(listing.row(key) is not None for key in keys)


class Peer(App[None]):
    """Textual's own table, with everything in it."""

    def compose(self) -> ComposeResult:
        """Lay out the table."""
        yield DataTable(cursor_type="row")


async def datatable(root: Path) -> dict[str, float]:
    """Measure a DataTable that is given the same rows."""
    with Workspace.open(root, lambda: NOW, "anna") as workspace:
        app = Peer()
        async with app.run_test(size=SIZE) as pilot:
            table = app.query_one(DataTable)
            table.add_columns("why", "question", "asked")
            await pilot.pause()
            before = megabytes()
            began = time.perf_counter()
            ids = workspace.store.candidate_ids()
            ids = ids[: max(1, len(ids) // PEER_SHARE)]
            query = time.perf_counter() - began
            began = time.perf_counter()
            for at in range(0, len(ids), 1000):
                for one in workspace.store.candidates(ids[at : at + 1000]):
                    table.add_row(" · ".join(one.reasons), one.question, str(one.size))
            await pilot.pause()
            paint = time.perf_counter() - began
            table.focus()

            keys = await Watch(app, lambda: table.cursor_row, lambda: True).all("DataTable")
            more = megabytes() - before
    return {"query": query, "paint": paint, **keys, "memory": more}


WAYS = {"inbox": ours, "DataTable": datatable}


def main() -> None:
    """Measure both and print a row for each."""
    if len(sys.argv) == 3 and sys.argv[1] in WAYS:
        print(json.dumps(asyncio.run(WAYS[sys.argv[1]](Path(sys.argv[2])))))
        return
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory) / "ws"
        fill(root, number)
        print(f"{number:,} candidates")
        print(f"{'':10} query s  first paint s  key ms median   p95  p95 of CPU  memory MB more")
        for name in WAYS:
            done = subprocess.run(
                [sys.executable, __file__, name, str(root)], capture_output=True, text=True
            )
            if done.returncode:
                print(f"{name:10} did not finish (exit {done.returncode})")
                print(done.stderr[-2000:], file=sys.stderr)
                continue
            r = json.loads(done.stdout)
            print(
                f"{name:10} {r['query']:7.2f} {r['paint']:14.2f} {r['key_median']:14.1f}"
                f" {r['key_p95']:5.1f} {r['cpu_p95']:11.1f} {r['memory']:15.0f}"
            )


if __name__ == "__main__":
    main()

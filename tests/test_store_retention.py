from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from curate.model.custody import Receipt
from curate.model.errors import CurateError, Exit
from curate.model.items import Item
from curate.model.records import Clean, RetrievedChunk, Turn
from curate.store import files, retention
from curate.store.files import Busy
from curate.store.store import Store
from curate.triage import Matcher
from tests.events import DAY, NOW, Clock, question, tag, vote


class Plain(Matcher):
    """Questions are the same when they are equal; quick, for many."""

    def bands(self, text: str) -> tuple[int, ...]:
        return (int.from_bytes(tag("band", text)[:8]),)

    def same(self, a: str, b: str) -> bool:
        return a == b


def fill(store: Store, first: int, count: int, **changes: object) -> None:
    batch = [
        question(
            f"q{number}",
            f"marker-question-{number}",
            standalone=Clean(f"marker-standalone-{number}"),
            answer=Clean(f"marker-answer-{number} " * 20),
            history=(Turn("user", f"marker-history-{number}"),),
            chunks=(RetrievedChunk(1, heading=f"marker-heading-{number}"),),
            user=tag("user", f"marker-user-{number}"),
            **changes,
        )
        for number in range(first, first + count)
    ]
    votes = [
        vote(
            f"v{number}",
            f"q{number}",
            reason=f"marker-reason-{number}",
            comment=Clean(f"marker-comment-{number}"),
        )
        for number in range(first, first + count, 3)
    ]
    store.save([*batch, *votes], matcher=Plain(), received=NOW)


def purge(store: Store, **options: object) -> Receipt:
    return store.purge(by="anna", matcher=Plain(), **options)  # type: ignore[arg-type]


def found(directory: Path, *needles: bytes) -> dict[str, int]:
    """How often any of the needles stands in the bytes of each file."""
    return {
        file.name: number
        for file in directory.iterdir()
        if (number := sum(file.read_bytes().count(needle) for needle in needles))
    }


def test_purged_text_is_gone_from_every_byte(store: Store, database: Path, clock: Clock) -> None:
    fill(store, 0, 700, asked_at=NOW - 50 * DAY)
    fill(store, 900, 90)
    waiting = vote("late", "nobody", comment=Clean("marker-waiting"))
    store.save([waiting], matcher=Plain(), received=NOW)
    users = [tag("user", f"marker-user-{number}") for number in range(700)]
    assert found(database.parent, b"marker-question-")
    clock.now = NOW + 45 * DAY
    receipt = purge(store)
    assert receipt.status == "clean"
    assert receipt.verified == {"left": 0, "freelist": 0, "wal": 0, "journal": 0}
    assert receipt.counts["records"] == 700
    assert receipt.counts["candidates"] == 700
    kinds = ("question", "standalone", "answer", "history", "heading", "comment", "reason")
    gone = [f"marker-{kind}-{number}".encode() for kind in kinds for number in range(100, 700)]
    assert found(database.parent, *gone) == {}
    assert found(database.parent, *users) == {}
    assert not database.with_name("curate.db-journal").exists()
    assert store.counts().records == 90
    assert len(store.candidate_ids()) == 90
    clock.now = NOW + 200 * DAY
    assert purge(store).status == "clean"
    assert found(database.parent, b"marker-") == {}


def test_no_stale_copy_survives_shuffled_inserts_and_updates(
    store: Store, database: Path, clock: Clock
) -> None:
    """Splitting and rebalancing pages leaves copies of cells that secure_delete never sees."""
    dice = random.Random(3)  # noqa: S311 - dice, not secrets
    numbers = list(range(1000))
    dice.shuffle(numbers)
    for round_ in range(2):
        batch = [
            question(
                f"q{number}",
                f"marker-{number}-" + "x" * dice.randrange(200),
                answer=Clean(f"marker-{number}-" + "y" * dice.randrange(900)),
                policy=str(round_),
            )
            for number in numbers
        ]
        store.save(batch, matcher=Plain(), received=NOW)
    clock.now = NOW + 100 * DAY
    assert purge(store).counts["records"] == 1000
    assert found(database.parent, b"marker-") == {}


def test_a_purge_with_nothing_expired_still_clears_what_updates_left(
    store: Store, database: Path
) -> None:
    fill(store, 0, 50)
    store.save(
        [question(f"q{n}", f"other words {n}", policy="new") for n in range(50)],
        matcher=Plain(),
        received=NOW,
    )
    assert purge(store).status == "clean"
    assert found(database.parent, b"marker-question-", b"marker-answer-") == {}
    assert store.counts().records == 50


def test_a_dry_run_counts_and_removes_nothing(store: Store, clock: Clock) -> None:
    fill(store, 0, 9)
    assert purge(store, dry_run=True).status == "clean"
    clock.now = NOW + 100 * DAY
    called: list[int] = []

    def destroy() -> int:
        called.append(1)
        return 1

    receipt = purge(store, dry_run=True, destroy=destroy)
    assert receipt.status == "overdue"
    assert receipt.counts == {"records": 9, "votes": 3, "revisions": 0}
    assert store.counts().overdue == 9
    assert store.receipts() == []
    assert called == []


def test_keys_are_destroyed_first_and_counted(store: Store, clock: Clock) -> None:
    fill(store, 0, 9)
    clock.now = NOW + 100 * DAY
    overdue: list[int] = []

    def destroy() -> int:
        overdue.append(store.counts().overdue)
        return 4

    assert purge(store, destroy=destroy).counts["keys"] == 4
    assert overdue == [9]


def test_the_receipt_is_kept_and_holds_no_text(store: Store, clock: Clock) -> None:
    fill(store, 0, 9)
    clock.now = NOW + 100 * DAY
    receipt = purge(store)
    assert store.receipts("purge") == [receipt]
    assert store.counts().last_purge == receipt
    assert store.receipts("forget") == []
    assert receipt.counts == {"keys": 0, "records": 9, "votes": 3, "candidates": 9, "revisions": 0}
    assert "marker" not in repr(receipt)


def test_a_reader_in_the_way_defers_the_proof_but_not_the_keys(
    store: Store, database: Path, clock: Clock
) -> None:
    fill(store, 0, 100)
    clock.now = NOW + 100 * DAY
    reader = sqlite3.connect(database, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM record").fetchone()
    receipt = purge(store, destroy=lambda: 2)
    assert (receipt.status, receipt.counts["keys"]) == ("deferred", 2)
    assert "reader" in receipt.detail
    assert store.counts().dirty
    assert found(database.parent, b"marker-question-")
    reader.execute("COMMIT")
    reader.close()
    assert purge(store).status == "clean"
    assert not store.counts().dirty
    assert found(database.parent, b"marker-") == {}


def test_a_half_fetched_cursor_is_a_reader_too(store: Store, database: Path, clock: Clock) -> None:
    fill(store, 0, 300)
    clock.now = NOW + 100 * DAY
    reader = sqlite3.connect(database, isolation_level=None)
    cursor = reader.execute("SELECT * FROM record")
    cursor.fetchone()
    assert purge(store).status == "deferred"
    cursor.close()
    reader.close()
    assert purge(store).status == "clean"


def test_a_writer_in_the_way_defers(
    store: Store, database: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BUSY_MS", 50)
    fill(store, 0, 9)
    store.close()
    clock.now = NOW + 100 * DAY
    writer = sqlite3.connect(database, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with Store.open(database, now=clock) as other:
        receipt = purge(other, destroy=lambda: 3)
        assert (receipt.status, receipt.counts["keys"]) == ("deferred", 3)
        assert "receipt is not kept" in receipt.detail
        writer.close()
        assert purge(other).status == "clean"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can make a small disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_defers_and_loses_nothing(
    database: Path, small_disk: Path, clock: Clock
) -> None:
    path = Path(shutil.copy(database, small_disk / "curate.db"))
    with Store.open(path, now=clock) as store:
        fill(store, 0, 100, asked_at=NOW - 50 * DAY)
        fill(store, 900, 100)
    with Store.open(path, now=clock) as store:
        store.counts()
        ballast = fill_up(small_disk)
        clock.now = NOW + 45 * DAY
        receipt = purge(store, destroy=lambda: 5)
        assert (receipt.status, receipt.counts["keys"]) == ("deferred", 5)
        assert "the disk is full" in receipt.detail
        ballast.unlink()
        assert store.counts().records == 100
        assert purge(store).status == "clean"
        assert store.counts().records == 100


def test_a_database_on_a_full_disk_opens_later(
    database: Path, small_disk: Path, clock: Clock
) -> None:
    path = Path(shutil.copy(database, small_disk / "curate.db"))
    ballast = fill_up(small_disk)
    with pytest.raises(Busy, match="the disk is full"):
        Store.open(path, now=clock)
    ballast.unlink()
    Store.open(path, now=clock).close()


def fill_up(disk: Path) -> Path:
    ballast = disk / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", 0) as file:
        while True:
            file.write(b"x" * 4096)
    return ballast


def test_what_cannot_be_counted_is_not_verified(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, 0, 9)
    clock.now = NOW + 100 * DAY

    def unknown(*_: object) -> dict[str, int]:
        raise Busy("curate.db is locked by another process")

    with monkeypatch.context() as patch:
        patch.setattr(retention, "_overdue", unknown)
        receipt = purge(store)
    assert receipt.status == "not verified"
    assert store.receipts() == [receipt]
    assert store.counts().dirty
    assert purge(store).status == "clean"


def test_what_is_left_is_not_verified(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, 0, 9)
    clock.now = NOW + 100 * DAY
    with monkeypatch.context() as patch:
        patch.setattr(retention, "_delete_records", lambda *_: False)
        receipt = purge(store)
    assert receipt.status == "not verified"
    assert receipt.verified["left"] > 0
    assert "left" in receipt.detail


def test_two_purges_never_run_at_once(store: Store) -> None:
    inner: list[Exit] = []

    def destroy() -> int:
        with pytest.raises(CurateError, match="another purge") as caught:
            purge(store)
        inner.append(caught.value.code)
        return 0

    assert purge(store, destroy=destroy).status == "clean"
    assert inner == [Exit.DEFERRED]


def test_a_candidate_that_lost_its_first_records_is_shown_found_and_ranked_by_the_rest(
    store: Store, clock: Clock
) -> None:
    matcher = Matcher()
    store.save(
        [
            question("a", "How long can I keep a book?", asked_at=NOW - 80 * DAY),
            question("b", "how long can I keep a book", asked_at=NOW),
            vote("v", "a"),
        ],
        matcher=matcher,
        received=NOW,
    )
    (before,) = store.candidates(store.candidate_ids())
    clock.now = NOW + 20 * DAY
    store.purge(by="anna", matcher=matcher)
    (after,) = store.candidates(store.candidate_ids())
    assert (after.id, after.size) == (before.id, 1)
    assert after.priority < before.priority
    assert "down" not in " ".join(after.reasons)
    later = clock.now
    newcomer = question("c", "How long can I keep a book", asked_at=later, received_at=later)
    store.save([newcomer], matcher=matcher, received=clock.now)
    assert [c.size for c in store.candidates(store.candidate_ids())] == [2]


def test_an_item_stays_and_is_cut_loose(store: Store, database: Path, clock: Clock) -> None:
    fill(store, 0, 3)
    candidate = store.candidate_ids()[0]
    item = Item("loans-1", 0, "How long?", status="ready", original="marker-kept")
    store.save_item(item, by="anna", now=NOW, expected=0, candidate=candidate, action="make")
    store.decide(store.candidate_ids()[0], "rejected", by="anna", now=NOW)
    clock.now = NOW + 100 * DAY
    purge(store)
    assert list(store.candidate_ids(status="")) == []
    assert store.item("loans-1").original == "marker-kept"
    assert store.counts().candidates == {}


def test_the_wording_of_an_item_that_was_undone_goes_too(
    store: Store, database: Path, clock: Clock
) -> None:
    for identifier in ("loans-1", "fees-1"):
        store.save_item(
            Item(identifier, 0, f"marker-{identifier}"),
            by="anna",
            now=NOW,
            expected=0,
            action="make",
        )
    store.undo(by="anna", now=NOW)
    clock.now = NOW + 89 * DAY
    assert purge(store).counts["revisions"] == 0
    clock.now = NOW + 91 * DAY
    assert purge(store).counts["revisions"] == 2
    assert found(database.parent, b"marker-fees-1") == {}
    assert found(database.parent, b"marker-loans-1")
    assert [revision.action for revision in store.revisions("fees-1")] == ["undo", "make"]
    assert store.undo(by="anna", now=NOW).subjects == ("loans-1",)


def test_an_old_log_read_again_brings_nothing_back(store: Store, clock: Clock) -> None:
    asked, voted = question("a", "How long?"), vote("v", "a")
    store.save([asked, voted], matcher=Plain(), received=NOW)
    clock.now = later = NOW + 100 * DAY
    purge(store)
    again = (replace(asked, received_at=later), replace(voted, received_at=later))
    assert store.save(again, matcher=Plain(), received=later).expired == 2
    assert store.counts().records == 0


PURGE = """
import sys
from datetime import datetime
from pathlib import Path
from curate.store.store import Store
from curate.triage import Matcher
now = datetime.fromisoformat(sys.argv[2])
with Store.open(Path(sys.argv[1]), now=lambda: now) as store:
    print("ready", flush=True)
    print(store.purge(by="anna", matcher=Matcher()).status)
"""


def test_a_purge_killed_anywhere_ends_clean_when_it_runs_again(
    store: Store, database: Path, tmp_path_factory: pytest.TempPathFactory, clock: Clock
) -> None:
    fill(store, 0, 1200, asked_at=NOW - 50 * DAY)
    fill(store, 5000, 50)
    store.close()
    dice = random.Random(7)  # noqa: S311 - dice, not secrets
    killed = 0
    now = NOW + 45 * DAY
    for number in range(6):
        path = tmp_path_factory.mktemp("killed") / "curate.db"
        path.write_bytes(database.read_bytes())
        command = [sys.executable, "-c", PURGE, str(path), now.isoformat()]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(dice.random() * 0.08 * (number + 1))
            process.send_signal(signal.SIGKILL)
            process.wait()
        killed += process.returncode == -signal.SIGKILL
        with Store.open(path, now=lambda: now) as again:
            assert purge(again).status == "clean"
            counts = again.counts()
            assert (counts.records, counts.overdue, counts.dirty) == (50, 0, False)
        assert found(path.parent, b"marker-question-1", b"marker-answer-1") == {}
        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
    assert killed > 0

from __future__ import annotations

import os
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

import curate
from curate.model.errors import CurateError, Exit
from curate.model.records import Clean
from curate.store import files, schema
from curate.store.engine import Database
from curate.store.files import Busy
from curate.store.store import Store
from curate.triage import Matcher
from tests.events import NOW, Clock, question


@pytest.fixture
def path(database: Path) -> Path:
    return database


def open_fails(path: Path) -> CurateError:
    with pytest.raises(CurateError) as caught, Store.open(path, now=Clock()) as store:
        store.counts()
    assert caught.value.code is Exit.ENVIRONMENT
    assert path.name in caught.value.message
    assert caught.value.hint
    return caught.value


def test_every_connection_has_every_setting_and_readers_cannot_write(path: Path) -> None:
    wanted = {
        "secure_delete": 1,
        "journal_mode": "wal",
        "synchronous": 2,
        "temp_store": 2,
        "foreign_keys": 1,
        "busy_timeout": 5000,
    }
    writing = {"query_only": 0, "cache_size": -16_000, "wal_autocheckpoint": 4000}
    database = Database(path)
    for connect, more in ((database.write, writing), (database.read, {"query_only": 1})):
        with connect() as connection:
            for name, value in (wanted | more).items():
                assert connection.exec_driver_sql(f"PRAGMA {name}").scalar() == value
    with pytest.raises(CurateError, match="read-only"), database.read() as connection:
        connection.execute(text("DELETE FROM record"))
    database.close()


def test_only_the_engine_opens_our_databases() -> None:
    package = Path(curate.__file__).parent
    opening = re.compile(r"create_engine\(|sqlite3\.connect\(")
    found = {
        source.relative_to(package).as_posix()
        for source in package.rglob("*.py")
        if opening.search(source.read_text(encoding="utf-8"))
    }
    # The rebuildable index of the documents, and users' own databases, are not ours.
    others = {name for name in found if name.startswith("corpus/")} | {"ingest/database.py"}
    assert found - others == {"store/files.py", "store/engine.py"}


def test_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with Store.create(tmp_path / "curate.db", now=Clock()) as store:
            store.save([question("a", "How long?")], matcher=Matcher(), received=NOW)
            store.counts()
            store.purge(by="anna", matcher=Matcher())
            modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert {"curate.db", "curate.db-wal", "curate.db-shm", "purge.lock"} == set(modes)
    assert set(modes.values()) == {0o600}


def test_an_existing_file_is_never_made_anew(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(CurateError, match="exists already"):
        Store.create(path, now=Clock())
    assert path.read_bytes() == before


def test_a_creation_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail(_: Path) -> None:
        raise sqlite3.OperationalError("no")

    with pytest.raises(sqlite3.OperationalError):
        files.create(tmp_path / "curate.db", fail)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_database_is_named_and_not_made(tmp_path: Path) -> None:
    assert "does not exist" in open_fails(tmp_path / "curate.db").message
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_an_error_and_stays_empty(path: Path) -> None:
    path.write_bytes(b"")
    assert "is empty" in open_fails(path).message
    assert path.read_bytes() == b""
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda _: b"hello, this is no database" * 40, "is not a SQLite database"),
        (lambda old: old[:60], "cut short"),
        (lambda old: old[:8192], "damaged"),
        (lambda old: old[:100] + b"\xff" * 4000 + old[4100:], "damaged"),
        (lambda old: old[:4096] + b"\xa5" * 40_960 + old[45_056:], "damaged"),
        (lambda old: old[:68] + b"\x00\x00\x00\x01" + old[72:], "another program"),
        (lambda old: old[:60] + b"\xff\xff" + old[62:100] + b"\x00" * 4000, "damaged"),
    ],
)
def test_a_damaged_database_is_named_and_left_as_it_is(
    path: Path, damage: object, message: str
) -> None:
    assert callable(damage)
    broken = damage(path.read_bytes())
    path.write_bytes(broken)
    assert message in open_fails(path).message
    assert path.read_bytes() == broken


def test_a_database_of_another_program_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "curate.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = path.read_bytes()
    assert "another program" in open_fails(path).message
    assert path.read_bytes() == before


def test_a_directory_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "curate.db").mkdir()
    assert "cannot be read" in open_fails(tmp_path / "curate.db").message


@pytest.fixture
def locked(path: Path) -> Iterator[Path]:
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    yield path
    holder.close()


def test_a_locked_database_is_busy_and_still_read(
    locked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BUSY_MS", 50)
    with Store.open(locked, now=Clock()) as store:
        assert store.counts().records == 0
        with pytest.raises(Busy, match="locked by another process"):
            store.save([question("a", "How long?")], matcher=Matcher(), received=NOW)


def test_writers_wait_for_each_other(path: Path) -> None:
    database = Database(path)
    entered = threading.Event()

    def add() -> None:
        entered.set()
        with database.write() as connection:
            connection.execute(text("UPDATE state SET value = value * 10"))

    with database.write() as connection:
        other = threading.Thread(target=add)
        other.start()
        entered.wait()
        connection.execute(text("INSERT INTO state (name, value) VALUES ('x', 1)"))
    other.join()
    with database.read() as connection:
        assert connection.execute(text("SELECT value FROM state")).scalar() == 10
    database.close()


def test_a_full_disk_is_one_message_and_nothing_is_half_done(path: Path) -> None:
    with Store.open(path, now=Clock()) as store:
        store.save([question("a", "How long?")], matcher=Matcher(), received=NOW)
        batch = [question(f"q{n}", f"word{n}", answer=Clean("so " * 999)) for n in range(200)]
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 100_000, hard))
        try:
            with pytest.raises(CurateError, match=r"curate\.db") as caught:
                store.save(batch, matcher=Matcher(), received=NOW)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert caught.value.code is Exit.ENVIRONMENT
        assert "word" not in caught.value.message
        assert store.counts().records == 1
        assert store.save(batch, matcher=Matcher(), received=NOW).questions_new == 200


def test_a_database_without_room_says_so(path: Path) -> None:
    database = Database(path)
    many = "INSERT INTO state SELECT hex(randomblob(2000)), 1 FROM pragma_function_list"
    with database.write() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
    with pytest.raises(Busy, match="the disk is full"), database.write() as connection:
        connection.exec_driver_sql(many)
    database.close()


AS_NOBODY = """
import os, sys
from datetime import datetime, UTC
from pathlib import Path
from curate.model.errors import CurateError
from curate.store.store import Store
with Store.open(Path(sys.argv[2]), now=lambda: datetime.now(UTC)) as store:
    store.counts()  # everything is imported while that is allowed
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    Store.open(Path(sys.argv[1]), now=lambda: datetime.now(UTC)).counts()
except CurateError as error:
    print(error.message)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody without rights")
@pytest.mark.parametrize(
    ("file_mode", "directory_mode", "message"),
    [
        (0o600, 0o777, "curate.db cannot be read: Permission denied"),
        (0o444, 0o777, "curate.db is read-only"),
        (0o666, 0o555, " is read-only"),
    ],
)
def test_what_may_not_be_written_is_named(
    path: Path, file_mode: int, directory_mode: int, message: str
) -> None:
    with tempfile.TemporaryDirectory() as made:
        copy = Path(made) / "curate.db"
        copy.write_bytes(path.read_bytes())
        copy.chmod(file_mode)
        Path(made).chmod(directory_mode)
        ran = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, str(copy), str(path)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(curate.__file__).parents[1],
        )
        assert message in ran.stdout
        assert copy.read_bytes() == path.read_bytes()
        Path(made).chmod(0o700)


def test_a_newer_database_is_refused_and_left_as_it_is(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    error = open_fails(path)
    assert "newer" in error.message
    assert "9999" in error.message
    assert path.read_bytes() == before


def test_opening_an_up_to_date_database_does_not_import_alembic(path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from datetime import datetime, UTC;"
        "from curate.store.store import Store;"
        f"Store.open(Path({str(path)!r}), now=lambda: datetime.now(UTC)).counts();"
        "print('alembic' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
    assert schema.SCHEMA

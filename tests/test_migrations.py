from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from curate.model.errors import CurateError
from curate.store import engine, files, schema
from curate.store.store import Store
from curate.store.tables import metadata
from curate.triage import Matcher
from tests.events import DAY, NOW, Clock
from tests.test_store_deciding import FULL

DATA = Path(__file__).parent / "data" / "store"


def config() -> Config:
    made = Config()
    made.set_main_option("script_location", str(schema.migrations()))
    return made


def old_database(path: Path, revision: str) -> Path:
    """A database that an older program left, with rows in every table."""

    def build(draft: Path) -> None:
        with closing(sqlite3.connect(draft)) as connection:
            connection.executescript((DATA / f"{revision}.sql").read_text(encoding="utf-8"))
            connection.execute("PRAGMA journal_mode=WAL")

    files.create(path, build)
    return path


def shape(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        return {name: re.sub(r"[\s\"]+", "", sql) for name, sql in rows}


def rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_the_program_knows_the_newest_migration_and_the_line_is_straight() -> None:
    scripts = ScriptDirectory.from_config(config())
    assert scripts.get_current_head() == schema.SCHEMA
    revisions = [script.revision for script in scripts.walk_revisions()]
    assert revisions == sorted(revisions, reverse=True)
    for script in scripts.walk_revisions():
        assert Path(script.path).name.startswith(f"{script.revision}_")


def test_migrations_are_self_contained() -> None:
    for source in schema.migrations().rglob("*.py"):
        assert not re.search(r"^\s*(from|import) curate", source.read_text(), re.MULTILINE)


def test_the_migrated_schema_is_the_one_of_the_tables(database: Path, tmp_path: Path) -> None:
    checked = config()
    checked.attributes["metadata"] = metadata
    with engine.migrating(database) as connection:
        checked.attributes["connection"] = connection
        command.check(checked)
    with closing(sqlite3.connect(tmp_path / "made.db")) as connection:
        connection.execute(f"PRAGMA application_id={files.APPLICATION_ID}")
    with engine.migrating(tmp_path / "made.db") as connection:
        metadata.create_all(connection)
    migrated = shape(database)
    assert "alembic_version" in migrated
    del migrated["alembic_version"]
    assert migrated == shape(tmp_path / "made.db")


def test_every_table_is_strict(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        found = connection.execute(
            "SELECT name FROM pragma_table_list"
            " WHERE type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'"
        )
        assert found.fetchall() == [("alembic_version",)]


def test_a_generated_migration_names_plain_types_only(database: Path, tmp_path: Path) -> None:
    made = config()
    copy = shutil.copytree(schema.migrations(), tmp_path / "migrations")
    made.set_main_option("script_location", str(copy))
    made.attributes["metadata"] = metadata
    with engine.migrating(database) as connection:
        connection.exec_driver_sql("DROP TABLE receipt")
        made.attributes["connection"] = connection
        command.revision(made, "next", autogenerate=True, rev_id="9999")
    written = (copy / "versions" / "9999_next.py").read_text(encoding="utf-8")
    assert "sa.Column('at', sa.Text(), nullable=False)" in written
    assert "curate" not in written


@pytest.mark.parametrize("dump", sorted(DATA.glob("*.sql")), ids=lambda path: str(path.stem))
def test_an_old_database_with_rows_is_upgraded_on_opening(tmp_path: Path, dump: Path) -> None:
    path = old_database(tmp_path / "curate.db", dump.stem)
    clock = Clock(NOW + 20 * DAY)
    with Store.open(path, now=clock) as store:
        counts = store.counts()
        assert (counts.records, counts.waiting_votes, counts.versions) == (3, 1, 1)
        candidates = {c.question: c for c in store.candidates(store.candidate_ids(status=""))}
        book = candidates["How long can <PERSON_1> keep a book?"]
        assert (book.status, book.item, book.size) == ("done", "loans-1", 2)
        assert store.records(book.id)[0].feedback[0].rating == -1
        assert store.item("loans-1").evidences == FULL.evidences
        assert store.version(1).items == (store.item("loans-1"),)
        assert [one.action for one in store.revisions("loans-1")] == ["change", "make"]
        assert store.receipts("purge")[0].counts["records"] == 1
        store.undo(by="ben", now=NOW)
        assert store.item("loans-1").keyword == FULL.keyword
        clock.now = NOW + 200 * DAY
        assert store.purge(by="anna", matcher=Matcher()).status == "clean"


def test_what_versions_were_called_and_labelled_with_survives(tmp_path: Path) -> None:
    path = old_database(tmp_path / "curate.db", "0006")
    with Store.open(path, now=Clock(NOW)) as store:
        version = store.version(1)
        assert store.version_names() == {"released": 1}
        assert version.chunks == store.chunk_sets()[0]
        assert (version.gold, version.more) == ({"loans-1": ("c1",)}, {"remap.json": b"{}"})


NEXT = '''
"""Drops a column that held text, and rebuilds a table that others point at."""

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "HEAD"


def upgrade() -> None:
    with op.batch_alter_table("record") as batch:
        batch.drop_column("answer")
    {more}
'''.replace("HEAD", schema.SCHEMA)


@pytest.fixture
def following(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program whose schema is one migration ahead; returns where that is written."""
    copy = Path(shutil.copytree(schema.migrations(), tmp_path / "migrations%20"))
    monkeypatch.setattr(schema, "migrations", lambda: copy)
    monkeypatch.setattr(schema, "SCHEMA", "9999")
    return copy / "versions" / "9999_next.py"


def test_an_upgrade_keeps_children_and_leaves_no_byte_of_what_it_drops(
    tmp_path: Path, following: Path
) -> None:
    path = old_database(tmp_path / "curate.db", "0001")
    assert b"Within two weeks." in path.read_bytes()
    following.write_text(NEXT.format(more=""))
    schema.ensure(path)
    left = [file for file in tmp_path.iterdir() if file.is_file()]
    assert all(b"Within two weeks." not in file.read_bytes() for file in left)
    with closing(sqlite3.connect(path)) as connection:
        for table, number in (("record", 3), ("alias", 3), ("vote", 2)):
            assert len(connection.execute(f"SELECT * FROM {table}").fetchall()) == number  # noqa: S608 - our own names
        assert "STRICT" in shape(path)["record"]
        assert connection.execute("PRAGMA application_id").fetchone() == (files.APPLICATION_ID,)
    schema.ensure(path)


def test_an_upgrade_that_cannot_rewrite_the_file_leaves_that_to_the_next_purge(
    tmp_path: Path, following: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = old_database(tmp_path / "curate.db", "0001")
    following.write_text(NEXT.format(more=""))
    monkeypatch.setattr(files, "BUSY_MS", 50)
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM record").fetchone()
        schema.ensure(path)
    with Store.open(path, now=Clock()) as store:
        assert store.counts().dirty
        assert store.purge(by="anna", matcher=Matcher()).status == "clean"
        assert not store.counts().dirty


@pytest.mark.parametrize("more", ["raise RuntimeError", "op.execute('DELETE FROM candidate')"])
def test_an_upgrade_that_fails_changes_nothing(tmp_path: Path, following: Path, more: str) -> None:
    path = old_database(tmp_path / "curate.db", "0001")
    before = rows(path)
    following.write_text(NEXT.format(more=more))
    with pytest.raises((RuntimeError, CurateError)):
        schema.ensure(path)
    assert rows(path) == before


def test_a_damaged_old_database_is_not_upgraded(tmp_path: Path, following: Path) -> None:
    path = old_database(tmp_path / "curate.db", "0001")
    following.write_text(NEXT.format(more=""))
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xa5" * 20_480 + whole[28_672:])
    broken = path.read_bytes()
    with pytest.raises(CurateError, match="damaged"):
        schema.ensure(path)
    assert path.read_bytes() == broken

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import bindparam, insert, select, update

from curate.store.engine import Database
from curate.store.many import Many
from curate.store.tables import candidate, suppressed

AT = datetime(2026, 11, 29, 21, 4, 11, tzinfo=UTC)
ROW = {"id": 7, "status": "open", "priority": 2, "reasons": ["១", "b"], "item": None, "note": ""}
PUT = Many(insert(candidate), candidate.columns.keys())


@pytest.fixture
def opened(database: Path) -> Iterator[Database]:
    made = Database(database)
    yield made
    made.close()


def test_rows_come_back_as_core_would_have_stored_them(opened: Database) -> None:
    rows = [ROW | {"expires_at": AT}, ROW | {"expires_at": AT, "id": 9, "item": "fees"}]
    with opened.write() as connection:
        PUT.run(connection, rows)
    with opened.read() as connection:
        found = [row._asdict() for row in connection.execute(select(candidate))]
        plain = connection.exec_driver_sql("SELECT expires_at, reasons FROM candidate").all()
    assert found == rows
    assert set(plain) == {("2026-11-29T21:04:11.000000Z", '["១","b"]')}


def test_an_update_finds_its_rows_and_an_insert_may_ignore_what_is_there(opened: Database) -> None:
    rename = Many(update(candidate).where(candidate.c.id == bindparam("which")), ("note", "which"))
    ignore = Many(insert(suppressed).prefix_with("OR IGNORE"), ("tag", "expires_at"))
    with opened.write() as connection:
        PUT.run(connection, (ROW | {"expires_at": AT, "id": number} for number in (1, 2)))
        rename.run(connection, [{"which": 2, "note": "seen"}])
        for _ in range(2):
            ignore.run(connection, [{"tag": b"t", "expires_at": AT}])
        assert connection.scalars(select(candidate.c.note)).all() == ["", "seen"]
        assert connection.execute(select(suppressed)).all() == [(b"t", AT)]


def test_no_rows_are_nothing_to_do_and_a_row_that_lacks_a_value_is_refused(
    opened: Database,
) -> None:
    with opened.write() as connection:
        PUT.run(connection, [])
        with pytest.raises(KeyError):
            PUT.run(connection, [ROW])
        with pytest.raises(ValueError, match="without a zone"):
            PUT.run(connection, [ROW | {"expires_at": AT.replace(tzinfo=None)}])
        assert not connection.execute(select(candidate)).all()

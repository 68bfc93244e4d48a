"""`raw.db`: sealed originals by event key, for days. Ciphertext goes in, ciphertext comes out.

Written before `curate.db`, so a kill in between leaves originals of events that were never saved:
orphans. A mark set while originals are coming in tells the next run to sweep them.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Self

from sqlalchemy import (
    Column,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    Named,
    Table,
    Text,
    TypedColumns,
    delete,
    func,
    select,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from curate.model.errors import CurateError
from curate.store import engine, files
from curate.store.clusters import pieces
from curate.store.engine import Database
from curate.store.many import Many

LAYOUT = 1
"""What this program reads and writes, in the file's `user_version`."""

_metadata = MetaData()


class _Sealed(TypedColumns):
    id: Named[int] = Column(Integer, primary_key=True)
    key: Named[bytes] = Column(LargeBinary, unique=True)
    day: Named[str] = Column(Text, index=True)
    text: Named[bytes] = Column(LargeBinary)


_sealed = Table("sealed", _metadata, _Sealed, sqlite_strict=True)


class _State(TypedColumns):
    name: Named[str] = Column(Text, primary_key=True)
    value: Named[int] = Column(Integer)


# `filling` is 1 while originals come in, `dirty` from a deletion until its bytes are proven gone.
_state = Table("state", _metadata, _State, sqlite_strict=True)


_insert = upsert(_sealed)
_PUT = Many(
    _insert.on_conflict_do_update(
        index_elements=[_sealed.c.key],
        set_={"day": _insert.excluded.day, "text": _insert.excluded.text},
    ),
    ("key", "day", "text"),
)


@dataclass(frozen=True, slots=True)
class Sealed:
    """An original as it lies in the file: `text` is ciphertext under the key of `day`."""

    key: bytes
    day: date
    text: bytes = field(repr=False)


Known = Callable[[Sequence[bytes]], Collection[bytes]]
"""Returns those of some event keys under which something is stored."""


class Raw:
    """The file of the sealed originals. Thread-safe; a context manager that closes itself."""

    def __init__(self, path: Path) -> None:
        """Open the file at `path`, made where it is missing.

        Raises `CurateError` when it is empty, damaged, not ours or of a newer program.
        """
        if not os.path.lexists(path):
            files.create(path, _build)
        files.examine(path)
        with files.explained(path), closing(files.connect(path)) as connection:
            found = connection.execute("PRAGMA user_version").fetchone()[0]
        if found != LAYOUT:
            raise CurateError(
                f"{path} was written by another curate (layout {found}, this one knows {LAYOUT})",
                "Update curate; or delete the file: only the originals of some days are in it.",
            )
        self.path = path
        self._database = Database(path)

    def close(self) -> None:
        """Close every connection."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------ coming in

    @contextmanager
    def filling(self, known: Known) -> Iterator[None]:
        """Let originals come in; what an earlier run was killed over is swept first.

        Several may fill at once. `known` tells which keys have something saved.
        """
        with _lock(self.path) as lock:
            if lock.alone() and self._marked("filling"):
                self.sweep(known)
            lock.share()
            self._mark("filling", 1)
            yield
            if lock.alone():
                self._mark("filling", 0)

    def put(self, sealed: Sequence[Sealed]) -> None:
        """Store originals in one transaction; one with a known key replaces what was there."""
        if not sealed:
            return
        rows = [{"key": s.key, "day": s.day.isoformat(), "text": s.text} for s in sealed]
        with self._database.write() as connection:
            _PUT.run(connection, rows)

    # ------------------------------------------------------------------ looking

    def get(self, keys: Collection[bytes], since: date) -> dict[bytes, Sealed]:
        """Return the originals that are there under these keys, of the day `since` or later."""
        with self._database.read() as connection:
            return {
                row.key: Sealed(row.key, date.fromisoformat(row.day), row.text)
                for some in pieces(keys)
                for row in connection.execute(
                    select(_sealed).where(
                        _sealed.c.key.in_(some), _sealed.c.day >= since.isoformat()
                    )
                )
            }

    def keys(self, since: date) -> list[bytes]:
        """Return the keys of all originals of the day `since` or later."""
        query = select(_sealed.c.key).where(_sealed.c.day >= since.isoformat())
        with self._database.read() as connection:
            return list(connection.scalars(query.order_by(_sealed.c.id)))

    def overdue(self, before: date) -> int:
        """Return how many originals are of a day before that."""
        query = select(func.count()).where(_sealed.c.day < before.isoformat())
        with self._database.read() as connection:
            return connection.execute(query).scalar_one()

    # ------------------------------------------------------------------ going

    def delete(self, keys: Collection[bytes]) -> int:
        """Delete the originals under these keys; return how many there were. Their bytes are
        gone once `settle` says so.
        """
        gone = 0
        for some in pieces(keys, 500):
            with self._database.write() as connection:
                _marked(connection, "dirty", 1)
                done = connection.execute(delete(_sealed).where(_sealed.c.key.in_(some)))
                gone += done.rowcount
        return gone

    def delete_before(self, day: date) -> int:
        """Delete the originals of the days before `day`; return how many there were."""
        gone = 0
        while True:
            some = select(_sealed.c.id).where(_sealed.c.day < day.isoformat()).limit(500)
            with self._database.write() as connection:
                done = connection.execute(delete(_sealed).where(_sealed.c.id.in_(some))).rowcount
                if not done:
                    return gone
                _marked(connection, "dirty", 1)
            gone += done

    def sweep(self, known: Known) -> int:
        """Delete the originals of events that were never saved; return how many there were."""
        orphans: list[bytes] = []
        for some in pieces(self.keys(date.min)):
            saved = set(known(some))
            orphans.extend(key for key in some if key not in saved)
        return self.delete(orphans)

    def sweep_alone(self, known: Known) -> int:
        """Sweep, unless an ingest is under way: its originals are not orphans."""
        with _lock(self.path) as lock:
            return self.sweep(known) if lock.alone() else 0

    def rewrite(self) -> None:
        """Write the file anew. Raises `Busy` when somebody or a full disk is in the way."""
        files.rewrite(self.path)

    def settle(self, before: date) -> dict[str, int]:
        """Return what is left, all of which must be 0: `left` originals of days before that, and
        what the file still holds of deleted ones. Raises `CurateError` when it cannot be counted.
        """
        facts = files.remains(self.path)
        left = {"left": self.overdue(before), **facts}
        if not any(left.values()):
            self._mark("dirty", 0)
            files.checkpoint(self.path)
        return left

    def is_dirty(self) -> bool:
        """Say whether something was deleted whose bytes are not proven gone yet."""
        return self._marked("dirty")

    def _mark(self, name: str, value: int) -> None:
        with self._database.write() as connection:
            _marked(connection, name, value)

    def _marked(self, name: str) -> bool:
        query = select(_state.c.value).where(_state.c.name == name)
        with self._database.read() as connection:
            return bool(connection.execute(query).scalar())


def _marked(connection: Connection, name: str, value: int) -> None:
    statement = upsert(_state).values(name=name, value=value)
    connection.execute(
        statement.on_conflict_do_update(index_elements=[_state.c.name], set_={"value": value})
    )


def _build(draft: Path) -> None:
    with engine.migrating(draft) as connection:
        _metadata.create_all(connection)
    with closing(files.connect(draft)) as connection_:
        connection_.execute(f"PRAGMA user_version={LAYOUT}")


class _Lock:
    def __init__(self, handle: int) -> None:
        self._handle = handle

    def alone(self) -> bool:
        """Take the lock alone, unless somebody else has it."""
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def share(self) -> None:
        """Have the lock together with others."""
        fcntl.flock(self._handle, fcntl.LOCK_SH)


@contextmanager
def _lock(path: Path) -> Iterator[_Lock]:
    with files.written(path):
        place = path.with_name(f"{path.stem}.lock")
        handle = os.open(place, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        yield _Lock(handle)
    finally:
        os.close(handle)

"""What a workspace holds, told at a glance: read with the standard library alone, so that
`curate status` need not wait for SQLAlchemy.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from curate.model.custody import Receipt
from curate.store import files

_LIVE = "expires_at > :now"
_AT = "coalesce(asked_at, received_at)"


@dataclass(frozen=True, slots=True)
class Counts:
    """What a workspace holds. `records` are those that have not expired, `overdue` those that
    have and still wait for a purge; `expiring` tells how many go on which day (`2026-11-29`).
    """

    records: int
    oldest: datetime | None
    newest: datetime | None
    expiring: dict[str, int]
    overdue: int
    waiting_votes: int
    candidates: dict[str, int]
    items: dict[str, dict[str, int]]
    """By status, then by split."""
    versions: int
    last_version: datetime | None
    last_purge: Receipt | None
    looks: int
    """How often holdout scores were looked at, the last time at `last_look` by `looked`."""
    last_look: datetime | None
    looked: str
    dirty: bool
    """A purge deleted something and has not proven yet that its bytes are gone."""

    @property
    def unheld(self) -> bool:
        """Whether items are ready and none of them is in the holdout."""
        ready = self.items.get("ready", {})
        return bool(ready) and not ready.get("holdout")


def counts(path: Path, now: datetime) -> Counts:
    """Return what the database at `path`, which has the newest schema, holds at `now`.

    Raises `CurateError` as `files.connect` does.
    """
    with files.explained(path), closing(files.connect(path, query_only=True)) as connection:
        connection.execute("BEGIN")
        return _Glance(connection, now).counts()


class _Glance:
    def __init__(self, connection: sqlite3.Connection, now: datetime) -> None:
        self._connection = connection
        plain = now.astimezone(UTC).replace(tzinfo=None)
        self._now = {"now": plain.isoformat(timespec="microseconds") + "Z"}

    def counts(self) -> Counts:
        total, oldest, newest = self._one(
            f"SELECT count(*), min({_AT}), max({_AT}) FROM record WHERE {_LIVE}"  # noqa: S608 - our own names
        )
        versions, last_version = self._one("SELECT count(*), max(at) FROM version")
        looks, last_look = self._one("SELECT count(*), max(at) FROM look")
        looked = self._one("SELECT max(by) FROM look WHERE id = (SELECT max(id) FROM look)")[0]
        items: dict[str, dict[str, int]] = {}
        for status, split, number in self._connection.execute(
            "SELECT status, split, count(*) FROM item GROUP BY status, split"
        ):
            items.setdefault(status, {})[split] = number
        return Counts(
            records=total,
            oldest=_time(oldest),
            newest=_time(newest),
            expiring=self._tally(
                f"SELECT substr(expires_at, 1, 10), count(*) FROM record WHERE {_LIVE} GROUP BY 1"  # noqa: S608 - our own names
            ),
            overdue=self._one("SELECT count(*) FROM record WHERE expires_at <= :now")[0],
            waiting_votes=self._one(
                f"SELECT count(*) FROM vote WHERE record IS NULL AND {_LIVE}"  # noqa: S608 - our own names
            )[0],
            candidates=self._tally(
                f"SELECT status, count(*) FROM candidate WHERE {_LIVE} GROUP BY status"  # noqa: S608 - our own names
            ),
            items=items,
            versions=versions,
            last_version=_time(last_version),
            last_purge=self._last_purge(),
            looks=looks,
            last_look=_time(last_look),
            looked=looked or "",
            dirty=bool(self._one("SELECT max(value) FROM state WHERE name = 'dirty'")[0]),
        )

    def _one(self, query: str) -> sqlite3.Row:
        return self._connection.execute(query, self._now).fetchone()  # type: ignore[no-any-return]

    def _tally(self, query: str) -> dict[str, int]:
        return dict(self._connection.execute(query, self._now).fetchall())

    def _last_purge(self) -> Receipt | None:
        row = self._connection.execute(
            "SELECT kind, at, by, status, counts, verified, detail FROM receipt"
            " WHERE kind = 'purge' ORDER BY id DESC LIMIT 1"
        ).fetchone()
        if row is None:
            return None
        kind, at, by, status, counted, verified, detail = row
        when = datetime.fromisoformat(at)
        return Receipt(kind, when, by, status, json.loads(counted), json.loads(verified), detail)


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)

"""One statement for many rows. Their values go past SQLAlchemy to the driver: it looks at each of
them, and with dozens of them to a question that takes longer than SQLite itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Insert, Update
from sqlalchemy.dialects import sqlite

_Pick = Callable[[Mapping[str, Any]], tuple[Any, ...]]


@dataclass(frozen=True)
class Many:
    """An INSERT or UPDATE for rows that have the values `names`, two or more of them."""

    statement: Insert | Update
    names: Sequence[str]

    def run(self, connection: Connection, rows: Iterable[Mapping[str, Any]]) -> None:
        """Run it for each of the rows, which may be none."""
        sql, pick, conversions = self._compiled
        values = []
        for row in rows:
            ready = list(pick(row))
            for at, convert in conversions:
                ready[at] = convert(ready[at])
            values.append(tuple(ready))
        if values:
            connection.exec_driver_sql(sql, values)

    @cached_property
    def _compiled(self) -> tuple[str, _Pick, list[tuple[int, Callable[[Any], Any]]]]:
        dialect = sqlite.dialect()
        compiled = self.statement.compile(dialect=dialect, column_keys=list(self.names))
        order = compiled.positiontup or []
        conversions: list[tuple[int, Callable[[Any], Any]]] = []
        for at, name in enumerate(order):
            kind = compiled.binds[name].type.dialect_impl(dialect)
            if convert := kind.bind_processor(dialect):
                conversions.append((at, convert))
        return str(compiled), itemgetter(*order), conversions

"""One record of a log: a JSON object, or one line of a table under its header."""

from __future__ import annotations

from typing import NamedTuple

from curate.model.plain import Json

NOT_JSON = "not JSON"
TOO_LONG = "longer than 16 MiB"


class Row(NamedTuple):
    """One record of a log, raw, in memory only.

    `line` is its first line in the file (in a JSON array or document: its number), `plain` says
    that no character in it needs replacing, `repaired` that its bytes were not valid.
    """

    line: int
    value: Json
    size: int = 0
    plain: bool = False
    repaired: bool = False

    def __repr__(self) -> str:
        return f"<row of line {self.line}>"

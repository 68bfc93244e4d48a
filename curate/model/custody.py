"""Who looked at what, and what was removed, with the proof."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Audit:
    """Something done to personal data or to its guards: who, when, what, on which id.

    `subject` is an id (`r12` a record, `c12` a candidate, an item's own), `detail` counts or
    names; neither is ever text of the log.
    """

    at: datetime
    by: str
    action: str
    subject: str
    detail: str = ""


ReceiptStatus = Literal["clean", "deferred", "not verified", "overdue"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a purge or an erasure removed, and the proof."""

    kind: str
    at: datetime
    by: str
    status: ReceiptStatus
    counts: dict[str, int]
    verified: dict[str, Any]
    detail: str = ""

"""Looks at scores, marks of people, and failures."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True)
class Look:
    """One look at holdout scores: who, when, why, at which run (its digest) of which version.

    `scores` holds the chief measures of both splits as they were seen:
    `{"tuning": {"hit@4": 0.89}, "holdout": {...}}`.
    """

    id: int
    at: datetime
    by: str
    why: str
    run: str
    version: int | None
    scores: dict[str, dict[str, float]]


Mark = Literal["good", "wrong", "unsupported"]


@dataclass(frozen=True, slots=True)
class Review:
    """A person's mark on a logged answer. `batch` names the sample it belongs to (`2026-W48`).

    `record` is None once the record has been purged; the mark stays for the weekly figures.
    """

    batch: str
    record: int | None
    mark: Mark
    at: datetime
    by: str
    comment: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Failure:
    """An item that failed in a run (named by its digest), and what to call it.

    `label` is proposed by rule, `confirmed` what a person called it, empty until then.
    """

    item: str
    run: str
    label: str
    why: str
    at: datetime
    confirmed: str = ""
    by: str = ""

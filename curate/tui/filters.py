"""What an inbox lists: one choice of everything that it can be narrowed by; pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

SAMPLE = 20
"""Candidates in a weekly sample."""
PRESETS = (
    ("open", "to look at: everything"),
    ("open:thumbs-down", "to look at: thumbs-down"),
    ("open:refused", "to look at: refused"),
    ("open:low score", "to look at: low score"),
    ("open:asked", "to look at: asked more than once"),
    ("open:never covered", "to look at: section never covered"),
    ("done", "done: made into items"),
    ("rejected", "rejected"),
    ("duplicate", "duplicates of an item"),
)
"""By status, then reason."""
MORE = (
    ("lang", "of a language …"),
    ("source", "from a log …"),
    ("days", "asked in the last days …"),
    ("tag", "made into an item with a tag …"),
    ("seed", "this week's sample, by lot"),
    ("free", "not looked at by others"),
)
DAYS = (("1", "day"), ("7", "7 days"), ("14", "14 days"), ("30", "30 days"))


@dataclass(frozen=True, slots=True)
class Filter:
    """Which candidates are listed: all that is set must hold. `days` are the last so many by the
    clock, `seed` names a draw by lot, `free` leaves out what others look at.
    """

    status: str = "open"
    reason: str = ""
    lang: str = ""
    source: str = ""
    tag: str = ""
    days: int = 0
    free: bool = False
    seed: str = ""

    @property
    def preset(self) -> str:
        """Status and reason, as in `PRESETS`."""
        return f"{self.status}:{self.reason}" if self.reason else self.status

    def chosen(self, preset: str) -> Filter:
        """Return this filter with the status and the reason of a preset."""
        status, _, reason = preset.partition(":")
        return replace(self, status=status, reason=reason)

    def told(self, key: str, value: str) -> Filter:
        """Return this filter with one of `MORE` set to what was chosen or typed.

        Raises `ValueError` for days that are no whole number.
        """
        match key:
            case "lang":
                return replace(self, lang=value)
            case "source":
                return replace(self, source=value)
            case "tag":
                return replace(self, tag=value)
            case "seed":
                return replace(self, seed=value)
            case "free":
                return replace(self, free=True)
        return replace(self, days=max(0, int(value)))

    def wanted(self, text: str, now: datetime, who: str) -> dict[str, Any]:
        """Return it as `Store.candidate_ids` takes it."""
        return {
            "status": self.status,
            "text": text,
            "reason": self.reason,
            "lang": self.lang,
            "source": self.source,
            "tag": self.tag,
            "since": now - timedelta(days=self.days) if self.days else None,
            "free_for": who if self.free else "",
        }

    def words(self) -> str:
        """Return it in words, empty when everything to look at is listed."""
        parts = [
            dict(PRESETS).get(self.preset, self.preset) if self.preset != "open" else "",
            self.lang,
            f"from {self.source}" if self.source else "",
            f"#{self.tag}" if self.tag else "",
            f"last {self.days} days" if self.days else "",
            "not looked at by others" if self.free else "",
            f"sample {self.seed}" if self.seed else "",
        ]
        return ", ".join(filter(None, parts))


def week(now: datetime) -> str:
    """Return the name of a week's draw: `2026-W48`."""
    year, number, _day = now.isocalendar()
    return f"{year}-W{number:02}"

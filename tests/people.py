"""A workspace with a log of four people, and an anonymiser that knows two names; for tests."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from curate.config import SourceSettings
from curate.ingest.inputs import LogFile
from curate.ingest.run import IngestReport
from curate.model.events import RawText
from curate.model.records import Clean, Redaction
from curate.workspace.workspace import Workspace
from tests.events import NOW, Clock

PEOPLE = ("jane", "omar", "mei", "lida")


class Names:
    """Stands in for the anonymiser: the names it is told, and nothing else."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.policy = f"sha256:{sha256(repr(names).encode()).hexdigest()}"

    def clean(self, text: str) -> Clean:
        """Replace every name it knows."""
        found: list[Redaction] = []
        made, at = "", 0
        numbers: dict[str, int] = {}
        for hit in re.finditer("|".join(map(re.escape, self.names)) or r"(?!)", text):
            number = numbers.setdefault(hit[0], len(numbers) + 1)
            made += text[at : hit.start()]
            placeholder = f"<PERSON_{number}>"
            found.append(
                Redaction(hit.start(), hit.end(), "PERSON", placeholder, len(made), 1.0, "names")
            )
            made, at = made + placeholder, hit.end()
        return Clean(made + text[at:], tuple(found))

    def clean_many(self, texts: Sequence[str]) -> list[Clean]:
        """Replace names in texts of their own."""
        return [self.clean(text) for text in texts]

    def clean_records(self, records: Sequence[Sequence[str]]) -> list[list[Clean]]:
        """Replace names in records of several texts."""
        return [[self.clean(text) for text in record] for record in records]

    def scan(self, texts: Sequence[str]) -> list[tuple[Redaction, ...]]:
        """Find what is left."""
        return [self.clean(text).redactions for text in texts]


def said(who: str, number: int, days: float = 0.5, **more: Any) -> dict[str, Any]:
    """A logged question of `who`, so many days ago, with a canary in every text."""
    at = NOW - timedelta(days=days)
    return {
        "ts": at.isoformat(),
        "request_id": f"req-{who}-{number}",
        "user": f"{who}@canary.example",
        "session_title": f"canary-title-{who}-{number}",
        "question": f"canary-question-{who}-{number} about thing {number} of Zorvath",
        "history": [{"role": "user", "content": f"canary-history-{who}-{number}"}],
        "answer": f"canary-answer-{who}-{number}",
        "chunks": [
            {"id": "1", "source": "a.md", "heading": f"canary-chunk-{who}-{number}", "score": 0.4}
        ],
    } | more


def voted(who: str, on: str, number: int, days: float = 0.4) -> dict[str, Any]:
    """A vote of `who` on a question of `on`."""
    return {
        "ts": (NOW - timedelta(days=days)).isoformat(),
        "request_id": f"req-{on}-{number}",
        "user": f"{who}@canary.example",
        "rating": "down",
        "comment": f"canary-comment-{who}-{number}",
    }


def make(root: Path, clock: Clock, *names: str, toml: str = "") -> Workspace:
    """Make and open a workspace whose anonymiser knows these names."""
    Workspace.create(root, clock, toml)
    (root / "docs").mkdir()
    (root / "docs" / "a.md").write_text(
        "# House\n\n## Pumps\n\nThe pump at the door is free for everyone.\n", encoding="utf-8"
    )
    return reopen(root, clock, *names)


def reopen(root: Path, clock: Clock, *names: str) -> Workspace:
    """Open a workspace, with an anonymiser that knows these names."""
    workspace = Workspace.open(root, clock, "anna")
    workspace._anonymiser = Names(*names)  # type: ignore[assignment]
    return workspace


def log(path: Path, *events: object) -> Path:
    """Write events as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return path


def read(workspace: Workspace, path: Path) -> IngestReport:
    """Read a log in."""
    return workspace.ingest([LogFile(path, SourceSettings(name="log"))])


def holding(root: Path, *needles: str | bytes) -> dict[str, int]:
    """How often any of the needles stands in the bytes of each file below `root`."""
    found: dict[str, int] = {}
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            number = sum(
                data.count(needle if isinstance(needle, bytes) else needle.encode())
                for needle in needles
            )
            if number:
                found[str(path.relative_to(root))] = number
    return found


def user(who: str) -> RawText:
    """The user id of `who`, as their log has it."""
    return RawText(f"{who}@canary.example")

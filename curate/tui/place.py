"""Where a curator stopped, so that the next sitting begins there: ids and choices, never text."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path

from curate.model.plain import Json
from curate.tui.filters import Filter

FILE = "screens.json"


@dataclass(frozen=True, slots=True)
class Place:
    """The candidate under the cursor, and what was listed."""

    candidate: int | None = None
    narrowed: Filter = field(default_factory=Filter)


def read(root: Path, who: str) -> Place:
    """Return where `who` stopped; what cannot be understood is as if it was not there."""
    try:
        found = _all(root)[who]
        return Place(found["candidate"], Filter(**found["narrowed"]))
    except (KeyError, TypeError):
        return Place()


def write(root: Path, who: str, place: Place) -> None:
    """Remember where `who` stopped, in a file of mode 0600. Nothing depends on it: where it cannot
    be written, nothing happens.
    """
    content = json.dumps({**_all(root), who: asdict(place)}).encode()
    made = root / f".{FILE}-{secrets.token_hex(8)}"
    try:
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
        made.replace(root / FILE)
    except OSError:
        made.unlink(missing_ok=True)


def _all(root: Path) -> dict[str, Json]:
    try:
        found = json.loads((root / FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}

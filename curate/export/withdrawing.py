"""Versions that hold what was taken back for good: which, and the note that says so beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from pathlib import Path

from curate.export.questions import encode
from curate.export.versions import MANIFEST, WITHDRAWN
from curate.export.writing import place


def holding(exports: Path, ids: Collection[str]) -> tuple[Path, ...]:
    """Return the version directories, the draft's too, whose manifest names any of the ids, in
    order of their names.

    A version whose manifest cannot be read counts: not knowing is not knowing that it is clean.
    """
    found = [*exports.glob("v*"), exports / "draft"]
    found = [path for path in found if path.is_dir() and not path.is_symlink()]
    return tuple(sorted(path for path in found if _holds(path / MANIFEST, ids)))


def withdraw(
    exports: Path, ids: Collection[str], copies: Collection[Path] = ()
) -> tuple[Path, ...]:
    """Write the ids into `withdrawn.json` of every version that holds any, and return those.

    `copies` are directories elsewhere that were given the files of a version; one that is not
    there any more, or holds no version, is passed over. Ids only, no text and no reason; ids
    that stand there already stay. A second call changes nothing. Raises `CurateError` where a
    version cannot be written.
    """
    if not ids:
        return ()
    there = [path for path in copies if os.path.lexists(path / MANIFEST)]
    held = (*holding(exports, ids), *(path for path in there if _holds(path / MANIFEST, ids)))
    for directory in held:
        known = _listed(directory / WITHDRAWN)
        place(directory / WITHDRAWN, encode(sorted(known | set(ids))))
    return held


def _holds(manifest: Path, ids: Collection[str]) -> bool:
    try:
        told = json.loads(manifest.read_bytes())
        return not ids or any(name in told["items"] for name in ids)
    except (OSError, ValueError, KeyError, TypeError):
        return True


def _listed(path: Path) -> set[str]:
    try:
        told = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return set()
    return {name for name in told if isinstance(name, str)} if isinstance(told, list) else set()

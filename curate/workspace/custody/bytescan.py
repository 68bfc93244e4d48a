"""Looking for text in the bytes of files, in every shape it may hide in."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

_SHORTEST = 8
"""Shapes of fewer bytes turn up by chance."""


def shapes(text: str) -> frozenset[bytes]:
    """Return a text as it may stand in a file: as it is, in lower and upper case, UTF-16, hex,
    as JSON and in a URL, and in base64 at each of its three places.
    """
    raw = text.encode()
    found = {
        raw,
        text.lower().encode(),
        text.upper().encode(),
        text.encode("utf-16-le"),
        raw.hex().encode(),
        json.dumps(text)[1:-1].encode(),
        quote(text).encode(),
    }
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + raw)
        found.add(coded[4 if shift else 0 : -4])
    return frozenset(shape for shape in found if len(shape) >= min(_SHORTEST, len(raw)))


def holding(roots: Iterable[Path], texts: Iterable[str]) -> list[str]:
    """Return the files below `roots`, by name, that hold any of the texts in any shape."""
    wanted = [shape for text in texts for shape in shapes(text)]
    found = []
    for root in roots:
        for path in sorted(root.rglob("*")):
            name = str(path.relative_to(root)).encode()
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            if any(shape in data or shape in name for shape in wanted):
                found.append(path.name)
    return found

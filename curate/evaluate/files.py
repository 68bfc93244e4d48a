"""The files that a command names, read whole."""

from __future__ import annotations

import stat
from pathlib import Path

from curate.model.errors import CurateError, Exit


def content(path: Path, hint: str) -> bytes:
    """Return what a file holds, or a pipe that the shell has opened: `<(zcat run.jsonl.gz)`.

    Raises `CurateError`, with `hint` for the way out, where it cannot be read or is no file: a pipe
    nobody writes to would be waited for without end.
    """
    try:
        opened = path.parent == Path("/dev/fd") and path.is_fifo()
        if not opened and not stat.S_ISREG(path.stat().st_mode):
            raise CurateError(f"{path} is no file", hint, Exit.USAGE)
        return path.read_bytes()
    except OSError as error:
        raise CurateError(f"{path} cannot be read: {error.strerror}", hint) from None

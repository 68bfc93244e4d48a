"""`targets.json`: the digest of every file that an export wrote in another format.

It stands beside those files: in `targets/` of a version, and beside `manifest.json` in a copy.
The version's own manifest is not touched, so that another format never makes another version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from curate.export.questions import digest, encode
from curate.model.plain import Json

VOUCHED = "targets.json"
"""The name of the file that vouches for others."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What `targets.json` says of a file: its digest, its size, and the version it was made from
    (the digest of that version's `questions.json`).
    """

    digest: str
    size: int
    version: str


def promised(directory: Path) -> dict[str, Promise] | None:
    """Return what the `targets.json` of a directory promises, by relative path.

    None where there is none or it is broken. Paths that lead out of the directory are kept: they
    are promises that cannot be held.
    """
    path = directory / VOUCHED
    try:
        files = json.loads(path.read_bytes())["files"]
        return {
            name: Promise(str(one["digest"]), int(one["bytes"]), str(one["version"]))
            for name, one in files.items()
        }
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ):
        return None


def vouch(directory: Path, files: Mapping[str, bytes], version: str) -> dict[str, bytes]:
    """Return the files and, last, the `targets.json` that vouches for them.

    What an earlier export into the same directory promised stays promised, as of the version it
    was made from.
    """
    told: dict[str, Json] = {
        name: {"digest": one.digest, "bytes": one.size, "version": one.version}
        for name, one in (promised(directory) or {}).items()
    }
    for name, data in files.items():
        told[name] = {"digest": digest(data), "bytes": len(data), "version": version}
    return {**files, VOUCHED: encode({"files": dict(sorted(told.items()))})}


def stale(directory: Path, version: str) -> tuple[str, ...]:
    """Return the files in a directory that were made from another version than this one, as its
    `targets.json` tells.
    """
    return tuple(
        name
        for name, one in sorted((promised(directory) or {}).items())
        if one.version != version and inside(name) and (directory / name).exists()
    )


def inside(name: str) -> bool:
    """Say whether a relative path stays in its directory, written in the one way it can be."""
    path = PurePosixPath(name)
    return (
        bool(path.parts)
        and not path.is_absolute()
        and ".." not in path.parts
        and (path.as_posix() == name)
    )


def walk(directory: Path, known: frozenset[str], below: str = "") -> Iterator[str]:
    """Yield the relative paths of what stands in a directory and is not `known`, in order.

    Directories that hold a known file are looked into; any other is one unknown thing.
    """
    above = {str(parent) for name in known for parent in PurePosixPath(name).parents}
    for path in sorted((directory / below).iterdir()):
        name = f"{below}/{path.name}" if below else path.name
        if name in known:
            continue
        if name in above and path.is_dir() and not path.is_symlink():
            yield from walk(directory, known, name)
        else:
            yield name

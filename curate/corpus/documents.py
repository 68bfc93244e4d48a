"""The files under the corpus root: which belong to it, and their text exactly as read."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from curate.config import CorpusSettings
from curate.model.errors import CurateError

LARGEST = 16 * 1024 * 1024
"""Bytes a document may have; a larger file is reported, not read."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document as last synced.

    `source` is its path below the root, with slashes. `text` is what evidence is quoted from:
    of Markdown and plain text the file's own, line ends kept, a byte order mark dropped.
    `digest` is over `text` in UTF-8, `extractor` names what turned the file into text and
    sections, with its version.
    """

    source: str
    text: str = field(repr=False)
    digest: str
    extractor: str


class Unreadable(NamedTuple):
    """A file or folder that could not be taken in, and why."""

    source: str
    reason: str


class Left(NamedTuple):
    """A file that no include pattern takes, and no exclude pattern speaks of."""

    source: str


class Found(NamedTuple):
    """A file that belongs to the corpus: its source name and where it lies."""

    source: str
    path: Path


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync found, sources in order. `sections` counts those of the whole corpus.

    A document that has become unreadable is both `removed` and `unreadable`. `left` counts the
    files that no include pattern takes, by the end of their names, the commonest first.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    unreadable: tuple[Unreadable, ...]
    left: tuple[tuple[str, int], ...]
    sections: int


def digest(text: str | bytes) -> str:
    """Return the digest of a document's text or of a file, with its algorithm in front."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    return "sha256:" + hashlib.sha256(data).hexdigest()


def walk(root: Path, settings: CorpusSettings) -> Iterator[Found | Unreadable | Left]:
    """Yield the files under `root` that the settings include, and what had to be left out.

    Links are followed to files inside the root only. Names that begin with a dot are left
    alone unless a pattern spells the dot. Raises `CurateError` when `root` is no folder.
    """
    try:
        real = root.resolve(strict=True)
    except OSError:
        raise CurateError(
            f"the documents' folder {root} does not exist",
            "Set `root` under [corpus] in curate.toml.",
        ) from None
    if not real.is_dir():
        raise CurateError(
            f"{root} is not a folder", "Set `root` under [corpus] in curate.toml to a folder."
        )
    dotted = any(
        part.startswith(".") for pattern in settings.include for part in pattern.split("/")
    )
    yield from _walk(real, real, "", settings, dotted)


def _walk(
    root: Path, folder: Path, prefix: str, settings: CorpusSettings, dotted: bool
) -> Iterator[Found | Unreadable | Left]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield Unreadable(prefix or ".", _why(error))
        return
    for entry in found:
        source = prefix + entry.name
        if entry.name.startswith(".") and not dotted:
            continue
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(root, path, source + "/", settings, dotted)
        elif entry.is_symlink() and path.is_dir():
            yield Unreadable(_shown(source) + "/", "a link to a folder; links are not walked")
        elif wanted(source, settings):
            yield _judged(root, source, path)
        elif not _taken(source, settings.exclude):
            yield Left(_shown(source))


def _judged(root: Path, source: str, path: Path) -> Found | Unreadable:
    try:
        source.encode("utf-8")
    except UnicodeEncodeError:
        return Unreadable(_shown(source), "its name is not UTF-8")
    try:
        real = path.resolve(strict=True)
    except OSError as error:
        return Unreadable(source, _why(error))
    except RuntimeError:
        return Unreadable(source, "a link that leads to itself")
    if not real.is_relative_to(root):
        return Unreadable(source, "a link that leaves the documents' folder")
    return Found(source, real)


def _shown(source: str) -> str:
    return os.fsencode(source).decode("utf-8", "replace")


def _why(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def wanted(source: str, settings: CorpusSettings) -> bool:
    """Say whether the include patterns take `source` and the exclude patterns leave it.

    `*` and `?` stay within one folder, `**` spans any number of them.
    """
    return _taken(source, settings.include) and not _taken(source, settings.exclude)


def _taken(source: str, patterns: Sequence[str]) -> bool:
    parts = source.split("/")
    return any(_matches(parts, pattern.split("/")) for pattern in patterns)


def ending(source: str) -> str:
    """Return how a file's name ends, from the last dot on, in lower case; all of it without one."""
    name = source.rpartition("/")[2].lower()
    at = name.rfind(".")
    return name[at:] if at > 0 else name


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        rest = pattern[1:] or ["*"]
        return any(
            _matches(parts[skip:], rest)
            for skip in range(len(parts) + 1)
            if not any(part.startswith(".") for part in parts[:skip])
        )
    return (
        bool(parts)
        and parts[0].startswith(".") <= pattern[0].startswith(".")
        and fnmatchcase(parts[0], pattern[0])
        and _matches(parts[1:], pattern[1:])
    )


def read(found: Found) -> bytes | Unreadable:
    """Return a file's bytes, or why they cannot be read.

    Only regular files are opened for reading, so a pipe never blocks.
    """
    try:
        handle = os.open(found.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return Unreadable(found.source, "not a regular file")
            data = file.read(LARGEST + 1)
    except OSError as error:
        return Unreadable(found.source, _why(error))
    if len(data) > LARGEST:
        return Unreadable(found.source, f"larger than {LARGEST // 1024 // 1024} MiB")
    return data

"""The index file: documents and outlines as last synced. It can be thrown away at any time."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from curate.corpus.documents import Document, digest
from curate.corpus.outline import Outline
from curate.model.documents import Section
from curate.model.errors import CurateError, Exit

FORMAT = 3
"""Number of this layout, kept in `user_version`; another one means the file is made anew."""

_TABLES = f"""
CREATE TABLE documents (
    source TEXT PRIMARY KEY, digest TEXT NOT NULL, extractor TEXT NOT NULL,
    text BLOB NOT NULL, outline TEXT NOT NULL, features TEXT NOT NULL, file TEXT NOT NULL
) STRICT, WITHOUT ROWID;
PRAGMA user_version = {FORMAT};
"""
_WAIT = 30.0
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Unusable(Exception):
    """The index is missing, damaged or of another format: make it anew."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A document, its outline, the packed features of its sections, and the digest of its file."""

    document: Document
    outline: Outline
    features: str = field(repr=False)
    file: str


def stamp(path: Path) -> tuple[int, int, int]:
    """Return what tells one state of the file from another; zeros when there is none."""
    try:
        status = path.stat()
    except OSError:
        return (0, 0, 0)
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def load(path: Path) -> dict[str, Entry]:
    """Return all entries by source. Raises `Unusable`, or `CurateError` when access fails."""
    if not path.exists():
        raise Unusable
    with _opened(path) as db:
        if db.execute("PRAGMA user_version").fetchone() != (FORMAT,):
            raise Unusable
        rows = db.execute(
            "SELECT source, digest, extractor, text, outline, features, file FROM documents"
        ).fetchall()
    return {row[0]: _entry(*row) for row in sorted(rows)}


def _entry(
    source: str, stored: str, extractor: str, data: bytes, packed: str, features: str, file: str
) -> Entry:
    try:
        text = data.decode("utf-8")
        if digest(text) != stored:
            raise Unusable
        document = Document(source, text, stored, extractor)
        return Entry(document, _unpack(source, text, packed), features, file)
    except (ValueError, TypeError):
        raise Unusable from None


def save(
    path: Path, changed: Mapping[str, Entry], removed: Iterator[str] | tuple[str, ...]
) -> None:
    """Write changed entries and drop removed ones, in one transaction.

    A missing file is made, for its owner only. Raises as `load` does.
    """
    if not path.exists():
        _make(path)
    with _opened(path) as db:
        if db.execute("PRAGMA user_version").fetchone() != (FORMAT,):
            raise Unusable
        db.execute("BEGIN IMMEDIATE")
        db.executemany("DELETE FROM documents WHERE source = ?", [(source,) for source in removed])
        db.executemany(
            "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    source,
                    entry.document.digest,
                    entry.document.extractor,
                    entry.document.text.encode("utf-8"),
                    _pack(entry.outline),
                    entry.features,
                    entry.file,
                )
                for source, entry in changed.items()
            ),
        )
        db.execute("COMMIT")


def discard(path: Path) -> None:
    """Remove the index file and its journal, if there are any."""
    try:
        for name in (path, path.with_name(path.name + "-journal")):
            name.unlink(missing_ok=True)
    except OSError as error:
        raise _refused(path, error.strerror or "no access") from None


def _make(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return
    except OSError as error:
        raise _refused(path, error.strerror or "no access") from None
    with _opened(path) as db:
        db.executescript(_TABLES)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        db = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
    except sqlite3.Error as error:
        raise _refused(path, str(error)) from None
    try:
        yield db
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED or "no such" in str(error):
            raise Unusable from None
        raise _refused(path, str(error)) from None
    finally:
        db.close()


def _refused(path: Path, why: str) -> CurateError:
    return CurateError(
        f"the documents' index {path} cannot be used: {why}",
        "Check the disk, and the mode of the file and its folder; it may be deleted at any time.",
        Exit.ENVIRONMENT,
    )


def _pack(outline: Outline) -> str:
    return json.dumps(
        [
            [section.heading, section.trail, section.level, section.start, section.end, spans]
            for section, spans in zip(outline.sections, outline.sentences, strict=True)
        ],
        ensure_ascii=False,
    )


def _unpack(source: str, text: str, packed: str) -> Outline:
    sections, sentences = [], []
    for heading, trail, level, start, end, spans in json.loads(packed):
        sections.append(Section(source, heading, tuple(trail), level, start, end, text[start:end]))
        sentences.append(tuple((low, high) for low, high in spans))
    return Outline(tuple(sections), tuple(sentences))

"""The tables of `curate.db`: typed Core, all of them STRICT.

Times are fixed-width UTC text, so that comparing text compares times. Ids of records and
candidates are never used twice, because revisions go on naming them after a purge.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    REAL,
    CheckConstraint,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Named,
    Table,
    Text,
    TypedColumns,
    TypeDecorator,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Utc(TypeDecorator[datetime]):
    """An aware time, stored as `2026-11-29T21:04:11.000000Z`. Naive times are refused."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        """Return the text to store."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone")
        return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        """Return the time as aware UTC."""
        return None if value is None else datetime.fromisoformat(value)


_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


class Json(TypeDecorator[Any]):
    """A JSON value, stored as compact text with sorted keys: equal values are equal text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Return the text to store. Infinities and NaN are refused."""
        return None if value is None else _JSON.encode(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Return the value."""
        return None if value is None else json.loads(value)


class _Candidate(TypedColumns):
    id: Named[int] = Column(Integer, primary_key=True)
    status: Named[str] = Column(
        Text, CheckConstraint("status IN ('open', 'done', 'rejected', 'duplicate')", name="status")
    )
    priority: Named[float] = Column(REAL(asdecimal=False))
    reasons: Named[Any] = Column(Json, nullable=False)
    # The latest expiry of its records: when that has come, the candidate is gone too.
    expires_at: Named[datetime] = Column(Utc)
    item: Named[str | None] = Column(Text)
    note: Named[str] = Column(Text)


candidate = Table("candidate", metadata, _Candidate, sqlite_strict=True, sqlite_autoincrement=True)
# Covers the inbox: a million ids by priority are read from the index alone.
Index(
    "ix_candidate_inbox",
    candidate.c.status,
    candidate.c.priority.desc(),
    candidate.c.id,
    candidate.c.expires_at,
)


class _Record(TypedColumns):
    id: Named[int] = Column(Integer, primary_key=True)
    key: Named[bytes] = Column(LargeBinary, unique=True)
    content: Named[bytes] = Column(LargeBinary)
    user: Named[bytes | None] = Column(LargeBinary)
    source: Named[str] = Column(Text)
    asked_at: Named[datetime | None] = Column(Utc)
    received_at: Named[datetime] = Column(Utc)
    expires_at: Named[datetime] = Column(Utc, index=True)
    question: Named[str] = Column(Text)
    standalone: Named[str | None] = Column(Text)
    answer: Named[str | None] = Column(Text)
    redactions: Named[Any] = Column(Json, nullable=False)
    history: Named[Any] = Column(Json, nullable=False)
    chunks: Named[Any] = Column(Json, nullable=False)
    refused: Named[int | None] = Column(Integer)
    best_score: Named[float | None] = Column(REAL(asdecimal=False))
    latency_ms: Named[float | None] = Column(REAL(asdecimal=False))
    lang: Named[str] = Column(Text)
    policy: Named[str] = Column(Text)
    candidate: Named[int] = Column(Integer, ForeignKey("candidate.id"))
    tokens_in: Named[int | None] = Column(Integer)
    tokens_out: Named[int | None] = Column(Integer)


record = Table("record", metadata, _Record, sqlite_strict=True, sqlite_autoincrement=True)
Index("ix_record_candidate_expires_at", record.c.candidate, record.c.expires_at)


class _Alias(TypedColumns):
    tag: Named[bytes] = Column(LargeBinary, primary_key=True)
    record: Named[int] = Column(
        Integer, ForeignKey("record.id", ondelete="CASCADE"), primary_key=True, index=True
    )


alias = Table("alias", metadata, _Alias, sqlite_strict=True, sqlite_with_rowid=False)


class _Band(TypedColumns):
    value: Named[int] = Column(Integer, primary_key=True, autoincrement=False)
    record: Named[int] = Column(
        Integer, ForeignKey("record.id", ondelete="CASCADE"), primary_key=True, index=True
    )


# Near-duplicate lookup. Only the record a candidate is shown by has bands, and they go with it.
band = Table("band", metadata, _Band, sqlite_strict=True, sqlite_with_rowid=False)


class _Vote(TypedColumns):
    id: Named[int] = Column(Integer, primary_key=True)
    key: Named[bytes] = Column(LargeBinary, unique=True)
    content: Named[bytes] = Column(LargeBinary)
    # None while the question it points at has not come yet.
    record: Named[int | None] = Column(
        Integer, ForeignKey("record.id", ondelete="CASCADE"), index=True
    )
    user: Named[bytes | None] = Column(LargeBinary)
    by: Named[str] = Column(
        Text, CheckConstraint("by IN ('user', 'annotator', 'judge')", name="by")
    )
    at: Named[datetime | None] = Column(Utc)
    received_at: Named[datetime] = Column(Utc)
    expires_at: Named[datetime] = Column(Utc, index=True)
    rating: Named[int | None] = Column(Integer)
    reason: Named[str | None] = Column(Text)
    comment: Named[str | None] = Column(Text)


vote = Table("vote", metadata, _Vote, sqlite_strict=True, sqlite_autoincrement=True)


class _VoteTarget(TypedColumns):
    vote: Named[int] = Column(
        Integer, ForeignKey("vote.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    position: Named[int] = Column(Integer, primary_key=True, autoincrement=False)
    tag: Named[bytes] = Column(LargeBinary, primary_key=True, index=True)


vote_target = Table(
    "vote_target", metadata, _VoteTarget, sqlite_strict=True, sqlite_with_rowid=False
)


class _Suppressed(TypedColumns):
    tag: Named[bytes] = Column(LargeBinary, primary_key=True)
    expires_at: Named[datetime] = Column(Utc)


suppressed = Table("suppressed", metadata, _Suppressed, sqlite_strict=True, sqlite_with_rowid=False)


class _Item(TypedColumns):
    id: Named[str] = Column(Text, primary_key=True)
    revision: Named[int] = Column(Integer)
    status: Named[str] = Column(
        Text, CheckConstraint("status IN ('draft', 'ready', 'retired', 'withdrawn')", name="status")
    )
    split: Named[str] = Column(
        Text, CheckConstraint("split IN ('tuning', 'holdout')", name="split")
    )
    content: Named[Any] = Column(Json, nullable=False)


item = Table("item", metadata, _Item, sqlite_strict=True)


class _Revision(TypedColumns):
    id: Named[int] = Column(Integer, primary_key=True)
    act: Named[int] = Column(Integer, index=True)
    subject: Named[str] = Column(Text, index=True)
    number: Named[int] = Column(Integer)
    at: Named[datetime] = Column(Utc)
    by: Named[str] = Column(Text)
    action: Named[str] = Column(Text)
    reason: Named[str] = Column(Text)
    before: Named[Any] = Column(Json, nullable=True)
    after: Named[Any] = Column(Json, nullable=True)
    undoes: Named[int | None] = Column(Integer, index=True)


revision = Table("revision", metadata, _Revision, sqlite_strict=True, sqlite_autoincrement=True)


class _Version(TypedColumns):
    number: Named[int] = Column(Integer, primary_key=True, autoincrement=False)
    parent: Named[int | None] = Column(Integer, ForeignKey("version.number"))
    digest: Named[str] = Column(Text)
    at: Named[datetime] = Column(Utc)
    by: Named[str] = Column(Text)
    corpus: Named[str] = Column(Text)
    policy: Named[str] = Column(Text)
    # Empty in versions made before these two were kept.
    tool: Named[str] = Column(Text, server_default="")
    root: Named[str] = Column(Text, server_default="")
    # The chunk set whose ids it holds, and the relevant ids by item; empty without one.
    chunk_set: Named[str] = Column(Text, server_default="")
    gold: Named[Any] = Column(Json, nullable=False, server_default="{}")
    # What read the documents that its items quote, by source; empty in older versions.
    extractors: Named[Any] = Column(Json, nullable=False, server_default="{}")


version = Table("version", metadata, _Version, sqlite_strict=True)


class _VersionItem(TypedColumns):
    version: Named[int] = Column(
        Integer, ForeignKey("version.number"), primary_key=True, autoincrement=False
    )
    position: Named[int] = Column(Integer, primary_key=True, autoincrement=False)
    item: Named[str] = Column(Text, index=True)
    content: Named[Any] = Column(Json, nullable=False)
    # 1 once text was erased from it: its bytes are no longer those that were exported.
    erased: Named[int] = Column(Integer, server_default="0")


version_item = Table(
    "version_item", metadata, _VersionItem, sqlite_strict=True, sqlite_with_rowid=False
)


class _VersionFile(TypedColumns):
    version: Named[int] = Column(
        Integer, ForeignKey("version.number"), primary_key=True, autoincrement=False
    )
    name: Named[str] = Column(Text, primary_key=True)
    content: Named[bytes] = Column(LargeBinary)


# Files of a version beside those that its items make; ids and places of documents, never text.
version_file = Table("version_file", metadata, _VersionFile, sqlite_strict=True)


class _ChunkSet(TypedColumns):
    name: Named[str] = Column(Text, primary_key=True)
    # Counts on with every adding; times may be equal.
    position: Named[int] = Column(Integer)
    digest: Named[str] = Column(Text)
    chunks: Named[int] = Column(Integer)
    at: Named[datetime] = Column(Utc)
    by: Named[str] = Column(Text)


chunk_set = Table("chunk_set", metadata, _ChunkSet, sqlite_strict=True)


class _Name(TypedColumns):
    name: Named[str] = Column(Text, primary_key=True)
    version: Named[int] = Column(Integer, ForeignKey("version.number"))
    at: Named[datetime] = Column(Utc)
    by: Named[str] = Column(Text)


name = Table("name", metadata, _Name, sqlite_strict=True)


class _Receipt(TypedColumns):
    id: Named[int] = Column(Integer, primary_key=True)
    kind: Named[str] = Column(Text, index=True)
    at: Named[datetime] = Column(Utc)
    by: Named[str] = Column(Text)
    status: Named[str] = Column(
        Text,
        CheckConstraint(
            "status IN ('clean', 'deferred', 'not verified', 'overdue')", name="status"
        ),
    )
    counts: Named[Any] = Column(Json, nullable=False)
    verified: Named[Any] = Column(Json, nullable=False)
    detail: Named[str] = Column(Text)


receipt = Table("receipt", metadata, _Receipt, sqlite_strict=True)


class _Look(TypedColumns):
    id: Named[int] = Column(Integer, primary_key=True)
    at: Named[datetime] = Column(Utc)
    by: Named[str] = Column(Text)
    why: Named[str] = Column(Text)
    run: Named[str] = Column(Text)
    version: Named[int | None] = Column(Integer)
    scores: Named[Any] = Column(Json, nullable=False)


look = Table("look", metadata, _Look, sqlite_strict=True, sqlite_autoincrement=True)


class _Review(TypedColumns):
    id: Named[int] = Column(Integer, primary_key=True)
    batch: Named[str] = Column(Text, index=True)
    # None once the record is purged: the mark stays for the figures.
    record: Named[int | None] = Column(
        Integer, ForeignKey("record.id", ondelete="SET NULL"), index=True
    )
    mark: Named[str] = Column(
        Text, CheckConstraint("mark IN ('good', 'wrong', 'unsupported')", name="mark")
    )
    at: Named[datetime] = Column(Utc)
    by: Named[str] = Column(Text)
    comment: Named[str] = Column(Text)


review = Table("review", metadata, _Review, sqlite_strict=True)


class _Failure(TypedColumns):
    run: Named[str] = Column(Text, primary_key=True)
    item: Named[str] = Column(Text, primary_key=True)
    label: Named[str] = Column(Text)
    why: Named[str] = Column(Text)
    at: Named[datetime] = Column(Utc)
    confirmed: Named[str] = Column(Text)
    by: Named[str] = Column(Text)


failure = Table("failure", metadata, _Failure, sqlite_strict=True)


class _Audit(TypedColumns):
    id: Named[int] = Column(Integer, primary_key=True)
    at: Named[datetime] = Column(Utc)
    by: Named[str] = Column(Text)
    action: Named[str] = Column(Text)
    subject: Named[str] = Column(Text)
    detail: Named[str] = Column(Text)


# Ids and counts only, never text, so that it may outlive what it tells of.
audit = Table("audit", metadata, _Audit, sqlite_strict=True, sqlite_autoincrement=True)


class _Accepted(TypedColumns):
    item: Named[str] = Column(Text, primary_key=True)
    entity: Named[str] = Column(Text, primary_key=True)
    # What was accepted is this revision's wording; another wording needs another look.
    revision: Named[int] = Column(Integer)
    at: Named[datetime] = Column(Utc)
    by: Named[str] = Column(Text)
    reason: Named[str] = Column(Text)


accepted = Table("accepted", metadata, _Accepted, sqlite_strict=True)


class _Mirror(TypedColumns):
    path: Named[str] = Column(Text, primary_key=True)
    version: Named[int] = Column(Integer)
    at: Named[datetime] = Column(Utc)


# Directories of the user's that were given a copy of a version, so that an erasure finds them.
mirror = Table("mirror", metadata, _Mirror, sqlite_strict=True)


class _Checkpoint(TypedColumns):
    source: Named[str] = Column(Text, primary_key=True)
    file: Named[str] = Column(Text, primary_key=True)
    head: Named[bytes] = Column(LargeBinary)
    head_size: Named[int] = Column(Integer)
    offset: Named[int] = Column(Integer)
    line: Named[int] = Column(Integer)
    size: Named[int] = Column(Integer)
    changed: Named[int] = Column(Integer)
    settings: Named[bytes] = Column(LargeBinary)
    at: Named[datetime] = Column(Utc)


# How far each log file of a source has been read.
checkpoint = Table("checkpoint", metadata, _Checkpoint, sqlite_strict=True)


class _Watermark(TypedColumns):
    source: Named[str] = Column(Text, primary_key=True)
    stream: Named[str] = Column(Text, primary_key=True)
    value: Named[str] = Column(Text)
    at: Named[datetime] = Column(Utc)


# How far each stream of an API has been read.
watermark = Table("watermark", metadata, _Watermark, sqlite_strict=True)


class _Claim(TypedColumns):
    candidate: Named[int] = Column(
        Integer, ForeignKey("candidate.id", ondelete="CASCADE"), primary_key=True
    )
    by: Named[str] = Column(Text)
    until: Named[datetime] = Column(Utc)


# Who is looking at which candidate.
claim = Table("claim", metadata, _Claim, sqlite_strict=True)


class _State(TypedColumns):
    name: Named[str] = Column(Text, primary_key=True)
    value: Named[int] = Column(Integer)


# `dirty` is 1 from the first deletion of a purge until its bytes are proven gone.
state = Table("state", metadata, _State, sqlite_strict=True)

"""The first schema."""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None

TABLES = (
    """
CREATE TABLE candidate (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    status TEXT NOT NULL CONSTRAINT ck_candidate_status
        CHECK (status IN ('open', 'done', 'rejected', 'duplicate')),
    priority REAL NOT NULL,
    reasons TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    item TEXT,
    note TEXT NOT NULL
)
 STRICT
    """,
    """
CREATE TABLE item (
    id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    status TEXT NOT NULL CONSTRAINT ck_item_status
        CHECK (status IN ('draft', 'ready', 'retired', 'withdrawn')),
    split TEXT NOT NULL CONSTRAINT ck_item_split CHECK (split IN ('tuning', 'holdout')),
    content TEXT NOT NULL,
    CONSTRAINT pk_item PRIMARY KEY (id)
)
 STRICT
    """,
    """
CREATE TABLE receipt (
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    status TEXT NOT NULL CONSTRAINT ck_receipt_status
        CHECK (status IN ('clean', 'deferred', 'not verified', 'overdue')),
    counts TEXT NOT NULL,
    verified TEXT NOT NULL,
    detail TEXT NOT NULL,
    CONSTRAINT pk_receipt PRIMARY KEY (id)
)
 STRICT
    """,
    """
CREATE TABLE revision (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    act INTEGER NOT NULL,
    subject TEXT NOT NULL,
    number INTEGER NOT NULL,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    action TEXT NOT NULL,
    reason TEXT NOT NULL,
    "before" TEXT,
    "after" TEXT,
    undoes INTEGER
)
 STRICT
    """,
    """
CREATE TABLE state (
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    CONSTRAINT pk_state PRIMARY KEY (name)
)
 STRICT
    """,
    """
CREATE TABLE suppressed (
    tag BLOB NOT NULL,
    expires_at TEXT NOT NULL,
    CONSTRAINT pk_suppressed PRIMARY KEY (tag)
)
 WITHOUT ROWID,
 STRICT
    """,
    """
CREATE TABLE version (
    number INTEGER NOT NULL,
    parent INTEGER,
    digest TEXT NOT NULL,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    corpus TEXT NOT NULL,
    policy TEXT NOT NULL,
    CONSTRAINT pk_version PRIMARY KEY (number),
    CONSTRAINT fk_version_parent FOREIGN KEY(parent) REFERENCES version (number)
)
 STRICT
    """,
    """
CREATE TABLE record (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "key" BLOB NOT NULL,
    content BLOB NOT NULL,
    user BLOB,
    source TEXT NOT NULL,
    asked_at TEXT,
    received_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    question TEXT NOT NULL,
    standalone TEXT,
    answer TEXT,
    redactions TEXT NOT NULL,
    history TEXT NOT NULL,
    chunks TEXT NOT NULL,
    refused INTEGER,
    best_score REAL,
    latency_ms REAL,
    lang TEXT NOT NULL,
    policy TEXT NOT NULL,
    candidate INTEGER NOT NULL,
    CONSTRAINT uq_record_key UNIQUE ("key"),
    CONSTRAINT fk_record_candidate FOREIGN KEY(candidate) REFERENCES candidate (id)
)
 STRICT
    """,
    """
CREATE TABLE version_item (
    version INTEGER NOT NULL,
    position INTEGER NOT NULL,
    item TEXT NOT NULL,
    content TEXT NOT NULL,
    CONSTRAINT pk_version_item PRIMARY KEY (version, position),
    CONSTRAINT fk_version_item_version FOREIGN KEY(version) REFERENCES version (number)
)
 WITHOUT ROWID,
 STRICT
    """,
    """
CREATE TABLE alias (
    tag BLOB NOT NULL,
    record INTEGER NOT NULL,
    CONSTRAINT pk_alias PRIMARY KEY (tag, record),
    CONSTRAINT fk_alias_record FOREIGN KEY(record) REFERENCES record (id) ON DELETE CASCADE
)
 WITHOUT ROWID,
 STRICT
    """,
    """
CREATE TABLE band (
    value INTEGER NOT NULL,
    record INTEGER NOT NULL,
    CONSTRAINT pk_band PRIMARY KEY (value, record),
    CONSTRAINT fk_band_record FOREIGN KEY(record) REFERENCES record (id) ON DELETE CASCADE
)
 WITHOUT ROWID,
 STRICT
    """,
    """
CREATE TABLE vote (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "key" BLOB NOT NULL,
    content BLOB NOT NULL,
    record INTEGER,
    user BLOB,
    "by" TEXT NOT NULL CONSTRAINT ck_vote_by CHECK (by IN ('user', 'annotator', 'judge')),
    at TEXT,
    received_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    rating INTEGER,
    reason TEXT,
    comment TEXT,
    CONSTRAINT uq_vote_key UNIQUE ("key"),
    CONSTRAINT fk_vote_record FOREIGN KEY(record) REFERENCES record (id) ON DELETE CASCADE
)
 STRICT
    """,
    """
CREATE TABLE vote_target (
    vote INTEGER NOT NULL,
    position INTEGER NOT NULL,
    tag BLOB NOT NULL,
    CONSTRAINT pk_vote_target PRIMARY KEY (vote, position, tag),
    CONSTRAINT fk_vote_target_vote FOREIGN KEY(vote) REFERENCES vote (id) ON DELETE CASCADE
)
 WITHOUT ROWID,
 STRICT
    """,
)

INDEXES = (
    "CREATE INDEX ix_candidate_inbox ON candidate (status, priority DESC, id, expires_at)",
    "CREATE INDEX ix_receipt_kind ON receipt (kind)",
    "CREATE INDEX ix_revision_act ON revision (act)",
    "CREATE INDEX ix_revision_subject ON revision (subject)",
    "CREATE INDEX ix_revision_undoes ON revision (undoes)",
    "CREATE INDEX ix_record_candidate_expires_at ON record (candidate, expires_at)",
    "CREATE INDEX ix_record_expires_at ON record (expires_at)",
    "CREATE INDEX ix_version_item_item ON version_item (item)",
    "CREATE INDEX ix_alias_record ON alias (record)",
    "CREATE INDEX ix_band_record ON band (record)",
    "CREATE INDEX ix_vote_expires_at ON vote (expires_at)",
    "CREATE INDEX ix_vote_record ON vote (record)",
    "CREATE INDEX ix_vote_target_tag ON vote_target (tag)",
)


def upgrade() -> None:
    for statement in (*TABLES, *INDEXES):
        op.execute(statement)

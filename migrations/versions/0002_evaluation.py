"""Looks at the holdout, people's reviews, and items that failed."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

TABLES = (
    """
CREATE TABLE look (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    why TEXT NOT NULL,
    run TEXT NOT NULL,
    version INTEGER,
    scores TEXT NOT NULL
)
 STRICT
    """,
    """
CREATE TABLE review (
    id INTEGER NOT NULL,
    batch TEXT NOT NULL,
    record INTEGER,
    mark TEXT NOT NULL CONSTRAINT ck_review_mark CHECK (mark IN ('good', 'wrong', 'unsupported')),
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    comment TEXT NOT NULL,
    CONSTRAINT pk_review PRIMARY KEY (id),
    CONSTRAINT fk_review_record FOREIGN KEY(record) REFERENCES record (id) ON DELETE SET NULL
)
 STRICT
    """,
    """
CREATE INDEX ix_review_batch ON review (batch)
    """,
    """
CREATE INDEX ix_review_record ON review (record)
    """,
    """
CREATE TABLE failure (
    run TEXT NOT NULL,
    item TEXT NOT NULL,
    label TEXT NOT NULL,
    why TEXT NOT NULL,
    at TEXT NOT NULL,
    confirmed TEXT NOT NULL,
    "by" TEXT NOT NULL,
    CONSTRAINT pk_failure PRIMARY KEY (run, item)
)
 STRICT
    """,
)


def upgrade() -> None:
    for statement in TABLES:
        op.execute(statement)

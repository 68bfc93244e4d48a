"""Chunk sets, and what a version holds of them."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"

STATEMENTS = (
    """
CREATE TABLE chunk_set (
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    digest TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    CONSTRAINT pk_chunk_set PRIMARY KEY (name)
)
 STRICT
    """,
    "ALTER TABLE version ADD COLUMN chunk_set TEXT DEFAULT '' NOT NULL",
    "ALTER TABLE version ADD COLUMN gold TEXT DEFAULT '{}' NOT NULL",
    """
CREATE TABLE version_file (
    version INTEGER NOT NULL,
    name TEXT NOT NULL,
    content BLOB NOT NULL,
    CONSTRAINT pk_version_file PRIMARY KEY (version, name),
    CONSTRAINT fk_version_file_version FOREIGN KEY(version) REFERENCES version (number)
)
 STRICT
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)

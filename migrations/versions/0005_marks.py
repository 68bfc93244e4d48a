"""How far logs have been read, and how many tokens an answer took."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"

STATEMENTS = (
    "ALTER TABLE record ADD COLUMN tokens_in INTEGER",
    "ALTER TABLE record ADD COLUMN tokens_out INTEGER",
    """
CREATE TABLE checkpoint (
    source TEXT NOT NULL,
    file TEXT NOT NULL,
    head BLOB NOT NULL,
    head_size INTEGER NOT NULL,
    "offset" INTEGER NOT NULL,
    line INTEGER NOT NULL,
    size INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    settings BLOB NOT NULL,
    at TEXT NOT NULL,
    CONSTRAINT pk_checkpoint PRIMARY KEY (source, file)
)
 STRICT
    """,
    """
CREATE TABLE watermark (
    source TEXT NOT NULL,
    stream TEXT NOT NULL,
    value TEXT NOT NULL,
    at TEXT NOT NULL,
    CONSTRAINT pk_watermark PRIMARY KEY (source, stream)
)
 STRICT
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)

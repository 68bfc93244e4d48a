"""What made a version, what was erased from it, who looked at what, accepted findings."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"

STATEMENTS = (
    "ALTER TABLE version ADD COLUMN tool TEXT DEFAULT '' NOT NULL",
    "ALTER TABLE version ADD COLUMN root TEXT DEFAULT '' NOT NULL",
    "ALTER TABLE version_item ADD COLUMN erased INTEGER DEFAULT '0' NOT NULL",
    """
CREATE TABLE accepted (
    item TEXT NOT NULL,
    entity TEXT NOT NULL,
    revision INTEGER NOT NULL,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    reason TEXT NOT NULL,
    CONSTRAINT pk_accepted PRIMARY KEY (item, entity)
)
 STRICT
    """,
    """
CREATE TABLE audit (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL
)
 STRICT
    """,
    """
CREATE TABLE mirror (
    path TEXT NOT NULL,
    version INTEGER NOT NULL,
    at TEXT NOT NULL,
    CONSTRAINT pk_mirror PRIMARY KEY (path)
)
 STRICT
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)

"""Names for versions."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"

STATEMENTS = (
    """
CREATE TABLE name (
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    CONSTRAINT pk_name PRIMARY KEY (name),
    CONSTRAINT fk_name_version FOREIGN KEY(version) REFERENCES version (number)
)
 STRICT
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)

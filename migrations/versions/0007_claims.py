"""Claims on candidates, and what read the documents that a version quotes."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"

STATEMENTS = (
    """
CREATE TABLE claim (
    candidate INTEGER NOT NULL,
    "by" TEXT NOT NULL,
    until TEXT NOT NULL,
    CONSTRAINT pk_claim PRIMARY KEY (candidate),
    CONSTRAINT fk_claim_candidate
        FOREIGN KEY(candidate) REFERENCES candidate (id) ON DELETE CASCADE
)
 STRICT
    """,
    "ALTER TABLE version ADD COLUMN extractors TEXT DEFAULT '{}' NOT NULL",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)

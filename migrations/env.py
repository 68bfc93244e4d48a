"""What Alembic runs: migrations on the connection it is handed. Never imports `curate`."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy.types import TypeDecorator


def render_item(kind: str, value: Any, _: AutogenContext) -> str | Literal[False]:
    """Write our own column types as the plain types they are stored in."""
    if kind == "type" and isinstance(value, TypeDecorator):
        return f"sa.{type(value.impl_instance).__name__}()"
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=context.config.attributes.get("metadata"),
    render_as_batch=True,
    render_item=render_item,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()

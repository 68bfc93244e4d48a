"""JSON as the standard library reads it."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
"""A JSON object as the standard library reads it."""

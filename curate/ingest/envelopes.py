"""Log shippers wrap the event that was logged; here it comes out again."""

from __future__ import annotations

from curate.ingest.events import Unusable
from curate.ingest.jsontext import embedded
from curate.model.plain import Json

_OBJECTS = ("_source", "jsonPayload", "message", "@message", "log", "msg", "line")
KEYS = frozenset(_OBJECTS)
"""Names under which an event may be wrapped."""

_MONGO = ("$oid", "$date", "$numberLong")
_LAYERS = 3


def unwrap(row: Json) -> Json:
    """Return the event a shipper's record wraps (Elastic, CloudWatch, Google Cloud, Docker,
    Loki), three layers deep at most. What the wrapper knows (time, id) is kept where the event
    does not say it itself. Raises `Unusable` for an event that was cut when it was shipped.
    """
    for _ in range(_LAYERS):
        if KEYS.isdisjoint(row):
            return row
        for key in _OBJECTS:
            inner = row.get(key)
            if isinstance(inner, str) and inner[:1] == "{":
                decoded = embedded(inner)
                if isinstance(decoded, dict):
                    inner = decoded
                elif inner.startswith('{"'):
                    raise Unusable("an event that was cut when it was shipped")
            if isinstance(inner, dict) and inner and not _is_message(inner):
                outer = {name: value for name, value in row.items() if name != key}
                row = {**outer, **inner}
                break
        else:
            return row
    return row


def _is_message(value: Json) -> bool:
    """Say whether an object is a chat message, or a value in MongoDB's notation."""
    return "role" in value or "content" in value or any(key in value for key in _MONGO)

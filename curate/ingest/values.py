"""What the values of a log mean: text, ids, times, numbers."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from email.utils import parsedate_to_datetime
from uuid import UUID

from curate.ingest.jsontext import embedded
from curate.model.events import RawText
from curate.text import sanitise

LONGEST_ID = 512
"""How many code points of an id are kept."""

MAX_TEXT = 32_768
"""How many code points of one text are kept; what comes after them is cut off."""

CODED = frozenset(("{", "[", '"', " ", "\n"))
"""What text may begin with that is JSON."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = 253_402_300_799_999_999  # the end of the year 9999, in microseconds
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{1,3})?")
_DAY = re.compile(r"(19|20)[0-9]{2}[01][0-9][0-3][0-9]")
_LONG_FRACTION = re.compile(r"(\.[0-9]{6})[0-9]+")
_KIBANA = "%b %d, %Y @ %H:%M:%S"
_APACHE = "%d/%b/%Y:%H:%M:%S %z"
# Parts of a message that nobody said.
_NO_TEXT = ("tool", "image", "file", "source", "reasoning", "step", "input_image", "input_file")
# Where the text is, in a value that is an object.
_TEXT_KEYS = (
    "text",
    "content",
    "value",
    "query_str",
    "question",
    "query",
    "input",
    "response",
    "answer",
    "output",
    "generation",
    "completion",
    "reply",
    "result",
    "message",
    "page_content",
    "kwargs",
)


def text_of(value: object, depth: int = 6) -> str:
    """Return the text a value holds, or an empty string: a string, JSON-in-JSON, the parts of a
    chat message, or an object with one of the usual keys for text.
    """
    if isinstance(value, str):
        if value[:1] not in CODED:
            return value
        inner = embedded(value)
        if inner in ([], {}):
            return ""
        found = text_of(inner, depth - 1) if depth and not isinstance(inner, str) else inner
        return found if isinstance(found, str) and found else value
    if depth and isinstance(value, dict):
        if str(value.get("type", "")).startswith(_NO_TEXT):
            return ""
        for key in _TEXT_KEYS:
            if key in value and (found := text_of(value[key], depth - 1)):
                return found
        parts = value.get("parts")
        return text_of(parts, depth - 1) if isinstance(parts, list) else ""
    if depth and isinstance(value, list):
        return "\n".join(filter(None, (text_of(part, depth - 1) for part in value)))
    return ""


def raw(value: object, plain: bool = False) -> RawText | None:
    """Return the text of `value` as it may travel on, or None where there is none.

    Controls, bidi controls and lone surrogates are replaced; text of more than `MAX_TEXT` code
    points is cut. `plain` promises that there is nothing to replace.
    """
    bare = plain and isinstance(value, str) and value[:1] not in CODED
    text = str(value) if bare else text_of(value)
    if len(text) > MAX_TEXT:
        text = text[:MAX_TEXT]
    text = text.strip()
    if not text:
        return None
    return RawText(text if plain else sanitise(text))


def ident(value: object, plain: bool = False) -> RawText | None:
    """Return an id: a string, an integer, or MongoDB's `{"$oid": ...}`; None for anything else.

    `plain` promises that no character of it needs replacing.
    """
    if plain and type(value) is str and len(value) <= LONGEST_ID:
        return RawText(text) if (text := value.strip()) else None
    if isinstance(value, dict):
        value = value.get("$oid", value.get("$uuid"))
    if isinstance(value, int) and not isinstance(value, bool):
        return RawText(str(value))
    if isinstance(value, float) and value.is_integer():
        return RawText(str(int(value)))
    if isinstance(value, str) and (text := sanitise(value.strip())[:LONGEST_ID]):
        return RawText(text)
    return None


def number(value: object) -> float | None:
    """Return a finite number, also one written as text, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        result = float(value)
    except (ValueError, OverflowError):
        return None
    return result if abs(result) < float("inf") else None


def whole_ms(value: object) -> float | None:
    """Return a duration in milliseconds, or None for what cannot be one."""
    result = number(value)
    return result if result is not None and result >= 0 else None


def plain(value: object) -> object:
    """Return a value of a database or a data frame as JSON would hold it."""
    match value:
        case dict():
            return {str(key): plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [plain(inner) for inner in value]
        case date():  # and datetime
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case UUID():
            return str(value)
        case bytes() | bytearray() | memoryview():
            return bytes(value).decode("utf-8", "replace")
        case _:
            return value


def count(value: object) -> int | None:
    """Return a whole number of things, such as tokens, or None for what cannot be one."""
    result = number(value)
    return int(result) if result is not None and 0 <= result < 2**53 else None


def moment(value: object) -> datetime | None:
    """Return a time in UTC, or None where `value` is none.

    Numbers are seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by their
    magnitude and reckoned as integers. Text is a number, ISO 8601, RFC 2822, Apache's or Kibana's
    form. A time without a zone is UTC. Dates whose day and month could be swapped are not read.
    """
    if isinstance(value, str):
        return _written(value.strip())
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return _since_1970(value)
    if isinstance(value, float):
        return _since_1970(Decimal(repr(value))) if abs(value) < 1e20 else None
    if isinstance(value, dict):
        for key in ("$date", "$numberLong"):
            if key in value:
                return moment(value[key])
    return None


def _since_1970(count: int | Decimal) -> datetime | None:
    if count < 0:
        return None
    if count < 10**11:
        micros = int(count * 1_000_000)
    elif count < 10**14:
        micros = int(count * 1_000)
    elif count < 10**17:
        micros = int(count)
    else:
        micros = int(count) // 1_000
    return _EPOCH + timedelta(microseconds=micros) if micros <= _LATEST else None


def _written(text: str) -> datetime | None:
    if len(text) > 64:
        return None
    if _NUMBER.fullmatch(text) and not _DAY.fullmatch(text):
        try:
            return _since_1970(int(text) if text.isdigit() else Decimal(text))
        except (ValueError, InvalidOperation):
            return None
    found = _iso(text)
    if found is None and text[:1].isalnum():
        found = _prose(text)
    if found is None:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else _utc(found)


def _iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    plain = _LONG_FRACTION.sub(r"\1", text.removesuffix("UTC").replace(" +", "+").strip())
    try:
        return datetime.fromisoformat(plain)
    except ValueError:
        return None


def _prose(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        pass
    for form in (_KIBANA, f"{_KIBANA}.%f", _APACHE):
        try:
            return (
                datetime.strptime(text, form).astimezone(UTC)
                if "%z" in form
                else (datetime.strptime(text, form).replace(tzinfo=UTC))
            )
        except ValueError:
            continue
    return None


def _utc(aware: datetime) -> datetime | None:
    try:
        return aware.astimezone(UTC)
    except OverflowError:
        return None

"""Sets from elsewhere: our own formats read back, as rows that nobody has vouched for yet.

Known are `questions.json` (an array or lines), `golden.jsonl`, labelled queries, and CSV with the
columns of either or of our spreadsheet. What a row says is raw: personal data may be in it.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curate.model.errors import CurateError, Exit
from curate.model.events import RawText, RawTurn
from curate.model.items import EvidenceMode, Split
from curate.text import strip_space

LIMIT = 64 * 2**20
"""Bytes of the largest file that is read."""
_NAMES = {"query": "question", "expected_answer": "reference", "source_file": "source"}
_TEXTS = ("question", "keyword", "reference", "kind", "lang")
_LISTS = ("mustInclude", "mustNotInclude", "tags", "relevantChunkIds")
_QUOTED = ("source", "heading", "evidence")
_OTHERS = ("id", "answerable", "split", "holdout", "evidenceMode", "evidences", "history")
_COLUMNS = frozenset((*_TEXTS, *_LISTS, *_QUOTED, *_OTHERS, *_NAMES))
_YES, _NO = ("yes", "true", "1"), ("no", "false", "0")
Wrong = Callable[[str], CurateError]
"""Makes the error that names a row and what is wrong with it."""
_FORMULA = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"


@dataclass(frozen=True, slots=True)
class Quote:
    """Evidence as a row names it; `heading` is None where the row does not say."""

    source: RawText
    heading: RawText | None
    phrase: RawText


@dataclass(frozen=True, slots=True)
class Row:
    """What a row says of an item; None, or nothing, where it does not say.

    `place` is where it stands, in words: `line 3`. `source` is the document alone, where the row
    names one and quotes nothing of it.
    """

    place: str
    id: str
    question: RawText
    answerable: bool | None = None
    quotes: tuple[Quote, ...] = ()
    source: RawText | None = None
    mode: EvidenceMode | None = None
    keyword: RawText | None = None
    reference: RawText | None = None
    must_include: tuple[RawText, ...] | None = None
    must_not_include: tuple[RawText, ...] | None = None
    history: tuple[RawTurn, ...] | None = None
    tags: tuple[RawText, ...] | None = None
    kind: RawText | None = None
    lang: RawText | None = None
    split: Split | None = None
    chunks: tuple[str, ...] = ()


def read(path: Path) -> list[Row]:
    """Return the rows of a file, in order.

    Raises `CurateError` naming the file and the line or record, and never quoting it, when a row
    is no item of ours, or an id stands twice.
    """
    rows = [_row(path, place, told) for place, told in _records(path)]
    if not rows:
        raise CurateError(f"{path} holds no items", "Is it the right file?", Exit.USAGE)
    seen: dict[str, str] = {}
    for row in rows:
        if row.id and row.id in seen:
            raise _bad(path, row.place, f"has the id of {seen[row.id]}")
        seen[row.id] = row.place
    return rows


# ---------------------------------------------------------------------------- records


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    data = _content(path)
    if path.suffix.lower() in (".csv", ".tsv"):
        yield from _cells(path, data)
        return
    text = _text(path, data)
    if text.lstrip()[:1] == "[":
        try:
            made = json.loads(text)
        except (ValueError, RecursionError):
            raise _bad(path, "the array", "is no valid JSON") from None
        for number, one in enumerate(made, 1):
            yield f"record {number}", _object(path, f"record {number}", one)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                one = json.loads(line)
            except (ValueError, RecursionError):
                raise _bad(path, f"line {number}", "is no valid JSON") from None
            yield f"line {number}", _object(path, f"line {number}", one)


def _object(path: Path, place: str, one: object) -> dict[str, Any]:
    if not isinstance(one, dict):
        raise _bad(path, place, "is no object")
    told = ((str(key), value) for key, value in one.items() if value is not None)
    return {_NAMES.get(key, key): value for key, value in told}


def _content(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise CurateError(f"{path} is no file", "Name the file to import.", Exit.USAGE)
        with path.open("rb") as stream:
            data = stream.read(LIMIT + 1)
    except OSError as error:
        raise CurateError(f"{path} cannot be read: {error.strerror}", "Check its mode.") from None
    if len(data) > LIMIT:
        raise CurateError(
            f"{path} is larger than {LIMIT // 2**20} MiB", "Split it into several.", Exit.USAGE
        )
    return data


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CurateError(f"{path} is not UTF-8", "Save it as UTF-8.", Exit.USAGE) from None


def _cells(path: Path, data: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    text = _text(path, data)
    head = text.partition("\n")[0]
    delimiter = max("\t;,", key=head.count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = [_column(name) for name in next(lines, [])]
        if "question" not in columns:
            raise _bad(path, "line 1", "names no column `question` or `query`")
        for cells in lines:
            place = f"line {lines.line_num}"
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(columns):
                raise _bad(path, place, f"has {len(cells)} cells, not {len(columns)}")
            told = zip(columns, cells, strict=True)
            yield (
                place,
                {
                    column: _cell(path, place, column, cell)
                    for column, cell in told
                    if column and cell
                },
            )
    except csv.Error:
        raise _bad(path, f"line {lines.line_num}", "is no valid CSV") from None


def _column(name: str) -> str:
    known = {column.lower(): column for column in _COLUMNS}
    plain = name.strip().lower()
    found = known.get(plain) or known.get(plain.replace("_", ""), "")
    return _NAMES.get(found, found)


def _cell(path: Path, place: str, column: str, cell: str) -> Any:
    if cell[0] == "'" and cell[1:].lstrip(" \u00a0")[:1] in tuple(_FORMULA):
        cell = cell[1:]
    if column in ("answerable", "holdout"):
        said = cell.strip().lower()
        if said not in (*_YES, *_NO):
            raise _bad(path, place, f"`{column}` is neither yes nor no")
        return said in _YES
    if column in _LISTS:
        return [part for part in cell.split("\n") if part.strip()]
    if column in ("evidences", "history"):
        try:
            return [json.loads(part) for part in cell.split("\n") if part.strip()]
        except (ValueError, RecursionError):
            raise _bad(path, place, f"`{column}` is no JSON") from None
    return cell


# ---------------------------------------------------------------------------- one row


def _row(path: Path, place: str, told: Mapping[str, Any]) -> Row:
    def wrong(why: str) -> CurateError:
        return _bad(path, place, why)

    def raw(key: str, holder: Mapping[str, Any] = told) -> RawText | None:
        value = holder.get(key)
        if value is not None and not isinstance(value, str):
            raise wrong(f"`{key}` is no text")
        return None if value is None else RawText(value)

    def several(key: str) -> tuple[RawText, ...] | None:
        value = told.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            raise wrong(f"`{key}` is no list of texts")
        return tuple(RawText(part) for part in value)

    question = raw("question")
    if question is None or not strip_space(question.reveal()):
        raise wrong("has no question")
    name = told.get("id", "")
    if not isinstance(name, str | int) or isinstance(name, bool):
        raise wrong("`id` is no text")
    if not _whole(str(name)):
        raise wrong("`id` holds half a character (a lone surrogate)")
    answerable = told.get("answerable")
    if answerable is not None and not isinstance(answerable, bool):
        raise wrong("`answerable` is neither true nor false")
    quotes = _quotes(told, raw, wrong)
    chunks = several("relevantChunkIds") or ()
    if not all(_whole(chunk.reveal()) for chunk in chunks):
        raise wrong("`relevantChunkIds` holds half a character (a lone surrogate)")
    if answerable is None and (quotes or chunks or "reference" in told):
        answerable = True
    if answerable is False and quotes:
        raise wrong("is unanswerable and has evidence")
    mode = told.get("evidenceMode")
    if mode not in (None, "any", "all"):
        raise wrong("`evidenceMode` is neither any nor all")
    return Row(
        place,
        str(name).strip(),
        question,
        answerable,
        quotes,
        raw("source") if not quotes else None,
        mode,
        raw("keyword"),
        raw("reference"),
        several("mustInclude"),
        several("mustNotInclude"),
        _history(told.get("history"), wrong),
        several("tags"),
        raw("kind"),
        raw("lang"),
        _split(told, wrong),
        tuple(chunk.reveal() for chunk in chunks),
    )


def _whole(text: str) -> bool:
    """Say whether a text can be written at all: an id is kept as it is, or not taken."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _quotes(
    told: Mapping[str, Any], raw: Callable[[str, Mapping[str, Any]], RawText | None], wrong: Wrong
) -> tuple[Quote, ...]:
    many = told.get("evidences") or ([told] if told.get("evidence") is not None else [])
    if not isinstance(many, list) or not all(isinstance(one, dict) for one in many):
        raise wrong("`evidences` is no list of source, heading and evidence")
    quotes = []
    for one in many:
        source, heading, phrase = (raw(key, one) for key in _QUOTED)
        if source is None or not source or phrase is None or not strip_space(phrase.reveal()):
            raise wrong("evidence lacks its source or its text")
        quotes.append(Quote(source, heading, phrase))
    return tuple(quotes)


def _history(turns: object, wrong: Wrong) -> tuple[RawTurn, ...] | None:
    if turns is None:
        return None
    if not isinstance(turns, list) or not all(
        isinstance(turn, dict)
        and turn.get("role") in ("user", "assistant", "system")
        and isinstance(turn.get("content"), str)
        for turn in turns
    ):
        raise wrong("`history` is no list of role and content")
    return tuple(RawTurn(turn["role"], RawText(turn["content"])) for turn in turns)


def _split(told: Mapping[str, Any], wrong: Wrong) -> Split | None:
    """A row that says nothing is for tuning where the harness's own keys tell splits."""
    match told.get("split"), told.get("holdout"):
        case (("tuning" | "holdout") as named, _):
            return named  # type: ignore[no-any-return]
        case None, bool(holdout):
            return "holdout" if holdout else "tuning"
        case None, None:
            return "tuning" if "answerable" in told else None
        case _:
            raise wrong("`split` or `holdout` is not what it may be")


def _bad(path: Path, place: str, why: str) -> CurateError:
    return CurateError(
        f"{path}, {place}: {why}", "Nothing was imported. Mend the file there.", Exit.USAGE
    )

"""What an assistant replied, item by item: reading run files of any origin.

A run file is JSONL: one object per item with `id, retrieved, answer, refused` and more, in any
order, after an optional head line that says what ran. Whatever is wrong with a line is named;
the rest of the file still counts.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import gt
from pathlib import Path
from typing import Any

import msgspec

from curate.evaluate.files import content
from curate.model.errors import CurateError, Exit
from curate.model.plain import Json

_DECODER = msgspec.json.Decoder()
_WAY = "Make a run with `curate eval run`, or give a JSONL file with one object per line."
FORMAT = "curate run 1"
"""The value of `format` in the head line of a run file of ours."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk. `text` and `score` are None where the run does not say."""

    id: str
    source: str
    text: str | None = field(default=None, repr=False)
    score: float | None = None


class _Plain(msgspec.Struct, gc=False):
    """A line as nearly all are: every field of the type it should have, and no error."""

    id: str
    retrieved: tuple[Hit, ...]
    answer: str | None = None
    refused: bool | None = None
    sources: object = None
    citations: object = None
    latency_ms: float | None = None
    usage: object = None
    rewritten: str = ""
    error: None = None
    index: object = None


_PLAIN = msgspec.json.Decoder(_Plain)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one item, best chunk first.

    `sources` is what `[n]` in the answer counts through, `cited` the numbers (from 1), sources or
    chunk ids the reply names apart from its text. `tokens` are all tokens of the request. `error`
    is empty, or why there was no reply. `rewritten` is the question as the assistant searched it.
    """

    id: str
    hits: tuple[Hit, ...] = ()
    answer: str | None = field(default=None, repr=False)
    refused: bool | None = None
    sources: tuple[str, ...] | None = None
    cited: tuple[int | str, ...] = ()
    latency_ms: float | None = None
    tokens: float | None = None
    rewritten: str = field(default="", repr=False)
    error: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a run: a stable `code`, the item's id or empty, and words."""

    code: str
    item: str
    message: str


@dataclass(frozen=True, slots=True)
class Run:
    """A run file as read: its head (empty without one), its replies by id, what was wrong.

    `digest` is over the file's bytes.
    """

    name: str
    digest: str
    head: Json
    replies: Mapping[str, Reply]
    problems: tuple[Problem, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether this run has answers at all, or only retrieved chunks."""
        return any(
            reply.answer is not None or reply.refused is not None for reply in self.replies.values()
        )

    @property
    def asked(self) -> str | int | None:
        """The digest, or else the number, of the version it asked, if the head line says."""
        given = [self.head.get(key) for key in ("questions", "digest", "version_digest", "version")]
        digest = next((value for value in given if isinstance(value, str) and ":" in value), None)
        return digest or next((value for value in given if isinstance(value, int)), None)

    @property
    def chunks(self) -> int | None:
        """How many chunks the index holds, if the head line says."""
        index = self.head.get("index")
        value = index.get("chunks") if isinstance(index, dict) else self.head.get("chunks")
        return value if isinstance(value, int) and value > 0 else None


def read(path: Path) -> Run:
    """Read a run file. Raises `CurateError` when it cannot be read or holds no reply at all.

    Of several lines with one id the last counts; the others are named.
    """
    data = content(path, _WAY)
    head: Json = {}
    replies: dict[str, Reply] = {}
    problems: list[Problem] = []
    for number, line in _numbered(data):
        if (plain := _plain(line)) is not None and plain.id not in replies:
            replies[plain.id] = plain
            continue
        value = _value(number, line, problems)
        if value is None:
            continue
        if number == 1 and "id" not in value and "retrieved" not in value:
            head = value
            continue
        name = value.get("id")
        if not isinstance(name, str | int) or name == "":
            problems.append(Problem("no id", "", f"line {number} has no id"))
            continue
        if str(name) in replies:
            words = f"line {number} replies to it again; the last line counts"
            problems.append(Problem("duplicate", str(name), words))
        replies[str(name)] = reply(str(name), value, problems)
        if "index" in value:
            head = {"index": value["index"], **head}
    if not replies:
        raise CurateError(
            f"{path} holds no reply",
            "A run file has one JSON object per line, each with an `id` and `retrieved`.",
            Exit.USAGE,
        )
    digest = "sha256:" + hashlib.sha256(data).hexdigest()
    return Run(str(path), digest, head, replies, tuple(problems))


def objects(path: Path) -> list[Json]:
    """Return the objects of a JSONL file, such as a chunk set. Raises `CurateError` naming the
    first line that is none.
    """
    problems: list[Problem] = []
    read = (_value(number, line, problems) for number, line in _numbered(content(path, _WAY)))
    found = [value for value in read if value is not None]
    if problems:
        raise CurateError(f"{path}: {problems[0].message}", "Mend the file there.", Exit.USAGE)
    return found


def _numbered(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a JSONL file that are not blank with their numbers, from 1."""
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            yield number, line


def _value(number: int, line: bytes, problems: list[Problem]) -> Json | None:
    """Return the object of a line; where it is none, None, and the problem is named."""
    try:
        value = _object(line)
    except (ValueError, RecursionError):
        problems.append(Problem("broken line", "", f"line {number} is not JSON"))
        return None
    if not isinstance(value, dict):
        problems.append(Problem("broken line", "", f"line {number} is no JSON object"))
        return None
    return value


def _plain(line: bytes) -> Reply | None:
    """Return the reply of a line with which nothing is wrong, in a fraction of the time; else
    None, and the line is to be looked at more closely.
    """
    try:
        made = _PLAIN.decode(line)
    except (ValueError, RecursionError):
        return None
    hits = made.retrieved
    scores = [hit.score for hit in hits]
    scored = [score for score in scores if score is not None]
    if not (
        made.id
        and hits
        and made.index is None
        and len({hit.id for hit in hits}) == len(hits)
        and len(scored) in (0, len(hits))
        and all(map(gt, scored, scored[1:]))
    ):
        return None
    sources = made.sources
    return Reply(
        made.id,
        hits,
        made.answer,
        made.refused,
        tuple(_source(entry) for entry in sources) if isinstance(sources, list) else None,
        tuple(_cited(made.citations)),
        made.latency_ms,
        _tokens(made.usage),
        made.rewritten,
    )


def _object(line: bytes) -> Any:
    """A line's JSON; the slower parser also takes the NaN that some writers write."""
    try:
        return _DECODER.decode(line)
    except msgspec.DecodeError:
        return json.loads(line)


def reply(name: str, value: Json, problems: list[Problem]) -> Reply:
    """Return the reply that a run's line, or an assistant, gives for item `name`.

    What has another shape than it should is added to `problems`; a reply of which nothing can be
    used has an `error`.
    """

    def problem(code: str, words: str) -> None:
        problems.append(Problem(code, name, words))

    error = value.get("error")
    if error:
        return Reply(name, error=_error(error), latency_ms=_number(value.get("latency_ms")))
    retrieved = value.get("retrieved")
    if not isinstance(retrieved, list):
        if retrieved is not None or "answer" not in value:
            problem("broken reply", "`retrieved` is no list")
            return Reply(name, error="broken reply: `retrieved` is no list")
        problem("empty", "nothing was retrieved")
        retrieved = []
    elif not retrieved:
        problem("empty", "nothing was retrieved")
    hits = tuple(_hits(retrieved, problem))
    answer, refused = value.get("answer"), value.get("refused")
    if answer is not None and not isinstance(answer, str):
        problem("broken reply", "`answer` is no string")
        return Reply(name, hits, error="broken reply: `answer` is no string")
    if refused is not None and not isinstance(refused, bool):
        problem("broken reply", "`refused` is neither true nor false")
        refused = None
    sources = value.get("sources")
    return Reply(
        name,
        hits,
        answer,
        refused,
        tuple(_source(entry) for entry in sources) if isinstance(sources, list) else None,
        tuple(_cited(value.get("citations"))),
        _number(value.get("latency_ms")),
        _tokens(value.get("usage")),
        value["rewritten"] if isinstance(value.get("rewritten"), str) else "",
    )


def _hits(retrieved: list[Any], problem: Any) -> Iterator[Hit]:
    seen: set[str] = set()
    last = math.inf
    for rank, entry in enumerate(retrieved, 1):
        if isinstance(entry, str):
            entry = {"id": entry}
        if not isinstance(entry, dict) or "id" not in entry:
            problem("chunk without id", f"the chunk at rank {rank} has no id")
            entry = entry if isinstance(entry, dict) else {}
        chunk = str(entry.get("id", ""))
        if chunk and chunk in seen:
            problem("repeated chunk", f"`{chunk}` comes again at rank {rank} and counts once")
        seen.add(chunk)
        score = _number(entry.get("score"))
        if score is None:
            if entry.get("score") is not None:
                problem("score", f"the score at rank {rank} is no number; the order counts")
        elif score == last:
            problem("tie", f"ranks {rank - 1} and {rank} have one score; the order counts")
        elif score > last:
            problem("order", f"rank {rank} scores higher than rank {rank - 1}; the order counts")
        last = math.inf if score is None else score
        text = entry.get("text")
        yield Hit(
            chunk, str(entry.get("source") or ""), text if isinstance(text, str) else None, score
        )


def _number(value: object) -> float | None:
    if type(value) is float and math.isfinite(value):  # nearly always
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _tokens(usage: object) -> float | None:
    """All tokens of a request: the total, or what was read and written."""
    if not isinstance(usage, dict):
        return _number(usage)
    total = _number(usage.get("total_tokens"))
    if total is not None:
        return total
    names = ("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens")
    parts = [part for part in (_number(usage.get(key)) for key in names) if part is not None]
    return sum(parts) if parts else None


def _source(entry: object) -> str:
    if isinstance(entry, dict):
        return str(entry.get("source") or "")
    return str(entry)


def _cited(value: object) -> Iterator[int | str]:
    for entry in value if isinstance(value, list) else ():
        match entry:
            case bool():
                continue
            case int() | str():
                yield entry
            case {"n": int(number)} | {"index": int(number)}:
                yield number
            case {"source": str(name)} | {"id": str(name)}:
                yield name


def _error(value: object) -> str:
    if isinstance(value, dict):
        return ": ".join(str(value[key]) for key in ("kind", "detail") if value.get(key)) or "error"
    return str(value)

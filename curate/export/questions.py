"""`questions.json`, the file the harness reads, and the bytes of our JSON files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any

from curate.model.errors import CurateError, Exit
from curate.model.items import Item
from curate.model.plain import Json
from curate.text import strip_space

QUESTIONS = "questions.json"
TUNING = "questions.tuning.json"
HOLDOUT = "questions.holdout.json"

# What a terminal, an editor or `str.splitlines` would obey or hide is written as an escape. A
# fixed list, not the categories of the running Python's Unicode: same content, same bytes.
_UNSEEN = re.compile(
    "[\x7f-\xa0\xad\u061c\u115f\u1160\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    "\ud800-\udfff\ufeff\ufff9-\uffff\U000e0000-\U000e0fff]"
)


def exported(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items that an export holds: those that are ready, by id."""
    return tuple(sorted((i for i in items if i.status == "ready"), key=lambda i: i.id))


def record(item: Item, chunks: Sequence[str] | None = None) -> Json:
    """Return an item as `questions.json` holds it.

    First the harness's own keys in their order: `id, question, answerable`, for an answerable
    item `source, heading, evidence, keyword` (of its first evidence), then `holdout: true` for
    a holdout item. After them ours: `evidences` and `evidenceMode`, and only where there is
    something to say `mustInclude`, `mustNotInclude`, `history`, `kind`, `lang`, `tags`,
    `reference`, `standalone`, `cluster` and `relevantChunkIds` (the `chunks` given).

    Raises `CurateError` for an item that breaks the contract: undecided, without a question, or
    answerable without source, evidence or keyword.
    """
    if item.answerable is None or not strip_space(item.question):
        raise _broken(item, "has no question" if item.answerable is not None else "is undecided")
    made: Json = {"id": item.id, "question": item.question, "answerable": item.answerable}
    evidences = [
        {"source": e.source, "heading": e.heading, "evidence": strip_space(e.phrase)}
        for e in item.evidences
    ]
    if item.answerable:
        if not evidences or not all(e["source"] and e["evidence"] for e in evidences):
            raise _broken(item, "has no evidence, or evidence without a source or a phrase")
        if not strip_space(item.keyword):
            raise _broken(item, "has no keyword")
        made |= {**evidences[0], "keyword": strip_space(item.keyword)}
    if item.split == "holdout":
        made["holdout"] = True
    if item.answerable:
        made |= {"evidences": evidences, "evidenceMode": item.evidence_mode}
    ours: Json = {
        "mustInclude": list(item.must_include),
        "mustNotInclude": list(item.must_not_include),
        "history": [{"role": turn.role, "content": turn.content} for turn in item.history],
        "kind": item.kind,
        "lang": item.lang,
        "tags": list(item.tags),
        "reference": item.reference,
        "standalone": item.standalone,
        "cluster": item.cluster,
        "relevantChunkIds": list(chunks or ()),
    }
    return made | {key: value for key, value in ours.items() if value}


def _broken(item: Item, why: str) -> CurateError:
    return CurateError(
        f"{item.id or 'an item without id'} cannot be exported: it {why}",
        "`curate check` lists what is wrong.",
        Exit.FOUND,
    )


def records(items: Iterable[Item], chunks: Mapping[str, Sequence[str]] | None = None) -> list[Json]:
    """Return the records of all items that an export holds, by id.

    `chunks` gives the gold chunk ids of an item id. Raises `CurateError` for a duplicate id.
    """
    held = exported(items)
    for one, other in pairwise(held):
        if one.id == other.id:
            raise _broken(one, "shares its id with another item")
    return [record(item, (chunks or {}).get(item.id)) for item in held]


def files(made: Sequence[Json]) -> dict[str, bytes]:
    """Return the three questions files by name: all, tuning only, holdout only."""
    return {
        QUESTIONS: encode(made),
        TUNING: encode([one for one in made if not one.get("holdout")]),
        HOLDOUT: encode([one for one in made if one.get("holdout")]),
    }


def encode(value: Any) -> bytes:
    """Return `value` as indented JSON in UTF-8 with LF at the end of each line.

    The same value always gives the same bytes. Letters of every script stay readable; characters
    that are not seen or that a reader might obey (controls, bidi marks, line separators, lone
    surrogates, unusual white space) are escaped.
    """
    return (
        _escaped(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)) + "\n"
    ).encode()


def encode_lines(values: Iterable[Json]) -> bytes:
    """Return one compact JSON object per line, all ASCII, so that any line splitting agrees."""
    return "".join(
        json.dumps(value, ensure_ascii=True, allow_nan=False) + "\n" for value in values
    ).encode()


def digest(data: bytes) -> str:
    """Return `sha256:` and the hex digest of some bytes."""
    return f"sha256:{sha256(data).hexdigest()}"


def _escaped(text: str) -> str:
    return _UNSEEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"

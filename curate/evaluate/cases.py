"""The questions of a run: `questions.json`, or labelled queries, as cases to score against."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from curate.evaluate.files import content
from curate.model.errors import CurateError, Exit
from curate.model.items import EvidenceMode, Split
from curate.model.plain import Json
from curate.model.records import Turn
from curate.text import fold_space, strip_space

_SHOWN = 8
_WAY = "Name the set's questions.json with --questions."


@dataclass(frozen=True, slots=True)
class Gold:
    """A phrase that a right chunk holds, white space folded, and the document it must come from."""

    source: str
    heading: str
    phrase: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Case:
    """One question with what makes a reply right.

    `golds` are the evidences, `chunks` the ids of right chunks with their grades. `cluster` names
    the near-duplicate group, the id where none is known. `standalone` is the question as it reads
    without its history, empty where nobody wrote it down.
    """

    id: str
    question: str = field(repr=False)
    answerable: bool
    golds: tuple[Gold, ...] = ()
    mode: EvidenceMode = "any"
    chunks: Mapping[str, float] = field(default_factory=dict)
    keyword: str = field(default="", repr=False)
    must_include: tuple[str, ...] = field(default=(), repr=False)
    must_not_include: tuple[str, ...] = field(default=(), repr=False)
    reference: str = field(default="", repr=False)
    history: tuple[Turn, ...] = ()
    standalone: str = field(default="", repr=False)
    split: Split = "tuning"
    kind: str = ""
    lang: str = ""
    cluster: str = ""


@dataclass(frozen=True, slots=True)
class CaseSet:
    """Cases in the order of their file.

    `digest` is over the file's bytes, as a version's is; `version` is the number of the exported
    version the file belongs to, or None, `known` the digests of all files of that version.
    """

    name: str
    digest: str
    cases: tuple[Case, ...]
    version: int | None = None
    known: frozenset[str] = frozenset()

    def of(self, split: Split) -> CaseSet:
        """Return the cases of one split; the digest stays the whole set's."""
        return replace(self, cases=tuple(case for case in self.cases if case.split == split))


def read(path: Path, labels: Path | None = None) -> CaseSet:
    """Read a `questions.json`, and gold chunk ids from a file of labelled queries besides.

    Also reads labelled queries alone (`id, query, relevantChunkIds`, ids in a list or with their
    grades in an object). Raises `CurateError` naming every item that cannot be used.
    """
    data = content(path, _WAY)
    items = _array(path, data)
    faults: list[str] = []
    cases = [_case(item, place, faults) for place, item in enumerate(items, 1)]
    _refuse(path, faults + _twice(case.id for case in cases))
    if labels is not None:
        cases = _labelled(cases, labels)
    digest = "sha256:" + hashlib.sha256(data).hexdigest()
    number, siblings = _version(path, digest)
    return CaseSet(str(path), digest, tuple(cases), number, siblings | {digest})


def _array(path: Path, data: bytes) -> list[Json]:
    try:
        value = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        raise CurateError(f"{path} is not JSON in UTF-8", "Export the set again.") from None
    if not isinstance(value, list) or not value:
        raise CurateError(
            f"{path} is not a JSON array of questions", "Give the questions.json of a version."
        )
    return value


def _case(item: Any, place: int, faults: list[str]) -> Case:
    name = f"item {place}"
    if not isinstance(item, dict) or not isinstance(item.get("id"), str | int) or item["id"] == "":
        faults.append(f"{name} has no id")
        return Case("", "", False)
    name = f"`{item['id']}`"
    question = item.get("question", item.get("query"))
    if not isinstance(question, str) or not question.strip():
        faults.append(f"{name} has no question")
        question = ""
    answerable = item.get("answerable", "relevantChunkIds" in item)
    if not isinstance(answerable, bool):
        faults.append(f"{name} does not say whether it is answerable")
    try:
        chunks = _grades(item.get("relevantChunkIds", []))
        golds = _golds(item) if answerable else ()
        history = tuple(
            Turn(str(turn["role"]), str(turn["content"])) for turn in item.get("history") or ()
        )
    except (TypeError, ValueError, KeyError, AttributeError):
        faults.append(f"{name} has evidence, chunk ids or a history of another shape")
        return Case(str(item["id"]), question, bool(answerable))
    if answerable and not golds and not chunks:
        faults.append(f"{name} is answerable but has neither evidence nor relevantChunkIds")
    mode = item.get("evidenceMode") or "any"
    if mode not in ("any", "all"):
        faults.append(f"{name} has an evidenceMode that is neither any nor all")
    return Case(
        id=str(item["id"]),
        question=question,
        answerable=bool(answerable),
        golds=golds,
        mode="all" if mode == "all" else "any",
        chunks=chunks,
        keyword=_string(item, "keyword"),
        must_include=_strings(item, "mustInclude", name, faults),
        must_not_include=_strings(item, "mustNotInclude", name, faults),
        reference=_string(item, "reference"),
        history=history,
        standalone=_string(item, "standalone"),
        split="holdout" if item.get("holdout") is True else "tuning",
        kind=_string(item, "kind"),
        lang=_string(item, "lang"),
        cluster=_string(item, "cluster") or str(item["id"]),
    )


def _golds(item: Json) -> tuple[Gold, ...]:
    listed = item.get("evidences") or ([item] if item.get("evidence") else [])
    golds = tuple(
        Gold(
            str(entry["source"]),
            str(entry.get("heading") or ""),
            fold_space(strip_space(entry["evidence"])),
        )
        for entry in listed
    )
    if not all(gold.phrase for gold in golds):
        raise ValueError("empty evidence matches everything")
    return golds


def _grades(value: object) -> dict[str, float]:
    if isinstance(value, dict):
        return {str(key): float(grade) for key, grade in value.items() if float(grade) > 0}
    if isinstance(value, list):
        return {str(key): 1.0 for key in value}
    raise ValueError("neither a list nor an object")


def _string(item: Json, key: str) -> str:
    value = item.get(key)
    return value if isinstance(value, str) else ""


def _strings(item: Json, key: str, name: str, faults: list[str]) -> tuple[str, ...]:
    value = item.get(key) or ()
    if isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value):
        return tuple(value)
    faults.append(f"{name} has a {key} that is no list of strings")
    return ()


def _twice(ids: Iterable[str]) -> list[str]:
    return [f"`{name}` stands there twice" for name, n in Counter(ids).items() if name and n > 1]


def _refuse(path: Path, faults: Sequence[str]) -> None:
    if faults:
        more = f" and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
        raise CurateError(
            f"{path} cannot be scored against: {'; '.join(faults[:_SHOWN])}{more}",
            "Mend the items; `curate check` and `curate export` write a file without faults.",
            Exit.USAGE,
        )


def _labelled(cases: Sequence[Case], path: Path) -> list[Case]:
    faults: list[str] = []
    given = {
        case.id: case.chunks
        for case in (
            _case(item, place, faults)
            for place, item in enumerate(_array(path, content(path, _WAY)), 1)
        )
    }
    _refuse(path, faults)
    unknown = sorted(given.keys() - {case.id for case in cases})
    if unknown:
        raise CurateError(
            f"{path} labels items the set does not have: {', '.join(unknown[:_SHOWN])}",
            "Give the labels of the same version.",
            Exit.USAGE,
        )
    return [replace(case, chunks=given.get(case.id, case.chunks)) for case in cases]


def _version(path: Path, digest: str) -> tuple[int | None, frozenset[str]]:
    """The number of the version a file belongs to, and the digests of all its files."""
    try:
        manifest = json.loads((path.parent / "manifest.json").read_bytes())
        digests = frozenset(file["digest"] for file in manifest["files"].values())
        return (int(manifest["number"]), digests) if digest in digests else (None, frozenset())
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None, frozenset()

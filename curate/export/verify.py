"""Does an export keep its promises? Every digest, and the whole contract of `questions.json`."""

from __future__ import annotations

import json
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from curate.export import vouching
from curate.export.questions import HOLDOUT, QUESTIONS, TUNING, digest
from curate.export.versions import MANIFEST, TARGETS, WITHDRAWN, counts
from curate.model.errors import CurateError
from curate.model.items import Finding, Severity
from curate.model.plain import Json
from curate.text import strip_space

_FLAT = ("source", "heading", "evidence", "keyword")
_LISTS = ("mustInclude", "mustNotInclude", "tags", "relevantChunkIds")


def verify(directory: Path) -> list[Finding]:
    """Return what is wrong with an exported directory; empty when all holds.

    `Finding.item` is the id, or the file's name. Raises `CurateError` where there is no
    directory or no manifest to verify against.
    """
    manifest = _manifest(directory)
    contents: dict[str, bytes] = {}
    found: list[Finding] = []
    for name, promised in sorted(manifest["files"].items()):
        data = _regular(directory / name) if _plain(name) else None
        if data is None:
            found.append(_error(name, "file-missing", "is promised by the manifest and missing"))
            continue
        contents[name] = data
        if not isinstance(promised, dict) or digest(data) != promised.get("digest"):
            found.append(
                _error(name, "file-changed", "is not what the manifest's digest vouches for")
            )
        elif len(data) != promised.get("bytes"):
            found.append(_error(name, "file-size", "has another size than the manifest says"))
    known = {*manifest["files"], MANIFEST, WITHDRAWN}
    for below in ("", f"{TARGETS}/"):
        known |= _targets(directory, below, str(manifest.get("digest")), found)
    found += [
        Finding(name, "file-unknown", "warning", "is not in the manifest")
        for name in vouching.walk(directory, frozenset(known))
    ]
    sets = {
        name: _questions(name, contents.get(name), found) for name in (QUESTIONS, TUNING, HOLDOUT)
    }
    everything = sets[QUESTIONS]
    if everything is not None:
        found += contract(everything)
        found += _against(manifest, everything, contents[QUESTIONS])
        found += _withdrawn(directory / WITHDRAWN, everything)
        for name, held in ((TUNING, False), (HOLDOUT, True)):
            part = sets[name]
            wanted = [one for one in everything if (one.get("holdout") is True) == held]
            if part is not None and part != wanted:
                found.append(
                    _error(name, "split-wrong", "does not hold exactly its split of questions.json")
                )
    return found


def intact(directory: Path) -> dict[str, bytes]:
    """Return the files of a version as they stand, the manifest last.

    Raises `CurateError` where one is missing or not what the manifest vouches for.
    """
    manifest = _manifest(directory)
    contents: dict[str, bytes] = {}
    for name, promised in manifest["files"].items():
        data = _regular(directory / name) if _plain(name) else None
        if data is None or not isinstance(promised, dict) or digest(data) != promised.get("digest"):
            raise CurateError(
                f"{directory / name} is missing or was changed after it was exported",
                "`curate versions verify` lists what is wrong; restore it or export again.",
            )
        contents[name] = data
    return contents | {MANIFEST: (directory / MANIFEST).read_bytes()}


def stands(directory: Path, number: int, code: str) -> bool:
    """Say whether `directory` holds the version of this number and digest, every file intact."""
    try:
        intact(directory)
        manifest = _manifest(directory)
    except CurateError:
        return False
    return manifest.get("number") == number and manifest.get("digest") == code


def contract(made: Sequence[Any]) -> list[Finding]:
    """Return where records break the contract of `questions.json`; `item` is the id or `#3`."""
    found: list[Finding] = []
    for number, one in enumerate(made, 1):
        if not isinstance(one, dict):
            found.append(_error(f"#{number}", "record", "is no object"))
            continue
        name = one.get("id")
        label = name if isinstance(name, str) and name else f"#{number}"
        found += [_error(label, "record", why) for why in _record(one)]
    ids = Counter(
        one["id"] for one in made if isinstance(one, dict) and isinstance(one.get("id"), str)
    )
    found += [
        _error(name, "id-duplicate", f"{times} records have this id")
        for name, times in ids.items()
        if times > 1
    ]
    return found


def _record(one: Json) -> Iterator[str]:
    for key in ("id", "question"):
        if not _filled(one.get(key)):
            yield f"`{key}` is no text, or empty"
    if not isinstance(one.get("answerable"), bool):
        yield "`answerable` is neither true nor false"
    if "holdout" in one and one["holdout"] is not True:
        yield "`holdout` is there and not true"
    for key in _LISTS:
        if key in one and not _strings(one[key]):
            yield f"`{key}` is no list of texts"
    if one.get("answerable") is True:
        yield from _answerable(one)
    elif any(key in one for key in (*_FLAT, "evidences")):
        yield "is unanswerable and has source, heading, evidence or keyword"
    turns = one.get("history", [])
    if not isinstance(turns, list) or not all(
        isinstance(turn, dict) and isinstance(turn.get("role"), str) and _text(turn.get("content"))
        for turn in turns
    ):
        yield "`history` is no list of role and content"


def _answerable(one: Json) -> Iterator[str]:
    for key in _FLAT:
        if not (_text(one.get(key)) if key == "heading" else _filled(one.get(key))):
            yield f"`{key}` is no text, or empty"
    evidence = one.get("evidence")
    if isinstance(evidence, str) and strip_space(evidence) != evidence:
        yield "`evidence` is not stripped"
    if "evidences" not in one:
        return
    many = one["evidences"]
    keys = _FLAT[:3]
    if not isinstance(many, list) or not all(
        isinstance(e, dict) and _text(e.get("heading")) and _filled(e.get("source")) for e in many
    ):
        yield "`evidences` is no list of source, heading and evidence"
    elif not all(_filled(e.get("evidence")) for e in many):
        yield "one of `evidences` is empty"
    elif not many or any(many[0].get(key) != one.get(key) for key in keys):
        yield "the first of `evidences` is not the flat source, heading and evidence"
    if one.get("evidenceMode", "any") not in ("any", "all"):
        yield "`evidenceMode` is neither any nor all"


def _text(value: object) -> bool:
    return isinstance(value, str)


def _filled(value: object) -> bool:
    return isinstance(value, str) and bool(strip_space(value))


def _strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def _against(manifest: Json, made: Sequence[Any], data: bytes) -> Iterator[Finding]:
    plain = [one for one in made if isinstance(one, dict) and "answerable" in one]
    if manifest.get("counts") != counts(plain):
        yield _error(MANIFEST, "counts-wrong", "counts other records than questions.json holds")
    items = manifest.get("items")
    if not isinstance(items, dict) or sorted(items) != sorted(str(one.get("id")) for one in plain):
        yield _error(MANIFEST, "items-wrong", "names other items than questions.json holds")
    if manifest.get("digest") != digest(data):
        yield _error(MANIFEST, "digest-wrong", "its digest is not that of questions.json")


def _withdrawn(path: Path, made: Sequence[Any]) -> Iterator[Finding]:
    data = _regular(path)
    if data is None:
        return
    gone = _parsed(data)
    if not _strings(gone):
        yield _error(path.name, "withdrawn-broken", "is no list of ids")
        return
    for one in made:
        if isinstance(one, dict) and one.get("id") in gone:
            yield _error(one["id"], "withdrawn", "was withdrawn: do not use this version further")


def _questions(name: str, data: bytes | None, found: list[Finding]) -> list[Any] | None:
    if data is None:
        if not any(finding.item == name for finding in found):
            found.append(_error(name, "file-missing", "is missing"))
        return None
    parsed = _parsed(data)
    if not isinstance(parsed, list):
        found.append(_error(name, "not-an-array", "is no JSON array"))
        return None
    return parsed


def _manifest(directory: Path) -> Json:
    data = _regular(directory / MANIFEST)
    if data is None:
        raise CurateError(
            f"{directory} is no export: it has no {MANIFEST}",
            "Name the directory of a version, such as exports/v0001.",
        )
    manifest = _parsed(data)
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), dict):
        raise CurateError(f"{directory / MANIFEST} is broken", "Export the version again.")
    return manifest


def _targets(directory: Path, below: str, version: str, found: list[Finding]) -> set[str]:
    """Check the other formats that stand at `below`; return every name that is accounted for."""
    manifest = f"{below}{vouching.VOUCHED}"
    if _regular(directory / manifest) is None:
        return set()
    promises = vouching.promised(directory / below)
    if promises is None:
        found.append(_error(manifest, "targets-broken", "cannot be read: export the formats again"))
        return {manifest}
    for name, promise in sorted(promises.items()):
        shown = f"{below}{name}"
        data = _regular(directory / shown) if vouching.inside(name) else None
        if data is None:
            found.append(_error(shown, "file-missing", f"is promised by {manifest} and missing"))
        elif digest(data) != promise.digest or len(data) != promise.size:
            found.append(
                _error(shown, "file-changed", f"is not what {manifest}'s digest vouches for")
            )
        elif promise.version != version:
            what = "was made from another version than this one: export its format again"
            found.append(Finding(shown, "target-stale", "warning", what))
    return {manifest, *(f"{below}{name}" for name in promises)}


def _regular(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else None
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None  # no file can have a name with NUL or half a character in it
    except OSError as error:
        raise CurateError(f"{path} cannot be read: {error.strerror}", "Check its mode.") from None


def _plain(name: str) -> bool:
    return Path(name).name == name and name not in ("", ".", "..")


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _error(item: str, code: str, message: str) -> Finding:
    severity: Severity = "error"
    return Finding(item, code, severity, message)

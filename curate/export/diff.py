"""What changed between two versions, field by field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from curate.model.plain import Json
from curate.text import display, one_line

_IN_EVIDENCES = frozenset({"source", "heading", "evidence"})


@dataclass(frozen=True, slots=True)
class Change:
    """One field of one item; None where it was absent."""

    item: str
    key: str
    before: Any = field(repr=False)
    after: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Diff:
    """Items added and removed as records, fields changed, ids moved to the other split."""

    added: tuple[Json, ...] = field(repr=False)
    removed: tuple[Json, ...] = field(repr=False)
    changed: tuple[Change, ...]
    moved: tuple[Change, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.moved)


def diff(old: Sequence[Json], new: Sequence[Json]) -> Diff:
    """Return what made `new` out of `old`, both records of `questions.json`, by id.

    A field is compared as it is exported. The flat source, heading and evidence are left out
    where `evidences` tell the same; the split is told in `moved` alone.
    """
    before = {one["id"]: one for one in old}
    after = {one["id"]: one for one in new}
    both = [name for name in sorted(before) if name in after]
    return Diff(
        added=tuple(after[name] for name in sorted(after) if name not in before),
        removed=tuple(before[name] for name in sorted(before) if name not in after),
        changed=tuple(c for name in both for c in _changes(name, before[name], after[name])),
        moved=tuple(
            Change(name, "split", _split(before[name]), _split(after[name]))
            for name in both
            if _split(before[name]) != _split(after[name])
        ),
    )


def _changes(name: str, old: Json, new: Json) -> Iterator[Change]:
    told = {"holdout"} | (_IN_EVIDENCES if "evidences" in old and "evidences" in new else set())
    for key in dict.fromkeys([*old, *new]):
        if key not in told and old.get(key) != new.get(key):
            yield Change(name, key, old.get(key), new.get(key))


def _split(one: Json) -> str:
    return "holdout" if one.get("holdout") else "tuning"


def as_json(found: Diff) -> Json:
    """Return the difference as a JSON object."""
    return {
        "added": list(found.added),
        "removed": list(found.removed),
        "changed": [_plain(change) for change in found.changed],
        "moved": [_plain(change) for change in found.moved],
    }


def _plain(change: Change) -> Json:
    return {
        "id": change.item,
        "field": change.key,
        "before": change.before,
        "after": change.after,
    }


def as_text(found: Diff) -> str:
    """Return the difference for a terminal: `+` added, `-` removed, `~` changed, `>` moved."""
    if not found:
        return "no difference\n"
    lines = [f"+ {one['id']}  {one_line(one['question'])}" for one in found.added]
    lines += [f"- {one['id']}  {one_line(one['question'])}" for one in found.removed]
    for change in found.changed:
        lines.append(f"~ {change.item}  {change.key}")
        lines += [f"    - {one_line(_shown(change.before))}"]
        lines += [f"    + {one_line(_shown(change.after))}"]
    lines += [f"> {change.item}  {change.before} -> {change.after}" for change in found.moved]
    return "\n".join(lines) + "\n"


def as_markdown(found: Diff, title: str) -> str:
    """Return the difference as Markdown for a pull request; questions stand in code blocks."""
    parts = [f"## {title}", _summary(found)]
    for heading, ones in (("Added", found.added), ("Removed", found.removed)):
        if ones:
            parts.append(f"### {heading}")
            parts += [f"- {_code(one['id'])}: {_code(one['question'])}" for one in ones]
    if found.moved:
        parts.append("### Moved between splits")
        parts += [f"- {_code(c.item)}: {c.before} to {c.after}" for c in found.moved]
    if found.changed:
        parts.append("### Changed")
        for change in found.changed:
            parts.append(f"- {_code(change.item)}, {_code(change.key)}")
            parts.append(f"  - before: {_code(_shown(change.before))}")
            parts.append(f"  - after: {_code(_shown(change.after))}")
    return "\n".join(_spaced(parts)) + "\n"


def _summary(found: Diff) -> str:
    items = len({change.item for change in found.changed})
    return (
        f"{len(found.added)} added, {len(found.removed)} removed, {items} changed,"
        f" {len(found.moved)} moved between splits"
    )


def _spaced(parts: Sequence[str]) -> Iterator[str]:
    for at, part in enumerate(parts):
        if at and (part.startswith("#") or not parts[at - 1].lstrip().startswith("-")):
            yield ""
        yield part


def _shown(value: Any) -> str:
    if value is None:
        return "(absent)"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _code(text: str) -> str:
    """Return text as a code span that nothing in it can leave."""
    shown = one_line(display(text))
    longest = max(
        (len(run) for run in "".join(c if c == "`" else " " for c in shown).split()), default=0
    )
    ticks = "`" * (longest + 1)
    pad = " " if longest or shown[:1] == " " else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"

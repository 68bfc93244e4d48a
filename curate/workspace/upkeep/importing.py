"""Importing: a set from elsewhere is merged into this one, anonymised and verified at the door."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from curate import text
from curate.model.documents import Evidence, Grade
from curate.model.errors import CurateError, Exit
from curate.model.events import RawText
from curate.model.items import Item
from curate.model.records import Turn

if TYPE_CHECKING:
    from curate.export.reading import Row
    from curate.model.records import Clean
    from curate.workspace.upkeep.locating import Old
    from curate.workspace.workspace import Workspace

Side = Literal["theirs", "ours"]
_ID = re.compile(r"[^\s/\\]{1,80}")
_CANDIDATE = re.compile(r"c[0-9]+")
_FIELDS = (
    "question",
    "answerable",
    "evidences",
    "evidence_mode",
    "keyword",
    "must_include",
    "must_not_include",
    "reference",
    "history",
    "split",
    "kind",
    "lang",
    "tags",
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of an item that the file tells otherwise than the set does."""

    item: str
    name: str
    ours: Any = field(repr=False)
    theirs: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Doubt:
    """Evidence that does not stand as the file says; `found` is where it may stand, or None."""

    item: str
    source: str
    heading: str
    grade: Grade
    found: Evidence | None


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, by item id.

    `added` are new items, `changed` those that took something over, `unchanged` the rest of the
    file. `conflicts` are fields told differently, `kept` the items where ours was kept.
    `redacted` tells what personal data was replaced, by entity; `doubts` which evidence is not
    verbatim; `drafts` are items that are not ready, with what they lack. `written` is False where
    nothing was stored: in a dry run, or because of conflicts.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    kept: tuple[str, ...]
    conflicts: tuple[Difference, ...]
    redacted: dict[str, tuple[str, ...]]
    doubts: tuple[Doubt, ...]
    drafts: dict[str, tuple[str, ...]]
    written: bool


@dataclass(frozen=True, slots=True)
class _Merged:
    """One row beside what the set holds of it."""

    ours: Item | None
    theirs: Item
    conflicts: tuple[Difference, ...]
    doubts: tuple[Doubt, ...]
    redacted: tuple[str, ...]
    proposed: tuple[str, ...]


def read_in(
    workspace: Workspace,
    path: Path,
    *,
    take: Side | None = None,
    chunks: str = "",
    reason: str = "",
    dry_run: bool = False,
) -> Imported:
    """Merge the items of a file into the set, by id, or by question where it gives no ids.

    Every text passes the anonymiser, but what stands verbatim in the documents. Evidence is
    located anew; an item whose evidence is not verbatim, or that lacks something, is a draft. A
    field the file does not tell is left as it is, one that is empty here is filled. Where both
    say something else, nothing is written unless `take` says whose word counts. All that is
    written is one act.

    Rows that name relevant chunks and quote nothing have evidence proposed from those: `chunks` is
    the file or chunk set whose ids they are, by default the current chunk set.

    Raises `CurateError` for a row that is none, an id that cannot be used or was withdrawn, and
    for a holdout item that the file would move to tuning without a `reason`.
    """
    from curate.export import reading

    rows = reading.read(path)
    cleaned = _clean(workspace, rows)
    known = {item.id: item for item in workspace.store.items()}
    old = _old(workspace, rows, chunks)
    merged = [
        _merge(workspace, path, row, clean, known, old)
        for row, clean in zip(rows, cleaned, strict=True)
    ]
    merged = _named(workspace, merged, known)
    conflicts = tuple(c for one in merged for c in one.conflicts)
    write = not dry_run and (take is not None or not conflicts)
    wanted = [_settled(workspace, one, take) for one in merged]
    if take == "theirs" and not reason:
        _guard_holdout(merged, wanted)
    changes = [
        (after, one.ours.revision if one.ours else 0)
        for one, after in zip(merged, wanted, strict=True)
        if after != one.ours
    ]
    if write and changes:
        workspace.store.save_items(
            changes,
            by=workspace.who,
            now=workspace.now(),
            action="import",
            reason=reason or f"from {path.name}",
        )
    return _report(merged, wanted, take, conflicts, write)


def _report(
    merged: Sequence[_Merged],
    wanted: Sequence[Item],
    take: Side | None,
    conflicts: tuple[Difference, ...],
    written: bool,
) -> Imported:
    pairs = list(zip(merged, wanted, strict=True))
    return Imported(
        added=tuple(after.id for one, after in pairs if one.ours is None),
        changed=tuple(after.id for one, after in pairs if one.ours and after != one.ours),
        unchanged=tuple(after.id for one, after in pairs if after == one.ours),
        kept=tuple(one.theirs.id for one in merged if one.conflicts and take == "ours"),
        conflicts=conflicts,
        redacted={one.theirs.id: one.redacted for one in merged if one.redacted},
        doubts=tuple(doubt for one in merged for doubt in one.doubts),
        drafts={
            after.id: _lacking(one, after)
            for one, after in pairs
            if after != one.ours and after.status == "draft"
        },
        written=written,
    )


# ---------------------------------------------------------------------------- at the door


def _texts(row: Row) -> Iterator[RawText]:
    yield row.question
    for turn in row.history or ():
        yield turn.content
    for quote in row.quotes:
        yield from (quote.source, quote.heading or RawText(""), quote.phrase)
    for one in (row.source, row.keyword, row.reference, row.kind, row.lang):
        yield one or RawText("")
    for many in (row.must_include, row.must_not_include, row.tags):
        yield from many or ()


def _clean(workspace: Workspace, rows: Sequence[Row]) -> list[list[Clean]]:
    records = [[text.sanitise(raw.reveal()) for raw in _texts(row)] for row in rows]
    return workspace.anonymiser.clean_records(records)


class _Door:
    """Gives a row's texts as they may be stored, in the order of `_texts`."""

    def __init__(self, workspace: Workspace, row: Row, clean: Sequence[Clean]) -> None:
        self._workspace = workspace
        self._clean = dict(zip(_texts(row), clean, strict=True))
        self.redacted: list[str] = []

    def __call__(self, raw: RawText, *, quoted: bool = False) -> str:
        """Return a text anonymised; one that is `quoted` from the documents passes as it is."""
        original = text.sanitise(raw.reveal())
        if quoted and self._own(original):
            return original
        clean = self._clean[raw]
        self.redacted += [redaction.entity for redaction in clean.redactions]
        return clean.text

    def _own(self, original: str) -> bool:
        corpus = self._workspace.corpus
        return original in corpus.sources() or corpus.stands(original)


# ---------------------------------------------------------------------------- merging


def _old(workspace: Workspace, rows: Sequence[Row], chunks: str) -> Old | None:
    """Return the chunks that rows without evidence name, or None where no chunking is known."""
    from curate.workspace.upkeep import locating

    wanted = {name for row in rows if not row.quotes for name in row.chunks}
    if not wanted or not (chunks or workspace.store.chunk_sets()):
        return None
    return locating.old(workspace, chunks, wanted)


def _merge(
    workspace: Workspace,
    path: Path,
    row: Row,
    clean: Sequence[Clean],
    known: Mapping[str, Item],
    old: Old | None,
) -> _Merged:
    _usable(workspace, path, row)
    door = _Door(workspace, row, clean)
    question = door(row.question)
    ours = known.get(row.id) if row.id else _asking(question, known)
    if ours is not None and ours.status == "withdrawn":
        raise CurateError(
            f"{path}, {row.place}: {ours.id} was withdrawn, its text erased for good",
            "Nothing was imported. Take the row out of the file.",
            Exit.PRIVACY,
        )
    start = ours or workspace.fresh(question, row.id)
    theirs = replace(start, question=question, **_said(row, door, start))
    theirs, doubts = _evidenced(workspace, row, door, theirs, start.reference)
    proposed: tuple[str, ...] = ()
    if row.chunks and not theirs.evidences:
        theirs, astray = _labelled(workspace, row, theirs, old)
        doubts += astray
        proposed = ("evidence",) if theirs.evidences else ()
    if theirs.answerable is False and (ours is None or ours.answerable is not False):
        theirs = workspace.unanswerable(theirs)
    conflicts = tuple(_differences(ours, theirs)) if ours else ()
    if theirs.keyword and row.keyword is None and theirs.keyword != start.keyword:
        proposed += ("keyword",)
    redacted = tuple(sorted(set(door.redacted)))
    return _Merged(ours, theirs, conflicts, doubts, redacted, proposed)


def _usable(workspace: Workspace, path: Path, row: Row) -> None:
    if not row.id:
        return
    personal = {hit.entity for hit in workspace.anonymiser.scan([row.id])[0]} - {"PERSON"}
    if not _ID.fullmatch(row.id) or _CANDIDATE.fullmatch(row.id) or personal:
        raise CurateError(
            f"{path}, {row.place}: its id cannot be an item's",
            "Nothing was imported. An id is up to 80 characters without spaces and slashes, is "
            "not called as candidates are (c12), and holds no personal data.",
            Exit.PRIVACY if personal else Exit.USAGE,
        )


def _asking(question: str, known: Mapping[str, Item]) -> Item | None:
    wanted = _folded(question)
    found = [item for item in known.values() if _folded(item.question) == wanted]
    return found[0] if len(found) == 1 else None


def _folded(words: str) -> str:
    return text.fold_space(text.strip_space(words)).casefold()


def _said(row: Row, door: _Door, start: Item) -> dict[str, Any]:
    said: dict[str, Any] = {
        "answerable": row.answerable,
        "evidence_mode": row.mode,
        "split": row.split,
        "keyword": door(row.keyword, quoted=True).strip() if row.keyword else None,
        "reference": door(row.reference, quoted=True) if row.reference else None,
        "kind": text.one_line(door(row.kind)) if row.kind else None,
        "lang": text.one_line(door(row.lang)) if row.lang else None,
    }
    for name in ("must_include", "must_not_include", "tags"):
        many = getattr(row, name)
        said[name] = None if many is None else tuple(door(one, quoted=True) for one in many)
    if row.history is not None:
        said["history"] = tuple(Turn(turn.role, door(turn.content)) for turn in row.history)
    return {key: value for key, value in said.items() if value is not None}


def _evidenced(
    workspace: Workspace, row: Row, door: _Door, item: Item, before: str
) -> tuple[Item, tuple[Doubt, ...]]:
    """Return the item with the row's evidence as it stands in the documents now."""
    held = {_place(one): one for one in item.evidences}
    found: list[Evidence] = []
    doubts: list[Doubt] = []
    for quote in row.quotes:
        source = door(quote.source, quoted=True)
        heading = door(quote.heading, quoted=True) if quote.heading else ""
        phrase = text.strip_space(door(quote.phrase, quoted=True))
        wanted = Evidence(source, heading, phrase, 0, 0, "", "lost")
        same = held.get(_place(wanted))
        now = workspace.corpus.locate(same or wanted)
        if now.grade == "moved" and not heading and now.source == source:
            now = replace(now, grade="verbatim")
        if now.grade == "verbatim":
            found.append(same or now)
            continue
        found.append(same or replace(wanted, grade=now.grade))
        lost = now.grade == "lost"
        doubts.append(Doubt(item.id, source, heading, now.grade, None if lost else now))
    if row.quotes:
        return replace(item, evidences=tuple(found)), tuple(doubts)
    return _from_reference(workspace, row, door, item, before), ()


def _labelled(
    workspace: Workspace, row: Row, item: Item, old: Old | None
) -> tuple[Item, tuple[Doubt, ...]]:
    """Return the item with evidence proposed from the chunks its row names, and those astray."""
    from curate.workspace.upkeep import locating

    held = old or locating.Old("", {})
    found, astray = locating.propose(workspace, item.question, row.chunks, held)
    for number, one in enumerate(found):
        item = workspace.attach(item, one.source, one.start, one.end, more=number > 0)
    if found and not item.note:
        item = replace(item, note=f"evidence proposed from {held.name}: {', '.join(row.chunks)}")
    return item, tuple(Doubt(item.id, f"chunk {name}", "", "lost", None) for name in astray)


def _from_reference(workspace: Workspace, row: Row, door: _Door, item: Item, before: str) -> Item:
    """A golden answer that stands in its document verbatim is its evidence, nothing else."""
    if row.source is None or row.reference is None:
        return item
    told = _folded(row.reference.reveal())
    phrases = [_folded(evidence.phrase) for evidence in item.evidences]
    if told in (*phrases, " ".join(phrases)):
        return replace(item, reference=before)
    if phrases:
        return item
    source = door(row.source, quoted=True)
    phrase = text.strip_space(row.reference.reveal())
    now = workspace.corpus.locate(Evidence(source, "", phrase, 0, 0, "", "lost"))
    if now.source != source or now.grade not in ("verbatim", "moved"):
        return item
    item = workspace.attach(item, source, now.start, now.end)
    return replace(item, reference=before)


def _place(evidence: Evidence) -> tuple[str, str, str]:
    return (evidence.source, evidence.heading, text.fold_space(evidence.phrase))


def _differences(ours: Item, theirs: Item) -> Iterator[Difference]:
    for name in _FIELDS:
        mine, other = _plain(ours, name), _plain(theirs, name)
        if mine != other and not _open(ours, name):
            yield Difference(ours.id, name, mine, other)


def _plain(item: Item, name: str) -> Any:
    if name == "evidences":
        return [
            {"source": e.source, "heading": e.heading, "evidence": e.phrase} for e in item.evidences
        ]
    return getattr(item, name)


def _open(item: Item, name: str) -> bool:
    """Say whether the set says nothing here, so that anything is more."""
    if name == "evidence_mode":
        return len(item.evidences) < 2
    return getattr(item, name) in (None, "", ())


def _named(
    workspace: Workspace, merged: Sequence[_Merged], known: Mapping[str, Item]
) -> list[_Merged]:
    """Give new items without an id one that the documents give; one id is given once."""
    named: list[_Merged] = []
    taken = {*known, *(one.theirs.id for one in merged)}
    merged_into: set[str] = set()
    for one in merged:
        if one.theirs.id:
            if one.theirs.id in merged_into:
                raise CurateError(
                    f"two rows ask what {one.theirs.id} asks",
                    "Nothing was imported. Give the rows ids, or take one out.",
                    Exit.USAGE,
                )
            merged_into.add(one.theirs.id)
            named.append(one)
            continue
        stem, _, number = workspace.store.new_item_id(workspace.stem(one.theirs)).rpartition("-")
        count = int(number)
        while f"{stem}-{count}" in taken:
            count += 1
        taken.add(f"{stem}-{count}")
        doubts = tuple(replace(doubt, item=f"{stem}-{count}") for doubt in one.doubts)
        named.append(replace(one, theirs=replace(one.theirs, id=f"{stem}-{count}"), doubts=doubts))
    return named


def _settled(workspace: Workspace, one: _Merged, take: Side | None) -> Item:
    """Return the item as it is to be stored."""
    after = one.theirs
    if one.ours is not None and take == "ours":
        fields = {conflict.name for conflict in one.conflicts}
        after = replace(after, **{name: getattr(one.ours, name) for name in fields})
        if "answerable" in fields:
            after = replace(
                after,
                evidences=one.ours.evidences,
                keyword=one.ours.keyword,
                absence=one.ours.absence,
            )
    if after.answerable:
        after = replace(after, absence=None)
    if after == one.ours or (after.status == "retired" and one.ours is not None):
        return after
    settled = workspace.settle(after)
    return replace(settled, status="draft") if _lacking(one, settled) else settled


def _lacking(one: _Merged, after: Item) -> tuple[str, ...]:
    """Return what keeps an item from being ready: nobody has looked at what was proposed."""
    from curate.check import checking

    lacking = checking.missing(after)
    if any(evidence.grade != "verbatim" for evidence in after.evidences):
        lacking += ("evidence that stands verbatim",)
    if one.proposed:
        lacking += (f"a look at the proposed {' and '.join(one.proposed)}",)
    return lacking


def _guard_holdout(merged: Sequence[_Merged], wanted: Sequence[Item]) -> None:
    moved = [
        after.id
        for one, after in zip(merged, wanted, strict=True)
        if one.ours and one.ours.split == "holdout" and after.split == "tuning"
    ]
    if moved:
        raise CurateError(
            f"the file would move to tuning what is held out: {', '.join(moved[:10])}",
            "Say why with --reason, or keep ours with --take ours. Nothing was imported.",
            Exit.FOUND,
        )

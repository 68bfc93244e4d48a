"""Exporting: the set becomes files, whole or not at all, and the same files again for ever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from curate.model.errors import CurateError, Exit
from curate.model.items import ChunkSet, Finding, Item, Version
from curate.text import slug

if TYPE_CHECKING:
    from curate.export.bundle import Bundle, Written
    from curate.export.versions import Build
    from curate.workspace.workspace import Workspace

EXPORTS = "exports"
DRAFT = "draft"
REMAP = "remap.json"
_PRIVATE = 0o077
_TRIES = 5
_CURATE = "Curate some: `curate open`."


@dataclass(frozen=True, slots=True)
class Exported:
    """Where an export stands.

    `number` is 0 for a draft. `new` is False when the set had not changed since the last version.
    `warnings` are findings that did not keep the export back, `lost` says by format what it could
    not hold. `to` is where the files stand, too; `stale` are files of other formats there that an
    earlier version left.
    """

    number: int
    directory: Path
    new: bool
    counts: dict[str, int]
    warnings: tuple[Finding, ...] = ()
    lost: tuple[str, ...] = ()
    to: Path | None = None
    stale: tuple[str, ...] = ()


class Refused(CurateError):
    """The set fails its checks; `findings` name the items."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        items = sorted({finding.item for finding in findings})
        shown = ", ".join(items[:10]) + (" ..." if len(items) > 10 else "")
        super().__init__(
            f"not exported: {len(items)} of the set's items fail the checks: {shown}",
            "`curate check` says why; mend them with `curate open` or `curate items set`.",
            Exit.FOUND,
        )
        self.findings = tuple(findings)


class _Changed(Exception):
    """The documents changed while the set was checked against them."""


@dataclass(frozen=True, slots=True)
class _Order:
    """What was asked for beside the version itself."""

    to: Path | None
    umask: int
    formats: tuple[str, ...]


def export(
    workspace: Workspace,
    to: Path | None = None,
    *,
    umask: int = _PRIVATE,
    formats: Sequence[str] = (),
) -> Exported:
    """Write the set as its next version, or name the last one when nothing changed.

    A last version that stands intact is left alone; where its directory is missing it is written
    again byte for byte. With `to`, the same files also stand there, with the modes that `umask`
    leaves; the files of `formats` stand under `targets/` of the version, and beside the others in
    `to`. Raises `Refused` when an item fails the checks; nothing is written then. Where somebody
    else exports at the same time, one version comes after the other.
    """
    from curate.store.versions import Overtaken

    order = _order(workspace, to, umask, formats)
    for attempt in range(1, _TRIES + 1):
        try:
            return _export(workspace, order)
        except Overtaken:
            if attempt == _TRIES:
                raise
        except _Changed:
            continue
    raise CurateError(
        "not exported: the documents keep changing", "Try again when they are quiet.", Exit.DEFERRED
    )


def _export(workspace: Workspace, order: _Order) -> Exported:
    from curate.export import versions, writing

    corpus = workspace.corpus.digest()
    items = workspace.store.items()
    findings = workspace.check_items(items)
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        raise Refused(errors)
    last = max(workspace.store.versions(), key=lambda one: one.number, default=None)
    fresh, labels = _fresh(workspace, items, last, corpus)
    fresh = replace(fresh, number=last.number + 1 if last else 1)
    build = _build(workspace, fresh)
    if not build.items:
        raise CurateError("not exported: no item is ready", _CURATE, Exit.FOUND)
    if workspace.corpus.digest() != corpus:
        raise _Changed
    new = last is None or last.digest != build.digest
    if last is not None and not new:
        wanted = workspace.store.version(last.number)
        made = _formats(workspace, wanted, order)
        files = _again(workspace, wanted)
    else:
        wanted = replace(fresh, digest=build.digest, items=build.items)
        if last is not None and last.chunks is not None and fresh.chunks is not None:
            wanted, doubts = _remapped(workspace, last, wanted)
            labels += doubts
        made = _formats(workspace, wanted, order)
        files = _build(workspace, wanted).files
        directory = _directory(workspace, wanted.number)
        workspace.store.add_version(wanted, lambda: writing.publish(directory, files))
    directory = _directory(workspace, wanted.number)
    if last is None or wanted.number >= last.number:
        writing.point_latest(directory)
    stale = _deliver(workspace, wanted, directory, files, made, order)
    warnings = [finding for finding in findings if finding.severity == "warning"]
    counts = versions.counts_of(files)
    told = (*warnings, *labels)
    return Exported(wanted.number, directory, new, counts, told, made.lost, order.to, stale)


def again(
    workspace: Workspace,
    number: int,
    to: Path | None = None,
    *,
    umask: int = _PRIVATE,
    formats: Sequence[str] = (),
) -> Exported:
    """Write an old version again, byte for byte.

    Raises `CurateError` when there is none of that number, when text was erased from it since,
    when what is known as personal data today is in it, or when this program would write other
    bytes.
    """
    from curate.export import versions

    order = _order(workspace, to, umask, formats)
    wanted = workspace.store.version(number)
    _refuse_erased(wanted)
    leaks = [f for f in workspace.check_items(wanted.items) if f.code == "personal-data"]
    if leaks:
        raise CurateError(
            f"version {number} is not written again: personal data is found in "
            f"{', '.join(sorted({finding.item for finding in leaks}))}",
            "Mend these items and export the next version.",
            Exit.PRIVACY,
        )
    made = _formats(workspace, wanted, order)
    files = _again(workspace, wanted)
    directory = _directory(workspace, number)
    stale = _deliver(workspace, wanted, directory, files, made, order)
    counts = versions.counts_of(files)
    return Exported(number, directory, False, counts, (), made.lost, order.to, stale)


def draft(
    workspace: Workspace,
    to: Path | None = None,
    *,
    umask: int = _PRIVATE,
    formats: Sequence[str] = (),
) -> Exported:
    """Write what is ready and passes the checks to `exports/draft/`, without a number.

    The draft before it is replaced as a whole. Items that fail are left out; `warnings` holds
    the findings, errors too.
    """
    from curate.export import versions, writing

    order = _order(workspace, to, umask, formats)
    corpus = workspace.corpus.digest()
    items = workspace.store.items()
    findings = [f for f in workspace.check_items(items) if f.severity != "note"]
    failing = {finding.item for finding in findings if finding.severity == "error"}
    sound = [item for item in items if item.id not in failing]
    last = max(workspace.store.versions(), key=lambda one: one.number, default=None)
    wanted, labels = _fresh(workspace, sound, last, corpus)
    build = _build(workspace, wanted)
    if not build.items:
        raise CurateError("no draft: no item is ready and passes the checks", _CURATE, Exit.FOUND)
    directory = workspace.root / EXPORTS / DRAFT
    wanted = replace(wanted, items=build.items)
    made = _formats(workspace, wanted, order)
    writing.publish(directory, build.files, over=True)
    stale = _deliver(workspace, wanted, directory, build.files, made, order)
    counts = versions.counts_of(build.files)
    told = (*findings, *labels)
    return Exported(0, directory, True, counts, told, made.lost, order.to, stale)


# ---------------------------------------------------------------------------- the parts


def _fresh(
    workspace: Workspace, items: Sequence[Item], last: Version | None, corpus: str
) -> tuple[Version, list[Finding]]:
    """Return the version these items would make, without number and digest, labelled with the
    chunk set of today; and what is to be said of the labels.
    """
    chunks, gold, findings = labels_of(workspace, items)
    quoted = {evidence.source for item in items for evidence in item.evidences}
    made = Version(
        number=0,
        parent=last.number if last else None,
        digest="",
        at=workspace.now(),
        by=workspace.who,
        items=tuple(items),
        corpus=corpus,
        policy=workspace.anonymiser.policy,
        tool=_tool(),
        root=workspace.settings.corpus.root,
        chunks=chunks,
        gold=gold,
        extractors={s: name for s, name in workspace.corpus.extractors().items() if s in quoted},
    )
    return made, findings


def labels_of(
    workspace: Workspace, items: Sequence[Item]
) -> tuple[ChunkSet | None, dict[str, tuple[str, ...]], list[Finding]]:
    """Return the chunk set that exports are labelled with, the relevant chunks of the ready items
    by id, and a warning for every item that no single chunk answers.
    """
    from curate.workspace.upkeep import chunking

    chunks = chunking.current(workspace)
    if chunks is None:
        return None, {}, []
    ready = [item for item in items if item.status == "ready"]
    found = chunking.gold(workspace, ready, chunks)
    warnings = [
        Finding(
            one.item,
            f"chunk-{one.status if one.waiting else one.held}",
            "warning",
            f"in the chunk set {chunks.name}: {one.reason}",
        )
        for one in found
        if not one.sound
    ]
    return chunks, {one.item: one.ids for one in found if one.ids}, warnings


def _remapped(
    workspace: Workspace, last: Version, wanted: Version
) -> tuple[Version, list[Finding]]:
    """Return the version with the `remap.json` from its parent's chunk set to its own."""
    import tempfile

    from curate.workspace.upkeep import chunking, rechunking

    parent = workspace.store.version(last.number)
    if parent.chunks is None or wanted.chunks is None:
        return wanted, []
    if parent.chunks.name == wanted.chunks.name:
        return wanted, []
    try:
        carried = rechunking.carry(
            workspace, parent.chunks, wanted.chunks, parent.items, parent.gold
        )
    except CurateError as error:
        what = f"no {REMAP} from {parent.chunks.name}: {error.message}"
        return wanted, [Finding("", "remap-missing", "warning", what)]
    with tempfile.TemporaryDirectory(dir=workspace.root / chunking.CHUNKS) as directory:
        carried.write(Path(directory) / REMAP)
        data = (Path(directory) / REMAP).read_bytes()
    return replace(wanted, more={REMAP: data}), []


def _order(workspace: Workspace, to: Path | None, umask: int, formats: Sequence[str]) -> _Order:
    """Refuse unknown formats and directories beside a public remote before anything is done."""
    from curate.export import remotes, targets

    for directory in (workspace.root / EXPORTS, *([to] if to else [])):
        remotes.guard(directory, workspace.settings.export.allowed_remotes)
    asked = tuple(dict.fromkeys(formats))
    for name in asked:
        targets.known(name)
    return _Order(to, umask, asked)


def _directory(workspace: Workspace, number: int) -> Path:
    from curate.export import versions

    return workspace.root / EXPORTS / versions.name(number)


def _again(workspace: Workspace, wanted: Version) -> Mapping[str, bytes]:
    """Return the files of a stored version as they stand, or write them again."""
    from curate.export import verify, writing

    directory = _directory(workspace, wanted.number)
    _refuse_erased(wanted)
    if verify.stands(directory, wanted.number, wanted.digest):
        return verify.intact(directory)
    build = _build(workspace, wanted)
    if build.digest != wanted.digest:
        raise CurateError(
            f"version {wanted.number} would come out otherwise than "
            f"{wanted.tool or 'an older curate'} wrote it",
            "Write it with that program, or export the next version.",
        )
    writing.publish(directory, build.files)
    return build.files


def _refuse_erased(wanted: Version) -> None:
    if wanted.erased:
        raise CurateError(
            f"version {wanted.number} cannot be written again: the text of "
            f"{', '.join(wanted.erased)} was erased from it",
            "Change the set and export its next version.",
            Exit.PRIVACY,
        )


def _build(workspace: Workspace, wanted: Version) -> Build:
    from curate.export import versions

    return versions.build(
        wanted.items,
        number=wanted.number or None,
        parent=wanted.parent,
        root=wanted.root or workspace.settings.corpus.root,
        corpus=wanted.corpus,
        policy=wanted.policy,
        tool=wanted.tool or _tool(),
        chunks=wanted.gold,
        chunk_set=wanted.chunks,
        more=wanted.more,
        extractors=wanted.extractors,
    )


def _formats(workspace: Workspace, wanted: Version, order: _Order) -> Written:
    """Return the files of all formats asked for; a format that cannot be made stops it all."""
    from curate.export import targets
    from curate.export.bundle import Written

    files: dict[str, bytes] = {}
    lost: list[str] = []
    bundle = _bundle(workspace, wanted, texts="beir" in order.formats)
    for name in order.formats:
        written = targets.write(name, bundle)
        files |= written.files
        lost += [f"{name}: {what}" for what in written.lost]
    return Written(files, tuple(lost))


def _deliver(
    workspace: Workspace,
    wanted: Version,
    directory: Path,
    files: Mapping[str, bytes],
    made: Written,
    order: _Order,
) -> tuple[str, ...]:
    """Put the formats beside the version, and everything into the user's own directory; return
    what stands there of other versions still.
    """
    from curate.export import versions, vouching, writing

    code = versions.digest_of(files)
    if made.files:
        place = directory / versions.TARGETS
        writing.mirror(vouching.vouch(place, made.files, code), place, _PRIVATE)
    if order.to:
        workspace.store.mirrored(order.to, wanted.number, now=workspace.now())
        other = {name: data for name, data in made.files.items() if name not in files}
        told = vouching.vouch(order.to, other, code) if other else {}
        writing.mirror({**told, **files}, order.to, order.umask)
    return vouching.stale(order.to, code) if order.to else ()


def _bundle(workspace: Workspace, wanted: Version, *, texts: bool) -> Bundle:
    from curate.export.bundle import Bundle
    from curate.workspace.upkeep import chunking

    return Bundle(
        items=wanted.items,
        dataset=slug(workspace.root.resolve().name) or "curate",
        number=wanted.number or None,
        refusals=workspace.settings.assistant.refusals,
        gold=wanted.gold,
        chunks=chunking.texts(workspace, wanted.chunks) if texts and wanted.chunks else (),
    )


def _tool() -> str:
    return f"curate {version('curate')}"

"""Chunk sets: how the assistant cuts the documents, and which chunks hold each item's evidence."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from shutil import copyfileobj
from typing import IO, TYPE_CHECKING

from curate.model.documents import Evidence
from curate.model.errors import CurateError, Exit
from curate.model.items import ChunkLabel, ChunkSet, Item
from curate.text import fold_space

if TYPE_CHECKING:
    from curate.export.bundle import ChunkText
    from curate.remap.gold import ChunkSet as Chunks
    from curate.remap.gold import GoldChunks, Held
    from curate.workspace.workspace import Workspace

CHUNKS = "chunks"
"""The workspace's directory of chunk sets, one file of lines each."""
Progress = Callable[[str, int, int], None]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_WAITING = ("ambiguous", "lost")
_HELD: tuple[Held, ...] = ("contained", "repeated", "context", "straddling", "absent")
_SHOWN = 10


def silent(stage: str, done: int, total: int) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True)
class ItemGold:
    """The relevant chunks of an item, in document order.

    `held` says how its evidence is held (see `remap.gold.GoldChunks`): of several the one held
    best where any is enough, the worst where all are needed; `reason` why in a sentence. `status`
    is that of a label, empty where the ids are derived from the evidence; one that waits for a
    person gives no `ids`, its chunks are `proposed`.
    """

    item: str
    ids: tuple[str, ...]
    held: Held
    reason: str = ""
    status: str = ""
    proposed: tuple[str, ...] = ()

    @property
    def waiting(self) -> bool:
        """Whether a person must say which chunks are meant."""
        return self.status in _WAITING

    @property
    def sound(self) -> bool:
        """Whether a single chunk holds the evidence, or somebody said which chunks are right."""
        return not self.waiting and (self.held in ("contained", "repeated") or bool(self.status))


@dataclass(frozen=True, slots=True)
class Checked:
    """What a chunk set does with the set's evidence. `foreign` are chunks whose text stands in
    no document.
    """

    chunks: ChunkSet
    gold: tuple[ItemGold, ...]
    foreign: tuple[str, ...]

    @property
    def unsound(self) -> tuple[ItemGold, ...]:
        """The items that no single chunk answers."""
        return tuple(one for one in self.gold if not one.sound)


# ---------------------------------------------------------------------------- the sets


def add(
    workspace: Workspace, name: str, path: Path, *, progress: Progress = silent
) -> tuple[ChunkSet, Checked]:
    """Register a chunk file under a name, and return the set and its check.

    The workspace keeps its own copy, as lines; sources are named as the documents are where only
    a root differs. The set added last is the one that exports are labelled with. Raises
    `CurateError` for a file that holds no chunks, names one id twice, or whose text stands in no
    document at all, and for a name that stands for other chunks.
    """
    from curate.remap.gold import ChunkSet as Chunks

    if not _NAME.fullmatch(name):
        raise CurateError(
            f"{name!r} cannot be a chunk set's name",
            "Up to 64 letters, digits and . _ - after a letter or digit.",
            Exit.USAGE,
        )
    directory = workspace.root / CHUNKS
    directory.mkdir(mode=0o700, exist_ok=True)
    draft = directory / f".unfinished-{secrets.token_hex(8)}"
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            _convert(workspace, path, out, progress)
            out.flush()
            os.fsync(out.fileno())
        chunks = Chunks.read(draft, progress)
        digest = _digest(draft)
        made = ChunkSet(name, digest, chunks.size, workspace.now(), workspace.who)
        known = {one.name: one for one in workspace.store.chunk_sets()}
        checked = _check(workspace, made, chunks)
        if len(checked.foreign) == made.chunks:
            raise CurateError(
                f"{path} is of other documents: no chunk's text stands in any of them",
                "Name the chunks of these documents; `curate corpus sync` reads what is new.",
                Exit.USAGE,
            )
        if name not in known:
            draft.replace(_file(workspace, name))
        workspace.store.add_chunk_set(made)
    except OSError as error:
        raise CurateError(
            f"{directory} cannot be written: {error.strerror}", "Check its mode and the disk."
        ) from None
    finally:
        draft.unlink(missing_ok=True)
    return made, checked


def _convert(workspace: Workspace, path: Path, out: IO[bytes], progress: Progress) -> None:
    """Write the lines of a chunk file, its own where they can stay as they are."""
    from curate.remap.gold import ChunkSet as Chunks
    from curate.workspace.upkeep import chunk_files

    home = homes(workspace.corpus.sources())
    if chunk_files.is_plain(path):
        Chunks.read(path, progress)  # names the user's own file and line where one is wrong
        strangers = {row["source"] for row in chunk_files.rows(path)} - set(
            workspace.corpus.sources()
        )
        if not any(home(source) != source for source in strangers):
            with path.open("rb") as lines:
                copyfileobj(lines, out)
            return
    chunk_files.write(chunk_files.rows(path), out, home)


def homes(sources: Iterable[str]) -> Callable[[str], str]:
    """Return a function that names a document as the corpus does: by the path that ends alike."""
    known = frozenset(sources)
    memory: dict[str, str] = {}

    def home(source: str) -> str:
        if source in known:
            return source
        if source not in memory:
            found = [
                one for one in known if source.endswith(f"/{one}") or one.endswith(f"/{source}")
            ]
            memory[source] = found[0] if len(found) == 1 else source
        return memory[source]

    return home


def _digest(path: Path) -> str:
    whole = sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            whole.update(block)
    return f"sha256:{whole.hexdigest()}"


def _file(workspace: Workspace, name: str) -> Path:
    return workspace.root / CHUNKS / f"{name}.jsonl"


def current(workspace: Workspace) -> ChunkSet | None:
    """Return the chunk set that exports are labelled with: the one added last, or None."""
    sets = workspace.store.chunk_sets()
    return sets[-1] if sets else None


def named(workspace: Workspace, name: str = "") -> ChunkSet:
    """Return a chunk set by name, or the current one. Raises `CurateError` when there is none."""
    sets = {one.name: one for one in workspace.store.chunk_sets()}
    found = sets.get(name) if name else current(workspace)
    if found is None:
        raise CurateError(
            f"there is no chunk set {name!r}" if name else "there is no chunk set",
            f"There are: {', '.join(sets)}." if sets else "`curate chunks add NAME FILE` adds one.",
            Exit.USAGE,
        )
    return found


def file(workspace: Workspace, chunks: ChunkSet) -> Path:
    """Return the file of a chunk set. Raises `CurateError` where it is gone or another's."""
    path = _file(workspace, chunks.name)
    if not path.is_file() or _digest(path) != chunks.digest:
        raise CurateError(
            f"{path} is missing or was changed",
            f"Add the chunk set again: `curate chunks add {chunks.name} FILE`, or restore it.",
        )
    return path


def texts(workspace: Workspace, chunks: ChunkSet) -> list[ChunkText]:
    """Return the chunks of a set as a retrieval target holds them."""
    from curate.export.bundle import ChunkText
    from curate.workspace.upkeep import chunk_files

    return [
        ChunkText(row["id"], row.get("heading") or row["source"], row["text"])
        for row in chunk_files.rows(file(workspace, chunks))
    ]


# ---------------------------------------------------------------------------- gold


def check(workspace: Workspace, name: str = "", *, progress: Progress = silent) -> Checked:
    """Return how a chunk set, by default the current one, holds the evidence of every item that
    is ready.
    """
    from curate.remap.gold import ChunkSet as Chunks

    chunks = named(workspace, name)
    return _check(workspace, chunks, Chunks.read(file(workspace, chunks), progress))


def _check(workspace: Workspace, chunks: ChunkSet, read: Chunks) -> Checked:
    items = [item for item in workspace.store.items() if item.status == "ready"]
    documents = {s: workspace.corpus.document(s).text for s in workspace.corpus.sources()}
    return Checked(chunks, read_gold(workspace, items, chunks, read), read.foreign(documents))


def gold(workspace: Workspace, items: Sequence[Item], chunks: ChunkSet) -> tuple[ItemGold, ...]:
    """Return the relevant chunks of the answerable ones of `items`, in their order."""
    from curate.remap.gold import ChunkSet as Chunks

    return read_gold(workspace, items, chunks, Chunks.read(file(workspace, chunks), silent))


def read_gold(
    workspace: Workspace, items: Sequence[Item], chunks: ChunkSet, read: Chunks
) -> tuple[ItemGold, ...]:
    """Return what `gold` does, of a chunk set that is read already."""
    return tuple(_one(workspace, item, chunks.name, read) for item in items if item.answerable)


def _one(workspace: Workspace, item: Item, name: str, chunks: Chunks) -> ItemGold:
    found = [held_by(workspace, evidence, chunks) for evidence in item.evidences]
    counts = max if item.evidence_mode == "all" else min
    told = counts(found, key=lambda one: _HELD.index(one.held), default=None)
    held = told.held if told else "absent"
    label = label_of(item, name)
    if label is None:
        ids = tuple(dict.fromkeys(i for one in found if one.held != "absent" for i in one.ids))
        return ItemGold(item.id, ids, held, told.reason if told else "it has no evidence")
    waiting = label.status in _WAITING
    return ItemGold(
        item.id,
        () if waiting else label.chunks,
        held,
        label.reason,
        label.status,
        label.chunks if waiting else (),
    )


def held_by(workspace: Workspace, evidence: Evidence, chunks: Chunks) -> GoldChunks:
    """Return the chunks that hold an evidence as it stands in the documents now."""
    now = workspace.corpus.locate(evidence)
    document = ""
    if now.grade == "verbatim":
        document = workspace.corpus.document(now.source).text
    return chunks.gold(now, document)


# ---------------------------------------------------------------------------- labels


def fingerprint(item: Item) -> str:
    """Return a digest of what an item's labels are told for: the phrases of its evidence."""
    phrases = [fold_space(evidence.phrase) for evidence in item.evidences]
    return f"sha256:{sha256(json.dumps(phrases).encode()).hexdigest()}"


def label_of(item: Item, chunk_set: str) -> ChunkLabel | None:
    """Return the label that stands for an item in a chunk set: told for the evidence it has."""
    mark = fingerprint(item)
    found = [one for one in item.labels if one.chunk_set == chunk_set and one.evidence == mark]
    return found[-1] if found else None


def labelled(item: Item, label: ChunkLabel | None, chunk_set: str) -> Item:
    """Return an item with this label, or none, in a chunk set."""
    others = tuple(one for one in item.labels if one.chunk_set != chunk_set)
    return replace(item, labels=(*others, *([label] if label else [])))


def choose(
    workspace: Workspace, identifier: str, ids: Sequence[str], *, name: str = "", reason: str = ""
) -> Item:
    """Store which chunks a person says are relevant for an item; with none, those that hold its
    evidence count again. Raises `CurateError` for ids that the chunk set does not have.
    """
    from curate.workspace.upkeep import chunk_files

    chunks = named(workspace, name)
    item = workspace.store.item(identifier)
    label = None
    if ids:
        known = {row["id"] for row in chunk_files.rows(file(workspace, chunks))}
        strangers = [one for one in ids if one not in known]
        if strangers:
            raise CurateError(
                f"{chunks.name} has no chunk {', '.join(strangers[:_SHOWN])}",
                "`curate chunks check` shows the ids it has for each item.",
                Exit.USAGE,
            )
        wanted = tuple(dict.fromkeys(ids))
        label = ChunkLabel(chunks.name, wanted, "chosen", reason, fingerprint(item))
    return workspace.save(labelled(item, label, chunks.name), reason=reason)


@dataclass(frozen=True, slots=True)
class Waiting:
    """An item whose label in a chunk set waits for a person, with what was proposed and why."""

    item: Item
    label: ChunkLabel


def waiting(workspace: Workspace) -> tuple[Waiting, ...]:
    """Return the items whose label in the current chunk set is ambiguous or lost, by id."""
    chunks = current(workspace)
    if chunks is None:
        return ()
    return tuple(
        Waiting(item, label)
        for item in workspace.store.items()
        if item.status in ("ready", "draft")
        and (label := label_of(item, chunks.name)) is not None
        and label.status in _WAITING
    )

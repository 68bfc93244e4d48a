"""Erasing a person, or a piece of text: from every table, every original, every stored version."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from curate.export import withdrawing
from curate.ingest import door
from curate.ingest.originals import texts, unpack
from curate.model.custody import Receipt
from curate.model.errors import CurateError, Exit
from curate.model.events import RawText
from curate.store import erasing
from curate.store.clusters import pieces
from curate.store.erasing import Held, Literal, Target
from curate.store.files import Busy
from curate.store.retention import Outcome
from curate.text import fold_search
from curate.workspace.custody.purging import clear_judgements

if TYPE_CHECKING:
    from curate.workspace.workspace import Workspace

REMOVED = "<REMOVED>"
"""What stands where a text was taken out of an earlier wording."""

_SHORTEST = 2
_ALL = 1_000_000
_KEYLESS = Outcome(
    "not verified", {}, {}, "the keys of the tags are gone: nobody can say whose records are left"
)


BACKUP = "backup"
"""What a backup is called in the audit."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of the database that was made, and where it was put; None where that is not known."""

    at: datetime
    path: Path | None


@dataclass(frozen=True, slots=True)
class Erasure:
    """What was erased, and what is left for a person to do.

    `withdrawn` are the ids of all items that were ever taken back, `exports` the directories on
    disk that still hold any of them; `withdrawn.json` in each says which. `backups` are all that
    were made with `curate backup`: nobody can erase from them.
    """

    receipt: Receipt
    withdrawn: tuple[str, ...]
    exports: tuple[Path, ...]
    backups: tuple[Backup, ...] = ()


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What an erasure would take: how many records, votes and sealed originals, the ids of the
    items that would be withdrawn, and in how many places a text would be taken out of what stays.
    """

    records: int
    votes: int
    originals: int
    items: tuple[str, ...]
    places: int

    def __bool__(self) -> bool:
        return bool(self.records or self.votes or self.originals or self.items or self.places)


def foresee_user(workspace: Workspace, user: RawText) -> Foreseen:
    """Return what erasing a user would take. Changes nothing.

    Raises `CurateError` when the keys that tell whose the records are, are gone.
    """
    folded = _folded(user)
    if _are_keys_lost(workspace):
        raise CurateError(
            _KEYLESS.detail, "`curate forget` says what it can prove.", Exit.UNVERIFIED
        )
    held = workspace.store.held(erasing.by_users(workspace.tagger.live(door.USER, folded)))
    return _foreseen(held, len(workspace.originals.open(held.keys)))


def foresee_text(workspace: Workspace, text: RawText) -> Foreseen:
    """Return what erasing a piece of text would take. Changes nothing."""
    literal = _literal(text)
    held = workspace.store.held(erasing.by_text(literal))
    return _foreseen(held, len(_originals_with(workspace, literal)))


def _foreseen(held: Held, originals: int) -> Foreseen:
    items = tuple(sorted(held.items))
    return Foreseen(len(held.records), len(held.votes), originals, items, held.scrubbed)


def forget_user(workspace: Workspace, user: RawText) -> Erasure:
    """Erase everything a user said, and refuse what an old log may still bring of them.

    Safe to run again, also after a kill at any point: it goes on where it stopped.
    """
    folded = _folded(user)
    now, keep = workspace.now(), timedelta(days=workspace.settings.retention.records_days)
    if _are_keys_lost(workspace):
        # Making keys now would hide for ever that those of the records are lost.
        return _erase(workspace, "forget", erasing.by_users(()), frozenset, lost=_KEYLESS)
    # An event's own time chooses its key, so every epoch that a log may still bring must have one.
    for when in (now - keep, now, now + keep):
        workspace.tagger.tag(door.USER, folded, when)
    tags = workspace.tagger.live(door.USER, folded)
    workspace.store.suppress(tags, now + keep)
    target = erasing.by_users(tags)
    return _erase(workspace, "forget", target, lambda: workspace.store.held(target).keys)


def forget_text(workspace: Workspace, text: RawText) -> Erasure:
    """Erase a piece of text: records, votes and originals that hold it, and items whose own words
    do. Earlier wordings and notes that hold it lose it; what the documents say stays.
    """
    literal = _literal(text)
    target = erasing.by_text(literal)

    def keys() -> Collection[bytes]:
        return workspace.store.held(target).keys | _originals_with(workspace, literal)

    return _erase(workspace, "forget text", target, keys, literal)


def _are_keys_lost(workspace: Workspace) -> bool:
    return not any(workspace.tag_keys.glob("*.key")) and workspace.store.counts().records > 0


def _folded(user: RawText) -> str:
    folded = door.fold_user(user.reveal())
    if not folded:
        raise CurateError("no user id was given", "Give it at the prompt, or on stdin.", Exit.USAGE)
    return folded


def _literal(text: RawText) -> Literal:
    wanted = fold_search(text.reveal()).strip()
    if len(wanted) < _SHORTEST:
        raise CurateError(
            f"the text is shorter than {_SHORTEST} characters",
            "Nearly everything holds it. Give more of it.",
            Exit.USAGE,
        )
    return Literal.of(wanted)


def _originals_with(workspace: Workspace, literal: Literal) -> frozenset[bytes]:
    found: set[bytes] = set()
    for some in pieces(workspace.originals.keys()):
        for key, packed in workspace.originals.open(some).items():
            if any(text.reveal() in literal for text in texts(unpack(packed))):
                found.add(key)
    return frozenset(found)


def _erase(
    workspace: Workspace,
    kind: str,
    target: Target,
    keys: Callable[[], Collection[bytes]],
    literal: Literal | None = None,
    *,
    lost: Outcome | None = None,
) -> Erasure:
    def elsewhere() -> Outcome:
        # Before the records: they tell whose the originals are.
        try:
            gone = workspace.originals.erase(keys())
            judged = Outcome("clean", {"judgements": clear_judgements(workspace, None)}, {})
            both = gone.beside(judged)
            return both.beside(lost) if lost else both
        except Busy as error:
            return Outcome("deferred", {}, {}, error.message)
        except CurateError as error:
            return Outcome("not verified", {}, {}, error.message)

    receipt = workspace.store.erase(
        target,
        kind=kind,
        by=workspace.who,
        matcher=workspace.matcher,
        elsewhere=elsewhere,
        literal=literal,
        replacement=REMOVED,
    )
    withdrawn = tuple(workspace.store.item_ids(status="withdrawn"))
    exports = note_withdrawn(workspace, withdrawn)
    return Erasure(receipt, withdrawn, exports, backups(workspace))


def backups(workspace: Workspace) -> tuple[Backup, ...]:
    """Return the backups that were made, the oldest first, but for those known to be gone."""
    made = [one for one in reversed(workspace.store.audits(_ALL)) if one.action == BACKUP]
    found = [Backup(one.at, Path(one.detail) if one.detail else None) for one in made]
    return tuple(one for one in found if one.path is None or one.path.exists())


def note_withdrawn(workspace: Workspace, ids: Collection[str]) -> tuple[Path, ...]:
    """Write `withdrawn.json` beside every version on disk that holds any of these items, copies
    that were exported elsewhere included; return those directories.
    """
    exports = workspace.root / "exports"
    return withdrawing.withdraw(exports, ids, workspace.store.mirrors())

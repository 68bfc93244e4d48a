"""Purging a workspace: keys first, then files, originals and records, and one receipt of it all."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from curate.config import SourceSettings
from curate.ingest import run
from curate.model.custody import Receipt
from curate.model.errors import CurateError
from curate.model.events import FeedbackEvent, QuestionEvent, Rejected
from curate.privacy.tags import Tagger
from curate.store.files import Busy
from curate.store.retention import Outcome
from curate.workspace.upkeep import sources

if TYPE_CHECKING:
    from curate.workspace.workspace import Workspace


JUDGE = "judge"
"""Where the replies of a judge are cached, below a workspace."""


def purge(workspace: Workspace, *, dry_run: bool = False) -> Receipt:
    """Remove what has expired from every place, and return the receipt, which is kept.

    Keys go first, and also when the database cannot be opened because the disk is full or
    somebody holds it: the receipt is then `deferred`, and not kept.
    """
    if dry_run:
        return workspace.store.purge(
            by=workspace.who,
            matcher=workspace.matcher,
            elsewhere=lambda: _overdue(workspace),
            dry_run=True,
        )
    keys = workspace.originals.destroy_keys()
    try:
        store = workspace.store
    except Busy as error:
        detail = f"the keys are gone, the rest waits: {error.message}; no receipt is kept"
        return Receipt(
            "purge", workspace.now(), workspace.who, "deferred", {"keys": keys}, {}, detail
        )
    tags = _destroy_tag_keys(workspace)
    keys += tags.counts.get("keys", 0)
    return store.purge(
        by=workspace.who,
        matcher=workspace.matcher,
        destroy=lambda: keys,
        elsewhere=lambda: (
            originals(workspace)
            .beside(_delete_logs(workspace))
            .beside(_forget_judgements(workspace))
            .beside(Outcome(tags.status, {}, {}, tags.detail))
        ),
    )


def originals(workspace: Workspace) -> Outcome:
    """Clear the sealed originals of what is over; a file that cannot be opened is no success."""
    try:
        return workspace.originals.clear()
    except Busy as error:
        return Outcome("deferred", {}, {}, error.message)
    except CurateError as error:
        return Outcome("not verified", {}, {}, error.message)


def _destroy_tag_keys(workspace: Workspace) -> Outcome:
    """Destroy the keys of epochs that no record is left of, however long records were kept when
    they came; a key that cannot be read is no success, and stops nothing.
    """
    oldest = workspace.store.counts().oldest or workspace.limit
    try:
        tagger = Tagger.load(workspace.tag_keys, workspace.settings.retention.records_days)
        return Outcome("clean", {"keys": tagger.destroy_before(min(workspace.limit, oldest))}, {})
    except CurateError as error:
        return Outcome("not verified", {}, {}, error.message)


def _forget_judgements(workspace: Workspace) -> Outcome:
    """Delete what a judge said that is as old as expired records: it may restate their answers."""
    return Outcome("clean", {"judgements": clear_judgements(workspace, workspace.limit)}, {})


def clear_judgements(workspace: Workspace, limit: datetime | None) -> int:
    """Delete the judge's cached replies from before `limit`, or all; return how many."""
    gone = 0
    for path in (workspace.root / JUDGE).glob("*.json"):
        if limit is None or datetime.fromtimestamp(path.stat().st_mtime, limit.tzinfo) < limit:
            path.unlink(missing_ok=True)
            gone += 1
    return gone


def _overdue(workspace: Workspace) -> Outcome:
    counts = {
        "raw": workspace.originals.overdue(),
        "keys": workspace.originals.overdue_keys(),
        "files": len(_old_logs(workspace)[0]),
    }
    return Outcome("clean", counts, {})


# ---------------------------------------------------------------------------- log files


def _delete_logs(workspace: Workspace) -> Outcome:
    old, unread = _old_logs(workspace)
    gone = 0
    for path in old:
        try:
            path.unlink()
            gone += 1
        except OSError:
            unread += 1
    for directory in {path.parent for path in old}:
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(handle)
        os.close(handle)
    detail = f"{unread} log files could not be read or deleted" if unread else ""
    counts = {"files": gone} if old or unread else {}
    return Outcome("not verified" if unread else "clean", counts, {}, detail)


def _old_logs(workspace: Workspace) -> tuple[list[Path], int]:
    """The log files that are wholly too old, and how many could not be judged."""
    old: list[Path] = []
    unread = 0
    for source in workspace.settings.sources:
        if not source.purge_files:
            continue
        days = source.records_days or workspace.settings.retention.records_days
        limit = workspace.now() - timedelta(days=days)
        for path in sources.files(workspace, source):
            if path.is_symlink() or not path.is_file():
                continue
            try:
                if _wholly_before(path, source, limit):
                    old.append(path)
            except CurateError:
                unread += 1
    return old, unread


def _wholly_before(path: Path, source: SourceSettings, limit: datetime) -> bool:
    """Say whether everything in a log is older than `limit`. What has no time of its own, or
    cannot be read, is as old as the file.
    """
    touched = datetime.fromtimestamp(path.stat().st_mtime, limit.tzinfo)
    undated = events = 0
    for item in run.read(path, source):
        if isinstance(item, QuestionEvent | FeedbackEvent):
            events += 1
            if item.at is None:
                undated += 1
            elif item.at >= limit:
                return False
        elif isinstance(item, Rejected):
            undated += 1
    return bool(events) and (not undated or touched < limit)

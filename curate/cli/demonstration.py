"""The demo: a workspace around the shipped documents and logs, and its answer key curated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from curate.model.documents import Evidence
from curate.model.items import Item

if TYPE_CHECKING:
    from curate.demo.files import KeyItem
    from curate.workspace.workspace import Workspace


def make(root: Path, now: Callable[[], datetime]) -> None:
    """Make `root` a workspace that holds the demo's documents, logs and config.

    An existing empty directory is fine. Raises `CurateError` when it is a workspace already, or
    a file of the demo stands in the way.
    """
    from curate.demo import files
    from curate.workspace.workspace import Workspace

    Workspace.create(root, now, files.config())
    files.write(root, now())


def curate(workspace: Workspace) -> tuple[Item, ...]:
    """Make the items of the shipped answer key from the ingested log, and return them."""
    from curate.demo import files

    return tuple(_curate(workspace, key) for key in files.answer_key())


def _curate(workspace: Workspace, key: KeyItem) -> Item:
    candidate = workspace.candidate_of(key.log, key.log_id)
    item = replace(
        workspace.draft(candidate),
        question=key.question,
        history=key.history,
        kind=key.kind,
        lang=key.lang,
        split=key.split,
        note=key.note,
    )
    for place in key.evidences:
        wanted = Evidence(place.source, place.heading, place.phrase, 0, 0, "", "lost")
        found = workspace.corpus.locate(wanted)
        more = bool(item.evidences)
        item = workspace.attach(item, found.source, found.start, found.end, more=more)
    if key.answerable:
        item = replace(
            item,
            keyword=key.keyword,
            evidence_mode=key.evidence_mode,
            must_include=key.must_include,
            must_not_include=key.must_not_include,
            reference=key.reference,
        )
    else:
        item = workspace.unanswerable(item, key.queries)
    return workspace.save(workspace.settle(item), candidate=candidate.id, as_is=True)

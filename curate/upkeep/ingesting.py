"""Reading logs into a workspace: the stages put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from curate.ingest import inputs as reading
from curate.ingest import run
from curate.ingest.inputs import Input
from curate.ingest.run import IngestReport
from curate.model import CurateError, Exit

if TYPE_CHECKING:
    from curate.ingest.explain import Explanation
    from curate.workspace import Workspace

Progress = Callable[[int, int | None], None]


def ingest(
    workspace: Workspace,
    inputs: Sequence[Input],
    *,
    strict: bool = False,
    progress: Progress | None = None,
) -> IngestReport:
    """Read `inputs`, anonymise, and store what is new; see `Workspace.ingest`."""
    if (workspace.root / workspace.settings.corpus.root).is_dir():
        workspace.ready_corpus()
    if strict and (bad := run.survey(reading.items(inputs)).rejected):
        raise CurateError(
            f"{bad} bad lines, so nothing was read in (--strict)",
            "Without --strict they are counted, named by number and passed over.",
            Exit.FOUND,
        )
    now, tagger = workspace.now(), workspace.tagger
    with workspace.originals.filling() as seal:
        return run.run(
            reading.items(inputs),
            clean=workspace.anonymiser.clean_records,
            policy=workspace.anonymiser.policy,
            tag=tagger,
            seen=workspace.store.seen,
            seal=seal,
            save=lambda batch: workspace.store.save(batch, matcher=workspace.matcher, received=now),
            now=now,
            limit=workspace.limit,
            refusals=workspace.settings.assistant.refusals,
            progress=progress,
        )


def explain(workspace: Workspace, inputs: Sequence[Input]) -> Explanation:
    """Return how `inputs` would be read; nothing is written, not even an index."""
    from curate.ingest import explain
    from curate.privacy.anonymise import Anonymiser

    bare = [one.under(replace(one.source, template="")) for one in inputs if one.source.template]
    return explain.explain(
        reading.items(inputs),
        Anonymiser(workspace.settings.privacy).clean_records,
        bare=reading.items(bare),
    )

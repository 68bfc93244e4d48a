"""Reading logs into a workspace: the stages put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from curate.ingest import inputs as reading
from curate.ingest import run
from curate.ingest.events import StreamItem
from curate.ingest.inputs import Input, LogFile
from curate.ingest.resuming import Ledger
from curate.ingest.run import IngestReport
from curate.model.errors import CurateError, Exit
from curate.privacy.pool import Pool

if TYPE_CHECKING:
    from curate.ingest.explain import Explanation
    from curate.workspace.workspace import Workspace

Progress = Callable[[int, int | None], None]


def ingest(
    workspace: Workspace,
    inputs: Sequence[Input],
    *,
    strict: bool = False,
    resume: bool = False,
    progress: Progress | None = None,
    stopped: Callable[[], bool] | None = None,
) -> IngestReport:
    """Read `inputs`, anonymise, and store what is new; see `Workspace.ingest`.

    Once `stopped` says so, no more is read, and what was read is stored.
    """
    if (workspace.root / workspace.settings.corpus.root).is_dir():
        workspace.ready_corpus()
    if resume:
        inputs = [*_moved(workspace, inputs), *inputs]
    if strict:
        _refuse_bad_lines(workspace, inputs, resume=resume)
    now = workspace.now()
    keep_days = {s.name: s.records_days for s in workspace.settings.sources if s.records_days}
    events = reading.items(inputs, _ledger(workspace) if resume else None)
    anonymiser = workspace.anonymiser
    with workspace.originals.filling() as seal, Pool(anonymiser) as pool:
        return run.run(
            events if stopped is None else _until(stopped, events),
            clean=pool.submit,
            ahead=lambda: pool.ahead,
            policy=anonymiser.policy,
            tag=workspace.tagger,
            seen=workspace.store.seen,
            seal=seal,
            save=lambda batch, marks: workspace.store.save(
                batch,
                matcher=workspace.matcher,
                received=now,
                marks=marks,
                keep_days=keep_days,
            ),
            withdraw=lambda sweep, read: workspace.store.withdraw(
                sweep.source, sweep.since, sweep.until, read, matcher=workspace.matcher, now=now
            ),
            now=now,
            limit=workspace.limit,
            limits={name: now - timedelta(days=days) for name, days in keep_days.items()},
            refusals=workspace.settings.assistant.refusals,
            joins={s.name: s.joins for s in workspace.settings.sources if s.joins},
            progress=progress,
        )


def follow(
    workspace: Workspace,
    inputs: Callable[[], Sequence[Input]],
    *,
    wait: Callable[[], bool],
    told: Callable[[IngestReport], None],
    stopped: Callable[[], bool],
) -> None:
    """Ingest `inputs` whenever one of their files has changed, until `wait`, which is called
    between two looks, returns False. Each ingest's report is `told`.
    """
    before: object = None
    while True:
        found = inputs()
        now = [_look(one.path) for one in found if isinstance(one, LogFile) and one.path]
        if now != before:
            told(ingest(workspace, found, resume=True, stopped=stopped))
            before = now
        if not wait():
            return


def _look(path: Path) -> tuple[str, int, int, int]:
    try:
        status = path.stat()
    except OSError:
        return str(path), 0, 0, 0
    return str(path), status.st_ino, status.st_size, status.st_mtime_ns


def _until(stopped: Callable[[], bool], events: Iterator[StreamItem]) -> Iterator[StreamItem]:
    for event in events:
        yield event
        if stopped():
            return


def _refuse_bad_lines(workspace: Workspace, inputs: Sequence[Input], *, resume: bool) -> None:
    bad = run.survey(reading.items(inputs, _ledger(workspace) if resume else None)).rejected
    if bad:
        raise CurateError(
            f"{bad} bad lines, so nothing was read in (--strict)",
            "Without --strict they are counted, named by number and passed over.",
            Exit.FOUND,
        )


def _ledger(workspace: Workspace) -> Ledger:
    facts = f"{workspace.anonymiser.policy} {workspace.settings.retention.records_days}"
    return Ledger(
        workspace.store.checkpoints(),
        tag=workspace.tagger,
        now=workspace.now(),
        facts=facts,
        watermarks=workspace.store.watermarks,
    )


def _moved(workspace: Workspace, inputs: Sequence[Input]) -> list[LogFile]:
    """Return what stands, under names that no glob matches, in files a log was rotated to."""
    ledger = _ledger(workspace)
    paths: dict[str, list[LogFile]] = {}
    for one in inputs:
        if isinstance(one, LogFile) and one.path is not None and one.path.is_file():
            paths.setdefault(one.source.name or run.AD_HOC, []).append(one)
    return [
        LogFile(path, same[0].source)
        for name, same in paths.items()
        for path in ledger.moved(same[0].source, name, [one.path for one in same if one.path])
    ]


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

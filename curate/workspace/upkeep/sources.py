"""Which logs are read: the [[sources]] of the config, and files that may be one of theirs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from curate import config, text
from curate.config import SourceSettings
from curate.ingest.inputs import Input, LogFile
from curate.model.errors import CurateError, Exit

if TYPE_CHECKING:
    from curate.workspace.workspace import Workspace


def configured(workspace: Workspace, names: Sequence[str] = ()) -> list[Input]:
    """Return the configured logs, one for each existing file, in the config's order.

    With `names`, only those sources. One whose globs match nothing counts as a file that cannot
    be read, so that the others are. Raises `CurateError` for an unknown name, a config without
    sources, or when nothing at all matches.
    """
    place = workspace.root / config.FILE
    known = {source.name: source for source in workspace.settings.sources}
    if not known:
        raise CurateError(
            f"{place} names no [[sources]]",
            "Add one, or give the files: `curate ingest LOG.jsonl`.",
            Exit.USAGE,
        )
    found: list[Input] = []
    missing: list[SourceSettings] = []
    for name in names or known:
        if name not in known:
            raise CurateError(
                f"the config has no source `{text.one_line(name)}`",
                f"It has: {', '.join(known)}.",
                Exit.USAGE,
            )
        source = known[name]
        if source.path.startswith(("https://", "http://")):
            found.append(langfuse(workspace, source.path, source))
            continue
        paths = files(workspace, source)
        if not paths:
            missing.append(source)
            paths = [workspace.root / source.path]
        found += [LogFile(path, source, listed=True) for path in paths]
    if len(missing) == len(found):
        raise CurateError(
            f"source `{missing[0].name}`: nothing matches {missing[0].path}",
            f"Mend `path` in {place}; it is relative to that file.",
        )
    return found


def langfuse(workspace: Workspace, url: str, source: SourceSettings) -> Input:
    """Return the project of Langfuse at `url`, by the keys in the environment."""
    from curate.ingest.pulling import Pull  # brings an HTTP client, which files need not

    return Pull(url, config.langfuse_keys(), source, workspace.now(), workspace.limit)


def files(workspace: Workspace, source: SourceSettings) -> list[Path]:
    """Return what the globs of a source match, directories left out, in order."""
    path = Path(source.path)
    base = Path(path.anchor) if path.is_absolute() else workspace.root
    relative = str(path.relative_to(path.anchor)) if path.is_absolute() else source.path
    return sorted(found for found in base.glob(relative) if not found.is_dir())


def named(workspace: Workspace, name: str) -> SourceSettings:
    """Return a source of the config by name, or an ad hoc one of that name."""
    known = {source.name: source for source in workspace.settings.sources}
    return known.get(name) or SourceSettings(name=name)


def of(workspace: Workspace, path: Path) -> SourceSettings:
    """Return the configured source whose globs match `path`, else an ad hoc one."""
    wanted = path.resolve()
    for source in workspace.settings.sources:
        if any(match.resolve() == wanted for match in files(workspace, source)):
            return source
    return SourceSettings(path=str(path))

"""Labels by chunk id from elsewhere: where those chunks stand, and which sentence may answer."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from curate.model.documents import Evidence, Passage
from curate.model.plain import Json
from curate.workspace.upkeep import chunk_files, chunking

if TYPE_CHECKING:
    from curate.workspace.workspace import Workspace

_LEADS = 3  # lines a chunker may have put before the text
_PASSAGES = 50


@dataclass(frozen=True, slots=True)
class Old:
    """The chunks that labels name, by id, of a chunking that need not be today's."""

    name: str
    chunks: dict[str, Json] = field(repr=False)


def old(workspace: Workspace, chunks: str, wanted: Collection[str]) -> Old:
    """Return the `wanted` chunks of a chunk set or file; those it does not have are left out.

    `chunks` is a file, a chunk set's name, or empty for the current one. Raises `CurateError`
    when there is none, or the file is no chunk file.
    """
    path = Path(chunks)
    if not chunks or not path.is_file():
        path = chunking.file(workspace, chunking.named(workspace, chunks))
    home = chunking.homes(workspace.corpus.sources())
    rows = (row for row in chunk_files.rows(path) if row["id"] in wanted)
    return Old(
        chunks or path.stem, {row["id"]: row | {"source": home(row["source"])} for row in rows}
    )


def propose(
    workspace: Workspace, question: str, ids: Sequence[str], held: Old
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """Return, for each chunk a label names, the sentence in it that may answer best; and the ids
    of chunks that are unknown or stand in no document any more.
    """
    passages = workspace.corpus.suggest(question, k=_PASSAGES)
    found: list[Evidence] = []
    astray: list[str] = []
    for name in ids:
        place = _place(workspace, held.chunks[name]) if name in held.chunks else None
        if place is None:
            astray.append(name)
            continue
        start, end = _sentence(workspace, question, place, passages)
        evidence = workspace.corpus.evidence(place.source, start, end)
        if evidence not in found:
            found.append(evidence)
    return tuple(found), tuple(astray)


def _place(workspace: Workspace, chunk: Json) -> Evidence | None:
    """Return where a chunk's text stands in the documents, its first lines left out if need be."""
    for text in _bodies(chunk["text"]):
        wanted = Evidence(chunk["source"], chunk.get("heading", ""), text, 0, 0, "", "lost")
        found = workspace.corpus.locate(wanted)
        if found.grade != "lost":
            return found
    return None


def _bodies(text: str) -> Iterator[str]:
    for _ in range(_LEADS + 1):
        yield text
        _, separator, text = text.partition("\n")
        if not separator or not text.strip():
            return


def _sentence(
    workspace: Workspace, question: str, place: Evidence, passages: Sequence[Passage]
) -> tuple[int, int]:
    for passage in passages:
        start, end = passage.best
        if passage.section.source == place.source and place.start <= start and end <= place.end:
            return start, end
    asked = set(question.casefold().split())
    text = workspace.corpus.document(place.source).text
    within = [
        (start, end)
        for section in workspace.corpus.sections(place.source)
        if section.start < place.end and place.start < section.end
        for start, end in workspace.corpus.sentences(section)
        if place.start <= start and end <= place.end
    ]
    if not within:
        return place.start, place.end
    return max(within, key=lambda span: len(asked & set(text[slice(*span)].casefold().split())))

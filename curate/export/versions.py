"""A version: the files of one export and the manifest that vouches for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from curate.export.questions import QUESTIONS, digest, encode, exported, files, records
from curate.model.items import ChunkSet, Item
from curate.model.plain import Json

MANIFEST = "manifest.json"
TARGETS = "targets"
"""The directory of a version that holds its other formats, and a manifest of their own."""
WITHDRAWN = "withdrawn.json"
"""Ids that were taken back for good, beside an export; no text, no reasons."""


@dataclass(frozen=True, slots=True)
class Build:
    """A version, ready to be written: `files` by name, the manifest last; a draft has no number.

    `digest` is that of `questions.json`: neither number, parent, corpus nor tool changes it, so
    an unchanged set is known by it, and `sha256sum questions.json` proves it.
    """

    number: int | None
    parent: int | None
    digest: str
    items: tuple[Item, ...]
    counts: dict[str, int]
    files: Mapping[str, bytes] = field(repr=False)


def name(number: int) -> str:
    """Return the directory name of a version: `v0001`."""
    return f"v{number:04}"


def build(
    items: Iterable[Item],
    *,
    number: int | None,
    parent: int | None,
    root: str,
    corpus: str,
    policy: str,
    tool: str,
    chunks: Mapping[str, Sequence[str]] | None = None,
    chunk_set: ChunkSet | None = None,
    more: Mapping[str, bytes] | None = None,
    extractors: Mapping[str, str] | None = None,
) -> Build:
    """Return the version that the ready ones of `items` make.

    `root` is the corpus root relative to the workspace, `corpus` its digest, `policy` the
    anonymiser's, `tool` names us and our version. `chunks` are gold chunk ids by item id, of
    `chunk_set`; `more` are further files of the version. `extractors` says by source what reads a
    document; those of quoted ones are in the manifest. The bytes depend on the arguments alone.
    Raises `CurateError` for an item that breaks the contract of `questions.record`.
    """
    held = exported(items)
    made = records(held, chunks)
    contents = {**files(made), **(more or {})}
    counted = counts(made)
    code = digest(contents[QUESTIONS])
    manifest: Json = {
        "number": number,
        "parent": parent,
        "digest": code,
        "files": {
            file: {"digest": digest(data), "bytes": len(data)} for file, data in contents.items()
        },
        "counts": counted,
        "corpus": {"root": root, "digest": corpus, **_extractors(held, extractors or {})},
        **_chunk_sets(chunk_set),
        "policy": policy,
        "tool": tool,
        "items": {item.id: item.revision for item in held},
    }
    contents[MANIFEST] = encode(manifest)
    return Build(number, parent, code, held, counted, contents)


def _extractors(items: Sequence[Item], known: Mapping[str, str]) -> Json:
    quoted = sorted({one.source for item in items for one in item.evidences})
    told = {source: known[source] for source in quoted if source in known}
    return {"extractors": told} if told else {}


def _chunk_sets(one: ChunkSet | None) -> Json:
    if one is None:
        return {}
    return {"chunkSets": [{"name": one.name, "digest": one.digest, "chunks": one.chunks}]}


def counts(made: Sequence[Json]) -> dict[str, int]:
    """Return how many records there are in all, by answerability and by split."""
    answerable = sum(bool(one["answerable"]) for one in made)
    holdout = sum(bool(one.get("holdout")) for one in made)
    return {
        "items": len(made),
        "answerable": answerable,
        "unanswerable": len(made) - answerable,
        "tuning": len(made) - holdout,
        "holdout": holdout,
    }


def counts_of(files: Mapping[str, bytes]) -> dict[str, int]:
    """Return the counts that the manifest among `files` tells."""
    told: dict[str, int] = json.loads(files[MANIFEST])["counts"]
    return told


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return the version's digest that the manifest among `files` tells."""
    told: str = json.loads(files[MANIFEST])["digest"]
    return told

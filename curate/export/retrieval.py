"""Targets that judge retrieval by chunk id: labelled queries, BEIR, TREC.

They need a chunk set. A query without a relevant chunk would count as a miss for ever, so only
items with gold chunks are judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from curate.export.bundle import (
    Bundle,
    Written,
    answerable,
    array,
    needs_chunks,
    told,
    unanswerable,
    without,
)
from curate.export.questions import encode_lines
from curate.model.items import Item
from curate.model.plain import Json

_BREAKING = re.compile(r"[\s%\x00-\x1f\x7f-\x9f]")


def labelled(bundle: Bundle) -> Written:
    """An array of `id, query, relevantChunkIds`."""
    needs_chunks(bundle, "labelled")

    def row(item: Item) -> Json:
        return {"id": item.id, "query": item.question, "relevantChunkIds": bundle.gold_of(item)}

    return Written(array("labelled", _judged(bundle), row), _lost(bundle, "history"))


def beir(bundle: Bundle) -> Written:
    """A BEIR folder: `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`.

    Ids are percent-encoded where they hold white space. All items are queries, with what BEIR
    has no field for in `metadata`; only items with gold chunks are judged. `corpus.jsonl` is the
    text of the team's own documents.
    """
    needs_chunks(bundle, "beir", texts=True)

    def query(item: Item) -> Json:
        metadata = bundle.record(item)
        text = metadata.pop("question")
        return {"_id": safe(item.id), "text": text, "metadata": metadata}

    files = {
        "beir/corpus.jsonl": encode_lines(
            {"_id": safe(chunk.id), "title": chunk.title, "text": chunk.text}
            for chunk in bundle.chunks
        ),
        "beir/queries.jsonl": encode_lines(query(item) for item in bundle.items),
    }
    for split in ("tuning", "holdout"):
        rows = [
            f"{safe(item.id)}\t{safe(chunk)}\t1\n"
            for item in _judged(bundle)
            if item.split == split
            for chunk in bundle.gold_of(item)
        ]
        if rows:
            head = "query-id\tcorpus-id\tscore\n"
            files[f"beir/qrels/{split}.tsv"] = "".join([head, *rows]).encode()
    lost = told(
        ("unanswerable items are queries without judgements", _not_answerable(bundle)),
        ("answerable items without a gold chunk are not judged", _unlabelled(bundle)),
    )
    return Written(files, lost)


def trec(bundle: Bundle) -> Written:
    """TREC judgements, `qid 0 docid 1`, per split, and the queries as `qid`, tab, text.

    Ids are percent-encoded where they hold white space; a line break in a query becomes a space.
    """
    needs_chunks(bundle, "trec")
    files: dict[str, bytes] = {}
    for split in ("tuning", "holdout"):
        held = [item for item in _judged(bundle) if item.split == split]
        if held:
            files[f"trec/qrels.{split}.txt"] = "".join(
                f"{safe(item.id)} 0 {safe(chunk)} 1\n"
                for item in held
                for chunk in bundle.gold_of(item)
            ).encode()
            files[f"trec/queries.{split}.tsv"] = "".join(
                f"{safe(item.id)}\t{' '.join(item.question.split())}\n" for item in held
            ).encode("utf-8", "replace")
    return Written(files, _lost(bundle, "history", "evidences"))


def safe(name: str) -> str:
    """Return an id without white space, controls or a bare `%`: those bytes percent-encoded."""
    return _BREAKING.sub(lambda match: quote(match.group(), safe=""), name)


def _judged(bundle: Bundle) -> list[Item]:
    return [item for item in answerable(bundle) if bundle.gold_of(item)]


def _unlabelled(bundle: Bundle) -> list[Item]:
    return [item for item in answerable(bundle) if not bundle.gold_of(item)]


def _not_answerable(bundle: Bundle) -> list[Item]:
    return [item for item in bundle.items if not item.answerable]


def _lost(bundle: Bundle, *kinds: str) -> tuple[str, ...]:
    unlabelled: tuple[str, Iterable[Item]] = (
        "answerable items without a gold chunk are left out",
        _unlabelled(bundle),
    )
    every: tuple[str, Iterable[Item]] = (
        "that all of several evidences are needed is not told",
        [i for i in _judged(bundle) if len(i.evidences) > 1 and i.evidence_mode == "all"],
    )
    kept = without(bundle, *(kind for kind in kinds if kind != "evidences"), "assertions", "tags")
    return told(unanswerable(bundle), unlabelled, every, *kept)

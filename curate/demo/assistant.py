"""The demo's assistant: a small retriever over the demo's documents, with no network and no model.

It finds chunks by BM25, answers with the sentences of the best chunk that share most words with
the question, and refuses below a score. Good enough to be scored, poor enough to be improved:
`curate eval run --python curate.demo.assistant:ask`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import bm25s
import Stemmer
from bm25s.stopwords import STOPWORDS_EN_PLUS

_DOCS = Path(__file__).parent / "docs"
REFUSAL = "I could not find that in our pages."
SPACED = "\u0e00-\u0eff\u1780-\u17ff"
_TOKEN = re.compile(rf"[{SPACED}]+|[^\W_]+")
_SPACELESS = re.compile(f"[{SPACED}]")
_IDLE = frozenset(STOPWORDS_EN_PLUS)
_HEADING = re.compile(r"^#{1,6} +(.*)$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?។])\s+|\n\n+|\n(?=[|*-])")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document as the index holds it; `id` is its source and its number in it."""

    id: str
    source: str
    heading: str
    text: str = field(repr=False)


def by_heading(source: str, text: str) -> list[Chunk]:
    """Cut a document before each heading; a heading without text of its own joins the next."""
    marks = [match.start() for match in _HEADING.finditer(text)]
    pieces = [text[a:b] for a, b in zip([0, *marks], [*marks, len(text)], strict=True)]
    kept: list[str] = []
    lead = ""
    for piece in pieces:
        if piece.strip() and not _HEADING.sub("", piece).strip():
            lead += piece
        elif piece.strip():
            kept.append(lead + piece)
            lead = ""
    return [_chunk(source, number, piece) for number, piece in enumerate(kept)]


def by_size(source: str, text: str, size: int, overlap: int) -> list[Chunk]:
    """Cut a document every `size` characters, each chunk beginning `overlap` before the last's
    end; `overlap` is less than `size`.
    """
    starts = range(0, max(1, len(text) - overlap), size - overlap)
    return [_chunk(source, n, text[start : start + size]) for n, start in enumerate(starts)]


def _chunk(source: str, number: int, text: str) -> Chunk:
    heading = _HEADING.search(text)
    return Chunk(f"{source}#{number}", source, heading[1] if heading else "", text.strip())


def chunks(chunking: str = "heading", size: int = 400, overlap: int = 50) -> tuple[Chunk, ...]:
    """Return the demo's documents in chunks: `heading`, or `size` with `size` and `overlap` in
    characters.
    """
    if chunking not in ("heading", "size") or not 0 <= overlap < size:
        raise ValueError("chunking is heading or size, overlap less than size")
    found: list[Chunk] = []
    for path in sorted(_DOCS.rglob("*.md")):
        source, text = path.relative_to(_DOCS).as_posix(), path.read_bytes().decode()
        if chunking == "heading":
            found += by_heading(source, text)
        else:
            found += by_size(source, text, size, overlap)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Index:
    chunks: tuple[Chunk, ...]
    ranker: Any


@lru_cache(maxsize=8)
def _index(chunking: str, size: int, overlap: int) -> _Index:
    held = chunks(chunking, size, overlap)
    ranker = bm25s.BM25()
    ranker.index([_terms(chunk.text) for chunk in held], show_progress=False)
    return _Index(held, ranker)


def _terms(text: str) -> list[str]:
    """Stems of the words that say something; pairs of letters where words are not spaced."""
    stem = Stemmer.Stemmer("english").stemWord
    found: list[str] = []
    for token in _TOKEN.findall(text.casefold()):
        if _SPACELESS.match(token):
            found += [token[i : i + 2] for i in range(max(1, len(token) - 1))]
        elif token not in _IDLE:
            found.append(stem(token))
    return found


def ask(
    question: str,
    history: Sequence[dict[str, str]] = (),
    *,
    chunking: str = "heading",
    size: int = 400,
    overlap: int = 50,
    k: int = 4,
    min_score: float = 2.5,
    rewrite: bool = True,
) -> dict[str, Any]:
    """Answer a question from the demo's documents, as one line of a run file holds a reply.

    With `rewrite` a follow-up is searched together with the question before it. Refuses when the
    best of `k` chunks scores below `min_score` (a BM25 score; it means nothing in another index).
    """
    index = _index(chunking, size, overlap)
    before = [turn["content"] for turn in history if turn["role"] == "user"]
    searched = f"{before[-1]} {question}" if rewrite and before else question
    hits = _search(index, searched, k)
    retrieved = [
        {"id": chunk.id, "source": chunk.source, "score": round(score, 4), "text": chunk.text}
        for chunk, score in hits
    ]
    refused = not hits or hits[0][1] < min_score
    answer = REFUSAL if refused else _answer(searched, hits[0][0])
    return {
        "retrieved": retrieved,
        "answer": answer,
        "refused": refused,
        "sources": [{"source": hit["source"]} for hit in retrieved],
        "usage": {"total_tokens": sum(len(_terms(chunk.text)) for chunk, _ in hits)},
        "rewritten": searched,
        "index": {"chunks": len(index.chunks)},
    }


def _search(index: _Index, query: str, k: int) -> list[tuple[Chunk, float]]:
    places, scores = index.ranker.retrieve(
        [_terms(query)], k=min(k, len(index.chunks)), show_progress=False
    )
    pairs = zip(places[0].tolist(), scores[0].tolist(), strict=True)
    return [(index.chunks[place], score) for place, score in pairs if score > 0]


def _answer(query: str, chunk: Chunk) -> str:
    """The two sentences of the best chunk that share most words with the question, in order."""
    wanted = set(_terms(query))
    body = _HEADING.sub("", chunk.text)
    sentences = [" ".join(s.split()) for s in _SENTENCE.split(body) if s.strip()]
    shared = sorted(
        range(len(sentences)), key=lambda i: (-len(wanted & set(_terms(sentences[i]))), i)
    )
    return " ".join(sentences[i] for i in sorted(shared[:2])) + " [1]"

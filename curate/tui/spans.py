"""Moving the two ends of a selection by words, sentences and lines; pure.

A span is `(start, end)` in code points of a document. No function here ever returns an empty
span or one outside its limits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Span = tuple[int, int]

# Scripts written without spaces are walked by clusters: a letter and the marks that sit on it.
# Thai, Lao, Myanmar, Khmer (whose coeng binds the next letter too), kana and CJK.
_CLUSTER = (
    r"[\u1780-\u17b3](?:\u17d2[\u1780-\u17b3]|[\u17b4-\u17d1\u17d3\u17dd])*"
    r"|[\u0e40-\u0e44\u0ec0-\u0ec4]?[\u0e01-\u0e2e\u0e81-\u0eae]"
    r"[\u0e30-\u0e3a\u0e45-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ece]*"
    r"|[\u1000-\u109f]|[\u3040-\u30ff\u3400-\u9fff]"
)
_WORD = re.compile(rf"{_CLUSTER}|(?:(?!{_CLUSTER})[^\s\u200b])+")


def words(text: str, start: int, end: int) -> list[Span]:
    """Return the spans of the words in `text[start:end]`, punctuation with the word it touches."""
    return [match.span() for match in _WORD.finditer(text, start, end)]


def widen_end(text: str, span: Span, limit: int) -> Span:
    """Return `span` with the next word at its end, at most up to `limit`."""
    match = _WORD.search(text, span[1], limit)
    return (span[0], match.end()) if match else span


def narrow_end(text: str, span: Span) -> Span:
    """Return `span` without its last word; a single word stays."""
    inside = words(text, *span)
    return (span[0], inside[-2][1]) if len(inside) > 1 else span


def widen_start(text: str, span: Span, limit: int) -> Span:
    """Return `span` with the word before it, at most down to `limit`."""
    # A word is never looked for further back than any word is long.
    before = words(text, max(limit, span[0] - 400), span[0])
    return (before[-1][0], span[1]) if before else span


def narrow_start(text: str, span: Span) -> Span:
    """Return `span` without its first word; a single word stays."""
    inside = words(text, *span)
    return (inside[1][0], span[1]) if len(inside) > 1 else span


def sentence_at(sentences: Sequence[Span], offset: int) -> int:
    """Return the index of the sentence at or next before `offset`; 0 when there is none."""
    found = 0
    for index, (start, _end) in enumerate(sentences):
        if start > offset:
            break
        found = index
    return found


def step(sentences: Sequence[Span], span: Span | None, by: int) -> Span | None:
    """Return the sentence `by` steps from the one `span` begins in, stopping at the ends.

    None when there are no sentences.
    """
    if not sentences:
        return None
    if span is None:
        return sentences[0]
    index = sentence_at(sentences, span[0])
    return sentences[max(0, min(len(sentences) - 1, index + by))]


def widen_sentence(sentences: Sequence[Span], span: Span) -> Span:
    """Return `span` out to the end of the sentence it ends in, or of the next one."""
    for start, end in sentences:
        if end > span[1]:
            return (min(span[0], start), end)
    return span


def narrow_sentence(sentences: Sequence[Span], span: Span) -> Span:
    """Return `span` back to the last sentence end inside it; one sentence stays."""
    ends = [end for _start, end in sentences if span[0] < end < span[1]]
    return (span[0], ends[-1]) if ends else span

"""The documents, in pieces that can be named and quoted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a document under one heading.

    `source` is the document's path relative to the corpus root, `heading` the heading's text
    (empty before the first heading), `trail` the headings above it from the outermost,
    `text` is `document[start:end]`, the heading line included.
    """

    source: str
    heading: str
    trail: tuple[str, ...]
    level: int
    start: int
    end: int
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Passage:
    """A ranked search result: a section, its score, and the best sentence in it.

    `best` is a span of code points in the document; `why` names what found it.
    """

    section: Section
    score: float
    best: tuple[int, int]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place where a phrase stands in a document: the heading, the span in code points, and the
    words it is made of there, which are longer where the phrase begins or ends within one.
    """

    heading: str
    start: int
    end: int
    words: str = field(repr=False)
    whole: bool = True


Grade = Literal["verbatim", "normalised", "ambiguous", "moved", "lost"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A phrase of a document that answers an item.

    `start` and `end` are its span in the document whose content has `digest`. `phrase` is the
    document's own text at that span, stripped.
    """

    source: str
    heading: str
    phrase: str = field(repr=False)
    start: int
    end: int
    digest: str
    grade: Grade

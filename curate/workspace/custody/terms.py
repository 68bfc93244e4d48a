"""The team's own terms: what is never personal here, and what always is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from curate import config
from curate.model.custody import Audit
from curate.model.errors import CurateError, Exit
from curate.privacy.anonymise import Anonymiser
from curate.privacy.words import wordlist

if TYPE_CHECKING:
    from curate.workspace.workspace import Workspace

_TERM = re.compile(r"[^\W\d_a-z][\w'’-]*(?: [^\W\d_a-z][\w'’-]*){0,2}")
_FRAMES = ("{}", "how do I use {} here?", "is {} there today?")
"""How a term is tried: what is a name in any of these would be taken out of a question."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A term of the documents that the anonymiser takes for personal data, and how often it
    stands there.
    """

    term: str
    entity: str
    times: int


def suggest(workspace: Workspace) -> list[Proposal]:
    """Return the terms of the documents that the anonymiser would take out of questions, those
    that stand there most often first. Approving them is for a person: a handbook may name people.
    """
    counted: Counter[str] = Counter()
    for source in workspace.corpus.sources():
        text = workspace.corpus.document(source).text
        counted.update(_bare(match[0]) for match in _TERM.finditer(text))
    for heading in workspace.corpus.headings():
        counted.update(word for word in heading.split() if word[:1].isalpha())
    known = {term.casefold() for term in workspace.settings.privacy.allow}
    tried = [term for term in counted if len(term) > 1 and term.casefold() not in known]
    anonymiser = Anonymiser(replace(workspace.settings.privacy, deny=()))
    framed = [frame.format(term) for term in tried for frame in _FRAMES]
    found = anonymiser.clean_many(framed)
    made = []
    for number, term in enumerate(tried):
        hits = found[number * len(_FRAMES) : (number + 1) * len(_FRAMES)]
        entities = {one.entity for clean in hits for one in clean.redactions}
        if entities:
            made.append(Proposal(term, ", ".join(sorted(entities)), counted[term]))
    return sorted(made, key=lambda one: (-one.times, one.term))


def _bare(term: str) -> str:
    """Return a term without the function words that it happens to begin with: The Carter."""
    words = term.split(" ")
    while len(words) > 1 and words[0].lower() in wordlist("stop"):
        del words[0]
    return " ".join(words)


def listed(workspace: Workspace, name: str) -> tuple[str, ...]:
    """Return the terms of one list, those of the config included."""
    return tuple(getattr(workspace.settings.privacy, name))


def change(
    workspace: Workspace, name: str, *, add: Sequence[str] = (), remove: Sequence[str] = ()
) -> None:
    """Change the list `allow` or `deny` in its file beside the config; how many, on record.

    Takes effect for what comes in from now on; `curate privacy refresh` for what is there.
    Raises `CurateError` for a term to remove that is not in the file.
    """
    path = workspace.root / config.TERMS[name]
    there = {term.casefold(): term for term in config.terms(path)}
    for term in remove:
        if there.pop(" ".join(term.split()).casefold(), None) is None:
            raise CurateError(
                f"a term to remove is not in {path}",
                f"What stands in {config.FILE} is changed there.",
                Exit.USAGE,
            )
    for term in add:
        spaced = " ".join(term.split())
        if spaced:
            there.setdefault(spaced.casefold(), spaced)
    config.set_terms(path, there.values())
    detail = f"{len(add)} added, {len(remove)} removed"
    workspace.store.audit(Audit(workspace.now(), workspace.who, f"change {name} list", "", detail))
    workspace.reload()

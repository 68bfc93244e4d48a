"""What a curator types passes the strict scan of an export before it is stored anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from curate.check.personal import Said, in_words, personal, said
from curate.model.errors import CurateError, Exit
from curate.model.items import KINDS

if TYPE_CHECKING:
    from curate.model.items import Item
    from curate.workspace.workspace import Workspace


class PersonalData(CurateError):
    """What was typed seems to hold personal data and was not stored; `found` says what is found in
    which field, and never the text.
    """

    def __init__(self, found: str) -> None:
        super().__init__(
            f"not saved: personal data found: {found}",
            "Write it otherwise; `curate privacy allow --add TERM` if it is no name; "
            "--as-is if it is to be kept.",
            Exit.FOUND,
        )
        self.found = found


def typed(workspace: Workspace, item: Item, *, logged: bool) -> list[Said]:
    """Return the texts of an item that nobody has looked through: all that differ from the item as
    it is stored, of a new one those that were not `logged` and anonymised when they came in.
    """
    stored = next(iter(workspace.store.items([item.id])), None) if item.revision else None
    if stored is not None:
        known = {one.text for one in _all(stored)}
    elif logged:
        known = {item.original, item.standalone, *(turn.content for turn in item.history)}
    else:
        known = set()
    return [one for one in _all(item) if one.text not in known]


def vet(workspace: Workspace, texts: Sequence[Said]) -> None:
    """Raise `PersonalData` where what was typed holds personal data by the strictest settings that
    is not the team's own. The model is loaded only where there is something to look through.
    """
    stands = workspace.corpus.stands
    doubted = [one for one in texts if one.text.strip() and not (one.quotes and stands(one.text))]
    if not doubted:
        return
    found: dict[str, set[str]] = {}
    for index, entity, own in personal(doubted, workspace.anonymiser.scan, stands):
        if not own:
            found.setdefault(doubted[index].name, set()).add(entity)
    if found:
        raise PersonalData(in_words(found))


def _all(item: Item) -> list[Said]:
    """Return every text of an item, what is exported and what is for people; the question is
    among what was searched, and is the original where it is nobody else's.

    A kind that is everybody's is no text: alone, `long` looks like a name.
    """
    searched = item.absence.queries if item.absence else ()
    more = [
        Said("note", item.note),
        Said("original", item.original),
        *([] if item.kind in KINDS else [Said("kind", item.kind)]),
        *(Said("searched", query) for query in searched),
    ]
    return [*said(item), *(one for one in more if one.text != item.question)]

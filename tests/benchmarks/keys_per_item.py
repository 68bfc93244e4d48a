"""How many keys an item takes: `python tests/benchmarks/keys_per_item.py`.

A curator who knows the demo's answer key sits at the real screens (Textual's Pilot, 120x40), over
the demo's logs, anonymised, and its documents. Every answerable question of the key is made into
an item: the passage that answers is chosen by its digit when it is among the suggestions, else it
is searched for with two words; the selection is moved until it holds the answer; Enter takes it;
`w` saves and opens the next. What was stored is compared with the key.

Every key counts from the moment a question is on the screen until the next one is (and the one
that opens the first), all but the letters of a search. A second run takes the same questions by
search alone. The other candidates are set aside before.
"""

from __future__ import annotations

import asyncio
import re
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from curate.cli import demonstration
from curate.demo import files
from curate.demo.files import KeyEvidence, KeyItem
from curate.model.items import Item
from curate.text import fold_space
from curate.tui.app import CurateApp
from curate.tui.screens.review import ReviewScreen
from curate.workspace.upkeep import sources
from curate.workspace.workspace import Workspace

NOW = datetime(2026, 11, 29, 21, tzinfo=UTC)
SIZE = (120, 40)
SUGGESTED, SEARCHED = 8, 14
"""The most keys an item may take, in the median."""


@dataclass(frozen=True)
class Finished:
    """An item as it was made."""

    question: str
    keys: int
    searched: bool
    right: bool


class Curator:
    """Presses keys, and knows what the screen shows."""

    def __init__(self, pilot: Any, *, always_search: bool) -> None:
        self._pilot = pilot
        self._always_search = always_search
        self.keys = 0
        self.searched = False

    @property
    def _review(self) -> ReviewScreen:
        return cast(ReviewScreen, self._pilot.app.screen)

    async def press(self, *keys: str) -> None:
        """Press keys that count."""
        for key in keys:
            self.keys += 1
            await self._pilot.press(key)
            await self._settle()

    @property
    def _lacks_keyword(self) -> bool:
        """Nothing was proposed: scripts without spaces have no words to choose from."""
        screen = self._pilot.app.screen
        case = screen.case if isinstance(screen, ReviewScreen) else None
        return case is not None and bool(case.item.evidences) and not case.item.keyword

    async def _settle(self) -> None:
        for _ in range(2):
            await self._pilot.app.workers.wait_for_complete()
            await self._pilot.pause()

    async def make(self, key: KeyItem) -> None:
        """Make the item of a question that is on the screen, and go on to the next."""
        wanted = key.evidences if key.evidence_mode == "all" else self._nearest(key.evidences)
        for number, evidence in enumerate(wanted):
            await self._turn_to(evidence)
            await self._select(evidence.phrase)
            await self.press("plus" if number else "enter")
        if len(wanted) > 1:
            await self.press("ampersand")
        await self.press("w")
        if self._lacks_keyword:
            await self.press("equals_sign", *key.keyword, "enter", "w")

    def _nearest(self, evidences: Sequence[KeyEvidence]) -> Sequence[KeyEvidence]:
        """The one of several that is suggested first."""
        return sorted(evidences, key=lambda one: self._rank(one) or 99)[:1]

    def _rank(self, evidence: KeyEvidence) -> int | None:
        for rank, passage in enumerate(self._review.passages[:9], 1):
            section = passage.section
            if (section.source, section.heading) == (evidence.source, evidence.heading):
                return rank
        return None

    def _shown(self, evidence: KeyEvidence) -> bool:
        view = self._review.view
        start, end = view.window
        return view.source == evidence.source and fold_space(evidence.phrase) in fold_space(
            view.document[start:end]
        )

    async def _turn_to(self, evidence: KeyEvidence) -> None:
        rank = self._rank(evidence)
        if self._always_search or rank is None:
            self.searched = True
            await self.press("slash")
            for letter in " ".join(two_words(evidence)):
                await self._pilot.press("space" if letter == " " else letter)
            await self._settle()
            await self.press("enter")
            rank = self._rank(evidence)
        if not self._shown(evidence) and rank is not None:
            await self.press(str(rank))

    async def _select(self, phrase: str) -> None:
        """Walk to the sentence in which the phrase begins, and widen until it holds it."""
        view = self._review.view
        low, high = view.window
        found = re.search(r"\s+".join(map(re.escape, phrase.split())), view.document[low:high])
        if found is None:
            return
        start, end = low + found.start(), low + found.end()
        for _ in range(40):
            here = view.selection_span or (low, low)
            if here[0] <= start and end <= here[1]:
                return
            if here[0] > start:
                await self.press("k")
            elif here[1] <= start:
                await self.press("j")
            else:
                await self.press("right_parenthesis")


def two_words(evidence: KeyEvidence) -> list[str]:
    """What a person who has the answer in mind types: the longest words of heading and phrase."""

    def longest(text: str) -> str:
        words = re.findall(r"[^\W_]+", text)
        return max(words, key=len, default="")

    heading = longest(evidence.heading)
    rest = re.sub(re.escape(heading), " ", evidence.phrase, flags=re.IGNORECASE)
    return [word for word in (heading, longest(rest)) if word]


def right(item: Item, key: KeyItem) -> bool:
    """Whether an item quotes what the key quotes, and is ready."""
    quoted = [fold_space(evidence.phrase) for evidence in item.evidences]
    held = [any(fold_space(e.phrase) in one for one in quoted) for e in key.evidences]
    enough = all(held) if key.evidence_mode == "all" else any(held)
    return item.status == "ready" and enough and item.evidence_mode == key.evidence_mode


async def run(root: Path, *, always_search: bool) -> list[Finished]:
    """Curate the answerable questions of the key and return what each took."""
    demonstration.make(root, lambda: NOW)
    with Workspace.open(root, lambda: NOW, "curator") as workspace:
        key = await asyncio.to_thread(_prepare, workspace)
        done: list[Finished] = []
        async with CurateApp(workspace).run_test(size=SIZE) as pilot:
            curator = Curator(pilot, always_search=always_search)
            await curator._settle()
            await curator.press("enter")
            while key and isinstance(pilot.app.screen, ReviewScreen):
                case = pilot.app.screen.case
                candidate = case.candidate.id if case and case.candidate else 0
                wanted = key.pop(candidate)
                await curator.make(wanted)
                made = await asyncio.to_thread(_item_of, workspace, candidate)
                done.append(
                    Finished(
                        wanted.question,
                        curator.keys,
                        curator.searched,
                        made is not None and right(made, wanted),
                    )
                )
                curator.keys, curator.searched = 0, False
        return done


def _prepare(workspace: Workspace) -> dict[int, KeyItem]:
    workspace.corpus.sync()
    workspace.ingest(sources.configured(workspace))
    key = {
        workspace.candidate_of(item.log, item.log_id).id: item
        for item in files.answer_key()
        if item.answerable
    }
    for candidate in workspace.store.candidate_ids():
        if candidate not in key:
            workspace.decide(candidate, "rejected", reason="set aside")
    return key


def _item_of(workspace: Workspace, candidate: int) -> Item | None:
    item = workspace.store.candidate(candidate).item
    return workspace.store.item(item) if item else None


def main() -> None:
    """Run both ways and print what each item took, and the medians."""
    runs: dict[bool, list[Finished]] = {}
    for always_search in (False, True):
        with tempfile.TemporaryDirectory() as directory:
            runs[always_search] = asyncio.run(
                run(Path(directory) / "demo", always_search=always_search)
            )
    print("keys  how        right  question")
    for done in runs[False]:
        how = "search" if done.searched else "suggestion"
        print(f"{done.keys:>4}  {how:<10} {'yes' if done.right else 'NO':<5}  {done.question}")
    suggested = [one.keys for one in runs[False] if not one.searched]
    searched = [one.keys for one in runs[True]]
    wrong = sum(not one.right for done in runs.values() for one in done)
    print(f"items not as in the key: {wrong}")
    print(
        f"by suggestion: {len(suggested)} items, median {statistics.median(suggested):g}, "
        f"most {max(suggested)} (to reach: median {SUGGESTED})"
    )
    print(
        f"by a search of two words: {len(searched)} items, median "
        f"{statistics.median(searched):g}, most {max(searched)} (to reach: median {SEARCHED})"
    )
    print(f"median keys per item: {statistics.median(one.keys for one in runs[False]):g}")


if __name__ == "__main__":
    main()

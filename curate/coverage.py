"""What the set covers of the documents and of what people ask, and what it would be worth most to
curate next. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from curate.model.documents import Section
from curate.model.evaluation import Failure
from curate.model.items import Item
from curate.model.records import Traffic

START = 30
"""Items that a set needs before its figures say anything."""
TOLD = frozenset({"plain", "follow-up", "identifier", "short", "long"})
"""Kinds that are told from a question alone, `plain` being none of them."""
FAR = 0.1
"""Difference of two shares from which one is called too small."""
FEW = 5
"""Suggestions of one sort that are made at most."""


@dataclass(frozen=True, slots=True)
class Place:
    """A section: how many items quote it, how often it was the first passage for a question, and
    how many of these questions were voted down or refused.
    """

    source: str
    heading: str
    items: int
    asked: int
    down: int
    refused: int


@dataclass(frozen=True, slots=True)
class Covered:
    """A document: its sections, those that an item quotes, its items, and questions asked of it."""

    source: str
    sections: int
    covered: int
    items: int
    asked: int


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the set beside the same part of what people ask; `traffic` is None where nobody
    can know it.
    """

    name: str
    items: int
    of_items: float
    traffic: int | None = None
    of_traffic: float | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something to curate next, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a set covers. `items` are drafts and ready ones, `questions` those that are kept.

    `splits` counts them by split, then by answerability; `labels` are those of what failed in the
    last scored run.
    """

    items: int
    questions: int
    refused: int
    down: int
    documents: tuple[Covered, ...]
    sections: tuple[Place, ...]
    kinds: tuple[Share, ...]
    langs: tuple[Share, ...]
    answerability: tuple[Share, ...]
    labels: dict[str, int]
    splits: dict[str, dict[str, int]]
    suggestions: tuple[Suggestion, ...] = field(default=())

    @property
    def wanted(self) -> tuple[Place, ...]:
        """The sections that questions led to and no item quotes, the most urgent first."""
        bare = (place for place in self.sections if place.asked and not place.items)
        return tuple(sorted(bare, key=_urgency))

    @property
    def unasked(self) -> tuple[Place, ...]:
        """The sections that no item quotes and no question of the retention window led to."""
        return tuple(place for place in self.sections if not place.asked and not place.items)


def coverage(
    items: Iterable[Item],
    sections: Sequence[Section],
    traffic: Traffic,
    *,
    kinds: Mapping[str, int],
    failures: Sequence[Failure] = (),
    holdout: float = 0.2,
) -> Coverage:
    """Return what `items` cover of `sections` and of `traffic`.

    `kinds` counts the kinds of the questions in the sample of `traffic`. `holdout` is the share
    that the holdout is meant to have. A log may name documents from another root: `docs/fees.md`
    is taken for `fees.md`.
    """
    held = [item for item in items if item.status in ("draft", "ready")]
    places = _places(held, sections, traffic)
    refused = traffic.refused / traffic.questions if traffic.questions else None
    answers = Counter(_answerability(item) for item in held)
    made = Coverage(
        items=len(held),
        questions=traffic.questions,
        refused=traffic.refused,
        down=traffic.down,
        documents=_documents(places, held),
        sections=places,
        kinds=_told(_shares(Counter(item.kind or "plain" for item in held), _plain(kinds))),
        langs=_shares(Counter(item.lang or "unknown" for item in held), traffic.langs),
        answerability=tuple(
            Share(
                name,
                answers[name],
                answers[name] / len(held) if held else 0.0,
                traffic.refused if name == "unanswerable" else None,
                refused if name == "unanswerable" else None,
            )
            for name in ("answerable", "unanswerable", "undecided")
        ),
        labels=dict(Counter(one.confirmed or one.label for one in failures).most_common()),
        splits=_splits(held),
    )
    return _with_suggestions(made, holdout)


def _answerability(item: Item) -> str:
    return {True: "answerable", False: "unanswerable", None: "undecided"}[item.answerable]


def _told(shares: Iterable[Share]) -> tuple[Share, ...]:
    """Return shares of kinds; how many questions are a paraphrase, say, only a person can tell."""
    return tuple(
        share if share.name in TOLD else replace(share, traffic=None, of_traffic=None)
        for share in shares
    )


def _plain(kinds: Mapping[str, int]) -> dict[str, int]:
    return {kind or "plain": number for kind, number in kinds.items()}


def _places(
    items: Collection[Item], sections: Sequence[Section], traffic: Traffic
) -> tuple[Place, ...]:
    quoted = Counter(
        key for item in items for key in {(e.source, e.heading) for e in item.evidences}
    )
    sources = {section.source for section in sections}
    asked: Counter[tuple[str, str]] = Counter()
    down: Counter[tuple[str, str]] = Counter()
    refused: Counter[tuple[str, str]] = Counter()
    for one in traffic.passages:
        key = (_ours(one.source, sources), one.heading)
        asked[key] += one.asked
        down[key] += one.down
        refused[key] += one.refused
    keys = dict.fromkeys((section.source, section.heading) for section in sections)
    return tuple(
        Place(*key, items=quoted[key], asked=asked[key], down=down[key], refused=refused[key])
        for key in keys
    )


def _ours(source: str, sources: Collection[str]) -> str:
    parts = source.split("/")
    tails = ("/".join(parts[at:]) for at in range(len(parts)))
    return next((tail for tail in tails if tail in sources), source)


def _documents(places: Sequence[Place], items: Collection[Item]) -> tuple[Covered, ...]:
    holding = Counter(
        source for item in items for source in {evidence.source for evidence in item.evidences}
    )
    grouped: dict[str, list[Place]] = {}
    for place in places:
        grouped.setdefault(place.source, []).append(place)
    return tuple(
        Covered(
            source,
            len(inner),
            sum(place.items > 0 for place in inner),
            holding[source],
            sum(place.asked for place in inner),
        )
        for source, inner in grouped.items()
    )


def _shares(ours: Mapping[str, int], theirs: Mapping[str, int]) -> tuple[Share, ...]:
    items, traffic = sum(ours.values()), sum(theirs.values())
    names = sorted({*ours, *theirs}, key=lambda name: (-theirs.get(name, 0), name))
    return tuple(
        Share(
            name,
            ours.get(name, 0),
            ours.get(name, 0) / items if items else 0.0,
            theirs.get(name, 0) if traffic else None,
            theirs.get(name, 0) / traffic if traffic else None,
        )
        for name in names
    )


def _splits(items: Collection[Item]) -> dict[str, dict[str, int]]:
    found = {split: Counter[str]() for split in ("tuning", "holdout")}
    for item in items:
        found[item.split][_answerability(item)] += 1
    return {split: dict(sorted(counts.items())) for split, counts in found.items()}


# ---------------------------------------------------------------------------- what next


def _with_suggestions(made: Coverage, holdout: float) -> Coverage:
    return replace(
        made,
        suggestions=(
            *_asked_sections(made),
            *_thin_shares(made),
            *_unanswerable(made),
            *_balance(made, holdout),
            *_bare_documents(made),
        ),
    )


def _asked_sections(made: Coverage) -> list[Suggestion]:
    return [
        Suggestion(
            f"an item on {place.source} › {place.heading or '(no heading)'}",
            f"asked {_times(place.asked)}"
            + (f", {place.down} thumbs-down" if place.down else "")
            + (f", refused {_times(place.refused)}" if place.refused else "")
            + "; no item quotes it",
        )
        for place in made.wanted[:FEW]
    ]


def _urgency(place: Place) -> tuple[int, str, str]:
    return -(place.asked + 3 * place.down + 2 * place.refused), place.source, place.heading


def _thin_shares(made: Coverage) -> list[Suggestion]:
    thin = [
        (share, what)
        for shares, what in ((made.kinds, "of kind"), (made.langs, "in"))
        for share in shares
        if share.of_traffic is not None
        and share.of_traffic - share.of_items >= FAR
        and share.name not in ("plain", "unknown")
    ]
    thin.sort(key=lambda pair: pair[0].of_items - (pair[0].of_traffic or 0.0))
    return [
        Suggestion(
            f"questions {what} {share.name}",
            f"{share.of_traffic:.0%} of what is asked, {share.of_items:.0%} of the set",
        )
        for share, what in thin[:FEW]
    ]


def _unanswerable(made: Coverage) -> list[Suggestion]:
    share = next(share for share in made.answerability if share.name == "unanswerable")
    if not made.items or share.of_items >= FAR:
        return []
    asked = f"; {made.refused} of {made.questions} logged questions were refused"
    return [
        Suggestion(
            "questions that the documents do not answer, close to what they do",
            f"{share.items} of {made.items} items" + (asked if made.questions else ""),
        )
    ]


def _balance(made: Coverage, holdout: float) -> list[Suggestion]:
    found = []
    if made.items < START:
        found.append(Suggestion("more items", f"{made.items} so far; {START} are a start"))
    held = sum(made.splits["holdout"].values())
    if made.items and holdout and held < holdout * made.items / 2:
        found.append(
            Suggestion(
                "the next items for the holdout",
                f"{held} of {made.items} items; meant are {holdout:.0%}",
            )
        )
    return found


def _bare_documents(made: Coverage) -> list[Suggestion]:
    bare = [document for document in made.documents if not document.items]
    bare.sort(key=lambda document: (-document.asked, -document.sections, document.source))
    return [
        Suggestion(
            f"a first item on {document.source}",
            f"{_count(document.sections, 'section')}, none quoted",
        )
        for document in bare[:FEW]
    ]


def _times(number: int) -> str:
    return _count(number, "time")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")

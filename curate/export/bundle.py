"""What a target writer is given and gives back, and what several of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from curate.export.questions import encode, encode_lines, record
from curate.export.versions import name
from curate.model.errors import CurateError, Exit
from curate.model.items import Item
from curate.model.plain import Json


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as a retrieval target holds it."""

    id: str
    title: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The exported items and what targets need to know beside them.

    `dataset` names the set where a target keeps several; `number` is the version's, None for a
    draft. `refusals` are phrases the assistant refuses with. `gold` are relevant chunk ids by
    item id, `chunks` the texts of the whole chunk set; both empty without one.
    """

    items: tuple[Item, ...]
    dataset: str
    number: int | None = None
    refusals: tuple[str, ...] = ()
    gold: Mapping[str, Sequence[str]] = field(default_factory=dict)
    chunks: Sequence[ChunkText] = ()

    @property
    def release(self) -> str:
        """The dataset and its version in one name."""
        return f"{self.dataset}-{'draft' if self.number is None else name(self.number)}"

    def record(self, item: Item) -> Json:
        """Return an item as `questions.json` holds it, and its split always."""
        return record(item, self.gold.get(item.id)) | {"split": item.split}

    def gold_of(self, item: Item) -> list[str]:
        """Return the relevant chunk ids of an item."""
        return list(self.gold.get(item.id, ()))

    def expected(self, item: Item) -> str:
        """Return the answer to expect: the reference, else the evidence; a refusal phrase for an
        unanswerable item, empty where none is known.
        """
        if item.reference:
            return item.reference
        if item.answerable:
            return "\n".join(self.phrases(item))
        return next(iter(self.refusals), "")

    def phrases(self, item: Item) -> list[str]:
        """Return the phrases an answer must rest on: all, or the first where any is enough."""
        found = [one["evidence"] for one in self.record(item).get("evidences", [])]
        return found if item.evidence_mode == "all" else found[:1]


@dataclass(frozen=True, slots=True)
class Written:
    """A target's files by relative path, and in words what it could not hold."""

    files: Mapping[str, bytes] = field(repr=False)
    lost: tuple[str, ...] = ()


Writer = Callable[[Bundle], Written]


def lines(stem: str, items: Iterable[Item], row: Callable[[Item], Json]) -> dict[str, bytes]:
    """Return JSON lines of all items as `stem.jsonl`, and of each split that has any beside it."""
    return _by_split(stem, "jsonl", items, row, encode_lines)


def array(stem: str, items: Iterable[Item], row: Callable[[Item], Json]) -> dict[str, bytes]:
    """Return one JSON array of all items as `stem.json`, and of each split that has any."""
    return _by_split(stem, "json", items, row, encode)


def _by_split(
    stem: str,
    ending: str,
    items: Iterable[Item],
    row: Callable[[Item], Json],
    write: Callable[[list[Json]], bytes],
) -> dict[str, bytes]:
    made = [(item.split, row(item)) for item in items]
    files = {f"{stem}.{ending}": write([one for _, one in made])}
    for split in ("tuning", "holdout"):
        part = [one for held, one in made if held == split]
        if part:
            files[f"{stem}.{split}.{ending}"] = write(part)
    return files


def answerable(bundle: Bundle) -> tuple[Item, ...]:
    """Return the items that the documents answer."""
    return tuple(item for item in bundle.items if item.answerable)


def told(*reports: tuple[str, Iterable[Item]]) -> tuple[str, ...]:
    """Return one line for each loss that concerns an item, naming the items."""
    lines_: list[str] = []
    for what, items in reports:
        ids = [item.id for item in items]
        if ids:
            lines_.append(f"{what}: {', '.join(ids)}")
    return tuple(lines_)


def unanswerable(bundle: Bundle) -> tuple[str, Iterable[Item]]:
    """Return the loss of a target that holds answerable items only."""
    return "unanswerable items are left out", [i for i in bundle.items if not i.answerable]


def without(bundle: Bundle, *kinds: str) -> list[tuple[str, Iterable[Item]]]:
    """Return the losses of a target without room for these: `history`, `evidences`,
    `assertions`, `tags`.
    """
    held = answerable(bundle)
    known: dict[str, tuple[str, Iterable[Item]]] = {
        "history": ("the history is left out", [i for i in bundle.items if i.history]),
        "evidences": (
            "only the first of several evidences is kept",
            [i for i in held if len(i.evidences) > 1 and i.evidence_mode == "any"],
        ),
        "assertions": (
            "must-include and must-not-include are left out",
            [i for i in bundle.items if i.must_include or i.must_not_include],
        ),
        "tags": ("tags are left out", [i for i in bundle.items if i.tags]),
    }
    return [known[kind] for kind in kinds]


def needs_chunks(bundle: Bundle, target: str, *, texts: bool = False) -> None:
    """Refuse a target that labels chunks where no chunk set is known."""
    if not bundle.gold or (texts and not bundle.chunks):
        raise CurateError(
            f"the target {target} labels chunks, and no chunk set is known",
            "Register one with `curate chunks add NAME FILE`.",
            Exit.USAGE,
        )

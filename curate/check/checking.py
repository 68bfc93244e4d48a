"""What is wrong with an item or a set. Pure: the documents, the leak scan and the near-duplicates
come as functions.

An error keeps the set from being exported: the harness would misjudge the item, the two splits
would know of each other, or personal data would leave. A warning is for a person to weigh; a note
only tells.

Evidence and its grade: `verbatim` under its heading is right. Where the harness still finds the
phrase in its document (white space differs, or the phrase stands in several places) it is a
warning; where it does not, and where the heading a human would open is another one, an error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from curate.check.echo import ECHO_EXEMPT, ECHO_LIMIT, echo
from curate.check.personal import Scan, Stands, in_words, personal, said
from curate.model.documents import Evidence, Occurrence, Passage
from curate.model.items import Finding, Item, Severity
from curate.text import contains, fold_space, slug, strip_space

SEEMS_ANSWERED = 0.8
"""From this score of the best passage on, documents seem to answer a question. Of 16 questions
that the uv documentation tempts to answer and does not, none is there (the highest has .792); of
70 that it answers, 29 are."""

Locate = Callable[[Evidence], Evidence]
"""Evidence, graded again against the documents as they are now."""
PassageOf = Callable[[Evidence], str]
"""The text of the section that holds an evidence now; empty when it is lost."""
Occurrences = Callable[[str, str], Sequence[Occurrence]]
"""Every place of a phrase in the document of a source, as a harness finds it."""
Headings = Callable[[str], Collection[str]]
"""The headings of the documents now, and those that the item of an id was ever made from."""
Nearest = Callable[[Item], Passage | None]
"""The passage that answers an item likeliest, with its score; None where there is none."""
Alike = Callable[[Sequence[str]], Sequence[tuple[int, int]]]
"""Index pairs of near-duplicate texts."""

_PLACEHOLDER = re.compile(r"<[A-Z][A-Z_]*_\d+>")
_MARKUP = re.compile(
    r"\*\*|__|~~|`|!?\[[^\]\n]*\]\s*[\[(]|<[A-Za-z/!][^>\n]*>|&(?:[a-z]+|#\d+);|(?<!\w)[*_]\w|\w[*_](?!\w)"
    r"|\n\s*(?:[-*+>|]|#{1,6}|\d+[.)])\s|\n\s*(?:={3,}|-{3,})|\|"
)
_TOLD = 3


def missing(item: Item) -> tuple[str, ...]:
    """Return what an item still lacks before it can be ready, in words; empty when nothing."""
    lacking: list[str] = []
    if not strip_space(item.question):
        lacking.append("a question")
    if item.answerable is None:
        lacking.append("answerable or not")
    if item.answerable:
        if not any(strip_space(evidence.phrase) for evidence in item.evidences):
            lacking.append("evidence")
        if not item.keyword.strip():
            lacking.append("a keyword")
    return tuple(lacking)


@dataclass(frozen=True, slots=True)
class Tools:
    """What an item is held against, from the rooms that know. `withdrawn` are the ids that were
    taken back for good, `accepted` are item and entity of personal data that a person let stand.
    Without `nearest`, it is not asked whether the documents answer what is called unanswerable.
    """

    locate: Locate
    scan: Scan
    stands: Stands
    passage: PassageOf
    occurrences: Occurrences
    headings: Headings
    alike: Alike
    nearest: Nearest | None = None
    withdrawn: Collection[str] = ()
    accepted: Collection[tuple[str, str]] = ()


def check(items: Sequence[Item], tools: Tools) -> list[Finding]:
    """Return what is wrong with the items that are ready, and with the set they make.

    Errors come first, then warnings, then notes, each by item. A draft only gets the note that it
    is not exported; retired and withdrawn items are left alone.
    """
    ready = [item for item in items if item.status == "ready"]
    found = [
        Finding(item.id, "draft", "note", _draft(item)) for item in items if item.status == "draft"
    ]
    found += _ids(items, tools.withdrawn)
    found += [finding for item in ready for finding in _item(item, tools)]
    found += _personal(ready, tools)
    found += _set(ready, tools.alike)
    return sorted(found, key=lambda f: (_ORDER[f.severity], f.item, f.code, f.message))


def lint(item: Item, others: Sequence[Item], tools: Tools) -> list[Finding]:
    """Return what would be wrong with one item if it were ready among the `others`."""
    item = replace(item, status="ready")
    beside = [other for other in others if other.status in ("ready", "draft")]
    found = [
        *_ids([*others, item], tools.withdrawn),
        *_item(item, tools),
        *_personal([item], tools),
    ]
    found += _set([*beside, item], tools.alike)
    mine = [finding for finding in found if finding.item == item.id]
    return sorted(mine, key=lambda f: (_ORDER[f.severity], f.code, f.message))


_ORDER: Mapping[Severity, int] = {"error": 0, "warning": 1, "note": 2}


def _draft(item: Item) -> str:
    lacking = ", ".join(missing(item))
    return "is a draft and not exported" + (f": it lacks {lacking}" if lacking else "")


# ---------------------------------------------------------------------------- one item


def _item(item: Item, tools: Tools) -> Iterator[Finding]:
    def finding(code: str, severity: Severity, message: str) -> Finding:
        return Finding(item.id, code, severity, message)

    if not strip_space(item.question):
        yield finding("question-empty", "error", "has no question")
    if _PLACEHOLDER.search(item.question):
        yield finding(
            "placeholder", "warning", "the question still holds a placeholder: put neutral words"
        )
    if any(_PLACEHOLDER.search(turn.content) for turn in item.history):
        yield finding("placeholder-history", "warning", "the history still holds a placeholder")
    if _from_question(item, tools.headings):
        yield finding(
            "id-from-question", "warning", "the id repeats the question: ids come from documents"
        )
    yield from _assertions(item)
    if item.answerable is None:
        yield finding("undecided", "error", "nobody decided whether the documents answer it")
    elif not item.answerable:
        if item.evidences:
            yield finding(
                "unanswerable-evidence", "error", "is called unanswerable and has evidence"
            )
        if item.absence is None:
            yield finding(
                "absence-missing",
                "warning",
                "is unanswerable without a record of what was searched",
            )
        best = tools.nearest(item) if tools.nearest and not item.note.strip() else None
        if best is not None and best.score >= SEEMS_ANSWERED:
            section = best.section
            yield finding(
                "absence-doubtful",
                "warning",
                f"{section.source} › {section.heading or 'no heading'} seems to answer it"
                f" ({best.score:.2f}): say in the note why it does not",
            )
    else:
        yield from _answerable(item, tools)


def _answerable(item: Item, tools: Tools) -> Iterator[Finding]:
    def finding(code: str, severity: Severity, message: str) -> Finding:
        return Finding(item.id, code, severity, message)

    if not item.evidences:
        yield finding("evidence-missing", "error", "is called answerable and has no evidence")
    for number, evidence in enumerate(item.evidences, 1):
        label = f"evidence {number}" if len(item.evidences) > 1 else "the evidence"
        yield from _evidence(item, label, evidence, tools)
    folded = [fold_space(evidence.phrase).lower() for evidence in item.evidences]
    keyword = fold_space(strip_space(item.keyword)).lower()
    if not keyword:
        yield finding("keyword-missing", "error", "has no keyword")
    elif folded and not any(keyword in phrase for phrase in folded) and not item.note.strip():
        yield finding(
            "keyword-outside",
            "warning",
            "the keyword stands in none of its evidence: justify it in the note",
        )
    if item.kind.replace(" ", "-") not in ECHO_EXEMPT:
        share = max((echo(item.question, tools.passage(e)) for e in item.evidences), default=0.0)
        if share > ECHO_LIMIT:
            yield finding(
                "echo",
                "warning",
                f"the question echoes its passage: {share:.0%} of its letters are copied runs",
            )


def _evidence(item: Item, label: str, evidence: Evidence, tools: Tools) -> Iterator[Finding]:
    def finding(code: str, severity: Severity, message: str) -> Finding:
        return Finding(item.id, code, severity, f"{label} {message}")

    if not strip_space(evidence.phrase):
        yield finding("evidence-empty", "error", "is empty: it would match every chunk")
        return
    if not evidence.source:
        yield finding("source-missing", "error", "names no document")
        return
    if _MARKUP.search(strip_space(evidence.phrase)):
        yield finding(
            "evidence-markup",
            "warning",
            "crosses markup: a chunker that drops markup would not hold it",
        )
    now = tools.locate(evidence)
    same_source = now.source == evidence.source
    held = same_source and contains(tools.passage(now), evidence.phrase)
    if now.grade == "lost":
        yield finding("evidence-lost", "error", f"stands no longer in {evidence.source}")
    elif now.grade == "moved" or not same_source:
        there = now.heading if same_source else f"{now.source} › {now.heading}"
        yield finding(
            "evidence-moved", "error", f"moved: it now stands under {there or 'no heading'}"
        )
    elif now.grade == "ambiguous":
        yield finding(
            "evidence-ambiguous",
            "warning" if held and now.heading == evidence.heading else "error",
            f"is ambiguous: in {evidence.source} it stands"
            f" {placed(tools.occurrences(evidence.source, evidence.phrase))}, and a harness takes"
            " each of them"
            if held
            else f"was reworded in {evidence.source}",
        )
    elif now.grade == "normalised":
        yield finding(
            "evidence-normalised",
            "warning" if held else "error",
            "differs from its document"
            + (" in white space only" if held else " in white space, quotes, dashes or markup"),
        )
    elif now.heading != evidence.heading:
        yield finding(
            "heading-wrong",
            "error",
            f"stands under {now.heading or 'no heading'}, not under"
            f" {evidence.heading or 'no heading'}",
        )
    else:
        places = tools.occurrences(evidence.source, evidence.phrase)
        others = [one for one in places if one.heading != now.heading]
        if others:
            yield finding(
                "evidence-elsewhere",
                "warning",
                f"stands {placed(others)} as well, and a harness takes that for right, too:"
                " quote more of it",
            )


def placed(places: Sequence[Occurrence]) -> str:
    """Return where a phrase stands, in words: the headings, and the word it is only a part of."""
    told = dict.fromkeys(
        f"under {one.heading or 'no heading'}" + ("" if one.whole else f" within “{one.words}”")
        for one in places
    )
    more = f" and in {len(told) - _TOLD} more places" if len(told) > _TOLD else ""
    return ", ".join([*told][:_TOLD]) + more


def _assertions(item: Item) -> Iterator[Finding]:
    if not all(map(strip_space, (*item.must_include, *item.must_not_include))):
        yield Finding(
            item.id, "assertion-empty", "error", "has an empty must-include or must-not-include"
        )
    if any(never in text for text in item.must_include for never in item.must_not_include if never):
        yield Finding(
            item.id,
            "assertion-contradiction",
            "error",
            "no answer can pass: what must be in the answer holds what must not",
        )


# ---------------------------------------------------------------------------- ids


def _ids(items: Sequence[Item], withdrawn: Collection[str]) -> Iterator[Finding]:
    for name, times in Counter(item.id for item in items).items():
        if times > 1:
            yield Finding(name, "id-duplicate", "error", f"{times} items have this id")
    for item in items:
        if item.status != "ready":
            continue
        if item.id in withdrawn:
            yield Finding(item.id, "id-withdrawn", "error", "the id was withdrawn for good")
        if not item.id:
            yield Finding(item.id, "id-empty", "error", "has no id")
        elif not _is_slug(item.id):
            yield Finding(
                item.id,
                "id-not-slug",
                "warning",
                "the id is no slug: lower-case letters, digits and single hyphens",
            )


def _is_slug(name: str) -> bool:
    parts = name.split("-")
    return len(name) <= 80 and all(
        part and "".join(slug(part[at : at + 40]) for at in range(0, len(part), 40)) == part
        for part in parts
    )


def _from_question(item: Item, headings: Headings) -> bool:
    stem = re.sub(r"-\d+$", "", item.id)
    asked = {slug(item.question), slug(item.original)}
    return (
        stem.count("-") >= 2
        and any(text.startswith(stem) for text in asked)
        and not any(stem in slug(text) for text in (item.keyword, *headings(item.id)))
    )


# ---------------------------------------------------------------------------- personal data


def _personal(items: Sequence[Item], tools: Tools) -> list[Finding]:
    texts = [(item.id, one) for item in items for one in said(item)]
    blocked: dict[str, dict[str, set[str]]] = {}
    exempt: dict[str, set[str]] = {}
    allowed: dict[str, set[str]] = {}
    for index, entity, own in personal([one for _, one in texts], tools.scan, tools.stands):
        item, one = texts[index]
        if own:
            exempt.setdefault(item, set()).add(one.name)
        elif (item, entity) in tools.accepted:
            allowed.setdefault(item, set()).add(entity)
        else:
            blocked.setdefault(item, {}).setdefault(one.name, set()).add(entity)
    found = [
        Finding(item, "personal-data", "error", f"personal data found: {in_words(names)}")
        for item, names in blocked.items()
    ]
    found += [
        Finding(
            item,
            "personal-data-accepted",
            "note",
            f"a person let stand what looks like {', '.join(sorted(entities))}",
        )
        for item, entities in allowed.items()
    ]
    return found + [
        Finding(
            item,
            "personal-data-documents",
            "note",
            f"names of the team's own documents stand in: {', '.join(sorted(names))}",
        )
        for item, names in exempt.items()
    ]


# ---------------------------------------------------------------------------- the set


def _set(items: Sequence[Item], alike: Alike) -> Iterator[Finding]:
    asked = [_asked(item) for item in items]
    for left, right in alike(asked):
        for item, other in ((items[left], items[right]), (items[right], items[left])):
            if item.split == other.split:
                yield Finding(
                    item.id, "near-duplicate", "warning", f"asks nearly the same as {other.id}"
                )
            else:
                yield Finding(
                    item.id,
                    "split-near-duplicate",
                    "error",
                    f"asks nearly the same as {other.id}, which is in the other split",
                )
    clusters: dict[str, list[Item]] = {}
    for item in items:
        if item.cluster:
            clusters.setdefault(item.cluster, []).append(item)
    for members in clusters.values():
        if len({item.split for item in members}) > 1:
            for item in members:
                others = ", ".join(o.id for o in members if o.split != item.split)
                yield Finding(
                    item.id,
                    "split-cluster",
                    "error",
                    f"comes from the same questions as {others}, in the other split",
                )


def _asked(item: Item) -> str:
    earlier = [turn.content for turn in item.history if turn.role == "user"]
    return "\n".join([*earlier, item.question])

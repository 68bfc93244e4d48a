"""What changed between two versions."""

from __future__ import annotations

from dataclasses import replace

from curate.export.diff import as_json, as_markdown, as_text, diff
from curate.export.questions import records
from curate.model.documents import Evidence
from curate.model.items import Item

EVIDENCE = Evidence("laptops.md", "How long", "up to 7 days", 0, 12, "", "verbatim")
ITEM = Item(
    "how-long",
    1,
    "when is it due",
    answerable=True,
    evidences=(EVIDENCE,),
    keyword="7",
    status="ready",
)
OTHER = Item("no-sale", 1, "can i buy one", answerable=False, status="ready")


def test_equal_sets_have_no_difference() -> None:
    found = diff(records([ITEM, OTHER]), records([OTHER, replace(ITEM, note="x", revision=4)]))
    assert not found
    assert as_text(found) == "no difference\n"


def test_items_added_and_removed_are_whole_records() -> None:
    found = diff(records([ITEM]), records([OTHER]))
    assert [one["id"] for one in found.added] == ["no-sale"]
    assert [one["id"] for one in found.removed] == ["how-long"]


def test_a_change_names_field_before_and_after() -> None:
    found = diff(records([ITEM]), records([replace(ITEM, keyword="days", lang="en")]))
    assert [(c.item, c.key, c.before, c.after) for c in found.changed] == [
        ("how-long", "keyword", "7", "days"),
        ("how-long", "lang", None, "en"),
    ]


def test_changed_evidence_is_told_once() -> None:
    moved = replace(ITEM, evidences=(replace(EVIDENCE, heading="Loans"),))
    assert [c.key for c in diff(records([ITEM]), records([moved])).changed] == ["evidences"]


def test_a_move_between_splits_is_no_change_of_a_field() -> None:
    found = diff(records([ITEM]), records([replace(ITEM, split="holdout")]))
    assert found.changed == ()
    assert [(c.item, c.before, c.after) for c in found.moved] == [("how-long", "tuning", "holdout")]


def everything() -> tuple[list[Item], list[Item]]:
    old = [ITEM, OTHER, replace(OTHER, id="gone", question="is `this` [a](b)?\n# no\x1b[2J")]
    new = [
        replace(ITEM, keyword="days", split="holdout"),
        OTHER,
        replace(OTHER, id="new", question="what now"),
    ]
    return old, new


def test_the_text_marks_each_kind_of_change_on_lines_of_its_own() -> None:
    old, new = everything()
    text = as_text(diff(records(old), records(new)))
    assert text.splitlines() == [
        "+ new  what now",
        "- gone  is `this` [a](b)? # no␛[2J",
        "~ how-long  keyword",
        "    - 7",
        "    + days",
        "> how-long  tuning -> holdout",
    ]


def test_the_markdown_holds_hostile_text_in_code_spans() -> None:
    old, new = everything()
    shown = as_markdown(diff(records(old), records(new)), "v0001 to v0002")
    assert shown == (
        "## v0001 to v0002\n\n"
        "1 added, 1 removed, 1 changed, 1 moved between splits\n\n"
        "### Added\n\n- `new`: `what now`\n\n"
        "### Removed\n\n- `gone`: `` is `this` [a](b)? # no␛[2J ``\n\n"
        "### Moved between splits\n\n- `how-long`: tuning to holdout\n\n"
        "### Changed\n\n- `how-long`, `keyword`\n  - before: `7`\n  - after: `days`\n"
    )


def test_the_json_holds_every_kind_of_change() -> None:
    old, new = everything()
    found = as_json(diff(records(old), records(new)))
    assert [one["id"] for one in found["added"]] == ["new"]
    assert [one["id"] for one in found["removed"]] == ["gone"]
    assert found["changed"] == [
        {"id": "how-long", "field": "keyword", "before": "7", "after": "days"}
    ]
    assert found["moved"] == [
        {"id": "how-long", "field": "split", "before": "tuning", "after": "holdout"}
    ]

"""What both front ends ask of a workspace, over a real store and real documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from curate import config
from curate.model.errors import CurateError
from curate.model.items import Item
from curate.model.records import Candidate, Turn
from curate.text import slug
from curate.triage import Matcher
from curate.workspace.workspace import Workspace
from tests.conftest import Curate
from tests.events import DAY, NOW, Clock, question

TOPICS = (
    "loans", "fines", "parking", "printing", "rooms", "scanners", "lockers", "events", "courses",
    "laptops", "maps", "journals",
)  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    root = tmp_path / "ws"
    Workspace.create(root, Clock())
    (root / "docs").mkdir()
    (root / "docs" / "a.md").write_text(
        "".join(f"# {one}\n\nThe rule of {one} is number {n}.\n\n" for n, one in enumerate(TOPICS))
    )
    with Workspace.open(root, Clock(), "anna") as opened:
        opened.ready_corpus()
        opened.store.save(
            [
                question(one, f"What is the rule of {one}?", asked_at=NOW - n * DAY, chunks=())
                for n, one in enumerate(TOPICS)
            ],
            matcher=Matcher(),
            received=NOW,
        )
        yield opened


def candidates(workspace: Workspace) -> list[Candidate]:
    return workspace.store.candidates(sorted(workspace.store.candidate_ids()))


def curated(workspace: Workspace, candidate: Candidate) -> Item:
    text = workspace.corpus.document("a.md").text
    topic = candidate.question.split()[-1].rstrip("?")
    start = text.index(f"The rule of {topic}")
    item = workspace.attach(workspace.draft(candidate), "a.md", start, text.index(".", start))
    return workspace.save(workspace.settle(item), candidate=candidate.id)


def test_the_proposed_splits_keep_their_share(workspace: Workspace) -> None:
    made = [curated(workspace, candidate) for candidate in candidates(workspace)]
    assert sum(item.split == "holdout" for item in made) in (2, 3)


def test_an_item_that_asks_the_same_goes_to_the_same_split(workspace: Workspace) -> None:
    for candidate in candidates(workspace):
        item = curated(workspace, candidate)
        again = workspace.fresh(f"what is the rule of {item.question.split()[-1]}")
        assert again.split == item.split


def test_what_was_ready_leaves_the_holdout_only_for_a_reason(workspace: Workspace) -> None:
    made = [curated(workspace, candidate) for candidate in candidates(workspace)]
    held = next(item for item in made if item.split == "holdout")
    with pytest.raises(CurateError, match="only for a reason"):
        workspace.save(replace(held, split="tuning"))
    drafted = workspace.save(replace(held, status="draft"))
    with pytest.raises(CurateError, match="only for a reason"):
        workspace.save(replace(drafted, split="tuning"))
    moved = workspace.save(replace(drafted, split="tuning"), reason="a duplicate is tuned on")
    [last, *_] = workspace.store.revisions(moved.id)
    assert (last.reason, last.by) == ("a duplicate is tuned on", "anna")
    assert workspace.save(replace(moved, split="holdout")).split == "holdout"


def test_an_unknown_split_is_an_error(workspace: Workspace) -> None:
    item = curated(workspace, candidates(workspace)[0])
    with pytest.raises(CurateError, match="no split of that name"):
        workspace.save(replace(item, split="test"))  # type: ignore[arg-type]


def test_a_sample_is_the_same_again_and_shrinks_as_it_is_decided(workspace: Workspace) -> None:
    drawn = workspace.sample(4, "2026-W48")
    assert len(drawn) == 4
    assert workspace.sample(4, "2026-W48") == drawn
    assert workspace.sample(4, "2026-W49") != drawn
    workspace.decide(drawn[1], "rejected", reason="no")
    assert workspace.sample(4, "2026-W48") == [drawn[0], *drawn[2:]]
    assert workspace.sample(4, "2026-W48", status="rejected") == [drawn[1]]
    recent = workspace.sample(99, "x", since=NOW - 2 * DAY, until=NOW)
    assert {workspace.store.candidate(one).last_asked for one in recent} == {
        NOW - DAY,
        NOW - 2 * DAY,
    }


def test_a_candidate_is_claimed_by_one_at_a_time(workspace: Workspace) -> None:
    with Workspace.open(workspace.root, Clock(), "ben") as other:
        assert workspace.claim(1).by == "anna"
        assert other.claim(1).by == "anna"
        assert other.store.candidate(1).claim
        workspace.release()
        assert other.claim(1).by == "ben"


def test_sections_are_covered_once_an_item_quotes_them(workspace: Workspace) -> None:
    store = workspace.store
    chunk = replace(question("x", "?").chunks[0], rank=1, source="docs/a.md", heading="lockers")
    asked = question("z", "Tell me of lockers?", chunks=(chunk,))
    store.save([asked], matcher=Matcher(), received=NOW)
    [mine] = store.candidate_ids(text="Tell me")
    assert "section never covered" in store.candidate(mine).reasons
    other = next(c for c in candidates(workspace) if c.question.endswith("rule of lockers?"))
    item = curated(workspace, other)
    assert workspace.rerank([item]) == 1
    assert "section never covered" not in store.candidate(mine).reasons


def test_neutral_words_stand_for_placeholders_in_question_and_history(workspace: Workspace) -> None:
    item = workspace.fresh("may <PERSON_1> use it for <PERSON_2>")
    said = (Turn("user", "<PERSON_2> asked"), Turn("assistant", "Yes, <PERSON_1>."))
    made = workspace.neutral(replace(item, history=said, original="as asked <PERSON_1>"))
    assert made.question == "may my colleague use it for my manager"
    assert [turn.content for turn in made.history] == ["my manager asked", "Yes, my colleague."]
    assert made.original == "as asked <PERSON_1>"


def test_what_was_searched_is_proof_of_absence_and_adds_up(workspace: Workspace) -> None:
    item = workspace.unanswerable(workspace.fresh("Who was the first director?"), ["director"])
    item = workspace.unanswerable(item, ["founder", "director"])
    assert item.absence
    assert item.absence.queries == ("Who was the first director?", "director", "founder")


def test_the_id_of_what_is_answered_nowhere_says_where_not_and_nothing_of_the_question(
    lending: Workspace,
) -> None:
    item = lending.unanswerable(lending.fresh("may i borrow a laptop made by Toyota?"))
    saved = lending.save(lending.settle(item), as_is=True)
    assert item.absence is not None
    heading = item.absence.nearest[0][1]
    assert saved.id == f"not-in-{slug(heading)}-1"
    assert "toyota" not in saved.id


def test_a_workspace_that_lost_its_config_gets_one_with_the_defaults_and_keeps_the_rest(
    lending: Workspace, curate: Curate
) -> None:
    (lending.root / "curate.toml").unlink()
    before = (lending.root / "curate.db").read_bytes()
    ran = curate("init", lending.root)
    assert ran.code == 0
    assert "every default" in ran.err
    assert (lending.root / "curate.toml").read_text("utf-8") == config.TEMPLATE
    assert (lending.root / "curate.db").read_bytes() == before
    assert curate("--workspace", lending.root, "status").code == 0
    assert curate("init", lending.root).code == 2

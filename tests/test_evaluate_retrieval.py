"""What counts as a right chunk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curate.evaluate import metrics, retrieval
from curate.evaluate.cases import Case, Gold
from curate.evaluate.runs import Hit, Reply
from curate.text import JS_SPACE, contains

SPACES = "\t\n\v\f\r \u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\ufeff"


def case(*golds: tuple[str, str], mode: str = "any", **chunks: float) -> Case:
    return Case(
        "x",
        "?",
        True,
        tuple(Gold(source, "", phrase) for source, phrase in golds),
        "all" if mode == "all" else "any",
        chunks,
    )


def reply(*chunks: tuple[str, str]) -> Reply:
    return Reply("x", tuple(Hit(f"c{n}", s, text) for n, (s, text) in enumerate(chunks)))


def look(wanted: Case, got: Reply | None) -> retrieval.Retrieved:
    return retrieval.look(wanted, got, "evidence", {})


def test_a_right_chunk_has_the_source_and_holds_the_evidence() -> None:
    found = look(
        case(("a.md", "Room 204")),
        reply(("b.md", "Room 204"), ("a.md", "room 204"), ("a.md", "in Room\n  204.")),
    )

    assert (found.rank, found.right, found.held) == (3, (0, 0, 1), True)


@pytest.mark.parametrize("space", SPACES)
def test_runs_of_javascript_white_space_are_one_space(space: str) -> None:
    text = f"in Room{space}{space}204"

    assert look(case(("a.md", "Room 204")), reply(("a.md", text))).rank == 1


@pytest.mark.parametrize("other", ["\x85", "\x1c", "\u200b"])
def test_what_only_python_or_nobody_calls_white_space_is_none(other: str) -> None:
    assert look(case(("a.md", "Room 204")), reply(("a.md", f"Room{other}204"))).rank is None


@given(st.text("ab" + JS_SPACE[:6], max_size=12), st.text("ab \n", min_size=1, max_size=5))
def test_the_rule_is_the_one_of_the_house(text: str, evidence: str) -> None:
    folded = " ".join(evidence.split())
    if folded:
        assert (look(case(("a.md", folded)), reply(("a.md", text))).rank == 1) == contains(
            text, evidence
        )


def test_alternatives_are_one_piece_of_gold_and_several_needed_are_several() -> None:
    golds = (("a.md", "one"), ("b.md", "two"))
    got = reply(("c.md", "x"), ("b.md", "two"))
    either, both = look(case(*golds), got), look(case(*golds, mode="all"), got)

    assert (either.rank, either.found, either.held) == (2, (2,), True)
    assert (both.rank, both.found, both.held) == (2, (None, 2), False)
    assert metrics.recall(both.found, 4) == 0.5


def test_gold_that_one_chunk_holds_together_can_be_found_at_once() -> None:
    found = look(case(("a.md", "one"), ("a.md", "two"), mode="all"), reply(("a.md", "one and two")))

    assert metrics.recall(found.found, 1) == 1
    assert metrics.ndcg(found.gains, found.ideal, 1) == 1


def test_overlapping_chunks_are_both_right_but_found_once() -> None:
    found = look(case(("a.md", "one")), reply(("a.md", "one"), ("a.md", "also one")))

    assert metrics.precision(found.right, 2) == 1
    assert metrics.ndcg(found.gains, found.ideal, 2) == 1


def test_a_chunk_retrieved_twice_counts_once_and_keeps_its_places() -> None:
    same = Hit("a#1", "a.md", "one")
    other = Hit("a#2", "a.md", "nothing")
    found = look(case(("a.md", "one")), Reply("x", (other, other, same, same)))

    assert found.right == (0, 0, 1, 0)


def test_by_ids_grades_count_and_text_does_not() -> None:
    got = Reply("x", (Hit("no", ""), Hit("b", ""), Hit("a", "")))
    found = retrieval.look(case(a=3.0, b=1.0), got, "chunks", {})

    assert (found.gains, found.ideal, found.found) == ((0, 1, 3), (3, 1), (3, 2))


def test_texts_come_from_the_chunk_set_where_the_run_has_none() -> None:
    got = Reply("x", (Hit("a#1", "a.md"), Hit("a#2", "a.md")))
    found = retrieval.look(case(("a.md", "one")), got, "evidence", {"a#2": "one"})

    assert (found.rank, found.unread) == (2, 1)


def test_no_reply_retrieved_nothing() -> None:
    found = look(case(("a.md", "one")), None)

    assert (found.rank, found.found, found.ideal, found.held) == (None, (None,), (1,), False)

"""`items set` and its kin, as they are typed."""

from __future__ import annotations

import pytest

from curate.workspace.workspace import Workspace
from tests.conftest import Curate
from tests.desk import Harmless

FEES = """# Fees

## Deposit

The deposit is 25 dollars.

## Badge

A new badge costs 5 dollars. The deposit comes back in 5 days, and dollars only.
"""


@pytest.fixture
def desk(lending: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A lending desk with a page of fees, which the command line finds."""
    monkeypatch.setattr(Workspace, "anonymiser", Harmless())
    monkeypatch.setenv("CURATE_WORKSPACE", str(lending.root))
    (lending.root / "docs" / "fees.md").write_text(FEES, encoding="utf-8")
    return lending


def test_a_phrase_is_taken_where_it_stands_as_whole_words_and_the_rest_is_told(
    desk: Workspace, curate: Curate
) -> None:
    given = ("--source", "fees.md", "--evidence", "5 dollars")
    ran = curate("items", "set", "new", "--question", "how much is another card?", *given)
    assert ran.code == 0
    assert "under Deposit within “25 dollars” as well" in ran.err
    (item,) = desk.store.items()
    assert item.evidences[0].heading == "Badge"


def test_a_phrase_that_stands_in_several_places_is_refused_with_all_of_them(
    desk: Workspace, curate: Curate
) -> None:
    given = ("--source", "fees.md", "--evidence", "dollars")
    ran = curate("items", "set", "new", "--question", "how much?", *given)
    assert ran.code == 2
    assert "more than once in fees.md: under Deposit, under Badge" in ran.err


def test_an_item_to_check_that_is_none_is_an_error(desk: Workspace, curate: Curate) -> None:
    ran = curate("check", "nobody-1")
    assert ran.code == 2
    assert "no item nobody-1" in ran.err


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "Bike In!",
            "`Bike In!` is no id\n  Small letters, digits and hyphens between them",
        ),
        ("badge-1", "there is an item badge-1 already"),
    ],
)
def test_a_new_id_is_a_slug_that_is_free(
    name: str, told: str, desk: Workspace, curate: Curate
) -> None:
    given = ("--source", "fees.md", "--evidence", "A new badge costs 5 dollars")
    curate("items", "set", "new", "--question", "how much is another?", "--id", "badge-1", *given)

    ran = curate("items", "set", "new", "--question", "and a third?", "--id", name, *given)

    assert (ran.code, told in ran.err) == (2, True)
    assert [item.id for item in desk.store.items()] == ["badge-1"]


def test_an_item_keeps_its_id(desk: Workspace, curate: Curate) -> None:
    curate("items", "set", "new", "--question", "how much is another?", "--id", "badge-1")

    refused = curate("items", "set", "badge-1", "--note", "old", "--id", "badge-2")

    assert (refused.code, "badge-1 keeps its id for ever" in refused.err) == (2, True)
    assert desk.store.item("badge-1").note == ""
    assert curate("items", "set", "badge-1", "--note", "old", "--id", "badge-1").code == 0

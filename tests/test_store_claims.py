"""Claims on candidates: one at a time, with an end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from curate.model.errors import CurateError
from curate.model.records import Claim
from curate.store.store import Store
from curate.triage import Matcher
from tests.events import NOW, Clock, question

UNTIL = NOW + timedelta(minutes=15)


@pytest.fixture
def store(database: Path, clock: Clock) -> Iterator[Store]:
    with Store.open(database, now=clock) as opened:
        opened.save([question("a", "How long?")], matcher=Matcher(), received=NOW)
        yield opened


def test_the_first_claim_stands_and_is_shown_until_it_ends(store: Store, clock: Clock) -> None:
    assert store.claim(1, by="anna", now=NOW, until=UNTIL) == Claim("anna", UNTIL)
    later = NOW + timedelta(minutes=5)
    assert store.claim(1, by="ben", now=later, until=later) == Claim("anna", UNTIL)
    assert store.candidate(1).claim == Claim("anna", UNTIL)
    assert list(store.candidate_ids(free_for="ben")) == []
    assert list(store.candidate_ids(free_for="anna")) == [1]
    clock.now = UNTIL
    assert store.candidate(1).claim is None
    assert list(store.candidate_ids(free_for="ben")) == [1]
    more = UNTIL + timedelta(minutes=15)
    assert store.claim(1, by="ben", now=UNTIL, until=more) == Claim("ben", more)


def test_claiming_again_makes_it_last_longer(store: Store) -> None:
    store.claim(1, by="anna", now=NOW, until=UNTIL)
    more = UNTIL + timedelta(minutes=5)
    assert store.claim(1, by="anna", now=NOW, until=more) == Claim("anna", more)


def test_a_claim_is_given_up_by_its_holder_or_with_a_decision(store: Store) -> None:
    store.claim(1, by="anna", now=NOW, until=UNTIL)
    store.release(1, by="ben", now=NOW)
    assert store.candidate(1).claim
    store.release(by="anna", now=NOW)
    assert store.candidate(1).claim is None
    store.claim(1, by="anna", now=NOW, until=UNTIL)
    store.decide(1, "rejected", by="anna", now=NOW, reason="no")
    assert store.candidate(1).claim is None


def test_a_claim_bars_nobody_from_deciding(store: Store) -> None:
    store.claim(1, by="anna", now=NOW, until=UNTIL)
    store.decide(1, "rejected", by="ben", now=NOW, reason="no")
    assert store.candidate(1).status == "rejected"


def test_what_is_gone_cannot_be_claimed(store: Store) -> None:
    with pytest.raises(CurateError, match="candidate 9"):
        store.claim(9, by="anna", now=NOW, until=UNTIL)

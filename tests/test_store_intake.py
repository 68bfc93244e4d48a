from __future__ import annotations

import itertools
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from curate.model.items import Item
from curate.model.records import (
    CandidateFacts,
    Clean,
    CleanFeedback,
    CleanQuestion,
    Ranking,
    Record,
    RetrievedChunk,
)
from curate.store.intake import Saved
from curate.store.store import Store
from curate.triage import Matcher
from tests.events import DAY, NOW, Clock, evidence, follow_up, question, tag, vote

Event = CleanQuestion | CleanFeedback


def save(store: Store, *batch: Event) -> Saved:
    return store.save(batch, matcher=Matcher(), received=NOW)


def only(store: Store) -> Record:
    (candidate,) = store.candidates(store.candidate_ids(status=""))
    (record,) = store.records(candidate.id)
    return record


def test_a_question_comes_back_as_it_was_saved(store: Store) -> None:
    asked = question("a", "How long may <PERSON_1> keep a book?", standalone=Clean("Loans?"))
    assert save(store, asked) == Saved(questions_new=1)
    record = only(store)
    assert record.question == asked.question
    assert record.standalone == asked.standalone
    assert record.answer == asked.answer
    assert record.chunks == tuple(reversed(asked.chunks))
    assert record.refused is False
    assert record.latency_ms == 12.5
    assert record.asked_at == asked.asked_at
    assert record.expires_at == NOW - DAY + 90 * DAY
    assert store.record(record.id) == record
    assert store.named([tag("alias", "a")]) == record
    assert store.named([tag("alias", "b")]) is None


def test_saving_again_changes_nothing_under_any_live_key(store: Store) -> None:
    batch: tuple[Event, ...] = (question("a", "How long?"), vote("v", "a"))
    save(store, *batch)
    before = store.counts(), only(store)
    assert save(store, *batch) == Saved(duplicates=2)
    renewed = question("a", "How long?", keys=(tag("new epoch", "a"), tag("event", "a")))
    again = replace(renewed, content=batch[0].content)
    assert save(store, again) == Saved(duplicates=1)
    assert (store.counts(), only(store)) == before


def test_seen_tells_the_content_stored_under_any_key(store: Store) -> None:
    asked, voted = question("a", "How long?"), vote("v", "a")
    save(store, asked, voted)
    keys = [(tag("x", "x"), asked.keys[0]), (tag("x", "x"),), voted.keys, ()]
    assert store.seen(keys) == [asked.content, None, voted.content, None]


def test_a_changed_event_updates_its_record_and_never_lives_longer(store: Store) -> None:
    save(store, question("a", "How long?", asked_at=NOW - 10 * DAY))
    before = only(store)
    changed = question("a", "How long?", answer=Clean("Two weeks."), asked_at=NOW)
    assert save(store, changed) == Saved(questions_updated=1)
    after = only(store)
    assert (after.id, after.answer) == (before.id, Clean("Two weeks."))
    assert after.expires_at == before.expires_at


def test_one_batch_may_hold_an_event_twice(store: Store) -> None:
    saved = save(store, question("a", "How long?"), question("a", "How very long?"))
    assert saved == Saved(questions_new=1, questions_updated=1)
    assert only(store).question.text == "How very long?"


def test_a_time_in_the_future_or_no_time_counts_from_arrival(store: Store) -> None:
    save(store, question("a", "Fees?", asked_at=NOW + 400 * DAY))
    save(store, question("b", "Opening hours?", asked_at=None))
    for identifier in store.candidate_ids():
        assert store.records(identifier)[0].expires_at == NOW + 90 * DAY


def test_what_is_too_old_is_not_stored(store: Store) -> None:
    old = NOW - 90 * DAY
    saved = save(store, question("a", "Fees?", asked_at=old), vote("v", "a", at=old))
    assert saved == Saved(expired=2)
    assert store.counts().records == 0


def test_votes_meet_their_questions_in_any_order(database: Path, tmp_path: Path) -> None:
    events: list[Event] = [question("a", "How long?"), vote("v", "a"), question("b", "how long")]
    ends = []
    for number, order in enumerate(itertools.permutations(events)):
        path = tmp_path / f"{number}.db"
        path.write_bytes(database.read_bytes())
        with Store.open(path, now=Clock()) as store:
            for event in order:
                save(store, event)
            found = store.candidates(store.candidate_ids())
            ends.append([(c.size, c.priority, c.reasons) for c in found])
            assert store.counts().waiting_votes == 0
    assert all(end == ends[0] for end in ends)
    assert "down" in " ".join(ends[0][0][2])


def test_a_waiting_vote_is_counted_and_joins_later(store: Store) -> None:
    assert save(store, vote("v", "a")) == Saved(feedback_new=1, feedback_waiting=1)
    assert store.counts().waiting_votes == 1
    assert save(store, question("a", "How long?")) == Saved(questions_new=1, feedback_joined=1)
    assert store.counts().waiting_votes == 0
    (feedback,) = only(store).feedback
    assert (feedback.rating, feedback.reason) == (-1, "wrong")
    assert feedback.comment == "not what <PERSON_1> asked"


def test_a_vote_finds_its_question_by_a_tag_of_an_older_epoch(store: Store) -> None:
    save(store, question("a", "How long?", aliases=(tag("older alias", "a"),)))
    assert save(store, vote("v", "a")).feedback_joined == 1


def test_targets_are_tried_in_order(store: Store) -> None:
    save(store, question("a", "How long?"), question("b", "Fees?"))
    targets = ((tag("alias", "nobody"),), (tag("alias", "b"),), (tag("alias", "a"),))
    save(store, vote("v", "", targets=targets))
    voted = store.named([tag("alias", "b")])
    assert voted is not None
    assert len(voted.feedback) == 1


def test_a_vote_on_a_conversation_is_for_the_last_question_before_it(store: Store) -> None:
    session = tag("alias", "session")
    for name, text, days in (("a", "Fees?", 3), ("b", "Hours?", 2), ("c", "Loans?", 1)):
        save(store, question(name, text, aliases=(session,), asked_at=NOW - days * DAY))
    save(store, vote("v", "session", at=NOW - 1.5 * DAY))
    votes = {
        c.question: store.records(c.id)[0].feedback for c in store.candidates(store.candidate_ids())
    }
    assert {text for text, found in votes.items() if found} == {"Hours?"}


def test_the_last_vote_of_a_user_wins_by_time_not_by_arrival(store: Store) -> None:
    save(store, question("a", "How long?"))
    save(store, vote("late", "a", 1, at=NOW), vote("early", "a", -1, at=NOW - DAY))
    save(store, vote("other", "a", -1, user=tag("user", "ben")))
    ratings = sorted(feedback.rating or 0 for feedback in only(store).feedback)
    assert ratings == [-1, 1]


def test_a_vote_that_was_taken_back_counts_no_more(store: Store) -> None:
    save(store, question("a", "How long?"), vote("v", "a", -1, at=NOW - DAY))
    before = store.candidates(store.candidate_ids())[0]
    save(store, vote("w", "a", None, at=NOW))
    after = store.candidates(store.candidate_ids())[0]
    assert only(store).feedback == ()
    assert after.priority < before.priority
    assert after.reasons != before.reasons


def test_a_vote_that_changed_is_updated(store: Store) -> None:
    save(store, question("a", "How long?"), vote("v", "a", -1))
    assert save(store, vote("v", "a", 1)) == Saved(feedback_updated=1)
    assert [feedback.rating for feedback in only(store).feedback] == [1]


@pytest.mark.parametrize("together", [True, False])
def test_of_votes_under_one_key_the_latest_counts_whatever_their_order(
    store: Store, together: bool
) -> None:
    later, earlier = vote("v", "a", 1, at=NOW), vote("v", "a", -1, at=NOW - DAY)
    save(store, question("a", "How long may I keep a book?"))

    for batch in ((later, earlier),) if together else ((later,), (earlier,)):
        save(store, *batch)

    assert [one.rating for one in only(store).feedback] == [1]


def test_a_vote_that_was_deleted_takes_its_words_along_also_without_a_rating(
    store: Store, database: Path
) -> None:
    save(store, question("a", "How long?"), vote("v", "a", None), vote("w", "a", -1))

    def withdrawn(*read: str) -> int:
        keys = [tag("event", name) for name in read]
        return store.withdraw("log", NOW - DAY, NOW, keys, matcher=Matcher(), now=NOW)

    assert withdrawn("v", "w") == 0
    assert withdrawn("w") == 1
    assert withdrawn("w") == 0
    with closing(sqlite3.connect(database)) as connection:
        told = connection.execute("SELECT rating, comment IS NULL FROM vote ORDER BY id").fetchall()
    assert told == [(None, 1), (-1, 0)]


@pytest.mark.parametrize("by", ["annotator", "judge"])
def test_only_users_votes_are_thumbs(store: Store, by: str) -> None:
    save(store, question("a", "How long?"))
    before = store.candidates(store.candidate_ids())
    save(store, vote("v", "a", -1, by=by))
    assert store.candidates(store.candidate_ids()) == before
    assert [feedback.by for feedback in only(store).feedback] == [by]


def test_near_duplicates_join_one_candidate(store: Store) -> None:
    save(store, question("a", "How long can I keep a book?"))
    save(
        store,
        question("b", "please, how long can I keep a book"),
        question("c", "a book, how long can I keep?"),
        question("d", "What are the opening hours?"),
        question("e", "what are the opening hours"),
    )
    sizes = {c.question: c.size for c in store.candidates(store.candidate_ids())}
    assert sizes == {"How long can I keep a book?": 3, "What are the opening hours?": 2}


def test_a_candidate_is_ranked_anew_when_a_record_or_vote_joins(store: Store) -> None:
    save(store, question("a", "How long?"), question("b", "Fees for late books?"))
    first = store.candidates(store.candidate_ids())
    save(store, vote("v", "b", -1))
    second = store.candidates(store.candidate_ids())
    assert second[0].question == "Fees for late books?"
    assert second[0].priority > first[1].priority
    assert second[1] == first[0]


def test_follow_ups_are_the_same_only_after_the_same(store: Store) -> None:
    save(
        store,
        question("a", "And how much is it?"),
        follow_up("b", "And how much is it?", "Can I rent a bicycle?"),
        follow_up("c", "and how much is it", "can I rent a bicycle"),
        follow_up("d", "And how much is it?", "Is there a library card?"),
    )
    assert sorted(c.size for c in store.candidates(store.candidate_ids())) == [1, 1, 2]


def test_a_section_with_an_item_is_covered(store: Store) -> None:
    save(store, question("a", "How long?"))
    uncovered = store.candidates(store.candidate_ids())[0]
    store.save_item(
        Item("loans-1", 0, "?", evidences=(evidence("loans.md", "How long"),)),
        by="anna",
        now=NOW,
        expected=0,
        action="make",
    )
    assert store.rerank(matcher=Matcher()) == 1
    covered = store.candidates(store.candidate_ids())[0]
    assert any("cover" in reason for reason in uncovered.reasons)
    assert not any("cover" in reason for reason in covered.reasons)


def test_a_reworded_question_leaves_a_candidate_it_no_longer_fits(store: Store) -> None:
    save(store, question("a", "How long can I keep a book?"))
    save(store, question("b", "how long can I keep a book"))
    save(store, question("b", "What are the opening hours?"))
    found = {c.question: c.size for c in store.candidates(store.candidate_ids())}
    assert found == {"How long can I keep a book?": 1, "What are the opening hours?": 1}
    save(store, question("a", "Where is the parking lot?"))
    save(store, question("c", "where is the parking lot"))
    assert {c.question: c.size for c in store.candidates(store.candidate_ids())} == {
        "Where is the parking lot?": 2,
        "What are the opening hours?": 1,
    }


def test_a_decided_candidate_stays_decided_when_more_records_join(store: Store) -> None:
    save(store, question("a", "How long?"))
    (identifier,) = store.candidate_ids()
    store.decide(identifier, "rejected", by="anna", now=NOW, reason="spam")
    save(store, question("b", "how long"))
    candidate = store.candidate(identifier)
    assert (candidate.status, candidate.size) == ("rejected", 2)
    assert list(store.candidate_ids()) == []


def test_a_suppressed_user_is_not_stored_until_the_suppression_ends(store: Store) -> None:
    store.suppress([tag("user", "anna")], NOW + DAY)
    saved = save(store, question("a", "How long?"), vote("v", "a"))
    assert saved == Saved(suppressed=2)
    assert save(store, question("b", "Fees?", user=tag("user", "ben"))).questions_new == 1


def test_a_batch_is_stored_whole_or_not_at_all(store: Store) -> None:
    class Broken(Matcher):
        def rank(self, facts: CandidateFacts) -> Ranking:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.save([question("a", "How long?")], matcher=Broken(), received=NOW)
    assert store.counts().records == 0
    assert store.counts().candidates == {}


def test_scores_that_are_no_numbers_are_left_out(store: Store) -> None:
    save(store, question("a", "How long?", chunks=(RetrievedChunk(1, score=float("nan")),)))
    assert only(store).chunks == (RetrievedChunk(1),)


def test_the_poorer_of_two_exports_never_wins(store: Store) -> None:
    long = "We open at nine. " * 20
    full = question("a", "is it open?", answer=Clean(long), tokens_in=7)
    poor = question(
        "a", "is it open?", answer=Clean(long[:250] + "..."), chunks=(), latency_ms=None
    )

    first = save(store, full)
    second = save(store, poor)
    third = save(store, full)

    record = only(store)
    assert record.answer == Clean(long)
    assert [chunk.source for chunk in record.chunks] == ["docs/loans.md", "fees.md"]
    assert (record.latency_ms, record.tokens_in) == (12.5, 7)
    counts = [(s.questions_new, s.questions_updated, s.duplicates) for s in (first, second, third)]
    assert counts == [(1, 0, 0), (0, 0, 1), (0, 0, 1)]


def test_two_exports_that_each_know_something_come_to_the_sum_in_either_order(
    store: Store,
) -> None:
    traces = question("a", "is it open?", chunks=(), standalone=Clean("Is the shop open?"))
    spans = question("a", "is it open?", answer=None)

    save(store, traces)
    assert save(store, spans).questions_updated == 1

    record = only(store)
    assert record.answer == Clean("Within two weeks.")
    assert record.standalone == Clean("Is the shop open?")
    assert len(record.chunks) == 2


def test_an_answer_that_was_changed_replaces_the_old_one(store: Store) -> None:
    save(store, question("a", "is it open?", answer=Clean("No.")))
    save(store, question("a", "is it open?", answer=Clean("N"), content=tag("content", "new")))

    assert only(store).answer == Clean("N")


def test_another_policy_takes_over_nothing_of_the_old(store: Store) -> None:
    save(store, question("a", "is it open?", answer=Clean("ask Dara")))
    save(store, question("a", "is it open?", answer=None, policy="sha256:01"))

    assert only(store).answer is None

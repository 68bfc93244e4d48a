"""Near-duplicates, priorities, splits and kinds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curate.model.documents import Evidence
from curate.model.items import Item
from curate.model.records import CandidateFacts, Turn
from curate.triage import Matcher, kind, sample, split, stratified

QUESTION = "how do i renew my library membership online"
SAME = [
    ("typing errors", QUESTION, "how do i renew my libary membrship online"),
    ("word order", QUESTION, "renew library membership online how do i"),
    ("case and punctuation", QUESTION, "HOW do I renew my library membership, online???"),
    ("courtesies", QUESTION, "hi there, how do i renew my library membership online please"),
    ("inflection", QUESTION, "how do i renew my library memberships online"),
    ("a lost space", QUESTION, "how do i renewmy library membership online"),
    ("placeholders", "can <PERSON_1> get a refund", "Can <PERSON_7> get a refund?"),
    ("contractions", "i can't open the locker", "i cannot open the locker"),
    ("a number in words", "keep a laptop for seven days", "keep a laptop for 7 days"),
    ("another script's digits", "បើកម៉ោង ៩ ទេ", "បើកម៉ោង 9 ទេ"),
    ("thousands", "is the fee 1,000 riel", "is the fee 1000 riel"),
    ("Khmer spacing and courtesy", "តើបើកម៉ោងប៉ុន្មាននៅថ្ងៃសៅរ៍", "បើក ម៉ោង\u200bប៉ុន្មាន នៅថ្ងៃសៅរ៍?"),
    ("Thai particles", "ยืมแล็ปท็อปได้กี่วันครับ", "ยืมแล็ปท็อปได้กี่วันคะ"),
    ("Chinese punctuation", "请问怎么申请会员退款", "怎么申请会员退款\uff1f"),
    ("Khmer and English", "តើ wifi password អ្វី", "wifi password អ្វី?"),
]
OTHER = [
    ("another identifier", "how do i cancel order ORD-1", "how do i cancel order ORD-2"),
    ("another number", "can i return it within 7 days", "can i return it within 30 days"),
    ("an identifier or none", "how do i cancel order ORD-1", "how do i cancel order"),
    ("negation", "why can i log in at home", "why can't i log in at home"),
    ("without", "print a badge with the app", "print a badge without the app"),
    ("Khmer negation", "ខ្ញុំអាចចូលគណនីបាន", "ខ្ញុំមិនអាចចូលគណនីបាន"),
    ("Chinese negation", "我可以登录图书馆账户", "我不可以登录图书馆账户"),
    ("question word", "when is the deposit refunded", "where is the deposit refunded"),
    ("a question word or none", "please activate my card", "when will my card be activated"),
    ("verb", "how do i enable notifications", "how do i disable notifications"),
    ("verb that looks alike", "how do i import my contacts", "how do i export my contacts"),
    ("prefix", "how do i activate my account", "how do i deactivate my account"),
    ("thing", "how do i reset my password", "how do i reset my router"),
    ("a Khmer thing", "តើខ្ញុំអាចខ្ចីកុំព្យូទ័របានទេ", "តើខ្ញុំអាចខ្ចីសៀវភៅបានទេ"),
    ("a Chinese thing", "怎么申请会员退款", "怎么申请会员发票"),
]


@pytest.mark.parametrize(("a", "b"), [pair[1:] for pair in SAME], ids=[p[0] for p in SAME])
def test_the_same_question_typed_differently_is_a_near_duplicate_and_shares_a_band(
    a: str, b: str
) -> None:
    matcher = Matcher()
    assert matcher.same(a, b)
    assert matcher.same(b, a)
    assert set(matcher.bands(a)) & set(matcher.bands(b))


@pytest.mark.parametrize(("a", "b"), [pair[1:] for pair in OTHER], ids=[p[0] for p in OTHER])
def test_a_question_that_means_something_else_is_no_near_duplicate(a: str, b: str) -> None:
    assert not Matcher().same(a, b)
    assert not Matcher().same(b, a)


@given(st.text())
def test_any_text_has_bands_that_fit_a_database_integer_and_is_its_own_duplicate(text: str) -> None:
    bands = Matcher().bands(text)
    assert bands
    assert all(0 <= band < 2**63 for band in bands)
    assert bands == Matcher().bands(text)


@given(st.text(), st.text())
def test_being_a_near_duplicate_is_symmetric(a: str, b: str) -> None:
    assert Matcher().same(a, b) == Matcher().same(b, a)


def test_bands_stay_the_same_from_one_release_to_the_next() -> None:
    # They are stored: another value here means a migration that reckons them again.
    bands = Matcher().bands("how do i renew my card")
    assert (len(bands), bands[0], bands[-1]) == (40, 3040087600909667390, 3715166373311964773)


def test_texts_without_a_word_are_duplicates_only_of_themselves() -> None:
    matcher = Matcher()
    assert set(matcher.bands("???")).isdisjoint(matcher.bands("!!!"))
    assert matcher.same("???", "???")
    assert not matcher.same("???", "!!!")
    assert not matcher.same("???", "refund")


def test_pairs_finds_every_near_duplicate_once_by_index() -> None:
    texts = ["how do i reset my password", "where is room 204", "How do I reset my passwrd?"]
    assert Matcher().pairs([*texts, "wehre is room 204"]) == [(0, 2), (1, 3)]


def test_a_priority_names_its_reasons_the_strongest_first() -> None:
    facts = CandidateFacts(
        size=14,
        down=3,
        up=0,
        refused=1,
        best_score=0.31,
        section_covered=False,
        has_history=True,
    )
    assert Matcher().rank(facts).reasons == (
        "3 thumbs-down",
        "asked 14 times",
        "refused",
        "section never covered",
        "low score 0.31",
        "needs its history",
    )


def _facts(**known: int | float | bool | None) -> CandidateFacts:
    plain: dict[str, int | float | bool | None] = {
        "size": 1,
        "down": 0,
        "up": 0,
        "refused": 0,
        "best_score": None,
        "section_covered": None,
        "has_history": False,
    }
    return CandidateFacts(**{**plain, **known})  # type: ignore[arg-type]


def test_a_question_nothing_is_known_against_has_no_priority_and_no_reason() -> None:
    ranking = Matcher().rank(_facts(best_score=0.8, section_covered=True))
    assert (ranking.priority, ranking.reasons) == (0.0, ())


def test_each_complaint_raises_the_priority_and_a_thumb_up_lowers_it() -> None:
    def priority(**known: int | float | bool | None) -> float:
        return Matcher().rank(_facts(**known)).priority

    assert 0 < priority(down=1) < priority(down=2) < priority(down=2, refused=1)
    assert priority(size=2) < priority(size=30) < priority(size=30, best_score=0.1)
    assert priority(down=1, up=3) < priority(down=1)
    assert priority(up=9) == 0


def test_a_score_on_a_scale_of_its_own_is_not_called_low() -> None:
    assert Matcher().rank(_facts(best_score=12.7)).reasons == ()
    assert Matcher().rank(_facts(best_score=-3.0)).reasons == ()


def test_a_split_depends_on_the_cluster_alone_and_meets_its_share() -> None:
    names = [f"cluster-{number}" for number in range(4000)]
    drawn = [split(name, 0.2) for name in names]
    assert drawn == [split(name, 0.2) for name in names]
    assert 0.18 < drawn.count("holdout") / len(drawn) < 0.22
    assert {split(name, 0.0) for name in names} == {"tuning"}
    assert {split(name, 1.0) for name in names} == {"holdout"}


def test_a_larger_share_only_adds_to_the_holdout() -> None:
    names = [f"cluster-{number}" for number in range(500)]
    small = {name for name in names if split(name, 0.1) == "holdout"}
    assert small < {name for name in names if split(name, 0.3) == "holdout"}


def _grown(total: int, share: float) -> list[Item]:
    items: list[Item] = []
    for number in range(total):
        source = f"{'abc'[number % 3]}.md"
        item = Item(
            f"item-{number}",
            1,
            "q",
            answerable=number % 4 != 0,
            evidences=(Evidence(source, "", "e", 0, 1, "", "verbatim"),) if number % 4 else (),
            kind=("paraphrase", "identifier")[number % 2],
            cluster=f"c{number}",
        )
        items.append(replace(item, split=stratified(item, items, share)))
    return items


def test_a_stratified_split_keeps_its_share_in_every_part_of_the_set() -> None:
    items = _grown(60, 0.25)
    parts = [
        items,
        [item for item in items if not item.answerable],
        [item for item in items if item.kind == "identifier"],
        *([i for i in items if i.evidences and i.evidences[0].source == f"{s}.md"] for s in "abc"),
    ]
    for part in parts:
        assert 0.15 < sum(item.split == "holdout" for item in part) / len(part) < 0.35


def test_a_stratified_split_is_the_same_again_and_follows_its_cluster() -> None:
    items = _grown(20, 0.25)
    assert items == _grown(20, 0.25)
    for one in items:
        twin = replace(one, id="twin", kind="", evidences=())
        assert stratified(twin, items, 0.25) == one.split
        assert stratified(one, items, 0.25) == stratified(one, list(reversed(items)), 0.25)


def test_a_share_of_nothing_or_everything_is_just_that() -> None:
    items = _grown(10, 0.5)
    assert {stratified(Item("new", 1, "q"), items, 0.0)} == {"tuning"}
    assert {stratified(Item("new", 1, "q"), items, 1.0)} == {"holdout"}


def test_a_sample_is_the_same_again_and_hardly_moves_when_records_come_in() -> None:
    drawn = sample(range(1000), 20, "2026-W48")
    assert len(set(drawn)) == 20
    assert drawn == sample(reversed(range(1000)), 20, "2026-W48")
    later = set(sample(range(1010), 20, "2026-W48"))
    assert later - set(range(1000, 1010)) <= set(drawn)
    assert drawn != sample(range(1000), 20, "2026-W49")
    assert sorted(sample([3, 1], 20, "x")) == [1, 3]


HISTORY = (Turn("user", "how do i get a locker"), Turn("assistant", "Ask at the desk."))


@pytest.mark.parametrize(
    ("question", "history", "expected"),
    [
        ("and how do i give it back?", HISTORY, "follow-up"),
        ("and how do i give it back?", (), ""),
        ("where is my parcel ORD-18422 now", (), "identifier"),
        ("what does UV_HTTP_TIMEOUT change by default", (), "identifier"),
        ("does --frozen also skip the check", (), "identifier"),
        ("why do i see ModuleNotFoundError here", (), "identifier"),
        ("opening hours", (), "short"),
        ("ម៉ោងបើក", (), "short"),
        ("how many days can i keep a laptop at home", (), ""),
        ("can <PERSON_1> borrow it for seven days", (), ""),
        ("please " * 41, (), "long"),
    ],
)
def test_the_kind_is_proposed_from_the_question_and_its_history(
    question: str, history: tuple[Turn, ...], expected: str
) -> None:
    assert kind(question, history) == expected

from curate.ingest.originals import pack, texts, unpack
from curate.model.events import FeedbackEvent, QuestionEvent, RawChunk, RawText, RawTurn

QUESTION = QuestionEvent(
    "log",
    3,
    RawText("តើ Dara នៅទីណា? 👩‍🔧"),
    source_id=RawText("id"),
    user=RawText("dara"),
    standalone=RawText("where is Dara"),
    history=(RawTurn("user", RawText("hello")), RawTurn("assistant", RawText("yes"))),
    answer=RawText("here"),
    chunks=(RawChunk(1, RawText("c1"), RawText("a.md"), None, 0.5), RawChunk(2)),
    title=RawText("title"),
)


def test_a_question_comes_back_with_its_texts_and_nothing_else() -> None:
    packed = pack(QUESTION)
    again = unpack(packed)

    assert isinstance(again, QuestionEvent)
    assert list(texts(again)) == list(texts(QUESTION))
    assert (again.chunks, again.history) == (QUESTION.chunks, QUESTION.history)
    assert (again.user, again.source_id, again.at) == (None, None, None)
    assert "Dara" not in repr(packed)


def test_a_vote_comes_back_with_its_words() -> None:
    vote = FeedbackEvent("log", 1, (RawText("id"),), -1, comment=RawText("no"))

    again = unpack(pack(vote))

    assert isinstance(again, FeedbackEvent)
    assert (again.comment, again.reason) == (RawText("no"), None)


def test_lone_surrogates_survive() -> None:
    event = QuestionEvent("log", 1, RawText("a\ud800b"))

    assert unpack(pack(event)).question == event.question  # type: ignore[union-attr]

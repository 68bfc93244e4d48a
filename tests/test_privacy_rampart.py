import pytest

from curate.privacy.rampart import Rampart


@pytest.fixture(scope="module")
def model() -> Rampart:
    return Rampart()


def test_names_score_high_and_other_words_low(model: Rampart) -> None:
    text = "my name is Mary Smith and I want water"

    [scores] = model.names([text])

    surest = {text[piece.start : piece.end]: piece.given + piece.family for piece in scores}
    assert surest["Mary"] > 0.9
    assert surest["Smith"] > 0.9
    assert surest["water"] < 0.01


def test_a_text_scores_the_same_alone_and_in_a_batch(model: Rampart) -> None:
    texts = [
        "Mary left",
        "",
        "a much longer text about nothing in particular, by Priya",
        "Mary left",
    ]

    together = model.names(texts)
    alone = [model.names([text])[0] for text in texts]

    for one, other in zip(together, alone, strict=True):
        assert [piece[:2] for piece in one] == [piece[:2] for piece in other]
        assert [p for piece in one for p in piece[2:]] == pytest.approx(
            [p for piece in other for p in piece[2:]], abs=1e-3
        )


def test_a_name_far_into_a_long_text_is_seen(model: Rampart) -> None:
    text = "the weather stays fine today " * 60 + "and my name is Priya Iyer"

    [scores] = model.names([text])

    assert max(piece.given for piece in scores[-6:]) > 0.8

"""The demo's assistant: real documents, cut two ways, searched, answered from or refused."""

import itertools

import pytest

from curate.demo import assistant


def test_chunks_by_heading_begin_at_headings_and_lose_no_text() -> None:
    held = assistant.chunks()

    assert len({chunk.id for chunk in held}) == len(held) == 98
    assert all(chunk.heading for chunk in held)
    faq = "\n\n".join(chunk.text for chunk in held if chunk.source == "faq.md")
    original = (assistant._DOCS / "faq.md").read_text(encoding="utf-8")
    assert "".join(faq.split()) == "".join(original.split())


def test_chunks_by_size_overlap_and_reach_the_end() -> None:
    text = "".join(chr(97 + n % 26) for n in range(1000))
    held = assistant.by_size("a.md", text, 300, 50)

    assert [len(chunk.text) for chunk in held] == [300, 300, 300, 250]
    assert all(a.text[-50:] == b.text[:50] for a, b in itertools.pairwise(held))
    assert held[-1].text.endswith(text[-1])
    assert len(assistant.by_size("a.md", "short", 300, 50)) == 1


@pytest.mark.parametrize("wrong", [{"chunking": "words"}, {"size": 50, "overlap": 50}])
def test_chunkings_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="chunking is heading or size"):
        assistant.chunks(**wrong)  # type: ignore[arg-type]


def test_an_answer_cites_its_best_chunk() -> None:
    reply = assistant.ask("display shows E-12 and nothing moves")

    assert reply["retrieved"][0]["source"] == "hire/mule-200e.md"
    assert "battery" in reply["answer"]
    assert reply["answer"].endswith("[1]")
    assert reply["sources"][0] == {"source": "hire/mule-200e.md"}
    scores = [hit["score"] for hit in reply["retrieved"]]
    assert scores == sorted(scores, reverse=True)
    assert reply["index"] == {"chunks": 98}


def test_below_the_minimum_score_and_without_any_match_it_refuses() -> None:
    refused = assistant.ask("display shows E-12 and nothing moves", min_score=99)
    nothing = assistant.ask("qqqq zzzz")

    assert refused["refused"]
    assert refused["answer"] == assistant.REFUSAL
    assert refused["retrieved"]
    assert (nothing["refused"], nothing["retrieved"]) == (True, [])


def test_a_follow_up_is_searched_with_the_question_before_it() -> None:
    history = [
        {"role": "user", "content": "can I hire the electric mule"},
        {"role": "assistant", "content": "Yes."},
    ]
    rewritten = assistant.ask("and the deposit?", history)
    plain = assistant.ask("and the deposit?", history, rewrite=False)

    assert rewritten["rewritten"] == "can I hire the electric mule and the deposit?"
    assert plain["rewritten"] == "and the deposit?"


def test_khmer_is_found_without_spaces() -> None:
    reply = assistant.ask("ថ្ងៃសុក្របើកដល់ម៉ោងប៉ុន្មាន?")

    assert reply["retrieved"][0]["source"] == "faq.md"
    assert not reply["refused"]

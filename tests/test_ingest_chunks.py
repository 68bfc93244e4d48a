"""Retrieved chunks in the shapes that frameworks log."""

import json

import pytest

from curate.ingest.chunks import MAX_CHUNKS, USUAL, chunks_of
from curate.model.events import RawChunk, RawText


def ids(value: object) -> list[tuple[int, str | None, str | None, str | None, float | None]]:
    def shown(text: RawText | None) -> str | None:
        return text.reveal() if text else None

    return [
        (c.rank, shown(c.id), shown(c.source), shown(c.heading), c.score) for c in chunks_of(value)
    ]


FULL = [(1, "a#1", "a.md", "Keys", 0.5)]
META = {"source": "a.md", "heading": "Keys"}
PHOENIX = {"document.id": "a#1", "document.score": 0.5, "document.metadata": META}
NODE = {"id_": "a#1", "metadata": {"file_name": "a.md", "heading": "Keys"}}


@pytest.mark.parametrize(
    "value",
    [
        [{"id": "a#1", "score": 0.5, "content": "x", **META}],
        [{"page_content": "x", "metadata": {"id": "a#1", "score": 0.5, **META}}],
        [{"node": NODE, "score": 0.5}],
        [PHOENIX],
        [[{"id": "a#1", "metadata": {"source": "a.md", "section": "Keys"}}, 0.5]],
        {
            "documents": [
                {"segment_id": "a#1", "document_name": "a.md", "title": "Keys", "score": 0.5}
            ]
        },
        repr([PHOENIX]),
    ],
)
def test_a_chunk_is_read_in_every_shape(value: object) -> None:
    assert ids(value) == FULL
    assert ids(value if isinstance(value, str) else json.dumps(value)) == FULL


def test_chunks_may_be_bare_ids() -> None:
    expected = [(1, "a#1", None, None, None), (2, "b#2", None, None, None)]

    assert ids(["a#1", "b#2"]) == expected
    assert ids("a#1; b#2") == expected


def test_the_text_of_a_chunk_is_not_kept() -> None:
    assert ids(["A passage of some length.\n" * 20]) == [(1, None, None, None, None)]


@pytest.mark.parametrize("value", [None, 5, {}, "[" * 100_000, "[1 +", [None]])
def test_what_holds_no_chunks_gives_none(value: object) -> None:
    assert chunks_of(value) == ()


def test_chunks_are_limited() -> None:
    assert len(chunks_of(["a"] * 1000)) == MAX_CHUNKS


TOLD = {"id": "ref|passage.ref", "heading": "part"}


@pytest.mark.parametrize(
    "chunk",
    [
        {"ref": "a#1", "source": "a.md", "part": "Keys", "score": 0.5},
        {"ref": "a#1", "id": "no", "source": "a.md", "part": "Keys", "heading": "", "score": 0.5},
        {"passage": {"ref": "a#1"}, "source": "a.md", "part": "Keys", "score": 0.5},
        {"passage": '{"ref": "a#1"}', "part": "Keys", "metadata": {"source": "a.md"}, "score": 0.5},
    ],
)
@pytest.mark.parametrize("plain", [False, True])
def test_names_that_are_told_go_before_the_usual(chunk: dict[str, object], plain: bool) -> None:
    [found] = chunks_of([chunk], plain, USUAL.told(TOLD))

    assert ids([chunk]) != FULL
    assert found == RawChunk(1, RawText("a#1"), RawText("a.md"), RawText("Keys"), 0.5)

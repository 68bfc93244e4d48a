"""The documents as one thing: synced, searched, quoted from."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from curate.config import CorpusSettings
from curate.corpus.corpus import Corpus
from curate.model.errors import CurateError
from curate.model.records import Turn

HOURS = (
    "# Hours\r\n\r\nThe shop opens at 9:00. It closes at 17:00 sharp.\r\n\r\n"
    "## Holidays\r\n\r\nWe are closed on 9 November.\r\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "hours.md").write_bytes(HOURS.encode())
    (docs / "note.txt").write_text("PARKING\n\nBikes only.\n")
    return docs


def test_no_document_is_passed_over_in_silence(root: Path) -> None:
    for name in ("guide.adoc", "a.png", "b.png", "c.yml"):
        (root / name).write_text("x")
    report = Corpus(root, CorpusSettings(), root.parent / "corpus.db").sync()
    assert [source for source, _ in report.unreadable] == ["guide.adoc"]
    assert report.left == ((".png", 2), (".yml", 1))


@pytest.fixture
def corpus(root: Path) -> Corpus:
    made = Corpus(root, CorpusSettings(), root.parent / "corpus.db")
    made.sync()
    return made


def test_a_sync_says_what_changed(root: Path) -> None:
    corpus = Corpus(root, CorpusSettings(), root.parent / "corpus.db")
    told: list[tuple[int, int]] = []
    first = corpus.sync(lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]
    assert (first.added, first.sections) == (("hours.md", "note.txt"), 3)
    (root / "note.txt").write_text("PARKING\n\nCars too.\n")
    (root / "new.md").write_text("# New\n")
    (root / "hours.md").unlink()
    (root / "bad.md").write_bytes(b"\xff")
    second = corpus.sync()
    assert (second.added, second.changed, second.removed) == (
        ("new.md",),
        ("note.txt",),
        ("hours.md",),
    )
    assert [(source, reason) for source, reason in second.unreadable] == [
        ("bad.md", "not UTF-8 (line 1)")
    ]
    third = corpus.sync()
    assert third.left == ()
    assert third.unchanged == ("new.md", "note.txt")
    assert third.added == third.changed == third.removed == ()


def test_documents_are_as_last_synced(corpus: Corpus, root: Path) -> None:
    before = corpus.digest()
    (root / "hours.md").write_text("# Gone\n")
    assert corpus.document("hours.md").text == HOURS
    assert corpus.digest() == before
    corpus.sync()
    assert corpus.document("hours.md").text == "# Gone\n"
    assert corpus.digest() != before


def test_a_sync_by_another_process_is_seen(corpus: Corpus, root: Path) -> None:
    (root / "more.md").write_text("# More\n")
    Corpus(root, CorpusSettings(), root.parent / "corpus.db").sync()
    assert corpus.sources() == ("hours.md", "more.md", "note.txt")


@pytest.mark.parametrize("damage", [None, b"", b"garbage" * 5000])
def test_a_missing_or_damaged_index_is_made_anew(
    corpus: Corpus, root: Path, damage: bytes | None
) -> None:
    digest = corpus.digest()
    index = root.parent / "corpus.db"
    index.unlink()
    if damage is not None:
        index.write_bytes(damage)
    assert corpus.digest() == digest
    assert Corpus(root, CorpusSettings(), index).digest() == digest
    assert index.stat().st_mode & 0o077 == 0


def test_the_digest_depends_on_the_documents_alone(corpus: Corpus, root: Path) -> None:
    other = Corpus(root, CorpusSettings(), root.parent / "other.db")
    other.sync()
    assert other.digest() == corpus.digest()
    assert corpus.digest().startswith("sha256:")


def test_a_missing_root_is_an_error_and_leaves_the_index(corpus: Corpus, root: Path) -> None:
    root.rename(root.parent / "elsewhere")
    with pytest.raises(CurateError, match="does not exist"):
        corpus.sync()
    assert corpus.sources() == ("hours.md", "note.txt")


def test_headings_sections_and_sentences_are_the_documents(corpus: Corpus) -> None:
    assert corpus.headings() == {"Hours", "Holidays", "PARKING"}
    hours = corpus.sections("hours.md")[0]
    assert [HOURS[a:b] for a, b in corpus.sentences(hours)] == [
        "The shop opens at 9:00.",
        "It closes at 17:00 sharp.",
    ]


def test_an_unknown_document_is_an_error_with_a_way_out(corpus: Corpus) -> None:
    with pytest.raises(CurateError, match=r"no document x\.md") as error:
        corpus.sections("x.md")
    assert "corpus sync" in error.value.hint


def test_evidence_fills_itself_from_a_span(corpus: Corpus) -> None:
    start = HOURS.index("It closes") - 1
    evidence = corpus.evidence("hours.md", start, HOURS.index("\r\n\r\n##") + 4)
    assert evidence.phrase == "It closes at 17:00 sharp."
    assert HOURS[evidence.start : evidence.end] == evidence.phrase
    assert (evidence.heading, evidence.grade) == ("Hours", "verbatim")
    assert corpus.locate(evidence) == evidence
    assert corpus.keywords(evidence)[0] == "17:00"
    assert corpus.passage(evidence) == corpus.sections("hours.md")[0].text


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (3, 3), (5, 2), (0, 10_000), (7, 11)])
def test_a_span_outside_the_document_or_blank_is_refused(
    corpus: Corpus, start: int, end: int
) -> None:
    with pytest.raises(CurateError):
        corpus.evidence("hours.md", start, end)


def test_a_lost_evidence_has_no_passage(corpus: Corpus, root: Path) -> None:
    evidence = corpus.evidence("hours.md", 0, 7)
    (root / "hours.md").unlink()
    corpus.sync()
    assert corpus.locate(evidence).grade == "lost"
    assert corpus.passage(evidence) == ""


def test_text_stands_when_it_is_there_as_whole_words(corpus: Corpus) -> None:
    assert corpus.stands("opens at\n9:00")
    assert corpus.stands(" November ")
    assert not corpus.stands("Novem")
    assert not corpus.stands("november")
    assert not corpus.stands(" ")


def test_search_and_suggestions_lead_to_the_passage(corpus: Corpus) -> None:
    assert corpus.search("when does the shop open")[0].section.heading == "Hours"
    history = (Turn("user", "are you open on holidays"), Turn("assistant", "Mostly."))
    found = corpus.suggest("and in november?", history=history, answer="Closed on 9 November.")
    assert found[0].section.heading == "Holidays"
    assert len(corpus.search("shop", k=1)) == 1


def test_many_threads_may_ask_at_once(root: Path) -> None:
    corpus = Corpus(root, CorpusSettings(), root.parent / "corpus.db")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: corpus.search("holidays")[0].section.heading, range(24)))
    assert set(answers) == {"Holidays"}


def test_reading_the_index_loads_nothing_heavy(corpus: Corpus, root: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from curate.config import CorpusSettings;"
        "from curate.corpus.corpus import Corpus;"
        "Corpus(Path(sys.argv[1]), CorpusSettings(), Path(sys.argv[2])).digest();"
        "print({'numpy', 'tokenizers', 'markdown_it', 'rapidfuzz'} & set(sys.modules))"
    )
    arguments = [sys.executable, "-c", code, str(root), str(root.parent / "corpus.db")]
    ran = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


def test_every_place_of_a_phrase_is_told_with_the_words_it_is_a_part_of(tmp_path: Path) -> None:
    page = "# Fees\n\nA badge costs 5\ndollars.\n\n## Deposit\n\nIt is 25 dollars.\n"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "fees.md").write_text(page, encoding="utf-8")
    corpus = Corpus(tmp_path / "docs", CorpusSettings(), tmp_path / "corpus.db")
    corpus.sync()
    found = corpus.occurrences("fees.md", "5 dollars")
    assert [(one.heading, one.words, one.whole) for one in found] == [
        ("Fees", "5 dollars", True),
        ("Deposit", "25 dollars", False),
    ]
    assert [page[one.start : one.end] for one in found] == ["5\ndollars", "5 dollars"]

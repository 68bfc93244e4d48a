"""Which reader turns a file into text."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from curate.config import CorpusSettings
from curate.corpus.corpus import Corpus
from curate.corpus.documents import Unreadable
from curate.corpus.extracted import Broken
from curate.corpus.extracting import Reader, reader


def read(source: str, data: bytes) -> str:
    found = reader(source)
    assert isinstance(found, Reader)
    return found.extract(data).text


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("a.md", "markdown-it-py "),
        ("a.TXT", "plain "),
        ("noending", "plain "),
        ("a.rst", "docutils "),
        ("a/b.HTML", "lxml "),
        ("a.docx", "mammoth "),
    ],
)
def test_the_end_of_a_name_chooses_the_reader(source: str, name: str) -> None:
    found = reader(source)
    assert isinstance(found, Reader)
    assert found.extractor.startswith(name)


@pytest.mark.parametrize(
    ("source", "way_out"),
    [("a.adoc", "asciidoctor -b html5"), ("a.PDF", "what it was made from"), ("a.doc", r"\.docx")],
)
def test_a_document_that_nothing_reads_is_told_with_the_way_out(source: str, way_out: str) -> None:
    found = reader(source)
    assert isinstance(found, Unreadable)
    assert re.search(way_out, found.reason)


def test_text_is_kept_as_it_stands_but_for_a_byte_order_mark() -> None:
    assert read("a.md", b"\xef\xbb\xbf# A\r\n\x0cx\x00\r\n") == "# A\r\n\x0cx\x00\r\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"good\nbad \xff\n", "not UTF-8 (line 2)"),
        ("x".encode("utf-16"), "UTF-16; save it as UTF-8"),
    ],
)
def test_text_that_cannot_be_decoded_is_refused_with_its_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Broken) as broken:
        read("a.txt", data)
    assert str(broken.value) == reason


def test_a_missing_package_is_reported_with_the_extra_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "docutils", None)
    monkeypatch.delitem(sys.modules, "curate.corpus.restructured", raising=False)
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.rst").write_text("A\n=\n\nText.\n")
    (docs / "b.md").write_text("# B\n")
    report = Corpus(docs, CorpusSettings(), tmp_path / "corpus.db").sync()
    assert report.added == ("b.md",)
    assert report.unreadable == (
        Unreadable(
            "a.rst", ".rst needs docutils: pip install 'curate[documents]', then sync again"
        ),
    )


def test_documents_of_every_kind_are_searched_and_quoted_alike(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.rst").write_text("Loans\n=====\n\nA *laptop* may be kept for seven days.\n")
    (docs / "b.html").write_text("<h1>Fines</h1><p>Ten cents a day,<br>from day one.")
    corpus = Corpus(docs, CorpusSettings(), tmp_path / "corpus.db")
    corpus.sync()
    best = corpus.search("how long may I keep a laptop")[0]
    assert (best.section.source, best.section.heading) == ("a.rst", "Loans")
    evidence = corpus.evidence("a.rst", *best.best)
    assert evidence.phrase == "A laptop may be kept for seven days."
    assert corpus.locate(evidence) == evidence
    assert [name.split()[0] for name in corpus.extractors().values()] == ["docutils", "lxml"]
    assert corpus.sync().unchanged == ("a.rst", "b.html")

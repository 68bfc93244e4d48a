"""The index file: private, checked, thrown away when it is not sound."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from curate.corpus import index, plain
from curate.corpus.documents import Document, digest
from curate.corpus.index import Entry, Unusable
from curate.corpus.outline import outline
from curate.model.errors import CurateError


def entry(source: str, text: str) -> Entry:
    document = Document(source, text, digest(text), "test 1")
    return Entry(document, outline(source, text, plain.parse(text)), "[]", digest(text.encode()))


def test_what_was_saved_is_loaded_in_order(tmp_path: Path) -> None:
    path = tmp_path / "corpus.db"
    made = {"b.txt": entry("b.txt", "B\r\n\x00\U0001f600. ខ្មែរ។"), "a.txt": entry("a.txt", "A")}
    index.save(path, made, ())
    assert index.load(path) == dict(sorted(made.items()))
    assert list(index.load(path)) == ["a.txt", "b.txt"]
    index.save(path, {}, ("b.txt",))
    assert list(index.load(path)) == ["a.txt"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_missing_foreign_or_older_index_is_unusable(tmp_path: Path) -> None:
    with pytest.raises(Unusable):
        index.load(tmp_path / "none.db")
    (tmp_path / "noise.db").write_bytes(b"noise" * 1000)
    with pytest.raises(Unusable):
        index.load(tmp_path / "noise.db")
    sqlite3.connect(tmp_path / "old.db").execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(Unusable):
        index.load(tmp_path / "old.db")


@pytest.mark.parametrize(
    "spoil",
    [
        "UPDATE documents SET text = x'41'",
        "UPDATE documents SET outline = '[1'",
        "DROP TABLE documents",
    ],
)
def test_spoilt_content_is_noticed(tmp_path: Path, spoil: str) -> None:
    path = tmp_path / "corpus.db"
    index.save(path, {"a.txt": entry("a.txt", "text")}, ())
    with sqlite3.connect(path) as db:
        db.execute(spoil)
    db.close()
    with pytest.raises(Unusable):
        index.load(path)


def test_an_index_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(CurateError, match=r"none/corpus\.db cannot be used"):
        index.save(tmp_path / "none" / "corpus.db", {}, ())
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(CurateError, match=r"folder\.db cannot be used"):
        index.load(tmp_path / "folder.db")


def test_discarding_removes_the_file_and_does_not_mind_its_absence(tmp_path: Path) -> None:
    path = tmp_path / "corpus.db"
    index.save(path, {}, ())
    index.discard(path)
    index.discard(path)
    assert list(tmp_path.iterdir()) == []
    assert index.stamp(path) == (0, 0, 0)

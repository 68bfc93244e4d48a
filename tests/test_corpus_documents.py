"""Which files belong to the corpus, and their text exactly as it stands."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from curate.config import CorpusSettings
from curate.corpus import documents
from curate.corpus.documents import Found, Left, Unreadable, ending, read, walk, wanted
from curate.model.errors import CurateError

DEFAULT = CorpusSettings()


def found(root: Path, settings: CorpusSettings = DEFAULT) -> list[str]:
    return [f.source for f in walk(root, settings) if isinstance(f, Found)]


def refused(root: Path) -> dict[str, str]:
    return {f.source: f.reason for f in walk(root, CorpusSettings()) if isinstance(f, Unreadable)}


def bytes_of(root: Path, name: str, data: bytes) -> bytes | Unreadable:
    (root / name).write_bytes(data)
    return read(Found(name, root / name))


def test_only_included_files_outside_hidden_folders_are_found(tmp_path: Path) -> None:
    for name in ("a.md", "b.txt", "c.pdf", "deep/er/d.md", ".git/e.md", ".f.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert found(tmp_path) == ["a.md", "b.txt", "deep/er/d.md"]
    assert found(tmp_path, CorpusSettings(include=("**/*.md",), exclude=("deep/**",))) == ["a.md"]
    assert found(tmp_path, CorpusSettings(include=(".git/*.md",))) == [".git/e.md"]


def test_a_file_that_no_pattern_takes_is_named_unless_it_is_excluded(tmp_path: Path) -> None:
    for name in ("a.md", "b.png", "c/d.yml", "c/e.md", ".hidden.yml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    settings = CorpusSettings(exclude=("**/*.png",))
    left = [f.source for f in walk(tmp_path, settings) if isinstance(f, Left)]
    assert left == ["c/d.yml"]


@pytest.mark.parametrize(
    ("source", "end"),
    [("a/b.MD", ".md"), ("a.b/Makefile", "makefile"), ("x.tar.gz", ".gz"), (".dot", ".dot")],
)
def test_a_name_ends_at_its_last_dot(source: str, end: str) -> None:
    assert ending(source) == end


@pytest.mark.parametrize(
    ("pattern", "source", "taken"),
    [
        ("*.md", "a.md", True),
        ("*.md", "b/a.md", False),
        ("**/*.md", "a.md", True),
        ("docs/**/x.md", "docs/x.md", True),
        ("docs/**", "docs/a/b.md", True),
        ("docs/**", "other/a.md", False),
        ("**", ".hidden/a.md", False),
    ],
)
def test_a_star_stays_in_its_folder_and_two_span_folders(
    pattern: str, source: str, taken: bool
) -> None:
    assert wanted(source, CorpusSettings(include=(pattern,))) is taken


def test_a_file_is_read_byte_by_byte(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf# A\r\n\x0cx\x00\xff"
    assert bytes_of(tmp_path, "a.md", data) == data


def test_a_pipe_is_reported_and_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert read(Found("pipe.md", tmp_path / "pipe.md")) == Unreadable(
        "pipe.md", "not a regular file"
    )


def test_a_file_that_went_away_is_reported(tmp_path: Path) -> None:
    gone = read(Found("gone.md", tmp_path / "gone.md"))
    assert gone == Unreadable("gone.md", "no such file or directory")


def test_a_huge_file_is_reported_and_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "LARGEST", 1024 * 1024)
    assert bytes_of(tmp_path, "a.md", b"x" * (1024 * 1024 + 1)) == Unreadable(
        "a.md", "larger than 1 MiB"
    )


def test_links_are_followed_to_files_inside_the_root_only(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    (root / "sub").mkdir(parents=True)
    (root / "a.md").write_text("x")
    (tmp_path / "secret.md").write_text("x")
    (root / "inside.md").symlink_to(root / "a.md")
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "broken.md").symlink_to(root / "nothing.md")
    (root / "loop.md").symlink_to(root / "loop.md")
    (root / "sub" / "up").symlink_to(root)
    assert found(root) == ["a.md", "inside.md"]
    reasons = refused(root)
    assert reasons["out.md"] == "a link that leaves the documents' folder"
    assert reasons["sub/up/"] == "a link to a folder; links are not walked"
    assert set(reasons) == {"out.md", "broken.md", "loop.md", "sub/up/"}


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems refuse such names")
def test_hostile_names_are_data_and_names_that_are_not_utf8_are_reported(tmp_path: Path) -> None:
    for name in (b"[x].md", b"\x1b]0;x\x07.md", b"a\nb.md", b"bad-\xff.md"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")
    assert set(found(tmp_path)) == {"[x].md", "\x1b]0;x\x07.md", "a\nb.md"}
    assert refused(tmp_path) == {"bad-\ufffd.md": "its name is not UTF-8"}


def test_a_missing_root_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(CurateError, match="docs does not exist") as error:
        list(walk(tmp_path / "docs", CorpusSettings()))
    assert "curate.toml" in error.value.hint
    (tmp_path / "file").write_text("x")
    with pytest.raises(CurateError, match="not a folder"):
        list(walk(tmp_path / "file", CorpusSettings()))

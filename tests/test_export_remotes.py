"""Which git remotes a directory lives beside."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from curate.export.remotes import guard, plain, remotes, work_tree
from curate.model.errors import CurateError, Exit

PUBLIC = "https://github.com/somebody/project.git"


def repository(root: Path, config: str = "") -> Path:
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text("[core]\n\tbare = false\n" + config, encoding="utf-8")
    return root


def remote(url: str, name: str = "origin") -> str:
    return f'[remote "{name}"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/{name}/*\n'


def test_outside_a_work_tree_everything_goes(tmp_path: Path) -> None:
    guard(tmp_path / "exports", ())


def test_a_work_tree_without_a_remote_is_fine(tmp_path: Path) -> None:
    guard(repository(tmp_path / "repo") / "exports", ())


def test_a_work_tree_with_a_remote_is_refused_for_privacy(tmp_path: Path) -> None:
    tree = repository(tmp_path / "repo", remote(PUBLIC))
    with pytest.raises(CurateError, match=r"github\.com/somebody/project") as caught:
        guard(tree / "deep" / "not" / "there" / "yet", ())
    assert caught.value.code == Exit.PRIVACY
    assert "allowed_remotes" in caught.value.hint


def test_every_remote_has_to_be_allowed(tmp_path: Path) -> None:
    inner = "git@git.example.org:team/set.git"
    tree = repository(tmp_path / "repo", remote(inner) + remote(PUBLIC, "mirror"))
    with pytest.raises(CurateError, match="github"):
        guard(tree, ["git.example.org/team/set"])
    guard(tree, ["git.example.org/team/*", PUBLIC])
    guard(tree, ["*"])


def test_a_place_to_push_to_counts_as_a_remote(tmp_path: Path) -> None:
    config = remote("https://git.example.org/a") + "\tpushurl = " + PUBLIC + "\n"
    assert remotes(repository(tmp_path / "repo", config)) == [
        "https://git.example.org/a",
        PUBLIC,
    ]


def test_credentials_in_a_remote_are_never_shown(tmp_path: Path) -> None:
    tree = repository(tmp_path / "repo", remote("https://me:hunter2@github.com/a/b"))
    with pytest.raises(CurateError) as caught:
        guard(tree, ())
    assert "hunter2" not in caught.value.message + caught.value.hint


def test_a_link_into_a_work_tree_is_followed(tmp_path: Path) -> None:
    tree = repository(tmp_path / "repo", remote(PUBLIC))
    (tree / "eval").mkdir()
    (tmp_path / "link").symlink_to(tree / "eval")
    with pytest.raises(CurateError):
        guard(tmp_path / "link", ())


def test_the_innermost_work_tree_decides(tmp_path: Path) -> None:
    outer = repository(tmp_path / "outer", remote(PUBLIC))
    inner = repository(outer / "inner")
    assert work_tree(inner / "exports") == inner
    guard(inner / "exports", ())


def test_an_empty_git_directory_hides_no_work_tree(tmp_path: Path) -> None:
    outer = repository(tmp_path / "outer", remote(PUBLIC))
    (outer / "inner" / ".git").mkdir(parents=True)
    with pytest.raises(CurateError):
        guard(outer / "inner" / "exports", ())


def test_the_old_form_of_a_section_is_read(tmp_path: Path) -> None:
    tree = repository(tmp_path / "repo", f"[remote.origin]\n\turl = {PUBLIC}\n")
    with pytest.raises(CurateError):
        guard(tree / "exports", ())


def test_config_is_read_as_git_reads_it(tmp_path: Path) -> None:
    config = (
        '; [remote "off"]\n#\turl = https://a.example/off\n'
        '[REMOTE "origin"] url = "https://a.example/quo\\"ted" ; why\n'
        '[remote "two"]\n\turl = https://a.example/\\\nlong # why\n'
        '[branch "main"]\n\turl = https://a.example/none\n'
        '[include]\n\tpath = more\n[includeIf "gitdir:/x"]\n\tpath = ../cond\n'
    )
    tree = repository(tmp_path / "repo", config)
    (tree / ".git" / "more").write_text(remote("more") + "[include]\npath=config\n", "utf-8")
    (tree / "cond").write_text(remote("cond"), encoding="utf-8")
    assert remotes(tree) == [
        "cond",
        "https://a.example/long",
        'https://a.example/quo"ted',
        "more",
    ]


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/a/b",
        "https://github.com/a/b.git/",
        "https://me:secret@GitHub.com:443/a/b.git",
        "ssh://git@github.com:22/a/b.git",
        "git@github.com:a/b.git",
        "github.com:/a/b",
        "github.com/a/b",
    ],
)
def test_one_remote_is_known_in_all_its_spellings(url: str) -> None:
    assert plain(url) == "github.com/a/b"


def test_a_worktree_and_a_submodule_answer_for_their_repository(tmp_path: Path) -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed: no real worktree can be made")

    def run(*arguments: str) -> None:
        subprocess.run(
            [git, "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments],
            check=True,
            capture_output=True,
        )

    main, beside = str(tmp_path / "main"), str(tmp_path / "beside")
    run("init", "-q", main)
    run("-C", main, "commit", "-q", "--allow-empty", "-m", "first")
    run("-C", main, "remote", "add", "origin", PUBLIC)
    run("-C", main, "worktree", "add", "-q", beside)
    assert remotes(tmp_path / "main") == [PUBLIC]
    assert remotes(tmp_path / "beside") == [PUBLIC]
    with pytest.raises(CurateError):
        guard(tmp_path / "beside" / "exports", ())

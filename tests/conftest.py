"""What every test stands on: an environment of its own, and the command line in-process."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from curate.cli import main

NOW = "2026-11-29T21:00:00Z"
"""The clock of the suite; a test that needs another passes --now."""


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The developer's own settings decide no test."""
    for name in ("CURATE_WORKSPACE", "TEXTUAL", "TEXTUAL_LOG", "TEXTUAL_SCREENSHOT", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    monkeypatch.setenv("CURATE_NOW", NOW)


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The command's stdout as JSON."""
        return json.loads(self.out)


Curate = Callable[..., Ran]


@pytest.fixture
def curate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Curate]:
    """Run `curate ARGUMENTS` in this process: exit code, stdout, stderr."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        try:
            code = main.run([str(argument) for argument in arguments])
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture(scope="session")
def demo_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo workspace with its answer key curated, made once; copy it to change it."""
    root = tmp_path_factory.mktemp("demo") / "workspace"
    code = main.run(
        ["--workspace", str(root), "--now", NOW, "--quiet", "demo", "--answer-key", "--no-open"]
    )
    assert code == 0
    return root


@pytest.fixture
def demo(demo_workspace: Path, tmp_path: Path) -> Path:
    """A demo workspace of the test's own."""
    import shutil

    return Path(shutil.copytree(demo_workspace, tmp_path / "workspace"))

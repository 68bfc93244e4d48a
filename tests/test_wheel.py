"""The wheel: exactly the project's own files, and it works on its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.test_migrations import old_database

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.skipif(
    not (ROOT / ".git").exists(), reason="the wheel is compared with what git tracks"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a checkout that also holds files nobody meant to publish."""
    out = tmp_path_factory.mktemp("wheel")
    stray = ROOT / "migrations" / "stray-test.db"
    stray.touch()
    try:
        subprocess.run(
            [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT],
            check=True,
            capture_output=True,
        )
    finally:
        stray.unlink()
    [built] = out.glob("*.whl")
    return built


def test_the_wheel_holds_what_git_tracks_and_nothing_else(wheel: Path) -> None:
    tracked = subprocess.run(
        [
            "git",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
            "curate",
            "migrations",
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    wanted = {
        path if path.startswith("curate/") else f"curate/{path}"
        for path in tracked
        if path and (ROOT / path).exists()
    }

    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}

    assert packed == wanted
    assert "curate/migrations/env.py" in packed


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel unpacked by pip, in front of everything else on the path."""
    target = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", target, wheel],
        check=True,
        capture_output=True,
    )
    return target


def run(installed: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    code = (
        "import curate, sys\n"
        f"assert curate.__file__.startswith({str(installed)!r}), curate.__file__\n"
        "from curate.cli.main import main\n"
        f"sys.argv = ['curate', *{list(arguments)!r}]\n"
        "main()\n"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.presidio
def test_the_installed_wheel_does_the_main_job(installed: Path, tmp_path: Path) -> None:
    workspace = str(tmp_path / "demo")

    made = run(installed, "demo", workspace, "--answer-key", "--no-open", cwd=tmp_path)
    exported = run(installed, "--workspace", workspace, "export", cwd=tmp_path)

    assert made.returncode == 0, made.stderr
    assert exported.returncode == 0, exported.stderr
    assert (tmp_path / "demo" / "exports" / "v0001" / "questions.json").is_file()


def test_the_installed_wheel_upgrades_an_old_workspace(installed: Path, tmp_path: Path) -> None:
    root = tmp_path / "old"
    root.mkdir()
    (root / "curate.toml").touch()
    old_database(root / "curate.db", "0001")
    (root / "keys").mkdir(mode=0o700)
    (root / "keys" / "2026-11-01.key").write_bytes(b"k" * 32)
    (root / "keys" / "2026-11-01.key").chmod(0o600)
    place = ("--workspace", str(root), "--now", "2026-12-19")

    shown = run(installed, *place, "status", "--json", cwd=tmp_path)
    purged = run(installed, *place, "purge", "--json", cwd=tmp_path)

    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["counts"]["records"] == 3
    assert purged.returncode == 0, purged.stderr + purged.stdout
    assert (root / "raw.db").is_file()
    assert (root / "keys" / "tags" / "2026-11-01.key").is_file()

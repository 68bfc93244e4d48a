"""Cold start: what a command must not load, asked of a fresh interpreter."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Curate

HEAVY = (
    "alembic",
    "cryptography",
    "numpy",
    "onnxruntime",
    "presidio_analyzer",
    "presidio_anonymizer",
    "spacy",
    "sqlalchemy",
    "textual",
    "tokenizers",
)


def modules_after(*arguments: str) -> set[str]:
    code = (
        "import sys\n"
        "from curate.cli.main import run\n"
        f"code = run({list(arguments)!r})\n"
        "print('MODULES', *sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.rpartition("MODULES")[2].split())


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("--version",), ("ingest", "--help"), ("items", "--help"), ("open", "--help")],
)
def test_help_loads_nothing_heavy(arguments: tuple[str, ...]) -> None:
    loaded = {module.partition(".")[0] for module in modules_after(*arguments)}

    assert not loaded & set(HEAVY)


def test_a_usage_error_loads_nothing_heavy() -> None:
    loaded = {module.partition(".")[0] for module in modules_after("items", "set")}

    assert not loaded & set(HEAVY)


def test_every_module_has_a_docstring_and_every_init_only_that() -> None:
    import ast

    import curate

    for path in Path(str(curate.__file__)).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), path
        if path.name == "__init__.py":
            assert len(tree.body) == 1, f"{path} hands something on"


def test_status_waits_for_nothing_heavy(empty_workspace: Path) -> None:
    loaded = {
        module.partition(".")[0]
        for module in modules_after("--workspace", str(empty_workspace), "status")
    }

    assert not loaded & set(HEAVY)


@pytest.fixture
def empty_workspace(curate: Curate, tmp_path: Path) -> Path:
    assert curate("init", tmp_path / "workspace").code == 0
    return tmp_path / "workspace"

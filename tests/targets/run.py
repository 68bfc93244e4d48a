"""Load every export by the library it is for: one command, environments of their own.

    python tests/targets/run.py [DIRECTORY]          default: ~/.cache/curate-targets

The libraries weigh gigabytes and contradict each other: DeepEval wants an older Click than ours.
What is installed in DIRECTORY already is used again. promptfoo comes from npm where there is Node.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ENVIRONMENTS = {
    "libraries": [["-e", f"{ROOT}[dev,targets]"], ["--no-deps", "beir", "tqdm"]],
    "deepeval": [["deepeval>=4", "pytest<9"]],
    "phoenix": [["arize-phoenix", "pytest<9"]],
}
PROMPTFOO = "promptfoo@0.121.20"  # the last one that runs on Node 20


def python(directory: Path, name: str) -> Path:
    """Return the interpreter of an environment, made and filled where it is not yet."""
    place = directory / name
    done = place / ".filled"
    if not done.exists():
        venv.create(place, with_pip=True)
        for packages in ENVIRONMENTS[name]:
            pip = [str(place / "bin" / "python"), "-m", "pip", "install", "-q", *packages]
            subprocess.run(pip, check=True)
        done.touch()
    return place / "bin" / "python"


def programs(directory: Path) -> str:
    """Return a PATH with promptfoo in it, where npm is to be had."""
    npm = shutil.which("npm")
    place = directory / "node"
    if npm and not (place / "node_modules").exists():
        command = [npm, "install", "--prefix", str(place), "--no-audit", "--no-fund", PROMPTFOO]
        subprocess.run(command, check=True)
    return f"{place / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"


def main() -> None:
    """Run the tests in every environment; exit 1 when one fails."""
    given = sys.argv[1] if len(sys.argv) > 1 else "~/.cache/curate-targets"
    directory = Path(given).expanduser().resolve()
    directory.mkdir(parents=True, exist_ok=True)
    settings = directory / "pytest.ini"
    settings.write_text("[pytest]\n")
    path = programs(directory)
    failed = []
    for name in ENVIRONMENTS:
        tests = [str(python(directory, name)), "-m", "pytest", "-rs", "-c", str(settings)]
        tests += ["--rootdir", str(ROOT), "--noconftest", "-p", "no:cacheprovider"]
        sys.stdout.write(f"== {name}\n")
        sys.stdout.flush()
        with_path = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
        run = subprocess.run(
            [*tests, str(HERE / "load_targets.py")], env=with_path, cwd=directory, check=False
        )
        failed += [name] if run.returncode else []
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()

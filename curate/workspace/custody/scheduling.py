"""Timers for ingest and purge, for systemd or cron, of the user's own."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from curate.model.errors import CurateError

UNITS = Path(".config/systemd/user")
_MARK = "# curate"

_SERVICE = """\
[Unit]
Description=curate {verb} {root}

[Service]
Type=oneshot
UMask=0077
ExecStart={command}
SuccessExitStatus=75
"""

_TIMER = """\
[Unit]
Description=curate {verb} {root}

[Timer]
OnCalendar={when}
RandomizedDelaySec=5min
Persistent=true

[Install]
WantedBy=timers.target
"""

# A purge that was deferred because somebody was reading is done by the next one, an hour later.
_TIMES = {"ingest": ("*:07", "7 * * * *"), "purge": ("*:37", "37 * * * *")}


def systemd(program: str, root: Path) -> dict[str, str]:
    """Return unit files by name: a service and a timer each for ingest and purge."""
    units: dict[str, str] = {}
    for verb, (when, _) in _TIMES.items():
        command = " ".join(_unit(part) for part in _command(program, root, verb))
        told = str(root).replace("%", "%%")
        units[f"curate-{verb}.service"] = _SERVICE.format(verb=verb, root=told, command=command)
        units[f"curate-{verb}.timer"] = _TIMER.format(verb=verb, root=told, when=when)
    return units


def cron(program: str, root: Path) -> list[str]:
    """Return the lines of a crontab. A purge that was deferred says nothing."""
    lines = []
    for verb, (_, when) in _TIMES.items():
        command = shlex.join(_command(program, root, verb)).replace("%", "\\%")
        # 75: somebody was reading; the next one does it.
        calm = " || test $? -eq 75" if verb == "purge" else ""
        lines.append(f"{when} umask 077; {command} > /dev/null{calm} {_MARK} {verb}")
    return lines


def install_systemd(units: Mapping[str, str], home: Path) -> list[Path]:
    """Write unit files into the user's own directory and start the timers.

    Returns the files. Raises `CurateError` when they cannot be written, or systemd does not take
    them.
    """
    directory = home / UNITS
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in units.items():
            (directory / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise CurateError(
            f"{directory} cannot be written: {error.strerror}", "Check its mode."
        ) from None
    timers = [name for name in units if name.endswith(".timer")]
    _run("systemctl", "--user", "daemon-reload")
    _run("systemctl", "--user", "enable", "--now", *timers)
    return [directory / name for name in units]


def install_cron(lines: list[str]) -> None:
    """Put the lines into the user's crontab, in place of those of an earlier call.

    Raises `CurateError` when there is no cron, or it does not take them.
    """
    there = _run("crontab", "-l", may_fail=True).split("\n")
    kept = [
        line for line in there if line and not any(f"{_MARK} {verb}" in line for verb in _TIMES)
    ]
    _run("crontab", "-", given="\n".join([*kept, *lines]) + "\n")


def _command(program: str, root: Path, verb: str) -> list[str]:
    return [program, "--quiet", "--workspace", str(root), verb]


def _unit(part: str) -> str:
    """Quote a word for ExecStart, where `%`, `$`, quotes and backslashes mean something."""
    told = part.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{told}"' if told != part or " " in part else told


def _run(program: str, *arguments: str, given: str | None = None, may_fail: bool = False) -> str:
    path = shutil.which(program)
    if path is None:
        raise CurateError(
            f"there is no {program} here", "Without --install, the timers are only printed."
        )
    done = subprocess.run(  # noqa: S603 - the system's own programs
        [path, *arguments], input=given, capture_output=True, text=True, check=False
    )
    if done.returncode and not may_fail:
        said = (done.stderr or done.stdout).strip().split("\n")[0]
        raise CurateError(f"{program} said: {said}", "Install the printed timers yourself.")
    return "" if done.returncode else done.stdout

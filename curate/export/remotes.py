"""Real questions never reach a public repository: which git remotes does a directory live beside.

Reads git's own files and runs nothing. Remotes that only the user's global configuration rewrites
(`url.<base>.insteadOf`) are compared as they are written in the repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from curate.model.errors import CurateError, Exit

_SECTION = re.compile(r'\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]')
_SCP = re.compile(r"(?:[^@/\s]+@)?([^:/\s]+):(?!//)(.*)")


def guard(directory: Path, allowed: Sequence[str]) -> None:
    """Refuse a directory inside a git work tree with a remote that is not `allowed`.

    An entry of `allowed` is a URL or a pattern like `git.example.org/team/*`; scheme, user and
    `.git` do not matter. A work tree without remotes is fine. The directory need not exist yet;
    symbolic links are followed first. Raises `CurateError` with exit code 3 that names the remote
    without its credentials.
    """
    tree = work_tree(directory)
    if tree is None:
        return
    wanted = [plain(entry) for entry in allowed]
    for url in remotes(tree):
        if not any(fnmatchcase(plain(url), entry) for entry in wanted):
            raise CurateError(
                f"{directory} is in the git work tree {tree}, whose remote {plain(url)} is not"
                " allowed: real questions must not be published",
                "Export elsewhere, or list the remote under [export] allowed_remotes.",
                Exit.PRIVACY,
            )


def work_tree(directory: Path) -> Path | None:
    """Return the root of the git work tree that holds `directory`, or None.

    A directory called `.git` with nothing of git in it is none.
    """
    path = directory.resolve()
    return next((place for place in (path, *path.parents) if _is_tree(place / ".git")), None)


def _is_tree(dot: Path) -> bool:
    return dot.is_file() or any((dot / name).exists() for name in ("HEAD", "config"))


def remotes(tree: Path) -> list[str]:
    """Return every remote URL, to fetch and to push, of a work tree; each once, sorted."""
    home = _home(tree)
    found: set[str] = set()
    for file in (home / "config", home / "config.worktree", tree / ".git" / "config.worktree"):
        found.update(_urls(file, frozenset()))
    return sorted(found)


def plain(url: str) -> str:
    """Return `host/path` of a remote: no scheme, user, password, port or `.git`."""
    scheme, separator, rest = url.strip().partition("://")
    if separator:
        host, slash, path = rest.partition("/")
        host = host.rpartition("@")[2].partition(":")[0]
        url = f"{host.lower()}{slash}{path}"
    elif match := _SCP.fullmatch(scheme):
        url = f"{match[1].lower()}/{match[2].lstrip('/')}"
    return url.rstrip("/").removesuffix(".git")


def _home(tree: Path) -> Path:
    """Where the repository's config is: `.git` itself, or where a worktree's file points."""
    dot = tree / ".git"
    if dot.is_dir():
        return dot
    pointed = _read(dot).partition("gitdir:")[2].strip()
    home = (tree / pointed).resolve()
    common = _read(home / "commondir").strip()
    return (home / common).resolve() if common else home


def _urls(file: Path, seen: frozenset[Path]) -> Iterator[str]:
    """Yield the remotes' URLs of a config file and of all it includes, on conditions too."""
    if file in seen:
        return
    section = ""
    for line in _lines(_read(file)):
        header = _SECTION.match(line)
        if header:
            section = header[1].lower().partition(".")[0]  # `[remote.origin]` is of old
            line = line[header.end() :].strip()
        key, equals, value = line.partition("=")
        if not equals:
            continue
        match section, key.strip().lower():
            case "remote", "url" | "pushurl":
                yield _value(value)
            case "include" | "includeif", "path":
                target = Path(_value(value)).expanduser()
                yield from _urls((file.parent / target).resolve(), seen | {file})
            case _:
                pass


def _lines(text: str) -> Iterator[str]:
    for line in re.sub(r"\\\r?\n", "", text).splitlines():
        stripped = line.strip()
        if stripped and stripped[0] not in "#;":
            yield stripped


def _value(text: str) -> str:
    text = text.strip()
    if quoted := re.match(r'"((?:[^"\\]|\\.)*)"', text):
        return re.sub(r"\\(.)", r"\1", quoted[1])
    return re.split(r"\s[#;]", text, maxsplit=1)[0].strip()


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise CurateError(
            f"{file} cannot be read, so its git remotes are unknown: {error.strerror}",
            "Make it readable, or export elsewhere.",
            Exit.PRIVACY,
        ) from None

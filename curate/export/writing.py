"""Files on disk, whole or not at all: a version's directory, `latest`, and the user's own copy.

Nothing here writes through a symbolic link or over anything that is not a regular file.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from curate.model.errors import CurateError, Exit

LATEST = "latest"
_UNFINISHED = ".unfinished-"


def publish(directory: Path, files: Mapping[str, bytes], *, over: bool = False) -> None:
    """Write a version's directory: everything in it durable and private, or nothing there.

    Modes are 0700 and 0600. What an interrupted run left is swept: unfinished directories, and a
    directory of this number that `latest` never came to (its run was killed before the version
    was stored). A directory that already holds exactly these files is left as it is. With `over`
    the directory is replaced as a whole, whatever version it held. Raises `CurateError` where
    something else stands in its place or the disk refuses.
    """
    with _telling(directory):
        exports = directory.parent
        exports.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(exports):
            _sweep(exports)
            if os.path.lexists(directory) and _published(directory, files, over):
                return
            unfinished = exports / f"{_UNFINISHED}{secrets.token_hex(8)}"
            unfinished.mkdir(mode=0o700)
            try:
                for name, data in files.items():
                    _write(unfinished / name, data, 0o600)
                _sync(unfinished)
                if directory.exists():
                    directory.rename(exports / f"{_UNFINISHED}{secrets.token_hex(8)}")
                unfinished.rename(directory)
            except BaseException:
                _remove(unfinished)
                raise
            _sync(exports)
            _sweep(exports)


def point_latest(directory: Path) -> None:
    """Let `latest`, beside a version's directory, point to it: a relative link, switched at once.

    Raises `CurateError` where `latest` is not a symbolic link.
    """
    link = directory.parent / LATEST
    with _telling(link):
        if os.path.lexists(link):
            if not link.is_symlink():
                raise _in_the_way(link)
            if link.readlink() == Path(directory.name):
                return
        fresh = directory.parent / f"{_UNFINISHED}{secrets.token_hex(8)}"
        fresh.symlink_to(directory.name, target_is_directory=True)
        try:
            fresh.replace(link)
        except BaseException:
            fresh.unlink()
            raise
        _sync(directory.parent)


def mirror(files: Mapping[str, bytes], to: Path, umask: int) -> tuple[Path, ...]:
    """Write the files to a directory of the user's, with the modes that `umask` leaves.

    Each file is replaced at once, in the given order; a file that already holds its bytes is not
    touched. Names may lead into directories below. Returns the paths that were written. Raises
    `CurateError`, before any file is written, where a file's place is taken by a link or by
    anything not a regular file.
    """
    with _telling(to):
        _make(to, 0o777 & ~umask)
        for below in sorted({parent for name in files for parent in Path(name).parents}):
            if (to / below).is_symlink() and below != Path():
                raise _in_the_way(to / below)
            _make(to / below, 0o777 & ~umask)
        stale = [name for name in files if not _holds(to / name, files[name])]
        for name in stale:
            _replace(to / name, files[name], 0o666 & ~umask)
        for directory in sorted({(to / name).parent for name in stale}):
            _sync(directory)
    return tuple(to / name for name in stale)


def _sweep(exports: Path) -> None:
    for left in exports.glob(f"{_UNFINISHED}*"):
        _remove(left)


def place(path: Path, data: bytes) -> None:
    """Write one private file (0600) into a directory that is there, whole or not at all."""
    with _telling(path):
        if _holds(path, data):
            return
        _replace(path, data, 0o600)
        _sync(path.parent)


def _make(directory: Path, mode: int) -> None:
    """Make a directory and its parents with this mode, whatever the process's umask is."""
    if directory.is_dir():
        return
    if directory.parent != directory:
        _make(directory.parent, mode)
    directory.mkdir(exist_ok=True)
    directory.chmod(mode)


def _holds(path: Path, data: bytes) -> bool:
    """Say whether a regular file holds `data`; refuse anything else that stands there."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(found.st_mode):
        raise _in_the_way(path)
    return found.st_size == len(data) and path.read_bytes() == data


def _published(directory: Path, files: Mapping[str, bytes], over: bool) -> bool:
    """Say whether the version stands there already; refuse another one that was announced."""
    if directory.is_symlink() or not directory.is_dir():
        raise _in_the_way(directory)
    if over:
        return False
    if all(_holds(directory / name, data) for name, data in files.items()):
        return True
    if _announced(directory):
        raise CurateError(
            f"{directory} already holds another version",
            "A version is never overwritten: move that directory elsewhere, then export again.",
        )
    return False


def _announced(directory: Path) -> bool:
    link = directory.parent / LATEST
    return link.is_symlink() and _number(link.readlink().name) >= _number(directory.name)


def _number(name: str) -> int:
    digits = name.removeprefix("v")
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def _write(path: Path, data: bytes, mode: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _replace(path: Path, data: bytes, mode: int) -> None:
    fresh = path.parent / f"{_UNFINISHED}{secrets.token_hex(8)}"
    try:
        _write(fresh, data, mode)
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Hold the directory's lock, so that nobody sweeps what another run is writing."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _remove(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        with suppress(FileNotFoundError):
            path.unlink()
    else:
        shutil.rmtree(path)


def _in_the_way(path: Path) -> CurateError:
    return CurateError(
        f"{path} is in the way: a link, or not what belongs there",
        "Nothing is written through links. Remove it, or export elsewhere.",
        Exit.ENVIRONMENT,
    )


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CurateError(
            f"{path} cannot be written: {error.strerror}",
            "Check its mode and the disk's space; nothing was left half-written.",
        ) from None

"""Keyed tags: ids and users are remembered without being kept.

A tag is an HMAC-SHA256 (RFC 2104), cut to 16 bytes, under the key of the epoch in which the event
happened. Once an epoch's key is destroyed its tags link to nobody, whoever holds them.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import stat
import unicodedata
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from curate.model.errors import CurateError

_SIZE = 32
_SHORTEST_DAYS = 30
_KEY = re.compile(r"(\d{4}-\d\d-\d\d)\.key")
_ORIGIN = date(2020, 1, 1)


class Tagger:
    """Tags values under epoch keys kept in a directory, one file of mode 0600 per epoch.

    A file's name is the day its epoch begins; it ends where the next begins. So a key goes on
    serving its epoch whatever the retention becomes.
    """

    def __init__(self, directory: Path, epoch_days: int, keys: dict[date, bytes]) -> None:
        self._directory = directory
        self._days = epoch_days
        self._keys = {begins: _keyed(key) for begins, key in keys.items()}
        self._epochs: dict[date, date] = {}

    @classmethod
    def open(cls, keys: Path, now: datetime, keep_days: int) -> Tagger:
        """Open the key directory, made with mode 0700 where it is missing, with a key for `now`.

        An epoch is at least as long as records are kept (`keep_days`), so that two live epochs
        cover everything kept. Raises `CurateError` for a key that is not one.
        """
        tagger = cls.load(keys, keep_days)
        tagger._begins(now)
        return tagger

    @classmethod
    def load(cls, keys: Path, keep_days: int) -> Tagger:
        """Open the key directory as `open` does, but make no key: that needs room on the disk."""
        try:
            keys.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = {
                date.fromisoformat(match[1]): _read(path)
                for path in sorted(keys.iterdir())
                if (match := _KEY.fullmatch(path.name))
            }
        except OSError as error:
            raise CurateError(
                f"the key directory {keys} cannot be used: {error.strerror}", "Check its mode."
            ) from None
        return cls(keys, max(keep_days, _SHORTEST_DAYS), found)

    def tag(self, domain: str, value: str, when: datetime) -> bytes:
        """Return the tag, 16 bytes, of a value under the key of the epoch of `when`.

        The same value in another `domain` has another tag. Compatible spellings and cases are
        one value. A new epoch's key is on disk, durable, before its first tag is returned.
        """
        return _tag(self._keys[self._begins(when)], _message(domain, value))

    def live(self, domain: str, value: str) -> tuple[bytes, ...]:
        """Return the value's tags under every epoch whose key lives, newest first."""
        message = _message(domain, value)
        return tuple(_tag(self._keys[begins], message) for begins in self._newest_first())

    def every(self, domain: str, value: str, when: datetime) -> tuple[bytes, ...]:
        """Return the tag of the epoch of `when`, and after it those of the other live epochs."""
        own, message = self._begins(when), _message(domain, value)
        others = [begins for begins in self._newest_first() if begins != own]
        return tuple([_tag(self._keys[begins], message) for begins in (own, *others)])

    def destroy_before(self, limit: datetime) -> int:
        """Destroy the keys of epochs that ended before `limit`; return how many.

        A key is overwritten and unlinked, and both are made durable.
        """
        begins = sorted(self._keys)
        ends = [*begins[1:], *(epoch + timedelta(days=self._days) for epoch in begins[-1:])]
        last = limit.astimezone(UTC).date()
        gone = [epoch for epoch, end in zip(begins, ends, strict=True) if end <= last]
        for epoch in gone:
            path = self._path(epoch)
            try:
                with path.open("r+b", buffering=0) as file:
                    file.write(secrets.token_bytes(_SIZE))
                    os.fsync(file.fileno())
                path.unlink()
                _sync(self._directory)
            except FileNotFoundError:
                pass  # another purge was faster
            except OSError as error:
                raise CurateError(
                    f"the key {path} cannot be destroyed: {error.strerror}", "Check its mode."
                ) from None
            del self._keys[epoch]
        self._epochs.clear()
        return len(gone)

    def _path(self, begins: date) -> Path:
        return self._directory / f"{begins.isoformat()}.key"

    def _newest_first(self) -> list[date]:
        return sorted(self._keys, reverse=True)

    def _begins(self, when: datetime) -> date:
        """Return the first day of the epoch of `when`, which has a key then."""
        day = when.astimezone(UTC).date()
        if day not in self._epochs:
            begins = self._epoch(day)
            if begins not in self._keys:
                self._keys[begins] = _keyed(self._make(begins))
                self._epochs.clear()
            self._epochs[day] = begins
        return self._epochs[day]

    def _epoch(self, day: date) -> date:
        """Return the first day of the epoch of `day`: of a key that is there, else of a new one,
        the same for all who need it at once.
        """
        grid = _ORIGIN + timedelta(days=(day - _ORIGIN).days // self._days * self._days)
        before = [begins for begins in self._keys if begins <= day]
        if not before:
            return grid
        newest = max(before)
        ends = newest + timedelta(days=self._days)
        closed = newest != max(self._keys)
        return newest if closed or day < ends else max(grid, ends)

    def _make(self, begins: date) -> bytes:
        path = self._path(begins)
        key = secrets.token_bytes(_SIZE)
        half = path.with_suffix(f".{os.getpid()}.new")
        try:
            handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(key)
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(half, path)
            except FileExistsError:
                # Another process made this epoch's key first: its key is the key.
                key = _read(path)
            half.unlink()
            _sync(self._directory)
        except OSError as error:
            raise CurateError(
                f"the key {path} cannot be written: {error.strerror}",
                "Make room, or check the directory's mode.",
            ) from None
        return key


def _keyed(key: bytes) -> hmac.HMAC:
    return hmac.new(key, b"curate/v1/", "sha256")


def _message(domain: str, value: str) -> bytes:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", value).casefold())
    return domain.encode() + b"\0" + folded.encode("utf-8", "surrogatepass")


def _tag(keyed: hmac.HMAC, message: bytes) -> bytes:
    made = keyed.copy()  # takes half as long as taking in the key again
    made.update(message)
    return made.digest()[:16]


def _read(path: Path) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        key = file.read(_SIZE + 1)
    if len(key) != _SIZE:
        raise CurateError(
            f"the key {path} is damaged",
            "Delete it: its tags link to nothing any more, and their records expire in time.",
        )
    if mode & 0o077:
        raise CurateError(f"the key {path} can be read by others", f"chmod 600 {path}")
    return key


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

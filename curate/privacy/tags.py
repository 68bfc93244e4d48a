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
from datetime import UTC, datetime
from pathlib import Path

from curate.model.errors import CurateError

_SIZE = 32
_SHORTEST_DAYS = 30
_KEY = re.compile(r"(\d{4}-\d\d-\d\d)\.key")
_ORIGIN = datetime(2020, 1, 1, tzinfo=UTC)
_DAY = 86400.0


class Tagger:
    """Tags values under epoch keys kept in a directory, one file of mode 0600 per epoch."""

    def __init__(self, directory: Path, epoch_days: int, keys: dict[int, bytes]) -> None:
        self._directory = directory
        self._days = epoch_days
        self._keys = keys

    @classmethod
    def open(cls, keys: Path, now: datetime, keep_days: int) -> Tagger:
        """Open the key directory, made with mode 0700 where it is missing, with a key for `now`.

        An epoch is at least as long as records are kept (`keep_days`), so that two live epochs
        cover everything kept. Raises `CurateError` for a key that is not one.
        """
        tagger = cls.load(keys, keep_days)
        tagger._key(tagger._epoch(now))
        return tagger

    @classmethod
    def load(cls, keys: Path, keep_days: int) -> Tagger:
        """Open the key directory as `open` does, but make no key: that needs room on the disk."""
        try:
            keys.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = {
                path: match
                for path in sorted(keys.iterdir())
                if (match := _KEY.fullmatch(path.name))
            }
            tagger = cls(keys, max(keep_days, _SHORTEST_DAYS), {})
            for path, match in found.items():
                begins = datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
                tagger._keys[tagger._epoch(begins)] = _read(path)
        except OSError as error:
            raise CurateError(
                f"the key directory {keys} cannot be used: {error.strerror}", "Check its mode."
            ) from None
        return tagger

    def tag(self, domain: str, value: str, when: datetime) -> bytes:
        """Return the tag, 16 bytes, of a value under the key of the epoch of `when`.

        The same value in another `domain` has another tag. Compatible spellings and cases are
        one value. A new epoch's key is on disk, durable, before its first tag is returned.
        """
        return _tag(self._key(self._epoch(when)), domain, value)

    def live(self, domain: str, value: str) -> tuple[bytes, ...]:
        """Return the value's tags under every epoch whose key lives, newest first."""
        return tuple(
            _tag(self._keys[epoch], domain, value) for epoch in sorted(self._keys, reverse=True)
        )

    def destroy_before(self, limit: datetime) -> int:
        """Destroy the keys of epochs that ended before `limit`; return how many.

        A key is overwritten and unlinked, and both are made durable.
        """
        gone = [epoch for epoch in self._keys if self._begins(epoch + 1) <= limit]
        for epoch in gone:
            path = self._path(epoch)
            try:
                with path.open("r+b", buffering=0) as file:
                    file.write(secrets.token_bytes(_SIZE))
                    os.fsync(file.fileno())
                path.unlink()
                _sync(self._directory)
            except FileNotFoundError:
                pass
            except OSError as error:
                raise CurateError(
                    f"the key {path} cannot be destroyed: {error.strerror}", "Check its mode."
                ) from None
            del self._keys[epoch]
        return len(gone)

    def _epoch(self, when: datetime) -> int:
        return int((when - _ORIGIN).total_seconds() // (_DAY * self._days))

    def _begins(self, epoch: int) -> datetime:
        return datetime.fromtimestamp(_ORIGIN.timestamp() + epoch * self._days * _DAY, UTC)

    def _path(self, epoch: int) -> Path:
        return self._directory / f"{self._begins(epoch):%Y-%m-%d}.key"

    def _key(self, epoch: int) -> bytes:
        if epoch not in self._keys:
            self._keys[epoch] = self._make(epoch)
        return self._keys[epoch]

    def _make(self, epoch: int) -> bytes:
        path = self._path(epoch)
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


def _tag(key: bytes, domain: str, value: str) -> bytes:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", value).casefold())
    message = b"curate/v1/" + domain.encode() + b"\0" + folded.encode("utf-8", "surrogatepass")
    return hmac.digest(key, message, "sha256")[:16]


def _read(path: Path) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        key = file.read(_SIZE + 1)
    if len(key) != _SIZE:
        raise CurateError(
            f"the key {path} is damaged",
            "Restore it from a backup of the keys; without it, old tags link to nothing.",
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

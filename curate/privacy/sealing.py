"""Sealed raw text: AES-256-GCM under a key per day, and a key destroyed is a text gone.

A day's key is durable on disk before the first text is sealed with it. Destroying it overwrites
the file, flushes it, unlinks it and flushes the directory: what was sealed with it stays
unreadable in every database page, backup and snapshot (NIST SP 800-88r2, cryptographic erase).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from curate.model.errors import CurateError, Exit

_SUFFIX = ".key"
_KEY_BYTES = 32
_NONCE_BYTES = 12


class KeyGone(CurateError):
    """The text's day has passed and its key is destroyed: nobody can read it again."""

    def __init__(self, day: date) -> None:
        super().__init__(
            f"the sealed originals of {day.isoformat()} are gone: their key was destroyed",
            "Only the anonymised record remains.",
            Exit.FOUND,
        )


class Vault:
    """The day keys in a directory (0700, files 0600), and sealing and opening with them.

    Safe for use from several threads and processes.
    """

    def __init__(self, keys: Path) -> None:
        self._keys = keys
        self._lock = threading.Lock()
        self._known: dict[date, AESGCM] = {}

    def sealer(self, day: date) -> Callable[[bytes, bytes], bytes]:
        """Return what seals, under a name, a text with the key of `day`; the name must be given
        again to open it, and a sealed text moved under another name or day does not open.

        Use it at once: whether the key is still there is looked at only now.
        """
        key = self._key(day, create=True)

        def seal(name: bytes, text: bytes) -> bytes:
            nonce = secrets.token_bytes(_NONCE_BYTES)
            return nonce + key.encrypt(nonce, text, _bound(day, name))

        return seal

    def open(self, day: date, name: bytes, sealed: bytes) -> bytes:
        """Return the text that was sealed. Raises `KeyGone` once the day's key is destroyed, and
        `CurateError` when the sealed bytes were changed.
        """
        try:
            return self._key(day, create=False).decrypt(
                sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _bound(day, name)
            )
        except InvalidTag:
            raise CurateError(
                f"a sealed original of {day.isoformat()} was changed on disk and does not open",
                "The anonymised record is untouched. Check the disk and who may write there.",
            ) from None

    def days(self) -> tuple[date, ...]:
        """Return the days whose keys are still there, oldest first."""
        found = []
        for path in self._keys.glob(f"????-??-??{_SUFFIX}"):
            with contextlib.suppress(ValueError):
                found.append(date.fromisoformat(path.stem))
        return tuple(sorted(found))

    def destroy_before(self, limit: datetime) -> int:
        """Destroy the keys of all days that ended at or before `limit`; return how many.

        Works on a full disk: nothing new is written.
        """
        destroyed = 0
        try:
            for day in self.days():
                if day < limit.astimezone(UTC).date():
                    _destroy(self._keys / f"{day.isoformat()}{_SUFFIX}")
                    with self._lock:
                        self._known.pop(day, None)
                    destroyed += 1
            if destroyed:
                _flush(self._keys)
        except OSError as error:
            raise CurateError(
                f"a key in {self._keys} cannot be destroyed: {error.strerror}", "Check its mode."
            ) from None
        return destroyed

    def _key(self, day: date, *, create: bool) -> AESGCM:
        with self._lock:
            known = self._known.get(day)
            path = self._keys / f"{day.isoformat()}{_SUFFIX}"
            if known is not None and path.exists():
                return known
            self._known.pop(day, None)
            if create and not path.exists():
                _make(path)
            try:
                raw = path.read_bytes()
            except FileNotFoundError:
                raise KeyGone(day) from None
            if len(raw) != _KEY_BYTES:
                raise CurateError(
                    f"{path} is no key: it has {len(raw)} bytes, not {_KEY_BYTES}",
                    "It was cut short or replaced. Its texts cannot be read; delete the file.",
                )
            self._known[day] = AESGCM(raw)
            return self._known[day]


def _bound(day: date, name: bytes) -> bytes:
    return b"curate/v1/raw\0" + day.isoformat().encode() + b"\0" + name


def _make(path: Path) -> None:
    """Make a key that is whole, durable, and the same for all who make it at once."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(_KEY_BYTES))
                file.flush()
                os.fsync(file.fileno())
            with contextlib.suppress(FileExistsError):
                path.hardlink_to(draft)
        finally:
            draft.unlink()
        _flush(path.parent)
    except OSError as error:
        raise CurateError(
            f"the key {path} cannot be written: {error.strerror}",
            "Make room, or check the directory's mode.",
        ) from None


def _destroy(path: Path) -> None:
    # Another purge may be at it, too.
    with contextlib.suppress(FileNotFoundError):
        with path.open("r+b") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()


def _flush(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""The sealed originals of a workspace: the keys, the file they lie in, and what time allows."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from curate.config import RetentionSettings
from curate.ingest.originals import Original
from curate.model.errors import CurateError, Exit
from curate.model.events import RawText
from curate.privacy.sealing import KeyGone, Vault
from curate.store.files import Busy
from curate.store.raw import Raw, Sealed
from curate.store.retention import Outcome
from curate.store.store import Store

TAGS = "tags"
"""The directory of the tags' keys, inside that of the days' keys."""

_CACHEDIR = (
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# Keys of sealed text and of tags. A backup of them would undo every purge: tar\n"
    "# --exclude-caches, borg and restic leave this directory out.\n"
)


def prepare(keys: Path) -> Path:
    """Make the key directory (0700, marked as not to be backed up) and return that of the tags'
    keys, moving there what an older program kept instead of days' keys. That one left no mark:
    in a marked directory a missing one was lost, and no day's key may stand in for a tag's.
    """
    tags, mark = keys / TAGS, keys / "CACHEDIR.TAG"
    try:
        keys.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not tags.is_dir():
            moving = keys / f"{TAGS}.new"
            moving.mkdir(mode=0o700, exist_ok=True)
            for key in () if mark.exists() else keys.glob("*.key"):
                key.rename(moving / key.name)
            moving.rename(tags)
        if not mark.exists():
            mark.touch(mode=0o600)
            mark.write_text(_CACHEDIR, encoding="ascii")
    except OSError as error:
        raise CurateError(
            f"the key directory {keys} cannot be used: {error.strerror}", "Check its mode."
        ) from None
    return tags


class Originals:
    """What was logged, sealed under a key per day, for at most so many days.

    Thread-safe. `raw.db` is opened, and made where it is missing, on first use.
    """

    def __init__(
        self,
        path: Path,
        keys: Path,
        settings: RetentionSettings,
        now: Callable[[], datetime],
        store: Callable[[], Store],
    ) -> None:
        self._path = path
        self._vault = Vault(keys)
        self._days = settings.kept_raw_days
        self._now = now
        self._store = store
        self._lock = threading.Lock()
        self._raw: Raw | None = None

    @property
    def raw(self) -> Raw:
        """The file the originals lie in."""
        with self._lock:
            if self._raw is None:
                self._raw = Raw(self._path)
            return self._raw

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._raw is not None:
                self._raw.close()
                self._raw = None

    @property
    def first(self) -> date:
        """The first day whose originals may still be read; tomorrow where none are kept."""
        return (self._now() - timedelta(days=self._days - 1)).astimezone(UTC).date()

    # ------------------------------------------------------------------ coming in

    @contextmanager
    def filling(self) -> Iterator[Callable[[Sequence[Original]], None] | None]:
        """Give the function that seals and stores a batch, or None where none are to be kept."""
        if not self._days:
            yield None
            return
        with self.raw.filling(self._known):
            yield self._seal

    def _known(self, keys: Sequence[bytes]) -> Collection[bytes]:
        return self._store().kept(keys)

    def _seal(self, batch: Sequence[Original]) -> None:
        store, first = self._store(), self.first
        kept = store.kept([key for one in batch for key in one.keys])
        barred = store.barred({one.user for one in batch if one.user is not None})
        sealed = []
        sealer = functools.cache(self._vault.sealer)
        for one in batch:
            if one.user in barred:
                continue
            key = next((key for key in one.keys if key in kept), one.keys[0])
            day = min(one.at, kept.get(key, one.at)).astimezone(UTC).date()
            if day >= first:
                text = one.text.reveal().encode("utf-8", "surrogatepass")
                sealed.append(Sealed(key, day, sealer(day)(key, text)))
        self.raw.put(sealed)

    # ------------------------------------------------------------------ looking

    def open(self, keys: Collection[bytes]) -> dict[bytes, RawText]:
        """Return the originals under these keys that can still be read, packed: neither those
        whose time is over nor those whose key is destroyed.
        """
        found = {}
        for key, sealed in self.raw.get(keys, self.first).items():
            with suppress(KeyGone):
                text = self._vault.open(sealed.day, key, sealed.text)
                found[key] = RawText(text.decode("utf-8", "surrogatepass"))
        return found

    def one(self, key: bytes) -> RawText:
        """Return the original under a key, packed. Raises `CurateError` when it is gone."""
        found = self.open([key])
        if not found:
            raise CurateError(
                "the original is not kept any more"
                if self._days
                else "originals are not kept here (`store_raw`)",
                "Only the anonymised record is there.",
                Exit.FOUND,
            )
        return found[key]

    def keys(self) -> list[bytes]:
        """Return the keys of all originals that may still be read."""
        return self.raw.keys(self.first)

    # ------------------------------------------------------------------ going

    def destroy_keys(self) -> int:
        """Destroy the keys of all days that are over; return how many. Needs neither a database
        nor room on the disk.
        """
        return self._vault.destroy_before(datetime.combine(self.first, time(), UTC))

    def overdue_keys(self) -> int:
        """Return how many keys of days that are over are still there."""
        return sum(day < self.first for day in self._vault.days())

    def overdue(self) -> int:
        """Return how many sealed originals of days that are over still lie in the file."""
        return self.raw.overdue(self.first)

    def unfinished(self) -> bool:
        """Say whether originals were deleted whose bytes are not proven gone yet."""
        return self.raw.is_dirty()

    def clear(self) -> Outcome:
        """Delete what is over and what was never saved, bytes and all."""
        counts = {"raw": 0}

        def work() -> None:
            counts["raw"] += self.raw.delete_before(self.first)
            counts["raw"] += self.raw.sweep_alone(self._known)

        return self._settled(work, counts)

    def erase(self, keys: Collection[bytes]) -> Outcome:
        """Delete the originals under these keys, bytes and all."""
        counts = {"raw": 0}

        def work() -> None:
            counts["raw"] += self.raw.delete(keys)

        return self._settled(work, counts)

    def _settled(self, work: Callable[[], None], counts: dict[str, int]) -> Outcome:
        try:
            work()
            self.raw.rewrite()
        except Busy as error:
            return Outcome("deferred", counts, {}, error.message)
        try:
            left = self.raw.settle(self.first)
            left["keys"] = self.overdue_keys()
        except CurateError as error:
            return Outcome("not verified", counts, {}, error.message)
        verified = {f"raw_{name}": number for name, number in left.items()}
        if any(verified.values()):
            what = ", ".join(name for name, number in verified.items() if number)
            return Outcome("not verified", counts, verified, f"something is left: {what}")
        return Outcome("clean", counts, verified)

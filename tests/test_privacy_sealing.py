"""Sealed raw text is readable while its day's key is there, and never after."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from curate.model.errors import CurateError
from curate.privacy.sealing import KeyGone, Vault

DAY = date(2026, 11, 2)


def test_what_was_sealed_opens_under_its_own_name_only(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "keys")
    sealed = vault.sealer(DAY)(b"one", "តើ Dara នៅទីណា".encode())

    assert Vault(tmp_path / "keys").open(DAY, b"one", sealed).decode() == "តើ Dara នៅទីណា"
    assert b"Dara" not in sealed
    with pytest.raises(CurateError, match="was changed"):
        vault.open(DAY, b"two", sealed)
    with pytest.raises(CurateError, match="was changed"):
        vault.open(DAY, b"one", sealed[:-1] + bytes([sealed[-1] ^ 1]))


def test_the_same_text_never_seals_the_same(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "keys")

    assert vault.sealer(DAY)(b"one", b"text") != vault.sealer(DAY)(b"one", b"text")


def test_a_destroyed_key_takes_its_texts_with_it(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "keys")
    old = vault.sealer(DAY)(b"one", b"text")
    new = vault.sealer(date(2026, 11, 3))(b"one", b"text")

    assert vault.destroy_before(datetime(2026, 11, 3, 12, tzinfo=UTC)) == 1
    assert vault.days() == (date(2026, 11, 3),)
    with pytest.raises(KeyGone):
        vault.open(DAY, b"one", old)
    assert vault.open(date(2026, 11, 3), b"one", new) == b"text"
    assert vault.destroy_before(datetime(2026, 11, 3, 12, tzinfo=UTC)) == 0


def test_a_key_destroyed_by_another_process_is_noticed(tmp_path: Path) -> None:
    mine, other = Vault(tmp_path / "keys"), Vault(tmp_path / "keys")
    sealed = mine.sealer(DAY)(b"one", b"text")
    other.destroy_before(datetime(2026, 12, 1, tzinfo=UTC))

    with pytest.raises(KeyGone):
        mine.open(DAY, b"one", sealed)


def test_keys_are_private_and_leave_no_drafts(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "keys")
    vault.sealer(DAY)(b"one", b"text")

    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o700
    [key] = (tmp_path / "keys").iterdir()
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_cut_key_is_named(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "keys")
    sealed = vault.sealer(DAY)(b"one", b"text")
    (tmp_path / "keys" / "2026-11-02.key").write_bytes(b"short")

    with pytest.raises(CurateError, match=r"2026-11-02\.key is no key"):
        Vault(tmp_path / "keys").open(DAY, b"one", sealed)

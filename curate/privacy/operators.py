"""What stands in a text instead of what was found: a placeholder, stars, a keyed hash, a stand-in.

The choice is `[privacy] operator`. All but the stars tell two values of a record apart.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from importlib import import_module
from typing import Any, Protocol

from presidio_anonymizer.operators import Hash, Mask

from curate.config import PrivacySettings
from curate.model.errors import CurateError, Exit
from curate.privacy.placeholders import Numbering

KNOWN_SURROGATES = 50
"""So many stand-ins of each kind the second scan knows for what they are."""

_LEAST_SEED = 16


class Operator(Protocol):
    """Replaces the values of one record."""

    def placeholder(self, entity: str, value: str) -> str:
        """Return what stands for a value; case and spacing are one."""


def check(settings: PrivacySettings) -> None:
    """Raise `CurateError` where the operator lacks what it needs."""
    if settings.operator == "hash" and len(settings.seed) < _LEAST_SEED:
        raise CurateError(
            f'operator = "hash" needs a secret `seed` of {_LEAST_SEED} characters or more',
            "Set seed in [privacy] of curate.toml; a hash without a secret is guessed in seconds.",
            Exit.USAGE,
        )
    if settings.operator == "surrogate":
        surrogates("PERSON", 1, settings.seed)


def operator(settings: PrivacySettings, texts: Iterable[str] = ()) -> Operator:
    """Return a new operator, for one record that has these `texts`."""
    match settings.operator:
        case "mask":
            return _Masking()
        case "hash":
            return _Hashing(settings.seed)
        case "surrogate":
            return _Standing(settings.seed)
        case _:
            return Numbering(texts)


class _Masking:
    def placeholder(self, entity: str, value: str) -> str:
        how = {"masking_char": "*", "chars_to_mask": len(value), "from_end": False}
        return str(Mask().operate(value, how))


class _Hashing:
    def __init__(self, seed: str) -> None:
        self._salt = seed.encode("utf-8", "surrogatepass")

    def placeholder(self, entity: str, value: str) -> str:
        plain = " ".join(value.casefold().split())
        # Presidio encodes strictly; a lone surrogate is text like any other here.
        plain = plain.encode("utf-8", "backslashreplace").decode()
        how = {"hash_type": "sha256", "salt": self._salt}
        hashed = str(Hash().operate(plain, how))
        # A number, so that it is a placeholder to everything that looks for them.
        return f"<{entity}_{int(hashed[:15], 16)}>"


class _Standing:
    """Stand-ins in the order of a record's values: they say nothing about the value, so that
    the same one in two records does not tie them together.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._given: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def placeholder(self, entity: str, value: str) -> str:
        key = (entity, " ".join(value.casefold().split()))
        if key not in self._given:
            count = self._counts[entity] = self._counts.get(entity, 0) + 1
            known = surrogates(entity, max(count, KNOWN_SURROGATES), self._seed)
            self._given[key] = known[count - 1]
        return self._given[key]


@functools.lru_cache(maxsize=64)
def surrogates(entity: str, count: int, seed: str) -> tuple[str, ...]:
    """Return the first `count` stand-ins of a kind under a seed, all different.

    Names, addresses at example.org and its like, and numbers kept free for fiction. Raises
    `CurateError` where the extra `surrogates` is not installed.
    """
    try:
        faker: Any = import_module("faker")
    except ImportError:
        raise CurateError(
            'operator = "surrogate" needs the extra `surrogates`',
            "Run: pip install 'curate[surrogates]'",
            Exit.USAGE,
        ) from None
    fake = faker.Faker("en_US")
    fake.seed_instance(f"{seed}/{entity}")
    made: dict[str, None] = {}
    while len(made) < count:
        if entity == "EMAIL_ADDRESS":
            made[fake.ascii_safe_email()] = None
        elif entity == "PHONE_NUMBER":
            made[fake.numerify("+1 ### 555 01##")] = None
        else:
            made[f"{fake.first_name()} {fake.last_name()}"] = None
    return tuple(made)

"""Ready queries for the databases of well-known applications, as package data in recipes/."""

from __future__ import annotations

from importlib.resources import files

from curate.model.errors import CurateError, Exit, did_you_mean

_SUFFIX = ".sql"


def names() -> tuple[str, ...]:
    """Return the names of all recipes."""
    found = files("curate.ingest").joinpath("recipes").iterdir()
    return tuple(
        sorted(one.name.removesuffix(_SUFFIX) for one in found if one.name.endswith(_SUFFIX))
    )


def recipe(name: str) -> str:
    """Return the SQL of a recipe. Raises `CurateError` for a name nobody knows."""
    if name not in names():
        hint = did_you_mean(name, names(), f"There are: {', '.join(names())}.")
        raise CurateError("there is no recipe of that name", hint, Exit.USAGE)
    found = files("curate.ingest").joinpath("recipes").joinpath(name + _SUFFIX)
    return found.read_text(encoding="utf-8")

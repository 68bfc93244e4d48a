"""Build the word and name lists in curate/privacy/lists. Run by hand, when a source changes.

usage: python tests/data/lists/wordlists.py SCOWL_DIR

SCOWL_DIR holds the files of Debian's wamerican-small, wamerican-large, wbritish-small and
wbritish-large (`/usr/share/dict`). The names come from the installed packages `faker` and
`names`. Sources and licences are named in curate/privacy/lists/LICENCES.txt.
"""

from __future__ import annotations

import gzip
import importlib.util
import re
import sys
import unicodedata
from collections import Counter
from importlib import import_module
from pathlib import Path
from zoneinfo import available_timezones

LISTS = Path(__file__).resolve().parents[3] / "curate" / "privacy" / "lists"
DATES = (
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june"
    " july august september october november december"
)
LATIN = re.compile(r"[a-z]{2,}")


def fold(word: str) -> str:
    """Return `word` in lower case without accents, as the recogniser looks it up."""
    spread = unicodedata.normalize("NFKD", word.lower().replace("đ", "d").replace("ø", "o"))
    return "".join(c for c in spread if not unicodedata.combining(c)).replace("ß", "ss")


def scowl(folder: Path, *names: str) -> set[str]:
    """Return the words written in lower case in the named files, possessives left out."""
    found: set[str] = set()
    for name in names:
        for line in (folder / name).read_text(encoding="utf-8").split("\n"):
            word = line.strip()
            if word.islower() and not word.endswith("'s"):
                found.add(fold(word).replace("'", ""))
    return {word for word in found if LATIN.fullmatch(word)}


def faker_names() -> tuple[Counter[str], Counter[str]]:
    """Return given and family names, with the number of languages that have them, of every
    locale that writes them in Latin script.
    """
    given: dict[str, set[str]] = {}
    family: dict[str, set[str]] = {}
    for folder in sorted(package("faker.providers.person").iterdir()):
        if not (folder / "__init__.py").is_file():
            continue
        provider = import_module(f"faker.providers.person.{folder.name}").Provider
        for attribute in dir(provider):
            kind = re.fullmatch(r"(first|last)_(?:romanized_)?names?(?:_\w+)?", attribute)
            if kind:
                names = given if kind[1] == "first" else family
                for name in parts(getattr(provider, attribute)):
                    names.setdefault(name, set()).add(folder.name[:2])
    return (
        Counter({name: len(where) for name, where in given.items()}),
        Counter({name: len(where) for name, where in family.items()}),
    )


def proper(folder: Path, *names: str) -> set[str]:
    """Return the words that the named files write with a capital only."""
    found: set[str] = set()
    for name in names:
        for line in (folder / name).read_text(encoding="utf-8").split("\n"):
            word = line.strip()
            if word[:1].isupper() and not word.endswith("'s"):
                found.add(fold(word).replace("'", ""))
    return {word for word in found if LATIN.fullmatch(word)}


def places() -> set[str]:
    """Return the words of countries, US states and the cities that name a time zone."""
    countries = import_module("faker.providers.address.en").Provider.countries
    states = import_module("faker.providers.address.en_US").Provider.states
    zones = [zone for zone in available_timezones() if "Etc/" not in zone]
    return {word for word in parts([*countries, *states, *zones]) if len(word) > 3}


def package(name: str) -> Path:
    """Return the folder of an installed package."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{name} is not installed: pip install faker names")
    return Path(spec.submodule_search_locations[0])


def parts(names: object) -> set[str]:
    """Return the folded words of a Faker name list, which may be weighted."""
    if not isinstance(names, dict | list | tuple | set):
        return set()
    return {
        word
        for name in names
        for word in re.split(r"[^a-z]+", fold(str(name)))
        if len(word) > 1 and LATIN.fullmatch(word)
    }


def census(kind: str, share: float) -> set[str]:
    """Return the US Census names that cover `share` per cent of the people."""
    found: set[str] = set()
    file = package("names") / f"dist.{kind}"
    for line in file.read_text(encoding="ascii").splitlines():
        name, _, cumulative, _ = line.split()
        if float(cumulative) > share:
            break
        found.add(name.lower())
    return {name for name in found if len(name) > 1}


def write(name: str, words: set[str]) -> None:
    """Write a list, the same bytes for the same words."""
    data = "\n".join(sorted(words)).encode("ascii")
    (LISTS / f"{name}.txt.gz").write_bytes(gzip.compress(data, 9, mtime=0))
    sys.stderr.write(f"{name}: {len(words)} words\n")


def main() -> None:
    """Write the lists."""
    folder = Path(sys.argv[1])
    common = scowl(folder, "american-english-small", "british-english-small")
    common |= set(DATES.split())
    rare = scowl(folder, "american-english-large", "british-english-large") - common
    given, family = faker_names()
    usual_given = census("male.first", 100) | census("female.first", 100)
    usual_given |= {name for name, count in given.items() if count > 1}
    usual_family = census("all.last", 70) | {name for name, count in family.items() if count > 1}
    files = ("american-english-large", "british-english-large")
    write("proper", proper(folder, *files) - common - rare - usual_given)
    write("places", places() - common)
    write("common", common)
    write("rare", rare)
    write("given", usual_given)
    write("given_rare", set(given) - usual_given)
    write("given_top", census("male.first", 80) | census("female.first", 80))
    write("family", usual_family)
    write("family_top", census("all.last", 40))
    write("family_rare", (set(family) | census("all.last", 84)) - usual_family)


if __name__ == "__main__":
    main()

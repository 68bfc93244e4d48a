"""`curate.toml` and the environment become `Settings`; the one reader of `os.environ`."""

from __future__ import annotations

import getpass
import json
import os
import stat
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from curate.model.errors import CurateError, Exit, did_you_mean
from curate.model.plain import Json

FILE = "curate.toml"
TERMS = {"allow": "allow.txt", "deny": "deny.txt"}
"""The files beside it that add to the lists of `[privacy]`, by list."""

OPERATORS = ("placeholder", "mask", "hash", "surrogate")
PROFILES = ("standard", "thorough")
ENTITIES = ("PERSON", "PHONE_NUMBER", "EMAIL_ADDRESS")
PHONE_REGIONS = ("US", "GB", "DE", "FR", "IN", "BR", "AU", "KH", "TH", "VN", "SG")
REFUSALS = (
    "I could not find",
    "I couldn't find",
    "I don't know",
    "I do not know",
    "The documents do not say",
    "not in the documents",
)


@dataclass(frozen=True, slots=True)
class CorpusSettings:
    """`[corpus]`: where the assistant's documents are, relative to the workspace.

    With `follow_moves`, evidence that moved word for word is followed without asking.
    """

    root: str = "docs"
    include: tuple[str, ...] = (
        "**/*.md",
        "**/*.txt",
        "**/*.rst",
        "**/*.html",
        "**/*.htm",
        "**/*.docx",
    )
    exclude: tuple[str, ...] = ()
    follow_moves: bool = False


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """One `[[sources]]`: a log to read.

    `path` may hold globs, or is the address of a Langfuse (`https://...`). `template` is a
    regular expression whose group `question` (or first group) is what the user asked in a
    prompt glued around it. `map` gives a dotted path for each field of the event model. `down`
    and `up` list the rating values, as written in the log, that mean a thumb down or up (`0`,
    `dislike`, `<=2`). With `purge_files`, a purge deletes log files of this source in which
    everything is older than the records are kept. `records_days`, where it is not 0, is how
    long records of this source are kept: shorter than those of others. `overlap_days` says how
    far back the votes of a Langfuse are read again, since they are changed and deleted there.
    `joins` names the source whose questions its votes are about, where that is another one.
    """

    name: str = ""
    path: str = ""
    format: str = "auto"
    map: dict[str, str] = field(default_factory=dict)
    down: tuple[str, ...] = ()
    up: tuple[str, ...] = ()
    template: str = ""
    purge_files: bool = False
    records_days: int = 0
    overlap_days: int = 7
    joins: str = ""


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    """`[retention]`: how long anonymised records and sealed originals are kept, in days.

    `store_raw` is `sealed`, or `never` where no original is to be kept.
    """

    records_days: int = 90
    raw_days: int = 14
    store_raw: str = "sealed"

    @property
    def kept_raw_days(self) -> int:
        """How many days an original is kept: no longer than its record; 0 for never."""
        return 0 if self.store_raw == "never" else min(self.raw_days, self.records_days)


@dataclass(frozen=True, slots=True)
class PrivacySettings:
    """`[privacy]`: what the anonymiser replaces.

    `allow` are terms that are never personal here, `deny` are house-specific names that always
    are. Both ignore case, and `allow.txt` and `deny.txt` beside the config add to them.
    `operator` is one of `OPERATORS`; `seed` is the secret of its hashes, and chooses its
    surrogates. `profile` is one of `PROFILES`.
    """

    entities: tuple[str, ...] = ENTITIES
    languages: tuple[str, ...] = ("en",)
    phone_regions: tuple[str, ...] = PHONE_REGIONS
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    operator: str = "placeholder"
    seed: str = field(default="", repr=False)
    profile: str = "standard"


@dataclass(frozen=True, slots=True)
class AssistantSettings:
    """`[assistant]`: how the assistant speaks. Answers that hold a refusal phrase are refusals."""

    refusals: tuple[str, ...] = REFUSALS


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """`[split]`: the share of clusters that goes to the holdout, from 0 to 1."""

    holdout: float = 0.2


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """`[export]`: git remotes that exports may live beside; any other is refused."""

    allowed_remotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScreenSettings:
    """`[screen]`: the terminal's looks: a Textual theme, and keys by binding id."""

    theme: str = "curate-dark"
    keys: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a workspace is told, with its defaults."""

    curator: str = ""
    corpus: CorpusSettings = CorpusSettings()
    sources: tuple[SourceSettings, ...] = ()
    retention: RetentionSettings = RetentionSettings()
    privacy: PrivacySettings = PrivacySettings()
    assistant: AssistantSettings = AssistantSettings()
    split: SplitSettings = SplitSettings()
    export: ExportSettings = ExportSettings()
    screen: ScreenSettings = ScreenSettings()


def load(path: Path) -> Settings:
    """Read a `curate.toml`. Raises `CurateError` naming the file and the key or line at fault."""
    try:
        raw = tomllib.loads(_text(path))
    except FileNotFoundError:
        raise CurateError(
            f"{path.parent} is not a workspace: it has no {FILE}",
            "Make one with `curate init`, or name another with --workspace.",
            Exit.USAGE,
        ) from None
    except OSError as error:
        raise CurateError(f"{path} cannot be read: {error.strerror}", "Check its mode.") from None
    except UnicodeDecodeError:
        raise CurateError(f"{path} is not UTF-8", "Save it as UTF-8.", Exit.USAGE) from None
    except RecursionError:
        raise CurateError(f"{path} is nested too deep", "Mend the file.", Exit.USAGE) from None
    except tomllib.TOMLDecodeError as error:
        where = str(error).rpartition("(")[2].rstrip(")")
        raise CurateError(
            f"{path} is not valid TOML ({where})", "Mend the file there.", Exit.USAGE
        ) from None
    settings: Settings = _table(Settings, raw, "", path)
    _validate(settings, path)
    privacy = settings.privacy
    privacy = replace(
        privacy,
        allow=(*privacy.allow, *terms(path.parent / TERMS["allow"])),
        deny=(*privacy.deny, *terms(path.parent / TERMS["deny"])),
    )
    return replace(settings, privacy=privacy)


def _text(path: Path) -> str:
    if stat.S_ISFIFO(path.stat().st_mode):  # which would be waited for, for ever
        raise CurateError(f"{path} is a pipe, not a file", "Put a file there.", Exit.USAGE)
    return path.read_text(encoding="utf-8-sig")


def terms(path: Path) -> tuple[str, ...]:
    """Return the terms of a list file, one a line; none where it is missing. A line that begins
    with `#` is a comment. Raises `CurateError` when it cannot be read.
    """
    try:
        lines = _text(path).split("\n")
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise CurateError(f"{path} cannot be read: {error.strerror}", "Check its mode.") from None
    except UnicodeDecodeError:
        raise CurateError(f"{path} is not UTF-8", "Save it as UTF-8.", Exit.USAGE) from None
    found = (line.strip() for line in lines if not line.startswith("#"))
    return tuple(dict.fromkeys(term for term in found if term))


def set_terms(path: Path, wanted: Iterable[str]) -> None:
    """Write a list file (0600), one term a line in order, whole or not at all.

    Raises `CurateError` when it cannot be written.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    head = f"# {path.stem}: one term a line; `curate privacy` keeps this file\n"
    body = "".join(f"{' '.join(term.split())}\n" for term in sorted(set(wanted), key=str.casefold))
    try:
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(head + body)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise CurateError(
            f"{path} cannot be written: {error.strerror}", "Check the disk and the modes."
        ) from None


def _table(kind: type[Any], raw: Json, prefix: str, path: Path) -> Any:
    known = {f.name: f for f in fields(kind)}
    values: Json = {}
    for key, value in raw.items():
        if key not in known:
            hint = did_you_mean(key, known, f"Known here: {', '.join(known)}.")
            raise CurateError(f"{path}: unknown key `{prefix}{key}`", hint, Exit.USAGE)
        values[key] = _value(known[key].type, value, prefix + key, path)
    return kind(**values)


_NESTED: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        CorpusSettings,
        RetentionSettings,
        PrivacySettings,
        AssistantSettings,
        SplitSettings,
        ExportSettings,
        ScreenSettings,
    )
}


def _value(kind: object, value: object, name: str, path: Path) -> object:
    match str(kind), value:
        case nested, dict() if nested in _NESTED:
            return _table(_NESTED[nested], value, f"{name}.", path)
        case "tuple[SourceSettings, ...]", list() if all(isinstance(v, dict) for v in value):
            return tuple(_table(SourceSettings, v, f"{name}.", path) for v in value)
        case "tuple[str, ...]", list() if all(isinstance(v, str | int | float) for v in value):
            return tuple(str(v) for v in value)
        case "dict[str, str]", dict() if all(isinstance(v, str) for v in value.values()):
            return value
        case ("str", str()) | ("float", float()) | ("bool", bool()):
            return value
        case "int", int() if not isinstance(value, bool):
            return value
        case "float", int() if not isinstance(value, bool):
            return float(value)
        case wanted, _:
            plain = wanted.replace("tuple[str, ...]", "a list of strings")
            raise CurateError(f"{path}: `{name}` is not {plain}", "Mend the value.", Exit.USAGE)


def _validate(settings: Settings, path: Path) -> None:
    def refuse(key: str, why: str) -> None:
        raise CurateError(f"{path}: `{key}` {why}", "Mend the value.", Exit.USAGE)

    if not 1 <= settings.retention.records_days <= 3650:
        refuse("retention.records_days", "must be from 1 to 3650")
    if not 1 <= settings.retention.raw_days <= 366:
        refuse("retention.raw_days", "must be from 1 to 366; `store_raw` says whether to keep any")
    if settings.retention.store_raw not in ("sealed", "never"):
        refuse("retention.store_raw", "knows only sealed, never")
    if not 0 <= settings.split.holdout <= 1:
        refuse("split.holdout", "must be from 0 to 1")
    for entity in settings.privacy.entities:
        if entity not in ENTITIES:
            refuse("privacy.entities", f"knows only {', '.join(ENTITIES)}")
    if settings.privacy.operator not in OPERATORS:
        refuse("privacy.operator", f"knows only {', '.join(OPERATORS)}")
    if settings.privacy.profile not in PROFILES:
        refuse("privacy.profile", f"knows only {', '.join(PROFILES)}")
    for region in settings.privacy.phone_regions:
        if not (len(region) == 2 and region.isascii() and region.isupper()):
            refuse("privacy.phone_regions", "wants two-letter country codes such as KH")
    names = [source.name for source in settings.sources]
    if "" in names:
        refuse("sources.name", "is missing in one of [[sources]]")
    if len(set(names)) < len(names):
        refuse("sources.name", "is used twice")
    for source in settings.sources:
        if not source.path:
            refuse(f"sources.path of {source.name}", "is missing")
        if not 0 <= source.records_days <= settings.retention.records_days:
            refuse(
                f"sources.records_days of {source.name}",
                "must be from 1 to retention.records_days; 0 means as long as all others",
            )
        if source.overlap_days < 0:
            refuse(f"sources.overlap_days of {source.name}", "must be 0 or more")
        if source.joins and source.joins not in names:
            refuse(f"sources.joins of {source.name}", "names no other source")


# ---------------------------------------------------------------------------- environment


def workspace_from_environment() -> Path | None:
    """Return `CURATE_WORKSPACE` as a path, or None."""
    value = os.environ.get("CURATE_WORKSPACE")
    return Path(value) if value else None


@dataclass(frozen=True, slots=True)
class ApiKeys:
    """The keys of a project of Langfuse."""

    public: str = field(repr=False)
    secret: str = field(repr=False)


def langfuse_keys() -> ApiKeys:
    """Return `LANGFUSE_PUBLIC_KEY` and `LANGFUSE_SECRET_KEY`. Raises `CurateError` without them."""
    public = os.environ.get("LANGFUSE_PUBLIC_KEY")
    secret = os.environ.get("LANGFUSE_SECRET_KEY")
    if not public or not secret:
        raise CurateError(
            "the keys of Langfuse are not in the environment",
            "Set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY.",
            Exit.USAGE,
        )
    return ApiKeys(public, secret)


def database_from_environment() -> str | None:
    """Return `CURATE_DB`, the URL of a team's own database, or None."""
    return os.environ.get("CURATE_DB") or None


def now(given: str | None = None) -> datetime:
    """Return the clock: `given` (from --now), else `CURATE_NOW`, else the system's, in UTC.

    Takes ISO 8601; a naive time is UTC. Raises `CurateError` for anything else.
    """
    value = given or os.environ.get("CURATE_NOW")
    if not value:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise CurateError(
            "the time in --now or CURATE_NOW is not ISO 8601",
            "Write it like 2026-11-29 or 2026-11-29T21:04:00Z.",
            Exit.USAGE,
        ) from None
    if not 1971 <= moment.year <= 9000:
        raise CurateError(
            "the time in --now or CURATE_NOW is out of reach", "Years go from 1971.", Exit.USAGE
        )
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def curator(given: str | None, settings: Settings) -> str:
    """Return who decides: `given` (from --as), else the config's name, else the login's."""
    if given or settings.curator:
        return given or settings.curator
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return f"uid-{os.getuid()}"


def debug_leaks() -> list[str]:
    """Return the environment variables that would write screens or keys to a file."""
    names = ("TEXTUAL_LOG", "TEXTUAL_SCREENSHOT", "TEXTUAL_DEVTOOLS")
    found = [name for name in names if os.environ.get(name)]
    if "devtools" in os.environ.get("TEXTUAL", ""):
        found.append("TEXTUAL")
    return found


# ---------------------------------------------------------------------------- the file itself

TEMPLATE = f"""\
# curate.toml: what this workspace is told. Every line that begins with `#` shows a default.

# curator = ""                 # who decides; default: the login name; or `--as NAME`

[corpus]                       # the documents the assistant answers from
root = "docs"                  # relative to this file
# include = {json.dumps(CorpusSettings().include)}
# exclude = []
# follow_moves = false         # true: evidence that moved word for word is followed without asking

# [[sources]]                  # a log to read; `curate ingest` without paths reads them all
# name = "assistant"
# path = "logs/*.jsonl"        # globs, relative to this file; or https://..., a Langfuse
# format = "auto"              # by the content; `curate ingest --format help` lists them all
# down = ["0"]                 # ratings that mean thumbs-down: values, or "<=2"; never guessed
# up = ["1"]
# template = ""                # a regular expression around a question in a glued prompt
# records_days = 0             # keep records of this source shorter than [retention] says
# purge_files = false          # true: `curate purge` deletes log files that are wholly too old
# joins = ""                   # the source whose questions these votes are about, if another
# overlap_days = 7             # how far back votes of a Langfuse are read again: they are changed
# [sources.map]                # only what was not recognised: field = "dotted.path"
# question = "payload.text"

[retention]
records_days = 90              # anonymised records live this long, then `curate purge` removes them
raw_days = 14                  # sealed originals: so long a curator can judge a redaction
store_raw = "sealed"           # or "never": no original is kept, not even sealed

[privacy]
# entities = {json.dumps(ENTITIES)}
# languages = ["en"]
# phone_regions = {json.dumps(PHONE_REGIONS)}
allow = []                     # terms that are never personal here (products, the bot's name)
deny = []                      # names that always are, whatever the model says
# operator = "placeholder"     # or mask, hash (needs a seed), surrogate (extra `surrogates`)
# seed = ""                    # a secret of 16 characters or more
# profile = "standard"         # or thorough: a second model, slower (extra `thorough`)

[assistant]                    # an answer that holds one of these is a refusal
# refusals = {json.dumps(REFUSALS)}

[split]
holdout = 0.2                  # share of near-duplicate groups kept for the holdout

[export]
allowed_remotes = []           # git remotes that exports may live beside; others are refused

[screen]
# theme = "curate-dark"        # or curate-light, or any of Textual's: nord, gruvbox, ...
# [screen.keys]                # other keys, by binding id (`?` shows the ids)
# save = "ctrl+s"
"""

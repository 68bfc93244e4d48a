"""The demo's files, its part of `curate.toml`, and its answer key."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path

from curate.model.errors import CurateError, Exit
from curate.model.items import EvidenceMode, Split
from curate.model.plain import Json
from curate.model.records import Turn

_HERE = Path(__file__).parent

# The time that opens a JSON line or a CSV row; times inside answers and comments stay.
_TIME = re.compile(
    r'^(?P<lead>\{"ts": ")?(?P<day>\d{4}-\d\d-\d\d)(?P<clock>[T ]\d\d:\d\d:\d\d)', re.MULTILINE
)

_CONFIG = """\
[[sources]]
name = "assistant"
path = "logs/assistant-log.jsonl"
format = "jsonl"
down = ["down"]
up = ["up"]

[[sources]]
name = "helpdesk"
path = "logs/helpdesk.csv"
format = "csv"
down = ["👎"]
up = ["👍"]

[assistant]
refusals = ["I could not find that in our pages", "Our pages do not say"]
"""


@dataclass(frozen=True, slots=True)
class Written:
    """The demo's files as written: absolute or relative paths, as the root was given.

    `oldest` and `newest` are the times (UTC) of the first and the last logged event.
    """

    documents: tuple[Path, ...]
    logs: tuple[Path, ...]
    oldest: datetime
    newest: datetime


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """A section of the demo's documents."""

    source: str
    heading: str


@dataclass(frozen=True, slots=True)
class KeyEvidence:
    """A phrase that stands verbatim, white space folded, in the section it names."""

    source: str
    heading: str
    phrase: str


@dataclass(frozen=True, slots=True)
class KeyItem:
    """One logged question with its right answer.

    `log` is the name of the source in the demo's configuration and `log_id` the id of the
    question in it; the question holds no personal data, so it reads the same once anonymised.
    Unanswerable items have `queries` that were tried and the section that is `tempting`.
    """

    log: str
    log_id: str
    question: str = field(repr=False)
    history: tuple[Turn, ...]
    answerable: bool
    evidences: tuple[KeyEvidence, ...]
    evidence_mode: EvidenceMode
    keyword: str
    must_include: tuple[str, ...]
    must_not_include: tuple[str, ...]
    reference: str
    kind: str
    lang: str
    split: Split
    queries: tuple[str, ...]
    tempting: KeyPlace | None
    note: str


def write(root: Path, now: datetime) -> Written:
    """Write the demo's `docs/` and `logs/` into `root` and return what was written.

    All logged times move by the same whole number of days, so that the newest lies between one
    and two days before `now` (an aware datetime) and the rest in the 75 days before it. Raises
    `CurateError` when one of the files exists or cannot be written; then none is left behind.
    """
    documents = {root / path.relative_to(_HERE): path.read_bytes() for path in _shipped("docs")}
    originals = {root / path.relative_to(_HERE): _text(path) for path in _shipped("logs")}
    times = [time for text in originals.values() for time in _times(text)]
    days = (now - timedelta(days=1) - max(times)) // timedelta(days=1)
    logs = {path: _moved(text, days).encode() for path, text in originals.items()}

    files = documents | logs
    for path in files:
        if path.exists() or path.is_symlink():
            raise _exists(path)
    done: list[Path] = []
    try:
        for path, content in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as stream:
                done.append(path)
                stream.write(content)
    except OSError as error:
        for path in done:
            path.unlink(missing_ok=True)
        if isinstance(error, FileExistsError):
            raise _exists(Path(error.filename)) from None
        raise CurateError(
            f"{error.filename or root} cannot be written: {error.strerror}",
            "Choose another directory with --workspace.",
        ) from None
    return Written(
        tuple(documents),
        tuple(logs),
        min(times) + timedelta(days=days),
        max(times) + timedelta(days=days),
    )


def config() -> str:
    """Return the demo's own tables of `curate.toml`: its two logs, how its assistant refuses."""
    return _CONFIG


def answer_key() -> tuple[KeyItem, ...]:
    """Return the answer key: curated questions of the demo's logs, in a fixed order."""
    raw: list[Json] = json.loads(_text(_HERE / "answer_key.json"))["items"]
    return tuple(_key_item(item) for item in raw)


def _key_item(raw: Json) -> KeyItem:
    return KeyItem(
        log=raw["log"]["source"],
        log_id=raw["log"]["id"],
        question=raw["question"],
        history=tuple(Turn(**turn) for turn in raw["history"]),
        answerable=raw["answerable"],
        evidences=tuple(KeyEvidence(**evidence) for evidence in raw["evidences"]),
        evidence_mode=raw["evidence_mode"],
        keyword=raw["keyword"],
        must_include=tuple(raw["must_include"]),
        must_not_include=tuple(raw["must_not_include"]),
        reference=raw["reference"],
        kind=raw["kind"],
        lang=raw["lang"],
        split=raw["split"],
        queries=tuple(raw["queries"]),
        tempting=KeyPlace(**raw["tempting"]) if raw["tempting"] else None,
        note=raw["note"],
    )


def _shipped(directory: str) -> list[Path]:
    return sorted(path for path in (_HERE / directory).rglob("*") if path.is_file())


def _text(path: Path) -> str:
    return path.read_bytes().decode()


def _times(log: str) -> list[datetime]:
    return [
        datetime.fromisoformat(f"{match['day']}{match['clock']}+00:00")
        for match in _TIME.finditer(log)
    ]


def _moved(log: str, days: int) -> str:
    def move(match: re.Match[str]) -> str:
        day = date.fromisoformat(match["day"]) + timedelta(days=days)
        return f"{match['lead'] or ''}{day.isoformat()}{match['clock']}"

    return _TIME.sub(move, log)


def _exists(path: Path) -> CurateError:
    return CurateError(
        f"{path} exists already",
        "Choose an empty directory with --workspace; the demo overwrites nothing.",
        Exit.USAGE,
    )

"""The set is asked: every question once, a reply or its failure written down as it comes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from curate.evaluate import runs
from curate.evaluate.cases import Case, CaseSet
from curate.evaluate.targets import NoReply, Target
from curate.model.errors import CurateError, Exit
from curate.model.plain import Json

_KEPT = (
    "retrieved",
    "answer",
    "refused",
    "sources",
    "citations",
    "latency_ms",
    "usage",
    "rewritten",
    "index",
    "error",
)
_DOWN = 3
_LONGEST = 30.0


@dataclass(frozen=True, slots=True)
class Settings:
    """How to ask: `workers` at a time, `retries` after a failure that asking again may mend, with
    pauses that begin at `pause` seconds and double.
    """

    workers: int = 4
    retries: int = 2
    pause: float = 0.5


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run came to: questions asked now, kept from before, and failures by their words."""

    path: Path
    asked: int
    kept: int
    failures: Mapping[str, int]


def run(
    cases: CaseSet,
    target: Target,
    path: Path,
    *,
    now: datetime,
    params: Mapping[str, object],
    settings: Settings,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Asked:
    """Ask every case and write the replies to `path`, first as they come, at last in order.

    With `resume`, replies that `path` has already are kept, and only the rest, failures included,
    is asked. Raises `CurateError` when the file exists, belongs to another set or other
    parameters, or when the target cannot be reached at all.
    """
    head: Json = {
        "format": runs.FORMAT,
        "questions": cases.digest,
        "version": cases.version,
        "target": target.name,
        "settings": dict(params),
        "time": now.isoformat(),
    }
    lines = _before(path, head, resume=resume)
    kept = len(lines)
    open_ = [case for case in cases.cases if case.id not in lines]
    failures: dict[str, int] = {}
    try:
        _write(path, head, lines.values())
        with path.open("a", encoding="utf-8") as stream:
            for line in _asked(open_, target, settings, progress):
                lines[line["id"]] = line
                stream.write(_encode(line))
                stream.flush()
                if line.get("error"):
                    failures[line["error"]] = failures.get(line["error"], 0) + 1
        _write(path, head, (lines[case.id] for case in cases.cases))
    except OSError as error:
        raise CurateError(
            f"{path} cannot be written: {error.strerror}", "Name another file with --out."
        ) from None
    return Asked(path, len(open_), kept, failures)


def _before(path: Path, head: Json, *, resume: bool) -> dict[str, Json]:
    """The replies that stand already; a line cut off by a kill is asked again."""
    if not path.exists():
        return {}
    if not resume:
        raise CurateError(
            f"{path} exists already",
            "Go on with it by --resume, or name another file with --out.",
            Exit.USAGE,
        )
    found: dict[str, Json] = {}
    old: Json = {}
    for line in path.read_bytes().split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if not isinstance(value, dict):
            continue
        if "id" not in value:
            old = value
        elif not value.get("error"):
            found[str(value["id"])] = value
    for key, what in (("questions", "version of the set"), ("settings", "parameters")):
        if old.get(key) != head[key]:
            raise CurateError(
                f"{path} was begun with another {what}",
                "Finish it with the same, or name another file with --out.",
                Exit.USAGE,
            )
    return found


def _asked(
    cases: list[Case],
    target: Target,
    settings: Settings,
    progress: Callable[[int, int], None] | None,
) -> Iterable[Json]:
    """Yield one line per case, as they are done. Stops when nothing at all can be reached."""
    waiting: set[Future[Json]] = set()
    left = iter(cases)
    done = unreachable = 0
    pool = ThreadPoolExecutor(settings.workers)
    try:
        while True:
            for case in left:
                waiting.add(pool.submit(_ask, case, target, settings))
                if len(waiting) >= settings.workers:
                    break
            if not waiting:
                return
            finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in finished:
                line = future.result()
                done += 1
                unreachable += str(line.get("error", "")).startswith("unreachable")
                yield line
                if progress:
                    progress(done, len(cases))
            if unreachable == done >= min(_DOWN, len(cases)):
                raise CurateError(
                    f"{target.name} cannot be reached: none of {done} questions got through",
                    "Start it, or mend its name; then go on with --resume.",
                )
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _ask(case: Case, target: Target, settings: Settings) -> Json:
    pause = settings.pause
    attempts = settings.retries + 1
    while True:
        begun = time.monotonic()
        try:
            reply = target.ask(case)
        except NoReply as failure:
            attempts -= 1
            if not failure.again or not attempts:
                return {"id": case.id, "error": str(failure)}
            time.sleep(min(failure.after or pause, _LONGEST))
            pause *= 2
        else:
            return _line(case, reply, round((time.monotonic() - begun) * 1000, 3))


def _line(case: Case, reply: Json, latency: float) -> Json:
    """A reply as a line of the file; one that cannot be used is a failure that says why."""
    line = {"id": case.id, **{key: reply[key] for key in _KEPT if key in reply}}
    line.setdefault("latency_ms", latency)
    broken = runs.reply(case.id, line, []).error
    if broken and not line.get("error"):
        return {"id": case.id, "error": broken, "latency_ms": latency}
    try:
        json.dumps(line)
    except (TypeError, ValueError):
        return {"id": case.id, "error": "broken reply: not JSON", "latency_ms": latency}
    return line


def _write(path: Path, head: Json, lines: Iterable[Json]) -> None:
    """Write the whole file at once, or leave it as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    with fresh.open("w", encoding="utf-8") as stream:
        stream.writelines(map(_encode, (head, *lines)))
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(path)


def _encode(line: Json) -> str:
    return json.dumps(line, ensure_ascii=True) + "\n"

"""What every test stands on: an environment of its own, and the command line in-process."""

from __future__ import annotations

import asyncio
import functools
import io
import json
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from curate.cli import main
from curate.model.records import Clean, CleanFeedback, CleanQuestion, RetrievedChunk, Turn
from curate.store.store import Store
from curate.text import language, sanitise
from curate.workspace.workspace import Workspace
from tests.events import Clock

NOW = "2026-11-29T21:00:00Z"
"""The clock of the suite; a test that needs another passes --now."""


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The developer's own settings decide no test."""
    for name in ("CURATE_WORKSPACE", "TEXTUAL", "TEXTUAL_LOG", "TEXTUAL_SCREENSHOT", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    monkeypatch.setenv("CURATE_NOW", NOW)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The command's stdout as JSON."""
        return json.loads(self.out)


Curate = Callable[..., Ran]


@pytest.fixture
def curate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Curate:
    """Run `curate ARGUMENTS` in this process: exit code, stdout, stderr."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        try:
            code = main.run([str(argument) for argument in arguments])
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture(scope="session")
def demo_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo workspace with its answer key curated, made once; copy it to change it."""
    root = tmp_path_factory.mktemp("demo") / "workspace"
    code = main.run(
        ["--workspace", str(root), "--now", NOW, "--quiet", "demo", "--answer-key", "--no-open"]
    )
    assert code == 0
    return root


@pytest.fixture
def demo(demo_workspace: Path, tmp_path: Path) -> Path:
    """A demo workspace of the test's own."""
    return Path(shutil.copytree(demo_workspace, tmp_path / "workspace"))


HOSTILE = "[/x] [@click=app.exit] \x1b]0;owned\x07 \u202eback \x00 \ufffd [b]bold[/b] $primary"
"""Log text that means to be markup, an action, an escape sequence."""


@dataclass(frozen=True)
class Asked:
    """A logged question of the lending desk, as a test tells it."""

    question: str
    answer: str = ""
    chunks: tuple[tuple[str, str, float], ...] = ()
    down: int = 0
    comment: str = ""
    history: tuple[tuple[str, str], ...] = ()
    refused: bool = False


ASKED = (
    Asked(
        "can i keep the laptop longer than a week?",
        "Yes, you can keep it as long as you like. [1]",
        (("faq.md", "Borrowing", 0.61), ("laptops.md", "How long", 0.58)),
        down=3,
        comment="the rule says 7 days",
    ),
    Asked("can i keep the laptop longer than a week", "Yes.", down=0),
    Asked("what does it cost when the laptop comes back late?", "1 dollar.", down=2),
    Asked(
        "and on saturdays?",
        "We are open.",
        history=(("user", "when does the desk open?"), ("assistant", "At 8:00 on weekdays.")),
        down=1,
    ),
    Asked("<PERSON_1> said i can borrow a drone, is that right?", "Yes.", down=1),
    Asked("តើបើកម៉ោងប៉ុន្មាន?", "8:00"),
    Asked(HOSTILE, HOSTILE, ((HOSTILE, HOSTILE, 0.1),), down=1, comment=HOSTILE),
)

DOCUMENTS = {
    "laptops.md": "# Laptops\n\nThe desk lends laptops to members.\n\n## How long\n\n"
    "You may borrow a laptop for up to 7 days. Ask the desk to extend the loan once, before it "
    "ends. A second extension is not possible.\n\n## Late returns\n\nA laptop that comes back "
    "late costs 2 dollars a day. After 14 days the desk blocks the member's card.\n",
    "faq.md": "# Questions\n\n## Borrowing\n\nMembers may borrow one device at a time. Bring your "
    "card. The laptop bag is part of the loan.\n\n## Opening hours\n\nThe desk opens at 8:00 on "
    "weekdays. On Saturdays it opens at 10:00 and closes at 14:00.\n",
    "km.md": "# ម៉ោងធ្វើការ\n\nតុបើកម៉ោង 8 ព្រឹក ដល់ម៉ោង 5 ល្ងាច។ ថ្ងៃសៅរ៍បើកម៉ោង 10។\n",
}


def _clean(n: int, asked: Asked, at: datetime) -> list[CleanQuestion | CleanFeedback]:
    tag = n.to_bytes(16, "big")
    question = sanitise(asked.question)
    events: list[CleanQuestion | CleanFeedback] = [
        CleanQuestion(
            source="assistant",
            line=n,
            keys=(b"q" + tag,),
            content=tag,
            aliases=(b"a" + tag,),
            user=None,
            asked_at=at,
            received_at=at,
            question=Clean(question),
            standalone=None,
            history=tuple(Turn(role, content) for role, content in asked.history),
            answer=Clean(sanitise(asked.answer)) if asked.answer else None,
            refused=asked.refused,
            chunks=tuple(
                RetrievedChunk(rank, None, sanitise(source), sanitise(heading), score)
                for rank, (source, heading, score) in enumerate(asked.chunks, 1)
            ),
            title=None,
            latency_ms=None,
            lang=language(question),
            policy="sha256:test",
        )
    ]
    for vote in range(asked.down):
        key = (n * 100 + vote).to_bytes(16, "big")
        events.append(
            CleanFeedback(
                source="assistant",
                line=n,
                keys=(b"v" + key,),
                content=key,
                targets=((b"a" + tag,),),
                user=b"u" + key,
                at=at,
                received_at=at,
                rating=-1,
                reason=None,
                comment=Clean(sanitise(asked.comment)) if asked.comment else None,
                by="user",
            )
        )
    return events


@pytest.fixture(scope="session")
def lending_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of a lending desk: three documents, seven logged questions, nothing decided."""
    root = tmp_path_factory.mktemp("template") / "lending"
    clock = datetime.fromisoformat(NOW)
    Workspace.create(root, lambda: clock)
    (root / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (root / "docs" / name).write_text(text, encoding="utf-8")
    with Workspace.open(root, lambda: clock, "dara-k") as workspace:
        batch = [
            event
            for n, asked in enumerate(ASKED, 1)
            for event in _clean(n, asked, clock - timedelta(hours=n))
        ]
        workspace.store.save(batch, matcher=workspace.matcher, received=clock)
        workspace.corpus.sync()
    return root


@pytest.fixture
def lending(lending_template: Path, tmp_path: Path) -> Iterator[Workspace]:
    """A lending desk of the test's own, opened by dara-k."""
    root = shutil.copytree(lending_template, tmp_path / "lending")
    clock = datetime.fromisoformat(NOW)
    with Workspace.open(root, lambda: clock, "dara-k") as workspace:
        yield workspace


class Sat:
    """A curator at the screens: presses keys, waits until everything is settled, looks."""

    def __init__(self, pilot: Any, workspace: Workspace) -> None:
        self.pilot = pilot
        self.app = pilot.app
        self.workspace = workspace

    async def settle(self) -> None:
        """Wait until no thread works and no message waits."""
        for _ in range(2):
            await self.app.workers.wait_for_complete()
            await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        """Press keys, settling after each."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def type(self, text: str) -> None:
        """Type into a field."""
        await self.pilot.press(*("space" if char == " " else char for char in text))
        await self.settle()

    @property
    def text(self) -> str:
        """What is on the screen."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)

    async def ask(self, question: Callable[[Workspace], Any]) -> Any:
        """Ask the workspace something, off the UI thread as everybody must."""
        return await asyncio.to_thread(question, self.workspace)


def _off_the_ui_thread(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def guarded(*arguments: Any, **keywords: Any) -> Any:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return function(*arguments, **keywords)
        raise AssertionError(f"{function.__qualname__} was called on the UI thread")

    return guarded


@pytest.fixture
def sit(
    lending: Workspace, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., AbstractAsyncContextManager[Sat]]:
    """Sit down at the lending desk's screens; the store, the index and the anonymiser refuse to
    be called on the UI thread.
    """
    from curate.corpus.corpus import Corpus
    from curate.privacy.anonymise import Anonymiser
    from curate.store.engine import Database
    from curate.tui.app import CurateApp

    for owner, name in (
        (Database, "read"),
        (Database, "write"),
        (Corpus, "_now"),
        (Corpus, "sync"),
        (Anonymiser, "scan"),
    ):
        monkeypatch.setattr(owner, name, _off_the_ui_thread(getattr(owner, name)))

    @asynccontextmanager
    async def down(
        size: tuple[int, int] = (80, 24), workspace: Workspace = lending
    ) -> AsyncIterator[Sat]:
        async with CurateApp(workspace).run_test(size=size) as pilot:
            sat = Sat(pilot, workspace)
            await sat.settle()
            yield sat

    return down


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database as `curate init` makes it, made once; copy it to change it."""
    from curate.store import schema

    path = tmp_path_factory.mktemp("empty") / "curate.db"
    schema.create(path)
    return path


@pytest.fixture
def database(empty_database: Path, tmp_path: Path) -> Path:
    """An empty database of the test's own."""
    return Path(shutil.copy(empty_database, tmp_path / "curate.db"))


@pytest.fixture
def clock() -> Clock:
    """A clock that stands until it is set."""
    return Clock()


@pytest.fixture
def store(database: Path, clock: Clock) -> Iterator[Store]:
    """An empty store at the time of `clock`."""
    with Store.open(database, now=clock) as opened:
        yield opened

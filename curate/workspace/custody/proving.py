"""The promises of privacy.md, proven on a throw-away workspace with invented people."""

from __future__ import annotations

import io
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curate.config import SourceSettings
from curate.ingest.inputs import LogFile
from curate.ingest.run import IngestReport
from curate.model.errors import CurateError
from curate.model.events import RawText
from curate.store import files
from curate.workspace.custody.bytescan import holding

if TYPE_CHECKING:
    from curate.workspace.workspace import Workspace

Clock = Callable[[], datetime]
Creating = Callable[[Path, Clock, str], None]
Opening = Callable[[Path, Clock, str], "Workspace"]

_NAMES = ("Zorvath", "Quillonby", "Brixanter", "Tovelque")
_NOW = datetime(2026, 11, 29, 21, tzinfo=UTC)
_DAY = timedelta(days=1)
_KILLS = 3


@dataclass(frozen=True, slots=True)
class Proof:
    """A promise and whether it held; `detail` says how that was seen."""

    claim: str
    held: bool
    detail: str


class _Broken(Exception):
    """The promise did not hold; the message says how that was seen."""


@dataclass(slots=True)
class _Bench:
    """Where the proofs are made: a workspace, its log outside of it, and a clock."""

    place: Path
    opening: Opening
    now: datetime = _NOW
    network: list[str] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return self.place / "workspace"

    @property
    def log(self) -> Path:
        return self.place / "log.jsonl"

    @contextmanager
    def open(self, root: Path | None = None) -> Iterator[Workspace]:
        with self.opening(root or self.root, lambda: self.now, "prover") as workspace:
            yield workspace

    def read(self, root: Path | None = None) -> IngestReport:
        with self.open(root) as workspace:
            return workspace.ingest([LogFile(self.log, SourceSettings(name="log"))])

    def copy(self, name: str) -> Path:
        return Path(shutil.copytree(self.root, self.place / name))

    def people(self) -> list[str]:
        """What no file may hold: names, addresses, numbers, ids."""
        told = []
        for number, name in enumerate(_NAMES):
            told += [name, f"{name.lower()}@canary.example", f"012 555 0{number}4", f"req-{name}"]
        return told

    def said(self, name: str) -> list[str]:
        """The anonymised words of one person, which live as long as their records."""
        number = _NAMES.index(name)
        return [f"canary-{kind}-of-{number}" for kind in ("question", "answer", "comment")]


def prove(
    creating: Creating, opening: Opening, progress: Callable[[int, int | None], None]
) -> list[Proof]:
    """Make the proofs, one after the other, and return them.

    `creating` and `opening` make and open a workspace, as `Workspace.create` and `open` do;
    `progress` is told how many proofs are done of how many.
    """
    proofs: list[Proof] = []
    with tempfile.TemporaryDirectory(prefix="curate-prove-") as place:
        bench = _Bench(Path(place), opening)
        _make(bench, creating)
        for number, (claim, test) in enumerate(_PROOFS.items()):
            progress(number, len(_PROOFS))
            try:
                proofs.append(Proof(claim, True, test(bench)))
            except _Broken as broken:
                proofs.append(Proof(claim, False, str(broken)))
            except CurateError as error:
                proofs.append(Proof(claim, False, error.message))
    return proofs


def _make(bench: _Bench, creating: Creating) -> None:
    toml = f"[privacy]\ndeny = {json.dumps(_NAMES)}\n"
    creating(bench.root, lambda: bench.now, toml)
    documents = bench.root / "docs"
    documents.mkdir(mode=0o700)
    page = documents / "house.md"
    page.touch(mode=0o600)
    page.write_text("# House\n\nWe open at nine.\n", encoding="utf-8")
    lines: list[dict[str, Any]] = []
    for number, name in enumerate(_NAMES):
        mail, phone = f"{name.lower()}@canary.example", f"012 555 0{number}4"
        who = f"of-{number}"
        lines.append(
            {
                "ts": (_NOW - timedelta(hours=1 + number * 20)).isoformat(),
                "request_id": f"req-{name}",
                "session_title": f"chat with {name}",
                "user": mail,
                "question": f"canary-question-{who} is {name} there? call {phone} or {mail}",
                "history": [{"role": "user", "content": f"this is {name}, {phone}"}],
                "answer": f"canary-answer-{who} Dear {name}, we write to {mail}.",
            }
        )
        lines.append(
            {
                "ts": (_NOW - timedelta(minutes=30 + number)).isoformat(),
                "request_id": f"req-{name}",
                "user": mail,
                "rating": "down",
                "comment": f"canary-comment-{who} {name} was told {phone}",
            }
        )
    bench.log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _expect(held: bool, detail: str) -> None:
    if not held:
        raise _Broken(detail)


# ---------------------------------------------------------------------------- the proofs


def _at_rest(bench: _Bench) -> str:
    with _listening(bench.network):
        report = bench.read()
    _expect(report.questions_new == len(_NAMES), "the log was not read in")
    toml = bench.root / "curate.toml"
    listed = toml.read_text(encoding="utf-8")
    toml.write_text("", encoding="utf-8")  # its deny list names them on purpose
    try:
        found = holding([bench.root], bench.people())
    finally:
        toml.write_text(listed, encoding="utf-8")
    _expect(not found, f"raw text stands in {', '.join(found)}")
    return f"{len(bench.people())} names, addresses, numbers and ids in 10 shapes: 0 found"


def _no_network(bench: _Bench) -> str:
    _expect(not bench.network, f"it was reached for: {', '.join(bench.network[:3])}")
    return "an audit hook saw no address looked up and no connection made"


def _modes(bench: _Bench) -> str:
    paths = [bench.root, *bench.root.rglob("*")]
    wide = [path.name for path in paths if path.lstat().st_mode & 0o077]
    _expect(not wide, f"others may read {', '.join(wide[:3])}")
    return f"{len(paths)} files and directories"


def _settings(bench: _Bench) -> str:
    for name in ("curate.db", "raw.db"):
        with closing(files.connect(bench.root / name)) as connection:
            for setting in ("secure_delete", "synchronous", "temp_store", "foreign_keys"):
                told = connection.execute(f"PRAGMA {setting}").fetchone()[0]
                _expect(bool(told), f"{name}: {setting} is {told}")
    return "secure_delete, synchronous=FULL, temporary tables in memory, write-ahead log"


def _gate(bench: _Bench) -> str:
    with bench.open() as workspace:
        keys = workspace.originals.keys()
        _expect(len(workspace.originals.open(keys)) == len(keys) > 0, "no original was sealed")
        bench.now = _NOW + 15 * _DAY
        opened = len(workspace.originals.open(keys))
        bench.now = _NOW + 91 * _DAY
        shown = len(workspace.store.candidate_ids("")) + workspace.store.counts().records
        bench.now = _NOW
    _expect(not opened, f"{opened} originals are shown after 15 days")
    _expect(not shown, "records are shown after 91 days")
    return "originals after 15 days and records after 91: 0 shown, without a purge"


def _reader(bench: _Bench) -> str:
    root = bench.copy("reader")
    bench.now = _NOW + 15 * _DAY
    try:
        with closing(files.connect(root / "raw.db")) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM sealed").fetchone()
            began = time.monotonic()
            with bench.open(root) as workspace:
                status = workspace.purge().status
            took = time.monotonic() - began
        _expect(status == "deferred", f"the receipt says {status}")
        _expect(not list((root / "keys").glob("*.key")), "keys are left")
        with bench.open(root) as workspace:
            status = workspace.purge().status
        _expect(status == "clean", f"afterwards the receipt says {status}")
    finally:
        bench.now = _NOW
    return f"deferred within {took:.1f} s, keys gone at once; clean when the reader had left"


def _purge(bench: _Bench) -> str:
    root = bench.copy("purged")
    said = [word for name in _NAMES for word in bench.said(name)]
    _expect(bool(holding([root], said)), "nothing was there to be removed")
    with closing(files.connect(root / "raw.db")) as connection:
        sealed = [row[0] for row in connection.execute("SELECT text FROM sealed")]
    bench.now = _NOW + 91 * _DAY
    try:
        with bench.open(root) as workspace:
            receipt = workspace.purge()
    finally:
        bench.now = _NOW
    _expect(receipt.status == "clean", f"the receipt says {receipt.status}: {receipt.detail}")
    _expect(receipt.counts["records"] == len(_NAMES), "not every record was removed")
    found = holding([root], said)
    _expect(not found, f"text is left in {', '.join(found)}")
    data = (root / "raw.db").read_bytes()
    _expect(not any(text[-16:] in data for text in sealed), "ciphertext is left in raw.db")
    return f"{receipt.counts['records']} records, {receipt.counts['raw']} originals: 0 bytes left"


def _stolen(bench: _Bench) -> str:
    stolen, root = bench.copy("stolen"), bench.copy("kept")
    bench.now = _NOW + 15 * _DAY
    with bench.open(root) as workspace:
        workspace.purge()
    bench.now = _NOW
    shutil.rmtree(stolen / "keys")
    shutil.copytree(root / "keys", stolen / "keys")
    with bench.open(stolen) as workspace:
        keys = workspace.originals.keys()
        _expect(bool(keys), "no original was sealed")
        _expect(not workspace.originals.open(keys), "an old copy opens")
    return f"{len(keys)} originals in an old copy open for nobody"


_CHILD = """
import sys
from datetime import datetime
from pathlib import Path
from curate.workspace.workspace import Workspace
now = datetime.fromisoformat(sys.argv[2])
with Workspace.open(Path(sys.argv[1]), lambda: now, "prover") as workspace:
    workspace.store
    print(flush=True)
    workspace.purge()
"""


def _killed(bench: _Bench) -> str:
    dice = random.Random(1)  # noqa: S311 - dice, not secrets
    moment = _NOW + 91 * _DAY
    killed = 0
    for number in range(_KILLS):
        root = bench.copy(f"killed-{number}")
        command = [sys.executable, "-c", _CHILD, str(root), moment.isoformat()]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:  # noqa: S603 - ourselves
            assert isinstance(child.stdout, io.BufferedReader)  # noqa: S101 - it is piped
            child.stdout.readline()
            time.sleep(dice.random() * 0.06)
            child.send_signal(signal.SIGKILL)
        killed += child.returncode == -signal.SIGKILL
        bench.now = moment
        with bench.open(root) as workspace:
            status = workspace.purge().status
        bench.now = _NOW
        _expect(status == "clean", f"the run after says {status}")
        found = holding([root], [word for name in _NAMES for word in bench.said(name)])
        _expect(not found, f"text is left in {', '.join(found)}")
    return f"{killed} of {_KILLS} killed on the way; the next run ended clean every time"


def _again(bench: _Bench) -> str:
    root = bench.copy("again")
    bench.now = _NOW + 91 * _DAY
    try:
        with bench.open(root) as workspace:
            workspace.purge()
        report = bench.read(root)
    finally:
        bench.now = _NOW
    _expect(report.questions_new == report.feedback_new == 0, "purged records came back")
    return f"{report.expired} events too old, 0 brought back"


def _forgotten(bench: _Bench) -> str:
    root = bench.copy("forgotten")
    name = _NAMES[0]
    with bench.open(root) as workspace:
        receipt = workspace.forget(RawText(f"{name.upper()}@canary.example")).receipt
    _expect(receipt.status == "clean", f"the receipt says {receipt.status}: {receipt.detail}")
    found = holding([root], bench.said(name))
    _expect(not found, f"text is left in {', '.join(found)}")
    others = holding([root], bench.said(_NAMES[1]))
    _expect("curate.db" in others, "somebody else was erased too")
    report = bench.read(root)
    _expect(report.suppressed == 2, "reading the log again brought the person back")
    return "0 bytes left, others untouched, reading the log again stays suppressed"


def _empty(bench: _Bench) -> str:
    for name in ("curate.db", "raw.db"):
        root = bench.copy(f"empty-{name}")
        (root / name).write_bytes(b"")
        try:
            with bench.open(root) as workspace:
                workspace.store.counts()
                workspace.originals.keys()
        except CurateError:
            _expect((root / name).read_bytes() == b"", f"{name} was made anew")
        else:
            raise _Broken(f"an empty {name} passed for a database")
    return "refused, and left as it is"


_PROOFS: dict[str, Callable[[_Bench], str]] = {
    "no raw text in any byte after reading a log": _at_rest,
    "nothing goes to the network": _no_network,
    "nobody else can read a file": _modes,
    "every database deletes securely": _settings,
    "what has expired is shown to nobody, purged or not": _gate,
    "a reader in the way defers the proof, not the keys": _reader,
    "a purge leaves no byte": _purge,
    "an old copy opens for nobody once the keys are destroyed": _stolen,
    "a purge killed anywhere is finished by the next": _killed,
    "an old log brings nothing back": _again,
    "a person who is forgotten stays so": _forgotten,
    "an empty file is no empty database": _empty,
}


# ---------------------------------------------------------------------------- the network


_ears: list[list[str]] = []
_hooked = threading.Lock()


@contextmanager
def _listening(heard: list[str]) -> Iterator[None]:
    """Note every address looked up and every connection made while the block runs."""
    if _hooked.acquire(blocking=False):
        sys.addaudithook(_hear)  # for good: Python has no way to take one off
    _ears.append(heard)
    try:
        yield
    finally:
        _ears.remove(heard)


def _hear(event: str, _: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        for heard in _ears:
            heard.append(event)

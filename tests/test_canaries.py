"""Planted people: 200 names, phones and emails in every free-text field of a log, and not one of
them in any byte the program writes, prints or logs.
"""

from __future__ import annotations

import base64
import json
import logging
from pathlib import Path
from typing import Any

import pytest

import curate.demo as data
from tests.conftest import Curate

pytestmark = pytest.mark.presidio

PEOPLE = 200
NAMES = [f"Zorvath{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(PEOPLE)]
EMAILS = [f"zq{i:03}.canary@mail{i:03}.example.org" for i in range(PEOPLE)]
PHONES = [f"+1 415 555 {i:04}" for i in range(2100, 2100 + PEOPLE)]

TEMPLATES = (
    "hello, {name} here, can I still book the stand? write to {email}",
    "my number is {phone}, is room 204 free for {name}",
    "{email} got no answer about order ORD-18422, signed {name}",
)


def person(i: int) -> dict[str, str]:
    return {"name": NAMES[i], "email": EMAILS[i], "phone": PHONES[i]}


def events() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for i in range(PEOPLE):
        who = person(i)
        said = [template.format(**who) for template in TEMPLATES]
        found.append(
            {
                "ts": f"2026-11-{1 + i % 27:02}T09:{i % 60:02}:00Z",
                "request_id": f"req-{i}-{who['email']}",
                "session_id": f"chat of {who['name']} {who['phone']}",
                "session_title": said[0],
                "user": EMAILS[i] if i % 2 else NAMES[i],
                "question": f"{said[i % 3]} (case {i})",
                "rewritten": said[(i + 1) % 3],
                "history": [
                    {"role": "user", "content": said[0]},
                    {"role": "assistant", "content": f"Thank you {who['name']}, {who['phone']}."},
                ],
                "answer": f"Dear {who['name']}, we call {who['phone']} or write to {who['email']}.",
                "chunks": [
                    {
                        "id": f"uploads/{who['email']}#1",
                        "source": f"uploads/{who['email']}.md",
                        "heading": f"Notes by {who['name']} {who['phone']}",
                        "score": 0.5,
                    }
                ],
            }
        )
        found.append(
            {
                "ts": f"2026-11-{1 + i % 27:02}T10:{i % 60:02}:00Z",
                "request_id": f"req-{i}-{who['email']}",
                "user": EMAILS[i] if i % 2 else NAMES[i],
                "rating": "down",
                "reason": f"told {who['name']} the wrong price",
                "comment": f"{said[2]} {who['phone']}",
            }
        )
    return found


def forms(marker: str) -> set[bytes]:
    """A marker as it could hide: plain, lower, upper, UTF-16, hex, JSON, base64 (3 offsets)."""
    raw = marker.encode()
    shifted = {base64.b64encode(b"\0" * k + raw)[(4 if k else 0) : -4] for k in range(3)}
    return {
        raw,
        marker.lower().encode(),
        marker.upper().encode(),
        marker.encode("utf-16-le"),
        raw.hex().encode(),
        json.dumps(marker)[1:-1].encode(),
        *(form for form in shifted if len(form) >= 8),
    }


NEEDLES = [
    (marker, forms(marker))
    for marker in (*NAMES, *EMAILS, *PHONES, *(phone.replace(" ", "") for phone in PHONES))
]


def assert_nobody_in(data: bytes, where: str) -> None:
    for marker, shapes in NEEDLES:
        for shape in shapes:
            assert shape not in data, f"{marker} in {where}"


def assert_nobody_under(*roots: Path) -> None:
    for root in roots:
        for path in root.rglob("*"):
            assert_nobody_in(str(path.relative_to(root)).encode(), "a file name")
            if path.is_file() and not path.is_symlink():
                assert_nobody_in(path.read_bytes(), path.name)


@pytest.fixture
def planted(curate: Curate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace that has ingested everybody; the log itself stands outside it."""
    root = tmp_path / "workspace"
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("CURATE_WORKSPACE", str(root))
    assert curate("init").code == 0
    toml = (root / "curate.toml").read_text(encoding="utf-8")
    assert "deny = []" in toml
    (root / "curate.toml").write_text(
        toml.replace("deny = []", f"deny = {json.dumps(NAMES)}"), encoding="utf-8"
    )
    (root / "docs").mkdir()
    (root / "docs" / "desk.md").write_text(
        "# Desk\n\n## Booking a stand\n\nA stand is booked at the desk for 4 dollars.\n",
        encoding="utf-8",
    )
    return root


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "outside" / "log.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(event) + "\n" for event in events()), encoding="utf-8")
    return path


def test_nobody_is_in_any_byte_after_the_whole_job(
    planted: Path,
    log: Path,
    curate: Curate,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    printed = b""
    runs = [curate("ingest", log), curate("ingest", "--json", log)]
    assert runs[0].code == 0, runs[0].err
    counts = runs[1].json
    assert counts["duplicates"] == 2 * PEOPLE
    assert counts["rejected"] == 0
    inbox = curate("items", "list", "--inbox", "--json")
    ref = inbox.json[0]["ref"]
    runs += [
        inbox,
        curate("status"),
        curate("items", "show", ref, "--json"),
        curate("items", "show", ref),
        curate(
            "items", "set", ref, "--source", "desk.md", "--evidence", "4 dollars",
            "--question", "what does a stand cost?",
        ),
        curate("items", "log"),
        curate("check"),
        curate("export"),
        curate("purge"),
    ]  # fmt: skip
    for run in runs:
        assert run.code == 0, run.err
        printed += run.out.encode() + run.err.encode()

    assert_nobody_in(printed, "what was printed")
    assert_nobody_in(caplog.text.encode(), "the logs")
    home = Path.home()
    toml = planted / "curate.toml"
    toml.write_text("", encoding="utf-8")  # the deny list names them on purpose
    assert_nobody_under(planted, tmp_path / "tmp", home)


def test_nobody_of_the_demo_is_in_its_databases_or_exports(demo: Path, curate: Curate) -> None:
    personal = json.loads((Path(data.__file__).parent / "personal.json").read_text())
    assert curate("--workspace", demo, "export").code == 0

    held = [demo / "curate.db", demo / "raw.db", *(demo / "exports").rglob("*")]
    stored = {path.name: path.read_bytes().lower() for path in held if path.is_file()}

    assert len(stored) > 3
    found = {
        (kind, value, name)
        for kind in ("names", "phones", "emails", "user_ids")
        for value in personal[kind]
        for name, content in stored.items()
        if value.lower().encode() in content or json.dumps(value)[1:-1].lower().encode() in content
    }
    assert found == set()


@pytest.mark.parametrize(
    "target",
    [
        "curate.ingest.run.run",
        "curate.privacy.anonymise.Anonymiser.clean_records",
        "curate.store.store.Store.save",
        "curate.store.store.Store.seen",
    ],
)
def test_a_crash_in_any_stage_tells_nothing(
    target: str,
    planted: Path,
    log: Path,
    curate: Curate,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)

    def crash(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"{args!r} {kwargs!r} {EMAILS[0]} {NAMES[0]}")

    monkeypatch.setattr(target, crash)
    ran = curate("ingest", log)

    assert ran.code != 0
    assert "RuntimeError" in ran.err
    assert "Traceback" not in ran.err
    assert_nobody_in((ran.out + ran.err + caplog.text).encode(), "the crash")


def test_a_user_id_is_never_stored_as_a_plain_hash(
    planted: Path, log: Path, curate: Curate
) -> None:
    import hashlib

    assert curate("ingest", log).code == 0
    stored = (planted / "curate.db").read_bytes()

    for email in EMAILS:
        for algorithm in ("md5", "sha1", "sha256"):
            digest = hashlib.new(algorithm, email.encode(), usedforsecurity=False)
            assert digest.digest()[:16] not in stored
            assert digest.hexdigest().encode() not in stored

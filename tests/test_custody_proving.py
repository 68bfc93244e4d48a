"""The proofs hold, and would not if the promise were broken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from curate.privacy.sealing import Vault
from curate.store import files
from curate.store.store import Store
from curate.workspace.custody import bytescan, proving
from curate.workspace.workspace import Workspace
from tests.conftest import Curate

pytestmark = pytest.mark.presidio


def test_every_proof_holds(curate: Curate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    ran = curate("privacy", "prove", "--json")

    assert [proof["claim"] for proof in ran.json if not proof["held"]] == []
    assert ran.code == 0
    assert len(ran.json) == len(proving._PROOFS)
    assert list(tmp_path.iterdir()) == []


def _plain(_: Vault, day: object) -> Callable[[bytes, bytes], bytes]:
    return lambda name, text: text


def _noop(*_: object, **__: object) -> None:
    return None


@pytest.mark.parametrize(
    ("target", "instead", "claim"),
    [
        ((Vault, "sealer"), _plain, "no raw text in any byte after reading a log"),
        ((Vault, "destroy_before"), lambda *_: 0, "a reader in the way defers the proof, not the"),
        ((Store, "suppress"), _noop, "a person who is forgotten stays so"),
        ((files, "examine"), _noop, "an empty file is no empty database"),
    ],
)
def test_a_broken_promise_is_found(
    target: tuple[object, str],
    instead: Callable[..., object],
    claim: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = {name: test for name, test in proving._PROOFS.items() if name.startswith(claim)}
    first = "no raw text in any byte after reading a log"
    monkeypatch.setattr(proving, "_PROOFS", {first: proving._PROOFS[first], **wanted})
    monkeypatch.setattr(*target, instead)

    proofs = proving.prove(Workspace.create, Workspace.open, lambda *_: None)

    assert not proofs[-1].held


def test_a_text_is_found_in_every_shape(tmp_path: Path) -> None:
    import base64

    name = "Zorvath Quill"
    for number, data in enumerate(
        (
            name.encode(),
            name.upper().encode(),
            name.encode("utf-16-le"),
            name.encode().hex().encode(),
            base64.b64encode(b"xy" + name.encode() + b"z"),
            b"Zorvath%20Quill",
        )
    ):
        path = tmp_path / str(number) / "file"
        path.parent.mkdir()
        path.write_bytes(b"\0" + data)
        assert bytescan.holding([path.parent], [name]) == ["file"], number
    assert bytescan.holding([tmp_path], ["Zorvath Other"]) == []

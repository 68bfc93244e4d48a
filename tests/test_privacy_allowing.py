"""Terms that the team's own documents name are allowed as they are proposed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Curate

pytestmark = pytest.mark.presidio

DOCUMENT = """# What we lend

## Benches and saws

The Oliver bench, the Stanley C12 plane and the Jimmy clamp are in Room 101. Rosa Luxe saws, too.

## The assistant

Ask Amelia about the Martha Maker Space. From Victoria a van comes on Fridays.
"""
ASKED = (
    "is Amelia awake today",
    "Jimmy clamp for the weekend",
    "how old is the Oliver bench",
    "Rosa Luxe saw is blunt",
    "Stanley C12 plane in Room 101",
    "when does the van from Victoria come",
    "Martha Maker Space opening hours",
)


def test_products_that_the_documents_name_stay_once_approved(
    tmp_path: Path, curate: Curate, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "work"
    assert curate("init", root).code == 0
    monkeypatch.setenv("CURATE_WORKSPACE", str(root))
    (root / "docs").mkdir(exist_ok=True)
    (root / "docs" / "lending.md").write_text(DOCUMENT, encoding="utf-8")
    labelled = tmp_path / "asked.jsonl"
    labelled.write_text(
        "\n".join(json.dumps({"id": text, "text": text, "spans": []}) for text in ASKED),
        encoding="utf-8",
    )

    def damaged() -> int:
        [score] = curate("privacy", "benchmark", labelled, "--json").json
        return int(score["damaged"])

    assert damaged() > len(ASKED) // 2
    proposed = [one["term"] for one in curate("privacy", "allow", "--suggest", "--json").json]
    assert {"Amelia", "Stanley C12", "Victoria"} <= set(proposed)
    assert not {term.split()[0] for term in proposed} & {"The", "the", "From", "from", "Ask"}

    curate("privacy", "allow", "--stdin", stdin="\n".join(proposed).encode())

    assert damaged() == 0
    assert curate("privacy", "allow", "--suggest", "--json").json == []
    asked = curate("redact", stdin=b"Amelia told Priya Iyer where the Jimmy clamp is")
    assert asked.out == "Amelia told <PERSON_1> where the Jimmy clamp is\n"

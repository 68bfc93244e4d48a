"""The inbox at the command line: filters, samples, clusters by hand, claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from curate.triage import Matcher
from curate.workspace.workspace import Workspace
from tests.conftest import Curate
from tests.events import DAY, NOW, Clock, question, vote


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "ws"
    Workspace.create(root, Clock())
    (root / "docs").mkdir()
    with Workspace.open(root, Clock(), "anna") as opened:
        opened.store.save(
            [
                question("a", "How long may I keep a book?", asked_at=NOW - 9 * DAY),
                question("b", "how long may i keep a book", asked_at=NOW - 8 * DAY),
                question("c", "What is the loan period?", lang="km", source="chat"),
                question("d", "Where do I park my bicycle?", refused=True),
                vote("v", "a"),
            ],
            matcher=Matcher(),
            received=NOW,
        )
    monkeypatch.setenv("CURATE_WORKSPACE", str(root))
    return root


def listed(curate: Curate, *options: str) -> list[str]:
    found = curate("items", "list", "--inbox", "--json", *options).json
    return [candidate["ref"] for candidate in found]


def test_the_inbox_is_filtered(curate: Curate) -> None:
    assert set(listed(curate)) == {"c1", "c2", "c3"}
    assert listed(curate, "--reason", "thumbs") == ["c1"]
    assert listed(curate, "--lang", "km", "--source", "chat") == ["c2"]
    assert listed(curate, "--until", "2026-11-22") == ["c1"]
    assert set(listed(curate, "--since", "2026-11-28")) == {"c2", "c3"}
    assert listed(curate, "--text", "bicycle") == ["c3"]
    curate("items", "reject", "c3", "--reason", "no")
    assert listed(curate, "--status", "rejected") == ["c3"]
    assert len(listed(curate, "--status", "any")) == 3


def test_a_sample_is_named_and_the_same_for_everybody(curate: Curate) -> None:
    drawn = listed(curate, "--sample", "2", "--seed", "2026-W48")
    assert len(drawn) == 2
    assert listed(curate, "--sample", "2", "--seed", "2026-W48") == drawn
    refused = curate("items", "list", "--inbox", "--sample", "2")
    assert refused.code == 2
    assert "--seed" in refused.err


def test_clusters_are_put_together_taken_apart_and_back(curate: Curate) -> None:
    assert curate("items", "merge", "c1", "c2", "--reason", "same", "--json").json["size"] == 3
    assert set(listed(curate)) == {"c1", "c3"}
    [change, *_] = curate("items", "log", "c1", "--json").json
    assert (change["action"], change["reason"], change["by"]) == ("merge", "same", change["by"])
    made = curate("items", "split", "c1", "2", "--json").json
    assert (made["size"], made["question"]) == (1, "how long may i keep a book")
    assert curate("items", "undo").out.startswith("undone: split of")
    assert curate("items", "undo").out.startswith("undone: merge of")
    assert set(listed(curate)) == {"c1", "c2", "c3"}
    assert curate("items", "merge", "c1", "loans-1").code == 2
    assert curate("items", "split", "c1", "77").code == 2


def test_a_claim_is_shown_to_the_others(curate: Curate) -> None:
    assert curate("items", "claim", "c1", "--as", "anna").code == 0
    other = curate("items", "claim", "c1", "--as", "ben")
    assert (other.code, other.out) == (1, "c1  claimed by anna until 2026-11-29 21:15 UTC\n")
    assert "claimed by anna" in curate("items", "list", "--inbox", "--as", "ben").out
    assert "c1" not in listed(curate, "--unclaimed", "--as", "ben")
    assert "c1" in listed(curate, "--unclaimed", "--as", "anna")
    curate("items", "claim", "c1", "--release", "--as", "anna")
    assert curate("items", "claim", "c1", "--as", "ben").code == 0


def test_searches_are_given_for_unanswerable_items_only(curate: Curate) -> None:
    refused = curate("items", "set", "c3", "--searched", "bicycle")
    assert refused.code == 2
    assert "--unanswerable" in refused.err

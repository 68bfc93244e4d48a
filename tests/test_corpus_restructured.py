"""reStructuredText as it would be shown, and nothing that it would fetch."""

from __future__ import annotations

from pathlib import Path

import pytest

from curate.corpus import restructured
from curate.corpus.extracted import Broken
from curate.corpus.outline import Outline, outline


def made(source: str) -> tuple[str, Outline]:
    extracted = restructured.extract(source.encode())
    return extracted.text, outline("a.rst", extracted.text, extracted.parsed)


def sentences(source: str) -> list[str]:
    text, found = made(source)
    return [text[start:end] for spans in found.sentences for start, end in spans]


def test_sections_have_levels_trails_and_spans_in_the_extracted_text() -> None:
    text, found = made("Intro \U0001f600.\n\nA\n=\n\nx\n\nB\n-\n\ny\n\nC\n=\n\nz\n")
    assert [(s.level, s.heading, s.trail) for s in found.sections] == [
        (0, "", ()),
        (1, "A", ()),
        (2, "B", ("A",)),
        (1, "C", ()),
    ]
    assert "".join(s.text for s in found.sections) == text
    assert all(text[s.start : s.end] == s.text for s in found.sections)


def test_a_lone_title_opens_a_section_too() -> None:
    assert [s.heading for s in made("Only\n====\n\ntext\n")[1].sections] == ["Only"]


def test_markup_goes_and_words_stay() -> None:
    source = (
        ".. _lab:\n.. comment\n\nSee :ref:`the label <lab>`, :class:`~a.B` and ``x`` on |v|,\n"
        "`here <http://x>`_ [1]_.\n\n.. |v| replace:: 3.1\n.. [1] A note.\n"
    )
    assert sentences(source) == ["See the label, a.B and x on 3.1, here .", "A note."]


def test_items_rows_code_and_terms_are_sentences() -> None:
    source = (
        "- one\n  more. Two\n\n.. code-block:: python\n\n   f(1)\n     g(2)\n\n"
        "===  ===\na b  c\n===  ===\n1    2\n===  ===\n\nterm\n   Meaning.\n\n| l1\n| l2\n"
    )
    assert sentences(source) == [
        "one more.", "Two", "f(1)", "g(2)", "a b\tc", "1\t2", "term", "Meaning.", "l1", "l2",
    ]  # fmt: skip


def test_what_directives_unknown_to_docutils_hold_is_read() -> None:
    source = (
        ".. toctree::\n   :maxdepth: 2\n\n   a/b\n\n.. versionadded:: 3\n   Some *new* thing.\n\n"
        ".. tab-set::\n\n   .. tab-item:: x\n      :sync: y\n\n      Deep ``text``.\n"
    )
    assert sentences(source) == ["Some new thing.", "Deep text."]


def test_no_file_is_read_no_raw_text_taken_and_no_date_put_in(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden")
    source = (
        f".. include:: {secret}\n\n.. raw:: html\n   :file: {secret}\n\n.. raw:: html\n\n   <b>r\n"
        f"\n.. csv-table::\n   :file: {secret}\n\n.. literalinclude:: {secret}\n\nNow |d|.\n\n"
        ".. |d| date:: %Y\n"
    )
    assert sentences(source) == ["Now |d|."]


def test_one_document_changes_nothing_for_the_next() -> None:
    plain = ":shout:`x` and `y`\n"
    before = sentences(plain)
    made(".. role:: shout(raw)\n   :format: html\n\n.. default-role:: literal\n\n:shout:`a`\n")
    assert sentences(plain) == before == ["x and y"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x" * (restructured.LARGEST + 1), "larger than 2 MiB"),
        (b"a\n\xff", r"not UTF-8 \(line 2\)"),
        (b"x" * 20_000, "more than 10000 characters"),
        ("\n\n".join("  " * i + "x" for i in range(400)).encode(), "nested too deeply"),
    ],
    ids=["large", "not UTF-8", "a long line", "deep"],
)
def test_hostile_files_are_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Broken, match=reason):
        restructured.extract(data)


def test_substitutions_do_not_explode() -> None:
    bomb = "|a9|\n\n.. |a0| replace:: " + "lol " * 20 + "\n"
    bomb += "".join(f".. |a{i}| replace:: {f'|a{i - 1}| ' * 10}\n" for i in range(1, 10))
    assert len(made(bomb)[0]) < 2_000_000


def test_what_utf8_cannot_hold_does_not_stop_a_document() -> None:
    assert "?" in made("|x| there\n\n.. |x| unicode:: 0xD800\n")[0]

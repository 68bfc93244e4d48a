import json
from pathlib import Path

import pytest

from curate.model.records import Clean, Redaction
from curate.privacy import measuring
from curate.privacy.measuring import Hits, Labelled, Span
from tests.conftest import Curate


def found(*spans: tuple[int, int, str]) -> Clean:
    return Clean("", tuple(Redaction(a, b, entity, "", 0, 1.0, "x") for a, b, entity in spans))


def test_a_word_that_survives_is_a_leak_and_one_outside_the_labels_damage() -> None:
    text = "ask Mary Smith today"
    labelled = Labelled(text, (Span(4, 14, "PERSON"),))

    score = measuring.score(
        "t",
        [labelled] * 3,
        [found((4, 14, "PERSON")), found((4, 8, "PERSON")), found((4, 20, "PERSON"))],
    )

    assert (score.texts, score.personal, score.leaks, score.damaged) == (3, 3, 1, 1)
    assert score.entities == {"PERSON": Hits(3, 3, 3, 3)}


def test_another_entity_is_no_hit_but_no_leak_either() -> None:
    labelled = Labelled("call 012 345 678", (Span(5, 16, "PHONE_NUMBER"),))

    score = measuring.score("t", [labelled], [found((5, 16, "PERSON"))])

    assert (score.leaks, score.damaged) == (0, 0)
    assert score.entities["PHONE_NUMBER"].recall == 0
    assert score.entities["PERSON"].precision == 0


def test_what_nobody_can_tell_counts_neither_way() -> None:
    labelled = Labelled("hey olly stop", (Span(4, 8, "AMBIG"),))

    score = measuring.score("t", [labelled, labelled], [found((4, 8, "PERSON")), found()])

    assert (score.personal, score.leak, score.damaged, score.entities) == (0, None, 0, {})


def test_the_samples_score_as_the_privacy_page_says(curate: Curate) -> None:
    page = (Path(__file__).parent.parent / "privacy.md").read_text(encoding="utf-8")

    for options in ((), ("--lower",)):
        ran = curate("privacy", "benchmark", *options, "--json")
        for one in ran.json:
            told = f"| {one['leaks']}/{one['personal']} | {one['damaged']}/{one['texts']} |"
            assert told in page, (options, one)


def test_the_samples_label_what_they_hold() -> None:
    for path in measuring.samples():
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            for span in entry["spans"]:
                piece = entry["text"][span["start"] : span["end"]]
                assert piece == piece.strip() != ""


def test_a_file_of_ones_own_is_scored(curate: Curate, tmp_path: Path) -> None:
    spans = [{"start": 11, "end": 21, "label": "PERSON"}]
    line = json.dumps({"id": 1, "text": "my name is Mary Smith", "spans": spans})
    path = tmp_path / "mine.jsonl"
    path.write_text(line + "\n", encoding="utf-8")

    ran = curate("privacy", "benchmark", path)

    assert ran.code == 0, ran.err
    assert "0.0% (0/1)" in ran.out
    assert "PERSON 100.0%/100.0%" in ran.out


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"text": "abc", "spans": [{"start": 2, "end": 9, "label": "PERSON"}]}']
)
def test_a_line_without_a_labelled_text_is_named_and_not_shown(
    line: str, curate: Curate, tmp_path: Path
) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"text": "ok", "spans": []}\n' + line, encoding="utf-8")

    ran = curate("privacy", "benchmark", path)

    assert ran.code == 2
    assert "line 2" in ran.err
    assert "abc" not in ran.err

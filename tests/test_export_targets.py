"""Every target's shape, what it loses and says it lost, and hostile text through all of them."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import ir_measures
import pytest

from curate.export.bundle import Bundle, ChunkText, Written
from curate.export.harnesses import escaped
from curate.export.retrieval import safe
from curate.export.tables import inert
from curate.export.targets import TARGETS, write
from curate.model.documents import Evidence
from curate.model.errors import CurateError, Exit
from curate.model.items import Item
from curate.model.records import Turn

EVIDENCE = Evidence("laptops.md", "How long", "up to 7 days", 10, 22, "sha256:0", "verbatim")
PLAIN = Item(
    "how-long",
    1,
    "when is it due",
    answerable=True,
    evidences=(EVIDENCE,),
    keyword="7 days",
    status="ready",
)
RICH = replace(
    PLAIN,
    id="renew",
    question="and can i renew it",
    evidences=(EVIDENCE, replace(EVIDENCE, source="faq.md", phrase="once more")),
    evidence_mode="all",
    must_include=("once",),
    must_not_include=("twice",),
    history=(Turn("user", "when is it due"), Turn("assistant", "In 7 days.")),
    reference="Yes, once.",
    kind="follow-up",
    lang="en",
    tags=("loans",),
    split="holdout",
)
ABSENT = Item("no-sale", 1, "can i buy one", answerable=False, status="ready")
BUNDLE = Bundle(
    items=(PLAIN, ABSENT, RICH),
    dataset="club",
    number=3,
    refusals=("I could not find", "I don't know"),
    gold={"how-long": ["laptops.md#1"], "renew": ["laptops.md#1", "faq page.md#2"]},
    chunks=(
        ChunkText("laptops.md#1", "How long", "up to 7 days"),
        ChunkText("faq page.md#2", "Renewing", "once more"),
    ),
)
BARE = replace(BUNDLE, gold={}, chunks=(), refusals=(), number=None)
NASTY = "=1+1 {{x}} {% y %}\u2028\u0085\n\"'`,\t<b>\ud800 ៧"


def lines(written: Written, name: str) -> list[Any]:
    return [json.loads(line) for line in written.files[name].decode("ascii").splitlines()]


def array(written: Written, name: str) -> Any:
    return json.loads(written.files[name])


def test_golden_has_its_exact_keys_and_lists_what_it_leaves_out() -> None:
    written = write("golden", BUNDLE)
    assert lines(written, "golden.jsonl") == [
        {
            "question": "when is it due",
            "expected_answer": "up to 7 days",
            "source_file": "laptops.md",
        },
        {
            "question": "and can i renew it",
            "expected_answer": "Yes, once.",
            "source_file": "laptops.md",
        },
    ]
    assert written.lost == (
        "unanswerable items are left out: no-sale",
        "the history is left out: renew",
        "must-include and must-not-include are left out: renew",
        "tags are left out: renew",
    )


def test_without_a_reference_all_needed_evidence_is_the_answer() -> None:
    bundle = replace(BUNDLE, items=(replace(RICH, reference=""),))
    assert lines(write("golden", bundle), "golden.jsonl")[0]["expected_answer"] == (
        "up to 7 days\nonce more"
    )


def test_labelled_queries_hold_answerable_items_with_gold_only() -> None:
    written = write("labelled", BUNDLE)
    assert array(written, "labelled.json") == [
        {"id": "how-long", "query": "when is it due", "relevantChunkIds": ["laptops.md#1"]},
        {
            "id": "renew",
            "query": "and can i renew it",
            "relevantChunkIds": ["laptops.md#1", "faq page.md#2"],
        },
    ]
    assert "unanswerable items are left out: no-sale" in written.lost
    unlabelled = write("labelled", replace(BUNDLE, gold={"renew": ["x"]}))
    assert "answerable items without a gold chunk are left out: how-long" in unlabelled.lost


@pytest.mark.parametrize("target", ["labelled", "beir", "trec"])
def test_targets_of_chunk_ids_are_refused_without_a_chunk_set(target: str) -> None:
    with pytest.raises(CurateError, match="no chunk set") as caught:
        write(target, BARE)
    assert caught.value.code == Exit.USAGE


def test_ragas_rows_have_one_shape_and_unanswerable_ones_expect_a_refusal() -> None:
    rows = lines(write("ragas", BUNDLE), "ragas.jsonl")
    assert rows[1] == {
        "id": "no-sale",
        "user_input": "can i buy one",
        "reference": "I could not find",
        "reference_contexts": [],
        "reference_context_ids": [],
    }
    assert rows[2]["reference_contexts"] == ["up to 7 days", "once more"]
    assert rows[2]["reference_context_ids"] == ["laptops.md#1", "faq page.md#2"]
    assert "the history is left out: renew" in write("ragas", BUNDLE).lost


def test_deepeval_goldens_keep_everything_else_in_their_metadata() -> None:
    written = write("deepeval", BUNDLE)
    golden = array(written, "deepeval.json")[2]
    assert {key: golden[key] for key in golden if key != "additional_metadata"} == {
        "input": "and can i renew it",
        "expected_output": "Yes, once.",
        "context": ["up to 7 days", "once more"],
        "source_file": "laptops.md",
        "name": "renew",
    }
    assert golden["additional_metadata"]["history"][0]["content"] == "when is it due"
    assert golden["additional_metadata"]["split"] == "holdout"
    assert written.lost == ()


def test_promptfoo_asserts_keyword_refusal_and_musts() -> None:
    tests = array(write("promptfoo", BUNDLE), "promptfoo.json")
    assert [test["assert"] for test in tests] == [
        [{"type": "icontains", "value": "7 days"}],
        [{"type": "icontains-any", "value": ["I could not find", "I don't know"]}],
        [
            {"type": "icontains", "value": "7 days"},
            {"type": "contains", "value": "once"},
            {"type": "not-contains", "value": "twice"},
        ],
    ]
    assert tests[2]["vars"] == {
        "question": "and can i renew it",
        "history": "user: when is it due\nassistant: In 7 days.",
    }
    assert write("promptfoo", BARE).lost == (
        "no refusal phrase is configured, so nothing is asserted: no-sale",
    )


def test_templates_and_file_references_are_inert_in_promptfoo() -> None:
    assert escaped("a {{b}} {% c %} {# d") == 'a {{ "{{" }}b}} {{ "{%" }} c %} {{ "{#" }} d'
    assert escaped("file:///etc/passwd") == '{{ "file://" }}/etc/passwd'
    assert escaped("plain { } text") == "plain { } text"


def test_inspect_samples_ask_with_their_history() -> None:
    plain, absent, rich = lines(write("inspect", BUNDLE), "inspect.jsonl")
    assert (plain["id"], plain["input"], plain["target"]) == (
        "how-long",
        "when is it due",
        "7 days",
    )
    assert absent["target"] == ["I could not find", "I don't know"]
    assert rich["input"] == [
        {"role": "user", "content": "when is it due"},
        {"role": "assistant", "content": "In 7 days."},
        {"role": "user", "content": "and can i renew it"},
    ]
    assert rich["metadata"]["evidenceMode"] == "all"


def test_beir_judges_answerable_items_per_split_and_encodes_ids() -> None:
    written = write("beir", BUNDLE)
    assert lines(written, "beir/corpus.jsonl")[1] == {
        "_id": "faq%20page.md#2",
        "title": "Renewing",
        "text": "once more",
    }
    queries = lines(written, "beir/queries.jsonl")
    assert [query["_id"] for query in queries] == ["how-long", "no-sale", "renew"]
    assert queries[1]["metadata"]["answerable"] is False
    assert written.files["beir/qrels/tuning.tsv"] == (
        b"query-id\tcorpus-id\tscore\nhow-long\tlaptops.md#1\t1\n"
    )
    assert written.files["beir/qrels/holdout.tsv"].count(b"\n") == 3
    assert written.lost == ("unanswerable items are queries without judgements: no-sale",)


def test_trec_judgements_are_read_by_ir_measures(tmp_path_factory: Any) -> None:
    written = write("trec", BUNDLE)
    path = tmp_path_factory.mktemp("trec") / "qrels.txt"
    path.write_bytes(written.files["trec/qrels.holdout.txt"])
    judged = list(ir_measures.read_trec_qrels(str(path)))  # type: ignore[no-untyped-call]
    assert [(one.query_id, one.doc_id, one.relevance) for one in judged] == [
        ("renew", "laptops.md#1", 1),
        ("renew", "faq%20page.md#2", 1),
    ]
    assert written.files["trec/queries.tuning.tsv"] == b"how-long\twhen is it due\n"
    assert "that all of several evidences are needed is not told: renew" in written.lost


def test_ids_are_encoded_only_where_they_would_break() -> None:
    assert safe("ឯកសារ.md#1") == "ឯកសារ.md#1"
    assert safe("a b\t100%\u00a0c\n") == "a%20b%09100%25%C2%A0c%0A"


def test_huggingface_rows_all_have_the_same_keys_and_types() -> None:
    written = write("huggingface", BUNDLE)
    rows = [
        *lines(written, "huggingface/tuning.jsonl"),
        *lines(written, "huggingface/holdout.jsonl"),
    ]
    assert len({tuple((key, type(value)) for key, value in row.items()) for row in rows}) == 1
    card = written.files["huggingface/README.md"].decode()
    assert all(f"- name: {key}\n" in card for key in rows[0])
    assert written.lost == ()


def test_parquet_keeps_rows_and_types_or_says_what_to_install() -> None:
    if importlib.util.find_spec("pyarrow") is None:
        with pytest.raises(CurateError, match="pyarrow"):
            write("parquet", BUNDLE)
        return
    import pyarrow.parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]

    table = pyarrow.parquet.read_table(
        io.BytesIO(write("parquet", BUNDLE).files["parquet/tuning.parquet"])
    )
    assert table.column("id").to_pylist() == ["how-long", "no-sale"]
    assert str(table.schema.field("tags").type).startswith("list<")


def test_langfuse_ids_are_unique_across_datasets_and_versions() -> None:
    row = lines(write("langfuse", BUNDLE), "langfuse.jsonl")[0]
    assert (row["datasetName"], row["id"], row["status"]) == (
        "club",
        "club-v0003-how-long",
        "ACTIVE",
    )
    assert row["input"] == {"question": "when is it due", "history": []}
    assert row["expectedOutput"] == {"answer": "up to 7 days", "answerable": True}
    assert lines(write("langfuse", BARE), "langfuse.jsonl")[0]["id"] == "club-draft-how-long"


def test_langsmith_ids_are_the_same_in_every_version() -> None:
    first = lines(write("langsmith", BUNDLE), "langsmith.jsonl")
    later = lines(write("langsmith", replace(BUNDLE, number=9)), "langsmith.jsonl")
    assert [row["id"] for row in first] == [row["id"] for row in later]
    assert len({row["id"] for row in first}) == 3
    assert [row["split"] for row in first] == ["tuning", "tuning", "holdout"]
    assert set(first[0]) == {"id", "inputs", "outputs", "metadata", "split"}


def test_phoenix_names_columns_that_are_there() -> None:
    written = write("phoenix", BUNDLE)
    rows = list(csv.DictReader(io.StringIO(written.files["phoenix.csv"].decode(), newline="")))
    keys = json.loads(written.files["phoenix.keys.json"])
    lists = [[named] if isinstance(named, str) else named for named in keys.values()]
    assert sorted(column for named in lists for column in named) == sorted(rows[0])
    assert rows[1]["answerable"] == "false"
    assert json.loads(rows[2]["metadata"])["tags"] == ["loans"]


def test_mlflow_tags_are_texts_and_twins_are_told() -> None:
    rows = lines(write("mlflow", BUNDLE), "mlflow.jsonl")
    assert all(isinstance(value, str) for row in rows for value in row["tags"].values())
    assert rows[2]["expectations"] == {
        "expected_response": "Yes, once.",
        "expected_facts": ["7 days", "once"],
        "expected_retrieved_context": [{"doc_uri": "laptops.md"}, {"doc_uri": "faq.md"}],
    }
    twin = replace(PLAIN, id="how-long-2")
    lost = write("mlflow", replace(BUNDLE, items=(PLAIN, twin, ABSENT))).lost
    assert lost == (
        "MLflow keeps only one of the items that ask exactly the same: how-long, how-long-2",
    )


def test_a_spreadsheet_runs_no_cell() -> None:
    bundle = replace(BUNDLE, items=(replace(PLAIN, question="=HYPERLINK(1)"), ABSENT, RICH))
    data = write("spreadsheet", bundle).files["spreadsheet.csv"]
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert rows[0]["question"] == "'=HYPERLINK(1)"
    assert rows[2]["relevantChunkIds"] == "laptops.md#1\nfaq page.md#2"
    assert rows[1]["answerable"] == "no"


@pytest.mark.parametrize("text", ["=1", " +1", "-1", "@x", "\tx", "\rx", "\nx", "\uff1d1"])
def test_what_a_spreadsheet_would_run_gets_a_quote_in_front(text: str) -> None:
    assert inert(text) == f"'{text}"
    assert inert("plain = text") == "plain = text"


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for part in value:
                yield from _texts(part)
        case dict():
            for part in value.values():
                yield from _texts(part)
        case _:
            pass


@pytest.mark.parametrize("target", sorted(set(TARGETS) - {"parquet", "spreadsheet", "trec"}))
def test_hostile_text_survives_every_target_unchanged(target: str) -> None:
    item = replace(PLAIN, question=NASTY)
    written = write(target, replace(BUNDLE, items=(item,)))
    found: set[str] = set()
    for name, data in written.files.items():
        if name.endswith(".jsonl"):
            found.update(text for row in lines(written, name) for text in _texts(row))
        elif name.endswith(".json"):
            found.update(_texts(json.loads(data)))
        elif name.endswith(".csv"):
            cells = csv.reader(io.StringIO(data.decode("utf-8"), newline=""))
            found.update(cell.replace("?", "\ud800") for line in cells for cell in line)
    assert NASTY in found or escaped(NASTY) in found


@pytest.mark.parametrize("target", sorted(set(TARGETS) - {"parquet"}))
def test_every_target_writes_the_same_bytes_again_and_keeps_holdout_out_of_tuning(
    target: str,
) -> None:
    written = write(target, BUNDLE)
    assert dict(written.files) == dict(write(target, BUNDLE).files)
    for name, data in written.files.items():
        if "tuning" in name:
            assert b"renew" not in data


@pytest.mark.parametrize(
    "target", sorted(set(TARGETS) - {"parquet", "labelled", "golden", "trec", "beir"})
)
def test_unanswerable_items_survive_wherever_the_target_can_hold_them(target: str) -> None:
    written = write(target, BUNDLE)
    assert any(b"can i buy one" in data for data in written.files.values())


def test_an_unknown_format_is_named_with_the_known_ones() -> None:
    with pytest.raises(CurateError, match="nonsense") as caught:
        write("nonsense", BUNDLE)
    assert "promptfoo" in caught.value.hint


def test_a_bundle_shows_no_chunk_text() -> None:
    assert "once more" not in repr(BUNDLE.chunks[1])

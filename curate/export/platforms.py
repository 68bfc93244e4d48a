"""Targets that keep datasets on a server: Langfuse, LangSmith, Phoenix, MLflow.

Shapes as of Langfuse 5.0, LangSmith 0.15, Phoenix 20 and MLflow 3.17. Nothing is sent: the files
are what their clients or forms take.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from uuid import NAMESPACE_URL, uuid5

from curate.export.bundle import Bundle, Written, lines, told
from curate.model.items import Item
from curate.model.plain import Json


def langfuse(bundle: Bundle) -> Written:
    """Lines, each the body of one `POST /api/public/dataset-items`.

    The id is unique across datasets, as Langfuse demands, and stays the same for a version: a
    second upload changes nothing.
    """

    def row(item: Item) -> Json:
        metadata = bundle.record(item)
        asked = _asked(metadata)
        return {
            "datasetName": bundle.dataset,
            "id": f"{bundle.release}-{item.id}",
            "input": asked,
            "expectedOutput": {"answer": bundle.expected(item), "answerable": item.answerable},
            "metadata": metadata,
            "status": "ACTIVE",
        }

    return Written(lines("langfuse", bundle.items, row))


def langsmith(bundle: Bundle) -> Written:
    """Lines, each an example with `id, inputs, outputs, metadata, split`.

    The id is a UUID made of dataset and item id alone, so that a later version updates it.
    """

    def row(item: Item) -> Json:
        metadata = bundle.record(item)
        asked = _asked(metadata)
        return {
            "id": str(uuid5(NAMESPACE_URL, f"curate:{bundle.dataset}:{item.id}")),
            "inputs": asked,
            "outputs": {"answer": bundle.expected(item), "answerable": item.answerable},
            "metadata": metadata,
            "split": item.split,
        }

    return Written(lines("langsmith", bundle.items, row))


PHOENIX_KEYS: dict[str, list[str] | str] = {
    "input_keys": ["question", "history"],
    "output_keys": ["answer", "answerable"],
    "metadata_keys": ["metadata"],
    "split_key": "split",
    "example_id_key": "id",
}
"""What Phoenix's `create_dataset` takes beside a name and the CSV file, as it takes it."""


def phoenix(bundle: Bundle) -> Written:
    """A CSV for `create_dataset`, and which of its columns are which in `phoenix.keys.json`.

    Lists and objects are JSON in their cell; Phoenix reads every cell as text.
    """

    def cells(item: Item) -> list[str]:
        metadata = bundle.record(item)
        asked = _asked(metadata)
        return [
            item.id,
            item.split,
            item.question,
            _json(asked["history"]),
            bundle.expected(item),
            _json(item.answerable),
            _json(metadata),
        ]

    columns = ["id", "split", "question", "history", "answer", "answerable", "metadata"]
    files: dict[str, bytes] = {}
    for split in ("", "tuning", "holdout"):
        held = [item for item in bundle.items if split in ("", item.split)]
        if held or not split:
            name = f"phoenix.{split}.csv" if split else "phoenix.csv"
            files[name] = _csv([columns, *map(cells, held)])
    files["phoenix.keys.json"] = (json.dumps(PHOENIX_KEYS, indent=2) + "\n").encode()
    return Written(files)


def mlflow(bundle: Bundle) -> Written:
    """Lines of `inputs, expectations, tags` for `merge_records`.

    MLflow's key is the inputs and it keeps no order; tags are texts there, so the whole record
    travels in the tag `curate` as JSON.
    """

    def row(item: Item) -> Json:
        metadata = bundle.record(item)
        tags = {"id": item.id, "split": item.split, "curate": _json(metadata)}
        asked = _asked(metadata)
        sources = dict.fromkeys(evidence.source for evidence in item.evidences)
        expectations: Json = {"expected_response": bundle.expected(item)}
        if item.answerable:
            expectations |= {
                "expected_facts": [item.keyword.strip(), *item.must_include],
                "expected_retrieved_context": [{"doc_uri": source} for source in sources],
            }
        return {"inputs": asked, "expectations": expectations, "tags": tags}

    asked = Counter(_input(item) for item in bundle.items)
    same = [item for item in bundle.items if asked[_input(item)] > 1]
    lost = told(("MLflow keeps only one of the items that ask exactly the same", same))
    return Written(lines("mlflow", bundle.items, row), lost)


def _asked(made: Json) -> Json:
    """Take question and history out of a record: what the assistant is asked."""
    return {"question": made.pop("question"), "history": made.pop("history", [])}


def _input(item: Item) -> tuple[object, ...]:
    return (item.question, item.history)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)


def _csv(rows: list[list[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "replace")

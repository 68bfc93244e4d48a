"""Targets with the same columns on every row: Hugging Face, Parquet, a spreadsheet."""

from __future__ import annotations

import csv
import io
import json

from curate.export.bundle import Bundle, Written
from curate.export.questions import encode_lines
from curate.model.errors import CurateError, Exit
from curate.model.items import Item
from curate.model.plain import Json

_TEXTS = ("id", "split", "question", "source", "heading", "evidence", "keyword")
_MORE_TEXTS = ("evidenceMode", "kind", "lang", "reference")
_LISTS = ("mustInclude", "mustNotInclude", "tags", "relevantChunkIds")
_CARD = """---
configs:
- config_name: default
  data_files:
{files}
dataset_info:
  features:
{features}
---

{count} questions of {release}, made with curate. `answerable`, `source`, `heading`, `evidence` and
`keyword` are those of questions.json; what an item does not have is empty.
"""


def huggingface(bundle: Bundle) -> Written:
    """A folder for `load_dataset`: lines per split with every key on every row, and a card that
    fixes the types (an all-empty column would be taken for null).
    """
    files: dict[str, bytes] = {}
    for split in _splits(bundle):
        rows = (row(bundle, item) for item in bundle.items if item.split == split)
        files[f"huggingface/{split}.jsonl"] = encode_lines(rows)
    listed = "\n".join(f"  - split: {split}\n    path: {split}.jsonl" for split in _splits(bundle))
    card = _CARD.format(
        files=listed, features=_features(), count=len(bundle.items), release=bundle.release
    )
    files["huggingface/README.md"] = card.encode()
    return Written(files)


def parquet(bundle: Bundle) -> Written:
    """One Parquet file per split, with the columns of `huggingface`. Needs pyarrow."""
    try:
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
        import pyarrow.parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise CurateError(
            "Parquet needs pyarrow, which is not installed",
            "Install it with `pip install curate[parquet]`.",
            Exit.USAGE,
        ) from None
    text, flag = pyarrow.string(), pyarrow.bool_()
    structs = {
        "evidences": pyarrow.struct([(key, text) for key in ("source", "heading", "evidence")]),
        "history": pyarrow.struct([(key, text) for key in ("role", "content")]),
    }
    schema = pyarrow.schema(
        [
            *[(key, text) for key in (*_TEXTS, *_MORE_TEXTS)],
            ("answerable", flag),
            *[(key, pyarrow.list_(text)) for key in _LISTS],
            *[(key, pyarrow.list_(struct)) for key, struct in structs.items()],
        ]
    )
    files: dict[str, bytes] = {}
    for split in _splits(bundle):
        rows = [row(bundle, item) for item in bundle.items if item.split == split]
        sink = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), sink)
        files[f"parquet/{split}.parquet"] = sink.getvalue()
    return Written(files)


def spreadsheet(bundle: Bundle) -> Written:
    """A CSV to read in a spreadsheet, never for the harness: text that a spreadsheet would run
    gets a `'` in front. UTF-8 with a mark, as Excel needs it; lists are lines in a cell.
    """
    columns = (*_TEXTS[:3], "answerable", *_TEXTS[3:], *_MORE_TEXTS, *_LISTS, "history")
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow((*columns, "evidences"))
    for item in bundle.items:
        held = row(bundle, item)
        writer.writerow(inert(_cell(held[key])) for key in (*columns, "evidences"))
    return Written({"spreadsheet.csv": text.getvalue().encode("utf-8-sig", "replace")})


def row(bundle: Bundle, item: Item) -> Json:
    """Return an item with every column there is, each of one type; empty where it has none."""
    made = bundle.record(item)
    texts = {key: made.get(key, "") for key in (*_TEXTS, *_MORE_TEXTS)}
    lists = {key: made.get(key, []) for key in (*_LISTS, "evidences", "history")}
    return {**texts, "answerable": made["answerable"], **lists}


def inert(text: str) -> str:
    """Return text that no spreadsheet takes for a formula (OWASP, CSV injection)."""
    first = text.lstrip(" \u00a0")[:1]
    return f"'{text}" if first and first in "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20" else text


def _cell(value: object) -> str:
    match value:
        case str():
            return value
        case bool():
            return "yes" if value else "no"
        case list() if all(isinstance(part, str) for part in value):
            return "\n".join(value)
        case list():
            return "\n".join(json.dumps(part, ensure_ascii=False) for part in value)
        case _:
            raise TypeError(type(value))


def _splits(bundle: Bundle) -> list[str]:
    held = {item.split for item in bundle.items}
    return [split for split in ("tuning", "holdout") if split in held]


def _features() -> str:
    lines = [f"  - name: {key}\n    dtype: string" for key in (*_TEXTS, *_MORE_TEXTS)]
    lines.append("  - name: answerable\n    dtype: bool")
    lines += [f"  - name: {key}\n    list: string" for key in _LISTS]
    for key, parts in (
        ("evidences", ("source", "heading", "evidence")),
        ("history", ("role", "content")),
    ):
        inner = "\n".join(f"    - name: {part}\n      dtype: string" for part in parts)
        lines.append(f"  - name: {key}\n    list:\n{inner}")
    return "\n".join(lines)

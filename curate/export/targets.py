"""Every format an export can have, by the name it is asked for with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from curate.export import harnesses, platforms, retrieval, tables
from curate.export.bundle import Bundle, Writer, Written
from curate.export.questions import files, records
from curate.model.errors import CurateError, Exit


@dataclass(frozen=True, slots=True)
class Target:
    """A format: what it is, in a few words for the help, and its writer."""

    what: str
    write: Writer


def _questions(bundle: Bundle) -> Written:
    return Written(files(records(bundle.items, bundle.gold)))


TARGETS: Mapping[str, Target] = {
    "questions": Target("questions.json, with tuning and holdout beside it", _questions),
    "labelled": Target("labelled queries: id, query, relevantChunkIds", retrieval.labelled),
    "golden": Target("golden.jsonl: question, expected_answer, source_file", harnesses.golden),
    "ragas": Target("Ragas", harnesses.ragas),
    "deepeval": Target("DeepEval goldens", harnesses.deepeval),
    "promptfoo": Target("promptfoo tests", harnesses.promptfoo),
    "beir": Target("BEIR: corpus, queries, qrels", retrieval.beir),
    "trec": Target("TREC qrels", retrieval.trec),
    "huggingface": Target("Hugging Face dataset, as lines", tables.huggingface),
    "parquet": Target("Hugging Face dataset, as Parquet", tables.parquet),
    "langfuse": Target("Langfuse dataset items", platforms.langfuse),
    "langsmith": Target("LangSmith examples", platforms.langsmith),
    "phoenix": Target("Phoenix CSV", platforms.phoenix),
    "inspect": Target("Inspect samples", harnesses.inspect),
    "mlflow": Target("MLflow evaluation records", platforms.mlflow),
    "spreadsheet": Target("CSV for a spreadsheet, formula-safe", tables.spreadsheet),
}


def known(target: str) -> Target:
    """Return a target by name. Raises `CurateError` when there is none such."""
    if target not in TARGETS:
        raise CurateError(
            f"there is no format {target!r}", f"Known: {', '.join(TARGETS)}.", Exit.USAGE
        )
    return TARGETS[target]


def write(target: str, bundle: Bundle) -> Written:
    """Return the files of one target and what it could not hold.

    Raises `CurateError` for an unknown target, or one that needs what the bundle does not have.
    """
    return known(target).write(bundle)

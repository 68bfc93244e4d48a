"""Targets that judge the assistant's answers: golden, Ragas, DeepEval, promptfoo, Inspect.

Shapes as of Ragas 0.4, DeepEval 4.3, promptfoo 0.121 and Inspect AI 0.3.
"""

from __future__ import annotations

import re

from curate.export.bundle import (
    Bundle,
    Written,
    answerable,
    array,
    lines,
    told,
    unanswerable,
    without,
)
from curate.model.items import Item
from curate.model.plain import Json

_TEMPLATE = re.compile(r"\{[{%#]|^(?:file://|package:)")


def golden(bundle: Bundle) -> Written:
    """Lines of `question, expected_answer, source_file`, answerable items only."""

    def row(item: Item) -> Json:
        return {
            "question": item.question,
            "expected_answer": bundle.expected(item),
            "source_file": item.evidences[0].source,
        }

    held = answerable(bundle)
    lost = told(
        unanswerable(bundle), *without(bundle, "history", "evidences", "assertions", "tags")
    )
    return Written(lines("golden", held, row), lost)


def ragas(bundle: Bundle) -> Written:
    """Lines of `user_input, reference, reference_contexts, reference_context_ids`, and our `id`.

    Ragas drops the `id` on reading: keep the order of the rows. An unanswerable item has a
    refusal for its reference and no contexts.
    """

    def row(item: Item) -> Json:
        return {
            "id": item.id,
            "user_input": item.question,
            "reference": bundle.expected(item),
            "reference_contexts": [one["evidence"] for one in _evidences(bundle, item)],
            "reference_context_ids": bundle.gold_of(item),
        }

    lost = told(*without(bundle, "history", "assertions", "tags"), _either(bundle))
    return Written(lines("ragas", bundle.items, row), lost)


def deepeval(bundle: Bundle) -> Written:
    """An array of goldens; what DeepEval has no field for is in `additional_metadata`."""

    def row(item: Item) -> Json:
        made = bundle.record(item)
        return {
            "input": made.pop("question"),
            "expected_output": bundle.expected(item),
            "context": [one["evidence"] for one in _evidences(bundle, item)],
            "source_file": made.get("source"),
            "name": item.id,
            "additional_metadata": made,
        }

    return Written(array("deepeval", bundle.items, row))


def promptfoo(bundle: Bundle) -> Written:
    """An array of test cases for `tests: file://promptfoo.json`.

    An answerable item asserts its keyword (case ignored), an unanswerable one that a refusal
    phrase is in the answer: promptfoo's own `is-refusal` does not know the app's wording. Text
    that Nunjucks would run is escaped. The history is one text: promptfoo multiplies a test by
    every list among its variables.
    """

    def row(item: Item) -> Json:
        checks: list[Json] = []
        if item.answerable:
            checks.append({"type": "icontains", "value": escaped(item.keyword.strip())})
        elif bundle.refusals:
            phrases = [escaped(phrase) for phrase in bundle.refusals]
            checks.append({"type": "icontains-any", "value": phrases})
        checks += [{"type": "contains", "value": escaped(text)} for text in item.must_include]
        checks += [
            {"type": "not-contains", "value": escaped(text)} for text in item.must_not_include
        ]
        metadata = bundle.record(item)
        del metadata["question"]
        history = "\n".join(f"{turn.role}: {turn.content}" for turn in item.history)
        return {
            "description": item.id,
            "vars": {"question": escaped(item.question), "history": escaped(history)},
            "assert": checks,
            "metadata": metadata,
        }

    unsaid = [i for i in bundle.items if not i.answerable and not bundle.refusals]
    lost = told(("no refusal phrase is configured, so nothing is asserted", unsaid))
    return Written(array("promptfoo", bundle.items, row), lost)


def inspect(bundle: Bundle) -> Written:
    """Lines of `id, input, target, metadata` for Inspect's `json_dataset`.

    `input` is a list of messages where there is a history. `target` suits the scorer
    `includes`: the keyword, or for an unanswerable item every refusal phrase.
    """

    def row(item: Item) -> Json:
        metadata = bundle.record(item)
        del metadata["id"], metadata["question"]
        messages = [{"role": turn.role, "content": turn.content} for turn in item.history]
        asked = [*messages, {"role": "user", "content": item.question}]
        return {
            "id": item.id,
            "input": asked if messages else item.question,
            "target": item.keyword.strip() if item.answerable else list(bundle.refusals),
            "metadata": metadata,
        }

    return Written(lines("inspect", bundle.items, row))


def escaped(text: str) -> str:
    """Return text that promptfoo takes as it is: neither a template nor a file to read."""
    return _TEMPLATE.sub(lambda match: f'{{{{ "{match.group()}" }}}}', text)


def _evidences(bundle: Bundle, item: Item) -> list[Json]:
    found: list[Json] = bundle.record(item).get("evidences", [])
    return found


def _either(bundle: Bundle) -> tuple[str, list[Item]]:
    held = [i for i in answerable(bundle) if len(i.evidences) > 1 and i.evidence_mode == "any"]
    return "that any one of several evidences is enough is not told", held

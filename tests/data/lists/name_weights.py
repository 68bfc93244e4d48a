"""Fit the weights of the name rule on labelled texts. Run by hand, when the facts change.

usage: python tests/data/lists/name_weights.py FILE.jsonl... (needs scipy)

Each line is {"text", "spans": [{"start", "end", "label"}]}; words in PERSON spans are names, words
in AMBIG, phone and e-mail spans are left out. Every file weighs the same, each is read as written
and in lower case. Two logistic regressions (L2, signs held where the direction is known) are
fitted one on the other; see curate/privacy/names.py. Afterwards the ordinary words are made
0.3 less and the hashtags 0.4 more likely, where the curves of leak against damage say so.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from curate.privacy import names
from curate.privacy.rampart import Rampart
from curate.privacy.words import Word, words

RAISING = (
    "title relation verb introduced with says signature pair pair_unknown pair_rare pair_common"
    " pair_proper capital_word capital_listed capital_unknown word_given_top listed_given_top"
    " word_family_top listed_family_top before behind namesake self given family common_given"
    " rare_given common_family rare_family title_word relation_word verb_word introduced_word"
)
LOWERING = (
    "place_odds place_beside known_place drawn_out camel determiner lower_among_word"
    " lower_among_listed lower_among_unknown"
)
AT_LEAST = {"title": 0.8, "relation": 0.5, "public": 1.0}
SECOND = ("self", "before", "behind", "namesake")
SHIFTS = {"common": -0.3, "rare": -0.3, "tag": 0.4}
Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Text:
    """A labelled text with its words, their facts, and 1, 0 or -1 (leave out) for each."""

    text: str
    words: list[Word]
    facts: list[names.Facts | None]
    truth: list[int]
    weight: float


def read(model: Rampart, file: Path) -> list[Text]:
    """Return the texts of a labelled file, as written and in lower case."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    every = model.names([row["text"] for row in rows])
    texts = []
    for row, pieces in zip(rows, every, strict=True):
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in row["text"])
        for text in dict.fromkeys((row["text"], lower)):
            found = words(text)
            truth = [label(word, row["spans"]) for word in found]
            facts = names.features(text, found, pieces)
            texts.append(Text(text, found, facts, truth, 1500 / len(rows)))
    return texts


def label(word: Word, spans: list[dict[str, object]]) -> int:
    """Return 1 for a word in a PERSON span, 0 for one outside every span, -1 to leave it out."""
    if len(word.text) < 2:
        return -1
    for span in spans:
        if int(str(span["start"])) < word.end and int(str(span["end"])) > word.start:
            if span["label"] == "PERSON":
                return 1
            if span["label"] in ("AMBIG", "PHONE_NUMBER", "EMAIL_ADDRESS"):
                return -1
    return 0


def fit(texts: list[Text], *, second: bool) -> dict[str, float]:
    """Return the fitted weights of one pass."""
    rows = [
        (own, truth, text.weight)
        for text in texts
        for own, truth in zip(text.facts, text.truth, strict=True)
        if own is not None and truth >= 0
    ]
    keys = sorted({key for own, _, _ in rows for key in own} - (set() if second else set(SECOND)))
    place = {key: index for index, key in enumerate(keys)}
    table = np.zeros((len(rows), len(keys) + 1))
    table[:, -1] = 1
    for index, (own, _, _) in enumerate(rows):
        for key, value in own.items():
            if key in place:
                table[index, place[key]] = value
    truth = np.array([row[1] for row in rows], float)
    weight = np.array([row[2] for row in rows])

    def loss(at: Matrix) -> tuple[float, Matrix]:
        p = 1 / (1 + np.exp(-np.clip(table @ at, -30, 30)))
        value = -(weight * (truth * np.log(p + 1e-12) + (1 - truth) * np.log(1 - p + 1e-12))).sum()
        slope = table.T @ (weight * (p - truth)) + np.r_[2 * at[:-1], 0]
        return float(value + (at[:-1] ** 2).sum()), slope

    bounds = [bound(key, second=second) for key in keys] + [(None, None)]
    start = np.zeros(table.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return {key: round(float(v), 3) for key, v in zip([*keys, "bias"], found.x, strict=True)}


def bound(key: str, *, second: bool) -> tuple[float | None, float | None]:
    """Return the bounds of a weight: what is known of its direction."""
    if key in AT_LEAST:
        return (0.0 if second else AT_LEAST[key], None)
    if key in RAISING.split() or key.startswith("model_"):
        return (0.0, None)
    return (None, 0.0) if key in LOWERING.split() else (None, None)


def main() -> None:
    """Fit both passes and write them where the rule reads them."""
    model = Rampart()
    texts = [text for file in sys.argv[1:] for text in read(model, Path(file))]
    first = fit(texts, second=False)
    for text in texts:
        odds = [names.weigh(own, first) for own in text.facts]
        names.again(text.text, text.words, text.facts, odds)
    second = fit(texts, second=True)
    for key, shift in SHIFTS.items():
        second[key] = round(second.get(key, 0.0) + shift, 3)
    held = json.dumps({"first": first, "second": second}, indent=1, sort_keys=True)
    target = Path(names.__file__).parent / "lists" / "weights.json"
    target.write_text(held + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

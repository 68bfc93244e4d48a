"""How long scoring takes: a whole `eval score`, and the measures beside ir-measures and ranx.

    python tests/benchmarks/scoring.py [ITEMS]        default: 10000 items, 10 chunks each

Prints processor seconds. ranx is measured only where it is installed; it is no dependency.
"""

from __future__ import annotations

import importlib.util
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

CHUNKS = 10
KS = (1, 2, 4, 8)


def make(place: Path, items: int) -> list[list[int]]:
    """Write a set and a run; returns, per answerable item, the ranks of its right chunk."""
    chance = random.Random(1)  # noqa: S311 - dice
    words = [f"word{n}" for n in range(3000)]
    questions, lines, ranks = [], [], []
    for n in range(items):
        evidence = " ".join(chance.choices(words, k=5))
        source = f"d{chance.randrange(50)}.md"
        answerable = chance.random() < 0.85
        rank = chance.choice([1, 1, 2, 3, 4, 6, 9, 99])
        question: dict[str, object] = {"id": f"i{n}", "question": "?", "answerable": answerable}
        if answerable:
            question |= {"source": source, "heading": "", "evidence": evidence, "keyword": "yes"}
            ranks.append([rank])
        if n % 5 == 0:
            question["holdout"] = True
        questions.append(question | {"kind": f"kind {n % 4}", "lang": ("en", "km")[n % 2]})
        retrieved = []
        for place_ in range(1, CHUNKS + 1):
            text = " ".join(chance.choices(words, k=90))
            held = place_ == rank
            retrieved.append(
                {
                    "id": f"i{n}#{place_}",
                    "source": source if held else f"d{chance.randrange(50)}.md",
                    "text": f"{text}\n{evidence}" if held else text,
                    "score": 1 - place_ / 20,
                }
            )
        lines.append(
            {
                "id": f"i{n}",
                "retrieved": retrieved,
                "answer": chance.choice(["yes [1]", "no [2]", "yes"]),
                "refused": chance.random() < 0.1,
                "latency_ms": chance.random() * 1000,
                "usage": {"total_tokens": chance.randrange(2000)},
            }
        )
    (place / "questions.json").write_text(json.dumps(questions), encoding="utf-8")
    (place / "run.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return ranks


def command(place: Path, *more: str) -> float:
    """Processor seconds of a whole `curate eval score`, the start of Python included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [
            *(sys.executable, "-m", "curate", "eval", "score", str(place / "run.jsonl")),
            *("--questions", str(place / "questions.json"), *more),
        ],
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def timed(work: Callable[[], object]) -> float:
    """The best of three, in processor seconds."""
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        work()
        best = min(best, time.process_time() - begun)
    return best


def ours(ranks: list[list[int]]) -> dict[str, float]:
    """hit, MRR, recall, precision and nDCG at every cut-off, as means."""
    from curate.evaluate import metrics

    found = {}
    rows = [[float(place in row) for place in range(1, CHUNKS + 1)] for row in ranks]
    for k in KS:
        found[f"hit@{k}"] = sum(metrics.hit(row, k) for row in rows) / len(rows)
        found[f"mrr@{k}"] = sum(metrics.reciprocal_rank(row, k) for row in rows) / len(rows)
        found[f"recall@{k}"] = sum(metrics.recall(row, k) for row in ranks) / len(rows)
        found[f"precision@{k}"] = sum(metrics.precision(row, k) for row in rows) / len(rows)
        found[f"ndcg@{k}"] = sum(metrics.ndcg(row, [1.0], k) for row in rows) / len(rows)
    return found


def theirs(ranks: list[list[int]]) -> dict[str, float]:
    """The same by ir-measures."""
    import ir_measures
    from ir_measures import RR, P, Qrel, R, ScoredDoc, Success, nDCG

    names = {"hit": Success, "mrr": RR, "recall": R, "precision": P, "ndcg": nDCG}
    measures = {measure @ k: f"{name}@{k}" for name, measure in names.items() for k in KS}
    qrels, run = [], []
    for n, row in enumerate(ranks):
        qrels.append(Qrel(str(n), f"{n}#{row[0]}", 1))
        run += [ScoredDoc(str(n), f"{n}#{p}", CHUNKS - p) for p in range(1, CHUNKS + 1)]
    found = ir_measures.calc_aggregate(list(measures), qrels, run)
    return {measures[measure]: value for measure, value in found.items()}


def ranx(ranks: list[list[int]]) -> object:
    """The same by ranx, its second time in this process."""
    import ranx as library

    qrels = {str(n): {f"{n}#{row[0]}": 1} for n, row in enumerate(ranks)}
    run = {
        str(n): {f"{n}#{p}": float(CHUNKS - p) for p in range(1, CHUNKS + 1)}
        for n in range(len(ranks))
    }
    names = [f"{name}@{k}" for name in ("hit_rate", "mrr", "recall", "precision") for k in KS]
    return library.evaluate(library.Qrels(qrels), library.Run(run), [*names, "ndcg@4"])


def main() -> None:
    """Measure and print."""
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        ranks = make(place, items)
        size = (place / "run.jsonl").stat().st_size / 1e6
        start = min(command_start() for _ in range(3))
        whole = min(command(place) for _ in range(2))
        as_json = command(place, "--json")
    print(f"{items} items x {CHUNKS} chunks, {size:.0f} MB: eval score {whole:.2f} s of which")
    print(f"  {start:.2f} s are the start; with --json {as_json:.2f} s")
    print(f"measures alone: ours {timed(lambda: ours(ranks)):.2f} s")
    print(f"                ir-measures {timed(lambda: theirs(ranks)):.2f} s")
    mine, oracle = ours(ranks), theirs(ranks)
    print(f"greatest difference {max(abs(mine[key] - oracle[key]) for key in mine):.1e}")
    if importlib.util.find_spec("ranx"):
        print(f"                ranx {timed(lambda: ranx(ranks)):.2f} s")
    else:
        print("                ranx is not installed")


def command_start() -> float:
    """Processor seconds of a command that does nothing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "curate", "eval", "score", "--help"], check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()

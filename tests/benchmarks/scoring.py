"""How long scoring takes: a whole `eval score`, and the measures beside ir-measures and ranx.

    python tests/benchmarks/scoring.py [--items 10000] [--ranx PYTHON]

Prints processor seconds, and how far the oracles' values are from ours. ranx is measured where it
is installed, or in the environment of another PYTHON; it is no dependency: numba is heavy.
"""

from __future__ import annotations

import argparse
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


def command(*arguments: object) -> float:
    """Processor seconds of a whole `curate eval score`, the start of Python included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "curate", "eval", "score", *map(str, arguments)],
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def demo(place: Path) -> tuple[object, ...]:
    """What scores a run of the demo's assistant, over the demo's answer key."""
    there = place / "curate-demo"
    run = there / "run.jsonl"
    ask = ["eval", "run", "--python", "curate.demo.assistant:ask", "--out", str(run)]
    for arguments, where in (
        (["demo", "--answer-key", "--no-open"], place),
        (["export"], there),
        (ask, there),
    ):
        subprocess.run(
            [sys.executable, "-m", "curate", *arguments], cwd=where, check=True, capture_output=True
        )
    return run, "--workspace", there


def _beside(name: str, spent: float, mine: dict[str, float], theirs: dict[str, float]) -> None:
    furthest = max(abs(mine[key] - theirs[key]) for key in mine)
    print(f"                {name:11} {spent:.2f} s, {len(mine)} values, apart {furthest:.1e}")


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


def ranx(ranks: list[list[int]]) -> dict[str, float]:
    """The same by ranx."""
    import ranx as library

    qrels = {str(n): {f"{n}#{row[0]}": 1} for n, row in enumerate(ranks)}
    run = {
        str(n): {f"{n}#{p}": float(CHUNKS - p) for p in range(1, CHUNKS + 1)}
        for n in range(len(ranks))
    }
    names = {"hit": "hit_rate", "mrr": "mrr", "recall": "recall", "precision": "precision"}
    wanted = {f"{name}@{k}": f"{ours_}@{k}" for ours_, name in names.items() for k in KS}
    wanted |= {f"ndcg@{k}": f"ndcg@{k}" for k in KS}
    found = library.evaluate(library.Qrels(qrels), library.Run(run), list(wanted))
    return {wanted[name]: float(value) for name, value in found.items()}


def ranx_elsewhere(python: str, ranks: list[list[int]]) -> tuple[float, dict[str, float]]:
    """Seconds and values of ranx in the environment of `python`, compiling left out."""
    done = subprocess.run(
        [python, __file__, "--only-ranx"],
        input=json.dumps(ranks),
        capture_output=True,
        check=True,
        text=True,
    )
    spent, values = json.loads(done.stdout.splitlines()[-1])
    return float(spent), dict(values)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--ranx", metavar="PYTHON", help="an environment that has ranx")
    parser.add_argument("--only-ranx", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only_ranx:
        given = json.load(sys.stdin)
        print(json.dumps([timed(lambda: ranx(given)), ranx(given)]))
        return
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        ranks = make(place, options.items)
        size = (place / "run.jsonl").stat().st_size / 1e6
        run, questions = place / "run.jsonl", place / "questions.json"
        start = min(command("--help") for _ in range(3))
        whole = min(command(run, "--questions", questions) for _ in range(3))
        as_json = min(command(run, "--questions", questions, "--json") for _ in range(2))
        scored = demo(place)
        small = min(command(*scored) for _ in range(3))
    print(f"{options.items} items x {CHUNKS} chunks, {size:.0f} MB: eval score {whole:.2f} s,")
    print(f"  of which {start:.2f} s are the start; with --json {as_json:.2f} s")
    print(f"eval score on the demo {small:.2f} s")
    print(f"measures alone: ours        {timed(lambda: ours(ranks)):.2f} s")
    mine = ours(ranks)
    _beside("ir-measures", timed(lambda: theirs(ranks)), mine, theirs(ranks))
    if options.ranx or importlib.util.find_spec("ranx"):
        spent, values = ranx_elsewhere(options.ranx or sys.executable, ranks)
        _beside("ranx", spent, mine, values)
    else:
        print("                ranx is not installed")


if __name__ == "__main__":
    main()

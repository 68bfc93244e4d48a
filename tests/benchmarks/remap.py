"""Time a remap beside reading and parsing the same files, on corpora generated from a seed.

    python tests/benchmarks/remap.py                    10,000 old chunks, with fuzzy matching
    python tests/benchmarks/remap.py --chunks 1000000   the big one: 1.3 GB, a few minutes

CPU seconds of one process each, and its peak memory. Whole-chunk fuzzy matching within a source
is what a remap would be without aligning documents; it is measured at 10,000 chunks, the partial
ratio on a sample.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
from rapidfuzz import fuzz, process

from curate.remap.remapping import remap

_CHUNKS_A_SOURCE = 5
_EDITED = 0.25
_LABELS = 600


def _words(rng: random.Random) -> list[str]:
    """Return words to draw texts from; one in twelve ends a sentence, some are Khmer."""
    letters = "etaoinshrdlcumwfgypbvk"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(20_000)]
    for at in range(0, len(words), 12):
        words[at] = f"{words[at]}."
    for at in range(5, len(words), 500):
        words[at] = "".join(chr(rng.randint(0x1780, 0x17B3)) for _ in range(5))
    return words


def _document(rng: random.Random, words: list[str]) -> list[str]:
    """Return the paragraphs of a document of about five chunks."""
    paragraphs = []
    for number in range(rng.randint(8, 12)):
        if number % 4 == 0:
            paragraphs.append("## " + " ".join(rng.choices(words, k=4)))
        paragraphs.append(" ".join(rng.choices(words, k=rng.randint(24, 60))))
    return paragraphs


def _edit(rng: random.Random, paragraphs: list[str], vocabulary: list[str]) -> list[str]:
    edited = list(paragraphs)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(edited))
        words = edited[at].split(" ")
        kind = rng.random()
        if kind < 0.5:
            words[rng.randrange(len(words))] = "changed"
            edited[at] = " ".join(words)
        elif kind < 0.7:
            edited.insert(at, " ".join(rng.choices(vocabulary, k=15)))
        elif kind < 0.85 and len(edited) > 3:
            del edited[at]
        else:
            edited.insert(rng.randrange(len(edited)), edited.pop(at))
    return edited


def _cut(text: str, size: int, overlap: int) -> Iterator[str]:
    at = 0
    while at < len(text):
        end = len(text) if at + size >= len(text) else text.rfind(" ", at, at + size)
        yield text[at:end].strip()
        if end >= len(text):
            return
        at = text.find(" ", end - overlap) if overlap else end


def generate(directory: Path, chunks: int, edited: float, seed: int) -> None:
    """Write `old.jsonl`, `new.jsonl` and `gold.jsonl` of about `chunks` old chunks."""
    rng = random.Random(seed)  # noqa: S311
    words = _words(rng)
    sources = chunks // _CHUNKS_A_SOURCE
    gold_sources = set(rng.sample(range(sources), min(sources, _LABELS)))
    with (
        (directory / "old.jsonl").open("w", encoding="utf-8") as old,
        (directory / "new.jsonl").open("w", encoding="utf-8") as new,
        (directory / "gold.jsonl").open("w", encoding="utf-8") as gold,
    ):
        for number in range(sources):
            source = f"docs/{number % 97}/{number}.md"
            paragraphs = _document(rng, words)
            pieces = list(_cut("\n\n".join(paragraphs), 640, 60))
            _write(old, source, f"o{number}", pieces)
            if number in gold_sources:
                at = rng.randrange(len(pieces))
                said = pieces[at].split(" ")
                start = rng.randrange(max(1, len(said) - 12))
                label = {
                    "id": f"q{number}",
                    "source": source,
                    "evidence": " ".join(said[start : start + 9]).strip(),
                    "relevantChunkIds": [f"o{number}-{at}"],
                }
                gold.write(json.dumps(label, ensure_ascii=False) + "\n")
            renamed = source
            if rng.random() < edited:
                paragraphs = _edit(rng, paragraphs, words)
                if rng.random() < 0.05:
                    renamed = f"moved/{number}.md"
            _write(new, renamed, f"n{number}", list(_cut("\n\n".join(paragraphs), 900, 0)))


def _write(stream: object, source: str, stem: str, pieces: list[str]) -> None:
    for at, text in enumerate(pieces):
        line = {"id": f"{stem}-{at}", "source": source, "text": text}
        stream.write(json.dumps(line, ensure_ascii=False) + "\n")  # type: ignore[attr-defined]


# ---------------------------------------------------------------------------- what is timed


def _read_and_parse(directory: Path) -> str:
    """Read both files and parse every line: the floor for anything that sees all of the text."""
    lines = 0
    for name in ("old.jsonl", "new.jsonl"):
        with (directory / name).open("rb") as stream:
            for line in stream:
                orjson.loads(line)
                lines += 1
    return f"{lines} lines"


def _map(directory: Path) -> str:
    result = remap(
        directory / "old.jsonl",
        directory / "new.jsonl",
        directory / "gold.jsonl",
        map_out=directory / "map.jsonl",
    )
    return str({**result.summary, "chunks": result.chunk_summary})


def _gold_only(directory: Path) -> str:
    result = remap(directory / "old.jsonl", directory / "new.jsonl", directory / "gold.jsonl")
    result.write(directory / "remap.json")
    return str(result.summary)


def _fuzzy(directory: Path, scorer: Callable[..., float], sample: int) -> str:
    """Match old chunks with the new ones of their source, the best one each."""
    new: dict[str, list[str]] = {}
    for line in (directory / "new.jsonl").read_bytes().splitlines():
        row = orjson.loads(line)
        new.setdefault(row["source"], []).append(row["text"])
    lines = (directory / "old.jsonl").read_bytes().splitlines()
    for line in lines[:: max(1, len(lines) // sample)][:sample]:
        row = orjson.loads(line)
        process.extractOne(row["text"], new.get(row["source"], []), scorer=scorer)
    return f"{min(sample, len(lines))} of {len(lines)} chunks"


def _ratio(directory: Path) -> str:
    return _fuzzy(directory, fuzz.ratio, 10**9)


def _partial_ratio(directory: Path) -> str:
    return _fuzzy(directory, fuzz.partial_ratio, 200)


_TIMED = {
    "read and parse": _read_and_parse,
    "gold only": _gold_only,
    "full map": _map,
    "fuzzy ratio": _ratio,
    "fuzzy partial": _partial_ratio,
}


def _timed(name: str, directory: Path) -> None:
    """Time one of the candidates in a process of its own and print a line of the table."""
    run = subprocess.run(
        [sys.executable, __file__, "--only", name, "--in", str(directory)],
        check=True,
        capture_output=True,
        text=True,
    )
    print(run.stdout, end="", flush=True)


def main() -> None:
    """Generate and time, or time one candidate on what was generated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--in", dest="directory", type=Path)
    parser.add_argument("--only", choices=sorted(_TIMED))
    options = parser.parse_args()
    if options.only:
        begun = time.process_time()
        said = _TIMED[options.only](options.directory)
        spent = time.process_time() - begun
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{options.only:16} {spent:8.2f} s  {peak:5.2f} GB  {said}")
        return
    for label, edited in (("a quarter edited", _EDITED), ("unchanged", 0.0)):
        with tempfile.TemporaryDirectory(dir=options.directory) as place:
            directory = Path(place)
            generate(directory, options.chunks, edited, options.seed)
            size = sum(path.stat().st_size for path in directory.iterdir()) / 1e6
            print(f"{options.chunks} old chunks, {size:.0f} MB, {label}")
            for name in _TIMED:
                if not name.startswith("fuzzy") or options.chunks <= 10_000:
                    _timed(name, directory)


if __name__ == "__main__":
    main()

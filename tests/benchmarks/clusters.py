"""How fast and how well questions are clustered: `python tests/benchmarks/clusters.py [N]`.

Makes N questions (10,000) about invented matters, each with variants as people type them: errors,
another word order, courtesies, case, punctuation, in English, Khmer, Thai and Chinese. Clusters
them as they come in, by looking up bands and verifying, as the store does. Then compares every
pair with the truth. Questions on the same thing with another verb, number or identifier are in
the set on purpose: they must stay apart.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from itertools import product

from curate.triage import Matcher

VERBS = """
    cancel renew extend transfer pause upgrade refund change share print export import archive
    restore rename duplicate schedule approve reject translate
"""
THINGS = """
    membership booking invoice laptop locker workshop ticket subscription report certificate
    password calendar projector scholarship deposit badge newsletter account printer timetable
    voucher contract
"""
AFTER = ("", "for a guest", "on a sunday", "without the app", "after 7 days", "after 30 days")
KHMER = (
    ("តើខ្ញុំអាច", "តើធ្វើដូចម្តេចដើម្បី"),
    ("ខ្ចីកុំព្យូទ័រយួរដៃ", "បង់ថ្លៃសមាជិកភាព"),
    ("បានទេ", "នៅថ្ងៃអាទិត្យ"),
)
THAI = (
    ("ฉันจะ", "อยากทราบวิธี"),
    ("ยกเลิกการจองห้องประชุม", "ต่ออายุสมาชิกรายปี"),
    ("ได้อย่างไร", "ในวันอาทิตย์"),
)
CHINESE = (
    ("我怎么", "在哪里可以"),
    ("申请会员退款和发票", "借用图书馆的笔记本电脑"),
    ("", "需要带什么证件呢"),
)
SPACELESS = ["".join(parts) for script in (KHMER, THAI, CHINESE) for parts in product(*script)]
COURTESIES = ("{}", "{}?", "hi, {} please", "{} thanks!", "Hello <PERSON_1>, {}??", "ok so {}")


def made(total: int, draw: random.Random) -> list[tuple[int, str]]:
    """Return `(cluster, question)` in random order."""
    bases = [
        f"how do i {verb} my {thing} {after}".strip()
        for verb, thing, after in product(VERBS.split(), THINGS.split(), AFTER)
    ]
    draw.shuffle(bases)
    bases = SPACELESS + bases[: total // 5]
    questions = list(enumerate(bases))
    while len(questions) < total:
        cluster = draw.randrange(len(bases))
        questions.append((cluster, varied(bases[cluster], draw)))
    draw.shuffle(questions)
    return questions


def varied(question: str, draw: random.Random) -> str:
    """Return the question as somebody else would type it."""
    if not question.isascii():
        return mistyped(question, draw, 1) if draw.random() < 0.5 else f"{question} ?"
    words = question.split()
    if draw.random() < 0.3:
        draw.shuffle(words)
    text = mistyped(" ".join(words), draw, draw.choice((0, 1, 1, 2)))
    text = draw.choice(COURTESIES).format(text)
    return draw.choice((str, str.upper, str.title))(text) if "<" not in text else text


def mistyped(text: str, draw: random.Random, errors: int) -> str:
    """Return the text with letters dropped, doubled, swapped or replaced; never a digit."""
    for _ in range(errors):
        at = draw.choice([i for i in range(1, len(text) - 1) if not text[i].isdigit()])
        match draw.randrange(4):
            case 0:
                text = text[:at] + text[at + 1 :]
            case 1:
                text = text[:at] + text[at] + text[at:]
            case 2:
                text = text[: at - 1] + text[at] + text[at - 1] + text[at + 1 :]
            case _:
                text = text[:at] + draw.choice("etaoin") + text[at + 1 :]
    return text


def clustered(questions: list[tuple[int, str]]) -> tuple[list[int], int]:
    """Return the cluster of each question as it comes in, and how many verifications it took."""
    matcher = Matcher()
    heads: list[str] = []
    index: dict[int, list[int]] = {}
    found: list[int] = []
    verified = 0
    for _, text in questions:
        bands = matcher.bands(text)
        votes = Counter(head for band in bands for head in index.get(band, ()))
        home = -1
        for head, _ in votes.most_common():
            verified += 1
            if matcher.same(heads[head], text):
                home = head
                break
        if home < 0:
            home = len(heads)
            heads.append(text)
            for band in bands:
                index.setdefault(band, []).append(home)
        found.append(home)
    return found, verified


def pairs(labels: list[object]) -> int:
    """Return how many pairs carry the same label."""
    return sum(n * (n - 1) // 2 for n in Counter(labels).values())


def main() -> None:
    """Run and print."""
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    questions = made(total, random.Random(7))  # noqa: S311 - a reproducible benchmark
    start = time.process_time()
    found, verified = clustered(questions)
    seconds = time.process_time() - start
    truth: list[object] = [cluster for cluster, _ in questions]
    both = pairs(list(zip(truth, found, strict=True)))
    print(f"{total:,} questions, {len(set(truth)):,} clusters, {len(set(found)):,} found")
    print(f"{seconds:.1f} s CPU, {total / seconds:,.0f} questions/s, {verified:,} verifications")
    print(f"pair precision {both / pairs(list(found)):.4f}, pair recall {both / pairs(truth):.4f}")


if __name__ == "__main__":
    main()

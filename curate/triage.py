"""Which questions are the same, which come first, which split they go to. Pure and deterministic.

Two questions are near-duplicates when they say the same in the same words: typing errors, word
order, case, punctuation, courtesies, placeholders and (in Khmer, Thai, Lao, Burmese, Chinese and
Japanese) spacing do not matter. Numbers, identifiers, negations and question words do: "7 days"
is not "30 days", `ORD-1` is not `ORD-2`. What a bag of words cannot see is not seen: "from A to
B" is taken for "from B to A".
"""

from __future__ import annotations

import math
import re
import struct
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, sha256
from itertools import islice
from typing import NamedTuple

from curate.model.items import Item, Split
from curate.model.records import CandidateFacts, Ranking, Turn

BANDS = 20
ROWS = 4
"""MinHash with 20 bands of 4 rows: of two texts whose features overlap by .7 (Jaccard) 99.6% share
a band, by .2 only 3% (Leskovec, Rajaraman, Ullman: Mining of Massive Datasets, 3.4)."""
SHORT_ROWS = 2
SHORT = 16
"""Texts of at most 16 features also get bands of 2 rows: one typing error costs them more."""

SAME = 0.85
SAME_REWORDED = 0.88
"""Least similarity of near-duplicates: where only one has words of its own, and where both do."""
LOW_SCORE = 0.4
"""A best retrieval score from 0 up to here is called low."""
SETTLED = 0.2
"""What the priority of a candidate counts for when an item asks the same already."""

_FUNCTION_WORD = 0.2
_GRAM = 0.25
_PLACEHOLDER = re.compile(r"<[A-Z][A-Z_]*_\d+>")
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
_TOKEN = re.compile(rf"[{_SPACELESS}]+|[0-9]+|[^\s,0-9{_SPACELESS}]+")
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_FUNCTION_WORDS = _words("""
    a an the i im ive me my mine we us our you your it its he she they them their this that these
    those there is are was were be been am do does did done have has had can could will would
    shall should may might must to of for in on at by with from as if and or but than then any some
    want wanna need know tell get got about not how what when where who which why
""")
_COURTEOUS = _words("""
    please pls plz hi hello hey thanks thank thx dear sir madam ok okay so just also um hmm
""")
_ASKING = _words("how what when where who whom whose which why")
_PINNING = _words("when where who")
_SWAPPED = {"".join(sorted(word)): word for word in _words("what when where which")}
_NEGATIONS = _words("not no never none nothing without nor")
_CONTRACTED = {
    f"{word}nt": (word, "not")
    for word in _words("do does did is are was were could should would has have had")
} | {
    "cant": ("can", "not"),
    "cannot": ("can", "not"),
    "wont": ("will", "not"),
    **{f"{word}s": (word, "is") for word in _words("how what when where who")},
}
_SPACELESS_NEGATION = re.compile("មិន|គ្មាន|ไม่|(?<!\u0000)[不没沒无無別别未]|ません|ない")
_A_NOT_A = re.compile(r"(.)[不没沒]\1")
_COURTESIES = re.compile("តើ|សូម|ជួយ|បង|បាទ|ចាស|ครับ|ค่ะ|คะ|นะ|请问|請問|您好|你好|[吗嗎呢啊吧呀]")
_NUMBER_WORDS = {
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
    "fifteen": "15",
    "twenty": "20",
    "thirty": "30",
    "fifty": "50",
    "hundred": "100",
}


class _Shape(NamedTuple):
    """A question as it is compared: its words in order, its grams, and what must agree."""

    words: tuple[str, ...]
    grams: Counter[str]
    numbers: tuple[str, ...]
    negated: bool
    asking: frozenset[str]
    weight: float


@dataclass(frozen=True)
class Matcher:
    """Near-duplicates and priorities. Holds no state: one text always gives the same bands."""

    def bands(self, text: str) -> tuple[int, ...]:
        """Return the keys under which near-duplicates of `text` are found, each from 0 to 2**63-1.

        Two near-duplicates share at least one key almost always; those that share one are to be
        verified by `same`. Numbers and negation are part of every key.
        """
        shape = _shape(text)
        words = {word for word in shape.words if word not in _FUNCTION_WORDS} or set(shape.words)
        guard = f"|{' '.join(shape.numbers)}|{shape.negated}|".encode()
        if not words and not shape.grams:
            return _keys([b"whole" + guard + struct.pack("<Q", _hash64(text.strip()))])
        least = _least([*map(_least_of_word, words), *map(_digests, shape.grams)])
        rows = _bands(_LONG_NAMES, guard, least, ROWS)
        if len(set(shape.grams).union(*map(_few_features, words))) <= SHORT:
            rows += _bands(_SHORT_NAMES, guard, least, SHORT_ROWS)
        return _keys(rows)

    def same(self, a: str, b: str) -> bool:
        """Say whether two questions are near-duplicates (symmetric, not transitive)."""
        return a == b or _same(_shape(a), _shape(b))

    def pairs(self, texts: Sequence[str]) -> list[tuple[int, int]]:
        """Return the index pairs `(i, j)`, `i < j`, of all near-duplicates in `texts`."""
        buckets: dict[int, list[int]] = {}
        found: list[tuple[int, int]] = []
        for index, text in enumerate(texts):
            near: set[int] = set()
            for key in self.bands(text):
                bucket = buckets.setdefault(key, [])
                near.update(bucket)
                bucket.append(index)
            found += [(other, index) for other in near if self.same(texts[other], text)]
        return sorted(found)

    def rank(self, facts: CandidateFacts) -> Ranking:
        """Return how urgent a candidate is and why, in words, the strongest reason first.

        Votes and askings count by their logarithm, so that ten identical complaints do not bury
        everything else; thumbs up take a little away. What an item asks already counts less.
        """
        weighed: list[tuple[float, str]] = []
        if facts.down:
            weighed.append((4 * math.log2(1 + facts.down), f"{facts.down} thumbs-down"))
        if facts.refused:
            times = f" {facts.refused} times" if facts.refused > 1 else ""
            weighed.append((2.5 * math.log2(1 + facts.refused), f"refused{times}"))
        if facts.best_score is not None and 0 <= facts.best_score < LOW_SCORE:
            weight = 2 * (1 - facts.best_score / LOW_SCORE) + 0.5
            weighed.append((weight, f"low score {facts.best_score:.2f}"))
        if facts.size > 1:
            weighed.append((1.5 * math.log2(facts.size), f"asked {facts.size} times"))
        if facts.section_covered is False:
            weighed.append((1.2, "section never covered"))
        if facts.has_history:
            weighed.append((0.3, "needs its history"))
        weighed.sort(key=lambda reason: (-reason[0], reason[1]))
        reasons = tuple(words for _, words in weighed)
        total = max(sum(weight for weight, _ in weighed) - math.log2(1 + facts.up), 0.0)
        if facts.item is not None:
            return Ranking(round(total * SETTLED, 4), (f"{facts.item} asks the same", *reasons))
        return Ranking(round(total, 4), reasons)


def split(cluster: str, share: float, seed: str = "") -> Split:
    """Return the split of a cluster: `share` (0 to 1) of all clusters go to the holdout.

    The first 8 bytes of SHA-256 over seed, NUL and cluster, as a fraction of 2**64, are below
    `share` for the holdout. So a cluster keeps its split whatever else is in the set, and a
    larger share only ever adds clusters to the holdout.
    """
    drawn = int.from_bytes(sha256(f"{seed}\0{cluster}".encode()).digest()[:8], "big")
    return "holdout" if drawn < share * 2**64 else "tuning"


def stratified(item: Item, others: Iterable[Item], share: float, seed: str = "") -> Split:
    """Return the split that keeps the holdout's share alike in the whole set and among the items
    of the same answerability, kind and document (minimisation: Pocock and Simon, Biometrics 31,
    1975). `others` are the items of the set.

    An item of the same cluster decides first: a cluster never straddles. Where both splits are
    as good, `split` decides. The same set always gives the same answer.
    """
    if not 0 < share < 1:
        return split(item.cluster or item.id, share, seed)
    held = [other for other in others if other.id != item.id]
    for other in held:
        if item.cluster and other.cluster == item.cluster:
            return other.split
    lean = 0.0
    for trait in (_whole, _answerable, _kind, _source):
        like = [other for other in held if trait(other) == trait(item)]
        wanted = share * (len(like) + 1)
        there = sum(other.split == "holdout" for other in like)
        lean += abs(there - wanted) - abs(there + 1 - wanted)
    if abs(lean) < 1e-9:
        return split(item.cluster or item.id, share, seed)
    return "holdout" if lean > 0 else "tuning"


def _whole(item: Item) -> object:
    return None


def _answerable(item: Item) -> object:
    return item.answerable


def _kind(item: Item) -> object:
    return item.kind


def _source(item: Item) -> object:
    return item.evidences[0].source if item.evidences else None


def sample(ids: Iterable[int], size: int, seed: str) -> list[int]:
    """Return `size` of the ids, or all when there are fewer, as by lot; `seed` (such as 2026-W48)
    names the draw.

    An id's lot, SHA-256 over seed, NUL and id, is its own: with more ids in the pot the draw
    changes only where a new one is drawn.
    """
    return sorted(ids, key=lambda one: (sha256(f"{seed}\0{one}".encode()).digest(), one))[:size]


_IDENTIFIER = re.compile(
    r"""
      \b[A-Za-z]+[-_/.]?\d[\w-]*\b (?<!\b[A-Za-z]\d)  # ORD-18422, E1042, v2, x86_64
    | \b\d+[-_][A-Za-z0-9][\w-]*\b       # 2024-AB
    | (?<!\w)--[a-z][\w-]+               # --frozen
    | \b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b      # UV_HTTP_TIMEOUT
    | \b[a-z]+_[a-z_]+\b                 # snake_case
    | \b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b    # ModuleNotFoundError
    | \b\d{5,}\b                         # 18422
    | `[^`]+`
    """,
    re.VERBOSE,
)
_LEANING = re.compile(
    r"^(?:and|or|but|so|then|also|ok|what about|how about|why not|hm+)\b"
    r"|\b(?:it|its|that|those|these|them|they|this one|that one|there|the other|same)\b"
    r"|^(?:ចុះ|ហើយ|那|那么|还有|แล้ว)",
    re.IGNORECASE,
)


def kind(question: str, history: Sequence[Turn] = ()) -> str:
    """Propose a kind: `follow-up`, `identifier`, `short`, `long`, or empty.

    A follow-up has a history and leans on it; an identifier question names a code, an option, a
    number of five digits or more; short is up to three words (12 characters where words have no
    spaces), long is more than 40 words.
    """
    plain = _PLACEHOLDER.sub(" ", question)
    words = plain.split()
    if history and (len(words) <= 6 or _LEANING.search(plain.strip())):
        return "follow-up"
    if _IDENTIFIER.search(plain):
        return "identifier"
    spaceless = len(re.findall(f"[{_SPACELESS}]", plain))
    size = len(words) + spaceless / 4
    if size <= 3:
        return "short"
    return "long" if size > 40 else ""


# ---------------------------------------------------------------------------- comparing


@lru_cache(maxsize=4096)
def _shape(text: str) -> _Shape:
    folded = unicodedata.normalize("NFKC", _PLACEHOLDER.sub(" ", text)).casefold()
    folded = _THOUSANDS.sub("", folded.translate(_PLAIN))
    words: list[str] = []
    numbers: list[str] = []
    run: list[str] = []
    for token in _TOKEN.findall(folded):
        if token.isdigit() or token in _NUMBER_WORDS:
            numbers.append(_NUMBER_WORDS.get(token, token).lstrip("0") or "0")
        elif _is_spaceless(token):
            run.append(token)
        elif token not in _COURTEOUS:
            words += _said(token)
    joined = _COURTESIES.sub("", "".join(run))
    negated = not _NEGATIONS.isdisjoint(words) or bool(
        _SPACELESS_NEGATION.search(_A_NOT_A.sub("", joined))
    )
    grams = Counter(joined[i : i + 2] for i in range(max(len(joined) - 1, len(joined) == 1)))
    return _Shape(
        words=tuple(words),
        grams=grams,
        numbers=tuple(sorted(numbers)),
        negated=negated,
        asking=_ASKING.intersection(words),
        weight=_weight(words, grams),
    )


@lru_cache(maxsize=8192)
def _said(token: str) -> tuple[str, ...]:
    """Return the words that a token stands for."""
    if token in _CONTRACTED:
        return _CONTRACTED[token]
    # Words that decide alone are too important to be missed for a typing error.
    if token[:2] in {"wi", "wt"} and _within(token, "without", 1):
        return ("without",)
    return (_SWAPPED.get("".join(sorted(token)), token),)


@lru_cache(maxsize=8192)
def _is_spaceless(token: str) -> bool:
    return bool(re.match(f"[{_SPACELESS}]", token))


class _Plain(dict[int, str]):
    """Characters as they are compared: what `str.translate` asks for, worked out when it does."""

    def __missing__(self, code: int) -> str:
        self[code] = plain = _plain(chr(code))
        return plain


_PLAIN = _Plain()


def _plain(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.digit(char))
    if category == "Cf" or char in "'\u2019\u02bc`":
        return ""
    return char if category[0] in "LM" or char == "," else " "


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


def _same(a: _Shape, b: _Shape) -> bool:
    if a.numbers != b.numbers or a.negated != b.negated:
        return False
    if a.asking & _PINNING != b.asking & _PINNING:
        return False
    if a.asking and b.asking and not (a.asking <= b.asking or b.asking <= a.asking):
        return False
    total = a.weight + b.weight
    if not a.weight or not b.weight:
        return not total and bool(a.numbers)
    if abs(a.weight - b.weight) > (1 - SAME) * total:
        return False
    left, right = _unmatched(a.words, b.words)
    own_left = _weight(left, a.grams - b.grams)
    own_right = _weight(right, b.grams - a.grams)
    similarity = 1 - (own_left + own_right) / total
    both = min(own_left, own_right) > _FUNCTION_WORD * 2
    return similarity >= (SAME_REWORDED if both else SAME)


def _weight(words: Iterable[str], grams: Counter[str]) -> float:
    told = sum(
        [_FUNCTION_WORD if len(word) < 3 or word in _FUNCTION_WORDS else 1.0 for word in words]
    )
    return told + _GRAM * grams.total()


def _unmatched(a: Sequence[str], b: Sequence[str]) -> tuple[list[str], list[str]]:
    left, right = [], list(b)
    for word in a:
        if word in right:
            right.remove(word)
        else:
            left.append(word)
    for word in list(left):
        partner = next((other for other in right if _typo(word, other)), None)
        if partner is not None:
            left.remove(word)
            right.remove(partner)
    if left and right and _respaced("".join(left), "".join(right)):
        return [], []
    return left, right


def _respaced(a: str, b: str) -> bool:
    """Say whether left-over words are the same letters with the spaces elsewhere."""
    shorter = min(len(a), len(b))
    if a == b or shorter < 4:
        return a == b
    return sorted(a) == sorted(b) or (a[0] == b[0] and _within(a, b, 2 if shorter >= 8 else 1))


@lru_cache(maxsize=50_000)
def _typo(a: str, b: str) -> bool:
    """Say whether two words are one, typed differently or inflected.

    Up to one edit from 4 letters, two from 8, with the same first letter (so that "activate" and
    "deactivate", "typical" and "atypical" stay apart); another first letter from 7, two swapped
    letters from 3.
    """
    shorter = min(len(a), len(b))
    if a[0] != b[0]:
        if shorter >= 7 and a[1:] == b[1:]:
            return True
        if a[:2] != b[1::-1]:
            return False
    elif _stem(a) == _stem(b):
        return True
    if abs(len(a) - len(b)) > 2 or shorter < 3:
        return False
    if shorter == 3:
        return len(a) == len(b) and sorted(a) == sorted(b) and _within(a, b, 1)
    return _within(a, b, 2 if shorter >= 8 else 1)


def _within(a: str, b: str, edits: int) -> bool:
    """Optimal string alignment distance (insert, delete, replace, swap neighbours) <= edits."""
    at = 0
    while at < len(a) and at < len(b) and a[at] == b[at]:
        at += 1
    a, b = a[at:], b[at:]
    if not a or not b:
        return len(a) + len(b) <= edits
    if not edits:
        return False
    return (
        _within(a[1:], b[1:], edits - 1)
        or _within(a[1:], b, edits - 1)
        or _within(a, b[1:], edits - 1)
        or (a[:2] == b[1::-1] and len(b) > 1 and _within(a[2:], b[2:], edits - 1))
    )


# ---------------------------------------------------------------------------- bands

_LONG_NAMES = [f"{ROWS}.{band}".encode() for band in range(BANDS)]
_SHORT_NAMES = [f"s.{at}".encode() for at in range(0, BANDS * SHORT_ROWS, SHORT_ROWS)]


def _features(word: str) -> set[str]:
    """Return the runs of three letters of a word, its ends among them."""
    padded = f" {word} "
    return {padded[i : i + 3] for i in range(max(len(padded) - 2, 1))}


@lru_cache(maxsize=8192)
def _few_features(word: str) -> frozenset[str]:
    """Return the features of a word; of a long one some, enough to tell that no text with it is
    short.
    """
    return frozenset(islice(_features(word), SHORT + 1))


# The least of a text is the least of its words', and words come back more often than texts.
@lru_cache(maxsize=8192)
def _least_of_word(word: str) -> bytes:
    return _least([_digests(feature) for feature in _features(word)])


def _least(digests: Sequence[bytes]) -> bytes:
    """Return the least digest of all features by each of the hash functions."""
    import numpy as np  # a question has thousands of numbers to compare; help needs none

    rows = np.frombuffer(b"".join(digests), "<u4").reshape(len(digests), BANDS * ROWS)
    least: bytes = rows.min(axis=0).tobytes()
    return least


@lru_cache(maxsize=20_000)
def _digests(feature: str) -> bytes:
    """Return 32 bits by each of the hash functions, one after the other."""
    data = feature.encode("utf-8", "surrogatepass")
    size = BANDS * ROWS * 4
    return b"".join(
        blake2b(data, digest_size=64, salt=bytes([part])).digest() for part in range(size // 64)
    )


def _hash64(text: str) -> int:
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big")


def _bands(names: Sequence[bytes], guard: bytes, least: bytes, rows: int) -> list[bytes]:
    """Return what the key of each band is made from; a band has so many of the least digests."""
    parts = struct.iter_unpack(f"{4 * rows}s", least[: 4 * rows * len(names)])
    return [name + guard + part for name, (part,) in zip(names, parts, strict=True)]


def _keys(rows: Sequence[bytes]) -> tuple[int, ...]:
    hashed = b"".join([blake2b(row, digest_size=8).digest() for row in rows])
    return tuple([key >> 1 for key in struct.unpack(f">{len(rows)}Q", hashed)])

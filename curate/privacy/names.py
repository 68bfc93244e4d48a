"""Which words are names: the model's word probabilities, weighed by lists, case and cues.

Two passes of a logistic rule (weights.json). The first looks at each word and the words beside
it, the second also at what the first thought of the neighbours and of the same word elsewhere.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from curate.privacy.words import Piece, Word, cuewords, letters, plain, wordlist, words

ENTITY = "PERSON"
LIMIT = 0.18
STRICT_LIMIT = 0.08
"""Least weighed probability of a name, at the door and in the second scan."""

Facts = dict[str, float]
"""What is known of a word, by the names of the weights."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name found: its span and the weighed probability of its surest word."""

    start: int
    end: int
    score: float


def find(
    text: str, pieces: Sequence[Piece], limit: float, allowed: Sequence[tuple[int, int]] = ()
) -> list[Name]:
    """Return the names in `text`, neighbouring words joined, given the model's word pieces.

    `allowed` are spans of terms that are none, and say nothing of the words beside them.
    """
    found = [
        word
        for word in words(text)
        if not any(start <= word.start and word.end <= end for start, end in allowed)
    ]
    names: list[Name] = []
    for word, score in zip(found, judge(text, found, pieces), strict=True):
        if score < limit:
            continue
        last = names[-1] if names else None
        if last and _JOIN.fullmatch(text, last.end, word.start):
            names[-1] = Name(last.start, word.end, max(last.score, score))
        else:
            names.append(Name(word.start, word.end, score))
    return names


def handles(text: str) -> list[Name]:
    """Return the handles and hashtags that hold a person's name, without their sign.

    A handle is a name only as a whole: with an ordinary word in it, it is a team's, a shop's or a
    show's. A hashtag is made of words, and one of them may be a name.
    """
    if "#" not in text and "@" not in text:
        return []
    return [
        Name(match.start(1), match.end(1), 0.6)
        for match in _HANDLE.finditer(text)
        if _holds_a_name(_PART.findall(match.group(1)), whole=text[match.start()] == "@")
    ]


def _holds_a_name(parts: Sequence[str], *, whole: bool) -> bool:
    lows = [part.lower() for part in parts]
    ordinary = [low for low in lows if low in wordlist("common")]
    if whole and any(
        low not in wordlist("given") and low not in cuewords()["title"] for low in ordinary
    ):
        return False
    return any(len(low) > 2 and low in wordlist("given") and low not in ordinary for low in lows)


def worth_judging(text: str, *, strict: bool = False) -> bool:
    """Say whether the model is to be asked of `text`.

    Texts of another script, of digits and emoji, or of function words alone hold no name whatever
    it says. At the door, with `strict` false, those need none either in which every word is an
    ordinary one in lower case that nobody is called, and no cue says that a name is coming.
    """
    if strict:
        return any(
            len(word) > 1 and (word[0].isupper() or word.lower() not in wordlist("stop"))
            for word in letters(text)
        )
    first = True
    for word in letters(text):
        if len(word) > 1 and not _plainly_none(word, first=first):
            return True
        first = False
    return False


def _plainly_none(word: str, *, first: bool) -> bool:
    """Say whether a word is ordinary, written as such, and neither anybody's name nor a cue."""
    low = word.lower()
    if word != low and not (first and word[1:] == low[1:]):
        return False
    return plain(low) in _unnamed()


@functools.cache
def _unnamed() -> frozenset[str]:
    """Return function words, and the ordinary ones that are nobody's name and no cue of one."""
    named = (wordlist(name) for name in ("given", "given_rare", "family", "khmer", "public"))
    cues = (cuewords()[kind] for kind in ("title", "introducing"))
    return wordlist("stop") | wordlist("common").difference(*named, *cues)


def judge(text: str, found: Sequence[Word], pieces: Sequence[Piece]) -> list[float]:
    """Return the weighed probability that it is a name, for each word."""
    facts = features(text, found, pieces)
    table = weights()
    first = [weigh(one, table["first"]) for one in facts]
    again(text, found, facts, first)
    return [weigh(one, table["second"]) for one in facts]


def weigh(facts: Facts | None, table: dict[str, float]) -> float:
    """Return the probability that a word with these facts is a name; 0 for one without."""
    if facts is None:
        return 0.0
    total = table["bias"] + sum(table.get(name, 0.0) * value for name, value in facts.items())
    return 1 / (1 + math.exp(-total))


@functools.cache
def weights() -> dict[str, dict[str, float]]:
    """Return the weights of the two passes."""
    held: dict[str, dict[str, float]] = json.loads(
        (Path(__file__).parent / "lists" / "weights.json").read_text(encoding="utf-8")
    )
    return held


_HANDLE = re.compile(r"(?<!\w)[@#]([A-Za-z]*[a-z][A-Z][A-Za-z]*)(?![\w/@])")
_PART = re.compile(r"[A-Z][a-z]+")

# What may stand between the words of one name: a space, a hyphen, an initial, a small particle.
_JOIN = re.compile(
    r"[ \t\u00a0]{1,2}(?:\w\.? |(?:van|von|der|den|de|da|do|dos|di|du|del|della|la|le|el|al"
    r"|bin|ibn|binti|abu|ter|ten|zu|st\.?) ){0,3}|-|\. ?|['\u2019]",
    re.IGNORECASE,
)

_SURNAMES = (
    *("dottir", "sson", "ssen", "sky", "ski", "ska", "wicz", "ovic", "evic", "enko", "escu", "ova"),
    *("eva", "shvili", "dze", "oglu", "stein", "berg", "mann", "poulos", "idis", "akis", "inen"),
    *("quist", "strom", "ullah", "uddin", "zadeh", "nejad", "yan", "ov", "son", "sen", "ez"),
)
_ENDINGS = ("ing", "ed", "ly", "tion", "ness", "ment", "able", "ies", "less", "ful", "ism")
_BREAK = re.compile(r"[.!?…;\n\"“”()\[\]{}|]|[-–—] ")
_SPACE = re.compile(r"[ \t\u00a0]{1,2}|-")
_INITIAL = re.compile(r"[ \t\u00a0]{1,2}\w\.?[ \t\u00a0]{1,2}|, ")
_CUT = re.compile(r"['\u2019] ?$")
_SLIP = re.compile(r"[A-Z]{2}[a-z]{3,}")
_CAMEL = re.compile(r"(?<!\bMc)(?<!\bMac)(?<!\bDe)(?<!\bLe)(?<!\bLa)(?<!')[A-Z](?<!^.)")
_MORE = re.compile(r"\w{2}")
_LONG = re.compile(r"(.)\1\1|(?:ha|he|hi){2}|lool")
_LAUGHTER = re.compile(r"(?:h*[aei]+h+){2,}[aei]*")
_NUMBER = re.compile(r"[ #:-]{0,3}\d")


def features(text: str, found: Sequence[Word], pieces: Sequence[Piece]) -> list[Facts | None]:
    """Return the facts of the first pass for each word; None where it is surely no name."""
    odds = _odds(found, pieces)
    cues = cuewords()
    plains = [word.plain for word in found]
    kinds = [_kind(word) for word in found]
    capitals = sum(word.text[0].isupper() for word in found)
    shouted = bool(found) and all(word.text.isupper() for word in found if len(word.text) > 1)
    titled = len(found) > 3 and capitals > 0.75 * len(found)
    telling = not shouted and not titled
    gaps = [text[(found[i - 1].end if i else 0) : w.start] for i, w in enumerate(found)]
    gaps.append(text[found[-1].end :] if found else "")
    small = [kind for kind, word in zip(kinds, found, strict=True) if word.text.islower()]
    english = sum(kind in ("common", "rare") for kind in small)
    foreign = 1 - (english + 2) / (len(small) + 2)
    facts: list[Facts | None] = []
    for index, word in enumerate(found):
        odd, kind, plain = odds[index], kinds[index], plains[index]
        name = odd.given + odd.family
        if (
            word.code
            or len(word.text) == 1
            or plain in wordlist("never")
            or _is_code(word.text)
            or _LAUGHTER.fullmatch(plain)
        ):
            facts.append(None)
            continue
        least = _LEAST.get(kind, 0.0)
        if plain in wordlist("given_top") or plain in wordlist("family_top"):
            least = min(least, _LEAST_TOP)
        if (
            name < least
            and plain not in wordlist("public")
            and not (
                kinds[index - 1 if index else 0] in _NAMED
                or kinds[min(index + 1, len(kinds) - 1)] in _NAMED
            )
        ):
            facts.append(None)
            continue
        starts = index == 0 or bool(_BREAK.search(gaps[index]))
        capital = word.text[0].isupper() and (len(word.text) == 1 or not word.text.isupper())
        if plain in wordlist("stop") and not (telling and capital and not starts):
            facts.append(None)
            continue
        if starts and kind == "common" and gaps[index + 1] == " " and _asks(plains, index):
            facts.append(None)
            continue
        group = _GROUP[kind]
        odds_of_name = _logit(name)
        own: Facts = {
            f"model_{kind}": odds_of_name,
            f"sure_{group}": max(0.0, odds_of_name),
            kind: 1.0,
            "place_odds": odd.place,
            "other_odds": odd.other,
            "given_odds": odd.given,
        }
        if odd.mean < 0.5 * name:
            own["patchy"] = 1.0
        if kind in ("common", "rare"):
            if plain in wordlist("given") or plain in wordlist("khmer"):
                own[f"{kind}_given"] = 1.0
            elif plain in wordlist("family"):
                own[f"{kind}_family"] = 1.0
        if plain in wordlist("public"):
            own["public"] = 1.0
        if kind == "family" and plain in wordlist("proper"):
            own["proper_family"] = 1.0
        if plain in wordlist("given_top"):
            own[f"{group}_given_top"] = 1.0
        if plain in wordlist("family_top"):
            own[f"{group}_family_top"] = 1.0
        _case(own, group, word, telling=telling, starts=starts, capitals=capitals, shouted=shouted)
        if len(plain) < 3:
            own["short"] = 1.0
        if kind == "unknown" and len(plain) > 5 and plain.endswith(_SURNAMES):
            own["surname_ending"] = 1.0
        if kind in ("unknown", "family_rare") and plain.endswith(_ENDINGS):
            own["inflected"] = 1.0
        if _LONG.search(plain):
            own["drawn_out"] = 1.0
        if gaps[index].endswith("#"):
            own["tag"] = 1.0
        if plain in wordlist("places"):
            own["known_place"] = 1.0
        if kind not in ("common", "given"):
            own["foreign"] = foreign
        for cue in _cues(index, plains, gaps):
            own[cue if kind not in ("common", "rare") else f"{cue}_word"] = 1.0
        after = gaps[index + 1]
        if after[:2] in ("'s", "’s") or (after[:1] in ("'", "’") and plain.endswith("s")):
            own["possessive"] = 1.0
        if _NUMBER.match(after):
            own["number"] = 1.0
        if index + 1 < len(found) and after == " ":
            for cue in ("says", "group"):
                if plains[index + 1] in cues[cue]:
                    own[cue] = 1.0
        if not _MORE.search(text, word.end):
            own["closing"] = 1.0
            if "\n" in gaps[index] or gaps[index].strip() in ("-", "–", "—", ","):
                own["signature"] = 1.0
        beside = [
            other for step in (-1, 1) if (other := _beside(text, found, index, step)) is not None
        ]
        own["place_beside"] = max((odds[o].place for o in beside), default=0.0)
        own["beside"] = max((_logit(odds[o].given + odds[o].family) for o in beside), default=-7.0)
        paired = any(kinds[o] in _NAMED for o in beside)
        if paired:
            own["pair" if kind in _NAMED else f"pair_{kind}"] = 1.0
        facts.append(own)
    return facts


def _asks(plains: Sequence[str], index: int) -> bool:
    """Say whether a word that begins a sentence is a verb with its object: mark my order."""
    return index + 1 < len(plains) and plains[index + 1] in _OBJECTS


_OBJECTS = frozenset(("my", "our", "your", "the", "this", "these", "those", "a", "an", "all", "it"))
_LEAST = {"common": 0.1, "rare": 0.004}
_LEAST_TOP = 0.02
"""Model probabilities below which an ordinary word is no name, unless beside a listed one; the
last for words that are also among the commonest names."""


def again(
    text: str, found: Sequence[Word], facts: Sequence[Facts | None], first: Sequence[float]
) -> None:
    """Add the facts of the second pass: the first pass's view of neighbours and namesakes."""
    if sum(one is not None for one in facts) == 0:
        return
    best: dict[str, list[tuple[float, int]]] = {}
    for index, word in enumerate(found):
        if first[index] > 0.3:
            best.setdefault(word.plain, []).append((first[index], index))
    for index, own in enumerate(facts):
        if own is None:
            continue
        word = found[index]
        own["self"] = _logit(first[index])
        for step, neighbour in ((-1, "before"), (1, "behind")):
            other = _beside(text, found, index, step)
            if other is not None:
                own[neighbour] = _logit(first[other]) + 4
        others = [score for score, where in best.get(word.plain, ()) if where != index]
        if others:
            own["namesake"] = _logit(max(others)) + 2


def _beside(text: str, found: Sequence[Word], index: int, step: int) -> int | None:
    """Return the word before (`step` -1) or behind that may be of one name with this; an initial
    may stand between.
    """
    other = index + step
    if 0 <= other + step < len(found) and _is_initial(text, found[other]):
        other += step
    if not 0 <= other < len(found):
        return None
    left, right = sorted((index, other))
    gap = text[found[left].end : found[right].start]
    return other if _SPACE.fullmatch(gap) or _INITIAL.fullmatch(gap) else None


def _is_initial(text: str, word: Word) -> bool:
    """Say whether a letter may stand for a name: no part of a code, no contraction (it ' s), and
    none that is a word by itself in English or a neighbour's language, unless a dot follows.
    """
    if len(word.text) > 1 or word.code or _CUT.search(text, max(0, word.start - 2), word.start):
        return False
    return word.text not in "aeioyAI" or text.startswith(".", word.end)


def _kind(word: Word) -> str:
    plain = word.plain
    # An accent makes a name of what would be an English word: Bašić, René.
    if word.text.isascii() or plain in _LOANS:
        if plain in wordlist("common") or plain in wordlist("stop"):
            return "common"
        if plain in wordlist("rare") and plain not in wordlist("khmer"):
            return "rare"
    if plain in wordlist("khmer") or plain in wordlist("given"):
        return "given"
    if plain in wordlist("proper") and plain not in wordlist("family"):
        return "proper"
    return next((kind for kind in _LISTED if plain in wordlist(kind)), "unknown")


_LOANS = frozenset(
    (
        *("a", "ou", "cafe", "cafes", "resume", "resumes", "naive", "cliche", "fiance", "fiancee"),
        *("facade", "jalapeno", "creme", "brulee", "deja", "vu", "decor", "entree", "puree"),
    )
)
_LISTED = ("family", "given_rare", "family_rare")
_GROUP = {
    "common": "word",
    "rare": "word",
    "proper": "unknown",
    "unknown": "unknown",
    "given": "listed",
    "given_rare": "listed",
    "family": "listed",
    "family_rare": "listed",
}
_NAMED = frozenset(("given", "family", "given_rare"))


def _is_code(word: str) -> bool:
    """Say whether a word has capitals inside and no part that is a given name (setHeight)."""
    if word.isupper() or not _CAMEL.search(word):
        return False
    if _SLIP.fullmatch(word):  # a shift key held too long: QUentin
        return word.lower() not in wordlist("given")
    return not any(part.lower() in wordlist("given") for part in _PART.findall(word))


def _case(
    own: Facts, group: str, word: Word, *, telling: bool, starts: bool, capitals: int, shouted: bool
) -> None:
    first, rest = word.text[0], word.text[1:]
    if rest and word.text.isupper():
        if not shouted:
            own["acronym" if len(word.text) < 5 else "upper"] = 1.0
    elif telling and first.isupper():
        own[f"capital_{'first_' if starts else ''}{group}"] = 1.0
    elif telling and capitals > 1:
        own[f"lower_among_{group}"] = 1.0
    if not word.text.isupper() and _CAMEL.search(word.text):
        own["camel"] = 1.0


def _cues(index: int, plains: Sequence[str], gaps: Sequence[str]) -> list[str]:
    """Return what the two words before say, unless a sentence ends between."""
    if not index:
        return ["opening"]
    gap = gaps[index]
    bare = gap.strip(" \t\u00a0\"'“(")
    last = plains[index - 1]
    cues = cuewords()
    if last in cues["title"] and bare in ("", "."):
        return ["title"]
    if last in cues["introducing"] and bare in ("", ":", "=", "-", ",", "\n", ",\n"):
        return ["introduced"]
    if bare not in ("", ":"):
        return []
    before = plains[index - 2] if index > 1 else ""
    if last == "im" or f"{before} {last}" in cues["introducing_pairs"]:
        return ["introduced"]
    if last in cues["relation"] or (last in ("is", "named") and before in cues["relation"]):
        return ["relation"]
    for cue in ("verb", "determiner"):
        if last in cues[cue]:
            return [cue]
    return [cue for cue in ("with", "place") if last in cues[cue]]


class _Odds(NamedTuple):
    given: float
    family: float
    place: float
    other: float
    mean: float


def _odds(found: Sequence[Word], pieces: Sequence[Piece]) -> list[_Odds]:
    """Return the surest word piece's probabilities for each word, and the mean of a name."""
    result = []
    at = 0
    for word in found:
        while at < len(pieces) and pieces[at].end <= word.start:
            at += 1
        last = at
        while last < len(pieces) and pieces[last].start < word.end:
            last += 1
        own = pieces[at:last]
        if not own:
            result.append(_Odds(0.0, 0.0, 0.0, 0.0, 0.0))
            continue
        best, surest, total, place = own[0], -1.0, 0.0, 0.0
        for piece in own:
            odds = piece.given + piece.family
            total += odds
            if odds > surest:
                best, surest = piece, odds
            if piece.place > place:
                place = piece.place
        result.append(_Odds(best.given, best.family, place, best.other, total / len(own)))
    return result


def _logit(p: float) -> float:
    p = min(max(p, 1e-3), 1 - 1e-3)
    return math.log(p / (1 - p))

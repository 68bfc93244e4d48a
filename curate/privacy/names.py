"""Which words are names: the model's word probabilities, weighed by lists, case and cues."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from curate.privacy.words import Word, wordlist, words

Scores = Sequence[tuple[int, int, float, float]]
"""Start, end, probability of a given name and of a family name, for each word piece."""

ENTITY = "PERSON"
LIMIT = 0.25
STRICT_LIMIT = 0.08
"""Least weighed probability of a name, at the door and in the second scan."""

_FLOOR = 1e-4


WEIGHTS = {
    "bias": -0.76,
    "camel": -0.41,
    "capital": 0.62,
    "capital_first": -0.31,
    "common": -1.81,
    "common_family": 0.37,
    "common_given": 0.82,
    "family": 0.37,
    "given": 1.48,
    "introduced": 1.23,
    "introduced_common": -0.15,
    "lower_among": -0.90,
    "model": 0.42,
    "neighbour": 0.07,
    "pair": 0.96,
    "place": -0.39,
    "possessive": -0.13,
    "preposition": -0.15,
    "rare": -0.43,
    "rare_family": -0.04,
    "rare_given": 0.49,
    "relation": 0.30,
    "says": 0.61,
    "short": -0.30,
    "signature": 0.29,
    "title": -0.21,
    "unknown": 0.38,
    "upper": -0.35,
    "verb": 0.55,
}


@dataclass(frozen=True, slots=True)
class Name:
    """A name found: its span and the weighed probability of its surest word."""

    start: int
    end: int
    score: float


def find(
    text: str, scores: Scores, limit: float, allowed: Sequence[tuple[int, int]] = ()
) -> list[Name]:
    """Return the names in `text`, neighbouring words joined, given the model's scores.

    `allowed` are spans of terms that are none.
    """
    found = words(text)
    names: list[Name] = []
    for word, facts in zip(found, features(text, found, scores), strict=True):
        score = probability(facts)
        if word.code or score < limit:
            continue
        if any(start <= word.start and word.end <= end for start, end in allowed):
            continue
        last = names[-1] if names else None
        if last and _JOIN.fullmatch(text, last.end, word.start):
            names[-1] = Name(last.start, word.end, max(last.score, score))
        else:
            names.append(Name(word.start, word.end, score))
    return names


def probability(facts: dict[str, float]) -> float:
    """Return the weighed probability that a word with these facts is a name."""
    total = WEIGHTS["bias"] + sum(WEIGHTS[name] * value for name, value in facts.items())
    return 1 / (1 + math.exp(-total))


# What may stand between the words of one name: a space, a hyphen, an initial, a small particle.
_JOIN = re.compile(
    r"[ \t\u00a0]{1,2}(?:[A-Za-z]\.? |(?:van|von|der|den|de|da|do|dos|di|du|del|della|la|le|el|al"
    r"|bin|ibn|binti|abu|ter|ten|zu|st\.?) ){0,3}|-|\. ?|['\u2019]",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(
    r"(?:\b(?:my|his|her|their|the|full|first|last|sur|family|given|user|customer|account"
    r"|guest|passenger|client|patient|student|contact)\s?name(?:'s|’s|s)?(?:\s+(?:is|was|as|to))?"
    r"|\bname\s?[:=-]|\bnamed|\bcalled|\bcall me|\bi am|\bi'm|\bi’m|\bim|\bthis is|\bit's|\bits"
    r"|\bcontact(?: person)?(?: is|:)|\battn:?|\bdear|\bsigned by|\bsincerely,?|\bregards,?"
    r"|\bthanks,|\bthank you,|\bthx,?|\bcheers,?|\byours,?|\bs/o|\bd/o|\bspoke (?:to|with)"
    r"|\bspeak (?:to|with)|\btalk(?:ed)? (?:to|with)|\bon behalf of)[\s:,-]*$",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"\b(?:mr|mrs|ms|miss|mister|madam|sir|dr|doctor|prof|professor|lok|lokrou|neakkru|aunt"
    r"|uncle|auntie|grandma|grandpa|capt|captain|sgt|judge|sen|rep|rev|fr|señor|señora|herr"
    r"|frau|monsieur|madame|mme|khun|ustaz|pak|ibu|bu)\.?\s+$",
    re.IGNORECASE,
)
_RELATION = re.compile(
    r"\b(?:wife|husband|son|daughter|brother|sister|mother|father|mom|mum|dad|boss|manager"
    r"|colleague|coworker|co-worker|friend|assistant|teacher|boyfriend|girlfriend|partner"
    r"|cousin|nephew|niece|agent|driver|roommate|neighbou?r|buddy|supervisor|employee"
    r"|technician|nurse|secretary|landlord|tenant|student|pm|ceo|actor|actress|singer|author"
    r"|director|president|coach)(?:'s|’s)?(?:\s+is|\s+named|,)?\s+$",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:tell|told|ask|asked|email|e-mail|mail|message|text|call|phone|ring|contact|invite"
    r"|remind|meet|met|pay|paid|send|sent|forward|cc|notify|inform|thank|thanks|hello|hi|hey"
    r"|hiya|greetings|welcome|morning|afternoon|evening|bye|know|love|miss|told|from|with|by)"
    r"\s+$",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(r"\b(?:to|for|and|or|of|at|in|on|near)\s+$", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:in|at|near|around|to)\s+$", re.IGNORECASE)
_SAYS = re.compile(
    r"\s+(?:is|was|has|had|said|says|told|asked|wants|needs|didn'?t|doesn'?t|can|cannot|can'?t"
    r"|will|lives|works|and|called|sent|wrote|left|came|got|gets|thinks|knows|likes)\b",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"['’]s?\b|['’](?=\s|$)")
_SENTENCE = re.compile(r"(?:^|[.!?:;…\n\"“”(\-–—])\s*$")
_LAST_LINE = re.compile(r"[\n-]\s*$")


def features(text: str, found: Sequence[Word], scores: Scores) -> list[dict[str, float]]:
    """Return what is known of each word, by the names of the weights."""
    odds = _odds(found, scores)
    capitals = sum(word.text[0].isupper() for word in found)
    shouted = bool(found) and all(word.text.isupper() for word in found if len(word.text) > 1)
    titled = len(found) > 3 and capitals > 0.75 * len(found)
    telling = not shouted and not titled
    facts: list[dict[str, float]] = []
    for index, word in enumerate(found):
        before = text[max(0, word.start - 40) : word.start]
        after = text[word.end : word.end + 20]
        given, family = odds[index]
        p = min(given + family, 1 - 1e-4)
        own: dict[str, float] = {"model": _logit(p)}
        plain = word.plain
        common = plain in wordlist("common") or plain in wordlist("stop")
        rare = not common and plain in wordlist("rare")
        listed_given = plain in wordlist("given") or plain in wordlist("khmer")
        listed_family = plain in wordlist("family") or plain in wordlist("khmer")
        listed = listed_given or listed_family
        if common:
            own["common"] = 1
            own["common_given" if listed_given else "common_family" if listed_family else ""] = 1
        elif rare:
            own["rare"] = 1
            own["rare_given" if listed_given else "rare_family" if listed_family else ""] = 1
        elif listed_given:
            own["given"] = 1
        elif listed_family:
            own["family"] = 1
        else:
            own["unknown"] = 1
        first, rest = word.text[0], word.text[1:]
        if telling and first.isupper() and not rest.isupper():
            own["capital_first" if _SENTENCE.search(before) else "capital"] = 1
        elif rest and word.text.isupper() and not shouted:
            own["upper"] = 1
        elif telling and first.islower() and capitals > 1:
            own["lower_among"] = 1
        if any(c.isupper() for c in rest) and not word.text.isupper():
            own["camel"] = 1
        if len(plain) < 3:
            own["short"] = 1
        if _INTRODUCED.search(before):
            own["introduced" if not common else "introduced_common"] = 1
        if _TITLE.search(before):
            own["title"] = 1
        elif _RELATION.search(before):
            own["relation"] = 1
        elif _VERB.search(before):
            own["verb"] = 1
        elif _PLACE.search(before):
            own["place"] = 1
        elif _PREPOSITION.search(before):
            own["preposition"] = 1
        if _POSSESSIVE.match(after):
            own["possessive"] = 1
        if _SAYS.match(after):
            own["says"] = 1
        near = [
            odds[other]
            for other in (index - 1, index + 1)
            if 0 <= other < len(found) and _adjacent(text, found[index], found[other])
        ]
        own["neighbour"] = max((_logit(min(sum(pair), 1 - 1e-4)) for pair in near), default=-9.2)
        if listed and any(
            _listed(found[other].plain)
            for other in (index - 1, index + 1)
            if 0 <= other < len(found) and _adjacent(text, found[index], found[other])
        ):
            own["pair"] = 1
        if _LAST_LINE.search(before) and not after.strip():
            own["signature"] = 1
        own.pop("", None)
        facts.append(own)
    return facts


def _listed(plain: str) -> bool:
    if plain in wordlist("common"):
        return False
    return plain in wordlist("given") or plain in wordlist("family") or plain in wordlist("khmer")


def _adjacent(text: str, one: Word, other: Word) -> bool:
    first, second = (one, other) if one.start < other.start else (other, one)
    between = text[first.end : second.start]
    return len(between) <= 2 and between.strip(" .-,") == "" and "\n" not in between


def _odds(found: Sequence[Word], scores: Scores) -> list[tuple[float, float]]:
    """Return the surest word piece's probabilities for each word."""
    result = []
    at = 0
    for word in found:
        given = family = 0.0
        while at < len(scores) and scores[at][1] <= word.start:
            at += 1
        piece = at
        while piece < len(scores) and scores[piece][0] < word.end:
            if scores[piece][2] + scores[piece][3] > given + family:
                given, family = scores[piece][2], scores[piece][3]
            piece += 1
        result.append((given, family))
    return result


def _logit(p: float) -> float:
    p = max(p, _FLOOR)
    return math.log(p / (1 - p))

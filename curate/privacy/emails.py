"""E-mail addresses, also as people write them to be clever or by mistake."""

from __future__ import annotations

import re
from collections.abc import Iterator

from presidio_analyzer import EntityRecognizer, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts

from curate.privacy.folding import Folded

ENTITY = "EMAIL_ADDRESS"

# Latin, Greek and Cyrillic letters: look-alikes count, scripts written without spaces do not.
_L = "a-z\u00df-\u024f\u0370-\u03ff\u0400-\u052f"
_PROVIDERS = (
    "gmail|googlemail|yahoo|ymail|hotmail|outlook|live|msn|icloud|aol|proton|protonmail|gmx|zoho"
    "|yandex|tutanota|fastmail|mail|rocketmail|qq"
)
_TLD = f"[{_L}]{{2,24}}"
_LOCAL = f"[{_L}0-9][{_L}0-9._%+'-]{{0,63}}"
_LABEL = f"[{_L}0-9](?:[{_L}0-9-]{{0,62}}[{_L}0-9])?"
_AT_SIGN = r"(?:\s{0,2}@\s{0,2})"
_AT_WORD = (
    r"(?:\s?[\[({<]\s?(?:at|@)\s?[\])}>]\s?|\s?&(?:#64|#x40|commat);\s?|(?<! )\(a\)"
    r"|\s(?:at[ -]sign|arroba|arobase|klammeraffe|chiocciola)\s)"
)
_DOT_WORD = r"(?:\s?[\[({<]\s?(?:dot|\.)\s?[\])}>]\s?|\s+(?:dot|point|punto|ponto|punkt)\s+)"
_DOT = rf"(?:\.|{_DOT_WORD})"
_SPELLED_LOCAL = rf"{_LOCAL}(?:{_DOT_WORD}{_LOCAL}){{0,3}}"
_NOT_BEFORE = rf"(?<![{_L}0-9._%+@/-])"
_NOT_AFTER = rf"(?![{_L}0-9@])"

# A version of a package (node@18.2.beta), a picture for dense screens (logo@2x.png).
_NO_HOST = r"(?!\d+[.,]\d|[1-4]x\.(?:png|jpe?g|gif|webp|svg))"

# scp-like addresses (git@host:path) and user@host without a dot are no mailboxes.
_PLAIN = re.compile(
    rf"{_NOT_BEFORE}{_LOCAL}{_AT_SIGN}{_NO_HOST}(?:{_LABEL}[.,]\s?)(?:{_LABEL}[.,]){{0,4}}{_TLD}{_NOT_AFTER}"
    rf"(?!:[{_L}~/])"
)
# Also inside paths, links and markup, where only the user of a repository looks like one.
_TIGHT = re.compile(
    rf"(?<![{_L}0-9])(?<!ssh://)(?<!git://)(?<!ftp://)(?!git@)[{_L}0-9][{_L}0-9._%+'!#$^~-]{{0,63}}"
    rf"(?:@|%(?:25)*40){_NO_HOST}(?:(?:{_LABEL}[.,。]){{1,5}}{_TLD}|\[(?:\d{{1,3}}\.){{3}}\d{{1,3}}\])"
    rf"(?![{_L}0-9])(?!:[{_L}~/]\S*[/~])"
)
_QUOTED = re.compile(
    rf"\"[^\"\n@]{{1,64}}\"\s?@\s?{_NO_HOST}(?:{_LABEL}\.){{1,5}}{_TLD}{_NOT_AFTER}"
)
# Local part or host in a script other than Latin, Greek or Cyrillic. A run of one script is one
# part, since such text may stand beside an address without a space.
_NOT_L = rf"[^\s!-~{_L}\u00a1-\u00bf\u3002\u17d4-\u17da]"
_ABROAD = re.compile(
    rf"(?:{_NOT_L}{{1,64}}|{_NOT_BEFORE}{_LOCAL})@"
    rf"(?:(?:{_LABEL}|{_NOT_L}{{1,63}})[.。]){{1,5}}(?:{_NOT_L}{{2,24}}|{_TLD})(?![{_L}0-9@])"
)
_OTHER_SCRIPT = re.compile(_NOT_L)
# Letter by letter: j o h n @ h o s t . c o m
_LETTERS = re.compile(
    rf"(?<![{_L}0-9@])(?:[{_L}0-9._+-] ){{2,40}}(?:@|at|\(at\)|\[at\])(?: [{_L}0-9-]){{1,40}}"
    rf"(?: (?:\.|dot|\(dot\)|\[dot\])(?: [{_L}0-9-]){{2,40}}){{1,4}}{_NOT_AFTER}"
)
_DASHED = re.compile(
    rf"(?<![{_L}0-9])[{_L}0-9][{_L}0-9.+]{{0,63}} ?(?P<sign>[-_*]) ?at ?(?P=sign) ?"
    rf"[{_L}0-9]{{1,63}}(?: ?(?P=sign) ?dot ?(?P=sign) ?[{_L}0-9]{{2,63}}){{1,4}}{_NOT_AFTER}"
)
# A space before the last dot: only before endings that are no words.
_APART = re.compile(
    rf"{_NOT_BEFORE}{_LOCAL}{_AT_SIGN}{_NO_HOST}{_LABEL}(?:\.{_LABEL}){{0,3}}(?: \. ?| ?\. )"
    rf"(?:com|org|net|edu|gov|info|example){_NOT_AFTER}"
)
_HOST = (
    rf"{_NO_HOST}{_LABEL}(?:{_DOT_WORD}{_LABEL}|\.{_LABEL}){{0,4}}{_DOT}{_TLD}{_NOT_AFTER}"
    rf"(?!:[{_L}~/])"
)
_MARKED = re.compile(rf"{_NOT_BEFORE}{_SPELLED_LOCAL}(?:{_AT_WORD}|{_AT_SIGN}){_HOST}")
_SPELLED = re.compile(rf"{_NOT_BEFORE}{_SPELLED_LOCAL}\s+at\s+(?!(?:the|a|an)\s){_HOST}")
_PROVIDER = re.compile(
    rf"{_NOT_BEFORE}{_SPELLED_LOCAL}(?:{_AT_SIGN}|{_AT_WORD}|\s+at\s+)"
    rf"(?:{_PROVIDERS})(?:\.[{_L}]{{2,6}})*{_NOT_AFTER}"
)
_BARE_HOST = re.compile(rf"{_NOT_BEFORE}{_LOCAL}@{_LABEL}{_NOT_AFTER}(?![.,:/][{_L}0-9/])")
_MAY_BE_SPELLED = re.compile(r"@|at|&#|&c|\(a\)|arroba|arobase|klammeraffe|chiocciola")
_CUE = re.compile(
    r"\b(?:e-?mails?|mailto|gmail|inbox|correo|courriel|contact|reach|registered|account|log ?in"
    r"|login|sign(?:ed)? (?:in|up)|receiv\w+|receipt|send|sent|write|username)\b|អ៊ីមែល"
)
_MAIL_CUE = re.compile(
    r"\b(?:e-?mail(?: address)?|mailto|reach|contact|write to|mail)\b"
    r"(?: (?:me|us|is|to))?[:= ]{1,3}$"
)
_WORDS_BEFORE_AT = re.compile(
    r"^(?:look|looking|is|are|was|me|us|it|them|him|her|here|there|that|this|available|registered"
    r"|account|email|mail|e-mail|support|found|bought|ordered|work|working|sign|up|in|on|log|login"
    r"|logged|arrive|arrived|only|not|directly|and|or|stay|staying|shop|shopping|site|page|store"
    r"|online|link|user|users|item|order|orders|details|info|information|help|price|prices)$"
)


class EmailRecognizer(EntityRecognizer):
    """Finds e-mail addresses in the folded text, so that no script or spacing hides one."""

    def __init__(self) -> None:
        super().__init__([ENTITY], name="email", supported_language="en")

    def load(self) -> None:
        """Nothing to load."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """Return a result for every address, offsets in the original text."""
        folded = Folded(text)
        return [
            RecognizerResult(ENTITY, *folded.span(start, end), score)
            for start, end, score in find(folded.text)
        ]


def find(text: str) -> list[tuple[int, int, float]]:
    """Return `(start, end, score)` of every address in folded text, in any order."""
    found: list[tuple[int, int, float]] = []
    if "@" in text or "40" in text:
        found += [(*m.span(), 1.0) for m in _TIGHT.finditer(text)]
    if "@" in text:
        found += [(*m.span(), 1.0) for m in _QUOTED.finditer(text)]
        found += [(*m.span(), 0.9) for m in _PLAIN.finditer(text) if not _at_a_price(m.group())]
        found += [(*m.span(), 0.9) for m in _APART.finditer(text) if not _at_a_price(m.group())]
        found += [
            (*m.span(), 0.7)
            for m in _BARE_HOST.finditer(text)
            if _CUE.search(text, max(0, m.start() - 60), min(len(text), m.end() + 40))
            and "." in m.group()[: m.group().index("@")] + "."
            and not text.startswith("npm", max(0, m.start() - 6))
        ]
        if not text.isascii():
            found += [
                (*m.span(), 0.9) for m in _ABROAD.finditer(text) if _OTHER_SCRIPT.search(m.group())
            ]
    if _MAY_BE_SPELLED.search(text):
        found += [(*span, 0.9) for span in _addresses(_MARKED, text)]
        found += [(*span, 0.9) for span in _addresses(_SPELLED, text)]
        found += [(*span, 0.8) for span in _addresses(_PROVIDER, text)]
        found += [(*m.span(), 0.9) for m in _LETTERS.finditer(text)]
        found += [(*m.span(), 0.8) for m in _DASHED.finditer(text)]
    return found


def _addresses(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield the matches that are addresses; one that is none is looked into from its next word."""
    at = 0
    while match := pattern.search(text, at):
        if _spelled(text, match):
            yield match.span()
            at = match.end()
        else:
            at = match.start() + len(match.group().split()[0])


def _at_a_price(found: str) -> bool:
    """Say whether an at sign with spaces stands between words that are no address."""
    local, _, host = found.partition("@")
    if not (local.endswith(" ") or host.startswith(" ")):
        return False
    return not re.search(r"[a-z]", local) or bool(re.search(r"^\s*\d+[.,]\d", host))


def _spelled(text: str, match: re.Match[str]) -> bool:
    """Say whether words with "at" between them are an address and not plain English."""
    found = match.group()
    at = re.search(r"[\[({<]\s?(?:at|@)|@", found)
    if at:
        return not _at_a_price(found)
    if " at " not in found:
        return True
    local, _, host = found.partition(" at ")
    local = local.split()[-1]
    if _WORDS_BEFORE_AT.match(local) is None and _MAIL_CUE.search(
        text, max(0, match.start() - 40), match.start()
    ):
        return True
    written_out = bool(re.search(_DOT_WORD, host))
    if re.search(r"[0-9._+]", local) or written_out:
        return not _WORDS_BEFORE_AT.match(local) or (written_out and bool(_CUE.search(text)))
    known = bool(re.match(rf"\s*(?:{_PROVIDERS})\.", host))
    return known and not _WORDS_BEFORE_AT.match(local)

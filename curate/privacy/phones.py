"""Phone numbers: digit runs that `phonenumbers` knows, told from ids by the words beside them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

import phonenumbers
from presidio_analyzer import EntityRecognizer, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts

from curate.privacy.folding import Folded
from curate.privacy.spoken import spoken

ENTITY = "PHONE_NUMBER"

_SEP = r"[ ()\].\-/\t]{0,3}"
# A comma with more than three digits behind it parts two numbers.
_RUN = re.compile(
    r"(?<![\w#$€£¥+@])(?<![^\W\d_][-_/+])(?<!\d[.:/-])(?:(?<!\d,)|(?=\d{7}))"
    rf"(?:\+[ (]{{0,2}}|[(\[]\+?)?\d(?:{_SEP}\d)*"
    r"(?:(?=x\d)|(?![\w@]))(?![.:]\d|,\d{1,6}(?!\d))"
)
_EXTENSION = re.compile(r"\s?[,;]?\s?(?:ext(?:ension)?\.?|x|#)\s?=?\s?\d{1,6}\b")
# Where a number stands in a link or percent-encoded: wa.me/85512345678, phone%3D012345678.
_LINKED = re.compile(
    r"(?:\bwa\.me/|\bt\.me/(?=\+|%2b)|\bphone=|\bnumber=|\b(?:tel|sms|callto):|signal\.me/#p/)"
    r"(?P<sign>(?:\+|%2b)?)(?P<digits>\d(?:(?:[-.() ]|%20){0,2}\d){6,16})(?!\w)"
)
_CODED = re.compile(r"(?P<sign>%2b|%3d|%3a|%20)(?P<digits>\d{8,15})(?![\w%])")
# Parted by signs that also stand in ids, so only beside the word for a phone.
_ODDLY = re.compile(r"(?<![\w.*+-])\(?\+?\d{2,13}(?:[_*~|·•]{1,2}\d{2,8}){1,5}(?!\w)")
_OH = re.compile(r"(?<!\w)o\d{1,2}[ .\-]{0,2}$")
_GROUP = re.compile(r"\d+")
_DATE = re.compile(
    r"(?:19|20)\d\d([-/.])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])(?!\d)"
    r"|(?:0?[1-9]|[12]\d|3[01])([-/.])(?:0?[1-9]|[12]\d|3[01])\2(?:19|20)?\d\d(?!\d)"
)
_IP = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}")
_MONEY_AFTER = re.compile(
    r"\s?(?:[$€£¥៛₫฿%]|(?:khr|riels?|usd|eur|vnd|dong|baht|thb|dollars?|euros?|pounds?|rupees?|inr"
    r"|kwh|kg|km|gb|mb|pcs|people|items?)\b)"
)
_PHONE_CUE = re.compile(
    r"\b(?:(?:sms|text|otp|verification) codes?|(?:direct )?lines?(?= is| are|:)|direct lines?"
    r"|answer(?:s|ing|ed)?|messages? (?:to|on|from)|registered"
    r"|tele?phones?|phones?|phoned|tel|mobile|cell(?:phone|ular)?|call(?:s|ed|ing)?|ring|dial"
    r"|whats ?app|telegram|viber|signal|zalo|imo|sms|text(?:ed)?(?= me| us)|text|contact|reach"
    r"|fax|hotline|landline|helpline|handphone|hp|ph|mob|numbers?(?= is| are| was)"
    r"|(?:my|his|her|their|our|your|home|work|office|daytime|evening|emergency) (?:numbers?|no|nr)"
    r"|phone (?:numbers?|no|nr)|lek|leik|toursap|telefono|telefon|telefone|teléfono|téléphone"
    r"|portable|móvil|movil|celular|handy|rufnummer|nomor|hp|sđt|sdt|số điện thoại|điện thoại"
    r"|телефон\w*|тел|номер|мобильн\w*)\b"
    r"|ទូរស័ព្ទ|ទូរសព្ទ|លេខ|តេឡេ|โทร|เบอร์|電話|电话|手机|전화|هاتف|جوال|फ़ोन|फोन|मोबाइल"
)
_ID_CUE = re.compile(
    r"\b(?:orders?|order (?:id|no|number)|ord|refs?|reference|invoices?|inv|tickets?|cases?|rma"
    r"|quotes?|parcels?|packages?|tracking|track|shipments?|usps|ups|dhl|fedex|ems|sku|skus|isbn"
    r"|ean|upc|barcode|serials?|s/n|sn|imei|imsi|iccid|sim|models?|parts?|items?|products?"
    r"|accounts?|acct|iban|swift|bic|routing|cards?|visa|mastercard|cvv|pin|otp|code|codes|ssn"
    r"|passport|licen[cs]e|policy|claims?|contract|booking|reservation|confirmation|pnr|flights?"
    r"|rooms?|units?|lots?|beds?|lockers?|suites?|floors?|block|meter|reading|population|vat|tin"
    r"|tax|errors?|exit|line|versions?|v|build|ports?|subnet|dns|ip|ping|total|price|prices|cost"
    r"|amount|balance|paid|fee|id|ids|uuid|voucher|coupon|transaction|txn|payment|batch|zip"
    r"|postcode|postal|year|years|date|page|pages|sizes?)\b"
    r"|注文番号|订单|訂單|номер заказа|заказ\w*|commande|pedido|bestellung|bestellnummer|pesanan"
)

# The North American way of writing is a number whether or not the plan has given it to anybody.
_AMERICAN = re.compile(
    r"(?<![^\W_])(?<![$€£¥])(?<![^\W\d_]-)(?<!\d[ .,:/-])(?:\+?1[ .-])?"
    r"(?:\(\d{3}\)[ .-]?|\d{3}[ .-])\d{3}([ .-])\d{4}(?![^\W_])(?![ .,:/-]\d)"
)
_LABELLED = re.compile(
    rf"(?:{_ID_CUE.pattern})(?: ?(?:id|no|nr|number|code|is|was)\b\.?){{0,2}}[ :#=-]{{0,3}}$"
)

_BESIDE = re.compile(r"\s?\(?(?:office|fax|mobile|cell|home|work|tel|phone|mob)\b")


class PhoneRecognizer(EntityRecognizer):
    """Finds phone numbers in the folded text. `regions` are two-letter country codes."""

    def __init__(self, regions: Sequence[str], *, strict: bool = False) -> None:
        super().__init__([ENTITY], name="phone", supported_language="en")
        self._regions = tuple(regions)
        self._strict = strict

    def load(self) -> None:
        """Nothing to load."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """Return a result for every number, offsets in the original text."""
        folded = Folded(text)
        return [
            RecognizerResult(ENTITY, *folded.span(start, end), score)
            for start, end, score in find(folded.text, self._regions, strict=self._strict)
        ]


def find(
    text: str, regions: tuple[str, ...], *, strict: bool = False
) -> Iterator[tuple[int, int, float]]:
    """Yield `(start, end, score)` of every phone number in folded text.

    With `strict`, a valid number counts even beside the words of an id.
    """
    known = [
        *_planned(text, regions, strict=strict),
        *_linked(text, regions),
        *_in_words(text, regions),
    ]
    yield from known
    for match in _AMERICAN.finditer(text):
        start, end = match.span()
        if any(a < end and start < b for a, b, _ in known):
            continue
        if strict or not _an_id(text, match):
            extension = _EXTENSION.match(text, end)
            yield start, extension.end() if extension else end, 0.6


def _linked(text: str, regions: tuple[str, ...]) -> Iterator[tuple[int, int, float]]:
    """Yield the numbers in links, in percent-encoding, and between signs that are no usual ones."""
    for match in (*_LINKED.finditer(text), *(_CODED.finditer(text) if "%" in text else ())):
        digits = re.sub(r"%20|\D", "", match["digits"])
        if (
            _valid("+" + digits, ())
            or _valid(digits, regions)
            or _cue(text, *match.span("digits")) == "phone"
        ):
            yield (
                match.start("sign" if match["sign"] in ("+", "%2b") else "digits"),
                match.end(),
                0.9,
            )
    for match in _ODDLY.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if 7 <= len(digits) <= 15 and _cue(text, *match.span()) == "phone":
            yield *match.span(), 0.6


def _in_words(text: str, regions: tuple[str, ...]) -> Iterator[tuple[int, int, float]]:
    """Yield the numbers of which some digits are words."""
    for start, end, digits in spoken(text):
        if not 7 <= len(digits) <= 15:
            continue
        cue = _cue(text, start, end)
        if cue == "phone" or (not cue and digits.startswith("0") and _valid(digits, regions)):
            yield start, end, 0.7


def _an_id(text: str, match: re.Match[str]) -> bool:
    """Say whether the words beside a number in the American way name it an id."""
    if match.group().startswith("("):
        return False
    if match.group(1) == " " and _cue(text, *match.span()) == "id":
        return True
    return bool(_LABELLED.search(text, max(0, match.start() - 45), match.start()))


def _planned(
    text: str, regions: tuple[str, ...], *, strict: bool
) -> Iterator[tuple[int, int, float]]:
    """Yield the digit runs that a numbering plan knows, or a word beside them calls a phone."""
    for run in _RUN.finditer(text):
        groups = [(m.start(), m.end()) for m in _GROUP.finditer(text, *run.span())]
        digits = sum(b - a for a, b in groups)
        if digits < 6 or _is_address(run.group()):
            continue
        cue = _cue(text, run.start(), run.end())
        if strict and cue == "id":
            cue = ""
        first = 0
        while first < len(groups):
            step = 1
            for last in _ends(groups, first):
                start, end = groups[first][0], groups[last][1]
                start = _open(text, run.start(), start)
                score = _score(
                    text,
                    start,
                    end,
                    whole=last - first + 1 == len(groups),
                    cue=cue,
                    regions=regions,
                )
                if score:
                    oh = _OH.search(text, max(0, start - 5), start)  # a letter for the first digit
                    start = oh.start() if oh and cue == "phone" else start
                    extension = _EXTENSION.match(text, end)
                    yield start, extension.end() if extension else end, score
                    step = last - first + 1
                    break
            first += step


def _ends(groups: list[tuple[int, int]], first: int) -> Iterator[int]:
    """Yield the last groups a number that begins at `first` may end with, longest first."""
    digits = 0
    fits = []
    for last in range(first, len(groups)):
        digits += groups[last][1] - groups[last][0]
        if digits > 16:
            break
        if digits >= 6:
            fits.append(last)
    return reversed(fits)


def _open(text: str, limit: int, start: int) -> int:
    """Take a plus sign and an opening bracket before the first digit along."""
    while start > limit and text[start - 1] in "+([ ":
        start -= 1
    while text[start] == " ":
        start += 1
    return start


def _cue(text: str, start: int, end: int) -> str:
    """Return `phone` or `id` for the nearest telling word, the left side first; else ``."""
    left = text[max(0, start - 45) : start]
    left = left[max(left.rfind("? "), left.rfind("! ")) + 1 :]
    # A label may stand on the line above its number.
    above, _, line = left.rpartition("\n")
    left = line if line.strip() or not above.endswith(":") else above.rpartition("\n")[2]
    best, kind = -1, ""
    for pattern, name in ((_PHONE_CUE, "phone"), (_ID_CUE, "id")):
        for match in pattern.finditer(left):
            if match.end() > best:
                best, kind = match.end(), name
    right = re.split(r"[\n,;?!]|\. ", text[end : end + 30])[0]
    if _BESIDE.match(right) and kind != "id":
        return "phone"
    if kind and not re.search(r"\d{4}", left[best:]):
        return kind
    called = _PHONE_CUE.search(right)
    known = _ID_CUE.search(right)
    if called and (not known or called.start() < known.start()):
        return "phone"
    return ""


def _score(
    text: str, start: int, end: int, *, whole: bool, cue: str, regions: tuple[str, ...]
) -> float:
    """Return how surely `text[start:end]` is a phone number; 0 for no."""
    written = text[start:end]
    digits = re.sub(r"\D", "", written)
    if written.startswith(("+", "(+")):
        if _valid("+" + digits, ()):
            return 1.0
        return 0.6 if whole and 7 <= len(digits) <= 15 else 0.0
    if len(digits) > 15 or _DATE.match(written) or (_IP.fullmatch(written) and cue != "phone"):
        return 0.0
    if _MONEY_AFTER.match(text, end) and cue != "phone":
        return 0.0
    if cue == "id":
        return 0.0
    if digits.startswith("00") and _valid("+" + digits[2:], ()):
        return 0.95
    if _valid(digits, regions) or (len(digits) >= 10 and _valid("+" + digits, ())):
        if cue == "phone":
            return 0.95
        if digits.startswith("0") and len(digits) >= 8:
            return 0.8
        if len(digits) >= 9 and _looks_national(written, digits):
            return 0.7
        return 0.0
    if cue == "phone" and whole and 6 <= len(digits) <= 13 and not _looks_like_money(written):
        return 0.6
    return 0.0


def _is_address(written: str) -> bool:
    """Say whether four groups with dots are surely an IP address: 12.34.56.78 may be a phone."""
    groups = written.split(".")
    return (
        bool(_IP.fullmatch(written))
        and max(map(len, groups)) == 3
        and all(int(group) < 256 for group in groups)
    )


def _looks_national(written: str, digits: str) -> bool:
    if written == digits:
        return len(digits) in (10, 11, 12)
    sizes = [len(group) for group in re.findall(r"\d+", written)]
    return max(sizes) >= 3 and len(digits) >= 10 and 2 <= len(sizes) <= 5


def _looks_like_money(written: str) -> bool:
    return bool(re.fullmatch(r"[1-9]\d{0,2}(?:\.000)+|[1-9]\d{0,2}(?: 000)+", written))


@functools.lru_cache(maxsize=16384)
def _valid(digits: str, regions: tuple[str, ...]) -> bool:
    """Say whether the digits are a valid number, in one of the regions or with a plus sign."""
    for region in regions or (None,):
        try:
            number = phonenumbers.parse(digits, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_valid_number(number):
            return True
    return False

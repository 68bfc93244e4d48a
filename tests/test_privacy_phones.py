# ruff: noqa: RUF001 - people type these characters
import pytest

from curate.config import PHONE_REGIONS
from curate.privacy.folding import Folded
from curate.privacy.phones import find


def numbers(text: str) -> list[str]:
    folded = Folded(text)
    spans = {folded.span(start, end) for start, end, _ in find(folded.text, PHONE_REGIONS)}
    widest = [a for a in spans if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in spans)]
    return [text[start:end] for start, end in sorted(widest)]


@pytest.mark.parametrize(
    "number",
    [
        "012 345 678",
        "012-345-678",
        "012.345.678",
        "012/345678",
        "012345678",
        "+855 12 345 678",
        "+85512345678",
        "0085512345678",
        "85512345678",
        "០១២ ៣៤៥ ៦៧៨",
        "០១២-៣៤៥-៦៧៨",
        "０１２－３４５－６７８",
        "012\u200b345\u200b678",
        "012\u00a0345\u00a0678",
        "(212) 555-0147",
        "212-555-0147",
        "212.555.0147",
        "2125550147",
        "+1 212 555 0147",
        "212-555-0147 ext 22",
        "(212) 555-0147 x634",
        "212 - 555 - 0147",
        "+44 7700 900123",
        "07700 900123",
        "020 7946 0958",
        "+49 151 23456789",
        "06 12 34 56 78",
        "+33 6 12 34 56 78",
        "+91 98765 43210",
        "98765-43210",
        "0491 570 156",
        "+20 100 123 4567",
        "+٢٠ ١٠٠ ١٢٣ ٤٥٦٧",
        "081-234-5678",
        "+84 91 234 56 78",
        "091 234 5678",
        "(012) 345-678",
        "[012] 345-678",
        "+855 (0)12 345 678",
        "012 345 678 ext. 12",
        "012 345 678, extension 12",
        "+1-212-555-0147;ext=22",
        "012 then 345 then 678",
        "012 and then 345 678",
        "012 dash 345 dash 678",
        "zero one two, three four five, six seven eight",
        "oh one two 345 double six 8",
        "O12 345 678",
        "012_345_678",
        "012*345*678",
        "012·345·678",
    ],
)
@pytest.mark.parametrize("frame", ["call me on {} about ORD-18422", "{} is my whatsapp"])
def test_a_number_beside_a_phone_word_is_found_whole(frame: str, number: str) -> None:
    assert numbers(frame.format(number)) == [number]


@pytest.mark.parametrize(
    "text",
    [
        "where is ORD-18422",
        "order 2019283746",
        "order 012345678 is late",
        "RMA 55012934",
        "case 20240315-0042",
        "ref 8842-1190-22",
        "tracking 9400 1102 0088 1234 5678 90",
        "isbn 978-3-16-148410-0",
        "delivery between 2024/03/15 and 2024/03/20",
        "05-06-2024 or 06-05-2024",
        "ping 192.168.100.254",
        "the server 192.168.100.254 does not answer",
        "price 12,500,000 KHR",
        "4 000 000 riel",
        "1.250.000 VND",
        "INV-2024-05541",
        "version 10.0.19045.3803",
        "meter reading 004 512 889",
        "注文番号 48213377 はどこ",
        "10:30:15 12345678",
    ],
)
def test_ids_dates_prices_and_addresses_stay(text: str) -> None:
    assert numbers(text) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("tel:+85512345678", "+85512345678"),
        ('<a href="tel:+855-12-345-678">', "+855-12-345-678"),
        ("sms:012345678", "012345678"),
        ("https://wa.me/85512345678", "85512345678"),
        ("https://t.me/+85512345678", "+85512345678"),
        ("api.whatsapp.com/send?phone=85512345678&text=hi", "85512345678"),
        ("tel:%2B85512345678", "%2B85512345678"),
        ("phone%3D012345678", "012345678"),
    ],
)
def test_a_number_in_a_link_is_found(text: str, number: str) -> None:
    assert number in numbers(text)


def test_numbers_parted_by_a_comma_alone_are_two() -> None:
    assert numbers("call 012345678,098765432") == ["012345678", "098765432"]


@pytest.mark.parametrize(
    "text",
    [
        "one two three four five six seven",
        "order one two three four five six seven eight",
        "pi is three one four one five nine two six five",
        "we have 3 then 4 then 5000",
        "the build 20240101_123456",
        "call 1,234,567 rows",
        "2*300*4000 phone cases",
        "docs/2024%2F0123456789.pdf",
        "between two and four, room one zero one",
    ],
)
def test_counted_and_computed_numbers_stay(text: str) -> None:
    assert numbers(text) == []


def test_the_phone_goes_and_the_order_stays() -> None:
    assert numbers("phone 012 345 678 order 2019283746") == ["012 345 678"]
    assert numbers("order 2019283746 phone 012 345 678") == ["012 345 678"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("send the pin to my husband, 207-555-0149? Gwendolyn Pryce", "207-555-0149"),
        ("(207) 555-0171", "(207) 555-0171"),
        ("order 4411 is late, 000-555-0149", "000-555-0149"),
        ("uploads/207-555-0149.md", "207-555-0149"),
        ("123.456.7890 is hers", "123.456.7890"),
    ],
)
def test_the_american_way_of_writing_is_a_number_though_nobody_has_it(
    text: str, number: str
) -> None:
    assert numbers(text) == [number]


@pytest.mark.parametrize(
    "text",
    [
        "order no. 123-456-7890",
        "sku: 000-555-0149",
        "part number AB-123-456-7890",
        "ORD-123-456-7890",
        "isbn 0-306-40615-2",
        "$123.456.7890",
    ],
)
def test_an_id_in_the_american_way_of_writing_stays(text: str) -> None:
    assert numbers(text) == []


def test_two_numbers_in_one_run_are_two() -> None:
    assert numbers("call 012 345 678 / 098 765 432") == ["012 345 678", "098 765 432"]


def test_a_long_run_of_digits_ends() -> None:
    assert numbers("7" * 100_000) == []

# ruff: noqa: RUF001 - people type these characters
import pytest

from curate.privacy.emails import find
from curate.privacy.folding import Folded


def addresses(text: str) -> set[str]:
    folded = Folded(text)
    spans = {folded.span(start, end) for start, end, _ in find(folded.text)}
    widest = {a for a in spans if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in spans)}
    return {text[start:end] for start, end in widest}


@pytest.mark.parametrize(
    "address",
    [
        "dara@mail.example",
        "DARA.SOK+shop@MAIL.EXAMPLE.ORG",
        "dara@mail.co.uk",
        "dara at gmail dot com",
        "dara dot sok at mail dot example dot org",
        "dara.sok at mail dot example",
        "dara [at] gmail [dot] com",
        "dara[at]mail[dot]example",
        "dara (at) mail.example",
        "dara @ gmail.com",
        "dara@gmail,com",
        "dara＠gmail．com",
        "da\u200bra@mail.example",
        "dara@gmail",
        "dаra@mail.example",
        "dara at gmail.com",
        "dara AT mail DOT example",
        "dara [at] mail [dot] example",
        '"dara sok"@mail.example',
        "d a r a @ m a i l . e x a m p l e",
        "d a r a at g m a i l dot c o m",
        "da\u200dra@ma\u2060il.exam\u200bple",
        "ｄａｒａ@ｍａｉｌ.ｅｘａｍｐｌｅ",
        "dara@bücher.example",
        "info@xn--bcher-kva.example",
        "дара@почта.рф",
        "用户@例え.jp",
        "សុខ@mail.example",
        "dara%40mail.example",
        "dara%2540mail.example",
        "dara&#64;mail.example",
        "dara &commat; mail.example",
        "dara(a)mail.example",
        "dara arroba gmail punto com",
        "dara -at- mail -dot- example",
        "dara_at_mail_dot_example",
        "dara @ mail . com",
        "dara@mail .com",
        "dara@[192.168.1.10]",
        "dara!sok@mail.example",
    ],
)
@pytest.mark.parametrize("frame", ["my email is {} please", "អ៊ីមែល {} ", "{}"])
def test_an_address_is_found_whole(frame: str, address: str) -> None:
    assert addresses(frame.format(address)) == {address}


@pytest.mark.parametrize("cue", ["my email is", "e-mail:", "contact", "write to"])
def test_at_is_an_at_sign_behind_a_word_for_mail(cue: str) -> None:
    assert addresses(f"{cue} dara at mail.example") == {"dara at mail.example"}
    assert addresses(f"{cue} us at mail.example") == set()


def test_khmer_letters_beside_an_address_stay() -> None:
    assert addresses("អ៊ីមែលគឺdara@mail.example។") == {"dara@mail.example"}


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("uploads/zq000.canary@mail000.example.org.md", "zq000.canary@mail000.example.org.md"),
        ("mailto:dara@mail.example", "dara@mail.example"),
        ("https://host.example/?u=dara@mail.example&x=1", "dara@mail.example"),
        ("https://host.example/?u=dara%40mail.example", "dara%40mail.example"),
        ("/home/dara@mail.example/notes", "dara@mail.example"),
        ("_dara@mail.example_", "dara@mail.example"),
        ("dara@mail.example:please write", "dara@mail.example"),
    ],
)
def test_an_address_inside_a_path_or_link_is_found(text: str, address: str) -> None:
    assert addresses(text) == {address}


@pytest.mark.parametrize(
    "text",
    [
        "img/logo@2x.png",
        "is logo@2x.png the right file",
        "registry/node@18.2.beta",
        "ssh://git@github.com/org/repo",
        "size L @ $12.99 each",
        "2 @ 1500 riel",
        "npm i @types/node",
        "user@host ssh fails",
        "git@github.com:org/repo.git permission denied",
        "pip install pkg @ https://example.org/x.whl",
        "@everyone is the site down",
        "look at example.com for it",
        "we meet at the dot com office",
        "5 @ 3.50",
        "i was @ work . come over",
        "option (a) mail.example",
        "the form at host.example",
        "a cat -at- home",
        'say "hello" @ 5.30',
    ],
)
def test_what_is_no_mailbox_stays(text: str) -> None:
    assert addresses(text) == set()

"""HTML: what a reader of the page would see, and what hostile pages do not do."""

from __future__ import annotations

import pytest

from curate.corpus import hypertext
from curate.corpus.extracted import Broken
from curate.corpus.outline import Outline, outline


def made(source: str | bytes) -> tuple[str, Outline]:
    data = source if isinstance(source, bytes) else source.encode()
    extracted = hypertext.extract(data)
    return extracted.text, outline("a.html", extracted.text, extracted.parsed)


def sentences(source: str | bytes) -> list[str]:
    text, found = made(source)
    return [text[start:end] for spans in found.sentences for start, end in spans]


def test_headings_have_levels_trails_and_spans_in_the_extracted_text() -> None:
    text, found = made(
        "<p>\U0001f600 before<h1>A <em>b</em><a class=headerlink href=#a>¶</a></h1>x"
        "<div><h3>C\n d</h3><p>y</div><h2></h2><h2>E</h2>z"
    )
    assert [(s.level, s.heading, s.trail) for s in found.sections] == [
        (0, "", ()),
        (1, "A b", ()),
        (3, "C d", ("A b",)),
        (2, "E", ("A b",)),
    ]
    assert "".join(s.text for s in found.sections) == text
    assert all(text[s.start : s.end] == s.text for s in found.sections)


def test_scripts_styles_menus_comments_and_hidden_parts_are_dropped() -> None:
    source = (
        "<head><title>T</title><style>p{}</style></head><nav>menu</nav><p>a<script>'</p>'</script>b"
        "<!-- c --><p hidden>no</p><noscript>js</noscript><template><p>t</template><svg><text>s"
        "</text></svg><iframe src='http://x'>f</iframe><footer>foot</footer><p>end"
    )
    assert sentences(source) == ["ab", "end"]


def test_a_single_main_part_is_the_document() -> None:
    assert sentences("<header>top</header><main><p>in</main><p>out") == ["in"]


def test_unclosed_tags_entities_and_inline_tags_read_as_shown() -> None:
    source = "<ul><li>one &amp; <b>t</b>wo<li>three<ul><li>deep</ul>after</ul>4&nbsp;m<br>next"
    assert sentences(source) == ["one & two", "three", "deep", "after", "4\xa0m", "next"]


def test_rows_are_lines_with_tabs_and_layout_tables_are_not() -> None:
    data = "<table><tr><th>a<th>b c<tr><td><p>1</p><p>2</p><td>3</table>"
    layout = "<table><tr><td><h2>H</h2>text<td><ul><li>i</ul></table>"
    assert sentences(data) == ["a\tb c", "1 2\t3"]
    assert made(layout)[1].sections[0].heading == "H"
    assert sentences(layout) == ["text", "i"]


def test_code_keeps_its_lines() -> None:
    text, _ = made("<pre>\nif x:\n    <b>go</b>()<br>end\n</pre><p>t")
    assert text == "if x:\n    go()\nend\n\nt\n"


@pytest.mark.parametrize(
    "data",
    [
        "<p>déjà".encode(),
        b"\xef\xbb\xbf<p>d\xc3\xa9j\xc3\xa0",
        "<p>déjà".encode("utf-16"),
        b"<meta charset=latin1><p>d\xe9j\xe0",
        b'<meta http-equiv=x content="text/html; charset=windows-1252"><p>d\xe9j\xe0',
    ],
)
def test_the_encoding_is_utf8_or_what_the_page_declares(data: bytes) -> None:
    assert sentences(data) == ["déjà"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<p>d\xe9j\xe0", "declares no encoding"),
        (b"<meta charset=unicode_escape><p>\xe9", "declares no encoding"),
        (b"<div>" * 300_000, "nested too deeply"),
        (b"<p " + b"a=1 " * 5000 + b">", "attributes"),
    ],
)
def test_hostile_pages_are_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Broken, match=reason):
        hypertext.extract(data)


@pytest.mark.parametrize("data", [b"", b"\0", b"<", b"<!--" * 1000, b"<b><p>" * 5000 + b"x"])
def test_broken_pages_are_read_as_far_as_they_go(data: bytes) -> None:
    made(data)


def test_no_entity_of_a_page_opens_a_file() -> None:
    source = '<!DOCTYPE html [<!ENTITY a SYSTEM "file:///etc/passwd">]><p>x &a; y'
    assert "root:" not in made(source)[0]

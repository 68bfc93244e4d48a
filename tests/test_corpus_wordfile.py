"""Word documents: their text, and files that only claim to be one."""

from __future__ import annotations

import io
import zipfile

import pytest

from curate.corpus import wordfile
from curate.corpus.extracted import Broken
from curate.corpus.outline import Outline, outline

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
RELS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="r1" Type="{R}/officeDocument" Target="word/document.xml"/></Relationships>'
)


def docx(body: str, **more: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("[Content_Types].xml", TYPES)
        packed.writestr("_rels/.rels", RELS)
        packed.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{W}" xmlns:r="{R}"><w:body>{body}</w:body></w:document>',
        )
        for name, data in more.items():
            packed.writestr(name, data)
    return out.getvalue()


def p(text: str, style: str = "") -> str:
    looks = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{looks}<w:r><w:t>{text}</w:t></w:r></w:p>"


def made(data: bytes) -> tuple[str, Outline]:
    extracted = wordfile.extract(data)
    return extracted.text, outline("a.docx", extracted.text, extracted.parsed)


def test_headings_paragraphs_and_rows_have_their_spans() -> None:
    row = f"<w:tr><w:tc>{p('a')}</w:tc><w:tc>{p('b c')}</w:tc></w:tr>"
    text, found = made(
        docx(p("Fees", "Heading1") + p("Ten \U0001f600 cents. Daily.") + p("Late", "Heading2")
             + f"<w:tbl>{row}</w:tbl>")
    )  # fmt: skip
    assert [(s.level, s.heading, s.trail) for s in found.sections] == [
        (1, "Fees", ()),
        (2, "Late", ("Fees",)),
    ]
    assert [text[a:b] for spans in found.sentences for a, b in spans] == [
        "Ten \U0001f600 cents.",
        "Daily.",
        "a\tb c",
    ]
    assert "".join(s.text for s in found.sections) == text


def test_tracked_changes_are_read_as_accepted() -> None:
    body = (
        "<w:p><w:r><w:t xml:space='preserve'>kept </w:t></w:r><w:ins><w:r><w:t>new</w:t></w:r>"
        "</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del></w:p>"
    )
    assert made(docx(body))[0] == "kept new\n"


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = docx("", **{"word/styles.xml": "<a>" + " " * (wordfile.LARGEST + 1) + "</a>"})
    assert len(bomb) < 100_000
    with pytest.raises(Broken, match="unpacks to more than 16 MiB"):
        wordfile.extract(bomb)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a Word document"),
        (b"PK\x03\x04 no", "not a Word document"),
        (docx("")[:-40], "not a Word document"),
        (docx("<w:p>"), "not a Word document"),
        (docx("<w:sdt>" * 200 + "</w:sdt>" * 200), "nested too deeply"),
        (
            docx("", **{"word/x.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}),
            "document type",
        ),
    ],
    ids=["empty", "no archive", "cut short", "broken", "too deep", "a document type"],
)
def test_what_is_no_word_document_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Broken, match=reason):
        wordfile.extract(data)


def test_linked_pictures_are_not_opened() -> None:
    drawing = (
        '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
        'wordprocessingDrawing"><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/'
        'main"><a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/'
        'picture"><pic:blipFill><a:blip r:link="r9"/></pic:blipFill></pic:pic></a:graphicData>'
        "</a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )
    links = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r9" Type="{R}/image"'
        ' Target="file:///etc/fstab" TargetMode="External"/>'
        "</Relationships>"
    )
    data = docx(drawing + p("text"), **{"word/_rels/document.xml.rels": links})
    assert made(data)[0] == "text\n"

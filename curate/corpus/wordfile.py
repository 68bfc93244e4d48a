"""DOCX: turned into HTML by mammoth, which knows notes, text boxes and tracked changes, and read as
that.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from importlib.metadata import version
from typing import Any
from xml.parsers import expat

import mammoth

from curate.corpus import hypertext
from curate.corpus.extracted import Broken, Extracted

LARGEST = 16 * 1024 * 1024
"""Bytes that the XML of a document may have once unpacked."""

_DEEPEST = 128
_MOST_FILES = 10_000
_STYLES = "p[style-name='Title'] => h1:fresh"
_BROKEN = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,  # encrypted files, methods of compression it does not know, recursion
    TypeError,
    ValueError,
    expat.ExpatError,
    zipfile.BadZipFile,
    zlib.error,
)


def extractor() -> str:
    """Return the converter's name and version, and those of what reads its HTML."""
    return f"mammoth {version('mammoth')}, docx 1, {hypertext.extractor()}"


def extract(data: bytes) -> Extracted:
    """Return the text of a Word document: its paragraphs, lists, tables and notes, as they are with
    all tracked changes accepted; no headers, footers and comments.

    Linked files are never opened. Raises `Broken` for what is no such document, is encrypted,
    unpacks to too much, or is nested too deeply.
    """
    _guard(data)
    try:
        html = mammoth.convert_to_html(
            io.BytesIO(data),
            style_map=_STYLES,
            include_embedded_style_map=False,
            convert_image=_no_image,
        ).value
    except _BROKEN:
        raise Broken("not a Word document, or a damaged one") from None
    return hypertext.parse(html.replace("↑</a>", "</a>"))


def _no_image(image: Any) -> list[Any]:
    return []


def _guard(data: bytes) -> None:
    """Refuse a bomb before it is unpacked by somebody who trusts it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            infos = packed.infolist()
            if len(infos) > _MOST_FILES:
                raise Broken(f"it packs more than {_MOST_FILES} files")
            parts = [info for info in infos if info.filename.lower().endswith((".xml", ".rels"))]
            # A part never gives more bytes than its entry says.
            if sum(info.file_size for info in parts) > LARGEST:
                raise Broken(f"it unpacks to more than {LARGEST // 1024 // 1024} MiB of text")
            for info in parts:
                _guard_part(packed.read(info))
    except _BROKEN:
        raise Broken("not a Word document, or a damaged one") from None


def _guard_part(data: bytes) -> None:
    depth = 0

    def opened(_name: str, _attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise Broken("nested too deeply")

    def closed(_name: str) -> None:
        nonlocal depth
        depth -= 1

    def declared(*_: object) -> None:
        raise Broken("it declares a document type, which no Word document does")

    parser = expat.ParserCreate()
    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    parser.StartDoctypeDeclHandler = declared
    parser.Parse(data, True)

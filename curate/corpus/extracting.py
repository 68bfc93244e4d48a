"""Which reader turns a file into text: by the end of its name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from curate.corpus.documents import Unreadable, ending
from curate.corpus.extracted import Broken, Extracted

EXTRA = "documents"
"""The extra that brings the packages of readers other than those of Markdown and plain text."""

_MARKDOWN = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd")
_EXTRAS = {
    ".rst": ("curate.corpus.restructured", "docutils"),
    ".rest": ("curate.corpus.restructured", "docutils"),
    ".html": ("curate.corpus.hypertext", "lxml"),
    ".htm": ("curate.corpus.hypertext", "lxml"),
    ".xhtml": ("curate.corpus.hypertext", "lxml"),
    ".docx": ("curate.corpus.wordfile", "mammoth"),
}


_FOREIGN = {
    **dict.fromkeys(
        (".adoc", ".asciidoc"),
        "AsciiDoc is not read; convert it with asciidoctor -b html5",
    ),
    ".pdf": "PDF is not read, for it does not tell headings; include what it was made from",
    ".doc": "old Word files are not read; save it as .docx",
    ".odt": "OpenDocument is not read; save it as .docx",
    ".rtf": "RTF is not read; save it as .docx",
    ".ipynb": "notebooks are not read; convert it: jupyter nbconvert --to markdown",
    **dict.fromkeys(
        (".tex", ".org", ".textile", ".mediawiki", ".wiki", ".epub"),
        "this markup is not read; convert it to Markdown or HTML, with pandoc for one",
    ),
}


class Reader(NamedTuple):
    """What reads a file: its name with versions, and how. `extract` raises `Broken`."""

    extractor: str
    extract: Callable[[bytes], Extracted]


def foreign(source: str) -> str:
    """Return why nothing reads documents of this kind, and the way out; empty for others."""
    return _FOREIGN.get(ending(source), "")


def reader(source: str) -> Reader | Unreadable:
    """Return what reads the file `source`, or why nothing here can."""
    from curate.corpus import markdown, plain

    if reason := foreign(source):
        return Unreadable(source, reason)
    kind = ending(source)
    if kind in _EXTRAS:
        module, package = _EXTRAS[kind]
        try:
            made = import_module(module)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("curate"):
                raise
            return Unreadable(
                source, f"{kind} needs {package}: pip install 'curate[{EXTRA}]', then sync again"
            )
        return Reader(made.extractor(), made.extract)
    parser = markdown if kind in _MARKDOWN else plain

    def extract(data: bytes) -> Extracted:
        text = decoded(data)
        return Extracted(text, parser.parse(text))

    return Reader(parser.extractor(), extract)


def decoded(data: bytes) -> str:
    """Return a file's text exactly as it stands, without a byte order mark. Raises `Broken`."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Broken("UTF-16; save it as UTF-8")
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Broken(f"not UTF-8 (line {line})") from None

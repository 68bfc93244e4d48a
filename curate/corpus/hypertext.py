"""HTML: its text by lxml, which is safe with hostile files where a browser's own algorithm, made to
rebuild what was left open, is quadratic in time and memory: libxml2 stops at a depth, and loads
nothing.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from importlib.metadata import version

from lxml import etree

from curate.corpus.extracted import Broken, Extracted, Writer, folded

MOST_ATTRIBUTES = 1000
"""Attributes a tag may have; the parser takes time by their square."""


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_DROPPED = _names("""
    applet audio button canvas datalist embed frame frameset head iframe math nav noembed noframes
    noscript object script select style svg template textarea title video
""")
_BLOCKS = _names("""
    address article aside blockquote body br caption center dd details dialog dir div dl dt
    fieldset figcaption figure footer form header hgroup hr legend li main menu ol p section
    summary table tbody td tfoot th thead tr ul
""")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_NO_CELLS = frozenset(("table", "pre", "ul", "ol", "dl", *_HEADINGS))
_TAG = re.compile(r"""<[a-zA-Z](?:[^>"']|"[^"]*"|'[^']*')*+""")
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_CHARSETS = re.compile(
    "iso-8859-|windows-|cp125|koi8-|latin|gb|big5|euc-|shift.?jis|tis-620|us-ascii|ascii|utf-?8"
)
_PERMALINKS = ("headerlink", "anchor-link")


def extractor() -> str:
    """Return the reader's name and the versions of what it reads with."""
    libxml = ".".join(map(str, etree.LIBXML_VERSION))
    return f"lxml {version('lxml')}, libxml2 {libxml}, html 1"


def extract(data: bytes) -> Extracted:
    """Return the text of a page: of its `main` where it has one, without menus, scripts and styles.

    Rows of tables are lines with tabs between the cells. Raises `Broken` for an encoding that
    is not declared or unknown, and for what is nested too deeply to be a page.
    """
    return parse(_decoded(data))


def parse(text: str) -> Extracted:
    """Return what `extract` does of a page that is decoded already."""
    if any(len(match[0].split(None, MOST_ATTRIBUTES + 1)) > MOST_ATTRIBUTES + 1
           for match in _TAG.finditer(text)):  # fmt: skip
        raise Broken(f"a tag has more than {MOST_ATTRIBUTES} attributes")
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        root = None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise Broken("its tags are nested too deeply, or one holds too much")
    writer = Writer()
    if root is not None:
        mains = [*root.iter("main")]
        _Reader(writer).read(mains[0] if len(mains) == 1 else root)
    return writer.done()


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError:
        pass
    found = _CHARSET.search(data, 0, 4096)
    name = found[1].decode("ascii", "replace").lower() if found else ""
    if name in ("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii"):
        name = "windows-1252"  # what browsers take them for
    if not _CHARSETS.match(name):
        raise Broken("not UTF-8, and it declares no encoding that is known")
    try:
        return data.decode(codecs.lookup(name).name, "replace")
    except LookupError:
        raise Broken("not UTF-8, and it declares no encoding that is known") from None


class _Reader:
    """Walks a tree once, without recursion, and writes what stands in it."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._run: list[str] = []
        self._cells: list[str] | None = None
        self._pre = 0
        self._title = 0

    def read(self, root: etree._Element) -> None:
        """Write the text of `root`."""
        for event, element, tag in _walk(root):
            if event == "start":
                self._open(element, tag)
            else:
                self._close(element, tag)
                if element is not root:
                    self._say(element.tail)
        self._flush()

    def _say(self, text: str | None) -> None:
        if text:
            self._run.append(text)

    def _open(self, element: etree._Element, tag: str) -> None:
        if tag in _HEADINGS:
            self._flush()
            self._title = _HEADINGS[tag]
        elif tag == "pre":
            self._flush()
            self._pre += 1
        elif tag == "tr" and _tabular(element):
            self._flush()
            self._cells = []
        elif tag == "br" and self._pre:
            self._say("\n")
        elif tag in _BLOCKS:
            self._flush()
        self._say(element.text)

    def _close(self, element: etree._Element, tag: str) -> None:
        if tag in _HEADINGS:
            self._writer.heading(_HEADINGS[tag], self._taken())
            self._title = 0
        elif tag == "pre":
            if self._cells is None:
                self._writer.code(self._taken())
            self._pre -= 1
        elif self._cells is not None and tag in ("td", "th"):
            self._cells.append(folded(self._taken()))
        elif self._cells is not None and tag == "tr":
            self._writer.row("\t".join(self._cells).strip("\t"))
            self._cells = None
            self._run.clear()
        elif tag in _BLOCKS and not (tag == "br" and self._pre):
            self._flush()

    def _taken(self) -> str:
        text = "".join(self._run)
        self._run.clear()
        return text

    def _flush(self) -> None:
        """End a paragraph; within a heading, a cell or code a block is but a space."""
        if self._cells is not None or self._title or self._pre:
            self._say("\n" if self._pre else " ")
        else:
            self._writer.prose(self._taken())


def _walk(root: etree._Element) -> Iterator[tuple[str, etree._Element, str]]:
    """Yield the starts and ends of all elements that are shown; of others, nothing but the tail."""
    walk = etree.iterwalk(root, events=("start", "end"))
    dropped: etree._Element | None = None
    for event, element in walk:
        tag = element.tag if isinstance(element.tag, str) else ""
        tag = tag.rpartition("}")[2].rpartition(":")[2].lower()
        if dropped is None and event == "start" and element is not root and _hidden(element, tag):
            dropped = element
            walk.skip_subtree()
        elif dropped is element and event == "end":
            dropped = None
            yield "end", element, ""
        elif dropped is None:
            yield event, element, tag


def _hidden(element: etree._Element, tag: str) -> bool:
    if tag in _DROPPED or not tag or element.get("hidden") is not None:
        return True
    if tag == "a":
        linked = element.get("href", "").startswith(("#footnote-", "#endnote-"))
        return linked or not {*element.get("class", "").split()}.isdisjoint(_PERMALINKS)
    return tag == "footer" and element.getparent() is not None and _of_page(element)


def _of_page(element: etree._Element) -> bool:
    return not any(above.tag in ("article", "blockquote") for above in element.iterancestors())


def _tabular(row: etree._Element) -> bool:
    """Say whether a row is one of data, not of a page laid out by a table."""
    return not any(inner.tag in _NO_CELLS for inner in row.iter())

"""reStructuredText by docutils, with everything off that reads other files or today's date."""

from __future__ import annotations

import re
import threading
from importlib.metadata import version
from textwrap import dedent

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import directives, roles
from docutils.parsers.rst.directives.misc import Date

from curate.corpus.extracted import Broken, Extracted, Writer

LARGEST = 2 * 1024 * 1024
"""Bytes a document may have: docutils reads some ten thousand in a second."""

_LONGEST_LINE = 10_000
_DEEPEST = 8
_SETTINGS = {
    "_disable_config": True,  # no docutils.conf of whoever runs this
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 5,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "sectsubtitle_xform": False,
    "smart_quotes": False,
    "syntax_highlight": "none",
    "line_length_limit": _LONGEST_LINE,
    "input_encoding": "unicode",
}
_ROLE = re.compile(r"^(?::[\w:+.-]+:)?`(.*)`(?::[\w:+.-]+:)?$", re.DOTALL)
_TARGETED = re.compile(r"^(.*\S)\s*<[^<>]*>$", re.DOTALL)
_UNKNOWN = re.compile(r'Unknown directive type "([\w:+.-]+)"')
_OPTION = re.compile(r"^\s+:[\w -]+:")
_LISTS_OF_FILES = ("toctree", "literalinclude", "index", "currentmodule", "module", "highlight")
_SILENT = (
    nodes.comment,
    nodes.decoration,
    nodes.footnote_reference,
    nodes.image,
    nodes.label,
    nodes.meta,
    nodes.pending,
    nodes.raw,
    nodes.substitution_definition,
)
# docutils keeps roles that documents define in a table of the process.
_alone = threading.Lock()


class _NoDate(Date):
    """Today's date is no part of a document: the same file would read otherwise tomorrow."""

    def run(self) -> list[nodes.Node]:
        """Return nothing in its place."""
        return []


def extractor() -> str:
    """Return the parser's name and version, and that of our reading of it."""
    return f"docutils {version('docutils')}, rst 1"


def extract(data: bytes) -> Extracted:
    """Return the text of a document as it would be shown, without markup, comments and targets.

    What a directive that docutils does not know holds (Sphinx has many) is read as a document of
    its own; of a role that it does not know the text stays. Raises `Broken` when the file is not
    UTF-8, too large, or nested too deeply.
    """
    if len(data) > LARGEST:
        raise Broken(f"larger than {LARGEST // 1024 // 1024} MiB, which takes too long to parse")
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Broken(f"not UTF-8 (line {line})") from None
    if any(len(line) > _LONGEST_LINE for line in text.splitlines()):
        raise Broken(f"a line has more than {_LONGEST_LINE} characters")
    writer = Writer()
    try:
        with _alone:
            _Reader(writer, 0).read(_parsed(text), 0)
    except RecursionError:
        raise Broken("nested too deeply") from None
    return writer.done()


def _parsed(text: str) -> nodes.document:
    known = dict(roles._roles)  # type: ignore[attr-defined]
    directives.register_directive("date", _NoDate)
    try:
        return publish_doctree(text, settings_overrides=dict(_SETTINGS))
    finally:
        roles._roles.clear()  # type: ignore[attr-defined]
        roles._roles.update(known)  # type: ignore[attr-defined]


class _Reader:
    """Writes the nodes of a document in their order; `depth` counts documents within documents."""

    def __init__(self, writer: Writer, depth: int) -> None:
        self._writer = writer
        self._depth = depth

    def read(self, node: nodes.Element, level: int) -> None:
        """Write what `node` holds; `level` is that of the section it stands in."""
        for number, child in enumerate(node.children):
            if isinstance(child, nodes.section):
                self.read(child, level + 1)
            elif isinstance(child, nodes.title) and isinstance(node, nodes.section):
                if self._depth:
                    self._writer.prose(_inline(child))
                else:
                    self._writer.heading(level, _inline(child))
            elif isinstance(child, nodes.system_message):
                self._unknown(child, level)
            elif isinstance(child, _SILENT) or _metadata(node, child, number):
                continue
            elif isinstance(child, nodes.Element):
                self._block(child, level)

    def _block(self, node: nodes.Element, level: int) -> None:
        write = self._writer
        if isinstance(node, nodes.FixedTextElement):
            write.code(node.astext())
        elif isinstance(node, nodes.row):
            cells = [" ".join(_inline(cell).split()) for cell in node.children]
            write.row("\t".join(cells).strip("\t"))
        elif isinstance(node, nodes.line):
            write.row(" ".join(_inline(node).split()))
        elif isinstance(node, nodes.option_group):
            write.row(", ".join(_inline(option) for option in node.children))
        elif isinstance(node, nodes.TextElement):
            write.prose(_inline(node))
        else:
            self.read(node, level)

    def _unknown(self, message: nodes.system_message, level: int) -> None:
        told = _UNKNOWN.search(message.astext())
        block = next((c for c in message.children if isinstance(c, nodes.literal_block)), None)
        if not told or block is None or told[1] in _LISTS_OF_FILES or self._depth >= _DEEPEST:
            return
        lines = block.astext().splitlines()[1:]
        while lines and _OPTION.match(lines[0]):
            lines.pop(0)
        inside = dedent("\n".join(lines))
        if inside.strip():
            _Reader(self._writer, self._depth + 1).read(_parsed(inside), level)


def _metadata(node: nodes.Element, child: nodes.Node, number: int) -> bool:
    """Say whether these are the fields in front of a document, such as `:orphan:`."""
    first = isinstance(node, nodes.document) and isinstance(child, nodes.field_list)
    return first and all(isinstance(c, nodes.comment) for c in node.children[:number])


def _inline(node: nodes.Node) -> str:
    if isinstance(node, nodes.Text):
        return str(node)
    if isinstance(node, (*_SILENT, nodes.system_message)) or not isinstance(node, nodes.Element):
        return ""
    if isinstance(node, nodes.problematic):
        return _of_role(node.astext())
    joint = "" if isinstance(node, nodes.TextElement) else " "
    return joint.join(map(_inline, node.children))


def _of_role(source: str) -> str:
    """Return what a role that is not known would show, as far as that can be told."""
    match = _ROLE.match(source)
    if not match:
        return source
    shown = _TARGETED.match(match[1])
    return shown[1] if shown else match[1].removeprefix("~").removeprefix("!")

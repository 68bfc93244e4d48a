"""Markdown's headings and blocks, by markdown-it-py's own line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from curate.corpus.outline import Block, Heading, Parsed

# What markdown-it takes for a line end; str.splitlines() knows more.
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|$)")
# Boxes and tabs of MkDocs: their indented body is prose, which CommonMark takes for code.
_BOXES = ("!!!", "???", "===", "///")


class _Line(NamedTuple):
    text: str
    at: int


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
    parser.disable("inline")  # only blocks are wanted: a third of the time
    return parser


def extractor() -> str:
    """Return the parser's name and version."""
    return f"markdown-it-py {version('markdown-it-py')}"


def parse(text: str) -> Parsed:
    """Return the top-level headings of a Markdown document and its blocks.

    Headings inside quotations and list items open no section.
    """
    lines = [_Line(m.group().rstrip("\r\n"), m.start()) for m in _LINE.finditer(text)]
    headings: list[Heading] = []
    blocks = list(_read(lines, headings, top=True))
    blocks.sort(key=lambda block: block.start)
    return Parsed(tuple(headings), tuple(blocks))


def _read(lines: Sequence[_Line], headings: list[Heading], *, top: bool) -> Iterator[Block]:
    tokens = _parser().parse("\n".join(line.text for line in lines))
    for number, token in enumerate(tokens):
        if token.map is None:
            continue
        first, last = token.map
        match token.type:
            case "heading_open":
                inline = tokens[number + 1]
                start, end = _prose(inline, lines, first, last)
                if top and token.level == 0:
                    title = " ".join(inline.content.split())
                    headings.append(
                        Heading(title, int(token.tag[1]), lines[first].at, (start, end))
                    )
                else:
                    yield Block(start, end, "whole")
            case "tr_open":
                row = lines[first]
                bare = row.text.strip(" \t|")
                if bare:
                    start = row.at + row.text.index(bare)
                    yield Block(start, start + len(bare), "whole")
            case "inline" if tokens[number - 1].type == "paragraph_open":
                yield Block(*_prose(token, lines, first, last), "prose")
            case "fence":
                inside = _inside(token, lines, first + 1)
                yield from _nested(inside) if token.info.startswith("{") else _whole(inside)
            case "code_block":
                inside = _inside(token, lines, first)
                box = _line_above(lines, first).lstrip().startswith(_BOXES)
                yield from _nested(inside) if box else _whole(inside)
            case "html_block" if not token.content.lstrip().startswith("<!--"):
                yield from _whole(lines[first:last])


def _prose(inline: Token, lines: Sequence[_Line], first: int, last: int) -> tuple[int, int]:
    """Return the span of an inline token's text, without markers in front of its first line."""
    wanted = inline.content.split("\n", 1)[0].rstrip()
    line = lines[first]
    start = line.at + max(0, line.text.find(wanted))
    if "\n" not in inline.content:
        return start, start + len(wanted)
    final = lines[last - 1]
    tail = inline.content.rsplit("\n", 1)[1].strip()
    found = final.text.rfind(tail)
    return start, final.at + (found + len(tail) if found >= 0 else len(final.text.rstrip()))


def _inside(token: Token, lines: Sequence[_Line], first: int) -> list[_Line]:
    """Return the lines of a code token as its content has them, without containers' marks."""
    inside = []
    for number, content in enumerate(token.content.split("\n")[:-1], first):
        line = lines[number]
        found = line.text.rfind(content)
        inside.append(_Line(content, line.at + found) if found >= 0 else line)  # tabs: as it is
    return inside


def _nested(lines: Sequence[_Line]) -> Iterator[Block]:
    return _read(lines, [], top=False)


def _whole(lines: Sequence[_Line]) -> Iterator[Block]:
    for line in lines:
        if line.text.strip():
            yield Block(line.at, line.at + len(line.text), "whole")


def _line_above(lines: Sequence[_Line], number: int) -> str:
    return next((line.text for line in reversed(lines[:number]) if line.text.strip()), "")

"""Answer what a Markdown file holds: its ``headings``, its ``fences``, and where it is cut well: ``markdown_breaks``.

The block structure comes from a scanner of our own (commonmark.py): tree-sitter's Markdown grammar takes ten times as
long and does not follow the rules for containers and unclosed fences to the letter.
"""

from __future__ import annotations

import re

from indexer.comments import DESCRIPTION_LIMIT, clip, first_sentence
from indexer.commonmark import Blocks, Fence, Heading, scan
from indexer.languages import language_of
from indexer.model import Symbol, SymbolKind

__all__ = ["Fence", "about", "fences", "first_items", "headings", "is_markdown", "markdown_breaks", "plain"]

HEADING_LIMIT = 120  # characters of one heading
ABOUT_LINES = 40  # lines below a heading in which its first paragraph is looked for

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)")
_IMAGE = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?")
_LINK = re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_TAG = re.compile(r"<[^<>]+>|\{#[\w-]+\}")
_EMPHASIS = re.compile(r"(?<![\w\\])[*_]{1,3}(?=[^\s*_])|(?<=[^\s*_\\])[*_]{1,3}(?!\w)|`")
_NO_PROSE = re.compile(r"[|#>=\-*+:~]|\d+[.)]\s|```|\[[^\]]+\]:|<!--")
_WORD = re.compile(r"\w")
_ITEM = re.compile(r"(?:[-*+]|\d+[.)])[ \t]+")
_NUMBERED = re.compile(r" {0,3}(\d{1,9})[.)][ \t]+")  # CommonMark lets a list begin within a paragraph only with 1


def is_markdown(path: str) -> bool:
    """Say whether a path is that of a Markdown file."""
    language = language_of(path)
    return language is not None and language.headings


def fences(text: str) -> tuple[Fence, ...]:
    """Find the fenced code blocks by CommonMark's rules, in order; an unclosed one runs to the end of its container."""
    return tuple(scan(text).fences)


def headings(text: str) -> tuple[Symbol, ...]:
    """Give each heading as a symbol that ranges over its section, subsections included."""
    blocks = scan(text)
    lines = _lines(text)
    symbols: list[Symbol] = []
    for heading, end, parent in _sections(blocks, lines, _front_matter(text)):
        name = plain(heading.text)[:HEADING_LIMIT]
        qualified = f"{symbols[parent].qualified_name}.{name}" if parent >= 0 else name
        symbols.append(
            Symbol(
                name,
                qualified,
                SymbolKind.HEADING,
                heading.first_line,
                end,
                heading.first_line,
                signature=f"{'#' * heading.level} {name}",
                description=_about(lines, heading.last_line, end, blocks.fences),
                parent=symbols[parent].qualified_name if parent >= 0 else None,
                exported=True,
            )
        )
    return tuple(symbols)


def about(text: str) -> str:
    """Give the first sentence of a text's first paragraph; one that ends with a colon takes in a list's first item."""
    lines = _lines(text)
    return _about(lines, _front_matter(text), len(lines), scan(text).fences, past_headings=True)


def first_items(text: str) -> str:
    """Give a text with only the first item of each numbered list, without its number."""
    fenced: set[int] = set()
    for fence in scan(text).fences:
        fenced.update(range(fence.first_line - 1, fence.last_line))
    kept: list[str] = []
    item = 0  # of the list at hand
    for n, line in enumerate(text.split("\n")):
        number = _NUMBERED.match(line) if n not in fenced else None
        if number is not None and (item or int(number[1]) == 1):
            item += 1
            line = line[number.end() :]
        elif line.startswith("#") or (line.strip() and not line[0].isspace() and kept and not kept[-1].strip()):
            item = 0  # a heading or a paragraph of its own ends the list
        if item <= 1 or not line.strip():
            kept.append(line)
    return "\n".join(kept)


def markdown_breaks(text: str) -> tuple[tuple[int, ...], ...]:
    """Give the lines after which to cut: before a heading; after a blank line; none of them inside a fence."""
    blocks = scan(text)
    inside: set[int] = set()
    for fence in blocks.fences:
        inside.update(range(fence.first_line, fence.last_line))
    before = tuple(heading.first_line - 1 for heading in blocks.headings if heading.first_line > 1)
    lines = _lines(text)
    blank = (number for number, line in enumerate(lines, 1) if not line.strip() and number not in inside)
    closed = (fence.last_line for fence in blocks.fences if fence.closed)
    return before, tuple(sorted({*blank, *closed} - {len(lines)}))


def plain(text: str) -> str:
    """Give a line of Markdown without links, tags, emphasis and back-ticks."""
    text = _TAG.sub("", _LINK.sub(r"\1", _IMAGE.sub("", text)))
    return " ".join(_EMPHASIS.sub("", text).split())


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _front_matter(text: str) -> int:
    """Give the number of lines of the metadata that some sites put before the text."""
    matter = _FRONT_MATTER.match(text)
    return text.count("\n", 0, matter.end()) if matter else 0


def _sections(blocks: Blocks, lines: list[str], skipped: int) -> list[tuple[Heading, int, int]]:
    """Give each heading with the last line of its section and the index of the one it belongs to (-1 for none)."""
    found = [heading for heading in blocks.headings if heading.first_line > skipped]
    ends = [0] * len(found)
    parents: list[int] = []
    open_: list[int] = []
    for index, heading in enumerate(found):
        while open_ and found[open_[-1]].level >= heading.level:
            ends[open_.pop()] = heading.first_line - 1
        parents.append(open_[-1] if open_ else -1)
        open_.append(index)
    for index in open_:
        ends[index] = len(lines)
    sections = []
    for heading, end, parent in zip(found, ends, parents, strict=True):
        while end > heading.last_line and not lines[end - 1].strip():
            end -= 1
        sections.append((heading, end, parent))
    return sections


def _about(lines: list[str], after: int, end: int, fenced: list[Fence], *, past_headings: bool = False) -> str:
    """Give the first sentence of the first paragraph between two lines, before any further heading."""
    inside: set[int] = set()
    for fence in fenced:
        if after < fence.last_line and fence.first_line <= after + ABOUT_LINES:
            inside.update(range(fence.first_line, fence.last_line + 1))
    words: list[str] = []
    for number in range(after + 1, min(end, after + ABOUT_LINES) + 1):
        line = lines[number - 1].strip()
        if line.startswith("#") and not past_headings:
            break
        text = "" if number in inside or _NO_PROSE.match(line) else plain(line)
        if _WORD.search(text):
            words.append(text)
        elif words:
            leads_on = past_headings and words[-1].endswith(":")
            item = _ITEM.match(line) if leads_on else None
            words += [plain(line[item.end() :])] if item else []
            if item or line or not leads_on:
                break
    return clip(first_sentence(" ".join(words)), DESCRIPTION_LIMIT)

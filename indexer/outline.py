"""Outline a text that has no grammar, by its headings or its indentation: ``outline`` and ``description_of``.

The outline is a guess by the look of the lines, so summaries made of it are not ``exact``.
"""

from __future__ import annotations

import re
from itertools import pairwise

from indexer.comments import clip, description
from indexer.model import Symbol, SymbolKind

MAX_ENTRIES = 400  # entries of one outline; more of them are data and not a structure
MAX_LINES = 40_000  # lines that are looked at
ENTRY_LIMIT = 80  # characters of one entry
HEAD_LINES = 30  # lines in which a file says what it is

_WORD = re.compile(r"\w")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_SECTION = re.compile(
    r"\[{1,2}[^\[\]]+\]{1,2}\s*(?:[;#].*)?$|={1,6} \S.*|\\(?:part|chapter|section|subsection)\*?\{.*|\*+ \S.*"
)
_COMMENT = re.compile(r"\s*(?:#|//|;|--|%|/\*|\*|<!--|<\?xml|<!DOCTYPE)", re.IGNORECASE)
_CLOSING = re.compile(r"\s*[\])}]+[,;]?\s*$|\s*</[\w:-]+>\s*$")


def outline(text: str) -> tuple[Symbol, ...]:
    """Give the headings of a text, or else the lines that open an indented block, with the lines they range over."""
    lines = [line.rstrip() for line in text.split("\n", MAX_LINES)[:MAX_LINES]]
    while lines and not lines[-1]:
        lines.pop()
    return _symbols(_headings(lines) or _openers(lines), lines)


def description_of(text: str) -> str:
    """Give the first sentence of the comment at the top of a text, if it begins with one."""
    top: list[str] = []
    for line in text.split("\n", HEAD_LINES)[:HEAD_LINES]:
        if line.strip() and not _COMMENT.match(line):
            break
        top.append(line[: 4 * ENTRY_LIMIT])
    return description("\n".join(top)) if any(map(str.strip, top)) else ""


def _headings(lines: list[str]) -> list[tuple[int, int]]:
    """Find section lines and underlined titles: (row, level)."""
    found: list[tuple[int, int]] = []
    marks: list[str] = []
    for row, line in enumerate(lines):
        if _SECTION.match(line):
            found.append((row, len(line) - len(line.lstrip("[=*"))))
        elif row and (mark := _UNDERLINE.match(line)) and _is_title(lines[row - 1], line):
            if mark[1] not in marks:
                marks.append(mark[1])
            found.append((row - 1, marks.index(mark[1]) + 1))
    return found


def _is_title(title: str, underline: str) -> bool:
    return bool(title) and title[0] not in " \t" and bool(_WORD.search(title)) and len(underline) >= len(title) - 2


def _openers(lines: list[str]) -> list[tuple[int, int]]:
    """Find the lines that open a block: those of the least indented level that has two of them."""
    indents = [(len(line) - len(line.lstrip()), row) for row, line in enumerate(lines) if line and _is_entry(line)]
    openers = [upper for upper, lower in pairwise(indents) if lower[0] > upper[0]]
    for level in sorted({indent for indent, _ in openers}):
        found = [(row, 1) for indent, row in openers if indent == level]
        if len(found) > 1 or level == max(openers)[0]:
            return found
    return []


def _is_entry(line: str) -> bool:
    return bool(_WORD.search(line)) and not _COMMENT.match(line) and not _CLOSING.match(line)


def _symbols(found: list[tuple[int, int]], lines: list[str]) -> tuple[Symbol, ...]:
    symbols: list[Symbol] = []
    open_: list[tuple[int, str]] = []
    for index, (row, level) in enumerate(found[:MAX_ENTRIES]):
        end = next((other for other, depth in found[index + 1 :] if depth <= level), len(lines))
        while end > row + 1 and not lines[end - 1]:
            end -= 1
        name = clip(" ".join(lines[row].split()).rstrip(" {:[("), ENTRY_LIMIT)
        while open_ and open_[-1][0] >= level:
            open_.pop()
        parent = open_[-1][1] if open_ else None
        qualified = f"{parent}.{name}" if parent else name
        open_.append((level, qualified))
        symbols.append(
            Symbol(name, qualified, SymbolKind.HEADING, row + 1, end, row + 1, signature=name, parent=parent)
        )
    return tuple(symbols)

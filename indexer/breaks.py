"""Say after which lines a text is cut well, so that no reader is left in the middle of a definition: ``code_breaks``.

The text may be any window of a file: what begins before it or is cut off at its end is never taken for whole.
Markdown has its own rules (markdown.py).
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from indexer.source import source_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.parsed import Definition, Error, Piece


def code_breaks(path: str, text: str) -> tuple[tuple[int, ...], ...]:
    """Give the levels of good cuts, best first, each a sorted tuple of the numbers of lines after which to cut.

    Level 0 is after whole top-level definitions and the blank lines below them, level 1 the same for nested ones,
    level 2 after statements and blank lines. Where no grammar is at hand: level 0 before lines that are not indented
    and follow a blank line, level 1 after any blank line. The last line of the text is in none of them.
    """
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()  # what is followed by nothing but blank lines may go on beyond the window
    source = source_of(path, text)
    parsed, syntax = source.parsed, source.syntax
    if parsed is None or syntax is None:
        return _by_look(lines)
    from indexer.parse import statements
    from indexer.syntax import SlowParseError

    try:
        inside = statements(syntax)
    except SlowParseError:
        return _by_look(lines)
    outer, inner = _ends([each.found for each in source.nested], parsed.errors)
    level_0 = _with_blank_lines(outer, lines)
    level_1 = _with_blank_lines(inner, lines)
    level_2 = _statement_ends(inside, lines)
    levels = level_0, level_1 - level_0, level_2 - level_1 - level_0
    return tuple(tuple(sorted(level)) for level in levels)


def _ends(definitions: Sequence[Definition], errors: Sequence[Error]) -> tuple[list[int], list[int]]:
    """Give the last lines of the whole definitions that stand in no other one, and of those that do."""
    outer: list[int] = []
    inner: list[int] = []
    broken = {row for error in errors for row in range(error.row, error.end_row + 1)}
    covered = -1
    for found in sorted(definitions, key=lambda each: (each.row, -each.end_row)):
        is_outer = found.row > covered
        covered = max(covered, found.end_row)
        if broken.isdisjoint(range(found.row, found.end_row + 1)):
            (outer if is_outer else inner).append(found.end_row + 1)
    return outer, inner


def _with_blank_lines(ends: Iterable[int], lines: list[str]) -> set[int]:
    """Add the blank lines that follow each end; leave out what touches the end of the text."""
    found: set[int] = set()
    for end in ends:
        number = end
        while number < len(lines):
            found.add(number)
            if lines[number].strip():
                break
            number += 1
    return found


def _statement_ends(statements: Sequence[Piece], lines: list[str]) -> set[int]:
    """Give the last lines of statements, and blank lines that are in none or only in one that holds others."""
    found = {statement.end_row + 1 for statement in statements}
    inside: set[int] = set()
    for statement, following in zip_longest(statements, statements[1:]):
        if statement.end_row > statement.row and (following is None or following.start >= statement.end):
            inside.update(range(statement.row + 1, statement.end_row + 1))
    found.update(number for number, line in enumerate(lines, 1) if not line.strip())
    return {number for number in found - inside if number < len(lines)}


def _by_look(lines: list[str]) -> tuple[tuple[int, ...], ...]:
    blank = [number for number, line in enumerate(lines, 1) if not line.strip()]
    best = [number for number in blank if lines[number].strip() and not lines[number][0].isspace()]
    return tuple(best), tuple(number for number in blank if number not in set(best))

"""Part texts without a grammar into drafts: Markdown by its headings, others by blank lines: ``text_drafts``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.chunk_code import Draft
from indexer.chunk_lines import LONGEST, WINDOW, stripped, windows
from indexer.markdown import fences, headings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLOCK_LINES = 40  # lines up to which blocks between blank lines are one chunk


def markdown_drafts(text: str, lines: Sequence[str]) -> list[Draft]:
    """Give a draft for each heading with what stands below it up to the next one; code blocks stay whole."""
    found = headings(text)
    inside: set[int] = set()
    if len(lines) > LONGEST:
        for fence in fences(text):
            inside.update(range(fence.first_line, fence.last_line))
    drafts: list[Draft] = []
    path: list[tuple[str, int]] = []  # names of the headings above, and the last row of each section
    starts = [heading.start - 1 for heading in found]
    for first, last in _windows(lines, 0, (starts[0] if starts else len(lines)) - 1, inside):
        drafts.append(Draft(first, last, kind="section"))
    waiting = -1  # where headings began that have nothing below them but deeper ones
    for number, heading in enumerate(found):
        while path and path[-1][1] < heading.start:
            path.pop()
        path.append((heading.name, heading.end))
        start = waiting if waiting >= 0 else heading.start - 1
        end = (starts[number + 1] if number + 1 < len(found) else len(lines)) - 1
        waiting = start if end + 1 < heading.end and not any(map(str.strip, lines[heading.start : end + 1])) else -1
        if waiting < 0:
            drafts += _section(lines, start, end, inside, tuple(name for name, _ in path))
    return drafts


def text_drafts(lines: Sequence[str], kind: str = "section") -> list[Draft]:
    """Join the blocks between blank lines to drafts of up to ``BLOCK_LINES`` rows; longer blocks are cut."""
    drafts: list[Draft] = []
    for first, last in _blocks(lines):
        if drafts and last - drafts[-1].start < BLOCK_LINES:
            drafts[-1].end = last
        else:
            drafts += [Draft(*window, kind=kind) for window in _windows(lines, first, last)]
    return drafts


def line_drafts(lines: Sequence[str]) -> list[Draft]:
    """Cut lines every ``WINDOW`` rows, whatever stands there."""
    pieces = (stripped(lines, row, min(row + WINDOW, len(lines)) - 1) for row in range(0, len(lines), WINDOW))
    return [Draft(first, last) for first, last in pieces if first <= last]


def _section(lines: Sequence[str], start: int, end: int, inside: set[int], title: tuple[str, ...]) -> Iterator[Draft]:
    pieces = list(_windows(lines, start, end, inside))
    for number, (first, last) in enumerate(pieces, 1):
        yield Draft(first, last, part=number if len(pieces) > 1 else 0, kind="section", title=title)


def _windows(lines: Sequence[str], start: int, end: int, inside: set[int] | None = None) -> Iterator[tuple[int, int]]:
    start, end = stripped(lines, start, end)
    if start > end:
        return
    for window in windows(lines, start, end, inside or ()):
        first, last = stripped(lines, *window)
        if first <= last:
            yield first, last


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Give the first and last row of each stretch without blank lines."""
    start = -1
    for row, line in enumerate(lines):
        if not line.strip():
            if start >= 0:
                yield start, row - 1
            start = -1
        elif start < 0:
            start = row
    if start >= 0:
        yield start, len(lines) - 1

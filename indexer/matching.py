r"""Find the lines of a text that match a pattern, within a time: ``matching_lines``.

Lines are matched one by one, so nothing in a pattern sees its line's neighbours. Where what is known of the pattern
allows it, only candidates are looked at; which lines match does not depend on that. Files are not known here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from indexer.errors import IndexerError
from indexer.regexes import Pattern

WINDOW_CHARS = 1 << 18  # looked at in one go, so that time and cancellation are seen to often enough
LINE_SECONDS = 1.0  # CPU time for one line; a pattern that needs more will not end at all
_HELD_SECONDS = 0.005  # CPU time for a line without letting other threads run, which costs more than most lines do
_WINDOW_SECONDS = 0.1  # CPU time for all lines of a window together; most patterns need a tenth of it
_SPARSE_CHARS = 64  # characters for each literal above which looking for literals pays
_CHECK_LINES = 64  # lines between two looks at the clock


class SearchTimeoutError(IndexerError):
    """Report that a search took longer than it may."""

    category = "timeout"

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds

    def __str__(self) -> str:
        return f"the search took more than {self.seconds:g} s"


class Deadline:
    """Hold until when a search may take, and ask between its steps whether anybody waits for it.

    Args:
        seconds: from now on.
        check: called often; raises when the search is not wanted any more.
    """

    def __init__(self, seconds: float, check: Callable[[], None] = lambda: None) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds
        self._check = check

    def left(self) -> float:
        """Give the seconds that are left.

        Raises:
            SearchTimeoutError: there are none.
        """
        self._check()
        left = self._end - time.monotonic()
        if left <= 0:
            raise SearchTimeoutError(self.seconds)
        return left


def matching_lines(text: str, pattern: Pattern, deadline: Deadline) -> Iterator[int]:
    r"""Give the position of the first character of each line that matches, in order.

    Args:
        text: only ``\n`` ends a line, and no ``\r`` stands before one.
        pattern: what to look for.
        deadline: for all of it.

    Raises:
        SearchTimeoutError: it took too long, all in all or for one line.
    """
    if pattern.literals:
        folded = _lower(text) if pattern.fold else text
        hits = sum(folded.count(literal) for literal in pattern.literals)
        if pattern.plain or hits * _SPARSE_CHARS <= len(text):
            yield from _by_literals(text, folded, pattern, deadline)
            return
    expression = pattern.text
    for start, end in _windows(text):
        deadline.left()
        window = text[start:end]
        found = None if expression is None else _by_text(window, expression)
        if found is None:
            expression, found = None, _by_line(window, pattern, deadline)
        for at in found:
            yield start + at


def search_line(line: str, pattern: Pattern, deadline: Deadline) -> Any:
    """Match one line: a match object or None.

    Raises:
        SearchTimeoutError: the line took too long.
    """
    try:
        return pattern.line.search(line, timeout=_HELD_SECONDS, concurrent=False)
    except TimeoutError:
        pass
    try:
        return pattern.line.search(line, timeout=min(LINE_SECONDS, deadline.left()), concurrent=True)
    except TimeoutError:
        raise SearchTimeoutError(min(LINE_SECONDS, deadline.seconds)) from None


def _lower(text: str) -> str:
    """Lower all letters without moving any: one of them alone has a lower case of two characters."""
    return (text if text.isascii() else text.replace("\u0130", "i")).lower()


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """Cut a text into stretches of whole lines, without the last line break of each."""
    start, length = 0, len(text) - text.endswith("\n")
    while start <= length and text:
        end = length
        if length - start > WINDOW_CHARS:
            end = text.rfind("\n", start, start + WINDOW_CHARS)
            end = text.find("\n", start + WINDOW_CHARS, length) if end < 0 else end
            end = length if end < 0 else end
        yield start, end
        start = end + 1


def _by_literals(text: str, folded: str, pattern: Pattern, deadline: Deadline) -> Iterator[int]:
    for count, start in enumerate(_holding(text, folded, pattern.literals)):
        if count % _CHECK_LINES == 0:
            deadline.left()
        if not pattern.plain:
            end = text.find("\n", start)
            if not search_line(text[start:] if end < 0 else text[start:end], pattern, deadline):
                continue
        yield start


def _holding(text: str, folded: str, literals: Sequence[str]) -> list[int]:
    """Give where the lines begin in which one of the literals does."""
    starts: set[int] = set()
    for literal in literals:
        at = folded.find(literal)
        while at >= 0:
            starts.add(text.rfind("\n", 0, at) + 1)
            end = text.find("\n", at)
            at = folded.find(literal, end + 1) if end >= 0 else -1
    return sorted(starts)


def _by_text(window: str, expression: Any) -> list[int] | None:
    """Let the expression take line for line; None where that takes too long."""
    starts: list[int] = []
    end = 0
    try:
        for found in expression.finditer(window, timeout=_WINDOW_SECONDS, concurrent=False):
            if found.start() >= end and (end == 0 or window[end - 1] == "\n"):
                starts.append(window.rfind("\n", end, found.start()) + 1 or end)
            end = found.end()
    except TimeoutError:
        return None
    return starts


def _by_line(window: str, pattern: Pattern, deadline: Deadline) -> list[int]:
    starts: list[int] = []
    at = 0
    for count, line in enumerate(window.split("\n")):
        if count % _CHECK_LINES == 0:
            deadline.left()
        if search_line(line, pattern, deadline):
            starts.append(at)
        at += len(line) + 1
    return starts

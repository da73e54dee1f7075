"""Make syntax trees of texts, and look through them, in bounded time: ``tree_of`` and ``cursor``.

What is found in a tree, and what it means, is told in ``indexer.parse``.
"""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Query, QueryCursor, Tree

    from indexer.languages import Language

PARSE_SECONDS = 1.5  # of a processor for one text, and PARSE_PACE more for each byte
PARSE_PACE = 0.5e-6  # twice what ordinary source takes
CHUNK = 4096  # bytes that the parser gets at a time; between two of them it can be stopped
MAX_DEPTH = 5000  # of a tree, in which things are looked for
MAX_BROKEN = 10_000  # parts of one broken place; queries take seconds for more


class SlowParseError(Exception):
    """Report a text that its grammar takes out of all proportion long to read."""


def tree_of(language: Language, readable: bytes) -> Tree:
    """Parse bytes with the grammar of a language.

    Raises:
        SlowParseError: see there.
    """
    from tree_sitter import Parser

    clock = _Clock(len(readable))

    def read(at: int, _: object) -> bytes:
        # The parser has no other way to be stopped than that its text ends.
        return b"" if clock.has_run_out() else readable[at : at + CHUNK]

    tree = Parser(grammar(language.grammar)).parse(read)
    clock.check()
    root = tree.root_node
    if root.has_error and any(each.is_error and each.child_count > MAX_BROKEN for each in (root, *root.children)):
        raise SlowParseError
    return tree


def cursor(query: Query) -> QueryCursor:
    """Make what runs a query, within bounds."""
    from tree_sitter import QueryCursor

    bounded = QueryCursor(query)
    # Each step costs as much as it is deep: without a bound, deep trees take seconds. Nobody defines anything there.
    bounded.set_max_start_depth(MAX_DEPTH)
    return bounded


@cache
def grammar(name: str) -> Grammar:
    """Load a grammar, once in a process."""
    from tree_sitter_language_pack import get_language

    return get_language(name)  # type: ignore[arg-type]  # the pack lists its names as literals


class _Clock:
    """Stop a parser, by the time that this thread has had of a processor: a busy machine changes nothing."""

    def __init__(self, size: int) -> None:
        self._end = time.thread_time() + PARSE_SECONDS + PARSE_PACE * size
        self._has_run_out = False

    def has_run_out(self) -> bool:
        """Tell whether the parser must stop; once it must, it always must."""
        self._has_run_out = self._has_run_out or time.thread_time() > self._end
        return self._has_run_out

    def check(self) -> None:
        """Raise if the parser was stopped; its tree is no use then."""
        if self._has_run_out:
            raise SlowParseError

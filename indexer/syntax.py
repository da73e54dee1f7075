"""Make syntax trees of texts, and look through them, in bounded time: ``Syntax``, ``tree_of`` and ``cursor``.

``parameters`` takes a list of parameters apart. What else is found in a tree, and what it means, is told in
``indexer.parse``.
"""

from __future__ import annotations

import re
import threading
import time
from functools import cache, cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set

    from tree_sitter import Language as Grammar
    from tree_sitter import Node, Parser, Query, QueryCursor, Tree

    from indexer.languages import Language

PARSE_SECONDS = 1.5  # of a processor for one text, and PARSE_PACE more for each byte
PARSE_PACE = 0.5e-6  # twice what ordinary source takes
SMALL = 4096  # bytes that no grammar takes long for
CHUNK = 16_384  # bytes that the parser gets at a time; between two of them it can be stopped
READS = 256  # of one chunk, after which it is stopped as well
MAX_DEPTH = 5000  # of a tree, in which things are looked for
MAX_BROKEN = 10_000  # parts of one broken place; queries take seconds for more

_NOTHING = memoryview(b"")
_of_thread = threading.local()  # parsers by the names of their grammars
_WITHOUT_COMMAS = frozenset(("patterns",))  # nodes whose children are parameters, one beside the other
_BRACKETS_AND_COMMA = frozenset((b"(", b")", b",", b"|", b"[", b"]"))
_NO_PARAMETERS = frozenset((b"/", b"*", b"void"))  # marks between parameters, and C's word for none
_BARE_STARS = frozenset(("method_parameters", "block_parameters", "lambda_parameters"))  # Ruby's, where * takes some
_PLAIN_PARAMETERS = re.compile(  # no brackets inside and no strings but such without a comma, and no comments
    rb"\([\w\s:.*&?=,|]*"
    rb"(?:(?:\$\w|-\d|\[[\w\s:.*&|]*\]|<[\w\s:.*&|?]*>|\"[^\",\\\n]*\"|'[^',\\\n]*')[\w\s:.*&?=,|]*)*\)"
)
_PLAIN_PARAMETER = re.compile(rb"[^\s,]+(?:\s+[^\s,]+)*")

# Characters of four bytes. Grammars hand them to C functions such as isalpha(), which look them up in a table of the
# first 256 and may read memory that is not there: `{` and U+10FFFF end the process in the grammar of Bash.
_FAR_CHARACTER = re.compile(rb"[\xf0-\xf7][\x80-\xbf]{3}")


class SlowParseError(Exception):
    """Report a text that its grammar takes out of all proportion long to read, or breaks into MAX_BROKEN parts."""


class Syntax:
    """Hold the bytes of a text and the tree that their grammar makes of them, made when it is first asked for.

    Attributes:
        source: the bytes.
        readable: the same without what keeps the grammar from reading the rest; nothing has moved.
        attributes: places, left out there, of what belongs to the definition below them.
    """

    def __init__(self, language: Language, text: str) -> None:
        self.language = language
        self.source = text.encode("utf-8", "replace")  # a lone surrogate becomes "?", which moves no line
        self.readable: bytes = self.source
        self.attributes: list[tuple[int, int]] = []
        if language.readable is not None and language.reader is None:
            self.readable, self.attributes = language.readable(self.source)

    @cached_property
    def tree(self) -> Tree:
        """Give the tree.

        Raises:
            SlowParseError: the grammar takes too long, or reads next to nothing.
        """
        return tree_of(self.language, self.readable)


def tree_of(language: Language, readable: bytes) -> Tree:
    """Parse bytes with the grammar of a language; all places in the tree are those in the bytes.

    Raises:
        SlowParseError: the grammar takes too long, or reads next to nothing.
    """
    if not readable.isascii():
        readable = _FAR_CHARACTER.sub(b"xxxx", readable)
    parsers: dict[str, Parser] = _of_thread.__dict__
    parser = parsers.pop(language.grammar, None) or _new_parser(language.grammar)
    tree = _parsed(parser, readable.replace(b"\r", b"\n") if language.folds else readable)
    parsers[language.grammar] = parser  # one that was used has memory at hand; one that was stopped is no use
    if language.folds and b"\r" in readable:
        _fold(tree, readable)
    root = tree.root_node
    if root.has_error and any(each.is_error and each.child_count > MAX_BROKEN for each in (root, *root.children)):
        raise SlowParseError
    return tree


def _new_parser(name: str) -> Parser:
    from tree_sitter import Parser

    return Parser(grammar(name))


def _parsed(parser: Parser, readable: bytes) -> Tree:
    if len(readable) <= SMALL:
        return parser.parse(readable)
    text = _TimedText(readable)
    try:
        tree = parser.parse(text.read)
    except SystemError as error:
        raise _first_cause(error) from None
    text.check()
    return tree


def _first_cause(error: BaseException) -> BaseException:
    """Give what was raised while the parser read, as Ctrl-C is: it reads on, and each read wraps the error anew."""
    while isinstance(error, SystemError) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _fold(tree: Tree, readable: bytes) -> None:
    """Make one line again of those that carriage returns part: no byte moves, only the numbers of rows change."""
    row = start = 0
    breaks: list[tuple[int, tuple[int, int], tuple[int, int]]] = []
    for found in re.finditer(rb"[\r\n]", readable):
        at = found.start()
        if found[0] == b"\r":
            breaks.append((at, (row, at - start), (row, at - start + 1)))
        row, start = row + 1, at + 1
    for at, point, after in reversed(breaks):  # each leaves the rows above it as they were
        tree.edit(at, at + 1, at + 1, point, (point[0] + 1, 0), after)


def cursor(query: Query) -> QueryCursor:
    """Make what runs a query, within bounds."""
    from tree_sitter import QueryCursor

    bounded = QueryCursor(query)
    # Each step costs as much as it is deep: without a bound, deep trees take seconds. Nobody defines anything there.
    bounded.set_max_start_depth(MAX_DEPTH)
    return bounded


def parameters(holder: Node, source: bytes) -> list[tuple[int, int]]:
    """Give each parameter with its type and default, which some grammars make siblings: what commas part."""
    if not holder.child_count:
        return [(holder.start_byte, holder.end_byte)] if holder.is_named else []
    if holder.type in _WITHOUT_COMMAS:
        return [(part.start_byte, part.end_byte) for part in holder.named_children]
    marks: Set[bytes] = _NO_PARAMETERS if holder.type not in _BARE_STARS else frozenset()
    plain = _plain_parameters(holder, source, marks)
    if plain is not None:
        return plain
    found: list[tuple[int, int]] = []
    start, end = 0, -1
    for part in holder.children:
        mark = b"" if part.is_named else source[part.start_byte : part.end_byte]
        if mark in _BRACKETS_AND_COMMA:
            if mark == b"(":
                found, end = [], -1  # what stands before it are words such as ``internal constructor``
            if end >= 0:
                found.append((start, end))
            end = -1
        elif not part.is_extra:
            start, end = (part.start_byte if end < 0 else start), part.end_byte
    if end >= 0:
        found.append((start, end))
    return [(start, end) for start, end in found if source[start:end] not in marks]


def _plain_parameters(holder: Node, source: bytes, marks: Set[bytes]) -> list[tuple[int, int]] | None:
    """Give what commas part, if nothing stands there in which a comma could mean something else."""
    first, last = holder.start_byte, holder.end_byte
    if not _PLAIN_PARAMETERS.fullmatch(source, first, last):
        return None
    parts = [part.span() for part in _PLAIN_PARAMETER.finditer(source, first + 1, last - 1)]
    if len(parts) != holder.named_child_count or holder.has_error:
        return None  # a comma is inside of one: "a, b int"
    return [(start, end) for start, end in parts if source[start:end] not in marks]


def query(name: str, text: str) -> Query:
    """Compile a query for a grammar, which takes up to half a second."""
    from tree_sitter import Query

    return Query(grammar(name), text)


@cache
def grammar(name: str) -> Grammar:
    """Load a grammar, once in a process."""
    from tree_sitter_language_pack import get_language

    return get_language(name)  # type: ignore[arg-type]  # the pack lists its names as literals


class _TimedText:
    """Hand a text to a parser, for as long as this thread has had of a processor: a busy machine changes nothing.

    The parser has no other way to be stopped than that its text ends.
    """

    def __init__(self, readable: bytes) -> None:
        self._view = memoryview(readable)
        self._end = time.thread_time() + PARSE_SECONDS + PARSE_PACE * len(readable)
        self._has_run_out = False
        self._chunk = -1
        self._reads = 0

    def read(self, at: int, _: object) -> memoryview:
        """Give what stands at a byte; the time is looked at once a chunk, as some grammars go back for each word."""
        self._reads -= 1
        if at // CHUNK != self._chunk or self._reads < 0:
            self._chunk, self._reads = at // CHUNK, READS
            self._has_run_out = self._has_run_out or time.thread_time() > self._end
        return _NOTHING if self._has_run_out else self._view[at : at + CHUNK]

    def check(self) -> None:
        """Raise if the parser was stopped; its tree is no use then."""
        if self._has_run_out:
            raise SlowParseError

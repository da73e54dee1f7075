"""Hold one text and what is read of it, the tree and what is made of it once, when it is first asked for: ``Source``.

Whoever asks several things of one file makes one of these; ``source_of`` gives the last one again for the same text.
Wordings with descriptions and calls are made only for the names that somebody asks for.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from indexer.languages import language_of
from indexer.markdown import headings

if TYPE_CHECKING:
    from indexer.model import Symbol
    from indexer.nesting import Nested
    from indexer.parsed import Parsed
    from indexer.syntax import Syntax

HEAD = 30_000  # characters in which a file tells what language it is
KEPT = 600_000  # characters of a text whose tree may stay in memory until the next text
PARSE_LIMIT = 10_000_000  # characters; what is longer is generated data, and parsing it would take seconds
MAX_NESTED = 20_000  # brackets inside each other; the time that a grammar takes grows with the square
MAX_UNCLOSED = 10_000  # likewise brackets without an end, which take longer still
TOO_SLOW = "not parsed: it takes too long"
MINIFIED_SIZE = 20_000  # characters from which on a text may be minified
MINIFIED_LINE = 500  # characters of a line that nobody wrote by hand
MINIFIED_OTHERS = 50  # lines of ordinary length that a minified file may have: a licence, a wrapper
ORDINARY_DEPTH = 100  # brackets inside each other that an ordinary text may have
_OPEN = ord("(")
_ROUND = bytes.maketrans(b"[{]}", b"(())")
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")


class Source:
    """Hold the text of one file.

    Attributes:
        path: tells the language, as the beginning of the text may.
        language: None where no row of the table has it.
        syntax: what the grammar reads and makes of the text; None without grammar, and where it should not try.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.language = language_of(path, text[:HEAD])
        self.syntax: Syntax | None = None
        self._refusal = ""
        if self.language is None or not self.language.grammar:
            return
        code = self.language.code(text)
        self._refusal = why_not_parsed(code)
        if not self._refusal:
            from indexer.syntax import Syntax

            self.syntax = Syntax(self.language, code)

    @property
    def problem(self) -> str:
        """Say why the text of a known language is not parsed."""
        if self.language is None or not self.language.grammar:
            return ""
        return self._refusal or ("" if self.parsed is not None else TOO_SLOW)

    @cached_property
    def parsed(self) -> Parsed | None:
        """Give what the query of the language finds; None where nothing can be parsed."""
        if self.syntax is None:
            return None
        from indexer.parse import parse_syntax
        from indexer.syntax import SlowParseError

        try:
            return parse_syntax(self.syntax)
        except SlowParseError:
            return None

    @cached_property
    def nested(self) -> list[Nested]:
        """Give the definitions in their places."""
        if self.language is None or self.parsed is None:
            return []
        from indexer.nesting import nest

        return nest(self.parsed, self.language)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Give the symbols without calls and descriptions; for Markdown its headings; none where nothing is parsed."""
        if self.language is not None and self.language.headings:
            return headings(self.text)
        if self.language is None or self.parsed is None:
            return ()
        from indexer.symbols import symbols_from

        return symbols_from(self.parsed, self.nested, self.language)

    def described(self, name: str) -> tuple[Symbol, ...]:
        """Give the symbols of one name, with calls and descriptions."""
        if self.language is None or self.parsed is None:
            return tuple(symbol for symbol in self.symbols if symbol.name == name)
        if all(each.name != name for each in self.nested):
            return ()
        from indexer.describe import Describer
        from indexer.symbols import symbols_from

        return symbols_from(self.parsed, self.nested, self.language, Describer(self.parsed), name)


def source_of(path: str, text: str) -> Source:
    """Give the source of a text: the last one, if that had the same path and text."""
    return _last(path, text) if len(text) <= KEPT else Source(path, text)


_last = lru_cache(maxsize=1)(Source)


def why_not_parsed(text: str) -> str:
    """Say why a text of a known language is better not parsed; empty where it should be."""
    size = len(text)
    if size > PARSE_LIMIT:
        return f"not parsed: {size:,} characters"
    if size > MAX_UNCLOSED and (deep := _too_deep(text)):
        return deep
    if size < MINIFIED_SIZE or size < MINIFIED_LINE * (text.count("\n") + 1) // 4:
        return ""
    lines = text.split("\n")
    long = [len(line) for line in lines if len(line) > MINIFIED_LINE]
    if 10 * sum(long) > 9 * size and len(lines) - len(long) < MINIFIED_OTHERS:
        longest = max(lines, key=len)
        if 4 * sum(map(str.isalnum, longest[:MINIFIED_SIZE])) > min(len(longest), MINIFIED_SIZE):
            return f"not parsed: minified, a line of {len(longest):,} characters"
    return ""


def _too_deep(text: str) -> str:
    """Tell of brackets that would take a grammar seconds, whatever they stand for."""
    brackets = left = text.encode("utf-8", "replace").translate(_ROUND, _NO_BRACKETS)
    for _ in range(ORDINARY_DEPTH):  # to take out what is closed at once, layer by layer, is far faster than to count
        if len(left) <= MAX_UNCLOSED:
            return ""
        left = left.replace(b"()", b"")
    depths = list(accumulate((1 if bracket == _OPEN else -1 for bracket in brackets), _deeper, initial=0))
    if max(depths) > MAX_NESTED:
        return f"not parsed: {max(depths):,} brackets inside each other"
    return f"not parsed: {depths[-1]:,} brackets are not closed" if depths[-1] > MAX_UNCLOSED else ""


def _deeper(depth: int, step: int) -> int:
    return max(0, depth + step)

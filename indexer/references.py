"""Find where a name is used in a file: ``references``.

With a grammar, names in comments and strings are no uses; without one, every whole word is taken and marked as a
guess. The last part of a module's name counts (``Conn`` in ``Plug.Conn``). Whether two equal names mean the same thing
is not looked into.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.source import Source, source_of

if TYPE_CHECKING:
    from indexer.parsed import Piece
    from indexer.syntax import Syntax


@dataclass(frozen=True, slots=True)
class Reference:
    """Hold one use of a name.

    Attributes:
        line: its 1-based line.
        column: 1-based character of that line at which the name begins.
        text: the line, without white space around it.
        exact: True where a grammar says that it is a name, False where it is only the same word.
    """

    line: int
    column: int
    text: str
    exact: bool = True


def references(path: str, text: str, name: str) -> tuple[Reference, ...]:
    """Give every place that uses ``name`` as an identifier, its definition included, in order."""
    return references_in(source_of(path, text), name)


def references_in(source: Source, name: str) -> tuple[Reference, ...]:
    """Give the same for a source, so that it is parsed once for this and what else is asked of it."""
    text = source.text
    if not name or name not in text:
        return ()
    syntax = source.syntax
    if syntax is None:
        return _words(text, name)
    from indexer.syntax import SlowParseError

    try:
        leaves = _leaves(syntax, name)
    except SlowParseError:
        return _words(text, name)
    code, word = syntax.source, name.encode("utf-8", "replace")
    lines = text.split("\n")
    found = []
    for leaf in leaves:
        start = code.rfind(word, leaf.start, leaf.end)  # backticks may stand around it
        before = code[code.rfind(b"\n", 0, start) + 1 : start]
        column = len(before.decode("utf-8", "replace")) + 1
        found.append(Reference(leaf.row + 1, column, lines[leaf.row].strip()))
    return tuple(found)


def _leaves(syntax: Syntax, name: str) -> list[Piece]:
    """Find the identifiers that are the name, and modules' names of several parts that a grammar reads as one."""
    from indexer.parse import leaves_named

    leaves = {leaf.end: leaf for leaf in leaves_named(syntax, name)}
    word = re.escape(name.encode("utf-8", "replace"))
    # with dots all parts have capitals, as what a shell takes for one word may be a file's name
    dotted = re.compile(rb"(?<![\w$.\x80-\xff])(?:(?:[A-Z]\w*\.)+(?=[A-Z])|(?:\w+::)+|`)" + word + rb"(?![\w$])`?")
    spelled = {hit[0] for hit in dotted.finditer(syntax.source) if hit.end() not in leaves}
    for whole in spelled:
        leaves |= {leaf.end: leaf for leaf in leaves_named(syntax, whole.decode("utf-8", "replace"))}
    return [leaves[end] for end in sorted(leaves)]


def _words(text: str, name: str) -> tuple[Reference, ...]:
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if name in line:
            found += [Reference(number, hit.start() + 1, line.strip(), exact=False) for hit in word.finditer(line)]
    return tuple(found)

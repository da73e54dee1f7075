"""Find where a name is used in a file: ``references``.

With a grammar, names in comments and strings are no uses; without one, every whole word is taken and marked as a
guess. Whether two equal names mean the same thing is not looked into.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from indexer.source import Source, source_of


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
    from indexer.parse import SlowParseError, leaves_named

    try:
        leaves = leaves_named(syntax, name)
    except SlowParseError:
        return _words(text, name)
    code = syntax.source
    lines = text.split("\n")
    found = []
    for leaf in leaves:
        before = code[code.rfind(b"\n", 0, leaf.start) + 1 : leaf.start]
        column = len(before.decode("utf-8", "replace")) + 1
        found.append(Reference(leaf.row + 1, column, lines[leaf.row].strip()))
    return tuple(found)


def _words(text: str, name: str) -> tuple[Reference, ...]:
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if name in line:
            found += [Reference(number, hit.start() + 1, line.strip(), exact=False) for hit in word.finditer(line)]
    return tuple(found)

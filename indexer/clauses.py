"""Join the clauses of functions that are defined by cases, one after another: ``join_clauses``.

The first clause gives the name, the parameters and the description; the range and the body reach to the last one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.parsed import Piece

if TYPE_CHECKING:
    from indexer.parsed import Definition, Parsed


def join_clauses(parsed: Parsed) -> None:
    """Make one of definitions that follow each other and have one kind, name and number of parameters."""
    kept: list[Definition] = []
    before: list[Definition] = []  # at each depth, the last definition that may go on
    for found in parsed.definitions:
        while before and before[-1].span.end <= found.span.start and not _goes_on(parsed, before[-1], found):
            before.pop()
        if before and before[-1].span.end <= found.span.start:
            _join(before[-1], found)
        else:
            before.append(found)
            kept.append(found)
    parsed.definitions = kept


def _goes_on(parsed: Parsed, first: Definition, found: Definition) -> bool:
    return (
        first.kind == found.kind
        and len(first.params) == len(found.params)
        and _name(parsed, first) == _name(parsed, found)
        and first.owner == found.owner
    )


def _join(first: Definition, found: Definition) -> None:
    first.span = _reaching(first.span, found.span)
    if found.body is not None:
        first.body = _reaching(first.body, found.body) if first.body is not None else found.body


def _reaching(one: Piece, other: Piece) -> Piece:
    return Piece(one.start, other.end, one.row, other.end_row)


def _name(parsed: Parsed, found: Definition) -> bytes:
    return parsed.source[found.name.start : found.name.end]

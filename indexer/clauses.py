"""Join the clauses of functions that are defined by cases, one after another: ``join_clauses``.

The first clause gives the name, the parameters and the description, and may be a mere signature; the range and the
body reach to the last one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.parsed import Definition, Parsed


def join_clauses(parsed: Parsed) -> None:
    """Make one of definitions that follow each other and have one kind, name and number of parameters."""
    scopes = sorted(scope.start for scope in parsed.scopes)
    kept: list[Definition] = []
    before: list[Definition] = []  # at each depth, the last definition that may go on
    for found in parsed.definitions:
        while before and before[-1].end <= found.start:
            first, around = before[-1], before[-2] if len(before) > 1 else None
            is_inside = around is None or around.end > found.start
            in_scope = bisect_left(scopes, first.end) == bisect_right(scopes, found.start)
            if is_inside and in_scope and _goes_on(parsed, first, found):
                break
            before.pop()
        if before and before[-1].end <= found.start:
            _join(before[-1], found)
        else:
            before.append(found)
            kept.append(found)
    parsed.definitions = kept


def _goes_on(parsed: Parsed, first: Definition, found: Definition) -> bool:
    return (
        first.kind == found.kind
        and (len(first.params) == len(found.params) or (first.body is None and not first.params))
        and _name(parsed, first) == _name(parsed, found)
        and first.owner == found.owner
    )


def _join(first: Definition, found: Definition) -> None:
    if first.body is None:
        first.head_end = first.head_end or first.end
        if not first.params:
            first.params, first.params_at = found.params, found.params_at
    first.end, first.end_row = found.end, found.end_row
    if found.body is not None:
        first.body = (first.body[0], found.body[1]) if first.body is not None else found.body


def _name(parsed: Parsed, found: Definition) -> bytes:
    return parsed.source[found.name_start : found.name_end]

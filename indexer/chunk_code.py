"""Put every row of a parsed file into a chunk, by the definitions that it holds: ``code_drafts``.

A function is a chunk with the comments and decorators above it, and with a doc comment beyond one blank line; of a
class, what its members leave. What stands in no definition that is large enough to be told apart is module code. Fields
and texts are no matter of this module.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from indexer.chunk_lines import LONGEST, indentation, is_closing, stripped, windows
from indexer.comments import description
from indexer.describe import is_doc_block, top_comments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.nesting import Nested
    from indexer.parsed import Parsed, Piece

SMALL = 13  # rows from which on a type's members, or a function in a long one, are chunks of their own
SMALL_LEAF = 4  # rows from which on a constant is one
SHORT_MEMBER = 3  # rows from which on a member without a body is one
DOC_DISTANCE = 15  # rows between a definition and what describes it from outside
TINY = 25  # rows up to which neighbours that a mark parts are one chunk

_TYPES = frozenset(("class", "interface", "trait", "struct", "record", "enum", "object", "module"))
_LEAVES = frozenset(("constant", "variable", "type"))


@dataclass(slots=True)
class Draft:
    """Hold a chunk while it is made: 0-based rows, the definition it belongs to, what is defined in it.

    Attributes:
        title: names it where no definition does, with those of what it is in.
    """

    start: int
    end: int
    owner: Nested | None = None
    part: int = 0
    kind: str = "module"
    parent: str | None = None
    title: tuple[str, ...] = ()
    names: list[str] = field(default_factory=list)


def code_drafts(
    parsed: Parsed, nested: Sequence[Nested], lines: Sequence[str], marks: re.Pattern[str] | None
) -> list[Draft]:
    """Part a file into drafts, in order; each row that is not blank is in exactly one.

    Args:
        parsed: what was found in it.
        nested: its definitions.
        lines: its lines, as many as it has.
        marks: what begins a part of the file that is better not joined with the one before.
    """
    rows = _Rows(parsed, lines)
    claims = _claims(nested, rows)
    owners: list[int] = [-1] * len(lines)
    for index, (start, end, _) in enumerate(claims):
        owners[start : end + 1] = [index] * (min(end + 1, len(lines)) - start)
    breaks = [row for row, line in enumerate(lines) if marks.match(line)] if marks else []
    drafts: list[Draft] = []
    for index, start, end in _runs(owners, lines):
        if index < 0:
            drafts += _module_code(start, end, breaks, rows)
        else:
            drafts += _owned(start, end, claims[index][2], rows)
    _number(drafts)
    return drafts


class _Rows:
    """Know of a file's rows what is needed to cut them."""

    def __init__(self, parsed: Parsed, lines: Sequence[str]) -> None:
        self.lines = lines
        self.parsed = parsed
        self.comments = {each.end_row: each for each in parsed.comments}

    def lead(self, found: Nested, floor: int) -> int:
        """Give the first row of the comments right above a definition, below row ``floor``."""
        row = found.found.row
        doc = self.parsed.docs_of.get(found.found.start)
        if doc is not None and floor < doc.row < row <= doc.end_row + DOC_DISTANCE:
            row = doc.row
        return self._touching(row, floor)

    def _touching(self, row: int, floor: int) -> int:
        """Give the first row of the comments that stand right above ``row``."""
        while (above := self.comments.get(row - 1)) is not None and above.row > floor and self._begins_row(above):
            row = above.row
        return row

    def beyond_blank(self, row: int, floor: int) -> int:
        """Give the first row of the doc comment that one blank row parts from what begins at ``row``, else ``row``."""
        doc = self.comments.get(row - 2)
        if doc is None or doc.row <= floor or self.lines[row - 1].strip() or not self._begins_row(doc):
            return row
        if indentation(self.lines[doc.row]) > indentation(self.lines[row]):
            return row
        if not is_doc_block(self.parsed, doc, self.top) or not description(self.parsed.text(doc.start, doc.end)):
            return row
        return self._touching(doc.row, floor)

    @cached_property
    def top(self) -> set[Piece]:
        """Give the comments that nothing precedes."""
        return set(top_comments(self.parsed))

    @cached_property
    def unbroken(self) -> set[int]:
        """Give the rows before which a comment or docstring would be cut in two."""
        parsed = self.parsed
        rows: set[int] = set()
        for piece in (*parsed.comments, *parsed.docs, *parsed.file_docs, *parsed.docs_of.values()):
            if piece.end_row > piece.row:
                rows.update(range(piece.row + 1, piece.end_row + 1))
        return rows

    def _begins_row(self, comment: Piece) -> bool:
        source = self.parsed.source
        return not source[source.rfind(b"\n", 0, comment.start) + 1 : comment.start].strip()


def _claims(nested: Sequence[Nested], rows: _Rows) -> list[tuple[int, int, Nested]]:
    """Give the first and last row of each definition that is a chunk of its own, the outer before the inner."""
    claims: list[tuple[int, int, Nested]] = []
    children: defaultdict[Nested | None, list[Nested]] = defaultdict(list)
    for each in nested:
        children[each.container].append(each)
    waiting: list[tuple[list[Nested], int, bool]] = [(children[None], -1, False)]
    while waiting:
        level, floor, in_function = waiting.pop()
        for each in level:
            found = each.found
            start = rows.lead(each, floor)
            if start <= floor or not _is_own(each, found.end_row - start + 1, in_function=in_function):
                continue
            if start == found.row:
                start = rows.beyond_blank(start, floor)
            end = min(found.end_row, len(rows.lines) - 1)
            claims.append((start, end, each))
            if _is_parted(each, end - found.row + 1):
                inside = max(found.row, found.name_row)
                waiting.append((_children(children, each, inside), inside, each.kind not in _TYPES))
            floor = max(floor, end)
    return sorted(claims, key=lambda claim: (claim[0], -claim[1]))


def _children(children: Mapping[Nested | None, list[Nested]], each: Nested, first: int) -> list[Nested]:
    """Give what stands directly in a definition; what begins on its own first rows gives way to what is in that."""
    found: list[Nested] = []
    for child in sorted(children.get(each, ()), key=lambda child: child.found.start):
        found += [child] if child.found.row > first else children.get(child, ())
    return found


def _is_own(each: Nested, rows: int, *, in_function: bool) -> bool:
    if in_function:
        return rows >= SMALL and each.kind not in _LEAVES
    if each.kind in _LEAVES:
        at_top = each.container is None or each.container.kind == "module"
        return rows >= SMALL_LEAF and (at_top or bool(each.inner))
    return each.kind in _TYPES or each.found.body is not None or rows >= SHORT_MEMBER


def _is_parted(each: Nested, rows: int) -> bool:
    """Say whether what stands in a definition may be a chunk of its own."""
    if not each.inner:
        return False
    return rows >= SMALL if each.kind in _TYPES or each.kind in _LEAVES else rows > LONGEST


def _runs(owners: Sequence[int], lines: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Give the owner, first and last row of each stretch of one owner, without blank rows at its ends."""
    start = 0
    for index, group in groupby(owners):
        end = start + len(list(group))
        first, last = stripped(lines, start, end - 1)
        if first <= last:
            yield index, first, last
        start = end


def _module_code(start: int, end: int, breaks: Sequence[int], rows: _Rows) -> Iterator[Draft]:
    """Part module code at its marks, as long as the parts do not become tiny, and where it is too long."""
    inner = breaks[bisect_right(breaks, start) : bisect_right(breaks, end)]
    pieces: list[tuple[int, int]] = []
    begun = start
    for following in (*inner, end + 1):
        first, last = stripped(rows.lines, begun, following - 1)
        begun = following
        if first > last:
            continue
        if pieces and inner and last - pieces[-1][0] < TINY:
            pieces[-1] = (pieces[-1][0], last)
        else:
            pieces.append((first, last))
    for first, last in pieces:
        yield from (Draft(*window) for window in _cut(first, last, rows))


def _owned(start: int, end: int, owner: Nested, rows: _Rows) -> Iterator[Draft]:
    if owner.found.row < start and is_closing(rows.lines, start, end):
        yield Draft(start, end)  # of nobody: it must not be found by the name of what it closes
        return
    for first, last in _cut(start, end, rows):
        yield Draft(first, last, owner, kind=owner.kind, parent=owner.parent)


def _cut(start: int, end: int, rows: _Rows) -> Iterator[tuple[int, int]]:
    if end - start < LONGEST:
        yield start, end
        return
    for first, last in windows(rows.lines, start, end, rows.unbroken):
        inner = stripped(rows.lines, first, last)
        if inner[0] <= inner[1]:
            yield inner


def _number(drafts: Sequence[Draft]) -> None:
    """Number the drafts of each definition that has several."""
    counts = Counter(id(draft.owner) for draft in drafts if draft.owner is not None)
    numbers: Counter[int] = Counter()
    for draft in drafts:
        key = id(draft.owner)
        if counts[key] > 1:
            numbers[key] += 1
            draft.part = numbers[key]

"""Hold what a query found in one file, as plain values: ``Parsed``, and put it in order: ``settle``.

Byte offsets and 0-based rows are used here and by what reads a ``Parsed``; no syntax tree is kept.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple, TypeVar

MAX_GAP = 4000  # bytes of comments between a decorator and what it decorates

_SPACES = frozenset(b" \t\n\r\v\f")
_CODE = re.compile(rb"\S")
_start, _end = attrgetter("start"), attrgetter("end")
_new = tuple.__new__  # half the time of calling the class, for what is made most often


Range = tuple[int, int]  # bytes [start, end)


class Piece(NamedTuple):
    """Locate a stretch of source: bytes [start, end), 0-based rows in which both stand."""

    start: int
    end: int
    row: int
    end_row: int


@dataclass(eq=False)
class Definition:
    """Hold what the query says of one definition.

    What ``settle`` and rarer captures say is no argument, so that making one costs little.

    Attributes:
        kind: as captured; whether a function is a method shows in the nesting.
        name_start, name_end: bytes [start, end) of its name.
        start, end: bytes [start, end) of all of it, wrapping statement and decorators included.
        row, name_row, end_row: 0-based rows of its first byte, its name and its last byte.
        head: byte where its signature begins: after decorators.
        body: byte range of its body, if it has one.
        head_end: byte where its signature ends, if that is not where the body begins.
        params_at: byte range of its list of parameters, if it has one.
        params: byte ranges of the parameters.
        owner: text of the type or object that it is attached to.
        receiver: the same as it should be shown.
        is_member: it may be a mere callback.
        is_forward: it is only declared here.
        is_quiet: what its own body calls is not told.
        is_listed: it is a constant of a type or module, however it is indented.
        is_shown: other files can use it without a word that says so.
    """

    kind: str
    name_start: int
    name_end: int
    start: int
    end: int
    row: int = field(default=0, init=False)
    name_row: int = field(default=0, init=False)
    end_row: int = field(default=0, init=False)
    head: int = field(default=0, init=False)
    body: Range | None = field(default=None, init=False)
    head_end: int | None = field(default=None, init=False)
    params_at: Range | None = field(default=None, init=False)
    params: Sequence[Range] = field(default=(), init=False)
    owner: str | None = field(default=None, init=False)
    receiver: str | None = field(default=None, init=False)
    is_member: bool = field(default=False, init=False)
    is_forward: bool = field(default=False, init=False)
    is_quiet: bool = field(default=False, init=False)
    is_listed: bool = field(default=False, init=False)
    is_shown: bool = field(default=False, init=False)


class Scope(NamedTuple):
    """Hold a range that lends its name to definitions inside; ``is_part``: only where it lies in another scope."""

    start: int
    end: int
    name: Range | None
    owner: str | None
    is_part: bool


_Item = TypeVar("_Item", bound=Definition | Scope)


class Export(NamedTuple):
    """Hold one exported name: as the file calls it, as others call it, where it comes from, where it is said."""

    local: str
    name: str
    source: str
    at: Range


class Error(NamedTuple):
    """Hold rows that the grammar could not read; ``missing`` is the token that would mend it, if one would."""

    row: int
    end_row: int
    missing: str


@dataclass
class Parsed:
    """Hold all that the query found in one file, each list in order of its source.

    Attributes:
        has_export_list: the file lists what it exports, so that nothing else is exported.
        calls: for each call (end, start) of what is called, in order of the end: of ``a(b).c(d)`` the ``a`` is first.
        docs: strings and comments that open the body of what they describe.
        docs_of: others, by the byte at which what they describe begins.
        file_docs: those that describe the file.
        sections: (start, end, whether other files cannot use what is there) of each part after a word for that.
        hidden: (where it is said, name) of what other files cannot use.
    """

    source: bytes
    definitions: list[Definition] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    exports: list[Export] = field(default_factory=list)
    has_export_list: bool = False
    comments: list[Piece] = field(default_factory=list)
    imports: list[Range] = field(default_factory=list)
    calls: list[Range] = field(default_factory=list)
    docs: list[Piece] = field(default_factory=list)
    docs_of: dict[int, Piece] = field(default_factory=dict)
    file_docs: list[Piece] = field(default_factory=list)
    errors: list[Error] = field(default_factory=list)
    sections: list[tuple[int, int, bool]] = field(default_factory=list)
    hidden: set[tuple[int, str]] = field(default_factory=set)

    def pieces(self, ranges: Iterable[Range]) -> Iterator[Piece]:
        """Locate ranges that are in order of where they begin."""
        count, at, row = self.source.count, 0, 0
        for start, end in ranges:
            row += count(b"\n", at, start)
            at = start
            yield _new(Piece, (start, end, row, row + count(b"\n", start, end)))

    def text(self, start: int, end: int) -> str:
        """Decode the bytes [start, end)."""
        return self.source[start:end].decode("utf-8", "replace")

    def comments_between(self, start: int, end: int) -> list[Piece]:
        """Give the comments that begin in the bytes [start, end)."""
        first = bisect_left(self.comments, start, key=_start)
        return self.comments[first : bisect_left(self.comments, end, lo=first, key=_start)]


def settle(
    parsed: Parsed,
    wraps: Mapping[Range, Range],
    decorators: Sequence[Range] = (),
    modifiers: Sequence[Range] = (),
) -> None:
    """Give the definitions their final ranges: wrapping statements and decorators in, trailing comments out.

    Args:
        parsed: what was found; its comments are sorted already.
        wraps: for the range of what is wrapped, that of what wraps it.
        decorators: in order of the source.
        modifiers: words before definitions that are part of their signatures, in order of the source.
    """
    definitions = parsed.definitions
    for found in definitions:
        while (wrapping := wraps.get((found.start, found.end))) is not None:
            found.start, found.end = wrapping
        found.head = found.start
    _cut_ends(parsed)
    if decorators or modifiers:
        _add_decorators(parsed, sorted((*decorators, *modifiers)), {modifier[0] for modifier in modifiers})
    definitions = parsed.definitions = in_order(definitions)
    count, at, row = parsed.source.count, 0, 0
    for found in definitions:
        start = found.start
        row += count(b"\n", at, start)
        at = start
        found.row = row
        found.name_row = row + count(b"\n", start, found.name_start)
        found.end_row = row + count(b"\n", start, found.end)


def in_order(items: Iterable[_Item]) -> list[_Item]:
    """Sort what has a range by where it begins, the outer before the inner."""
    return sorted(sorted(items, key=_end, reverse=True), key=_start)  # takes less time than one sort by pairs


def outside(ranges: Iterable[Range]) -> Callable[[int], bool]:
    """Give what says whether a byte stands in none of some ranges, which may stand in one another."""
    starts: list[int] = []
    before = [-1]  # at each place among the starts, where the range before it ends
    for start, end in sorted(ranges, key=lambda each: (each[0], -each[1])):
        if start >= before[-1]:
            starts.append(start)
            before.append(end)
    return lambda at: at >= before[bisect_right(starts, at)]


def _cut_ends(parsed: Parsed) -> None:
    """Let definitions end with their last token, where grammars take in line breaks and the comments below."""
    source = parsed.source
    starts = {comment.end: comment.start for comment in parsed.comments}
    for found in parsed.definitions:
        start, end = found.start, found.end
        while end > start and (source[end - 1] in _SPACES or starts.get(end, -1) > start):
            end = len(source[start : starts.get(end, end)].rstrip()) + start
        found.end = end


def _add_decorators(parsed: Parsed, decorators: Sequence[Range], modifiers: Set[int]) -> None:
    """Let definitions begin at the decorators before them, and their signatures after those that are no modifiers."""
    source, comments = parsed.source, {comment.start: comment.end for comment in parsed.comments}
    ends = [end for _, end in decorators]
    after = {start: end for start, end in decorators if start not in modifiers}
    for found in parsed.definitions:
        start = found.start
        first = bisect_right(ends, start)
        while (
            first and start - ends[first - 1] < MAX_GAP and _skip_comments(source, comments, ends[first - 1]) == start
        ):
            first -= 1
            start = decorators[first][0]
        found.start = found.head = start
        while (behind := after.get(found.head)) is not None and behind < found.name_start:
            found.head = _skip_comments(source, comments, behind)


def _skip_comments(source: bytes, comments: Mapping[int, int], at: int) -> int:
    """Give the byte at which, from ``at`` on, something stands that is neither white space nor comment."""
    while True:
        code = _CODE.search(source, at)
        at = code.start() if code else len(source)
        end = comments.get(at)
        if end is None or end <= at:
            return at
        at = end

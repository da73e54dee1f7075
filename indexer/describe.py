"""Say in one line what a definition or a file is for: ``Describer``.

In this order: the string or doc comment that the grammar ties to it, the comment that touches it from above or
documents it beyond a blank line (``is_doc_block``), the first lines of its body. How a comment is read is the matter of
comments.py.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

from indexer.comments import clip, description

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from indexer.nesting import Nested
    from indexer.parsed import Definition, Parsed, Piece

BODY_LINES = 3  # lines of a body that stand for a missing description
BODY_LINE_LIMIT = 60  # characters of one of them
COMMENT_LINES = 400  # lines of one comment that are looked at, from its first
_start = attrgetter("start")
_CODE = re.compile(r"\w")
_DOC_BLOCK = re.compile(rb"/\*\*(?![*/<])")  # more stars frame the headline of a section
_REST_OF_LINE = re.compile(rb"[ \t\r]*(?:\n|$)")
_BRACES = frozenset((b"", b"{", b"}"))  # lines that say nothing, as most first ones
_FRAME = frozenset(("do", "begin", "end"))  # words around a body where others write braces


class Describer:
    """Find descriptions in one file; built once for it."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.docs = {doc.start: doc for doc in parsed.docs}
        self.own_line = {comment.end_row: comment for comment in parsed.comments if not self._before(comment.start)}
        self.first_rows = {comment.row: comment for comment in self.own_line.values()}
        self.top = top_comments(parsed)

    def describe(self, nested: Nested) -> tuple[str, bool]:
        """Give the description, and whether somebody wrote it as one; else it is the first lines of the body."""
        found = nested.found
        doc = self.docs.get(found.body[0]) if found.body else None
        doc = doc or self.parsed.docs_of.get(found.head)
        text = description(self.parsed.text(doc.start, doc.end), may_be_licence=False) if doc else ""
        text = text or self._above(found)
        if text:
            return text, True
        return self._body(nested), False

    def describe_file(self, first: Nested | None) -> str:
        """Give what the file says of itself at its top; a comment that touches the first definition is that one's."""
        for doc in self.parsed.file_docs:
            text = description(self.parsed.text(doc.start, doc.end))
            if text:
                return text
        for unit in self._units(self.top):
            touches = first is not None and unit[-1].end_row + 1 == first.found.row
            text = "" if touches else _of_file(self._raw(unit))
            if text:
                return text
        return ""

    def _above(self, found: Definition) -> str:
        """Read the comment that ends in the line before a definition, or between its decorators and its head."""
        row = found.row if found.head == found.start else self._row(found, found.head)
        places = ((row, found.head), (found.row, found.start)) if row != found.row else ((row, found.head),)
        own = self.own_line
        for row, start in places:
            if row - 1 not in own and row not in own and row - 2 not in own:
                continue
            for unit in reversed(list(self._units(self._touching(row, start)))):
                text = description(self._raw(unit))
                if text:
                    return text
        return ""

    def _touching(self, row: int, start: int) -> list[Piece]:
        """Give the comments, in order, that stand directly above a place and are not indented deeper than its row."""
        same = self._last_before(start) if row in self.own_line else None
        if same is not None and same.end_row == row and not self.parsed.source[same.end : start].strip():
            return [same]
        if self._before(start):
            return []
        indent = self._column(start)
        touching: list[Piece] = []
        at = row - 1
        above = self.own_line.get(row - 2)
        if above is not None and is_doc_block(self.parsed, above, self.top) and self._is_blank(above.end, start):
            at = row - 2
        while (comment := self.own_line.get(at)) is not None and self._column(comment.start) <= indent:
            touching.append(comment)
            at = comment.row - 1
            if len(touching) > COMMENT_LINES:
                break
        return touching[::-1]

    def _last_before(self, at: int) -> Piece | None:
        """Give the last comment before a byte, if it begins its line."""
        comments = self.parsed.comments
        number = bisect_left(comments, at, key=_start)
        comment = comments[number - 1] if number else None
        return comment if comment is not None and not self._before(comment.start) else None

    def _units(self, comments: list[Piece]) -> Iterator[list[Piece]]:
        """Split comments into units: a block comment is one, and so are line comments without a gap."""
        unit: list[Piece] = []
        for comment in comments:
            if unit and not self._continues(unit[-1], comment):
                yield unit
                unit = []
            unit.append(comment)
        if unit:
            yield unit

    def _continues(self, upper: Piece, lower: Piece) -> bool:
        source = self.parsed.source
        return (
            lower.row == upper.end_row + 1
            and upper.row == upper.end_row
            and lower.row == lower.end_row
            and self._mark(upper) == self._mark(lower)
            and self._mark(upper) not in (b"/*", b"{-")
            and source.startswith(b"//!", upper.start) == source.startswith(b"//!", lower.start)
        )

    def _mark(self, comment: Piece) -> bytes:
        """Give what a comment begins with, which is one character or two."""
        mark = self.parsed.source[comment.start : comment.start + 2]
        return mark[:1] if mark[:1] == b"#" else mark

    def _raw(self, unit: list[Piece]) -> str:
        return "\n".join(self.parsed.text(comment.start, comment.end) for comment in unit)

    def _body(self, nested: Nested) -> str:
        """Give the first lines of a body, without comments and without what definitions inside it show anyway."""
        if nested.found.body is None:
            return ""
        inner = {each.row: each for each in nested.inner}
        source, shown = self.parsed.source, list[str]()
        start, end = nested.found.body
        at, row = start, self._row(nested.found, start)
        while at < end and len(shown) < BODY_LINES:
            skipped = inner.get(row) or self.first_rows.get(row)
            if skipped is not None and skipped.end > at:
                row = max(skipped.end_row, row) + 1
                at = source.find(b"\n", max(skipped.end, at), end) + 1 or end
                continue
            past = source.find(b"\n", at, end) + 1 or end + 1
            whole = source[at : past - 1]
            for line in whole.split(b"\r") if b"\r" in whole else (whole,):
                if line in _BRACES:
                    continue
                text = " ".join(line[: 4 * BODY_LINE_LIMIT].decode("utf-8", "replace").split())
                if at == start or past > end:
                    text = _without_frame(text, is_first=at == start, is_last=past > end)
                if text[:1].isalnum() or _CODE.search(text):
                    shown.append(text if len(text) <= BODY_LINE_LIMIT else clip(text, BODY_LINE_LIMIT))
            at = past
            row += 1
        return " / ".join(shown[:BODY_LINES])

    def _row(self, found: Definition, at: int) -> int:
        """Give the row of a byte within a definition."""
        return found.row + self.parsed.source.count(b"\n", found.start, at)

    def _column(self, at: int) -> int:
        return at - self._line(at)

    def _before(self, at: int) -> bool:
        """Say whether anything but white space stands before a byte in its line."""
        return bool(self.parsed.source[self._line(at) : at].strip())

    def _line(self, at: int) -> int:
        """Give the byte at which a line begins, be it one of several lines of code that are one of the file."""
        source = self.parsed.source
        start = source.rfind(b"\n", 0, at) + 1
        return source.rfind(b"\r", start, at) + 1 or start

    def _is_blank(self, start: int, end: int) -> bool:
        return not self.parsed.source[start:end].strip()


def _without_frame(text: str, *, is_first: bool, is_last: bool) -> str:
    """Give a body's first or last line without the marks around a body."""
    if text.lower() in _FRAME:
        return ""
    if is_first and text.startswith("= "):
        text = text[2:]
    if is_first and text.startswith("{"):
        text = text[1:].strip()
        closed = text.removesuffix(";")
        if is_last and closed.endswith("}"):
            text = closed[:-1].strip()
    return text


def top_comments(parsed: Parsed) -> list[Piece]:
    """Give the comments that nothing but white space precedes in their file."""
    top: list[Piece] = []
    at = 0
    for comment in parsed.comments:
        if parsed.source[at : comment.start].strip():
            break
        top.append(comment)
        at = comment.end
    return top


def is_doc_block(parsed: Parsed, comment: Piece, top: Collection[Piece]) -> bool:
    """Say whether a comment documents what follows beyond a blank line; those on ``top`` may be the file's own."""
    begins, ends = _DOC_BLOCK.match(parsed.source, comment.start), _REST_OF_LINE.match(parsed.source, comment.end)
    return begins is not None and ends is not None and comment not in top


@lru_cache(maxsize=32)
def _of_file(raw: str) -> str:
    """Read a comment at the top of a file; most files of a project begin with the same licence."""
    return description(raw)

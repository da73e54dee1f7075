"""Say of each chunk of a parsed file what is signature, doc, comment and body: ``Fields`` and ``fields_of``.

Works on byte ranges in one sweep over the chunks and comments, both in order of the source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from indexer.comments import clip

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.chunk_code import Draft
    from indexer.parsed import Definition, Parsed

SIGNATURE_BYTES = 1500  # of a signature; what is longer is body
LINE_LIMIT = 160  # characters of a signature on one line

LINE_FEED = 10

_Range = tuple[int, int]
_NOWHERE = (0, 0)
_new = tuple.__new__  # half the time of calling the class


class Fields(NamedTuple):
    """Hold the texts of one chunk, in UTF-8, by where they stand; and its signature on one line."""

    signature: bytes
    doc: bytes
    comment: bytes
    body: bytes
    line: str


def fields_of(parsed: Parsed, source: bytes, drafts: Sequence[Draft]) -> Iterator[Fields]:
    """Give the fields of each draft.

    Args:
        parsed: what was found in the file.
        source: its bytes; what gives no terms may be blanked.
        drafts: its chunks, in order.
    """
    import numpy as np

    feeds = np.flatnonzero(np.frombuffer(source, np.uint8) == LINE_FEED)
    starts = [0, *(feeds + 1).tolist(), len(source) + 1]
    marks = _marks(parsed, source)
    known: dict[int, str] = {}
    following = 0
    for draft in drafts:
        start, end = starts[draft.start], starts[draft.end + 1] - 1
        head, stop = _head(draft, start, end)
        docs: list[bytes] = []
        comments: list[bytes] = []
        code: list[_Range] = []
        at = start
        while following < len(marks) and marks[following][0] < end:
            first, last, is_doc = marks[following]
            first, cut = max(first, at), min(last, end)
            if cut > first:
                code.append((at, first))
                leads = draft.owner is None or first < head
                (docs if is_doc or leads else comments).append(source[first:cut])
                at = cut
            if last > end:
                break  # it goes on in the next chunk
            following += 1
        code.append((at, end))
        signature: list[_Range] = []
        body: list[bytes] = []
        for first, last in code:
            if last <= head or first >= stop:
                body.append(source[first:last])
                continue
            signature.append((max(first, head), min(last, stop)))
            body += [source[first:head], source[stop:last]]
        line = ""
        if draft.owner is not None:
            if signature:
                known[id(draft.owner)] = _line(draft.owner.found, source, signature)
            line = known.get(id(draft.owner), "")
        yield _new(
            Fields,
            (
                b"\n".join([source[first:last] for first, last in signature]),
                b"\n".join(docs),
                b"\n".join(comments),
                b"\n".join(filter(None, body)),
                line,
            ),
        )


def _marks(parsed: Parsed, source: bytes) -> list[tuple[int, int, bool]]:
    """Give the start and end of comments and docs, and whether they are docs; with neighbours of one kind as one."""
    docs = {piece[:2] for piece in (*parsed.docs, *parsed.file_docs, *parsed.docs_of.values())}
    found = [(each.start, each.end, False) for each in parsed.comments if not docs or each[:2] not in docs]
    if docs:
        found = sorted([*found, *((start, end, True) for start, end in docs)])
    marks: list[tuple[int, int, bool]] = []
    for start, end, is_doc in found:
        if marks and marks[-1][2] == is_doc and not source[marks[-1][1] : start].strip():
            marks[-1] = (marks[-1][0], end, is_doc)
        else:
            marks.append((start, end, is_doc))
    return marks


def _head(draft: Draft, start: int, end: int) -> _Range:
    """Give where the signature of a chunk's definition stands, decorators included; nowhere where it is not there."""
    if draft.owner is None:
        return _NOWHERE
    found = draft.owner.found
    if not start <= found.start < end:
        return _NOWHERE
    stop = found.body[0] if found.body is not None and found.body[0] > found.name_start else found.end
    if found.head_end is not None and found.head_end > found.name_start:
        stop = min(stop, found.head_end)
    return found.start, min(stop, end, found.start + SIGNATURE_BYTES)


def _line(found: Definition, source: bytes, ranges: Sequence[_Range]) -> str:
    """Word a signature without decorators and comments."""
    if ranges[0][0] < found.head:
        ranges = [(max(start, found.head), end) for start, end in ranges if end > found.head]
    written = b" ".join(_slices(source, ranges))[: 8 * LINE_LIMIT]
    text = " ".join(written.decode("utf-8", "ignore").split())
    return clip(_without_end(text) if found.body else text.rstrip(" ;,"), LINE_LIMIT)


def _without_end(text: str) -> str:
    """Take off what stands between a signature and its body."""
    while True:
        rest = text.rstrip(" :{=;,")
        for mark in ("=>", " do"):
            rest = rest.removesuffix(mark)
        if rest == text:
            return text
        text = rest


def _slices(source: bytes, ranges: Sequence[_Range]) -> list[bytes]:
    return [source[start:end] for start, end in ranges]

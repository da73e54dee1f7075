"""Read parts of a file of any size: ``TextFile`` tells its facts and gives windows of its text.

A 50 MB file costs one pass in pieces and a few hundred kilobytes. All windows together are the whole text as
``indexer.text.read_text`` gives it: the encoding is decided by the whole file, once.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from indexer.charset import PIECE, survey
from indexer.errors import UnreadableFileError
from indexer.files import open_file, unreadable


@dataclass(frozen=True, slots=True)
class Window:
    """Hold a stretch of a file's text.

    Attributes:
        text: the characters, line breaks included.
        start_line: line in which the text begins.
        offset: number of characters of that line before the text.
        at_end: whether the text reaches the end of the file.
    """

    text: str
    start_line: int
    offset: int
    at_end: bool


class TextFile:
    """Keep one file open for reading windows of its text; use it in a ``with`` statement.

    Args:
        absolute: where the file is.
        path: its name in errors.
        roots: see ``indexer.files.open_file``.

    Raises:
        BinaryFileError, NotRegularFileError, UnreadableFileError, OutsideRootError.
    """

    def __init__(self, absolute: Path, path: str, *, roots: Sequence[Path] = ()) -> None:
        self.path = path
        self._file = open_file(absolute, path, roots=roots)
        try:
            self._survey = survey(self._pieces, path)
        except OSError as error:
            self._file.close()
            raise unreadable(path, error) from error
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> TextFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def total_lines(self) -> int:
        """Give the number of lines."""
        return self._survey.line_count

    @property
    def total_bytes(self) -> int:
        """Give the number of bytes on disk."""
        return self._survey.size

    @property
    def encoding(self) -> str:
        """Give the name of the encoding, without a byte order mark."""
        return self._survey.encoding

    @property
    def has_bom(self) -> bool:
        """Say whether the file begins with a byte order mark (which is no text)."""
        return self._survey.bom > 0

    @property
    def ends_with_newline(self) -> bool:
        """Say whether the last line ends with a line break."""
        return self._survey.ends_with_break

    def window(self, start_line: int, offset_chars: int, max_chars: int) -> Window:
        """Read at most ``max_chars`` characters from a position on.

        An offset beyond the line's end (its line break belongs to it) means the beginning of the next line; a
        line beyond the last one gives an empty window at the end.

        Raises:
            UnreadableFileError: the file was changed while it was open.
        """
        if start_line < 1 or offset_chars < 0 or max_chars < 0:
            raise ValueError(f"no position in a file: line {start_line}, offset {offset_chars}, {max_chars} characters")
        try:
            return _collect(self._texts_from(start_line), start_line, offset_chars, max_chars)
        except UnicodeDecodeError as error:
            raise UnreadableFileError(self.path, "it was changed while it was read") from error
        except OSError as error:
            raise unreadable(self.path, error) from error

    def _pieces(self, first: int = 0) -> Iterator[bytes]:
        self._file.seek(first * PIECE)
        while piece := self._file.read(PIECE):
            yield piece

    def _texts_from(self, line: int) -> Iterator[str]:
        """Decode from the beginning of a line on."""
        if self._survey.marks:
            return self._utf8_from(line)
        return _drop_lines(self._decode(self._pieces(), self._survey.bom), line - 1)

    def _utf8_from(self, line: int) -> Iterator[str]:
        """Start at the piece that holds the line break before the line: bytes can be counted without decoding."""
        marks = self._survey.marks
        breaks = line - 1
        first = max(0, _last_below(marks, breaks))
        pieces = self._pieces(first)
        piece = next(pieces, b"")
        at = self._survey.bom if first == 0 else 0
        for _ in range(breaks - marks[first]):
            at = piece.find(b"\n", at) + 1
            if at == 0:
                return
        yield from self._decode(_chain(piece, pieces), at)

    def _decode(self, pieces: Iterator[bytes], skip: int) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder(self._survey.encoding)("strict")
        for piece in pieces:
            yield decoder.decode(piece[skip:])
            skip = 0
        yield decoder.decode(b"", True)


def _collect(texts: Iterator[str], line: int, offset: int, limit: int) -> Window:
    """Skip characters up to the end of the first line, then take characters up to the limit."""
    left = offset
    taken: list[str] = []
    length = 0
    for text in texts:
        if left:
            end = text.find("\n", 0, left) + 1
            if end:  # the line ends before the offset
                line, offset, left, text = line + 1, 0, 0, text[end:]
            else:
                left, text = left - min(left, len(text)), text[left:]
        if text and not left:
            taken.append(text[: limit - length])
            length += len(taken[-1])
            if len(text) > len(taken[-1]):
                return Window("".join(taken), line, offset, at_end=False)
    return Window("".join(taken), line, offset - left, at_end=True)


def _drop_lines(texts: Iterator[str], lines: int) -> Iterator[str]:
    for text in texts:
        if lines == 0:
            yield text
            continue
        breaks = text.count("\n")
        if breaks < lines:
            lines -= breaks
            continue
        at = 0
        for _ in range(lines):
            at = text.find("\n", at) + 1
        lines = 0
        yield text[at:]


def _last_below(marks: Sequence[int], breaks: int) -> int:
    """Give the last piece with fewer line breaks before it than that."""
    from bisect import bisect_left

    return bisect_left(marks, breaks) - 1


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest

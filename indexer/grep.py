r"""Find the lines of many files that match a pattern: ``grep``.

The files themselves are read, each call anew, so the answer is never stale. All matches are counted; only as many
as were asked for are kept, each with the lines around it. Who asks, and how it is shown, is not known here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from indexer.errors import BinaryFileError, IndexerError
from indexer.files import MissingFileError, read_bytes
from indexer.matching import Deadline, matching_lines, search_line
from indexer.prefilter import MIN_FILES, may_hold, narrow
from indexer.regexes import Pattern
from indexer.text import decode
from indexer.tree import WalkedFile

LONG_LINE = 4096  # characters kept on each side of a match in a longer line
LEAD_CHARS = 4096  # kept before a match, to tell whether it stands inside something longer (a private key has 3,300)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Say which matches to keep.

    Attributes:
        matches: at most this many.
        chars: no more once the kept lines have this many characters together, where
        line_chars: count of one line at most.
        after_path: only those after this place in the order of paths (compared as texts), and
        after_line: of lines.
        context: lines before and after each match.
    """

    matches: int
    chars: int
    line_chars: int = 300
    after_path: str = ""
    after_line: int = 0
    context: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """Hold a line, or the part of a long one that is kept.

    Attributes:
        number: from 1.
        text: without the line break.
        offset: characters of the line before ``text``.
        more: whether the line goes on after ``text``.
    """

    number: int
    text: str
    offset: int = 0
    more: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """Hold a line that matches.

    Attributes:
        path: its file.
        line: its number.
        start: character of ``lines[place].text`` at which the first match begins, and
        end: before which it ends.
        place: which of ``lines`` it is.
        lines: the line with those around it.
        lead: text before the first of ``lines``, whole lines or none.
    """

    path: str
    line: int
    start: int
    end: int
    place: int
    lines: tuple[Line, ...]
    lead: str = field(repr=False, default="")


@dataclass(frozen=True, slots=True)
class Found:
    """Hold what a search found.

    Attributes:
        total: number of lines that match.
        counts: files with such lines and how many each has, by path.
        passed: how many come before those that were wanted.
        matches: those kept, in order of path and line.
        files: number of files looked at.
        binary: paths of files that hold no text, and
        unreadable: of those that could not be read.
    """

    total: int
    counts: tuple[tuple[str, int], ...]
    passed: int
    matches: tuple[Match, ...]
    files: int
    binary: tuple[str, ...]
    unreadable: tuple[str, ...]


def grep(
    root: Path,
    files: Sequence[WalkedFile],
    pattern: Pattern,
    wanted: Wanted,
    deadline: Deadline,
    *,
    rg: Path | None = None,
    roots: Sequence[Path] = (),
) -> Found:
    """Look for a pattern in files.

    Args:
        root: real path of the folder that the files' paths are relative to.
        files: sorted by path; a path may be absolute.
        pattern: what to look for.
        wanted: which matches to keep.
        deadline: for the whole search.
        rg: the program ripgrep, if it may be used for leaving out files; it does not change what is found.
        roots: real paths; what lies outside of them, or of ``root`` if there are none, is not read.

    Raises:
        SearchTimeoutError: it took too long.
    """
    search = _Search(root, roots or (root,), pattern, wanted, deadline)
    # A single file is asked for by name, so that what is wrong with it must come out.
    literals = pattern.ascii_literals if len(files) > 1 else ()
    chosen = None
    if rg is not None and literals and len(files) >= MIN_FILES:
        # Half of the time is left for doing without it.
        seconds = deadline.left() / 2
        chosen = narrow(root, [file.path for file in files], literals, fold=pattern.fold, rg=rg, seconds=seconds)
    for file in files:
        if chosen is None or file.path in chosen:
            search.read(file.path, () if chosen is not None else literals)
    return Found(
        sum(count for _, count in search.counts),
        tuple(search.counts),
        search.passed,
        tuple(search.matches),
        len(files) - search.missing - len(search.binary) - len(search.unreadable),
        tuple(search.binary),
        tuple(search.unreadable),
    )


class _Search:
    """Collect matches, file by file."""

    def __init__(self, root: Path, roots: Sequence[Path], pattern: Pattern, wanted: Wanted, deadline: Deadline) -> None:
        self._root = root
        self._roots = roots
        self._pattern = pattern
        self._wanted = wanted
        self._deadline = deadline
        self._chars = 0
        self.counts: list[tuple[str, int]] = []
        self.passed = 0
        self.matches: list[Match] = []
        self.missing = 0
        self.binary: list[str] = []
        self.unreadable: list[str] = []

    def read(self, path: str, literals: Sequence[str]) -> None:
        """Search one file; none of its text if its bytes lack all the literals."""
        self._deadline.left()
        try:
            data = read_bytes(self._root / path, path, roots=self._roots)
            if literals and not may_hold(data, literals, fold=self._pattern.fold):
                return
            text = decode(data, path).text
        except MissingFileError:
            self.missing += 1
            return
        except BinaryFileError:
            self.binary.append(path)
            return
        except IndexerError:
            self.unreadable.append(path)
            return
        del data
        count = self._take(path, text.replace("\r\n", "\n") if "\r" in text else text)
        if count:
            self.counts.append((path, count))

    def _take(self, path: str, text: str) -> int:
        """Count the matches, and keep those that are wanted."""
        wanted = self._wanted
        count, number, at = 0, 1, 0
        for start in matching_lines(text, self._pattern, self._deadline):
            count += 1
            if path < wanted.after_path:
                self.passed += 1
                continue
            full = len(self.matches) >= wanted.matches or self._chars >= wanted.chars
            if full and path != wanted.after_path:
                continue
            number += text.count("\n", at, start)
            at = start
            if path == wanted.after_path and number <= wanted.after_line:
                self.passed += 1
            elif not full:
                self._keep(path, text, number, start)
        return count

    def _keep(self, path: str, text: str, number: int, start: int) -> None:
        end = text.find("\n", start)
        line = text[start:] if end < 0 else text[start:end]
        found = search_line(line, self._pattern, self._deadline)
        before, first = _before(text, number, start, self._wanted.context)
        own = _line(number, line, found.start())
        lines = (*before, own, *_after(text, number, end, self._wanted.context))
        lead = _lead(text, first)
        begin = found.start() - own.offset
        stop = min(found.end() - own.offset, len(own.text))
        self.matches.append(Match(path, number, begin, stop, len(before), lines, lead))
        self._chars += sum(min(len(kept.text), self._wanted.line_chars) for kept in lines)


def _lead(text: str, end: int) -> str:
    """Give the whole lines before a position, if they are not too long."""
    if end <= LEAD_CHARS:
        return text[:end]
    cut = text.find("\n", end - LEAD_CHARS, end)
    return text[cut + 1 : end] if cut >= 0 else ""


def _line(number: int, line: str, match: int = 0) -> Line:
    """Keep a line, if it is long only around the match."""
    start = max(0, match - LONG_LINE)
    end = match + LONG_LINE
    return Line(number, line[start:end], start, more=end < len(line))


def _before(text: str, number: int, start: int, context: int) -> tuple[list[Line], int]:
    """Give the lines before a position, and where the first of them begins."""
    lines: list[Line] = []
    while start > 0 and len(lines) < context:
        end = start - 1
        start = text.rfind("\n", 0, end) + 1
        lines.append(_line(number - len(lines) - 1, text[start:end]))
    return lines[::-1], start


def _after(text: str, number: int, end: int, context: int) -> list[Line]:
    r"""Give the lines after the one that ends with the ``\n`` at ``end``."""
    lines: list[Line] = []
    while 0 <= end < len(text) - 1 and len(lines) < context:
        start = end + 1
        end = text.find("\n", start)
        lines.append(_line(number + len(lines) + 1, text[start:] if end < 0 else text[start:end]))
    return lines

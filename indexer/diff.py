r"""Read what ``git diff`` writes: ``read_changes`` its list of files, ``split_patch`` its text file by file.

Only ``\n`` ends a line, so the carriage returns of a file stay in its lines. Git is not called here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from indexer.charset import PIECE, survey
from indexer.errors import BinaryFileError

LEAD_BYTES = 4096  # before a stretch, to tell whether it begins inside something longer (a private key has 3,300)

_SECTION = b"\ndiff --git "
_MAX_HEADER = 32_768  # bytes; a path has 4,096 at most, and may stand in it six times, quoted
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_ESCAPE = re.compile(r"\\(?:([0-7]{3})|(.))|([^\\]+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """Hold one file that differs.

    Attributes:
        path: its name afterwards (before, where it was deleted), relative to where git ran.
        status: ``A`` new, ``D`` deleted, ``M`` changed, ``R`` renamed, ``T`` of another kind, ``U`` in conflict.
        added: number of lines added, and
        deleted: taken away; 0 where it is binary.
        binary: whether git takes it for such.
        old_path: its name before, if it was renamed.
    """

    path: str
    status: str
    added: int
    deleted: int
    binary: bool = False
    old_path: str = ""


def read_changes(out: bytes) -> tuple[ChangedFile, ...]:
    """Read the output of ``git diff --raw --numstat -z``, in git's order."""
    fields = iter(out.decode("utf-8", "surrogateescape").split("\0"))
    statuses: dict[str, str] = {}
    numbers: dict[str, ChangedFile] = {}
    for part in fields:
        if part.startswith(":"):
            status = part.rpartition(" ")[2][:1]
            path = next(fields)
            statuses[next(fields) if status in "RC" else path] = status
        elif part:
            added, deleted, path = part.split("\t", 2)
            old = ""
            if not path:
                old, path = next(fields), next(fields)
            binary = added == "-"
            numbers[path] = ChangedFile(
                path, "", 0 if binary else int(added), 0 if binary else int(deleted), binary, old
            )
    unknown = ChangedFile("", "", 0, 0)
    return tuple(replace(numbers.get(path, unknown), path=path, status=status) for path, status in statuses.items())


@dataclass(frozen=True, slots=True)
class Section:
    r"""Hold the diff of one file: a stretch of git's output, which is kept once for all files.

    Attributes:
        output: all that git wrote.
        start: where the file's part begins in it, and
        end: ends.
    """

    output: bytes = field(repr=False)
    start: int
    end: int

    @property
    def size(self) -> int:
        """Give its length in bytes."""
        return self.end - self.start

    @property
    def lines(self) -> int:
        """Count its lines; each has a line break."""
        return self.output.count(b"\n", self.start, self.end)

    @property
    def hunks(self) -> int:
        """Count its hunks; no other line begins like theirs."""
        return self.output.count(b"\n@@ ", self.start, self.end)


@dataclass(frozen=True, slots=True)
class Stretch:
    r"""Hold whole lines of one file's diff as text.

    Attributes:
        text: the lines.
        lead: lines before them, for looking back.
        ends: numbers of lines of ``text`` after which a hunk is complete.
        at_end: whether the diff ends with them.
    """

    text: str
    lead: str
    ends: tuple[int, ...]
    at_end: bool


def split_patch(output: bytes) -> dict[str, Section]:
    """Cut the output of ``git diff --patch`` into the parts of its files, by path; nothing is copied."""
    starts = list(_section_starts(output))
    sections = {}
    for start, end in pairwise([*starts, len(output)]):
        sections[_path_of(output[start : min(end, start + _MAX_HEADER)])] = Section(output, start, end)
    return sections


def stretch(section: Section, skip: int = 0, max_bytes: int | None = None) -> Stretch:
    """Decode lines of a section.

    Args:
        section: whose lines.
        skip: number of lines to leave out at its beginning.
        max_bytes: about how much at most; always whole lines, and at least one.
    """
    output, end = section.output, section.end
    start = _line_start(section, skip)
    stop = end
    if max_bytes is not None and end - start > max_bytes:
        stop = output.rfind(b"\n", start, start + max_bytes) + 1 or output.find(b"\n", start, end) + 1 or end
    encoding = _encoding(section)
    text = output[start:stop].decode(encoding)
    ends = tuple(_hunk_ends(text.split("\n")[:-1], *_begun(section, start)))
    lead = output[_line_start_after(output, max(section.start, start - LEAD_BYTES), start) : start].decode(encoding)
    return Stretch(text, lead, ends, stop == end)


def _line_start(section: Section, lines: int) -> int:
    at = section.start
    for _ in range(lines):
        at = section.output.find(b"\n", at, section.end) + 1
        if at == 0:
            return section.end
    return at


def _line_start_after(output: bytes, at: int, end: int) -> int:
    """Give the first beginning of a line at or after a position."""
    if at == 0 or output[at - 1] == 10:
        return at
    return output.find(b"\n", at, end) + 1 or end


def _encoding(section: Section) -> str:
    """Decide for the whole section, so that all its stretches are read alike."""
    view = memoryview(section.output)

    def pieces() -> Iterator[bytes]:
        return (bytes(view[at : min(at + PIECE, section.end)]) for at in range(section.start, section.end, PIECE))

    try:
        return survey(pieces, "").encoding
    except BinaryFileError:
        return "latin-1"  # git took it for text, so it is shown


def _section_starts(output: bytes) -> Iterator[int]:
    if output.startswith(_SECTION[1:]):
        yield 0
    at = output.find(_SECTION)
    while at >= 0:
        yield at + 1
        at = output.find(_SECTION, at + 1)


def _path_of(section: bytes) -> str:
    """Find the name of a section's file in its header, which may say it in several places."""
    first, *rest = section.decode("utf-8", "surrogateescape").split("\n")
    names: dict[str, str] = {}
    for line in rest:
        if line.startswith("@@ "):
            break
        for mark in ("rename to ", "copy to ", "+++ ", "--- "):
            if line.startswith(mark):
                names[mark] = _unquoted(line[len(mark) :].removesuffix("\t"))
    for mark in ("rename to ", "copy to "):
        if mark in names:
            return names[mark]
    for mark, prefix in (("+++ ", "b/"), ("--- ", "a/")):
        if names.get(mark, "/dev/null") != "/dev/null":
            return names[mark].removeprefix(prefix)
    both = first.removeprefix("diff --git ")
    if both.startswith('"'):
        both = _unquoted(both[: both.find('" ', 1) + 1])
        return both.removeprefix("a/")
    return both[2 : 2 + (len(both) - 5) // 2]  # "a/NAME b/NAME"


def _unquoted(name: str) -> str:
    """Undo git's quoting of names with quotes, backslashes or control characters."""
    if not (len(name) > 1 and name.startswith('"') and name.endswith('"')):
        return name
    data = bytearray()
    for octal, letter, plain in _ESCAPE.findall(name[1:-1]):
        if octal:
            data.append(int(octal, 8))
        elif letter:
            data.append(_ESCAPES.get(letter, ord(letter)))
        else:
            data += plain.encode("utf-8", "surrogateescape")
    return data.decode("utf-8", "surrogateescape")


def _begun(section: Section, start: int) -> tuple[int, int]:
    """Give how many lines of the old and the new file are still to come of the hunk that a position lies in."""
    output = section.output
    at = output.rfind(b"\n@@ ", section.start, start)
    header = _HUNK.match(output[at + 1 : at + 80].decode("latin-1")) if at >= 0 else None
    body = output.find(b"\n", at + 1, start)
    if header is None or body < 0:
        return 0, 0
    # Counted where they are: a hunk may have a million lines.
    lines = output.count(b"\n", body + 1, start)
    old, new, notes = (output.count(mark, body, start - 1) for mark in (b"\n-", b"\n+", b"\n\\"))
    both = lines - old - new - notes
    return int(header[1] or 1) - old - both, int(header[2] or 1) - new - both


def _hunk_ends(lines: Sequence[str], old: int, new: int) -> Iterator[int]:
    r"""Give the numbers of lines after which a hunk is complete; a file's header belongs to its first hunk.

    ``\ No newline at end of file`` belongs to the hunk before it. A hunk that is not there to its end has none.

    Args:
        lines: of one file's diff.
        old: lines of the old file that are left of a hunk begun before, and
        new: of the new one.
    """
    at = 0
    begun = old > 0 or new > 0
    while at < len(lines):
        if not begun:
            header = _HUNK.match(lines[at])
            at += 1
            if header is None:
                continue
            old, new = int(header[1] or 1), int(header[2] or 1)
        begun = False
        while at < len(lines) and (old > 0 or new > 0):
            mark = lines[at][:1]
            old -= mark in ("", " ", "-")  # "": a blank line of the file, where git is set to write it so
            new -= mark in ("", " ", "+")
            at += 1
        if old > 0 or new > 0:
            return
        if at < len(lines) and lines[at].startswith("\\"):
            at += 1
        yield at

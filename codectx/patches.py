"""Make blocks of a diff: whole files, hunk by hunk for the one that a page begins with, a line where that must do.

``pages_from`` is the main function. Files come in the order of their diffs' sizes, so that the largest are the ones
that shrink to a line. Git is not asked here, and nothing is cut.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from codectx import progress
from codectx.answer import Block, Breaks
from codectx.errors import invalid_argument
from codectx.render import clipped, counted
from codectx.tokens import MAX_CHARS_PER_TOKEN
from codectx.tool import HARD_MAX_TOKENS
from indexer.diff import ChangedFile, Section, Stretch, stretch
from indexer.invisible import invisible_lines
from indexer.secrets import MASK, mask, may_show_secret

MAX_CHARS = HARD_MAX_TOKENS * MAX_CHARS_PER_TOKEN  # of full diffs offered; no answer can show more
_CURSOR = re.compile(r"(?P<name>.+)@(?P<lines>\d{1,9})(?:\+(?P<chars>\d{1,9}))?", re.DOTALL)
_LOOKS_INSIDE = re.compile(r".*@(?:\d+(?:\+\d+)?|end)", re.DOTALL)
_END = "@end"  # closes the cursor behind a file whose own name looks like a cursor inside of one
_SURROGATES = re.compile("[\ud800-\udfff]")  # in names that are not UTF-8; no cursor can carry them
_KINDS = {"A": "new", "D": "deleted", "T": "of another kind", "U": "in conflict"}

_HEADING = re.compile(r"(?P<hunk>@@ [^@]* @@) (?P<cut>.+)")


@dataclass(frozen=True, slots=True)
class Entry:
    """Hold one file of the answer, or the list of the untracked ones.

    Attributes:
        name: what cursors call it.
        stat: its line, where it is not shown in full.
        size: by which entries are ordered.
        data: its facts for ``--json``.
        section: its full diff; None where there is none to show, or it has not been made.
        text: what there is to show instead.
    """

    name: str
    stat: str
    size: int
    data: Mapping[str, Any]
    section: Section | None = None
    text: str = ""

    @property
    def lines(self) -> int:
        """Count the lines of what there is to show."""
        return self.section.lines if self.section else self.text.count("\n")


@dataclass(frozen=True, slots=True)
class Cursor:
    """Hold where to go on: behind an entry, or inside of it after some lines and characters of the next line."""

    name: str = ""
    lines: int = 0
    chars: int = 0

    def __str__(self) -> str:
        if self.lines or self.chars:
            return f"{self.name}@{self.lines}{f'+{self.chars}' if self.chars else ''}"
        return self.name + _END if _LOOKS_INSIDE.fullmatch(self.name) else self.name


@dataclass(frozen=True, slots=True)
class Part:
    """Hold what stands behind one block that can be shown in full.

    Attributes:
        end: the cursor behind it.
        lines: number of its lines.
        name: of the entry that it belongs to.
        masked: whether something in it is masked.
        invisible: codes of its characters that cannot be seen.
    """

    end: Cursor
    lines: int
    name: str
    masked: bool = False
    invisible: tuple[str, ...] = ()


@dataclass(slots=True)
class Pages:
    """Hold all that may be shown from a cursor on.

    Attributes:
        start: the cursor.
        entries: those that are left, the first of them perhaps in part.
        blocks: the parts of the first of these, then one block for each other.
        parts: the leading blocks that can be shown in full; the others are lines only.
        first: number of blocks of the first entry.
        complete: whether no block stands for more than it holds.
    """

    start: Cursor
    entries: Sequence[Entry]
    blocks: list[Block] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    first: int = 0
    complete: bool = True


def file_entry(file: ChangedFile, name: str, section: Section | None, *, secret: bool, by_bytes: bool) -> Entry:
    """Make the entry of a changed file.

    Args:
        file: what git says of it.
        name: what it is called in answers.
        section: its diff, if it has been made.
        secret: whether it must not be shown.
        by_bytes: whether the bytes of its diff count as its size, else its changed lines.
    """
    name = _SURROGATES.sub("\ufffd", name)
    facts = [_KINDS.get(file.status, ""), f"renamed from {file.old_path}" if file.old_path else ""]
    facts.append("binary" if file.binary else f"+{file.added} -{file.deleted}")
    facts.append("secret file, not shown" if secret else "")
    hunks = f" ({counted(section.hunks, 'hunk')})" if section and section.hunks > 1 else ""
    stat = f"{name} | {', '.join(fact for fact in facts if fact)}{hunks}\n"
    data = {"path": name, "status": file.status, "added": file.added, "deleted": file.deleted}
    if secret or file.binary:
        return Entry(name, stat, 0, data, text=stat)
    return Entry(name, stat, section.size if section and by_bytes else file.added + file.deleted, data, section)


def pages_from(entries: Sequence[Entry], after: str) -> Pages:
    """Make the blocks that follow a cursor.

    Args:
        entries: in order; the one that the cursor leads to must hold what there is to show.
        after: the cursor, as a call gave it; empty for the beginning.

    Raises:
        UserError: invalid_argument for a cursor that fits none of the entries.
    """
    start, index = find(entries, after)
    pages = Pages(start, entries[index:])
    if not pages.entries:
        return pages
    room = MAX_CHARS - _add_first(pages, pages.entries[0])
    for entry in pages.entries[1:]:
        progress.check()
        size = entry.section.size if entry.section else len(entry.text) or MAX_CHARS
        if pages.complete and size <= room:
            room -= size
            _add_whole(pages, entry)
        else:  # it and those after it could not be shown, as what comes before fills any answer
            pages.complete = False
            pages.blocks.append(Block((entry.stat, entry.stat), data=entry.data))
    return pages


def find(entries: Sequence[Entry], after: str) -> tuple[Cursor, int]:
    """Read a cursor, and give the place of the entry with which it goes on; raises as ``pages_from``."""
    places = {entry.name: n for n, entry in enumerate(entries)}
    if not after:
        return Cursor(), 0
    inside = _CURSOR.fullmatch(after)
    if inside is None or inside["name"] not in places:
        name = after.removesuffix(_END) if after not in places else after
        if name not in places:
            raise invalid_argument(
                f"after is {clipped(after, 80)}, which is no part of this diff now", "begin again without after"
            )
        return Cursor(name), places[name] + 1
    place = places[inside["name"]]
    cursor = Cursor(inside["name"], int(inside["lines"]), int(inside["chars"] or 0))
    if entries[place].section and cursor.lines >= entries[place].lines:
        return Cursor(cursor.name), place + 1
    return cursor, place


def _add_first(pages: Pages, entry: Entry) -> int:
    """Add the first entry in parts, each a hunk, so that a cut falls between them; gives its number of characters."""
    start = pages.start if pages.start.lines or pages.start.chars else Cursor(entry.name)
    if entry.section:
        taken = stretch(entry.section, start.lines, MAX_CHARS)
        text, masked = _masked(taken)
    else:
        lines = entry.text.split("\n")[start.lines :]
        taken = Stretch("\n".join(lines), "", (), at_end=True)
        text, masked = taken.text, ()
    text = text[min(start.chars, text.find("\n")) :]
    pages.complete = taken.at_end
    lines = text.split("\n")[:-1]
    done = 0
    for end in dict.fromkeys((*taken.ends, len(lines))):
        part = "".join(f"{line}\n" for line in lines[done:end])
        if not part:
            continue
        last = end == len(lines) and taken.at_end
        hidden = any(done < line <= end for line in masked)
        cursor = Cursor(entry.name) if last else Cursor(entry.name, start.lines + end)
        breaks = None if done else _no_breaks
        pages.blocks.append(Block((part,), data={**entry.data, "text": part}, breaks=breaks))
        pages.parts.append(Part(cursor, end - done, entry.name, hidden, _invisible(part)))
        done = end
    pages.first = len(pages.blocks)
    return len(text)


def _add_whole(pages: Pages, entry: Entry) -> None:
    text, masked = _masked(stretch(entry.section)) if entry.section else (entry.text, ())
    pages.blocks.append(Block((text, entry.stat), data={**entry.data, "text": text}))
    pages.parts.append(Part(Cursor(entry.name), text.count("\n"), entry.name, bool(masked), _invisible(text)))


def _no_breaks(_: str) -> Breaks:
    """Let a hunk that is too long be cut after any line."""
    return Breaks()


def _masked(taken: Stretch) -> tuple[str, Sequence[int]]:
    """Mask likely secrets; also give the numbers of the lines with any. Each line begins with a mark of git's."""
    lines = (taken.lead + taken.text).split("\n")
    done = mask("\n".join(line[1:] for line in lines))
    skip = taken.lead.count("\n")
    masked = {line - skip for line in done.lines if line > skip}
    shown = [line[:1] + body for line, body in zip(lines, done.text.split("\n"), strict=True)][skip:]
    for number, line in enumerate(shown, 1):
        heading = _HEADING.match(line)
        if heading and may_show_secret(heading["cut"]):  # git takes it from anywhere above, and cuts it
            shown[number - 1] = f"{heading['hunk']} {MASK}"
            masked.add(number)
    return ("\n".join(shown), sorted(masked)) if masked else (taken.text, ())


def _invisible(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(code for _, code in invisible_lines(text)))

"""Take an answer's text apart: header, content, closing notices. ``split`` does it.

src/a.py:10-24 (300 lines)      header: address and facts
...                             content, as it is
[masked: line 12]               notices, the cut one last
[cut: 15 of 300 lines shown. next: read_lines("src/a.py", start=25)]
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ADDED = " [added]"
_NOTICE = re.compile(r"\[[a-z][a-z -]*: .*\]")
_CUT = re.compile(r"\[cut: ([\d,]+) of ([\d,]+)(?: [a-z ]+?)? shown\. next: (.+)\]")
_ADDED_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[^\n]* \[added\]")
_HEAD = re.compile(
    r"(?P<path>.+?)"
    r"(?::(?P<start>\d+)(?:@(?P<offset>\d+))?(?:-(?P<end>\d+)?(?:@\d+)?)?)?"
    r"(?: \((?P<facts>[^()]*(?:\([^()]*\)[^()]*)*)\))?"
)


@dataclass(frozen=True)
class Cut:
    """Hold the notice of a cut: how much is shown, of how much, and the call that goes on."""

    shown: int
    total: int
    call: str


@dataclass(frozen=True)
class Parts:
    """Hold the parts of an answer.

    Attributes:
        head: the first line.
        content: what stands under it, lines marked ``[added]`` included.
        notices: the closing lines in brackets.
        path: that the header names.
        start: first line shown, None if the header names none.
        end: last line shown.
        offset: characters of the first line that are left out.
        facts: what the header says besides, in parentheses.
        cut: the cut notice, None for a whole answer.
    """

    head: str
    content: str
    notices: tuple[str, ...]
    path: str
    start: int | None
    end: int | None
    offset: int
    facts: str
    cut: Cut | None

    @property
    def own(self) -> str:
        """Give the content without the fence lines that are not the file's."""
        return _without_added(self)

    @property
    def lines(self) -> list[str]:
        """Give the content's lines without their breaks."""
        return self.content.removesuffix("\n").split("\n") if self.content else []


def split(text: str) -> Parts:
    """Take an answer apart; a text of another kind gets an empty path."""
    head, _, rest = text.partition("\n")
    found = _HEAD.fullmatch(head)
    start = int(found["start"]) if found and found["start"] else None
    end = start if found is None or found["end"] is None else int(found["end"])
    facts = (found["facts"] or "") if found else ""
    least = end - start + 1 if start is not None and end is not None else 0
    content, notices = _without_notices(rest, least)
    cut = _cut_of(notices)
    if notices and content.endswith("\n") and ("no final newline" in facts or _inside_line(cut)):
        content = _without_break(content)
    offset = int(found["offset"] or 0) if found else 0
    return Parts(head, content, notices, found["path"] if found else "", start, end, offset, facts, cut)


def _without_notices(rest: str, least: int) -> tuple[str, tuple[str, ...]]:
    """Split off the closing notices, but leave as many lines as the header says are shown."""
    lines = rest.removesuffix("\n").split("\n") if rest else []
    count = len(lines)
    while count > least and _NOTICE.fullmatch(lines[count - 1]):
        count -= 1
    if count == len(lines):
        return rest, ()
    return "".join(line + "\n" for line in lines[:count]), tuple(lines[count:])


def _cut_of(notices: tuple[str, ...]) -> Cut | None:
    for notice in reversed(notices):
        if found := _CUT.fullmatch(notice):
            return Cut(int(found[1].replace(",", "")), int(found[2].replace(",", "")), found[3])
    return None


def _inside_line(cut: Cut | None) -> bool:
    return cut is not None and re.match(r'\w+\("(?:[^"\\]|\\.)*:\d+@\d+', cut.call) is not None


def _without_break(content: str) -> str:
    """Drop the line break between a last line that has none in the file and the notices."""
    last = content.removesuffix("\n").rpartition("\n")[2]
    return content if _ADDED_FENCE.fullmatch(last) else content.removesuffix("\n")


def _without_added(parts: Parts) -> str:
    lines = parts.content.removesuffix("\n").split("\n")
    breaks = ["\n"] * (len(lines) - 1) + ["\n" if parts.content.endswith("\n") else ""]
    pairs = list(zip(lines, breaks, strict=True))
    shown = None if parts.start is None or parts.end is None else parts.end - parts.start + 1
    if len(pairs) > 1 and _ADDED_FENCE.fullmatch(pairs[0][0]) and len(pairs) != shown:
        del pairs[0]
    if pairs and _ADDED_FENCE.fullmatch(pairs[-1][0]) and len(pairs) != shown:
        del pairs[-1]
        if pairs and _torn(parts):
            pairs[-1] = (pairs[-1][0], "")
    return "".join(line + end for line, end in pairs)


def _torn(parts: Parts) -> bool:
    return _inside_line(parts.cut) or "no final newline" in parts.facts

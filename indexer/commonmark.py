"""Scan the block structure of a Markdown text in one pass over its lines: ``scan``.

Containers (block quotes, list items), lazy paragraphs, HTML blocks and indented code are followed as CommonMark has
them: each decides whether a line of back-ticks is a fence and a line of dashes a heading. Inline text is not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

_OPENING = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_ATX = re.compile(r"(#{1,6})(?:[ \t]+|$)(.*)$")
_ATX_END = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_SETEXT = re.compile(r"(?:=+|-+)[ \t]*$")
_ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)])( +|$)")
_MARKS = frozenset("#>`~*+-=_<0123456789")  # what begins a block that is no paragraph
_SPECIAL = re.compile(r"^(?:(`{3,})[^`\n]*$|(~{3,}).*$|[ \t#>`~*+\-=_<0-9])", re.MULTILINE)
_SPACES = re.compile(r" *")

# HTML blocks: the first five kinds run to their own end mark, the sixth and seventh to a blank line.
_HTML = (
    (re.compile(r"<(?:script|pre|style|textarea)(?:\s|>|$)", re.IGNORECASE),
     re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
)  # fmt: skip
_HTML_BLOCK = re.compile(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|"
    r"dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|"
    r"menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|"
    r"tr|track|ul)(?:\s|/?>|$)",
    re.IGNORECASE,
)
_HTML_TAG = re.compile(
    r"(?:<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)*\s*/?>|"
    r"</[A-Za-z][A-Za-z0-9-]*\s*>)\s*$"
)
_BLANK_LINE = re.compile(r"^\s*$")
KEPT = 600_000  # characters of a text that may stay in memory until the next one
_QUOTE = -1  # in the list of containers; a list item is the number of columns its content is indented by


@dataclass(frozen=True, slots=True)
class Fence:
    """Hold a fenced code block: 1-based first and last line, its opening line as written, whether it is closed."""

    first_line: int
    last_line: int
    opening: str
    closed: bool


@dataclass(frozen=True, slots=True)
class Heading:
    """Hold a heading outside containers: 1-based first and last line, level 1 to 6, text as written."""

    first_line: int
    last_line: int
    level: int
    text: str


@dataclass(slots=True)
class Blocks:
    """Hold what a scan found, in order."""

    fences: list[Fence] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)


class _Opening(NamedTuple):
    """Hold the opening of a fence: its line, that line as written, its marker, the containers around it."""

    line: int
    text: str
    marker: str
    containers: int


def scan(text: str) -> Blocks:
    """Find the fences and headings of a text, in time linear in its length; do not change what it gives."""
    return _last(text) if len(text) <= KEPT else _scanned(text)


def _scanned(text: str) -> Blocks:
    scanner = _Scanner(text)
    while scanner.at < len(text):
        if scanner.skip():
            scanner.line()
    scanner.end()
    return scanner.blocks


_last = lru_cache(maxsize=1)(_scanned)  # who asks for headings often asks for fences next


class _Scanner:
    """Go through a text once; ``at`` is the first character of the next line, ``number`` is that line's."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.number = 1
        self.blocks = Blocks()
        self.containers: list[int] = []
        self.paragraph = 0  # the first line of the open one; 0 where none is open
        self.new_item = 0  # line on which a list item without text was opened
        self.opening: _Opening | None = None
        self.html: tuple[re.Pattern[str], int] | None = None  # end mark of the open HTML block, containers

    def skip(self) -> bool:
        """Pass over lines that change nothing, as long as no container is open; say whether a line is left."""
        if self.containers or self.html is not None:
            return True
        if self.opening is not None:
            return self._skip_fence(self.opening)
        special = _SPECIAL.search(self.text, self.at)
        if special is None:
            self.at = len(self.text)
            return False
        if special.start() > self.at:
            self._skip_prose(special.start())
        if special.lastindex is None:
            return True
        self.opening = _Opening(self.number, special[0].rstrip("\r"), special[1] or special[2], 0)
        self.paragraph = 0
        self.number += 1
        self.at = special.end() + 1
        return self.skip() if self.at < len(self.text) else False

    def _skip_fence(self, opening: _Opening) -> bool:
        closing = _closing(opening.marker).search(self.text, self.at)
        if closing is None:
            self.number += self.text.count("\n", self.at) + (not self.text.endswith("\n"))
            self.at = len(self.text)
            return False
        self.number += self.text.count("\n", self.at, closing.start())
        self._close_fence(opening, self.number, closed=True)
        self.number += 1
        self.at = closing.end() + 1
        return self.at < len(self.text)

    def _skip_prose(self, to: int) -> None:
        """Pass over paragraphs and empty lines, and know in which paragraph line the next special one stands."""
        text = self.text
        self.number += text.count("\n", self.at, to)
        before = max(self.at - 1, 0)
        ends = (text.rfind(blank, before, to) + len(blank) for blank in ("\n\n", "\n\r\n"))
        start = max((end for end in ends if end > before + 1), default=0)
        if not start and text.startswith(("\n", "\r\n"), self.at):
            start = text.find("\n", self.at) + 1
        if start:
            self.paragraph = self.number - text.count("\n", start, to) if start < to else 0
        elif not self.paragraph:
            self.paragraph = self.number - text.count("\n", self.at, to)
        self.at = to

    def line(self) -> None:
        """Take the next line."""
        end = self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        raw, number = self.text[self.at : end], self.number
        self.at, self.number = end + 1, number + 1
        line = raw.rstrip()
        line = line.expandtabs(4) if "\t" in line else line
        matched, at = self._match(line, number) if self.containers else (0, 0)
        if self.opening is not None:
            if matched >= self.opening.containers:
                if _closes(self.opening.marker, line[at:]):
                    self._close_fence(self.opening, number, closed=True)
                return
            self._close_fence(self.opening, number - 1, closed=False)
            del self.containers[matched:]
        if self.html is not None:
            if matched >= self.html[1]:
                if self.html[0].search(line[at:]):
                    self.html = None
                return
            self.html = None
        self._blocks_of(number, raw, line, at, matched)

    def end(self) -> None:
        """Close what is still open after the last line."""
        if self.opening is not None:
            self._close_fence(self.opening, self.number - 1, closed=False)

    def _match(self, line: str, number: int) -> tuple[int, int]:
        """Give how many of the open containers go on in this line, and where their content begins."""
        at = 0
        for count, container in enumerate(self.containers):
            content = _content(line, at)
            if container == _QUOTE:
                if content - at > 3 or line[content : content + 1] != ">":
                    return count, at
                at = content + 1 + (line[content + 1 : content + 2] == " ")
            elif content == len(line):
                return self._match_blank(count, number), at
            elif content - at >= container:
                at += container
            else:
                return count, at
        return len(self.containers), at

    def _match_blank(self, count: int, number: int) -> int:
        """Give how many containers go on where a line is blank from the content of the first ``count`` on."""
        quote = next((each for each in range(count, len(self.containers)) if self.containers[each] == _QUOTE), None)
        if quote is not None:
            return quote
        # An item that begins with a blank line ends at the next one.
        return len(self.containers) - (self.new_item == number - 1)

    def _blocks_of(self, number: int, raw: str, line: str, at: int, matched: int) -> None:
        """Open the blocks that begin in a line, after the containers that go on."""
        lazy = matched < len(self.containers) and self.paragraph > 0
        if not lazy:
            del self.containers[matched:]
        while True:
            content = _content(line, at)
            if content == len(line):
                self.paragraph = 0
                del self.containers[matched:]
                return
            indent = content - at
            if indent > 3:
                return  # indented code, or a paragraph that goes on
            if line[content] not in _MARKS:
                self.paragraph = self.paragraph or number
                return
            rest = line[content:]
            container = self._container(number, rest, interrupts=self.paragraph > 0 and not lazy)
            if container is None:
                break
            width, consumed = container
            self.containers[matched:] = [width if width == _QUOTE else indent + width]
            matched, lazy, self.paragraph = matched + 1, False, 0
            at = content + consumed
        if not self._leaf(number, raw, rest, matched, lazy=lazy):
            self.paragraph = self.paragraph or number

    def _container(self, number: int, rest: str, *, interrupts: bool) -> tuple[int, int] | None:
        """Give the container that begins here, and how many columns its mark takes; None where none does."""
        if rest[0] == ">":
            return _QUOTE, 1 + (rest[1:2] == " ")
        item = _ITEM.match(rest)
        if item is None or _is_rule(rest) or (interrupts and (item[1] or "1").lstrip("0") != "1"):
            return None
        marker = item.start(2)
        if item.end() == len(rest):
            if interrupts:
                return None
            self.new_item = number
            return marker + 1, len(rest)
        return (marker + 1, marker + 1) if item.end() - marker > 4 else (item.end(), item.end())

    def _leaf(self, number: int, raw: str, rest: str, matched: int, *, lazy: bool) -> bool:
        """Open or make the leaf block that begins here; False where the line is mere text."""
        opening = html = None
        level, first, title = 0, number, ""
        mark = rest[0]
        if mark in "`~":
            opening = _OPENING.match(rest)
        elif mark == "#" and (heading := _ATX.match(rest)):
            level, title = len(heading[1]), _ATX_END.sub("", heading[2]).strip()
        elif mark in "=-" and self.paragraph and not lazy and _SETEXT.match(rest):
            level, first = (1 if mark == "=" else 2), self.paragraph
            title = self._lines_before(number - first)
        elif mark == "<":
            html = self._html_end(rest)
        if not (level or opening or html or _is_rule(rest)):
            return False
        del self.containers[matched:]
        self.paragraph = 0
        if opening:
            self.opening = _Opening(number, raw.rstrip("\r"), opening[1] or opening[2], len(self.containers))
        elif level and not self.containers:
            self.blocks.headings.append(Heading(first, number, level, title))
        elif html and not html.search(rest):
            self.html = (html, len(self.containers))
        return True

    def _lines_before(self, count: int) -> str:
        """Give the text of some lines before the one just taken."""
        end = self.text.rfind("\n", 0, self.at - 1)
        start = end
        for _ in range(count):
            start = self.text.rfind("\n", 0, start)
        return " ".join(self.text[start + 1 : end].split())

    def _html_end(self, rest: str) -> re.Pattern[str] | None:
        """Give what ends the HTML block that begins here."""
        for start, end in _HTML:
            if start.match(rest):
                return end
        return _BLANK_LINE if _HTML_BLOCK.match(rest) or (not self.paragraph and _HTML_TAG.match(rest)) else None

    def _close_fence(self, opening: _Opening, last: int, *, closed: bool) -> None:
        self.blocks.fences.append(Fence(opening.line, last, opening.text, closed))
        self.opening = None


def _content(line: str, at: int) -> int:
    """Give where, from a place on, something stands that is no space."""
    return at if line[at : at + 1] != " " else _SPACES.match(line, at).end()  # type: ignore[union-attr]


def _is_rule(rest: str) -> bool:
    """Say whether a line is a line across the page."""
    mark = rest[0]
    return mark in "*-_" and not rest.strip(f"{mark} \t") and rest.count(mark) > 2


def _closes(marker: str, content: str) -> bool:
    """Say whether a line of a fence is its closing line: the same character, at least as often, and no more."""
    rest = content.lstrip(" ")
    return len(content) - len(rest) < 4 and rest.startswith(marker) and not rest.strip(marker[0])


@lru_cache(maxsize=64)
def _closing(marker: str) -> re.Pattern[str]:
    """Make the pattern of a closing line outside containers."""
    return re.compile(rf"^ {{0,3}}{marker}{marker[0]}*[ \t\r]*$", re.MULTILINE)

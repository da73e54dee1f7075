"""Find the fenced code blocks of a Markdown text by CommonMark's block rules: ``fences``.

Block quotes, list items, indented code, HTML blocks and paragraphs are followed as far as they decide whether a
line opens or closes a fence. Written from the specification, independently of the product.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,}).*$")
_BREAK = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*$")
_BULLET = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)")
_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li|"
    "link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|"
    "thead|title|tr|track|ul"
)
_ATTRIBUTE = r"""\s+[a-zA-Z_:][\w.:-]*(?:\s*=\s*(?:[^"'=<>`\s]+|'[^']*'|"[^"]*"))?"""
# How an HTML block opens, and what ends it: a pattern on its last line, or a blank line after it (None).
_HTML: tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...] = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?:\s|>|$)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![a-zA-Z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{_BLOCK_TAGS})(?:\s|/?>|$)", re.I), None),
    (re.compile(rf"(?:<[a-zA-Z][a-zA-Z0-9-]*(?:{_ATTRIBUTE})*\s*/?>|</[a-zA-Z][a-zA-Z0-9-]*\s*>)\s*$"), None),
)


@dataclass
class Fence:
    """Hold one fenced block: the line that opens it, the one that closes it (None: it is left open), its run."""

    opens: int
    run: str
    closes: int | None = None
    ended: bool = False  # by its own closing line, or with the quote or list item that holds it


def fences(text: str) -> list[Fence]:
    """Give the fenced blocks of a text; lines count from 1."""
    state = _State()
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        state.take(number, line.removesuffix("\r").expandtabs(4))
    return state.found


def left_open(text: str) -> Fence | None:
    """Give the fence that is still open where the text ends, if any."""
    return next((fence for fence in fences(text) if not fence.ended), None)


@dataclass
class _State:
    """Hold the open blocks between two lines: containers from the outermost, and the innermost leaf."""

    found: list[Fence] = field(default_factory=list)
    containers: list[int] = field(default_factory=list)  # 0: a quote; else columns that a list item is indented
    empty_item: bool = False  # the innermost list item has begun with a blank line
    leaf: str = ""  # "", paragraph, fence, html
    html_end: re.Pattern[str] | None = None

    def take(self, number: int, line: str) -> None:
        """Go on by one line."""
        matched, rest = self._match_containers(line)
        all_matched = matched == len(self.containers)
        if self.leaf == "fence":
            if all_matched:
                self._in_fence(number, rest)
                return
            self.found[-1].ended = True
            self.leaf = ""
        if self.leaf == "html" and all_matched:
            self._in_html(rest)
            return
        if self.leaf == "html":
            self.leaf = ""
        self._begin(number, rest, matched)

    def _match_containers(self, line: str) -> tuple[int, str]:
        for matched, width in enumerate(self.containers):
            body = line.lstrip(" ")
            indent = len(line) - len(body)
            if width == 0:
                if indent > 3 or not body.startswith(">"):
                    return matched, line
                line = _after_marker(body)
            elif not body:
                if self.empty_item and matched == len(self.containers) - 1:
                    return matched, line  # an item may begin with one blank line only
                line = ""
            elif indent >= width:
                line = line[width:]
            else:
                return matched, line
        return len(self.containers), line

    def _in_fence(self, number: int, rest: str) -> None:
        fence = self.found[-1]
        body = rest.lstrip(" ")
        run = len(body) - len(body.lstrip(fence.run[0]))
        if len(rest) - len(body) <= 3 and run >= len(fence.run) and not body[run:].strip(" \t"):
            fence.closes, fence.ended, self.leaf = number, True, ""

    def _in_html(self, rest: str) -> None:
        if (self.html_end is None and not rest.strip()) or (self.html_end and self.html_end.search(rest)):
            self.leaf = ""

    def _begin(self, number: int, rest: str, matched: int) -> None:
        """Open new containers, then a leaf; without any, the line may go on a paragraph lazily."""
        lazy = self.leaf == "paragraph"
        opened = False
        while True:
            body = rest.lstrip(" ")
            indent = len(rest) - len(body)
            if not body or indent > 3:
                break
            inner = self._container(body, indent, interrupts=lazy and not opened and matched == len(self.containers))
            if inner is None:
                break
            if not opened:
                del self.containers[matched:]
                self.leaf, opened = "", True
            width, rest = inner
            self.containers.append(width)
            self.empty_item = width > 0 and not rest.strip()
        self._leaf(number, rest, matched, lazy=lazy and not opened, opened=opened)

    def _container(self, body: str, indent: int, *, interrupts: bool) -> tuple[int, str] | None:
        if body.startswith(">"):
            return 0, _after_marker(body)
        bullet = _BULLET.match(body)
        if not bullet or _BREAK.match(body):
            return None
        after = body[bullet.end() :]
        content = after.lstrip(" ")
        if interrupts and (not content or bullet[1] not in (None, "1")):
            return None
        spaces = len(after) - len(content)
        if not content or spaces > 4:
            spaces = 1
        width = indent + bullet.end() + spaces
        return width, after[spaces:]

    def _leaf(self, number: int, rest: str, matched: int, *, lazy: bool, opened: bool) -> None:
        body = rest.lstrip(" ")
        indent = len(rest) - len(body)
        on_paragraph = lazy and matched == len(self.containers)
        if not body:
            if not opened:
                del self.containers[matched:]
            self.leaf = ""
            return
        self.empty_item = False
        kind = "paragraph" if indent > 3 else self._kind(body, interrupts=lazy, on_paragraph=on_paragraph)
        if kind == "paragraph" and lazy:
            return  # goes on, lazily or not
        if not opened:
            del self.containers[matched:]
        if indent > 3:
            self.leaf = ""  # indented code: nothing in it opens anything
            return
        self.leaf = "" if kind in ("line", "html-line") else kind
        if kind == "fence":
            run = _FENCE.match(body)
            self.found.append(Fence(number, str(run and (run[1] or run[2]))))

    def _kind(self, body: str, *, interrupts: bool, on_paragraph: bool) -> str:
        if _FENCE.match(body):
            return "fence"
        if _HEADING.match(body) or (on_paragraph and _UNDERLINE.match(body)) or _BREAK.match(body):
            return "line"
        for number, (opens, ends) in enumerate(_HTML, 1):
            if opens.match(body) and not (number == len(_HTML) and interrupts):
                self.html_end = ends
                return "html-line" if ends and ends.search(body) else "html"
        return "paragraph"


def _after_marker(body: str) -> str:
    rest = body[1:]
    return rest[1:] if rest.startswith(" ") else rest

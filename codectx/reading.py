"""Make the answer for verbatim lines of one file: what read_lines and read_file have in common.

``page`` takes a window of the file, a few times what the largest answer can show, so that the cost does not
grow with the file. It finds where the text may be cut well, masks likely secrets and tells of invisible
characters; it does not choose the cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from codectx.address import Address
from codectx.answer import Answer, Block, Breaks, Frame, Shown
from codectx.call import Call
from codectx.errors import UserError
from codectx.fit import fence_marker
from codectx.project import Located, Project
from codectx.render import counted, line_ranges, shown_path
from codectx.tokens import MAX_CHARS_PER_TOKEN
from codectx.tool import HARD_MAX_TOKENS
from indexer.invisible import invisible_lines
from indexer.markdown import Fence, fences, is_markdown, markdown_breaks
from indexer.secrets import Masked, mask
from indexer.window import TextFile

WINDOW_CHARS = HARD_MAX_TOKENS * MAX_CHARS_PER_TOKEN
LEAD_LINES = 200  # lines before a page that are looked at, so that a key block is masked on every page of it
LEAD_CHARS = 16_000  # likewise before a page that begins inside a line; longer than a key
MAX_OPENING = 60  # characters of a fence line that is repeated on the next page
MAX_FENCED_CHARS = 2_000_000  # Markdown beyond this is not read from its start to find open fences


@dataclass(frozen=True, slots=True)
class Page:
    """Hold what a page shows of a file: the text after masking, from line ``start``, character ``offset`` on."""

    text: str
    start: int
    offset: int
    end: int
    total_lines: int
    at_end: bool
    masked: tuple[int, ...]
    plain: str  # before masking

    @property
    def lines(self) -> int:
        """Count the lines that were asked for."""
        return self.end - self.start + 1


def page(
    project: Project,
    located: Located,
    asked: Address,
    *,
    left_out: Callable[[int], Sequence[str]] | None = None,
) -> Answer:
    """Give the lines from ``asked.start`` (None: the first) to ``asked.end`` (None: the last).

    Args:
        project: whose file it is.
        located: the file.
        asked: the lines; its path is not looked at.
        left_out: names what lies beyond the last line shown, asked only if the answer is cut.

    Raises:
        UserError: invalid_range when ``asked.start`` lies beyond the end; binary, unreadable.
    """
    with project.open_text(located) as file:
        total = file.total_lines
        if total == 0 and (asked.start or 1) == 1:
            return _empty(located, asked)
        _check(located, asked, total)
        current = _take(file, asked)
        facts = _facts(file, False), _facts(file, current.end == total)
        reopen, fenced = _fences(file, located.path, current)
        total_chars = max(len(current.text), file.total_bytes * current.lines // max(total, 1))

    def frame(shown: Shown) -> Frame:
        everything = shown.whole or shown.blocks > 0
        lines = current.text.count("\n") + (not current.text.endswith("\n")) if everything else shown.lines
        last = current.end if shown.whole else current.start + lines - (0 if shown.chars else 1)
        here = Address(shown_path(located.path), current.start, last, current.offset)
        return Frame(
            f"{here} ({facts[last == current.end and not shown.chars]})",
            lines,
            current.lines,
            "lines",
            None if shown.whole else _next(located.path, current, asked, lines, shown.chars),
            () if left_out is None or shown.whole else left_out(last),
            {"start": current.start, "end": last, "offset": current.offset},
            _notices(current, last),
        )

    block = Block((current.text,), breaks=lambda text: _breaks(located.path, text, fenced))
    ends_in = next((f for f in fenced if f.first_line <= current.lines < f.last_line), None)
    return Answer(
        (block,),
        frame,
        data={"path": located.path, "total_lines": total, "encoding": file.encoding},
        items="content",
        complete=current.at_end,
        total_chars=total_chars,
        reopen=reopen,
        close=fence_marker(ends_in.opening) if ends_in and current.end < total else "",
    )


def _empty(located: Located, asked: Address) -> Answer:
    if asked.end is not None or asked.start is not None:
        raise UserError("invalid_range", f"{located.path} is empty: it has 0 lines", "there is nothing to read")
    frame = Frame(f"{shown_path(located.path)} (0 lines)", data={"start": 0, "end": 0, "offset": 0})
    return Answer((), lambda _: frame, data={"path": located.path, "total_lines": 0}, items="content")


def _check(located: Located, asked: Address, total: int) -> None:
    if asked.start is not None and asked.start > total:
        raise UserError(
            "invalid_range", f"{located.path} has {total} lines, line {asked.start} is beyond", f"ask within 1-{total}"
        )


def _take(file: TextFile, asked: Address) -> Page:
    """Read the window and mask it, with a lead before it that is dropped again."""
    start = asked.start or 1
    end = min(asked.end or file.total_lines, file.total_lines)
    window = file.window(start, asked.offset, WINDOW_CHARS)
    plain, at_end = window.text, window.at_end
    cut = _line_start(plain, end - start + 1)
    if cut is not None:
        plain, at_end = plain[:cut], True
    if window.start_line != start:
        raise UserError(
            "invalid_range",
            f"line {start} of {file.path} ends before character {asked.offset}",
            f"ask for line {start}",
        )
    masked = _masked(file, plain, start, asked.offset)
    return Page(masked.text, start, asked.offset, end, file.total_lines, at_end, masked.lines, plain)


def _masked(file: TextFile, plain: str, start: int, offset: int) -> Masked:
    """Mask likely secrets, also those that begin before the page; line breaks stay where they are."""
    if offset:
        before = file.window(start, max(0, offset - LEAD_CHARS), min(offset, LEAD_CHARS)).text
        return mask(before + plain, start, shown_from=len(before))
    first = max(1, start - LEAD_LINES)
    if first == start:
        return mask(plain, start)
    lead = file.window(first, 0, WINDOW_CHARS).text
    lead = lead[: _line_start(lead, start - first)]
    both = mask(lead + plain, first)
    return replace(both, text=both.text[_line_start(both.text, start - first) or 0 :])


def _line_start(text: str, lines: int) -> int | None:
    """Give the position after ``lines`` lines, None where the text has no more than these."""
    at = 0
    for _ in range(lines):
        at = text.find("\n", at) + 1
        if at == 0:
            return None
    return at


def _facts(file: TextFile, ends_here: bool) -> str:
    facts = [counted(file.total_lines, "line")]
    if ends_here and not file.ends_with_newline:
        facts.append("no final newline")
    if file.encoding not in ("utf-8", "ascii"):
        facts.append(file.encoding)
    return ", ".join(facts)


def _next(path: str, current: Page, asked: Address, lines: int, chars: int) -> Call:
    at = current.start + lines
    if chars:
        offset = _plain_offset(current, lines, chars) + (current.offset if lines == 0 else 0)
        return Call("read_lines", {"path": str(Address(path, at, asked.end, offset))})
    return Call("read_lines", {"path": path, "start": at, **({"end": asked.end} if asked.end else {})})


def _plain_offset(current: Page, lines: int, chars: int) -> int:
    """Give the characters of the file's own line that ``chars`` characters of the shown line stand for."""
    at, plain_at = _line_start(current.text, lines) or 0, _line_start(current.plain, lines) or 0
    shown = current.text[at:].split("\n", 1)[0]
    plain = current.plain[plain_at:].split("\n", 1)[0]
    if shown == plain or plain.startswith(shown[:chars]):
        return chars
    differs = next((n for n, (a, b) in enumerate(zip(shown, plain, strict=False)) if a != b), len(plain))
    return max(differs, len(plain) - len(shown) + chars)


def _notices(current: Page, last: int) -> tuple[str, ...]:
    notices = []
    masked = [line for line in current.masked if current.start <= line <= last]
    if masked:
        notices.append(f"masked: likely secrets on {line_ranges(masked)}")
    invisible: dict[str, list[int]] = {}
    for line, code in invisible_lines(current.text, current.start):
        if line <= last:
            invisible.setdefault(code, []).append(line)
    if invisible:
        shown = ", ".join(f"{code} on {line_ranges(lines)}" for code, lines in list(invisible.items())[:4])
        notices.append(f"invisible: {shown}{', ...' if len(invisible) > 4 else ''}")
    return tuple(notices)


def _fences(file: TextFile, path: str, current: Page) -> tuple[str, list[Fence]]:
    """Give the opening line of the fence that the page begins inside of, and the page's fences by its own lines."""
    if not is_markdown(path) or file.total_bytes > MAX_FENCED_CHARS:
        return "", []
    reopen, own = "", []
    for fence in fences(file.window(1, 0, MAX_FENCED_CHARS).text):
        if fence.last_line < current.start:
            continue
        inside = fence.first_line < current.start or (fence.first_line == current.start and current.offset > 0)
        if inside:
            reopen = clipped_opening(fence.opening)
        last = fence.last_line if fence.closed else fence.last_line + 1
        own.append(
            Fence(max(0, fence.first_line - current.start + 1), last - current.start + 1, fence.opening, fence.closed)
        )
    return reopen, own


def clipped_opening(opening: str) -> str:
    """Shorten the words after a fence's marker; the marker is what reopens it."""
    if len(opening) <= MAX_OPENING:
        return opening
    marker = fence_marker(opening)
    return opening[: max(MAX_OPENING, len(marker) + 1)].rstrip()


def _breaks(path: str, text: str, fenced: list[Fence]) -> Breaks:
    if is_markdown(path):
        outside = [
            tuple(n for n in level if not any(f.first_line <= n < f.last_line for f in fenced))
            for level in markdown_breaks(text)
        ]
        return Breaks(tuple(outside), [(f.first_line, f.last_line, f.opening) for f in fenced])
    from indexer.breaks import code_breaks

    return Breaks(code_breaks(path, text))

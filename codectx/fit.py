"""Choose what of an answer is shown within a limit: the one place where anything is cut.

``fit`` gives the text, ``codectx.fit_json`` the same answer as JSON, ``clip`` guards any other text. Laws, tested
as properties: the text never has more tokens than the limit, header and notices counted; it is made of whole
blocks, or of whole lines of the first one; no Markdown fence is left open; a cut names the call that goes on
at exactly that place. Nothing here knows of files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from codectx.answer import ADDED, Answer, Block, Breaks, Frame, Shown
from codectx.call import Call
from codectx.errors import invalid_argument
from codectx.tokens import Counter

LEFT_OUT_SHARE = 8  # the names of what lies beyond a cut take at most an eighth of the limit
_NAMES_FRAME = 14  # tokens of "[left out: , +1000 more]" and its line break, rounded up
_MAX_NAMES = 200  # of these that can ever fit in such a share
_LOOKAHEAD = 4000  # characters behind the longest cut that break finders see, to tell whole from torn


@dataclass(frozen=True, slots=True)
class Fitted:
    """Hold a text within its limit, and what is told of it.

    Attributes:
        text: the whole answer: header, content, notices.
        truncated: whether anything was left out.
        next: the call that goes on, None where nothing was left out.
    """

    text: str
    truncated: bool = False
    next: Call | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """Hold one way to end an answer: how far it goes, the frame for it, and the content."""

    shown: Shown
    frame: Frame
    content: str
    closing: str = ""  # a fence line of ours after the content


def fit(answer: Answer, limit: int, counter: Counter, *, max_tokens: int | None = None) -> Fitted:
    """Give the answer's text in at most ``limit`` tokens.

    Args:
        answer: what the tool offers.
        limit: tokens, everything included.
        counter: counts them.
        max_tokens: the limit that the caller asked for, if so: the next call repeats it.

    Raises:
        UserError: invalid_argument when not even header, notice and some content fit.
    """
    if answer.shorter is not None and _is_shorter(answer.shorter, answer, counter):
        shorter = fit(answer.shorter, limit, counter, max_tokens=max_tokens)
        if not shorter.truncated:
            return shorter
    if answer.complete:
        text = _text(answer, whole(answer))
        if counter.fits(text, limit):
            return Fitted(text)
    cut = choose(answer, limit, counter, max_tokens)
    return Fitted(_text(answer, cut), True, cut.frame.next)


def clip(text: str, limit: int, counter: Counter) -> str:
    """Give a text that nobody prepared for cutting in at most ``limit`` tokens; the cut is told."""
    if counter.fits(text, limit):
        return text
    notice = "\n[cut: this text is longer than its limit]"
    end = counter.prefix(text, limit - counter.count(notice) - 1)
    line_end = text.rfind("\n", 0, end)
    end = line_end if line_end > end // 2 else end
    while end and not counter.fits(text[:end] + notice, limit):
        end -= max(1, end // 32)
    return text[:end] + notice


def choose(answer: Answer, limit: int, counter: Counter, max_tokens: int | None = None) -> Cut:
    """Find the best place to end an answer that is too long; see ``fit``."""
    spare = 0
    while True:
        cut = _attempt(answer, limit - spare, counter, max_tokens)
        if cut is None:
            least = _frame_cost(answer, Shown(0, lines=1), counter, max_tokens) + counter.count(answer.reopen) + 40
            raise invalid_argument(
                f"max_tokens is {limit}, too little for this header and next call",
                f"use at least {max(least, limit + 1)}",
            )
        over = counter.count(_text(answer, cut)) - limit
        if over <= 0:
            return cut
        spare += over


def _attempt(answer: Answer, limit: int, counter: Counter, max_tokens: int | None) -> Cut | None:
    """Choose by estimated costs: those of the parts added up, which may be some tokens off."""
    first = Shown(0, lines=1) if answer.blocks and answer.blocks[0].breaks else Shown(min(len(answer.blocks), 1))
    names = _names_cost(framed(answer, first, max_tokens).left_out, limit, counter)
    room = limit - _frame_cost(answer, first, counter, max_tokens) - names
    blocks, short = _count_blocks(answer.blocks, room, counter)
    if blocks == len(answer.blocks) and answer.complete and not short:
        blocks -= 1  # everything seemed to fit, and did not
    if blocks <= 0:
        if room <= 0 or not answer.blocks:
            return None
        cut = _inside(answer, limit, room, counter, max_tokens)
    else:
        shown = Shown(blocks, short=short)
        parts = [block.forms[0] for block in answer.blocks[:blocks]]
        parts += [block.forms[-1] for block in answer.blocks[blocks : blocks + short]]
        cut = Cut(shown, framed(answer, shown, max_tokens), "".join(parts))
    return cut and replace(cut, frame=_with_left_out(cut.frame, names, counter))


def _count_blocks(blocks: Sequence[Block], room: int, counter: Counter) -> tuple[int, int]:
    """Give how many leading blocks are shown in full, and how many after them in their shortest form.

    Short forms may take half of the room, so that every answer moves on by at least the other half.
    """
    shortest = [counter.count(block.forms[-1]) if len(block.forms) > 1 else 0 for block in blocks]
    rest, used, full = sum(shortest), 0, 0
    for block, short in zip(blocks, shortest, strict=True):
        if not counter.fits(block.forms[0], room):
            break
        cost = counter.count(block.forms[0])
        if used + cost + min(rest - short, room // 2) > room:
            break
        used, rest, full = used + cost, rest - short, full + 1
    room -= used
    brief = 0
    for short in shortest[full:]:
        if short == 0 or short > room:
            break
        room, brief = room - short, brief + 1
    return full, brief


def _inside(answer: Answer, limit: int, room: int, counter: Counter, max_tokens: int | None) -> Cut | None:
    """Cut inside the first block: after a good line, else after any line, else inside one."""
    block = answer.blocks[0]
    text = block.forms[0]
    if block.breaks is None:
        return _shortened(answer, room, counter, max_tokens)
    room -= counter.count(answer.reopen + ADDED) + 1 if answer.reopen else 0
    closing = ""
    for _ in range(2):  # a second time, with room for the line that closes a fence
        fits = counter.prefix(text, room - (counter.count(closing) + 1 if closing else 0))
        if answer.complete and len(answer.blocks) == 1:
            fits = min(fits, len(text) - 1)  # it is known not to fit whole
        breaks = block.breaks(text[: fits + _LOOKAHEAD])
        end, lines = _good_end(text, fits, breaks, limit, counter)
        if end == 0:
            return None
        torn = text[end - 1] != "\n" and end < len(text)
        closing = _closing(breaks, lines, torn)
        if counter.count(text[:end] + closing) <= room:
            break
    chars = end - (text.rfind("\n", 0, end) + 1) if torn else 0
    shown = Shown(0, lines=lines, chars=chars)
    return Cut(shown, framed(answer, shown, max_tokens), text[:end], closing)


def _good_end(text: str, fits: int, breaks: Breaks, limit: int, counter: Counter) -> tuple[int, int]:
    """Give the number of characters and of whole lines to show, at most ``fits`` characters.

    A good place counts only if it leaves at least half of the limit; so does the end of a line.
    """
    ends = [0]  # ends[n]: characters of the first n lines
    at = text.find("\n", 0, fits) + 1
    while at:
        ends.append(at)
        at = text.find("\n", at, fits) + 1
    most = len(ends) - 1
    if fits == len(text) and not text.endswith("\n"):
        ends.append(fits)
        most += 1
    enough = min(limit // 2, counter.count(text[:fits]))
    for level in (*breaks.levels, (most,)):
        lines = max((n for n in level if n <= most), default=0)
        if lines and counter.count(text[: ends[lines]]) >= enough:
            return ends[lines], lines
    if most and counter.count(text[: ends[most]]) * 10 >= enough * 9:
        return ends[most], most  # nearly half, and no line is torn
    return fits, most


def _closing(breaks: Breaks, lines: int, torn: bool) -> str:
    """Give the line that closes the fence which a cut after ``lines`` lines leaves open, or nothing."""
    for first, last, opening in breaks.fences:
        inside = first <= lines < last or (torn and first <= lines and lines + 1 <= last)
        if inside:
            return ("\n" if torn else "") + fence_marker(opening) + ADDED + "\n"
    return ""


def fence_marker(opening: str) -> str:
    """Give the line that closes a fence, from its opening line: same indentation, same run."""
    lead = len(opening) - len(opening.lstrip(" \t>"))
    body = opening[lead:]
    if body[:1] not in "`~":  # a list item's bullet stands before the fence
        bullet = min((at for at in (body.find("```"), body.find("~~~")) if at >= 0), default=0)
        lead, body = lead + bullet, body[bullet:]
        opening = opening[: lead - bullet] + " " * bullet + body
    run = len(body) - len(body.lstrip(body[:1]))
    return opening[:lead] + body[:run]


def _shortened(answer: Answer, room: int, counter: Counter, max_tokens: int | None) -> Cut | None:
    """Show the first block alone, shortened: by its own forms, else torn and marked with ``...``."""
    shown = Shown(1)
    frame = framed(answer, shown, max_tokens)
    for form in answer.blocks[0].forms[1:]:
        if form and counter.fits(form, room):
            return Cut(shown, frame, form)
    text = answer.blocks[0].forms[-1] or answer.blocks[0].forms[0]
    end = counter.prefix(text, room - 2)
    return Cut(shown, frame, text[:end].rstrip("\n") + " ...\n") if end else None


def whole(answer: Answer) -> Cut:
    """Give the answer uncut."""
    shown = Shown(len(answer.blocks), whole=True)
    content = "".join(block.forms[0] for block in answer.blocks)
    closing = ""
    if answer.close:
        closing = ("" if content.endswith("\n") else "\n") + answer.close + ADDED + "\n"
    return Cut(shown, answer.frame(shown), content, closing)


def _is_shorter(other: Answer, answer: Answer, counter: Counter) -> bool:
    """Compare two answers; the ranks are needed only where characters do not decide."""
    if not other.complete:
        return False
    ours, theirs = _text(answer, whole(answer)), _text(other, whole(other))
    if len(theirs) > 3 * len(ours):  # no text has three times the characters a token of another here
        return False
    return len(theirs) <= len(ours) // 3 or counter.count(theirs) <= counter.count(ours)


def framed(answer: Answer, shown: Shown, max_tokens: int | None) -> Frame:
    """Give the frame for a place; its next call repeats the limit that the caller asked for."""
    frame = answer.frame(shown)
    if frame.next is None or max_tokens is None:
        return frame
    return replace(frame, next=Call(frame.next.tool, {**frame.next.arguments, "max_tokens": max_tokens}))


def _names_cost(names: Sequence[str], limit: int, counter: Counter) -> int:
    return (
        min(limit // LEFT_OUT_SHARE, sum(counter.count(name + ", ") for name in names[:_MAX_NAMES]) + _NAMES_FRAME)
        if names
        else 0
    )


def _with_left_out(frame: Frame, room: int, counter: Counter) -> Frame:
    """Keep as many of the left-out names as fit, and say how many more there are."""
    room -= _NAMES_FRAME
    kept: list[str] = []
    for name in frame.left_out:
        room -= counter.count(name + ", ")
        if room < 0:
            break
        kept.append(name)
    if not kept:
        return replace(frame, left_out=())
    more = len(frame.left_out) - len(kept)
    return replace(frame, left_out=(*kept, f"+{more} more") if more else tuple(kept))


def _frame_cost(answer: Answer, shown: Shown, counter: Counter, max_tokens: int | None) -> int:
    frame = replace(framed(answer, shown, max_tokens), left_out=())
    return counter.count(_text(replace(answer, reopen=""), Cut(shown, frame, ""))) + 2


def _text(answer: Answer, cut: Cut) -> str:
    parts = [cut.frame.head + "\n"] if cut.frame.head else []
    if answer.reopen:
        parts.append(answer.reopen + ADDED + "\n")
    parts += [cut.content, cut.closing]
    lines = notices(answer, cut)
    if lines and not (cut.closing or cut.content or "\n").endswith("\n"):
        parts.append("\n")
    parts += [f"[{line}]\n" for line in lines]
    text = "".join(parts)
    return text[:-1] if lines else text


def notices(answer: Answer, cut: Cut) -> list[str]:
    """Give the closing notices of an answer, without brackets; the cut, if any, comes last."""
    lines = [*answer.notices, *cut.frame.notices]
    if cut.frame.left_out:
        lines.append(f"left out: {', '.join(cut.frame.left_out)}")
    if not cut.shown.whole:
        lines.append(f"cut: {cut.frame.shown} of {cut.frame.total} {cut.frame.unit} shown. next: {cut.frame.next}")
    return lines

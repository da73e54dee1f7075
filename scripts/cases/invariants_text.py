"""Judge what must hold of an answer's text as such: whole lines, pages, fences, characters, told secrets.

``INVARIANTS`` maps the tokens to functions that give the reasons why one does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from cases.answer import ADDED
from cases.checks_text import AnyReply, Reasons, shown
from cases.fences import left_open
from cases.filetext import decode, escapes_of, is_invisible, lines_of, without_invisible
from cases.pages import file_text, next_position, pages_of, position_of, range_in_file, records_of, shown_range
from cases.reply import Reply
from cases.stage import Stage

Invariant = Callable[[Any, Any, Stage], Reasons]

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_RUN = re.compile(r" {0,3}(`{3,}|~{3,})")


def fences_balanced(_value: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that the content leaves no fence open; the mark of an added fence line is not a part of it."""
    text = "\n".join(line.removesuffix(ADDED) for line in reply.parts.content.split("\n"))
    if fence := left_open(text):
        yield f"the fence {fence.run} on line {fence.opens} of the content is left open"


def whole_lines_only(_value: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that the content is whole lines of the file, those that the header names."""
    first, last = shown_range(reply)
    wanted = "".join(lines_of(file_text(reply))[first - 1 : last])
    if reply.parts.offset or reply.parts.own != wanted:
        yield f"the content is not lines {first}-{last} of the file: {shown(reply.parts.own)}"


def next_continues(_value: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that the next call goes on right after the last position shown."""
    if reply.tool not in ("read_file", "read_lines"):
        yield from _records_continue(reply, stage)
        return
    text = file_text(reply)
    begin = position_of(text, reply)
    end = begin + len(reply.parts.own)
    if text[begin:end] != reply.parts.own:
        yield f"the content is not the file's from position {begin} on"
        return
    path, position = next_position(text, reply)
    if path != reply.parts.path:
        yield f"the next call names {path}, not {reply.parts.path}"
    if position != end or end <= begin:
        yield f"the next call goes on at character {position}; shown are {begin} to {end}"


def pages_rebuild_file(_value: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that the pages together are the file's text."""
    rebuilt = "".join(page.parts.own for page in pages_of(reply, stage))
    text = file_text(reply)
    if rebuilt != text:
        at = next(
            (n for n, (a, b) in enumerate(zip(rebuilt, text, strict=False)) if a != b), min(len(rebuilt), len(text))
        )
        yield (
            f"the pages give {len(rebuilt)} characters of {len(text)}, and differ from {at} on: "
            f"{shown(rebuilt[at : at + 60])} for {shown(text[at : at + 60])}"
        )


def pages_find_all(value: int, reply: Reply, stage: Stage) -> Reasons:
    """Hold that following the next calls gives so many matches, none twice."""
    found = [(record["path"], record["line"]) for record in records_of(reply, stage)]
    if len(set(found)) != len(found):
        yield f"{len(found) - len(set(found))} matches come twice"
    if len(set(found)) != value:
        yield f"the pages give {len(set(found))} matches, not {value}"


def last_line_mod(value: Mapping[str, Any], reply: Reply, _stage: Stage) -> Reasons:
    """Hold where the answer ends, modulo a number of lines."""
    _, last = shown_range(reply)
    rest = last % value["divisor"]
    if rest not in value["in"]:
        yield f"the last line shown is {last}, {rest} modulo {value['divisor']}, not in {value['in']}"


def long_line_address(value: Mapping[str, Any], reply: Reply, _stage: Stage) -> Reasons:
    """Hold that the answer gives an address inside a line."""
    if not re.search(rf"{re.escape(value['path'])}:{value['line']}@\d+", reply.text):
        yield f"no address {value['path']}:{value['line']}@OFFSET in {shown(reply.text[-300:])}"


def text_is_prefix(_value: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that the content is a prefix of the file's text."""
    if not reply.parts.own or not file_text(reply).startswith(reply.parts.own):
        yield f"the content is no prefix of the file: {shown(reply.parts.own)}"


def hunks_whole(_value: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that each hunk of a diff has as many lines as it says."""
    lines = reply.parts.content.split("\n")
    heads = [number for number, line in enumerate(lines) if _HUNK.match(line)]
    for number in heads:
        found = _HUNK.match(lines[number])
        old, new = (int(count) if count else 1 for count in (found.groups() if found else ("0", "0")))
        at = number + 1
        while at < len(lines) and (old > 0 or new > 0) and lines[at][:1] in (" ", "-", "+", "\\", ""):
            sign = lines[at][:1] or " "
            old -= sign in " -"
            new -= sign in " +"
            at += 1
        if old or new:
            yield f"the hunk {shown(lines[number])} lacks {old} old and {new} new lines"


def valid_utf8(_value: Any, reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that what was written is UTF-8 without lone surrogates, escaped or not."""
    lines = [stage.raw_line(reply), stage.json_line(reply)] if isinstance(reply, Reply) else [reply.line]
    for line in lines:
        yield from _sound(line)
    texts = [reply.answer] if isinstance(reply, Reply) else [reply.text]
    if any("\ud800" <= char <= "\udfff" for text in texts for char in text):
        yield "a lone surrogate in the answer"


def _sound(line: bytes) -> Reasons:
    if not line:
        yield "nothing was written"
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as problem:
        yield f"no UTF-8: {problem}"
        return
    pairs = re.sub(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}", "", text)
    if found := re.search(r"(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F][0-9a-fA-F]{2}", pairs):
        yield f"a lone surrogate: {shown(found[0])}"


def no_fffd_added(_value: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that the content has no more replacement characters than that part of the file."""
    added = reply.parts.content.count("\ufffd") - range_in_file(reply).count("\ufffd")
    if added > 0:
        yield f"{added} replacement characters were added"


def invisible_told(value: Mapping[str, Any], reply: Reply, _stage: Stage) -> Reasons:
    """Hold that invisible characters on a line are told in a notice, or shown as escapes."""
    number = value["line"]
    told = any(
        re.search(r"invisible|control|bidirectional", notice, re.IGNORECASE) and number in _numbers(notice)
        for notice in reply.parts.notices
    )
    source = lines_of(decode((reply.root / reply.parts.path).read_bytes()))
    hidden = {char for char in source[number - 1].rstrip("\r\n") if is_invisible(char)}
    if not hidden:
        yield f"broken case: nothing is invisible on line {number}"
    content = reply.parts.content.lower()
    escaped = all(any(escape.lower() in content for escape in escapes_of(char)) for char in hidden)
    if not told and not escaped:
        yield f"nothing tells of the invisible characters on line {number}: {reply.parts.notices}"


def visible_text_unchanged(_value: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that the content equals the file but for invisible characters."""
    found = lines_of(without_invisible(reply.parts.own))
    wanted = lines_of(without_invisible(range_in_file(reply)))
    if len(found) != len(wanted):
        yield f"{len(found)} lines instead of {len(wanted)}"
    for number, (ours, theirs) in enumerate(zip(found, wanted, strict=False), reply.parts.start or 1):
        if ours.rstrip("\r\n") != theirs.rstrip("\r\n"):
            yield f"line {number} reads {shown(ours)}, not {shown(theirs)}"
            return


def masked_lines_told(value: Sequence[int], reply: Reply, _stage: Stage) -> Reasons:
    """Hold that a notice names these lines as masked."""
    notices = [notice for notice in reply.parts.notices if "masked" in notice.lower()]
    told = {number for notice in notices for number in _numbers(notice)}
    yield from (f"no notice names line {line} as masked: {notices}" for line in value if line not in told)


def notices_lack(value: Sequence[str], reply: AnyReply, _stage: Stage) -> Reasons:
    """Hold that header, notices and next calls have none of these texts."""
    replies = (
        [reply] if isinstance(reply, Reply) else [r for s in reply.servers for rs in s.replies.values() for r in rs]
    )
    frame = "\n".join("\n".join((one.parts.head, *one.parts.notices)) for one in replies)
    yield from (f"{shown(part)} is outside the content" for part in value if part.casefold() in frame.casefold())


def fence_outlasts_content(_value: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that a fence around content is longer than any run of its character inside."""
    file = reply.root / reply.parts.path
    verbatim = reply.tool in ("read_file", "read_lines") and file.is_file()
    if verbatim and reply.parts.own == range_in_file(reply):
        return  # nothing is fenced
    lines = reply.answer.split("\n")
    at = 0
    while at < len(lines):
        opened = _RUN.match(lines[at])
        if opened is None:
            at += 1
            continue
        run = opened[1]
        closing = [n for n in range(at + 1, len(lines)) if re.fullmatch(rf" {{0,3}}{run}\s*", lines[n])]
        if not closing:
            yield f"the fence {run} on line {at + 1} is not closed"
            return
        inside = "\n".join(lines[at + 1 : closing[-1]])
        longest = max((len(found) for found in re.findall(rf"{re.escape(run[0])}+", inside)), default=0)
        if longest >= len(run):
            yield f"the fence {run} holds a run of {longest}"
        at = closing[-1] + 1


def _records_continue(reply: Reply, stage: Stage) -> Iterator[str]:
    """Hold that the pages of a list are disjoint and make up the whole."""
    records = records_of(reply, stage)
    keys = [str(sorted(record.items())) for record in records]
    total = next(
        (n for key, n in stage.structured(reply).items() if key.startswith("total_") and key != "total_tokens"), None
    )
    if len(set(keys)) != len(keys):
        yield "the next call gives again what was shown"
    if total is not None and len(keys) != total:
        yield f"the pages give {len(keys)} of {total}"


def _numbers(notice: str) -> set[int]:
    """Give the line numbers that a notice names, ranges spelled out."""
    numbers: set[int] = set()
    for first, last in re.findall(r"(?<![\w+])(\d+)(?:\s*[-–]\s*(\d+))?(?!\w)", notice):
        numbers |= set(range(int(first), int(last or first) + 1))
    return numbers


INVARIANTS: dict[str, Invariant] = {
    function.__name__: function
    for function in (
        fences_balanced,
        whole_lines_only,
        next_continues,
        pages_rebuild_file,
        pages_find_all,
        last_line_mod,
        long_line_address,
        text_is_prefix,
        hunks_whole,
        valid_utf8,
        no_fffd_added,
        invisible_told,
        visible_text_unchanged,
        masked_lines_told,
        notices_lack,
        fence_outlasts_content,
    )
}

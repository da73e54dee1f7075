"""Follow an answer's next calls, and find where an answer stands in its file: ``pages_of``, ``position_of``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cases import product
from cases.checks_text import shown
from cases.filetext import decode, lines_of
from cases.reply import Reply
from cases.stage import Stage
from cases.verdict import CheckError

MOST_PAGES = 1000
_INSIDE = re.compile(r"(.+):(\d+)@(\d+)(?:-\d*)?")
_LINES = re.compile(r"(.+):(\d+)(?:-\d*)?")


def pages_of(reply: Reply, stage: Stage) -> list[Reply]:
    """Give an answer and those of its next calls, until there is none."""
    pages, seen = [reply], {""}
    while (cut := pages[-1].parts.cut) is not None:
        if cut.call in seen or len(pages) > MOST_PAGES:
            raise CheckError(f"the next calls go round in a circle, or on for more than {MOST_PAGES} pages: {cut.call}")
        seen.add(cut.call)
        following = stage.tool_again(reply, *_parsed(cut.call))
        if following.failed:
            raise CheckError(f"the next call {shown(cut.call)} is refused: {shown(following.text)}")
        pages.append(following)
    return pages


def records_of(reply: Reply, stage: Stage) -> list[Mapping[str, Any]]:
    """Give the records of a structured answer and of those of its next calls."""
    records: list[Mapping[str, Any]] = []
    data = stage.structured(reply)
    seen: set[str] = set()
    while True:
        key = next((name for name in product.RECORDS if name in data), None)
        if key is None:
            raise CheckError(f"no records in the structured answer: {sorted(data)}")
        records += data[key]
        following = data.get("next")
        if not following:
            return records
        if str(following) in seen or len(seen) > MOST_PAGES:
            raise CheckError(f"the next calls go round in a circle: {following}")
        seen.add(str(following))
        data = stage.structured(stage.tool_again(reply, following["tool"], following["args"], as_json=True))


def file_text(reply: Reply) -> str:
    """Give the decoded text of the file that an answer's header names."""
    file = reply.root / reply.parts.path
    if not file.is_file():
        raise CheckError(f"the header {shown(reply.parts.head)} names no file")
    return decode(file.read_bytes())


def shown_range(reply: Reply) -> tuple[int, int]:
    """Give the first and last line that the header names; of an empty file 1 and 0."""
    start, end = reply.parts.start, reply.parts.end
    if start is None or end is None:
        if reply.parts.content:
            raise CheckError(f"the header {shown(reply.parts.head)} names no lines")
        return 1, 0
    return start, end


def position_of(text: str, reply: Reply) -> int:
    """Give the character of the file at which an answer begins."""
    first, _ = shown_range(reply)
    return _start_of(text, first) + reply.parts.offset


def range_in_file(reply: Reply) -> str:
    """Give the part of the file that an answer shows, by its header and length."""
    text = file_text(reply)
    first, last = shown_range(reply)
    if reply.parts.cut is not None or reply.parts.offset:
        begin = position_of(text, reply)
        return text[begin : begin + len(reply.parts.own)]
    return "".join(lines_of(text)[first - 1 : last])


def next_position(text: str, reply: Reply) -> tuple[str, int]:
    """Give path and character of the file at which the next call goes on."""
    if reply.parts.cut is None:
        raise CheckError("there is no next call")
    tool, args = _parsed(reply.parts.cut.call)
    if tool not in ("read_lines", "read_file"):
        raise CheckError(f"the next call is one of {tool}")
    path = str(args["path"])
    if inside := _INSIDE.fullmatch(path):
        return inside[1], _start_of(text, int(inside[2])) + int(inside[3])
    lines = _LINES.fullmatch(path)
    if lines and not (reply.root / path).exists():
        return lines[1], _start_of(text, int(lines[2]))
    return path, _start_of(text, int(args.get("start", 1)))


def _start_of(text: str, line: int) -> int:
    return sum(map(len, lines_of(text)[: line - 1]))


def _parsed(call: str) -> tuple[str, dict[str, Any]]:
    try:
        return product.parse_call(call)
    except ValueError as problem:
        raise CheckError(f"the next call {shown(call)} cannot be read: {problem}") from problem

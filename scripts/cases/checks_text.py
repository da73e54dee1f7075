"""Judge an answer's outcome and text: one function for each key, giving the reasons why it does not hold.

``CHECKS`` maps the keys to them. Each takes the expected value, the whole expectation, the reply and the stage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cases import product
from cases.answer import ADDED
from cases.reply import Reply, ScriptReply
from cases.schema import CATEGORIES
from cases.stage import Stage
from cases.verdict import UnavailableError

AnyReply = Reply | ScriptReply
Reasons = Iterator[str]
Check = Callable[[Any, Mapping[str, Any], Any, Stage], Reasons]

_TRACEBACK = "Traceback (most recent call last)"
_STATED = {
    "total_lines": re.compile(r"(?<![\d-])([\d,]+) lines?\b"),
    "total_matches": re.compile(r"(?<![\d-])([\d,]+) match(?:es)?\b"),
    "total_symbols": re.compile(r"(?<![\d-])([\d,]+) symbols?\b"),
}


def shown(text: str, length: int = 200) -> str:
    """Give a text short enough for a reason."""
    return repr(text if len(text) <= length else text[: length // 2] + " ... " + text[-length // 2 :])


def ok(_value: bool, _expect: Any, reply: AnyReply, _stage: Stage) -> Reasons:
    """Hold that there is no error."""
    if reply.crashed:
        yield f"the call broke: {reply.crashed}"
    elif reply.failed:
        yield f"an error: {shown(reply.text.strip())}"


def error(value: str | list[str], _expect: Any, reply: AnyReply, _stage: Stage) -> Reasons:
    """Hold that the call ends with an error of a category, told in the right form."""
    wanted = CATEGORIES if value == "any" else [value] if isinstance(value, str) else value
    if reply.crashed:
        yield f"the call broke: {reply.crashed}"
        return
    if _TRACEBACK in reply.text:
        yield "a traceback"
    if isinstance(reply, Reply) and reply.rpc_error is not None:
        if value != "any":
            yield f"a JSON-RPC error, not error[{'|'.join(wanted)}]: {shown(reply.answer)}"
        return
    if not reply.failed:
        yield f"no error, but {shown(reply.text)}"
        return
    told = reply.error
    if told is None:
        yield f"the text reads not `error[CATEGORY]: what; remedy`: {shown(reply.text)}"
        return
    category, message = told
    if category not in wanted:
        yield f"error[{category}], not {'|'.join(wanted)}: {shown(message)}"
    if "; " not in message:
        yield f"the error has no remedy: {shown(message)}"
    due = product.EXIT_LOCKED if category == "store_locked" else product.EXIT_FAILED
    if reply.door == "cli" and reply.exit_codes != [due]:
        yield f"exit code {reply.exit_codes[0]}, not {due}"


def exit_code(value: int | list[int], _expect: Any, reply: AnyReply, _stage: Stage) -> Reasons:
    """Hold that the command, or each server, ends with this code."""
    wanted = [value] if isinstance(value, int) else value
    for code in reply.exit_codes:
        if code not in wanted:
            yield f"exit code {code}, not {' or '.join(map(str, wanted))}: {shown(reply.text.strip())}"


def max_seconds(value: float, _expect: Any, reply: AnyReply, _stage: Stage) -> Reasons:
    """Hold that it took no longer."""
    if reply.seconds > value:
        yield f"took {reply.seconds:.1f} s, more than {value}"


def files_absent(value: list[str], _expect: Any, _reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that there are no such files in the root."""
    for path in value:
        if (stage.place.root / path).exists():
            yield f"there is a file {path}"


def mentions(value: list[str | list[str]], _expect: Any, reply: AnyReply, _stage: Stage) -> Reasons:
    """Hold that the text has each item, ignoring case."""
    text = reply.text.casefold()
    for item in value:
        words = [item] if isinstance(item, str) else item
        if not any(word.casefold() in text for word in words):
            yield f"no mention of {' or '.join(map(repr, words))} in {shown(reply.text)}"


def text_contains(value: list[str], _expect: Any, reply: AnyReply, _stage: Stage) -> Reasons:
    """Hold that the text has all of these."""
    yield from (f"the text lacks {shown(part)}: {shown(reply.text)}" for part in value if part not in reply.text)


def text_lacks(value: list[str], _expect: Any, reply: AnyReply, _stage: Stage) -> Reasons:
    """Hold that the text has none of these."""
    yield from (f"the text has {shown(part)}: {shown(reply.text)}" for part in value if part in reply.text)


def text_exact(value: str, _expect: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that the content is this; of ``read_lines`` without its last line break."""
    content = reply.parts.content
    if reply.tool == "read_lines":
        content = re.sub(r"\r?\n\Z", "", content)
    if content != value:
        yield f"the content is {shown(content)}, not {shown(value)}"


def text_starts_with(value: str, _expect: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that the content starts with this."""
    if not reply.parts.content.startswith(value):
        yield f"the content starts with {shown(reply.parts.content[: len(value) + 20])}"


def lines(value: list[int], _expect: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that the header names this range."""
    if [reply.parts.start, reply.parts.end] != value:
        yield f"the header {shown(reply.parts.head)} does not name lines {value[0]}-{value[1]}"


def min_lines(value: int, _expect: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that the content has so many lines at least."""
    if len(reply.parts.lines) < value:
        yield f"{len(reply.parts.lines)} lines, less than {value}"


def path(value: str, _expect: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that the header names this path."""
    if reply.parts.path != value:
        yield f"the header {shown(reply.parts.head)} does not name {value}"


def files_named(value: list[str], _expect: Any, reply: AnyReply, _stage: Stage) -> Reasons:
    """Hold that each path is in the text."""
    yield from (f"the text does not name {name}" for name in value if name not in reply.text)


def max_tokens(value: int | str, _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that the whole text has at most so many tokens by the product's counter."""
    limit = value
    if value == "schema_minimum":
        listed = stage.listed(reply)["tools"][reply.tool]["schema"]["properties"]
        limit = listed.get("max_tokens", {}).get("minimum")
        if limit is None:
            yield f"the schema of {reply.tool} has no minimum for max_tokens"
            return
    count = product.count_tokens(reply.text)
    if count > int(limit):
        yield f"{count} tokens, more than {limit}"


def min_tokens(value: int, _expect: Any, reply: AnyReply, _stage: Stage) -> Reasons:
    """Hold that the whole text has at least so many tokens."""
    count = product.count_tokens(reply.text)
    if count < value:
        yield f"{count} tokens, less than {value}"


def max_bytes(value: int, _expect: Any, reply: AnyReply, stage: Stage) -> Reasons:
    """Hold that the text, or the response line, has at most so many bytes."""
    line = stage.raw_line(reply) if isinstance(reply, Reply) else reply.line
    beside = "" if isinstance(reply, ScriptReply) else reply.stderr
    size = len(line) + len(beside.encode())
    if size > value or not line + beside.encode():
        yield f"{size} bytes, more than {value}" if size else "nothing was written"


def truncated(value: bool, _expect: Any, reply: Reply, stage: Stage) -> Reasons:
    """Hold that the answer is a cut one, told in text and structure, with a next call that is accepted."""
    cut = None if reply.is_json else reply.parts.cut
    if not reply.is_json:
        last = reply.parts.notices[-1] if reply.parts.notices else ""
        if value and (cut is None or not last.startswith("[cut:")):
            yield f"the answer does not end with a notice of a cut: {shown(reply.text[-200:])}"
        elif not value and any(notice.startswith("[cut") for notice in reply.parts.notices):
            yield f"the answer ends with {shown(last)}"
    if cut is not None and value:
        if cut.shown >= cut.total:
            yield f"the notice says that {cut.shown} of {cut.total} are shown"
        yield from _accepted(cut.call, reply, stage)
    if reply.tool in product.FIRST:
        yield from _truncated_data(value, stage.structured(reply), reply, stage)


def fence(value: Mapping[str, Any], _expect: Any, reply: Reply, _stage: Stage) -> Reasons:
    """Hold that a fence of the file is closed by an added line if the answer ends in it."""
    end, content_lines = reply.parts.end, reply.parts.lines
    if end is None:
        yield f"the header {shown(reply.parts.head)} names no lines"
        return
    last = content_lines[-1] if content_lines else ""
    if value["opens"] <= end < value["closes"]:
        marker = last.removesuffix(ADDED).strip().lstrip("> ")
        if not last.endswith(ADDED) or marker != value["marker"]:
            yield f"line {end} is inside the fence, and the content ends with {shown(last)}"
    elif last.endswith(ADDED):
        yield f"line {end} is outside the fence, and the content ends with {shown(last)}"


def stated(key: str) -> Check:
    """Give the check that the answer states a number: in header or notice, or in the structured answer."""

    def check(value: int, _expect: Any, reply: Reply, stage: Stage) -> Reasons:
        told = "\n".join((reply.parts.head, *reply.parts.notices))
        numbers = [int(found.replace(",", "")) for found in _STATED[key].findall(told)]
        if reply.parts.cut is not None and key.removeprefix("total_") in reply.parts.notices[-1]:
            numbers.append(reply.parts.cut.total)
        if value not in numbers:
            given = stage.structured(reply).get(key)
            if given != value:
                yield f"{key} is {given} in the structured answer and {numbers or 'not told'} in the text, not {value}"

    return check


def _accepted(call: str, reply: Reply, stage: Stage) -> Reasons:
    try:
        tool, args = product.parse_call(call)
    except ValueError as problem:
        yield f"the next call cannot be read: {problem}"
        return
    after = stage.tool_again(reply, tool, args)
    if after.failed:
        yield f"the next call {shown(call)} is refused: {shown(after.text)}"


def _truncated_data(value: bool, data: Mapping[str, Any], reply: Reply, stage: Stage) -> Reasons:
    if data.get("truncated") is not value:
        yield f"structured: truncated is {data.get('truncated')!r}"
    if not value:
        return
    total, returned = data.get("total_tokens"), data.get("returned_tokens")
    if not isinstance(total, int) or not isinstance(returned, int) or returned >= total:
        yield f"structured: returned_tokens {returned!r} of total_tokens {total!r}"
    following = data.get("next")
    if not isinstance(following, Mapping) or not following.get("tool"):
        yield f"structured: next is {following!r}"
        return
    try:
        after = stage.tool_again(reply, following["tool"], following.get("args") or {}, as_json=True)
    except (KeyError, UnavailableError) as problem:
        yield f"structured: the next call {following!r} cannot be made: {problem}"
        return
    if after.failed:
        yield f"structured: the next call {following!r} is refused: {shown(after.text)}"


CHECKS: dict[str, Check] = {
    "ok": ok,
    "error": error,
    "exit_code": exit_code,
    "max_seconds": max_seconds,
    "files_absent": files_absent,
    "mentions": mentions,
    "text_contains": text_contains,
    "text_lacks": text_lacks,
    "text_exact": text_exact,
    "text_starts_with": text_starts_with,
    "lines": lines,
    "min_lines": min_lines,
    "path": path,
    "files_named": files_named,
    "max_tokens": max_tokens,
    "min_tokens": min_tokens,
    "max_bytes": max_bytes,
    "truncated": truncated,
    "fence": fence,
    **{key: stated(key) for key in _STATED},
}

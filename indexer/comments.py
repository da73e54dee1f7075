"""Turn a comment or docstring, in whatever marks it is written, into one sentence: ``description``.

Which comment belongs to which definition is decided in describe.py; what in it says nothing is known by noise.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from indexer.noise import ends_prose, is_code, is_for_tool, is_licence, is_noise, is_ruler, is_todo, telling_tag

DESCRIPTION_LIMIT = 160  # characters of one description, the mark of clipping included
RAW_LIMIT = 4000  # characters of a comment that are looked at; a licence may stand before what it says

_OPENING = re.compile(
    r"(?:@\w*doc\s+)?(?:~[a-zA-Z]|[rRuU]{0,2})(\"\"\"|'''|[\"'`])|"
    r"(?:/\*+!?<?|<!--+|\{-\s?\|?|\(\*+|--\[=*\[|#\||=begin|#=|%\{)"
)
_CLOSING = re.compile(r"(?:\*+/|--+>|-\}|\*+\)|\]=*\]|\|#|=end|=#|%\}|\"\"\"|'''|[\"'`])$")
_BETWEEN = re.compile(r"(?<!\\)(\"\"\"|'''|[\"'])(?:\s|\\\n)*(?=[rRuU]?(\"\"\"|'''|[\"']))")  # strings side by side
_CLOSING_LENGTH = 12  # characters of the longest closing mark, stars included
_LINE_MARK = re.compile(r"\s*(?://+[/!<]*|#+!?|--+(?:\s?\|)?|;+|%+|\*+(?!\w)|@rem\b|REM\b)?")
_MARKUP = re.compile(
    r"</?(?:summary|para|p|b|i|c|code|remarks|see\s+cref=\"(?:[A-Z]:)?([\w.<>,]+)\"\s*/?|"
    r"paramref\s+name=\"(\w+)\"\s*/?)>",
    re.IGNORECASE,
)
_INLINE_TAG = re.compile(r"\{@\w+\s*([^{}]*)\}")
_FILE_NAME = re.compile(r"[\w+-]+(?:[./][\w+-]+){0,6}\.[a-z]\w{0,4}")  # as the whole of a description
_WORD = re.compile(r"[^\W\d_]{2}|[^\W\d_a-zA-Z]")
# It begins with one set of characters, as those are found far faster than alternatives.
_END = re.compile(r"[。！？.!?](?:(?<=[。！？])[。！？]*[」』”’）)]*|(?<=[.!?])[.!?]*[\"'”’)\]`*]*(?=\s|$))")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|ca|approx|no|nos|fig|incl|resp|aka|viz|dr|mr|mrs|st|[A-Za-z])\.$",
    re.IGNORECASE,
)


def description(raw: str, *, may_be_licence: bool = True) -> str:
    """Give the first sentence of a comment or docstring, clipped; empty where it says nothing of the code."""
    text = raw[:RAW_LIMIT].strip()
    opening = _OPENING.match(text)
    is_string = opening is not None and opening[1] is not None
    for paragraph in _paragraphs(_plain_lines(text, opening), may_be_code=not is_string):
        if not (may_be_licence and (is_licence(paragraph) or _FILE_NAME.fullmatch(paragraph))):
            return clip(first_sentence(paragraph), DESCRIPTION_LIMIT)
    return ""


def first_sentence(paragraph: str) -> str:
    """Give a paragraph up to the end of its first sentence; Chinese ones end at 。！？."""
    for end in _END.finditer(paragraph):
        if end[0][0] in "。！？":
            return paragraph[: end.end()]
        goes_on = paragraph[end.end() :].lstrip()[:1].islower()
        if not goes_on and not _ABBREVIATION.search(paragraph, max(end.start() - 8, 0), end.start() + 1):
            return paragraph[: end.end()]
    return paragraph


def clip(text: str, limit: int) -> str:
    """Shorten a text to a number of characters, at a word if there is one near; "…" marks it."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ", 2 * limit // 3)
    return (cut[:space] if space > 0 else cut).rstrip(" ,;:(") + "…"


def _plain_lines(text: str, opening: re.Match[str] | None) -> Iterator[str]:
    """Give the lines without the marks around and before them."""
    if opening is not None:
        text = text[opening.end() :]
        closing = _CLOSING.search(text, max(len(text) - _CLOSING_LENGTH, 0))
        text = text[: closing.start()] if closing else text
    quote = opening[1] if opening is not None else None
    if quote and quote in text:
        text = _joined(text, quote)
    has_marks = text.startswith("//")
    for line in text.split("\n"):
        if not quote:
            if has_marks and is_for_tool(line):
                continue
            line = line[_LINE_MARK.match(line).end() :]  # type: ignore[union-attr]  # it matches nothing as well
        yield line.strip()


def _joined(text: str, quote: str) -> str:
    """Make one text of what stands in several strings, the first of which opens with ``quote``."""
    pieces, at = [], 0
    for between in _BETWEEN.finditer(text):
        if between[1] == quote:
            pieces.append(text[at : between.start()])
            at, quote = between.end(2), between[2]
    return "".join((*pieces, text[at:]))


def _paragraphs(lines: Iterable[str], *, may_be_code: bool) -> Iterator[str]:
    """Join the lines that say something into paragraphs."""
    for block in _blocks(lines, may_be_code=may_be_code):
        text = " ".join(block)
        if _WORD.search(text):
            yield text


def _blocks(lines: Iterable[str], *, may_be_code: bool) -> Iterator[list[str]]:
    """Give the words of each paragraph, up to where parameters or examples begin."""
    block: list[str] = []
    is_skipped = is_prose = False
    for each in lines:
        line = telling_tag(each)
        if line is not None:
            yield block if is_prose else []
            block, is_skipped, is_prose = [], False, False
        elif ends_prose(each):
            break
        else:
            line = each
        if is_ruler(line):
            yield block if is_prose else []
            block, is_skipped, is_prose = [], False, False
            continue
        is_skipped = is_skipped or is_todo(line)
        if not is_skipped and not is_noise(line):
            is_prose = is_prose or not may_be_code or not is_code(line)
            block += _words(line)
    yield block if is_prose else []


def _words(line: str) -> list[str]:
    """Give the words of a line, without the markup of doc comments."""
    if "<" in line:
        line = _MARKUP.sub(lambda tag: tag[1] or tag[2] or "", line)
    if "{@" in line:
        line = _INLINE_TAG.sub(r"\1", line)
    return line.split()

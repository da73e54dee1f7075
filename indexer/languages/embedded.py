"""Leave of a file that mixes languages only the code that its grammar reads: ``scripts_of``, ``cells_of``.

What else is there becomes white space, so that every line keeps its number, and in components every character its
place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

FOLD = "\r"  # between lines of code that are one line of the file
LONGEST_PATH = 4  # keys and lists around a string that is looked for
_VISIBLE = re.compile(r"[^\r\n]")
_LINE_BREAK = re.compile(r"\r\n?")
_BEGIN = re.compile(r"<!--|<script\b((?:\"[^\"]{0,999}+\"|'[^']{0,999}+'|[^>\"']){0,999}+)>", re.IGNORECASE)
_COMMENT_END = re.compile("-->")
_SCRIPT_END = re.compile(r"</script\s*>", re.IGNORECASE)
_OTHER_CODE = re.compile(
    r"\btype\s*=\s*[\"']?+(?!module\b|(?:text|application)/(?:java|ecma|type)script\b)\w"
    r"|\blang\s*=\s*[\"']?+(?!(?:[jt]sx?|javascript|typescript)\b)\w",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|[\[\]{},:]|[^\s\[\]{},:\"]+", re.DOTALL)
_OPENING, _CLOSING = ("{", "["), ("}", "]")
_NO_PYTHON = re.compile(r"\s*(?:[%!]|\?+\w|\w[\w.]*\?+\s*$)")
_WHOLE_CELL = re.compile(r"\s*%%(?!time\b|timeit\b|capture\b|prun\b)")


def scripts_of(text: str) -> str:
    """Leave the scripts of a component, and as comments the notes that stand before the first of them."""
    pieces: list[str] = []
    at = 0
    seen = False
    for begin, end in _parts(text):
        held = text[begin.end() : end.start()]
        if begin[1] is None:
            if not seen and "*/" not in held:
                said = held.replace("@component", " " * len("@component"))
                pieces += [_blank(text[at : begin.start()]), "/** ", said, " */"]
                at = end.end()
        elif not _OTHER_CODE.search(begin[1]):
            seen = True
            pieces += [_blank(text[at : begin.end()]), held]
            at = end.start()
    return "".join([*pieces, _blank(text[at:])])


def _parts(text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Give what opens and closes each comment and each script; the latter with its attributes as a group."""
    done = 0
    unclosed: set[bool] = set()
    for begin in _BEGIN.finditer(text):
        is_comment = begin[1] is None
        if begin.start() < done or is_comment in unclosed:
            continue
        end = (_COMMENT_END if is_comment else _SCRIPT_END).search(text, begin.end())
        if end is None:
            unclosed.add(is_comment)  # nor is any that follows
            continue
        done = end.end()
        yield begin, end


def cells_of(text: str) -> str:
    """Leave the code of a notebook's Python cells, without magic lines, and its opening text as a comment.

    Lines of code that stand on one line of the file, as those of a cell that is one string, are parted by FOLD.
    """
    rows: list[list[str]] = [[] for _ in range(text.count("\n") + 1)]
    row = at = 0
    for is_code, strings in _cells(text):
        is_left_out = False
        for number, (start, written) in enumerate(strings):
            row, at = row + text.count("\n", at, start), start
            said = _LINE_BREAK.sub("\n", _decoded(written)).removesuffix("\n")
            is_left_out = is_left_out or (number == 0 and bool(_WHOLE_CELL.match(said)))
            if not is_left_out:
                rows[row] += _code_lines(said) if is_code else ["# " + line.lstrip("# ") for line in said.split("\n")]
    return "\n".join([FOLD.join(lines) for lines in rows])


def _code_lines(said: str) -> list[str]:
    return [line for line in said.split("\n") if not _NO_PYTHON.match(line)]


def _cells(text: str) -> Iterator[tuple[bool, list[tuple[int, str]]]]:
    """Give of each code cell, and of a first cell of text, whether it is code and its strings with their places."""
    cells: list[tuple[str, list[tuple[int, str]]]] = []
    kernel = "python"
    for path, start, written in _strings(text):
        if path == ("metadata", "language_info", "name"):
            kernel = written[1:-1]
        elif path == ("cells", "["):
            cells.append(("", []))
        elif path == ("cells", "[", "cell_type"):
            cells[-1] = (written[1:-1], cells[-1][1])
        elif path in (("cells", "[", "source"), ("cells", "[", "source", "[")):
            cells[-1][1].append((start, written))
    for number, (kind, strings) in enumerate(cells):
        if (kind == "code" and kernel.startswith("python")) or (kind == "markdown" and number == 0):
            yield kind == "code", strings


def _strings(text: str) -> Iterator[tuple[tuple[str, ...], int, str]]:
    """Give the path, place and text of each string that is a value, and "" where an object of a list begins.

    What lies deeper than anything that is looked for is left out: to give its path would take its depth in time.
    """
    path: list[str] = []  # of the keys and lists that are open; a key stays until its value has ended
    opened: list[str] = []
    key = before = ""
    for token in _TOKEN.finditer(text):
        mark, inside = token[0], opened[-1] if opened else ""
        if mark in _OPENING:
            if mark + inside == "{[" and len(path) <= LONGEST_PATH:
                yield tuple(path), token.start(), ""
            opened.append(mark)
            path += mark.strip("{")
        elif mark in _CLOSING:
            _close(path, opened)
        elif mark == ":":
            path.append(key)
        elif before == ":" or inside == "[":
            if mark[0] == '"' and len(path) <= LONGEST_PATH:
                yield tuple(path), token.start(), mark
            if before == ":":
                del path[-1:]
        elif mark[0] == '"':
            key = mark[1:-1]
        before = mark


def _close(path: list[str], opened: list[str]) -> None:
    """Leave the innermost list or object, and the key that it was the value of."""
    if opened[-1:] == ["["]:
        del path[-1:]
    del opened[-1:]
    if opened[-1:] == ["{"]:
        del path[-1:]


def _decoded(written: str) -> str:
    try:
        return str(json.loads(written, strict=False))
    except ValueError:
        return ""


def _blank(text: str) -> str:
    return _VISIBLE.sub(" ", text)

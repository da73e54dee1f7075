"""Part a file into what can be a hit of a search, with the texts of each part: ``chunked``.

Every line that is not blank is in exactly one chunk, of code, prose and data alike. Never fails: what cannot be parsed
is cut by lines. Terms are counted elsewhere (postings.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from indexer.chunk_code import Draft, code_drafts
from indexer.chunk_fields import Fields, fields_of
from indexer.chunk_text import line_drafts, markdown_drafts, text_drafts
from indexer.languages import language_of
from indexer.summary import HEAD, why_not_parsed

if TYPE_CHECKING:
    from indexer.languages import Language
    from indexer.nesting import Nested
    from indexer.parsed import Parsed

LONG_LINE = 2000  # characters of a line that are looked at; nobody searches for what stands behind them

_MARKS = {
    "notebook": re.compile(r"\s*\"cell_type\"\s*:"),
    "vue": re.compile(r"<(?:template|script|style|i18n)\b", re.IGNORECASE),
    "svelte": re.compile(r"<(?:script|style)\b", re.IGNORECASE),
}
_TAIL_BYTES = re.compile(rb"^([^\n]{%d})([^\n]+)" % LONG_LINE, re.MULTILINE)
_CELL_STRING = re.compile(r"\s*\"(?P<said>(?:[^\"\\]|\\.)*)\",?\s*$")
_ESCAPE = re.compile(r"\\.")


class Definition(NamedTuple):
    """Say that a file defines a name: its kind, and the chunk that it is in."""

    name: str
    kind: str
    chunk: int


@dataclass(slots=True)
class Chunked:
    """Hold the chunks of a file.

    Attributes:
        language: name from the language table, None where there is none.
        line_count: lines of the file.
        drafts: in order of their first rows.
        fields: the texts of each.
        definitions: what the file defines, in order.
        is_code: whether a grammar told definitions and comments.
    """

    language: str | None
    line_count: int
    drafts: list[Draft]
    fields: list[Fields]
    definitions: list[Definition]
    is_code: bool


def chunked(path: str, text: str) -> Chunked:
    """Part a text, whatever it is; ``path`` (relative, POSIX) tells its language."""
    language = language_of(path, text[:HEAD])
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if language is not None and language.grammar:
        code = language.code(text)
        found = _of_grammar(language, code)
        if found is not None:
            parsed, nested = found
            drafts = code_drafts(parsed, nested, lines, _MARKS.get(language.name))
            return _code(language, parsed, nested, drafts, lines, code if code is not text else None)
    name = language.name if language is not None else None
    if language is not None and language.headings:
        drafts = markdown_drafts(text, lines)
    elif language is not None or why_not_parsed(text):
        drafts = line_drafts(lines)
    else:
        drafts = text_drafts(lines)
    shown = [line[:LONG_LINE] for line in lines] if len(text) > LONG_LINE else lines
    fields = [
        Fields(b"", b"", b"", _encoded("\n".join(shown[draft.start : draft.end + 1])), _heading(draft, lines))
        for draft in drafts
    ]
    for draft in drafts:
        draft.names = list(draft.title[-1:])
    return Chunked(name, len(lines), drafts, fields, [], is_code=False)


def _of_grammar(language: Language, code: str) -> tuple[Parsed, list[Nested]] | None:
    if why_not_parsed(code):
        return None
    from indexer.nesting import nest
    from indexer.parse import parse
    from indexer.syntax import SlowParseError

    try:
        parsed = parse(language, code, for_chunks=True)
    except SlowParseError:
        return None
    return parsed, nest(parsed, language)


def _code(
    language: Language,
    parsed: Parsed,
    nested: list[Nested],
    drafts: list[Draft],
    lines: Sequence[str],
    code: str | None,
) -> Chunked:
    source = parsed.source
    if len(source) > LONG_LINE and max(map(len, lines)) > LONG_LINE:
        source = _TAIL_BYTES.sub(lambda found: found[1] + b" " * len(found[2]), source)
    fields = list(fields_of(parsed, source, drafts))
    if code is not None:
        fields = list(_with_other_lines(language, fields, drafts, lines, code.split("\n")))
    definitions = _definitions(nested, drafts, len(lines))
    return Chunked(language.name, len(lines), drafts, fields, definitions, is_code=True)


def _definitions(nested: Iterable[Nested], drafts: Sequence[Draft], rows: int) -> list[Definition]:
    """Give what a file defines, and tell each chunk the names in it."""
    chunk_at = [-1] * rows
    for number, draft in enumerate(drafts):
        chunk_at[draft.start : draft.end + 1] = [number] * (draft.end + 1 - draft.start)
    found: list[Definition] = []
    for each in nested:
        chunk = chunk_at[min(each.found.name_row, rows - 1)]
        if chunk >= 0:
            found.append(Definition(each.name, each.kind, chunk))
            if each is not drafts[chunk].owner:
                drafts[chunk].names.append(each.name)
    for draft in drafts:
        if draft.owner is not None:
            draft.names.append(draft.owner.name)
    return found


def _with_other_lines(
    language: Language, fields: Sequence[Fields], drafts: Sequence[Draft], lines: Sequence[str], code: Sequence[str]
) -> Iterable[Fields]:
    """Add to the body of each chunk the lines that its grammar was not given: of templates, styles, cells of text."""
    is_notebook = language.name == "notebook"
    for each, draft in zip(fields, drafts, strict=True):
        rows = range(draft.start, draft.end + 1)
        others = [lines[row][:LONG_LINE] for row in rows if row >= len(code) or not code[row].strip()]
        if is_notebook:
            strings = (_CELL_STRING.match(line) for line in others)
            others = [_ESCAPE.sub(" ", found["said"]) for found in strings if found]
        yield each._replace(body=each.body + b"\n" + _encoded("\n".join(others)))


def _heading(draft: Draft, lines: Sequence[str]) -> str:
    if not draft.title:
        return ""
    return next(
        (line.strip()[:160] for line in lines[draft.start : draft.end + 1] if draft.title[-1] in line), draft.title[-1]
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")

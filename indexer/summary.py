"""Say what one file defines, imports, exports and is for: ``summarize_text``; only its symbols: ``symbols_of``.

A summary is made from the text of that file alone and never fails: what cannot be parsed is a problem of the summary,
and a text without grammar gets an outline. Reading and decoding files is done elsewhere.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING

from indexer.comments import clip
from indexer.languages import language_of
from indexer.markdown import about, headings
from indexer.model import FileSummary, Problem, Symbol
from indexer.noise import is_generated
from indexer.outline import description_of, outline
from indexer.text import count_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.languages import Language
    from indexer.nesting import Nested
    from indexer.parsed import Error, Parsed

IMPORT_LIMIT = 120  # characters of the name of one import
PARSE_LIMIT = 10_000_000  # characters; what is longer is generated data, and parsing it would take seconds
MAX_NESTED = 20_000  # brackets inside each other; the time that a grammar takes grows with the square
MAX_UNCLOSED = 10_000  # likewise brackets without an end, which take longer still
TOO_SLOW = "not parsed: it takes too long"
MINIFIED_SIZE = 20_000  # characters from which on a text may be minified
MINIFIED_LINE = 500  # characters of a line that nobody wrote by hand
MINIFIED_OTHERS = 50  # lines of ordinary length that a minified file may have: a licence, a wrapper

GENERATED_HEAD = 1000  # characters in which a file says that it is generated
GENERATED = "Generated file."
HEAD = 30_000  # characters in which a file tells what language it is
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")
_QUOTES = re.compile(r"^[\"'`<]+|[\"'`>]+$")


def summarize_text(path: str, text: str) -> FileSummary:
    """Summarise a decoded text, whatever it is; ``path`` (relative, POSIX) tells its language."""
    language = language_of(path, text[:HEAD])
    lines = count_lines(text)
    if language is None or not language.grammar:
        return _without_grammar(path, text, language, lines)
    code = language.code(text)
    refused = why_not_parsed(code)
    if refused:
        problem = Problem(1, lines, refused)
        return FileSummary(path, language.name, line_count=lines, problems=(problem,), exact=False)
    from indexer.describe import Describer
    from indexer.nesting import nest
    from indexer.parse import SlowParseError, parse
    from indexer.symbols import symbols_from

    try:
        parsed = parse(language, code)
    except SlowParseError:
        return FileSummary(path, language.name, line_count=lines, problems=(Problem(1, lines, TOO_SLOW),), exact=False)
    nested = nest(parsed, language)
    describer = Describer(parsed)
    symbols = symbols_from(parsed, nested, language, describer)
    return FileSummary(
        path,
        language.name,
        description=_about_file(text, describer.describe_file(nested[0] if nested else None)),
        imports=_imports(parsed, language),
        exports=_exports(parsed, nested, symbols, language),
        symbols=symbols,
        line_count=lines,
        problems=tuple(_problem(error, lines) for error in parsed.errors),
    )


def symbols_of(path: str, text: str) -> tuple[Symbol, ...]:
    """Give the symbols of a text without calls and descriptions; for Markdown its headings; none without grammar."""
    language = language_of(path, text[:HEAD])
    if language is not None and language.headings:
        return headings(text)
    if language is None or not language.grammar or why_not_parsed(code := language.code(text)):
        return ()
    from indexer.nesting import nest
    from indexer.parse import SlowParseError, parse
    from indexer.symbols import symbols_from

    try:
        parsed = parse(language, code)
    except SlowParseError:
        return ()
    return symbols_from(parsed, nest(parsed, language), language)


def why_not_parsed(text: str) -> str:
    """Say why a text of a known language is better not parsed; empty where it should be."""
    size = len(text)
    if size > PARSE_LIMIT:
        return f"not parsed: {size:,} characters"
    if size > MAX_UNCLOSED and (deep := _too_deep(text)):
        return deep
    if size < MINIFIED_SIZE or size < MINIFIED_LINE * (text.count("\n") + 1) // 4:
        return ""
    lines = text.split("\n")
    long = [len(line) for line in lines if len(line) > MINIFIED_LINE]
    if 10 * sum(long) > 9 * size and len(lines) - len(long) < MINIFIED_OTHERS:
        longest = max(lines, key=len)
        if 4 * sum(map(str.isalnum, longest[:MINIFIED_SIZE])) > min(len(longest), MINIFIED_SIZE):
            return f"not parsed: minified, a line of {len(longest):,} characters"
    return ""


def _too_deep(text: str) -> str:
    """Tell of brackets that would take a grammar seconds, whatever they stand for."""
    brackets = text.encode("latin-1", "replace").translate(None, _NO_BRACKETS)
    if len(brackets) <= MAX_UNCLOSED:
        return ""
    depths = list(accumulate((1 if bracket in b"([{" else -1 for bracket in brackets), _deeper, initial=0))
    if max(depths) > MAX_NESTED:
        return f"not parsed: {max(depths):,} brackets inside each other"
    return f"not parsed: {depths[-1]:,} brackets are not closed" if depths[-1] > MAX_UNCLOSED else ""


def _deeper(depth: int, step: int) -> int:
    return max(0, depth + step)


def _without_grammar(path: str, text: str, language: Language | None, lines: int) -> FileSummary:
    if language is not None and language.headings:
        return FileSummary(path, language.name, about(text), symbols=headings(text), line_count=lines)
    about_file = _about_file(text, description_of(text))
    return FileSummary(path, None, about_file, symbols=outline(text), line_count=lines, exact=False)


def _about_file(text: str, description: str) -> str:
    return f"{GENERATED} {description}".strip() if is_generated(text[:GENERATED_HEAD]) else description


def _imports(parsed: Parsed, language: Language) -> tuple[str, ...]:
    texts = (parsed.text(place.start, place.end) for place in parsed.imports)
    names = (name for text in texts for name in language.imports(text))
    return tuple(dict.fromkeys(clip(_QUOTES.sub("", name), IMPORT_LIMIT) for name in names))


def _exports(parsed: Parsed, nested: list[Nested], symbols: Sequence[Symbol], language: Language) -> tuple[str, ...]:
    """Give the names of export statements; without any, in languages that need none, what is public at top level."""
    if not (language.exports_listed or parsed.has_export_list):
        return tuple(dict.fromkeys(symbol.name for symbol in symbols if symbol.exported and symbol.parent is None))
    inner = [each.found.body for each in nested if each.kind == "module" and each.found.body]
    names = (
        f"{export.name} from '{export.source}'" if export.source else export.name
        for export in parsed.exports
        if not any(body.start <= export.at.start < body.end for body in inner)
    )
    return tuple(dict.fromkeys(names))


def _problem(error: Error, lines: int) -> Problem:
    message = f"missing {error.missing}" if error.missing else "syntax error"
    return Problem(min(error.row + 1, lines), min(error.end_row + 1, lines), message)

"""Say what one file defines, imports, exports and is for: ``summarize_text``; only its symbols: ``symbols_of``.

A summary is made from the text of that file alone and never fails: what cannot be parsed is a problem of the summary,
and a text without grammar gets an outline. Reading and decoding files is done elsewhere.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.comments import clip
from indexer.markdown import about, headings
from indexer.model import FileSummary, Problem, Symbol
from indexer.noise import is_generated, is_licence
from indexer.outline import description_of, outline
from indexer.parsed import outside
from indexer.source import HEAD, Source, source_of, why_not_parsed
from indexer.text import count_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.languages import Language
    from indexer.nesting import Nested
    from indexer.parsed import Error, Parsed

__all__ = ["HEAD", "summarize_source", "summarize_text", "symbols_of", "why_not_parsed"]

IMPORT_LIMIT = 120  # characters of the name of one import
GENERATED_HEAD = 1000  # characters in which a file says that it is generated
GENERATED = "Generated file."
_COMMENT = re.compile(r"\s*<!--.*?-->", re.DOTALL)


def summarize_text(path: str, text: str) -> FileSummary:
    """Summarise a decoded text, whatever it is; ``path`` (relative, POSIX) tells its language."""
    return summarize_source(Source(path, text))


def summarize_source(source: Source) -> FileSummary:
    """Summarise a source, so that it is parsed once for this and what else is asked of it."""
    path, text, language = source.path, source.text, source.language
    lines = count_lines(text)
    if language is None or not language.grammar:
        return _without_grammar(path, text, language, lines)
    parsed, nested = source.parsed, source.nested
    if parsed is None:
        problem = Problem(1, lines, source.problem)
        return FileSummary(path, language.name, line_count=lines, problems=(problem,), exact=False)
    from indexer.describe import Describer
    from indexer.symbols import symbols_from

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
    return source_of(path, text).symbols


def _without_grammar(path: str, text: str, language: Language | None, lines: int) -> FileSummary:
    if language is not None and language.headings:
        return FileSummary(path, language.name, about(_past_licence(text)), symbols=headings(text), line_count=lines)
    about_file = _about_file(text, description_of(text))
    return FileSummary(path, None, about_file, symbols=outline(text), line_count=lines, exact=False)


def _past_licence(text: str) -> str:
    """Give a Markdown text without the comment at its top, if that is a licence."""
    comment = _COMMENT.match(text)
    return text[comment.end() :] if comment and is_licence(comment[0]) else text


def _about_file(text: str, description: str) -> str:
    return f"{GENERATED} {description}".strip() if is_generated(text[:GENERATED_HEAD]) else description


def _imports(parsed: Parsed, language: Language) -> tuple[str, ...]:
    texts = (parsed.text(*place) for place in parsed.imports)
    names = (name for text in texts for name in language.imports(text))
    return tuple(dict.fromkeys(clip(_bare(name), IMPORT_LIMIT) for name in names))


def _bare(name: str) -> str:
    """Give an imported name without the quotes or brackets around it; those of ``List<int>`` belong to it."""
    return name[1:-1] if name[:1] == "<" and name[-1:] == ">" else name.strip("\"'`")


def _exports(parsed: Parsed, nested: list[Nested], symbols: Sequence[Symbol], language: Language) -> tuple[str, ...]:
    """Give the names of export statements; before them, in languages that need none, what is public at top level."""
    names: list[str] = []
    if not (language.exports_listed or parsed.has_export_list):
        names = [
            symbol.name if symbol.parent is None else symbol.qualified_name
            for each, symbol in zip(nested, symbols, strict=True)
            if symbol.exported and (symbol.parent is None or _is_apart(each))
        ]
    in_no_module = outside(each.found.body for each in nested if each.kind == "module" and each.found.body)
    names += [
        f"{export.name} from '{export.source}'" if export.source else export.name
        for export in parsed.exports
        if in_no_module(export.at[0])
    ]
    return tuple(dict.fromkeys(names))


def _is_apart(each: Nested) -> bool:
    """Say whether a type is opened by its whole name at top level, as by ``class A::B``."""
    return each.container is None and each.found.is_shown and each.kind in ("class", "module")


def _problem(error: Error, lines: int) -> Problem:
    message = f"missing {error.missing}" if error.missing else "syntax error"
    return Problem(min(error.row + 1, lines), min(error.end_row + 1, lines), message)

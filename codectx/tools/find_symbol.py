"""Find where a name is defined and where it is used, from the files themselves."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from codectx import progress
from codectx.answer import Answer, Block, Frame, Shown
from codectx.call import Call
from codectx.errors import invalid_argument
from codectx.importance import ASIDE, FOREIGN, OTHER, SOURCE, TEST, kind_of
from codectx.outline import label, record
from codectx.project import Project
from codectx.render import clipped, counted, shown_path, tidy, visible
from codectx.tool import Param, tool
from indexer.errors import IndexerError
from indexer.model import Symbol, SymbolKind
from indexer.names import MAX_READ_BYTES, Holding, files_with, is_odd, is_test_path, last_part, names_like, parts_of
from indexer.secrets import mask

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.references import Reference
    from indexer.source import Source

_NAME = re.compile(r"[@$#]?[\w$-]*\w[\w$-]*[?!=]?")
MAX_PARSED_BYTES = 6_000_000  # of the files that hold the name (about 3 s CPU); the others are told
MAX_COUNTED_BYTES = 20_000_000  # of those without a grammar, whose words are only counted
MAX_LINE = 120  # characters of a line that uses the name
MAX_DESCRIPTION = 160
MAX_SIGNATURE = 160

_PLACES = {place: rank for rank, place in enumerate((SOURCE, OTHER, ASIDE, FOREIGN, TEST))}
_CALL_END = re.compile(r"(?<=\w)(?:\(\)|/\d+)$")  # ``f()``, and ``f/2`` with its number of parameters
_ALIAS = re.compile(r"\b(?:type|typealias|associatedtype|typedef|using)\b")
_CALLABLES = frozenset(map(SymbolKind, ("function", "method", "constructor", "macro", "procedure", "trigger")))
# The order in which definitions of one name are shown.
_TYPE, _EMPTY_TYPE, _CALLABLE, _VALUE, _HEADING = range(5)


@dataclass(frozen=True, slots=True)
class _Definition:
    path: str
    symbol: Symbol
    depth: int  # of the parts of the wanted name, from the last one, how many are its own
    group: int
    is_declaration: bool = False  # a prototype, or a method without body


@dataclass(frozen=True, slots=True)
class _Use:
    path: str
    line: int
    text: str
    symbol: Symbol | None


@dataclass(slots=True)
class _Found:
    definitions: list[_Definition]
    uses: list[_Use]
    files: int = 0
    not_parsed: int = 0
    too_large: int = 0
    words: int = 0
    files_with_words: int = 0
    not_counted: int = 0
    matched: str = ""  # the end of the wanted name that the definitions have, where none has all of it

    @property
    def not_searched(self) -> int:
        return self.not_parsed + self.too_large


def find_symbol(
    project: Project,
    name: Annotated[str, Param("f, method, Class.method or Class::method", min_length=1, max_length=300)],
    path: Annotated[str, Param("File or folder")] = ".",
    after: Annotated[str, Param("Continue after this many")] = "",
) -> Answer:
    """Where is this name defined, and who uses it? Uses by file and function; not in comments and strings."""
    parts = parts_of(_CALL_END.sub("", _without_file(project, name.strip())))
    is_quoted = name.rstrip().endswith("`")
    if not parts or not all(_NAME.fullmatch(part) or is_quoted or is_odd(part) for part in parts):
        raise invalid_argument(f"{name} is not a name", "give f, Class.method or Class::method; grep finds other text")
    if after and not (after.isdecimal() and len(after) < 12):
        raise invalid_argument(f"after is {after}", "it is the number of entries already shown")
    located = project.resolve(path)
    found = _search(project, located.path, parts)
    if not found.definitions and not found.uses:
        return _nothing(project, located.path, name, parts[-1], found)
    return _answer(name, parts, located.path, found, int(after or 0))


def _without_file(project: Project, name: str) -> str:
    """Take the file off an address like ``a.py#Class.method``; the mark stands for a dot in ``Class#method``."""
    before, _, symbol = name.rpartition("#")
    return symbol if "/" in before or os.path.isfile(project.root / before) else name  # noqa: PTH113  (takes any text)


def _search(project: Project, under: str, parts: list[str]) -> _Found:
    """Parse the files that hold the name within the budget: what a grammar reads and seems to define it first."""
    walked = project.walk(under).files
    found = _Found([], [], len(walked))
    to_parse, to_count = MAX_PARSED_BYTES, MAX_COUNTED_BYTES
    for held in sorted(files_with(project.root, walked, parts[-1], progress.check), key=_search_order):
        progress.check()
        size = held.file.size
        if not held.is_read:
            found.too_large += 1
        elif _has_symbols(held):
            if size > to_parse:
                found.not_parsed += 1
                continue
            to_parse -= size
            _search_file(project, held.file.path, parts, found)
        elif size > to_count:
            found.not_counted += 1
        else:
            to_count -= size
            _count_words(project, held.file.path, parts[-1], found)
    code = [definition for definition in found.definitions if definition.group != _HEADING]
    depth = max((definition.depth for definition in code or found.definitions), default=len(parts))
    if depth < len(parts):
        found.matched = ".".join(parts[-depth:])
    found.definitions = [definition for definition in found.definitions if definition.depth >= depth]
    owners = set(parts[:-depth])
    found.definitions.sort(key=lambda definition: _definition_order(definition, owners))
    found.uses.sort(key=lambda use: (_place(use.path), use.path, use.line))
    return found


def _search_order(held: Holding) -> tuple[bool, bool, int, int, str]:
    return not _has_symbols(held), not held.defines, _place(held.file.path), held.file.size, held.file.path


def _has_symbols(held: Holding) -> bool:
    return held.language is not None and bool(held.language.grammar or held.language.headings)


def _place(path: str) -> int:
    return _PLACES[TEST if is_test_path(path) else kind_of(path, "")]


def _definition_order(definition: _Definition, owners: set[str]) -> tuple[int, int, int, bool, str, int]:
    """Sort by what it is, then by where; parts of the wanted name that no definition has may be folders or modules."""
    path, symbol = definition.path, definition.symbol
    foreign = -len(owners.intersection(re.split(r"[/.]", path))) if owners else 0
    return definition.group, foreign, _place(path), definition.is_declaration, path, symbol.start


def _search_file(project: Project, path: str, parts: list[str], found: _Found) -> None:
    from indexer.source import Source

    try:
        text = mask(project.read(project.resolve(path)).text).text
    except IndexerError:
        return  # not text, or gone since the walk: it cannot use a name
    source, last = Source(path, text), parts[-1]
    symbols = source.symbols
    named = [symbol for symbol in symbols if last_part(symbol.name) == last]
    lines = text.split("\n") if named else []
    for name in dict.fromkeys(symbol.name for symbol in named):
        for symbol in source.described(name):
            own = "\n".join(lines[symbol.start - 1 : symbol.end]).rstrip()
            prototype = own.endswith(";") and "{" not in own and "=" not in own and "(" in own
            declared = prototype and symbol.kind in _CALLABLES
            found.definitions.append(_Definition(path, symbol, _depth(symbol, parts), _group(symbol, own), declared))
    hits = _references(source, last, found)
    names_of = {symbol.name_line for symbol in named}
    used = {hit.line: hit.text for hit in reversed(hits) if hit.exact and hit.line not in names_of}
    around = _innermost(symbols) if used else {}
    found.uses += [_Use(path, line, used[line], around.get(line)) for line in sorted(used)]


def _innermost(symbols: Sequence[Symbol]) -> dict[int, Symbol]:
    """Give for each line the shortest of the symbols that it is in, of equals the first."""
    around: dict[int, Symbol] = {}
    order = sorted(enumerate(symbols), key=lambda each: (each[1].start - each[1].end, -each[0]))
    for _, symbol in order:
        around.update(dict.fromkeys(range(symbol.start, symbol.end + 1), symbol))
    return around


def _count_words(project: Project, path: str, word: str, found: _Found) -> None:
    from indexer.source import Source

    try:
        text = project.read(project.resolve(path)).text
    except IndexerError:
        return  # likewise
    _references(Source(path, text), word, found)


def _references(source: Source, word: str, found: _Found) -> tuple[Reference, ...]:
    from indexer.references import references_in

    hits = references_in(source, word)
    words = sum(not hit.exact for hit in hits)
    found.words += words
    found.files_with_words += words > 0
    return hits


def _depth(symbol: Symbol, parts: list[str]) -> int:
    """Count how many parts of the wanted name, from the last one, the symbol's own qualified name has."""
    owned = f"{symbol.receiver}.{symbol.name}" if symbol.receiver else symbol.qualified_name
    best = 1
    for full in {owned, symbol.qualified_name}:
        own, depth = parts_of(full)[::-1], 0
        for mine, wanted in zip(own, reversed(parts), strict=False):
            if mine != wanted:
                break
            depth += 1
        best = max(best, depth)
    return best


def _group(symbol: Symbol, own: str) -> int:
    """Tell what a definition is, for their order; ``own`` is its text."""
    if symbol.kind == SymbolKind.HEADING:
        return _HEADING
    if symbol.kind in _CALLABLES:
        return _CALLABLE
    if symbol.kind in (SymbolKind.CONSTANT, SymbolKind.VARIABLE):
        return _VALUE
    if symbol.kind == SymbolKind.TYPE and "{" not in own and _ALIAS.search(symbol.signature.partition("=")[0]):
        # Go's ``type Handler func()`` is no alias: it has a name and methods of its own
        return _VALUE if "=" in own or symbol.parent or "typedef" in own else _TYPE
    return _EMPTY_TYPE if own.endswith(";") and not re.search(r"[{(=]", own) else _TYPE


def _answer(name: str, parts: list[str], under: str, found: _Found, first: int) -> Answer:
    blocks = [_definition_block(definition) for definition in found.definitions]
    previous: _Use | None = None
    for n, use in enumerate(found.uses):
        fresh = len(blocks) == first  # a page begins with the file and the symbol again
        blocks.append(_use_block(use, None if fresh else previous, parts[-1], leading=n == 0 or fresh))
        previous = use
    total = len(blocks)

    def frame(shown: Shown) -> Frame:
        arguments = {"name": name, **({} if under == "." else {"path": under})}
        following = Call("find_symbol", {**arguments, "after": str(first + shown.blocks)})
        return Frame(_title(name, parts, found), shown.blocks, total - first, "entries", following)

    data = {
        "name": name,
        "defined_name": found.matched or name,
        "total_definitions": len(found.definitions),
        "total_uses": len(found.uses),
        "files_not_searched": found.not_searched,
    }
    return Answer(blocks[first:], frame, notices=tuple(_notices(found, parts[-1])), data=data, items="entries")


def _notices(found: _Found, word: str) -> Iterator[str]:
    if found.not_parsed:
        yield f"not searched: {counted(found.not_parsed, 'file')} with this name, too much at once; give a path"
    if found.too_large:
        files = f"{counted(found.too_large, 'file')} over {MAX_READ_BYTES // 1_000_000} MB"
        yield f"not searched: {files}, see {_grep(word)}"
    if found.words or found.not_counted:
        words = counted(found.words + found.not_counted, "word")
        where = counted(found.files_with_words + found.not_counted, "file")
        least = "at least " if found.not_counted else ""
        yield f"not listed: {least}{words} in {where} without a grammar, see {_grep(word)}"


def _title(name: str, parts: list[str], found: _Found) -> str:
    files = {use.path for use in found.uses}
    tests = sum(_is_test(use.path) for use in found.uses)
    declared = sum(definition.is_declaration for definition in found.definitions)
    least = "at least " if found.not_searched else ""
    title = f"{name}: {f'no definition found by that full name; {found.matched}: ' if found.matched else ''}"
    title += f"{least}{counted(len(found.definitions) - declared, 'definition')}"
    if declared:
        title += f", {counted(declared, 'declaration')}"
    title += f", {least}{counted(len(found.uses), 'use')}"
    if files:
        title += f" in {counted(len(files), 'file')}"
    if tests:
        title += f", {tests} of them in tests"
    owners = {(d.path, d.symbol.parent) for d in found.definitions if not d.is_declaration and d.group != _HEADING}
    if found.uses and (len(parts) > 1 or len(owners) > 1):
        title += f"; uses are those of any {parts[-1]}"
    return title


def _is_test(path: str) -> bool:
    return _place(path) == _PLACES[TEST]


def _definition_block(definition: _Definition) -> Block:
    symbol, path = definition.symbol, definition.path
    lines = str(symbol.start) if symbol.start == symbol.end else f"{symbol.start}-{symbol.end}"
    shown = f"{shown_path(path)}:{lines} {clipped(tidy(symbol.signature), MAX_SIGNATURE) or label(symbol, symbol.name)}"
    if symbol.parent:
        shown += f" in {symbol.parent}"
    if symbol.description and symbol.described:
        shown += f" - {clipped(symbol.description, MAX_DESCRIPTION)}"
    return Block((visible(shown) + "\n",), data={"role": "definition", "path": path, **record(symbol)})


def _use_block(use: _Use, previous: _Use | None, word: str, *, leading: bool) -> Block:
    lines = ["uses:"] if leading else []
    new_file = previous is None or previous.path != use.path
    if new_file:
        lines.append(shown_path(use.path))
    if use.symbol is not None and (new_file or previous is None or previous.symbol != use.symbol):
        lines.append(f" {use.symbol.qualified_name} {use.symbol.start}-{use.symbol.end}")
    elif use.symbol is None and not new_file and previous is not None and previous.symbol is not None:
        lines.append(" (top level)")
    lines.append(f"  {use.line}: {_around(use.text, word)}")
    data = {
        "role": "use",
        "path": use.path,
        "line": use.line,
        "text": use.text,
        "symbol": use.symbol.qualified_name if use.symbol else None,
        "test": _is_test(use.path),
    }
    return Block(("".join(f"{visible(line)}\n" for line in lines),), data=data)


def _around(text: str, word: str) -> str:
    """Clip a line so that the word stays in sight."""
    at = text.find(word)
    if len(text) <= MAX_LINE or at + len(word) < MAX_LINE - 8:
        return clipped(text, MAX_LINE)
    return f"...{clipped(text[at - MAX_LINE // 3 :], MAX_LINE)}"


def _grep(word: str) -> Call:
    return Call("grep", {"pattern": word, "fixed": True})


def _nothing(project: Project, under: str, name: str, last: str, found: _Found) -> Answer:
    near = names_like(project.root, project.walk(under).files, last)
    told = f'no definition or use of "{clipped(name, 80)}" in {counted(found.files - found.not_searched, "file")}'
    if near:
        told += f"; near: {', '.join(near)}"
    elif under != ".":
        told += f'; elsewhere: find_symbol("{name}")'
    else:
        told += f'; as text: grep("{last}", ignore_case=true)'
    counts = {"total_definitions": 0, "total_uses": 0, "files_not_searched": found.not_searched}
    data = {"name": name, **counts, "near": near}
    return Answer(
        (), lambda _: Frame(told), notices=tuple(_notices(found, last)), data=data, items="entries", found=False
    )


TOOL = tool(find_symbol, title="Find symbol", limit=2000)

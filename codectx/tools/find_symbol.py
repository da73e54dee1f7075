"""Find where a name is defined and where it is used, from the files themselves."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Annotated

from codectx import progress
from codectx.answer import Answer, Block, Frame, Shown
from codectx.call import Call
from codectx.errors import invalid_argument
from codectx.outline import label, record
from codectx.project import Project
from codectx.render import clipped, counted, shown_path, tidy, visible
from codectx.tool import Param, tool
from indexer.errors import IndexerError
from indexer.model import Symbol
from indexer.names import files_with, is_test_path, names_like
from indexer.secrets import mask

_NAME = re.compile(r"[@$]?[\w$-]*\w[\w$-]*[?!=]?")
MAX_PARSED_BYTES = 6_000_000  # of the files that hold the name (about 3 s CPU); the others are told
MAX_LINE = 120  # characters of a line that uses the name
MAX_DESCRIPTION = 160
MAX_SIGNATURE = 160


@dataclass(frozen=True, slots=True)
class _Definition:
    path: str
    symbol: Symbol
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
    words: int = 0
    files_with_words: int = 0


def find_symbol(
    project: Project,
    name: Annotated[str, Param("f, method, Class.method or Class::method", min_length=1, max_length=300)],
    path: Annotated[str, Param("File or folder")] = ".",
    after: Annotated[str, Param("Continue after this many")] = "",
) -> Answer:
    """Where is this name defined, and who uses it? Uses by file and function; not in comments and strings."""
    parts = [part for part in re.split(r"::|[.#]", _without_file(project, name.strip())) if part]
    if not parts or not all(map(_NAME.fullmatch, parts)):
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
    return symbol if re.search(r"[/\\]", before) or os.path.isfile(project.root / before) else name  # noqa: PTH113  (takes any text)


def _search(project: Project, under: str, parts: list[str]) -> _Found:
    """Parse the files that hold the name, those that seem to define it first, within the budget."""
    walked = project.walk(under).files
    holding = files_with(project.root, walked, parts[-1])
    found, budget = _Found([], [], len(walked)), MAX_PARSED_BYTES
    for file in holding:
        progress.check()
        if file.size > budget:
            found.not_parsed += 1
            continue
        budget -= file.size
        _search_file(project, file.path, parts, found)
    found.definitions.sort(key=lambda d: (d.is_declaration, is_test_path(d.path), d.path, d.symbol.start))
    found.uses.sort(key=lambda u: (is_test_path(u.path), u.path, u.line))
    return found


def _search_file(project: Project, path: str, parts: list[str], found: _Found) -> None:
    from indexer.references import references_in
    from indexer.source import Source

    try:
        text = mask(project.read(project.resolve(path)).text).text
    except IndexerError:
        return  # not text, or gone since the walk: it cannot use a name
    source = Source(path, text)
    wanted = ".".join(parts)
    if full := [symbol for symbol in source.described(parts[-1]) if _is_named(symbol, parts[-1], wanted)]:
        lines = text.split("\n")
        for symbol in full:
            own = "\n".join(lines[symbol.start - 1 : symbol.end]).rstrip()
            prototype = own.endswith(";") and "{" not in own and "=" not in own and "(" in own
            found.definitions.append(_Definition(path, symbol, prototype))
    hits = references_in(source, parts[-1])
    words = sum(not hit.exact for hit in hits)
    found.words += words
    found.files_with_words += words > 0
    symbols = source.symbols
    names_of = {s.name_line for s in symbols if s.name == parts[-1]}
    seen: set[int] = set()
    for reference in hits:
        if not reference.exact or reference.line in names_of or reference.line in seen:
            continue
        seen.add(reference.line)
        inside = [s for s in symbols if s.start <= reference.line <= s.end]
        enclosing = min(inside, key=lambda s: s.end - s.start, default=None)
        found.uses.append(_Use(path, reference.line, reference.text, enclosing))


def _is_named(symbol: Symbol, last: str, wanted: str) -> bool:
    if symbol.name != last:
        return False
    full = f"{symbol.receiver}.{symbol.name}" if symbol.receiver else symbol.qualified_name
    return any(own == wanted or own.endswith(f".{wanted}") for own in (symbol.qualified_name, full))


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

    notices = []
    if found.not_parsed:
        notices.append(
            f"not searched: {counted(found.not_parsed, 'file')} with this name, too much at once; give a path"
        )
    if found.words:
        where = counted(found.files_with_words, "file")
        notices.append(
            f"not listed: {counted(found.words, 'word')} in {where} without a grammar, see {_grep(parts[-1])}"
        )
    data = {
        "name": name,
        "total_definitions": len(found.definitions),
        "total_uses": len(found.uses),
        "files_not_searched": found.not_parsed,
    }
    return Answer(blocks[first:], frame, notices=tuple(notices), data=data, items="entries")


def _title(name: str, parts: list[str], found: _Found) -> str:
    files = {use.path for use in found.uses}
    tests = sum(is_test_path(use.path) for use in found.uses)
    declared = sum(definition.is_declaration for definition in found.definitions)
    title = f"{name}: {counted(len(found.definitions) - declared, 'definition')}"
    if declared:
        title += f", {counted(declared, 'declaration')}"
    title += f", {'at least ' if found.not_parsed else ''}{counted(len(found.uses), 'use')}"
    if files:
        title += f" in {counted(len(files), 'file')}"
    if tests:
        title += f", {tests} of them in tests"
    owners = {(d.path, d.symbol.parent) for d in found.definitions if not d.is_declaration}
    if found.uses and (len(parts) > 1 or len(owners) > 1):
        title += f"; uses are those of any {parts[-1]}"
    return title


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
        "test": is_test_path(use.path),
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
    told = f'no definition or use of "{clipped(name, 80)}" in {counted(found.files, "file")}'
    if near:
        told += f"; near: {', '.join(near)}"
    elif under != ".":
        told += f'; elsewhere: find_symbol("{name}")'
    else:
        told += f'; as text: grep("{last}", ignore_case=true)'
    data = {"name": name, "total_definitions": 0, "total_uses": 0, "near": near}
    return Answer((), lambda _: Frame(told), data=data, items="entries", found=False)


TOOL = tool(find_symbol, title="Find symbol", limit=2000)

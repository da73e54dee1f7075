"""Show the summary of one file: a row for each symbol, few tokens, nothing lost that ``--json`` has.

A row reads ``50-82 async validate(token, *, leeway=30) - Check a token. > jwt.verify, check_blacklist``:
lines, name with parameters as written, description, and after ``>`` the names it calls. Indentation is nesting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from codectx.answer import Block
from codectx.render import clipped, joined, tidy, visible
from indexer.model import FileSummary, Symbol, SymbolKind

MAX_PARAMS = 100  # characters of all parameters of one row
MAX_DESCRIPTION = 120  # characters of a row's description, and
MIN_DESCRIPTION = 56  # where the rows would take more than
ROOMY = 1 / 8  # of the source's characters: short files with much to say about them
MAX_BODY = 48  # characters of body lines, shown only where there is neither description nor call
MIN_BODY = 4  # lines of a function whose body lines are shown; a shorter one is read for about the same
MAX_CALLS = 10  # names; the others are counted
MAX_NAMES = 300  # characters of the list of imports, likewise of exports, and
MIN_NAMES = 60  # where the limit is too small for that
# Parameters among which a bare * or / says how they must be given; such marks are no parameters themselves.
_MARKED = re.compile(r"\(((?=[^()]*(?<=[(,\s])[*/]\s*,)[^()]*)\)")
_BARE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.PROCEDURE})
_NAMED = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE})


def file_blocks(summary: FileSummary, source_chars: int, after: int | None = None) -> list[Block]:
    """Give the blocks of a file's summary: its facts (on the first page), then one row for each symbol.

    Args:
        summary: of the file.
        source_chars: length of the file; decides how long descriptions may be, on all pages alike.
        after: number of symbols left out at the start, those of earlier pages; None for the first page.
    """
    blocks = _facts(summary) if after is None else []
    page = summary.symbols[after or 0 :]
    depths = _depths(page)
    roomy = sum(len(_row(symbol, {}, MAX_DESCRIPTION)) for symbol in summary.symbols) < source_chars * ROOMY
    room = MAX_DESCRIPTION if roomy else MIN_DESCRIPTION
    blocks += [Block((_row(symbol, depths, room),), data=record(symbol)) for symbol in page]
    return blocks


def record(symbol: Symbol) -> dict[str, Any]:
    """Give a symbol as ``--json`` shows it; nothing is clipped."""
    return {
        "name": symbol.qualified_name,
        "kind": str(symbol.kind),
        "lines": [symbol.start, symbol.end],
        "name_line": symbol.name_line,
        "params": list(symbol.params),
        "parent": symbol.parent,
        "receiver": symbol.receiver,
        "calls": list(symbol.calls),
        "description": symbol.description,
        "described": symbol.described,
        "exported": symbol.exported,
        "is_async": symbol.is_async,
    }


def label(symbol: Symbol, name: str | None = None) -> str:
    """Give what stands for a symbol: ``f(a, b=1)``, ``class A``, ``enum Colour``, ``LIMIT``."""
    name = symbol.qualified_name if name is None else name
    if symbol.kind in _BARE:
        marked = _MARKED.search(symbol.signature)
        params = tidy(marked[0])[1:-1] if marked else ", ".join(symbol.params)
        return f"{'async ' if symbol.is_async else ''}{name}({clipped(params, MAX_PARAMS)})"
    return name if symbol.kind in _NAMED else f"{symbol.kind} {name}"


def _facts(summary: FileSummary) -> list[Block]:
    """Give description, imports and exports as one block, which has a shorter form for small limits."""
    public = {s.name for s in summary.symbols if s.parent is None and s.exported}
    exports = summary.exports if set(summary.exports) != public else ()
    forms = []
    for description, names in ((2 * MAX_DESCRIPTION, MAX_NAMES), (MIN_DESCRIPTION, MIN_NAMES)):
        lines = [clipped(visible(summary.description), description)] if summary.description else []
        lines += [f"imports: {visible(joined(summary.imports, names))}"] if summary.imports else []
        lines += [f"exports: {visible(joined(exports, names))}"] if exports else []
        forms.append("".join(f"{line}\n" for line in lines))
    return [Block(tuple(dict.fromkeys(forms)))] if forms[0] else []


def _depths(symbols: Sequence[Symbol]) -> dict[str, int]:
    """Give how deep each container on this page is nested; a row whose container is elsewhere stands at the left."""
    depths: dict[str, int] = {}
    for symbol in symbols:
        inside = depths.get(symbol.parent, -1) if symbol.parent else -1
        depths[symbol.qualified_name] = inside + 1
    return depths


def _row(symbol: Symbol, depths: dict[str, int], room: int) -> str:
    nested = symbol.parent is not None and symbol.parent in depths
    depth = depths[symbol.parent] + 1 if nested and symbol.parent else 0
    lines = str(symbol.start) if symbol.start == symbol.end else f"{symbol.start}-{symbol.end}"
    parts = [f"{' ' * depth}{lines} {label(symbol, symbol.name if nested else None)}"]
    if symbol.description and symbol.described:
        parts.append(f"- {clipped(symbol.description, room)}")
    elif symbol.description and not symbol.calls and symbol.kind in _BARE and symbol.end - symbol.start >= MIN_BODY:
        parts.append(f"begins {clipped(symbol.description, MAX_BODY)}")
    if symbol.calls:
        more = len(symbol.calls) - MAX_CALLS
        parts.append(f"> {', '.join(symbol.calls[:MAX_CALLS])}{f' +{more}' if more > 0 else ''}")
    return visible(" ".join(parts)) + "\n"

"""Show the summary of one file: a row for each symbol, few tokens, nothing lost that ``--json`` has.

A row reads ``50-82 async validate(token, *, leeway=30) - Check a token. > jwt.verify check_blacklist``:
lines, name with parameters as written, description, and after ``>`` the names it calls. Indentation is nesting.
A file with much to say for its length is told in fewer words, by one of three ``Detail``s, the same on all its pages;
in the last, a row reads ``50-82 validate(token, leeway=30): Check a token.> ^ ...``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from codectx.answer import Block
from codectx.render import clipped, grouped, joined, tidy, visible
from indexer.model import FileSummary, Symbol, SymbolKind


@dataclass(frozen=True, slots=True)
class Detail:
    """Say how much of each symbol a summary shows.

    Attributes:
        description: characters of a row's description.
        calls: names in a row, the others are counted; 0 for all but the longest of the file, ``LEFT_OUT`` of them,
            for which stands ``...``.
        params: characters of all parameters of a row.
        types: whether parameters are shown as written, with types, or only their names and defaults.
        body: characters of body lines, shown only where there is neither description nor call; 0 for none.
        names: characters of the list of imports, likewise of exports.
    """

    description: int
    calls: int
    params: int
    types: bool
    body: int
    names: int


DETAILS = (
    Detail(description=120, calls=40, params=100, types=True, body=48, names=300),
    Detail(description=56, calls=20, params=100, types=True, body=48, names=300),
    Detail(description=48, calls=0, params=40, types=False, body=0, names=60),
)
SHARE = 1 / 9  # of the source's characters; the first detail that takes no more is chosen, else the last
SHORT, SHARE_OF_SHORT = 100, 1 / 4  # lines of a file of which so little is to be told that more of it may be
LEAST_SAID = 40  # characters of a clipped description, so that it can be understood
MIN_NAMES = 60  # characters of imports and exports where the limit is too small for all of the facts
MAX_INSIDE = 8  # containers named above the first row of a later page
HOLDING = ", with all below"  # of a container to the end of the file, whose members' blanks are spared
MIN_BODY = 4  # lines of a function whose body lines are shown; a shorter one is read for about the same
MAX_DEFAULT = 24  # characters of a parameter's default where types are left out
LEFT_OUT = 1 / 10  # of a file's calls, at most: the longest, which cost most and which chains of members mostly are
MARK_CHARS = 4  # what ``...`` costs in a row, as many characters of names cost
ABOVE = "^"  # stands for the calls of the last row above that lists its own without this mark
WORTH = 3  # characters that the mark must save
# What a method calls its own object: left out before ``.`` and ``->``.
_OWN = re.compile(r"(?:self|this|\$this)(?=\.|->)")
# Parameters among which a bare * or / says how they must be given; such marks are no parameters themselves.
_MARKED = re.compile(r"\(((?=[^()]*(?<=[(,\s])[*/]\s*,)[^()]*)\)")
_BARE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.PROCEDURE})
_NAMED = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE})
_TYPE_AFTER_COLON = frozenset(
    "python notebook javascript typescript tsx vue svelte rust kotlin swift scala zig".split()  # noqa: SIM905
)
_TYPE_FIRST = frozenset(("java", "c", "cpp", "csharp"))
_NAME_AT_END = re.compile(
    r"(?:[*&\s>\])?]|\.\.\.)((?!(?:const|int|long|char|short|double|unsigned)\b)[\w$]+(?:\[\w*\])*)$"
)
_POINTER_TO_FUNCTION = re.compile(r"\(\s*[*^&]\s*(\w+)")
_GO_NAMES = re.compile(r"(\w+(?:, *\w+)*)(?: +(\.\.\.)?|$)")
_MODIFIER = re.compile(r"(?:ref|out|in|params|this) ")


def file_blocks(summary: FileSummary, source_chars: int, after: int | None = None) -> list[Block]:
    """Give the blocks of a file's summary: its facts (on the first page), then one row for each symbol.

    Args:
        summary: of the file.
        source_chars: length of the file; decides how much is told of each symbol, on all pages alike.
        after: number of symbols left out at the start, those of earlier pages; None for the first page.
    """
    detail, rows = _detail(summary, source_chars)
    blocks = _facts(summary, detail) if after is None else []
    page = summary.symbols[after or 0 :]
    if after:
        rows = _rows(summary.symbols, detail, summary.language, after)
    return blocks + [Block((row,), data=record(symbol)) for symbol, row in zip(page, rows, strict=True)]


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
    return _label(symbol, symbol.qualified_name if name is None else name, DETAILS[0], None)


def _label(symbol: Symbol, name: str, detail: Detail, language: str | None) -> str:
    if symbol.kind not in _BARE:
        return name if symbol.kind in _NAMED else f"{symbol.kind} {name}"
    marked = _MARKED.search(symbol.signature)
    if detail.types:
        params = tidy(marked[0])[1:-1] if marked else ", ".join(symbol.params)
    else:
        written = _parts(tidy(marked[0])[1:-1]) if marked else symbol.params
        params = ", ".join(bare for each in written if (bare := without_type(each, language)))
    return f"{'async ' if symbol.is_async else ''}{name}({clipped(params, detail.params)})"


def _detail(summary: FileSummary, source_chars: int) -> tuple[Detail, list[str]]:
    """Choose the first detail in which the whole summary is a small share of the source; give its rows as well."""
    share = SHARE_OF_SHORT if summary.line_count < SHORT else SHARE
    for detail in DETAILS:
        facts = sum(len(block.forms[0]) for block in _facts(summary, detail))
        rows = _rows(summary.symbols, detail, summary.language)
        if facts + sum(map(len, rows)) <= source_chars * share:
            break
    return detail, rows


def _facts(summary: FileSummary, detail: Detail) -> list[Block]:
    """Give description, imports and exports as one block, which has a shorter form for small limits."""
    public = {s.name for s in summary.symbols if s.parent is None and s.exported}
    exports = summary.exports if set(summary.exports) != public else ()
    forms = []
    for description, names in ((2 * detail.description, detail.names), (DETAILS[-1].description, MIN_NAMES)):
        lines = [clipped(visible(summary.description), description)] if summary.description else []
        lines += [f"imports: {visible(grouped(summary.imports, names))}"] if summary.imports else []
        lines += [f"exports: {visible(joined(exports, names))}"] if exports else []
        forms.append("".join(f"{line}\n" for line in lines))
    return [Block(tuple(dict.fromkeys(forms)))] if forms[0] else []


def _containers(symbols: Sequence[Symbol], after: int) -> list[Symbol]:
    """Give what the first symbol of a page stands in, from the outermost on, as far as earlier pages show it."""
    earlier = {symbol.qualified_name: symbol for symbol in symbols[:after]}
    inside: list[Symbol] = []
    parent = symbols[after].parent if after < len(symbols) else None
    while parent in earlier and len(inside) < MAX_INSIDE:
        inside.insert(0, earlier[parent])
        parent = inside[0].parent
    return inside


def _depths(symbols: Sequence[Symbol]) -> dict[str, int]:
    """Give how deep each container of these is nested; a row whose container is elsewhere stands at the left."""
    depths: dict[str, int] = {}
    for symbol in symbols:
        inside = depths.get(symbol.parent, -1) if symbol.parent else -1
        depths[symbol.qualified_name] = inside + 1
    return depths


def _indents(symbols: Sequence[Symbol], depths: dict[str, int], detail: Detail) -> list[int]:
    """Give the blanks before each row; those that all rows from there on would have can be spared.

    The row of the container says so then, which ends with the file.
    """
    indents = [depths.get(symbol.parent, -1) + 1 if symbol.parent else 0 for symbol in symbols]
    if detail.types:
        return indents
    around = {symbol.qualified_name: symbol for symbol in symbols}
    spared = MAX_INSIDE
    for at in reversed(range(len(symbols))):
        parent = around.get(symbols[at].parent or "")
        outside = parent is not None and not parent.start <= symbols[at].start <= parent.end
        spared = min(spared, 0 if outside else indents[at])  # a method outside of its type has only blanks to say so
        indents[at] -= spared
    return indents


def _rows(symbols: Sequence[Symbol], detail: Detail, language: str | None, after: int = 0) -> list[str]:
    """Give one row for each symbol of a page, the first below what it stands in."""
    inside, page, rows = _containers(symbols, after), symbols[after:], []
    depths = _depths([*inside, *page])
    indents = _indents(page, depths, detail)
    holding = _holding(page, indents)
    shown = [symbol.qualified_name for symbol in inside]  # what stands above, from the outermost on
    above: list[str] = []  # the calls last listed on this page
    hidden = _left_out(symbols, detail)[after:]
    for at, (symbol, indent, hides) in enumerate(zip(page, indents, hidden, strict=True)):
        calls, above = _calls(symbol, detail, hides, above)
        name, heading = symbol.name, ""
        depth = depths.get(symbol.parent or "", -1)
        if depth < 0:
            name = symbol.qualified_name
        elif depth >= len(shown) or shown[depth] != symbol.parent:
            following = next(
                (page[later] for later in range(at + 1, len(page)) if page[later].start > symbol.end), None
            )
            is_heading = following is not None and following.parent == symbol.parent
            if is_heading:
                heading = f"{' ' * (indent - 1)}in {visible(symbol.parent or '')}:\n"
            else:
                name, indent = symbol.qualified_name, indent - 1
            shown[depth:] = [*[""] * (depth - len(shown)), (is_heading and symbol.parent) or ""]
        shown[depth + 1 :] = [symbol.qualified_name]
        labelled = _label(symbol, name, detail, language) + (HOLDING if at in holding else "")
        rows.append(heading + _row(symbol, " " * indent + _lines(symbol), labelled, detail, calls))
    if rows:
        names = (f"in {each.kind} {each.name} {each.start}-{each.end}:" for each in inside)
        rows[0] = "".join(f"{' ' * depth}{visible(name)}\n" for depth, name in enumerate(names)) + rows[0]
    return rows


def _holding(symbols: Sequence[Symbol], indents: Sequence[int]) -> set[int]:
    """Give the rows of containers whose members stand below them without a blank more."""
    place = {symbol.qualified_name: at for at, symbol in enumerate(symbols)}
    parents = ((place.get(symbol.parent or ""), indent) for symbol, indent in zip(symbols, indents, strict=True))
    return {at for at, indent in parents if at is not None and indents[at] == indent}


def _lines(symbol: Symbol) -> str:
    return str(symbol.start) if symbol.start == symbol.end else f"{symbol.start}-{symbol.end}"


def _row(symbol: Symbol, lines: str, name: str, detail: Detail, calls: str) -> str:
    row = f"{lines} {name}"
    if symbol.description and symbol.described:
        row += f"{' -' if detail.types else ':'} {_said(symbol.description, detail)}"  # ``):`` is one token
    elif symbol.description and detail.body and _says_more(symbol):
        row += f" begins {clipped(symbol.description, detail.body)}"
    if calls:
        row += f"{'' if row.endswith(')') and not detail.types else ' '}> {calls}"  # ``)>`` is one token
    return visible(row) + "\n"


def _calls(symbol: Symbol, detail: Detail, hidden: Set[str], above: list[str]) -> tuple[str, list[str]]:
    """Write the names that a symbol calls but for the ``hidden`` ones, for which stands their number or a mark.

    Where all that ``above`` lists is called here, too, a mark stands for it. Returns also what is ``above`` the next.
    """
    names = [name for name in symbol.calls if name not in hidden]
    listed = _listed(names, len(hidden), detail)
    if above and not detail.types and set(above) <= set(symbol.calls):
        others = [name for name in names if name not in above]
        marked = _listed([ABOVE, *others], len(symbol.calls) - len(above) - len(others), detail)
        if len(marked) + WORTH <= len(listed):
            return marked, above
    return listed, names or above


def _listed(names: Sequence[str], more: int, detail: Detail) -> str:
    """Join names with blanks: a comma would be one more token each."""
    shown = names if detail.types else (_OWN.sub("", name) for name in names)
    others = f"+{more}" if detail.types else "..."  # one token less
    return " ".join([*shown, *([others] if more else [])])


def _left_out(symbols: Sequence[Symbol], detail: Detail) -> list[Set[str]]:
    """Choose the calls that each row leaves out, in a dense file those by which it gets shortest."""
    if detail.calls:
        return [frozenset(symbol.calls[detail.calls :]) for symbol in symbols]
    alike: list[list[int]] = []  # rows that call the same one after the other: what one hides, all of them do
    for row, symbol in enumerate(symbols):
        if alike and set(symbol.calls) == set(symbols[alike[-1][0]].calls):
            alike[-1].append(row)
        elif symbol.calls:
            alike.append([row])
    choices: list[tuple[float, list[int], list[str]]] = []  # characters saved by each, rows, calls left out together
    for rows in alike:
        calls = symbols[rows[0]].calls
        longest = sorted(calls, key=len)[::-1][: len(calls) // 2]  # half of a row is always shown
        sums = accumulate((len(name) for name in longest), initial=-MARK_CHARS)
        saved, first = max(((total / n, n) for n, total in enumerate(sums) if n), default=(0, 0))
        choices.append((saved / len(rows), rows, longest[:first]))  # pay for the mark; each further one is free of it
        choices += [(len(name) / len(rows), rows, [name]) for name in longest[first:]]
    hidden: list[set[str]] = [set() for _ in symbols]
    left = int(LEFT_OUT * sum(len(symbol.calls) for symbol in symbols))
    for _, rows, names in sorted(choices, key=lambda choice: -choice[0]):
        fitting = names[: left // len(rows)]
        left -= len(fitting) * len(rows)
        for row in rows:
            hidden[row].update(fitting)
    return [*hidden]


def _said(description: str, detail: Detail) -> str:
    """Give a description whole, or as much of it as tells one from another."""
    text = " ".join(description.split())
    if detail.types or len(text) <= detail.description:
        return clipped(text, detail.description, least=LEAST_SAID)
    end = text.find(" ", LEAST_SAID, detail.description - 2)
    return f"{text[: detail.description - 3 if end < 0 else end]}..."


def _says_more(symbol: Symbol) -> bool:
    """Tell whether a function's body lines are all that can be said of it, and cheaper than reading them."""
    return not symbol.calls and symbol.kind in _BARE and symbol.end - symbol.start >= MIN_BODY


def without_type(param: str, language: str | None) -> str:
    """Give a parameter's name, marks and default without its type; empty for a receiver (``self``).

    What cannot be told apart stays as written: types without a name, languages without types.
    """
    if param in ("self", "cls", "&self"):
        return ""
    written, default = _split(param, "=")
    name = _name(written, language)
    return name + (f"={clipped(default, MAX_DEFAULT)}" if default else "")


def _name(written: str, language: str | None) -> str:
    if language in _TYPE_AFTER_COLON:
        return _split(written, ":")[0]
    if language == "go" and (names := _GO_NAMES.match(written)):
        return names[1] + ("..." if names[2] else "")
    if language == "php":
        found = re.search(r"&?(?:\.\.\.)?\$\w+", written)
        return found[0] if found else written
    if language in _TYPE_FIRST:
        modifier = found[0] if (found := _MODIFIER.match(written)) else ""
        many = "..." if "..." in written else ""
        if found := _POINTER_TO_FUNCTION.search(written) or _NAME_AT_END.search(written):
            return modifier + many + found[1]
    return written


def _split(text: str, mark: str) -> tuple[str, str]:
    """Split at the first ``mark`` that is in no brackets or quotes and is no part of ``::``, ``=>``, ``==``."""
    depth, quote = 0, ""
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in '"`' or (char == "'" and "'" in text[at + 1 :]):
            quote = char
        elif char in "([{<":
            depth += 1
        elif char in ")]}" or (char == ">" and text[at - 1 : at] not in ("-", "=")):
            depth -= 1
        elif char == mark and depth == 0 and text[at : at + 2] not in ("::", "=>", "==") and text[at - 1 : at] != mark:
            return text[:at].strip(), text[at + 1 :].strip()
    return text.strip(), ""


def _parts(params: str) -> list[str]:
    """Split parameters at the commas that are in no brackets."""
    parts: list[str] = []
    rest = params
    while rest:
        part, rest = _split(rest, ",")
        parts.append(part)
    return parts

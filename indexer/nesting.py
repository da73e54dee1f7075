"""Put the definitions of a file into one another and book each call on the innermost one: ``nest``.

One sweep over byte ranges, with a stack of what is open; no tree is walked. Words nothing: that is describe.py.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from indexer.parsed import Definition, Scope, in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.languages import Language
    from indexer.parsed import Parsed

MAX_DEPTH = 32  # definitions nested deeper are left to their ancestor; real code stays below ten
CALL_LIMIT = 80  # characters of one called name
_CALL_BYTES = 3 * CALL_LIMIT
NAME_LIMIT = 120  # characters of one symbol's name

_first = itemgetter(0)
_new = tuple.__new__
_NOBODY: dict[str, None] = {}  # calls what no definition calls
_TYPES = frozenset(("class", "interface", "trait", "struct", "record", "enum", "object"))
_CONSTANTS = frozenset(("constant", "variable"))
_FUNCTIONS = frozenset(("function", "method", "constructor", "procedure", "macro"))
_NO_CALLS = frozenset(("", "import"))
_QUOTED = re.compile(r"[\[:]?([\"'`])(.*)\1\]?")
_PLAIN_CHAIN = re.compile(rb"[\w$]+(?:(?:\.|::?|->|\\)[\w$#]+)*")
_CLOSING = re.compile(rb"[)\]}]")
_AFTER_CLOSING = re.compile(rb"\s*\.?\s*([\w$]+)")
_CHAIN = re.compile(r"(?:[\w$@#]|(?<!\W)\?(?=\.))(?:[\w$@#!?]|-(?=\w))*(?:(?:[?&]?\.|::|\??->|:|\\)[\w$#@~]+[!?]?)*$")
_CHAIN_CHARACTERS = string.ascii_letters + string.digits + "_$@#!?&.:->\\~"
_OWNER = re.compile(r"(?:\.|::)?[\w$#@]*(?:(?:\.|::)[\w$#@]+|\[(?:\"[^\"\n]*\"|'[^'\n]*')\])*")
_TYPE_ARGUMENTS = re.compile(r"(?<=\.)<[^<>()]*>|(?:::)?\s*<[^<>()]*>(?=\s*(?:::|[>,.]|$))")
_SPACE = re.compile(r"\s+|!(?=\.)")


@dataclass(slots=True, eq=False)
class Nested:
    """Hold a definition in its place.

    Attributes:
        found: what the query said.
        name: the name as it is shown, without quotes.
        qualified_name: containers and name, joined by dots.
        kind: the kind that it has where it stands.
        parent: qualified name of what it is in, None at top level.
        container: the definition it stands in, if it is listed.
        inner: what the query said of the definitions that stand in it directly; these themselves would make a cycle,
            which would wait for the garbage collector.
        calls: names called in its body, in order.
    """

    found: Definition
    name: str
    qualified_name: str
    kind: str
    parent: str | None
    container: Nested | None
    inner: list[Definition] = field(default_factory=list)
    calls: dict[str, None] = field(default_factory=dict)


class _Frame(NamedTuple):
    """Hold a range that is open: a definition, or a scope that only gives its name; and the definition around."""

    end: int
    prefix: str
    nested: Nested | None
    container: Nested | None
    holds_members: bool


def nest(parsed: Parsed, language: Language) -> list[Nested]:
    """Give the definitions that are to be listed, in order, with their containers and calls."""
    sweep = _Sweep(parsed, language)
    items: Sequence[Definition | Scope] = parsed.definitions
    if parsed.scopes:
        items = in_order((*items, *parsed.scopes))
    is_open = sweep.open
    for item in items:
        while is_open and is_open[-1].end <= item.start:
            is_open.pop()
        if isinstance(item, Definition):
            sweep.definition(item)
        else:
            sweep.scope(item)
    if parsed.calls:
        _book_calls(parsed, sweep.bodies)
    return _without_forwards(sweep.nested, parsed)


def _book_calls(parsed: Parsed, bodies: list[tuple[int, int, dict[str, None]]]) -> None:
    """Book each call on the innermost definition whose body it is in.

    Args:
        parsed: what was found.
        bodies: start and end of each body with what it calls, to be filled; each after those that it is in.
    """
    starts, owners = [-1], [_NOBODY]
    around: list[tuple[int, dict[str, None]]] = []
    for start, end, calls in sorted(bodies, key=_first):
        while around and around[-1][0] <= start:
            starts.append(around.pop()[0])
            owners.append(around[-1][1] if around else _NOBODY)
        around.append((min(end, around[-1][0]) if around else end, calls))
        starts.append(start)
        owners.append(calls)
    while around:
        starts.append(around.pop()[0])
        owners.append(around[-1][1] if around else _NOBODY)
    source, names = parsed.source, _Names()
    for end, start in parsed.calls:
        owner = owners[bisect_right(starts, start) - 1]
        if owner is not _NOBODY:
            name = names[source[start if end - start < _CALL_BYTES else end - _CALL_BYTES : end]]
            if name not in _NO_CALLS:
                owner[name] = None


class _Names(dict[bytes, str]):
    """Remember which name is at the end of the bytes of a call."""

    def __missing__(self, raw: bytes) -> str:
        name = self[raw] = _name_in(raw)
        return name


def _without_forwards(nested: list[Nested], parsed: Parsed) -> list[Nested]:
    """Leave out declarations of what the file defines, and those that the grammar only made up of broken code."""
    if not any(each.found.is_forward for each in nested):
        return nested
    defined = {(each.qualified_name, len(each.found.params)) for each in nested if not each.found.is_forward}
    broken = {row for error in parsed.errors for row in range(error.row, error.end_row + 1)}
    return [
        each
        for each in nested
        if not each.found.is_forward
        or (
            (each.qualified_name, len(each.found.params)) not in defined
            and broken.isdisjoint(range(each.found.row, each.found.end_row + 1))
        )
    ]


class _Sweep:
    """Go through a file once, from its first byte to its last."""

    def __init__(self, parsed: Parsed, language: Language) -> None:
        self.parsed = parsed
        self.language = language
        self.nested: list[Nested] = []
        self.open: list[_Frame] = []
        self.bodies: list[tuple[int, int, dict[str, None]]] = []

    def definition(self, found: Definition) -> None:
        """List a definition, unless it is a local constant or a mere callback."""
        name = shown_name(self.parsed.text(found.name_start, found.name_end))
        top = self.open[-1] if self.open else None
        container = top.container if top is not None else None
        in_function = container is not None and container.kind in _FUNCTIONS
        if found.kind in _CONSTANTS and not self._is_of_module(found, container):
            self._push(found.end, join(top, name), None, holds_members=True)
            return
        if found.is_forward and in_function:
            return  # a variable with arguments, or a prototype for this body only
        if found.is_member and in_function and not _in_scope(self.open):
            return
        prefix = top.prefix if top else ""
        if container is not None and _same_body(found, container.found):
            if container.name == name:
                return
            prefix, container = self._prefix_around(container), container.container  # a second name for the same thing
        if found.owner is not None:
            owner = self.language.owner(found.owner)
            if not _OWNER.fullmatch(owner):
                return
            prefix = self._owned(owner, prefix)
        if len(self.open) >= MAX_DEPTH:
            return
        qualified = (f"{prefix}.{name}" if prefix else name).replace("::", ".")
        nested = Nested(found, name, qualified, self._kind(found, prefix, container), prefix or None, container)
        self.nested.append(nested)
        if container is not None:
            container.inner.append(found)
        self._push(found.end, qualified, nested, holds_members=nested.kind in _CONSTANTS)

    def scope(self, scope: Scope) -> None:
        """Open a range that lends its name to what is inside."""
        top = self.open[-1] if self.open else None
        prefix = top.prefix if top else ""
        if scope.name is not None:
            name = shown_name(self.parsed.text(*scope.name))
            owner = self.language.owner(f"{scope.owner}.{name}" if scope.owner else name)
            if not _OWNER.fullmatch(owner):
                owner = ""
            prefix = self._owned(owner, prefix)
        holds = _in_scope(self.open) if scope.is_part else True
        self._push(scope.end, prefix, None, holds_members=holds)

    def _push(self, end: int, prefix: str, nested: Nested | None, *, holds_members: bool) -> None:
        top = self.open[-1] if self.open else None
        container = nested or (top.container if top is not None else None)
        around = top.nested if top is not None else None
        if nested is not None and around is not None and _is_beside(nested.found, around.found):
            return  # of `typedef struct a {...} b, *c;` nothing stands in c
        if len(self.open) < 2 * MAX_DEPTH:
            self.open.append(_new(_Frame, (end, prefix, nested, container, holds_members)))
            if nested is not None and nested.found.body is not None and not nested.found.is_quiet:
                self.bodies.append((*nested.found.body, nested.calls))

    def _owned(self, owner: str, prefix: str) -> str:
        """Give the prefix of what an owner has: the enclosing definition's is known, others are taken by name."""
        if owner.startswith("."):
            prefix, owner = self._self(), owner[1:]
        elif owner.startswith("::"):
            prefix, owner = "", owner[2:]
        owner = owner.replace("::", ".")
        return f"{prefix}.{owner}" if prefix and owner else prefix or owner

    def _is_of_module(self, found: Definition, container: Nested | None) -> bool:
        """Say whether a constant is one of its module or namespace: in no block, not even of an unnamed function."""
        if found.is_listed:
            return container is None or container.kind not in _FUNCTIONS
        if container is not None:
            return container.kind == "module"
        return found.start == 0 or self.parsed.source[found.start - 1] in b"\n\r"

    def _prefix_around(self, nested: Nested) -> str:
        frames = [frame.nested for frame in self.open]
        below = frames.index(nested) - 1
        return self.open[below].prefix if below >= 0 else ""

    def _self(self) -> str:
        """Give what ``this`` means: the class around a method, else the function that is called with ``new``."""
        container = self.open[-1].container if self.open else None
        while container is not None and container.kind == "method" and container.container is not None:
            container = container.container
        return container.qualified_name if container is not None else ""

    def _kind(self, found: Definition, prefix: str, container: Nested | None) -> str:
        if found.kind == "function" and container is not None and container.kind in _TYPES:
            return "method"
        if found.kind == "method" and not prefix:
            return "function"
        return found.kind


def _same_body(one: Definition, other: Definition) -> bool:
    if _is_beside(one, other) or (one.kind in _CONSTANTS and _is_same(one, other)):
        return True
    return one.body is not None and other.body is not None and one.body[0] == other.body[0]


def _is_beside(one: Definition, other: Definition) -> bool:
    """Say whether one only gives a further name to what the other's statement names."""
    return one.body is None and _is_same(one, other)


def _is_same(one: Definition, other: Definition) -> bool:
    return one.start == other.start and one.end == other.end


def join(frame: _Frame | None, name: str) -> str:
    """Join the prefix of a frame and a name."""
    return f"{frame.prefix}.{name}" if frame is not None and frame.prefix else name


def shown_name(text: str) -> str:
    """Give a name without the quotes or brackets that the source may need around it, on one line."""
    if text.isidentifier():
        return text[:NAME_LIMIT]
    if text[:1] == ":" and text[1:2].isalpha():
        text = text[1:]  # a symbol
    quoted = _QUOTED.fullmatch(text)
    text = text.replace("::inline ", "::")
    if text.startswith("operator "):  # of a conversion, where its parameters and what follows belong to the name
        text = text.partition("(")[0]
    return " ".join((quoted[2] if quoted else text).split())[:NAME_LIMIT]


def _name_in(raw: bytes) -> str:
    """Give the called name at the end of bytes; most are so plain that no text has to be looked through."""
    if _PLAIN_CHAIN.fullmatch(raw):
        return raw.decode()[-CALL_LIMIT:]
    last = _CLOSING.search(raw[::-1])
    after = _AFTER_CLOSING.fullmatch(raw, len(raw) - last.start()) if last else None
    return after[1].decode()[-CALL_LIMIT:] if after else called_name(raw.decode("utf-8", "replace"))


def called_name(text: str) -> str:
    """Give the called name at the end of an expression: ``a(b).c`` calls ``c``; empty where there is no name."""
    while "<" in text and (plain := _TYPE_ARGUMENTS.sub("", text)) != text:
        text = plain
    text = _SPACE.sub("", text)
    before = text.rstrip(_CHAIN_CHARACTERS)  # no chain reaches over what stands there, if it is no letter
    name = _CHAIN.search(text, len(before) if before[-1:].isascii() else 0)
    return name[0].replace("?.", ".")[-CALL_LIMIT:] if name else ""


def _in_scope(frames: list[_Frame]) -> bool:
    """Say whether, from the inside out, an object that was assigned or returned comes before a function."""
    for frame in reversed(frames):
        if frame.holds_members:
            return True
        if frame.nested is not None:
            return frame.nested.kind not in _FUNCTIONS
    return True

r"""Name the values that flow from files to summaries.

All lines are 1-based and inclusive; only ``\n`` (with an optional ``\r`` before it) ends a
line. Paths are POSIX, relative to the project root. All types are immutable values.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class SymbolKind(StrEnum):
    """Name what a definition is; languages map their constructs onto the closest one."""

    FUNCTION = "function"
    METHOD = "method"
    CONSTRUCTOR = "constructor"
    CLASS = "class"
    INTERFACE = "interface"
    TRAIT = "trait"
    STRUCT = "struct"
    RECORD = "record"
    ENUM = "enum"
    TYPE = "type"
    OBJECT = "object"
    MODULE = "module"
    MACRO = "macro"
    CONSTANT = "constant"
    VARIABLE = "variable"
    TABLE = "table"
    VIEW = "view"
    PROCEDURE = "procedure"
    TRIGGER = "trigger"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Span:
    """Address whole lines of one file; ``str()`` is ``src/a.py:10-24``, which every reading tool accepts."""

    path: str
    start: int
    end: int

    def __str__(self) -> str:
        lines = str(self.start) if self.start == self.end else f"{self.start}-{self.end}"
        return f"{self.path}:{lines}"


class Symbol(NamedTuple):
    """Hold one definition of a file; a tuple, as making a frozen dataclass of so many fields takes six times as long.

    Attributes:
        name: the bare name as written (``m``); ``default`` for an anonymous default export.
        qualified_name: containers and name joined by ``.`` (``Class.m``, ``outer.inner``).
        kind: what it is.
        start: first line: of the first decorator, attribute, ``export``, ``template<>`` or modifier.
        end: line of the last token; leading comments and trailing blank lines are outside.
        name_line: line of the name itself.
        params: parameters in order, each as written, white space collapsed (``{a, b}``, ``c=1``, ``...r``).
        signature: one line as written, without body (``def f(a, b=1) -> int``), clipped.
        calls: names called in the body, bare (``f``) or dotted (``jwt.verify``), de-duplicated, in order of
            first call; nested definitions keep their own calls.
        description: first sentence of docstring or doc comment, else of the leading comment, else the first
            three non-blank, non-comment body lines; clipped; empty if there is none of them.
        parent: qualified name of the enclosing definition, None at top level.
        exported: whether other files can use it, in the language's own sense.
        is_async: whether it is declared asynchronous.
        receiver: type that a method is attached to from outside (Go, Kotlin, Rust impl), else None.
        described: whether ``description`` comes from a docstring or comment (False: it is body lines).
    """

    name: str
    qualified_name: str
    kind: SymbolKind
    start: int
    end: int
    name_line: int
    params: tuple[str, ...] = ()
    signature: str = ""
    calls: tuple[str, ...] = ()
    description: str = ""
    parent: str | None = None
    exported: bool = False
    is_async: bool = False
    receiver: str | None = None
    described: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """Say which lines of a file could not be understood, and why."""

    start: int
    end: int
    message: str


@dataclass(frozen=True, slots=True)
class FileSummary:
    """Hold what one file is and defines; made from that file alone.

    Attributes:
        path: POSIX path relative to the root.
        language: name from the language table, or None where there is none.
        description: what the file is for: module docstring or leading comment (never a licence), else empty.
        imports: what it imports, as a reader would name it (``os.path``, ``./util``), in order.
        exports: names (or ``name from './source'``, ``* from './source'``) it offers, in order.
        symbols: definitions in order of their first line.
        line_count: number of lines (0 for an empty file).
        problems: parts that could not be parsed.
        exact: True where a grammar gave the symbols; False where they are an outline by headings or indentation.
    """

    path: str
    language: str | None
    description: str = ""
    imports: tuple[str, ...] = ()
    exports: tuple[str, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    line_count: int = 0
    problems: tuple[Problem, ...] = ()
    exact: bool = True

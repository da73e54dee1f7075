"""Say what the text of an import names, where one statement names several things: ``php_imports`` and others.

Each takes the text that a query captured and gives the names in order, as a reader would write them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_JAVA_WORDS = re.compile(r"import\s+(?:static\s+)?")
_PHP_WORDS = re.compile(r"use\s+")
_PHP_KIND = re.compile(r"(?<![\w\\])(?:function|const)\s+", re.IGNORECASE)
_KOTLIN_END = re.compile(r"\n|//|/\*")
_PART = re.compile(r"[{},]|[^{},]+")
_ALIAS = re.compile(r"\s+as\s.*", re.DOTALL)
_PHP_PATH = re.compile(r"[\s().]*(?:__DIR__|dirname\(__FILE__\))?[\s.]*[\"']([^\"'$]*)[\"'][\s)]*")


def as_written(text: str) -> Iterator[str]:
    """Take the text as the one name that it is."""
    yield text


def php_imports(text: str) -> Iterator[str]:
    r"""Read ``use A\{B, C as D};`` as ``A\B`` and ``A\C``, and the path of a ``require``."""
    words = _PHP_WORDS.match(text)
    if words is not None:
        yield from expanded(_PHP_KIND.sub("", text[words.end() :]).rstrip("; \n"))
        return
    path = _PHP_PATH.fullmatch(text)
    yield path[1] if path else text


def java_imports(text: str) -> Iterator[str]:
    """Read ``import static a.B.*;`` as ``a.B.*``, and ``import a.B as C`` of Kotlin as ``a.B``."""
    yield "".join(_ALIAS.sub("", _JAVA_WORDS.sub("", text).rstrip(";")).split())


def kotlin_imports(text: str) -> Iterator[str]:
    """Read an import up to the end of its line: the grammar takes in comments that follow it."""
    yield from java_imports(_KOTLIN_END.split(text, 1)[0])


def rust_imports(text: str) -> Iterator[str]:
    """Read ``std::{fmt, io::{self, Read as R}}`` as ``std::fmt``, ``std::io`` and ``std::io::Read``."""
    for name in expanded(text):
        yield "".join(name.split()).removesuffix("::self")


def scala_imports(text: str) -> Iterator[str]:
    """Read ``import a.{B, C => D}`` as ``a.B`` and ``a.C``."""
    for name in expanded(text.removeprefix("import").replace("=>", " as ")):
        yield "".join(name.split())


def expanded(text: str) -> Iterator[str]:
    """Write out each name of a list whose braces share what stands before them, without what it is called here."""
    before: list[str] = []
    last = ""
    for part in _PART.findall(text):
        if part == "{":
            before.append(last)
            last = ""
        elif part in ",}":
            if last:
                yield "".join(before) + last
            last = ""
            if part == "}" and before:
                before.pop()
        else:
            last = _ALIAS.sub("", part).strip()
    if last:
        yield last

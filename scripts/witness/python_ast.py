"""Ask Python's own parser: ``definitions_of`` gives classes and functions with their full ranges."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from witness.compare import Definition


def definitions_of(text: str) -> list[Definition] | None:
    """Give the definitions of a Python text, or None where this Python cannot parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # escapes in other people's strings
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return list(_definitions(tree, text.split("\n")))


def _definitions(tree: ast.AST, lines: list[str]) -> Iterator[Definition]:
    for each in ast.walk(tree):
        if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        start = min([each.lineno, *(decorator.lineno for decorator in each.decorator_list)])
        kind = "class" if isinstance(each, ast.ClassDef) else "function"
        yield Definition(kind, each.name, _name_line(each, lines), start, each.end_lineno)


def _name_line(each: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, lines: list[str]) -> int:
    """A backslash may put the name on a later line than ``def``."""
    line = each.lineno
    while line < len(lines) and lines[line - 1].rstrip("\r").endswith("\\") and each.name not in lines[line - 1]:
        line += 1
    return line

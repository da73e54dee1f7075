"""Give verbatim lines of a file, or one definition by name."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import Annotated

from codectx.address import Address, check_range
from codectx.answer import Answer, Frame, Shown
from codectx.errors import UserError, invalid_argument
from codectx.project import Located, Project
from codectx.reading import page
from codectx.render import shown_path
from codectx.tool import Param, tool
from indexer.model import Symbol

HEAD_SHARE = 16  # a definition asked by name is headed by path and lines where they have a 16th of its characters


def read_lines(
    project: Project,
    path: Annotated[str, Param("a.py, a.py:10-24 or a.py#Class.method", min_length=1)],
    start: Annotated[int | None, Param("First line, from 1", minimum=1)] = None,
    end: Annotated[int | None, Param("Last line, included", minimum=1)] = None,
) -> Answer:
    """What do these lines, or this function, say? Verbatim lines of a file by range or symbol name."""
    check_range(start, end, "this call")
    asked = project.address(path)
    if start is None and end is None:
        located = project.file(asked.path)
        if not asked.symbol:
            return page(project, located, asked)
        symbol, others = _definition(project, located, asked.symbol)
        answer = page(project, located, Address(located.path, symbol.start, symbol.end))
        return replace(_headed_briefly(answer, located), notices=_also(located.path, others))
    if asked.start is not None or asked.symbol:
        raise invalid_argument(f"{path} and start or end name lines twice", "give one of them")
    return page(project, project.file(asked.path), Address(asked.path, start, end))


def _definition(project: Project, located: Located, name: str) -> tuple[Symbol, list[Symbol]]:
    """Find the definition that ``name`` means, and the others of that name in the file."""
    from indexer.summary import symbols_of

    symbols = symbols_of(located.path, project.read(located).text)
    exact = [s for s in symbols if s.qualified_name == name]
    named = exact or [s for s in symbols if s.qualified_name.endswith(f".{name}")]
    if not named:
        names = list(dict.fromkeys(n for s in symbols for n in (s.qualified_name, s.name)))
        near = get_close_matches(name, names, 3, 0.5)
        remedy = f"near: {', '.join(near)}" if near else f'summarize("{located.path}") lists its symbols'
        raise UserError("not_found", f"{located.path} defines no {name}", remedy)
    longest = max(named, key=lambda s: s.end - s.start)  # an implementation rather than its overloads
    return longest, [s for s in named if s is not longest]


def _headed_briefly(answer: Answer, located: Located) -> Answer:
    """Head a definition by no more than a small part of what it costs: the caller knows the path already."""
    chars = sum(len(block.forms[0]) for block in answer.blocks)

    def frame(shown: Shown) -> Frame:
        full = answer.frame(shown)
        start, end = full.data["start"], full.data["end"]
        lines = str(start) if start == end else f"{start}-{end}"
        here = f"{shown_path(located.path)}:{lines}"
        if len(here) * HEAD_SHARE > chars:
            here = f"line {lines}" if start == end else f"lines {lines}"
        facts = full.head[full.head.rindex(" (") + 2 : -1].split(", ")[1:]  # all but the number of the file's lines
        return replace(full, head=f"{here} ({', '.join(facts)})" if facts else here)

    return replace(answer, frame=frame)


def _also(path: str, others: list[Symbol]) -> tuple[str, ...]:
    if not others:
        return ()
    shown = ", ".join(f"{shown_path(path)}:{s.start}-{s.end}" for s in others[:4])
    return (f"also: {shown}{f', +{len(others) - 4} more' if len(others) > 4 else ''}",)


TOOL = tool(read_lines, title="Read lines", limit=1500)

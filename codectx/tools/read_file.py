"""Give a whole file, or as much of it as fits, cut after a whole symbol."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from codectx.address import Address
from codectx.answer import Answer
from codectx.errors import invalid_argument
from codectx.project import Project
from codectx.reading import page
from codectx.tool import Param, tool

MAX_SYMBOL_BYTES = 512_000  # larger files are cut without naming what was left out: parsing them would take too long


def read_file(project: Project, path: Annotated[str, Param("File", min_length=1)]) -> Answer:
    """What does this whole file say? A long one is cut after a whole symbol, the rest named; prefer summarize."""
    asked = project.address(path)
    if asked.start is not None or asked.symbol:
        raise invalid_argument(f"read_file takes no lines or symbols ({path})", f'read_lines("{path}")')
    located = project.file(asked.path)

    @cache
    def symbols() -> list[tuple[int, str]]:
        from indexer.summary import symbols_of

        if located.absolute.stat().st_size > MAX_SYMBOL_BYTES:
            return []
        found = symbols_of(located.path, project.read(located).text)
        return [(s.start, f"{s.qualified_name} {s.start}-{s.end}") for s in found]

    def left_out(last: int) -> list[str]:
        return [name for start, name in symbols() if start > last]

    return page(project, located, Address(located.path), left_out=left_out)


TOOL = tool(read_file, title="Read file", limit=2000)

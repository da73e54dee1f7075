"""List the tools, in the order in which agents see them.

Server, documentation and contract tests loop over ``TOOLS``; a new tool is a file in this folder and its line in
``LISTED``. That line repeats what help and configuration need, so that neither has to load the tools, nor a
command all tools but its own; a test holds it to the declarations.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from codectx.tool import Tool

    TOOLS: tuple[Tool, ...]

__all__ = ["LISTED", "TOOLS", "Listed", "load"]


class Listed(NamedTuple):
    """Hold what is known of a tool without loading it: the question it answers, its limit in tokens."""

    question: str
    limit: int


LISTED = {
    "summarize": Listed("What is in this file or folder, and where?", 2000),
    "semantic_search": Listed("Where is the code that does this?", 1500),
    "read_lines": Listed("What do these lines, or this function, say?", 1500),
    "grep": Listed("Which lines match this regex?", 3000),
    "find_symbol": Listed("Where is this name defined, and who uses it?", 2000),
    "read_file": Listed("What does this whole file say?", 2000),
    "list_directory": Listed("What is in this folder?", 500),
    "git_diff": Listed("What changed?", 4000),
    "status": Listed("Is everything seen and fresh?", 300),
}


def load(name: str) -> Tool:
    """Give one tool, loading only its own module."""
    tool: Tool | None = getattr(import_module(f"codectx.tools.{name}"), "TOOL", None)
    if tool is None:  # an AttributeError would only say that there is no TOOLS
        raise ImportError(f"codectx/tools/{name}.py declares no TOOL")
    return tool


def __getattr__(name: str) -> Any:
    """Load all tools when ``TOOLS`` is first asked for."""
    if name != "TOOLS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    tools = tuple(load(listed) for listed in LISTED)
    globals()["TOOLS"] = tools
    return tools

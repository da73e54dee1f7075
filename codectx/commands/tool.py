"""Run one tool as a command: arguments from its signature, answer to stdout, error to stderr."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import Any

from codectx.commands.arguments import add_project_arguments, open_project, working_directory
from codectx.dispatch import answer_call
from codectx.errors import invalid_argument
from codectx.output import write_answer, write_error
from codectx.tool import MAX_TOKENS, Parameter, Tool

_PLACED = "placed"  # where arguments given by their place are kept, as the same may be given by name
_MAX_PLACED = 3  # pattern path glob; path start end


def add_arguments(parser: argparse.ArgumentParser, tool: Tool) -> None:
    """Add a tool's arguments: the first few by place or by name, the others by name."""
    placed = _placed(tool)
    if placed:
        shown = " ".join(f"[{parameter.name.upper()}]" for parameter in placed)
        parser.add_argument(_PLACED, nargs="*", metavar=shown, help="; ".join(map(_help, placed[:1])))
    for number, parameter in enumerate(tool.own_parameters):
        _add_option(parser, parameter, hidden=number == 0)
    _add_option(parser, MAX_TOKENS)
    parser.add_argument("--json", action="store_true", help="give the answer as one JSON object")
    add_project_arguments(parser)


def run(tool: Tool, options: argparse.Namespace) -> int:
    """Answer the call that the options mean, and give the exit code."""
    project = open_project(options, os.environ)
    arguments = _arguments(tool, options)
    if "path" in arguments:
        arguments["path"] = _from_root(project.root, working_directory(), arguments["path"])
    reply = answer_call(project, tool, arguments, as_json=options.json)
    if reply.is_error:
        write_error(reply.text)
    else:
        write_answer(reply.text)
    return reply.exit_code


def _add_option(parser: argparse.ArgumentParser, parameter: Parameter, *, hidden: bool = False) -> None:
    flag = f"--{parameter.name.replace('_', '-')}"
    text = argparse.SUPPRESS if hidden else _help(parameter)
    if parameter.type is not bool:
        metavar = "N" if parameter.type is int else "TEXT"
        parser.add_argument(flag, dest=parameter.name, default=None, metavar=metavar, help=text)
    elif parameter.default:
        parser.add_argument(flag, dest=parameter.name, action=argparse.BooleanOptionalAction, default=None, help=text)
    else:
        parser.add_argument(flag, dest=parameter.name, action="store_const", const=True, default=None, help=text)


def _arguments(tool: Tool, options: argparse.Namespace) -> dict[str, Any]:
    """Give what was said, unchecked: the tool's binding is the same for every door."""
    given = {parameter.name: getattr(options, parameter.name) for parameter in tool.parameters}
    values = getattr(options, _PLACED, [])
    placed = _placed(tool)
    if len(values) > len(placed):
        raise invalid_argument(f"{values[len(placed)][:40]} is one argument too many", "quote what belongs together")
    for parameter, value in zip(placed, values, strict=False):
        if given[parameter.name] is not None:
            raise invalid_argument(f"{parameter.name} is given twice", "leave one out")
        given[parameter.name] = value
    return {name: value for name, value in given.items() if value is not None}


def _from_root(root: Path, folder: Path, path: str) -> str:
    """Name a path as seen from the root, if it exists only as seen from the working directory."""
    try:
        here = folder.resolve().relative_to(root)
        file = re.sub(r"(:\d[\d@-]*|#.*)$", "", path)
        if here.parts and not (root / file).exists() and (folder / file).exists():
            return (here / path).as_posix()
    except (OSError, ValueError):
        pass  # not below the root, or no path at all: the tool will say so
    return path


def _placed(tool: Tool) -> tuple[Parameter, ...]:
    """Give the parameters that may be given by their place: ``grep PATTERN PATH``, ``read-lines PATH START END``."""
    return tuple(parameter for parameter in tool.own_parameters if parameter.type is not bool)[:_MAX_PLACED]


def _help(parameter: Parameter) -> str:
    about = "limit of the answer in tokens" if parameter is MAX_TOKENS else parameter.param.description
    facts = [about] if about else []
    low, high = parameter.param.minimum, parameter.param.maximum
    if low is not None and high is not None:
        facts.append(f"{low} to {high}")
    if parameter.default not in (None, "", False):
        facts.append(f"default {parameter.default}")
    return "; ".join(facts).replace("%", "%%")

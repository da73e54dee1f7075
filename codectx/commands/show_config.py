"""Run ``codectx config``: every setting with its value and where that comes from."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from codectx.commands.arguments import add_project_arguments, tool_limits, working_directory
from codectx.config import Value, resolve, user_file
from codectx.dispatch import printable
from codectx.errors import EXIT_DONE
from codectx.output import write_answer
from codectx.project import find_root
from indexer.locations import shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the project's options and the form of the list."""
    parser.add_argument("--json", action="store_true", help="give the list as one JSON object")
    add_project_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print the settings and give the exit code."""
    root = find_root(options.root, os.environ, working_directory())
    values = resolve(root, tool_limits(), os.environ, tuple(options.set))
    text = _as_json(values) if options.json else "".join(map(_line, values)) + f"# user file: {user_file(os.environ)}\n"
    write_answer(printable(text))
    return EXIT_DONE


def _line(value: Value) -> str:
    return f"{value.setting.key} = {_written(_open(value))}  ({value.origin})\n"


def _as_json(values: tuple[Value, ...]) -> str:
    settings = [
        {
            "key": value.setting.key,
            "value": _open(value),
            "origin": value.origin,
            "env": value.setting.env,
            "help": value.setting.help,
        }
        for value in values
    ]
    return json.dumps({"settings": settings}, ensure_ascii=False)


def _open(value: Value) -> Any:
    """Give a value as it may be shown: an address without login and query string."""
    return shown(value.value) if value.setting.form else value.value


def _written(value: Any) -> str:
    """Write a value as TOML does; strings and lists of strings are the same as in JSON."""
    return json.dumps(value, ensure_ascii=False)
